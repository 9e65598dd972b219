/* Minimal sets of columns, size by size.
 *
 * Tuples of one row that nothing else matches are the candidates: no other row is unique by any
 * set. For each set the candidates that it makes unique are bits. A set is minimal for those that
 * none of its parts of one column less makes unique, so the bits of one size suffice to know the
 * minimal ones of the next, and those of the largest size are never kept.
 *
 * Plain values: one task is all of a set but its last column. Tuples are divided by these columns,
 * class by class, as in analyze/profile/subsets.c; a class of one tuple is dropped, and so is one
 * without a candidate. Then each later column is counted within the classes. Hidden values that
 * match any: each set is matched by itself (matches.h).
 *
 * What tasks found is taken over in their order, some hundred of them at a time. */
#include "analyze/risk/suda.h"

#include <math.h>

#include "core/pool.h"

enum { TASKS_AT_ONCE = 256 };

/* Tuples that may still become unique, class by class. */
typedef struct {
    uint32_t *tuples, *starts; /* n_classes + 1 */
    uint32_t n_classes;
} division;

typedef struct {
    uint32_t *count, *place; /* by code; count is all zero between calls */
    division levels[KAN_SUDA_SIZE];
    uint64_t *bits;    /* of one set */
    uint64_t *matches; /* by tuple, of one set */
} worker_room;

typedef struct {
    uint32_t unique, last; /* the row, and the last column of its set */
} found_set;

typedef struct {
    found_set *found;
    size_t n, capacity;
    uint64_t n_by_last[KAN_RISK_COLUMNS];
} task_room;

typedef struct {
    kan_run *run;
    const kan_suda_question *question;
    const kan_risk_tuples *tuples;
    kan_suda *out;
    size_t n_words;    /* of the bits of a set */
    uint64_t *bits[2]; /* of all sets of one column less, and of this size */
    unsigned size;     /* of sets that are looked at */
    size_t n_prefixes;
    kan_suda_set *prefixes; /* all sets of one column less, by columns */
    size_t first_task;
    task_room tasks[TASKS_AT_ONCE];
    unsigned n_workers;
    worker_room *workers;
    found_set *listed; /* the set in `last` */
    size_t n_listed, listed_capacity;
    uint32_t *n_listed_of; /* by unique row */
    uint64_t n_sets_done, n_sets;
} suda_walk;

/* ---- sets ----------------------------------------------------------------------------------- */

/* n choose s; s is at most four. */
static uint64_t choose(unsigned n, unsigned s) {
    uint64_t ways = 1;
    for (unsigned i = 0; i < s; i++)
        ways = n < s ? 0 : ways * (n - i) / (i + 1);
    return ways;
}

static unsigned size_of(kan_suda_set set) {
    unsigned size = 0;
    while (size < KAN_SUDA_SIZE && kan_suda_column(set, size) != KAN_SUDA_NONE)
        size++;
    return size;
}

static kan_suda_set with_column(kan_suda_set set, unsigned size, unsigned column) {
    return (set & ~(UINT32_C(0xff) << (8 * size))) | column << (8 * size);
}

static kan_suda_set without_place(kan_suda_set set, unsigned place) {
    const uint32_t below = place ? UINT32_MAX >> (32 - 8 * place) : 0;
    return (set & below) | ((set >> 8) & ~below) | UINT32_C(0xff) << 24;
}

/* Its place among all sets of its size: sets by their last columns first. */
static size_t place_of(kan_suda_set set) {
    size_t place = 0;
    for (unsigned i = 0; i < KAN_SUDA_SIZE && kan_suda_column(set, i) != KAN_SUDA_NONE; i++)
        place += (size_t)choose(kan_suda_column(set, i), i + 1);
    return place;
}

static uint64_t bits_of_columns(kan_suda_set set) {
    uint64_t columns = 0;
    for (unsigned i = 0; i < size_of(set); i++)
        columns |= UINT64_C(1) << kan_suda_column(set, i);
    return columns;
}

/* The set behind this one, by columns; false where it is the last. */
static bool next_set(kan_suda_set *set, unsigned size, unsigned n_columns) {
    for (unsigned place = size; place-- > 0;) {
        unsigned column = kan_suda_column(*set, place) + 1;
        if (column > n_columns - (size - place))
            continue;
        for (unsigned i = place; i < size; i++)
            *set = with_column(*set, i, column++);
        return true;
    }
    return false;
}

static kan_status list_prefixes(suda_walk *w) {
    const unsigned size = w->size - 1, n_columns = w->out->n_columns;
    const size_t n = (size_t)choose(n_columns, size);
    kan_suda_set set = UINT32_MAX;
    kan_free(w->run, w->prefixes);
    w->prefixes = NULL;
    KAN_TRY(kan_alloc(w->run, n, sizeof *w->prefixes, &w->prefixes));
    for (unsigned i = 0; i < size; i++)
        set = with_column(set, i, i);
    w->n_prefixes = 0;
    do
        w->prefixes[w->n_prefixes++] = set;
    while (next_set(&set, size, n_columns));
    KAN_ASSERT(w->n_prefixes == n);
    return KAN_OK;
}

/* ---- plain values --------------------------------------------------------------------------- */

static bool is_candidate(const suda_walk *w, uint32_t tuple) {
    return w->out->unique_of_tuple[tuple] != UINT32_MAX;
}

static void set_bit(uint64_t *bits, uint32_t at) {
    bits[at / 64] |= UINT64_C(1) << at % 64;
}

/* Where the tuples of a class with one code go: UINT32_MAX, nowhere. */
static uint32_t choose_place(uint32_t size, uint32_t n_candidates, division *to, uint32_t *end) {
    if (size < 2 || n_candidates == 0)
        return UINT32_MAX;
    const uint32_t place = *end;
    to->starts[to->n_classes++] = place;
    *end += size;
    return place;
}

/* Divides one class by a column. `place` counts candidates until places are chosen. */
static void divide_class(const suda_walk *w, worker_room *room, const uint32_t *codes,
                         const uint32_t *tuples, uint32_t n, division *to, uint32_t *end) {
    uint32_t *count = room->count, *place = room->place;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t code = codes[tuples[i]];
        if (count[code]++ == 0)
            place[code] = 0;
        place[code] += is_candidate(w, tuples[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t code = codes[tuples[i]];
        if (count[code] == 0)
            continue;
        place[code] = choose_place(count[code], place[code], to, end);
        count[code] = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *at = &place[codes[tuples[i]]];
        if (*at != UINT32_MAX)
            to->tuples[(*at)++] = tuples[i];
    }
}

static void divide(const suda_walk *w, worker_room *room, unsigned column, const division *from,
                   division *to) {
    const uint32_t *codes = kan_risk_codes(w->tuples, column);
    uint32_t end = 0;
    to->n_classes = 0;
    for (uint32_t class = 0; class < from->n_classes; class ++)
        divide_class(w, room, codes, from->tuples + from->starts[class],
                     from->starts[class + 1] - from->starts[class], to, &end);
    to->starts[to->n_classes] = end;
}

/* The candidates that the last column makes unique. */
static void count_last(const suda_walk *w, worker_room *room, unsigned column,
                       const division *from) {
    const uint32_t *codes = kan_risk_codes(w->tuples, column);
    uint32_t *count = room->count;
    for (uint32_t class = 0; class < from->n_classes; class ++) {
        const uint32_t *tuples = from->tuples + from->starts[class];
        const uint32_t n = from->starts[class + 1] - from->starts[class];
        for (uint32_t i = 0; i < n; i++)
            count[codes[tuples[i]]]++;
        for (uint32_t i = 0; i < n; i++)
            if (count[codes[tuples[i]]] == 1 && is_candidate(w, tuples[i]))
                set_bit(room->bits, w->out->unique_of_tuple[tuples[i]]);
        for (uint32_t i = 0; i < n; i++)
            count[codes[tuples[i]]] = 0;
    }
}

/* ---- hidden values -------------------------------------------------------------------------- */

static kan_status match_set(suda_walk *w, worker_room *room, unsigned worker, kan_suda_set set) {
    KAN_TRY(
        kan_matching_within(w->question->matching, worker, bits_of_columns(set), room->matches));
    for (uint32_t i = 0; i < w->tuples->n; i++)
        if (room->matches[i] == 1 && is_candidate(w, i))
            set_bit(room->bits, w->out->unique_of_tuple[i]);
    return KAN_OK;
}

/* ---- one set -------------------------------------------------------------------------------- */

static kan_status add_found(suda_walk *w, task_room *task, uint64_t word, size_t at,
                            unsigned last) {
    for (; word; word &= word - 1) {
        const uint32_t unique = (uint32_t)(64 * at + (unsigned)__builtin_ctzll(word));
        KAN_TRY(
            kan_reserve(w->run, task->n + 1, sizeof *task->found, &task->capacity, &task->found));
        task->found[task->n++] = (found_set){unique, last};
        task->n_by_last[last]++;
    }
    return KAN_OK;
}

/* From the candidates that the set makes unique, in room->bits, to those for whom it is minimal. */
static kan_status take_set(suda_walk *w, worker_room *room, task_room *task, kan_suda_set set) {
    const uint64_t *parts[KAN_SUDA_SIZE];
    uint64_t *kept = w->size < w->out->most ? w->bits[1] + place_of(set) * w->n_words : NULL;
    for (unsigned i = 0; i < w->size && w->size > 1; i++)
        parts[i] = w->bits[0] + place_of(without_place(set, i)) * w->n_words;
    for (size_t at = 0; at < w->n_words; at++) {
        uint64_t by_parts = 0;
        for (unsigned i = 0; i < w->size && w->size > 1; i++)
            by_parts |= parts[i][at];
        if (kept)
            kept[at] = room->bits[at] | by_parts;
        KAN_TRY(
            add_found(w, task, room->bits[at] & ~by_parts, at, kan_suda_column(set, w->size - 1)));
    }
    return KAN_OK;
}

/* All sets that have one column behind those of a prefix. */
static kan_status prefix_run(void *context, size_t number, unsigned worker) {
    suda_walk *w = context;
    worker_room *room = &w->workers[worker];
    const kan_suda_set prefix = w->prefixes[w->first_task + number];
    const unsigned size = w->size - 1;
    const unsigned first = size ? kan_suda_column(prefix, size - 1) + 1 : 0;
    if (first == w->out->n_columns)
        return KAN_OK;
    for (unsigned i = 0; i < size && !w->question->matching; i++)
        divide(w, room, kan_suda_column(prefix, i), &room->levels[i], &room->levels[i + 1]);
    for (unsigned c = first; c < w->out->n_columns; c++) {
        const kan_suda_set set = with_column(prefix, size, c);
        KAN_TRY(kan_check_cancel(w->run));
        memset(room->bits, 0, w->n_words * sizeof *room->bits);
        if (w->question->matching)
            KAN_TRY(match_set(w, room, worker, set));
        else
            count_last(w, room, c, &room->levels[size]);
        KAN_TRY(take_set(w, room, &w->tasks[number], set));
    }
    return KAN_OK;
}

/* ---- taking over ---------------------------------------------------------------------------- */

static kan_status list_set(suda_walk *w, uint32_t unique, kan_suda_set set) {
    if (w->n_listed_of[unique] == KAN_SUDA_LISTED)
        return KAN_OK;
    KAN_TRY(
        kan_reserve(w->run, w->n_listed + 1, sizeof *w->listed, &w->listed_capacity, &w->listed));
    w->listed[w->n_listed++] = (found_set){unique, set};
    w->n_listed_of[unique]++;
    return KAN_OK;
}

static kan_status take_task(suda_walk *w, size_t number) {
    const kan_suda_set prefix = w->prefixes[w->first_task + number];
    task_room *task = &w->tasks[number];
    kan_suda *out = w->out;
    const unsigned size = w->size - 1;
    for (size_t i = 0; i < task->n; i++) {
        const found_set found = task->found[i];
        out->n_minimal_of[size][found.unique]++;
        KAN_TRY(list_set(w, found.unique, with_column(prefix, size, found.last)));
    }
    for (unsigned c = 0; c < out->n_columns; c++) {
        out->held_by[c] += task->n_by_last[c];
        for (unsigned i = 0; i < size; i++)
            out->held_by[kan_suda_column(prefix, i)] += task->n_by_last[c];
        out->n_minimal[size] += task->n_by_last[c];
        task->n_by_last[c] = 0;
    }
    task->n = 0;
    return KAN_OK;
}

static uint64_t sets_behind(const suda_walk *w, size_t number) {
    const kan_suda_set prefix = w->prefixes[number];
    const unsigned size = w->size - 1;
    return w->out->n_columns - (size ? kan_suda_column(prefix, size - 1) + 1 : 0);
}

static kan_status walk_size(suda_walk *w) {
    KAN_TRY(list_prefixes(w));
    for (w->first_task = 0; w->first_task < w->n_prefixes; w->first_task += TASKS_AT_ONCE) {
        const size_t left = w->n_prefixes - w->first_task;
        const size_t n = left < TASKS_AT_ONCE ? left : TASKS_AT_ONCE;
        kan_report_units(w->run, "special uniques", "sets", w->n_sets_done, w->n_sets);
        KAN_TRY(kan_parallel(w->run, n, prefix_run, w));
        for (size_t i = 0; i < n; i++) {
            KAN_TRY(take_task(w, i));
            w->n_sets_done += sets_behind(w, w->first_task + i);
        }
    }
    return KAN_OK;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static kan_status find_candidates(suda_walk *w) {
    const kan_risk_tuples *t = w->tuples;
    kan_suda *out = w->out;
    KAN_TRY(kan_alloc(w->run, t->n, sizeof *out->unique_of_tuple, &out->unique_of_tuple));
    for (uint32_t i = 0; i < t->n; i++) {
        const uint64_t crowd = w->question->matching ? w->question->matches[i] : t->rows[i];
        out->unique_of_tuple[i] = crowd == 1 ? out->n_unique++ : UINT32_MAX;
    }
    w->n_words = ((size_t)out->n_unique + 63) / 64;
    for (unsigned s = 0; s < KAN_SUDA_SIZE; s++)
        KAN_TRY(kan_alloc_zero(w->run, out->n_unique, sizeof(uint32_t), &out->n_minimal_of[s]));
    return kan_alloc_zero(w->run, out->n_unique, sizeof *w->n_listed_of, &w->n_listed_of);
}

static kan_status check_memory(const suda_walk *w) {
    const kan_suda *out = w->out;
    const uint64_t sets = out->most > 1 ? choose(out->n_columns, out->most - 1) : 0;
    const uint64_t bytes = sets * w->n_words * sizeof(uint64_t);
    char room[32];
    if (bytes <= kan_run_memory_left(w->run))
        return KAN_OK;
    return kan_fail(w->run, KAN_FAILED,
                    "to look at all sets of up to %u of %u columns takes %s of memory; look at "
                    "smaller sets with --suda-columns %u, name fewer columns, or raise --memory",
                    out->most, out->n_columns, kan_bytes_text(bytes, room), out->most - 1);
}

/* All tuples are one class, where there is a candidate at all. */
static void begin_division(const suda_walk *w, division *all) {
    for (uint32_t i = 0; i < w->tuples->n; i++)
        all->tuples[i] = i;
    all->n_classes = 1;
    all->starts[0] = 0;
    all->starts[1] = w->tuples->n;
}

static kan_status make_workers(suda_walk *w) {
    const uint32_t n = w->tuples->n;
    uint32_t n_codes = 0;
    for (unsigned c = 0; c < w->out->n_columns; c++)
        n_codes = w->tuples->n_codes[c] > n_codes ? w->tuples->n_codes[c] : n_codes;
    w->n_workers = kan_run_threads(w->run);
    KAN_TRY(kan_alloc_zero(w->run, w->n_workers, sizeof *w->workers, &w->workers));
    for (unsigned i = 0; i < w->n_workers; i++) {
        worker_room *room = &w->workers[i];
        KAN_TRY(kan_alloc(w->run, w->n_words, sizeof *room->bits, &room->bits));
        if (w->question->matching) {
            KAN_TRY(kan_alloc(w->run, n, sizeof *room->matches, &room->matches));
            continue;
        }
        KAN_TRY(kan_alloc_zero(w->run, n_codes, sizeof *room->count, &room->count));
        KAN_TRY(kan_alloc(w->run, n_codes, sizeof *room->place, &room->place));
        for (unsigned level = 0; level < w->out->most; level++) {
            KAN_TRY(kan_alloc(w->run, n, sizeof(uint32_t), &room->levels[level].tuples));
            /* Classes have two tuples at least, save the first, of all. */
            KAN_TRY(kan_alloc(w->run, n / 2 + 2, sizeof(uint32_t), &room->levels[level].starts));
        }
        begin_division(w, &room->levels[0]);
    }
    return KAN_OK;
}

/* What was listed, row by row; within a row the order stays. */
static kan_status sort_listed(suda_walk *w) {
    kan_suda *out = w->out;
    uint32_t end = 0;
    if (w->n_listed >= UINT32_MAX)
        return kan_fail(w->run, KAN_FAILED,
                        "there are too many minimal sets to list; look at smaller sets with "
                        "--suda-columns, or name fewer columns");
    KAN_TRY(kan_alloc(w->run, (size_t)out->n_unique + 1, sizeof *out->first_set, &out->first_set));
    KAN_TRY(kan_alloc(w->run, w->n_listed, sizeof *out->sets, &out->sets));
    for (uint32_t i = 0; i < out->n_unique; i++) {
        out->first_set[i] = end;
        end += w->n_listed_of[i];
        w->n_listed_of[i] = out->first_set[i];
    }
    out->first_set[out->n_unique] = end;
    for (size_t i = 0; i < w->n_listed; i++)
        out->sets[w->n_listed_of[w->listed[i].unique]++] = w->listed[i].last;
    return KAN_OK;
}

static void count_rows(kan_suda *out) {
    for (uint32_t i = 0; i < out->n_unique; i++) {
        bool is_smallest = true;
        for (unsigned s = 0; s < KAN_SUDA_SIZE; s++) {
            const bool has = out->n_minimal_of[s][i] > 0;
            out->n_rows[s] += has;
            out->n_smallest[s] += has && is_smallest;
            is_smallest &= !has;
        }
    }
}

static kan_status walk_sizes(suda_walk *w) {
    kan_suda *out = w->out;
    for (w->size = 1; w->size <= out->most; w->size++) {
        kan_free(w->run, w->bits[0]);
        w->bits[0] = w->bits[1];
        w->bits[1] = NULL;
        if (w->size < out->most)
            KAN_TRY(kan_alloc(w->run, (size_t)choose(out->n_columns, w->size) * w->n_words,
                              sizeof *w->bits[1], &w->bits[1]));
        KAN_TRY(walk_size(w));
    }
    return KAN_OK;
}

static kan_status walk(suda_walk *w) {
    kan_suda *out = w->out;
    KAN_TRY(find_candidates(w));
    for (unsigned s = 1; s <= out->most; s++)
        w->n_sets += choose(out->n_columns, s);
    out->n_sets = w->n_sets;
    if (out->n_unique > 0) {
        KAN_TRY(check_memory(w));
        KAN_TRY(make_workers(w));
        KAN_TRY(walk_sizes(w));
    }
    count_rows(out);
    return sort_listed(w);
}

static void walk_free(suda_walk *w) {
    kan_run *run = w->run;
    for (unsigned i = 0; w->workers && i < w->n_workers; i++) {
        worker_room *room = &w->workers[i];
        kan_free(run, room->count);
        kan_free(run, room->place);
        kan_free(run, room->bits);
        kan_free(run, room->matches);
        for (unsigned level = 0; level < KAN_SUDA_SIZE; level++) {
            kan_free(run, room->levels[level].tuples);
            kan_free(run, room->levels[level].starts);
        }
    }
    for (size_t i = 0; i < TASKS_AT_ONCE; i++)
        kan_free(run, w->tasks[i].found);
    kan_free(run, w->workers);
    kan_free(run, w->bits[0]);
    kan_free(run, w->bits[1]);
    kan_free(run, w->prefixes);
    kan_free(run, w->listed);
    kan_free(run, w->n_listed_of);
    kan_free(run, w);
}

kan_status kan_suda_find(const kan_suda_question *question, kan_suda *out) {
    const kan_risk_tuples *tuples = question->tuples;
    kan_suda found = {.run = tuples->run, .n_columns = tuples->n_columns};
    suda_walk *w;
    KAN_ASSERT(question->most >= 1 && question->most <= KAN_SUDA_SIZE);
    found.most = question->most < found.n_columns ? question->most : found.n_columns;
    KAN_TRY(kan_alloc_zero(tuples->run, 1, sizeof *w, &w));
    w->run = tuples->run;
    w->question = question;
    w->tuples = tuples;
    w->out = &found;
    const kan_status status = walk(w);
    walk_free(w);
    if (status == KAN_OK)
        *out = found;
    else
        kan_suda_destroy(&found);
    return status;
}

void kan_suda_destroy(kan_suda *suda) {
    kan_run *run = suda->run;
    if (!run)
        return;
    kan_free(run, suda->unique_of_tuple);
    for (unsigned s = 0; s < KAN_SUDA_SIZE; s++)
        kan_free(run, suda->n_minimal_of[s]);
    kan_free(run, suda->first_set);
    kan_free(run, suda->sets);
    *suda = (kan_suda){.run = NULL};
}

/* ---- scores --------------------------------------------------------------------------------- */

uint64_t kan_suda_weight(unsigned n_columns, unsigned most, unsigned size) {
    uint64_t weight = 1;
    for (unsigned i = size; i <= most && i < n_columns; i++)
        weight *= n_columns - i;
    return weight;
}

uint64_t kan_suda_score(const kan_suda *suda, uint32_t unique) {
    uint64_t score = 0;
    for (unsigned s = 0; s < suda->most; s++)
        score +=
            suda->n_minimal_of[s][unique] * kan_suda_weight(suda->n_columns, suda->most, s + 1);
    return score;
}

uint64_t kan_suda_sets_of(const kan_suda *suda, uint32_t unique) {
    uint64_t n = 0;
    for (unsigned s = 0; s < suda->most; s++)
        n += suda->n_minimal_of[s][unique];
    return n;
}

double kan_suda_dis(uint64_t n_unique, uint64_t n_in_pairs, double fraction) {
    const double unique = (double)n_unique * fraction;
    return n_unique > 0 ? unique / (unique + (double)n_in_pairs * (1 - fraction)) : 0;
}

void kan_suda_spread(const kan_suda *suda, double dis, double *dis_suda) {
    const double power = 1 + (8 - (double)suda->n_columns) / 20;
    const double wrong = (double)suda->n_unique / dis - (double)suda->n_unique;
    double sum = 0;
    KAN_ASSERT(suda->n_columns < KAN_SUDA_SPREAD);
    for (uint32_t i = 0; i < suda->n_unique; i++) {
        const uint64_t score = kan_suda_score(suda, i);
        sum += score ? pow((double)score, -power) : 0;
    }
    for (uint32_t i = 0; i < suda->n_unique; i++) {
        const uint64_t score = kan_suda_score(suda, i);
        dis_suda[i] = score ? 1 / (1 + wrong / (pow((double)score, power) * sum)) : 0;
    }
}
