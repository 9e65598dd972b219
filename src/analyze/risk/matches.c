/* Matching by patterns.
 *
 * The pattern of a tuple is the set of columns that it hides. A tuple of pattern p and one of
 * pattern q match when they show the same in the columns that neither hides. So for each pattern p
 * its tuples are put into a hash table by these columns, and the tuples of q add their rows to what
 * they meet there. Patterns q that leave the same columns share a table. With m patterns and n
 * tuples that is m * n look-ups, where comparing each with each would be n * n; tables hide values
 * in few patterns. A pattern p is one task, and writes the numbers of its own tuples alone.
 *
 * By some columns alone, patterns that are the same there are one kind. */
#include "analyze/risk/matches.h"

#include <stdlib.h>

#include "core/hash.h"
#include "core/pool.h"

enum { TUPLES_BETWEEN_CHECKS = 1 << 16 };

/* Patterns with the same hidden columns among those that are looked at. */
typedef struct {
    uint64_t hidden;
    size_t pattern;
} kind_entry;

typedef struct {
    uint64_t hidden;
    size_t first, end; /* entries */
    uint32_t n_tuples;
} kind;

typedef struct {
    size_t n;
    kind *kinds;
    kind_entry *entries;
} kind_list;

typedef struct {
    uint64_t rows;
    uint32_t tuple; /* the first that came here, and 1; 0: free */
} slot;

/* A kind of tuples to be met, and the columns by which. */
typedef struct {
    uint64_t columns;
    size_t kind;
} meeting;

typedef struct {
    kind_list kinds;
    meeting *meetings;
    slot *slots;
    size_t slots_capacity, n_slots; /* n_slots: in use, a power of two */
    uint32_t *slot_of;              /* of each tuple of the kind */
    size_t slot_of_capacity;
    uint64_t n_steps;
} match_room;

struct kan_matching {
    kan_run *run;
    const kan_risk_tuples *tuples;
    size_t n_patterns;
    uint64_t *hidden;  /* by pattern, ascending */
    uint32_t *start;   /* n_patterns + 1, into `ordered` */
    uint32_t *ordered; /* tuples, pattern by pattern */
    unsigned n_workers;
    match_room *rooms;
    uint64_t *matches; /* of kan_matching_count */
};

/* ---- patterns ------------------------------------------------------------------------------- */

typedef struct {
    uint64_t hidden;
    uint32_t tuple;
} hidden_tuple;

static int compare_hidden(const void *a, const void *b) {
    const hidden_tuple *x = a, *y = b;
    if (x->hidden != y->hidden)
        return x->hidden < y->hidden ? -1 : 1;
    return (x->tuple > y->tuple) - (x->tuple < y->tuple);
}

static kan_status find_patterns(kan_matching *m) {
    const uint32_t n = m->tuples->n;
    hidden_tuple *all;
    KAN_TRY(kan_alloc(m->run, n, sizeof *all, &all));
    for (uint32_t i = 0; i < n; i++)
        all[i] = (hidden_tuple){m->tuples->hidden[i], i};
    if (n > 0)
        qsort(all, n, sizeof *all, compare_hidden);
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || all[i].hidden != all[i - 1].hidden) {
            m->hidden[m->n_patterns] = all[i].hidden;
            m->start[m->n_patterns++] = i;
        }
        m->ordered[i] = all[i].tuple;
    }
    m->start[m->n_patterns] = n;
    kan_free(m->run, all);
    return KAN_OK;
}

static kan_status make_room(kan_matching *m, match_room *room) {
    KAN_TRY(kan_alloc(m->run, m->n_patterns, sizeof *room->kinds.kinds, &room->kinds.kinds));
    KAN_TRY(kan_alloc(m->run, m->n_patterns, sizeof *room->kinds.entries, &room->kinds.entries));
    return kan_alloc(m->run, m->n_patterns, sizeof *room->meetings, &room->meetings);
}

static kan_status make(kan_matching *m) {
    const size_t n = m->tuples->n;
    KAN_TRY(kan_alloc(m->run, n, sizeof *m->hidden, &m->hidden));
    KAN_TRY(kan_alloc(m->run, n + 1, sizeof *m->start, &m->start));
    KAN_TRY(kan_alloc(m->run, n, sizeof *m->ordered, &m->ordered));
    KAN_TRY(find_patterns(m));
    m->n_workers = kan_run_threads(m->run);
    KAN_TRY(kan_alloc_zero(m->run, m->n_workers, sizeof *m->rooms, &m->rooms));
    for (unsigned w = 0; w < m->n_workers; w++)
        KAN_TRY(make_room(m, &m->rooms[w]));
    return KAN_OK;
}

kan_status kan_matching_create(const kan_risk_tuples *tuples, kan_matching **out) {
    kan_matching *matching;
    KAN_TRY(kan_alloc_zero(tuples->run, 1, sizeof *matching, &matching));
    matching->run = tuples->run;
    matching->tuples = tuples;
    const kan_status status = make(matching);
    if (status == KAN_OK)
        *out = matching;
    else
        kan_matching_destroy(matching);
    return status;
}

void kan_matching_destroy(kan_matching *matching) {
    if (!matching)
        return;
    kan_run *run = matching->run;
    for (unsigned w = 0; matching->rooms && w < matching->n_workers; w++) {
        match_room *room = &matching->rooms[w];
        kan_free(run, room->kinds.kinds);
        kan_free(run, room->kinds.entries);
        kan_free(run, room->meetings);
        kan_free(run, room->slots);
        kan_free(run, room->slot_of);
    }
    kan_free(run, matching->rooms);
    kan_free(run, matching->hidden);
    kan_free(run, matching->start);
    kan_free(run, matching->ordered);
    kan_free(run, matching);
}

/* ---- kinds ---------------------------------------------------------------------------------- */

static int compare_entries(const void *a, const void *b) {
    const kind_entry *x = a, *y = b;
    if (x->hidden != y->hidden)
        return x->hidden < y->hidden ? -1 : 1;
    return (x->pattern > y->pattern) - (x->pattern < y->pattern);
}

static void find_kinds(const kan_matching *m, uint64_t columns, kind_list *out) {
    out->n = 0;
    for (size_t i = 0; i < m->n_patterns; i++)
        out->entries[i] = (kind_entry){m->hidden[i] & columns, i};
    if (m->n_patterns > 0)
        qsort(out->entries, m->n_patterns, sizeof *out->entries, compare_entries);
    for (size_t i = 0; i < m->n_patterns; i++) {
        const kind_entry *entry = &out->entries[i];
        if (i == 0 || entry->hidden != out->entries[i - 1].hidden)
            out->kinds[out->n++] = (kind){.hidden = entry->hidden, .first = i};
        kind *last = &out->kinds[out->n - 1];
        last->end = i + 1;
        last->n_tuples += m->start[entry->pattern + 1] - m->start[entry->pattern];
    }
}

/* ---- one kind ------------------------------------------------------------------------------- */

static uint64_t hash_tuple(const kan_risk_tuples *t, uint32_t tuple, uint64_t columns) {
    uint64_t hash = 0x2545f4914f6cdd1du;
    for (; columns; columns &= columns - 1) {
        const unsigned c = (unsigned)__builtin_ctzll(columns);
        hash = kan_mix(hash ^ kan_risk_codes(t, c)[tuple], 0x9e3779b97f4a7c15u + c);
    }
    return kan_hash_word(hash);
}

static bool is_alike(const kan_risk_tuples *t, uint32_t a, uint32_t b, uint64_t columns) {
    for (; columns; columns &= columns - 1) {
        const uint32_t *codes = kan_risk_codes(t, (unsigned)__builtin_ctzll(columns));
        if (codes[a] != codes[b])
            return false;
    }
    return true;
}

/* The slot of tuples that show the same, or the free one where they belong. */
static size_t find_slot(const match_room *room, const kan_risk_tuples *t, uint32_t tuple,
                        uint64_t columns) {
    size_t at = (size_t)hash_tuple(t, tuple, columns) & (room->n_slots - 1);
    while (room->slots[at].tuple && !is_alike(t, room->slots[at].tuple - 1, tuple, columns))
        at = (at + 1) & (room->n_slots - 1);
    return at;
}

static kan_status poll(const kan_matching *m, match_room *room) {
    return ++room->n_steps % TUPLES_BETWEEN_CHECKS == 0 ? kan_check_cancel(m->run) : KAN_OK;
}

static kan_status put_kind(const kan_matching *m, match_room *room, const kind_list *list,
                           const kind *p, uint64_t columns) {
    uint32_t n = 0;
    memset(room->slots, 0, room->n_slots * sizeof *room->slots);
    for (size_t i = p->first; i < p->end; i++) {
        const size_t pattern = list->entries[i].pattern;
        for (uint32_t at = m->start[pattern]; at < m->start[pattern + 1]; at++) {
            const size_t found = find_slot(room, m->tuples, m->ordered[at], columns);
            if (room->slots[found].tuple == 0)
                room->slots[found].tuple = m->ordered[at] + 1;
            room->slot_of[n++] = (uint32_t)found;
            KAN_TRY(poll(m, room));
        }
    }
    return KAN_OK;
}

static kan_status meet_kind(const kan_matching *m, match_room *room, const kind_list *list,
                            const kind *q, uint64_t columns) {
    for (size_t i = q->first; i < q->end; i++) {
        const size_t pattern = list->entries[i].pattern;
        for (uint32_t at = m->start[pattern]; at < m->start[pattern + 1]; at++) {
            const uint32_t tuple = m->ordered[at];
            slot *found = &room->slots[find_slot(room, m->tuples, tuple, columns)];
            if (found->tuple)
                found->rows += m->tuples->rows[tuple];
            KAN_TRY(poll(m, room));
        }
    }
    return KAN_OK;
}

static void take_rows(const kan_matching *m, const match_room *room, const kind_list *list,
                      const kind *p, uint64_t *matches) {
    uint32_t n = 0;
    for (size_t i = p->first; i < p->end; i++) {
        const size_t pattern = list->entries[i].pattern;
        for (uint32_t at = m->start[pattern]; at < m->start[pattern + 1]; at++)
            matches[m->ordered[at]] += room->slots[room->slot_of[n++]].rows;
    }
}

static int compare_meetings(const void *a, const void *b) {
    const meeting *x = a, *y = b;
    if (x->columns != y->columns)
        return x->columns < y->columns ? -1 : 1;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

static kan_status reserve(const kan_matching *m, match_room *room, uint32_t n_tuples) {
    for (room->n_slots = 16; room->n_slots < 2 * (size_t)n_tuples;)
        room->n_slots *= 2;
    KAN_TRY(kan_reserve(m->run, room->n_slots, sizeof *room->slots, &room->slots_capacity,
                        &room->slots));
    return kan_reserve(m->run, n_tuples, sizeof *room->slot_of, &room->slot_of_capacity,
                       &room->slot_of);
}

/* Whom the tuples of one kind match. Their numbers are 0 before. */
static kan_status match_kind(const kan_matching *m, match_room *room, const kind_list *list,
                             size_t number, uint64_t columns, uint64_t *matches) {
    const kind *p = &list->kinds[number];
    KAN_TRY(reserve(m, room, p->n_tuples));
    for (size_t q = 0; q < list->n; q++)
        room->meetings[q] = (meeting){columns & ~(p->hidden | list->kinds[q].hidden), q};
    qsort(room->meetings, list->n, sizeof *room->meetings, compare_meetings);
    for (size_t i = 0; i < list->n; i++) {
        const meeting *now = &room->meetings[i];
        if (i == 0 || now->columns != room->meetings[i - 1].columns)
            KAN_TRY(put_kind(m, room, list, p, now->columns));
        KAN_TRY(meet_kind(m, room, list, &list->kinds[now->kind], now->columns));
        if (i + 1 == list->n || room->meetings[i + 1].columns != now->columns)
            take_rows(m, room, list, p, matches);
    }
    return KAN_OK;
}

/* ---- all ------------------------------------------------------------------------------------ */

static uint64_t all_columns(const kan_matching *m) {
    return m->tuples->n_columns == 64 ? UINT64_MAX : (UINT64_C(1) << m->tuples->n_columns) - 1;
}

static kan_status count_task(void *context, size_t task, unsigned worker) {
    kan_matching *m = context;
    return match_kind(m, &m->rooms[worker], &m->rooms[0].kinds, task, all_columns(m), m->matches);
}

kan_status kan_matching_count(kan_matching *matching, uint64_t *matches) {
    kind_list *kinds = &matching->rooms[0].kinds;
    if (matching->tuples->n == 0)
        return KAN_OK;
    memset(matches, 0, matching->tuples->n * sizeof *matches);
    find_kinds(matching, all_columns(matching), kinds);
    matching->matches = matches;
    return kan_parallel(matching->run, kinds->n, count_task, matching);
}

kan_status kan_matching_within(kan_matching *matching, unsigned worker, uint64_t columns,
                               uint64_t *matches) {
    match_room *room = &matching->rooms[worker];
    memset(matches, 0, matching->tuples->n * sizeof *matches);
    find_kinds(matching, columns, &room->kinds);
    for (size_t i = 0; i < room->kinds.n; i++)
        KAN_TRY(match_kind(matching, room, &room->kinds, i, columns, matches));
    return KAN_OK;
}

/* ---- crowds --------------------------------------------------------------------------------- */

typedef struct {
    uint64_t crowd, rows;
} crowd_rows;

static int compare_crowds(const void *a, const void *b) {
    const crowd_rows *x = a, *y = b;
    return (x->crowd > y->crowd) - (x->crowd < y->crowd);
}

static void add_crowd(kan_crowds *sum, const crowd_rows *one, uint64_t n_rows, double *risk) {
    if (sum->n_rows == 0)
        sum->smallest = one->crowd;
    sum->largest = one->crowd;
    if (sum->n_rows <= (n_rows - 1) / 2 && sum->n_rows + one->rows > (n_rows - 1) / 2)
        sum->median = one->crowd;
    sum->n_rows += one->rows;
    sum->n_unique += one->crowd == 1 ? one->rows : 0;
    sum->n_in_pairs += one->crowd == 2 ? one->rows : 0;
    *risk += (double)one->rows / (double)one->crowd;
}

kan_status kan_crowds_measure(const kan_risk_tuples *tuples, const uint64_t *matches,
                              uint64_t threshold, kan_crowds *out) {
    kan_crowds sum = {0};
    crowd_rows *all;
    double risk = 0;
    KAN_TRY(kan_alloc(tuples->run, tuples->n, sizeof *all, &all));
    for (uint32_t i = 0; i < tuples->n; i++) {
        all[i] = (crowd_rows){matches[i], tuples->rows[i]};
        sum.n_hidden += tuples->hidden[i] ? tuples->rows[i] : 0;
    }
    if (tuples->n > 0)
        qsort(all, tuples->n, sizeof *all, compare_crowds);
    for (uint32_t i = 0; i < tuples->n; i++) {
        add_crowd(&sum, &all[i], tuples->n_rows, &risk);
        sum.n_rows_at_risk += all[i].crowd < (threshold ? threshold : 1) ? all[i].rows : 0;
    }
    kan_free(tuples->run, all);
    if (sum.n_rows > 0) {
        sum.highest = 1 / (double)sum.smallest;
        sum.average = risk / (double)sum.n_rows;
        sum.share_at_risk = (double)sum.n_rows_at_risk / (double)sum.n_rows;
    }
    *out = sum;
    return KAN_OK;
}
