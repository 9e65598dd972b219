/* Counting nodes: which tuples fall together when each attribute shows its labels of a level.
 *
 * A tuple's labels are read as the digits of one number; equal numbers are a group. Where the
 * numbers would not fit 64 bits, what has been read so far is replaced by the number of its group,
 * and reading goes on. A node costs one look-up per tuple. A witness costs less: tuples are
 * compared with its row, attribute by attribute, and nothing is stored. */
#include <math.h>

#include "analyze/certificate/certificate_inside.h"
#include "core/number.h"
#include "core/pool.h"

/* ---- groups --------------------------------------------------------------------------------- */

typedef struct {
    uint64_t key;
    uint32_t turn; /* when the slot was taken; an older turn means that it is free */
    uint32_t number;
} slot;

/* What one thread needs to count one node after the other. */
typedef struct {
    slot *slots;
    size_t n_slots; /* power of two, at least twice the tuples */
    uint32_t turn;
    uint64_t *keys; /* by tuple */
    uint32_t *group_of, *pair_of;
    uint64_t *rows, *pair_rows, *majority; /* by group, by pair of group and class, by group */
    uint64_t *kept;                        /* by group: its rows that are released */
    kan_people_table people;               /* where they are counted */
} table;

static void table_destroy(kan_run *run, table *t) {
    kan_free(run, t->slots);
    kan_free(run, t->keys);
    kan_free(run, t->group_of);
    kan_free(run, t->pair_of);
    kan_free(run, t->rows);
    kan_free(run, t->pair_rows);
    kan_free(run, t->majority);
    kan_free(run, t->kept);
    kan_people_table_destroy(run, &t->people);
}

static kan_status table_make(const kan_subject *subject, bool histories, table *t) {
    kan_run *run = subject->run;
    const size_t n = subject->n_tuples;
    t->n_slots = 1024;
    while (t->n_slots < 2 * n)
        t->n_slots *= 2;
    KAN_TRY(kan_alloc_zero(run, t->n_slots, sizeof *t->slots, &t->slots));
    KAN_TRY(kan_alloc(run, n, sizeof *t->keys, &t->keys));
    KAN_TRY(kan_alloc(run, n, sizeof *t->group_of, &t->group_of));
    KAN_TRY(kan_alloc(run, n, sizeof *t->rows, &t->rows));
    KAN_TRY(kan_alloc(run, n, sizeof *t->kept, &t->kept));
    if (subject->person_of)
        KAN_TRY(kan_people_table_make(subject, histories, &t->people));
    if (!subject->class_of)
        return KAN_OK;
    KAN_TRY(kan_alloc(run, n, sizeof *t->pair_of, &t->pair_of));
    KAN_TRY(kan_alloc(run, n, sizeof *t->pair_rows, &t->pair_rows));
    return kan_alloc(run, n, sizeof *t->majority, &t->majority);
}

/* Numbers equal keys alike, 0, 1, 2 ... in the order in which they turn up. All keys are below
 * `bound`; where there are slots enough the key itself is the place. */
static uint32_t number_keys(table *t, size_t n, uint64_t bound, uint32_t *number_of) {
    const size_t mask = t->n_slots - 1;
    const bool is_direct = bound <= t->n_slots;
    KAN_ASSERT((t->n_slots & mask) == 0 && n < t->n_slots);
    uint32_t n_numbers = 0;
    if (++t->turn == 0) {
        memset(t->slots, 0, t->n_slots * sizeof *t->slots);
        t->turn = 1;
    }
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = t->keys[i];
        KAN_ASSERT(key < bound);
        size_t at = is_direct ? (size_t)key : (size_t)kan_hash_word(key) & mask;
        while (t->slots[at].turn == t->turn && t->slots[at].key != key)
            at = (at + 1) & mask;
        if (t->slots[at].turn != t->turn)
            t->slots[at] = (slot){key, t->turn, n_numbers++};
        number_of[i] = t->slots[at].number;
    }
    return n_numbers;
}

static uint32_t group_tuples(const kan_subject *subject, table *t, const uint8_t *levels) {
    const size_t n = subject->n_tuples;
    uint64_t bound = 1;
    memset(t->keys, 0, n * sizeof *t->keys);
    for (unsigned a = 0; a < subject->data->n_attributes; a++) {
        const kan_subject_level *level = &subject->levels[a][levels[a]];
        const uint32_t *codes = subject->codes[a], *label_of = level->label_of;
        const uint64_t n_labels = level->n_labels;
        if (n_labels == 1)
            continue;
        if (bound > UINT64_MAX / n_labels) {
            bound = number_keys(t, n, bound, t->group_of);
            for (size_t i = 0; i < n; i++)
                t->keys[i] = t->group_of[i];
        }
        bound *= n_labels;
        for (size_t i = 0; i < n; i++)
            t->keys[i] = t->keys[i] * n_labels + label_of[codes[i]];
    }
    return number_keys(t, n, bound, t->group_of);
}

/* ---- costs, by their definitions ------------------------------------------------------------ */

/* A node with its groups, and what of them is released. */
typedef struct {
    const kan_subject *subject;
    const kan_certificate *certificate;
    const uint8_t *levels;
    table *groups;
    kan_counted *counted;
    uint64_t n_released; /* rows */
} measured;

static kan_counted_cost whole_cost(kan_u128 whole) {
    return (kan_counted_cost){true, true, whole, 1, (double)whole};
}

static double weight_of(const measured *m, unsigned a) {
    return m->certificate->is_weighted ? m->certificate->attributes[a].weight : 1;
}

/* Whether the rows of a tuple are left out. */
static bool is_lost(const measured *m, size_t tuple) {
    return m->certificate->by_person ? m->groups->people.is_gone[m->subject->person_of[tuple]]
                                     : m->groups->kept[m->groups->group_of[tuple]] == 0;
}

/* The sum of the levels; neither groups nor suppressed rows matter. */
static void measure_height(measured *m) {
    unsigned height = 0;
    double weighted = 0;
    for (unsigned a = 0; a < m->certificate->n_attributes; a++) {
        height += m->levels[a];
        weighted += weight_of(m, a) * m->levels[a];
    }
    m->counted->cost =
        m->certificate->is_weighted ? (kan_counted_cost){.real = weighted} : whole_cost(height);
    m->counted->least = m->counted->cost;
}

/* A row of a small group costs all rows, which is never less than the rows of its group; and
 * merging groups makes the squares larger. So the squares of all groups bound what comes above.
 *
 * By person some rows of a group may leave and others stay. Of a rows that stay and b that do not
 * the cost is a a + b n at least, no less than (a + b)^2 while the group has at most half of all n
 * rows; of a larger group nothing is known. */
static void measure_discernibility(measured *m) {
    const uint64_t n = m->subject->n_rows;
    const bool may_split = m->certificate->by_person && m->certificate->limit > 0;
    kan_u128 released = (kan_u128)m->counted->n_small_rows * n, all = 0;
    bool is_bounded = true;
    for (uint64_t g = 0; g < m->counted->n_groups; g++) {
        const uint64_t rows = m->groups->rows[g], kept = m->groups->kept[g];
        all += (kan_u128)rows * rows;
        released += (kan_u128)kept * kept;
        is_bounded = is_bounded && (!may_split || rows <= n / 2);
    }
    m->counted->cost = whole_cost(released);
    m->counted->least = whole_cost(is_bounded ? all : 0);
}

/* All rows over the released groups, to which all small ones together add one. Each class holds a
 * group of this node or more, here and above: there are never more classes than groups here. By
 * person the class of those who left may hold parts of groups alone, and is one more. */
static void measure_average_class(measured *m) {
    const kan_counted *counted = m->counted;
    const double k = (double)m->certificate->k;
    const uint64_t n = m->subject->n_rows;
    const uint64_t n_groups =
        counted->n_groups + (m->certificate->by_person && m->certificate->limit > 0 ? 1 : 0);
    const uint64_t n_classes = counted->n_released_groups + (counted->n_small_rows > 0 ? 1 : 0);
    m->counted->cost =
        (kan_counted_cost){true, false, n, n_classes, (double)n / (double)n_classes / k};
    m->counted->least =
        (kan_counted_cost){true, false, n, n_groups, (double)n / (double)n_groups / k};
}

/* A suppressed row costs 1, as much as a row can cost in a group; and the majority of a merged
 * group is no more than the majorities of its parts. */
static uint64_t count_minority(const measured *m, bool only_kept) {
    const kan_subject *subject = m->subject;
    table *t = m->groups;
    const uint64_t n_groups = m->counted->n_groups, n_classes = subject->n_classes;
    for (size_t i = 0; i < subject->n_tuples; i++)
        t->keys[i] = t->group_of[i] * n_classes + subject->class_of[i];
    uint32_t n_pairs = number_keys(t, subject->n_tuples, n_groups * n_classes, t->pair_of);
    memset(t->pair_rows, 0, n_pairs * sizeof *t->pair_rows);
    memset(t->majority, 0, n_groups * sizeof *t->majority);
    for (size_t i = 0; i < subject->n_tuples; i++) {
        uint64_t *rows = &t->pair_rows[t->pair_of[i]], *most = &t->majority[t->group_of[i]];
        *rows += only_kept && is_lost(m, i) ? 0 : subject->count[i];
        *most = *rows > *most ? *rows : *most;
    }
    uint64_t n = 0;
    for (uint64_t g = 0; g < n_groups; g++)
        n += (only_kept ? t->kept[g] : t->rows[g]) - t->majority[g];
    return n;
}

static void measure_classification(measured *m) {
    m->counted->cost = whole_cost(m->counted->n_small_rows + count_minority(m, true));
    m->counted->least = whole_cost(count_minority(m, false));
}

/* The least number that every height divides; 0 when it does not fit. */
static uint64_t common_height(const kan_certificate *certificate) {
    uint64_t whole = 1;
    for (unsigned a = 0; a < certificate->n_attributes; a++) {
        uint64_t height = certificate->attributes[a].height;
        if (height > 0 &&
            __builtin_mul_overflow(whole, height / kan_common_divisor(whole, height), &whole))
            return 0;
    }
    return whole;
}

/* Level over height of each cell, 1 for each of a suppressed row. */
static kan_counted_cost precision_of(const measured *m, uint64_t n_released,
                                     uint64_t n_suppressed) {
    const kan_certificate *certificate = m->certificate;
    const uint64_t whole = common_height(certificate);
    const double n = (double)m->subject->n_rows;
    kan_u128 units = 0;
    double lost = 0, weights = 0;
    for (unsigned a = 0; a < certificate->n_attributes; a++) {
        unsigned height = certificate->attributes[a].height;
        double cell = height ? (double)m->levels[a] / height : 0;
        lost += weight_of(m, a) * ((double)n_released * cell + (double)n_suppressed) / n;
        weights += weight_of(m, a);
        units += (kan_u128)n_released * (height ? whole / height * m->levels[a] : 0) +
                 (kan_u128)n_suppressed * whole;
    }
    return (kan_counted_cost){.is_exact = whole > 0 && !certificate->is_weighted,
                              .above = units,
                              .below = 1,
                              .real = weights > 0 ? lost / weights : 0};
}

static void measure_precision(measured *m) {
    m->counted->cost = precision_of(m, m->n_released, m->counted->n_small_rows);
    m->counted->least = precision_of(m, m->subject->n_rows, 0);
}

/* The levels of all cells, over those of the fully generalized table. */
static kan_counted_cost distortion_of(const measured *m, uint64_t n_released,
                                      uint64_t n_suppressed) {
    const kan_certificate *certificate = m->certificate;
    kan_u128 units = 0;
    double moved = 0, most = 0;
    for (unsigned a = 0; a < certificate->n_attributes; a++) {
        kan_u128 steps = (kan_u128)n_released * m->levels[a] +
                         (kan_u128)n_suppressed * certificate->attributes[a].height;
        units += steps;
        moved += weight_of(m, a) * (double)steps;
        most += weight_of(m, a) * certificate->attributes[a].height * (double)m->subject->n_rows;
    }
    return (kan_counted_cost){.is_exact = !certificate->is_weighted,
                              .above = units,
                              .below = 1,
                              .real = most > 0 ? moved / most : 0};
}

static void measure_distortion(measured *m) {
    m->counted->cost = distortion_of(m, m->n_released, m->counted->n_small_rows);
    m->counted->least = distortion_of(m, m->subject->n_rows, 0);
}

/* The share of the domain that each cell covers, 1 for each of a suppressed row; no label covers
 * less than one below it. */
static void measure_ncp(measured *m) {
    const kan_subject *subject = m->subject;
    double released = 0, all = 0, weights = 0;
    for (unsigned a = 0; a < m->certificate->n_attributes; a++) {
        const double *share = subject->levels[a][m->levels[a]].share;
        double in_released = 0, in_all = 0;
        for (size_t i = 0; i < subject->n_tuples; i++) {
            double cells = (double)subject->count[i] * share[subject->codes[a][i]];
            in_all += cells;
            in_released += is_lost(m, i) ? (double)subject->count[i] : cells;
        }
        released += weight_of(m, a) * in_released;
        all += weight_of(m, a) * in_all;
        weights += weight_of(m, a);
    }
    const double cells = weights * (double)subject->n_rows;
    m->counted->cost = (kan_counted_cost){.real = cells > 0 ? released / cells : 0};
    m->counted->least = (kan_counted_cost){.real = cells > 0 ? all / cells : 0};
}

typedef struct {
    const char *name;
    bool needs_class;
    void (*measure)(measured *m);
} cost;

static const cost costs[] = {
    {"height", false, measure_height},
    {"discernibility", false, measure_discernibility},
    {"average-class", false, measure_average_class},
    {"classification", true, measure_classification},
    {"precision", false, measure_precision},
    {"distortion", false, measure_distortion},
    {"ncp", false, measure_ncp},
};

static const cost *find_cost(const char *name) {
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (strcmp(costs[i].name, name) == 0)
            return &costs[i];
    return NULL;
}

bool kan_certificate_knows(const char *name, bool *needs_class) {
    const cost *found = find_cost(name);
    *needs_class = found && found->needs_class;
    return found != NULL;
}

int kan_counted_compare(const kan_counted_cost *a, const kan_counted_cost *b) {
    if (a->is_exact && b->is_exact) {
        kan_u128 x = a->above * b->below, y = b->above * a->below;
        return x < y ? -1 : x > y;
    }
    double size = a->real > b->real ? a->real : b->real, difference = a->real - b->real;
    if (difference <= size * 1e-9 && difference >= -size * 1e-9)
        return 0;
    return difference < 0 ? -1 : 1;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* The rows of each group that are released: all or none. */
static void keep_groups(const kan_subject *subject, const kan_certificate *certificate, table *t,
                        const kan_counted *counted) {
    const uint64_t *sizes = subject->person_of ? t->people.heads : t->rows;
    for (uint64_t g = 0; g < counted->n_groups; g++)
        t->kept[g] = sizes[g] >= certificate->k ? t->rows[g] : 0;
}

/* By person: the rows of those who stay. */
static void keep_people(const kan_subject *subject, table *t, const kan_counted *counted) {
    memset(t->kept, 0, counted->n_groups * sizeof *t->kept);
    for (size_t i = 0; i < subject->n_tuples; i++)
        if (!t->people.is_gone[subject->person_of[i]])
            t->kept[t->group_of[i]] += subject->count[i];
}

static void count_node(const kan_subject *subject, const kan_certificate *certificate,
                       bool wants_cost, table *t, const uint8_t *levels, kan_counted *out) {
    uint64_t n_gone = 0, n_kept = 0;
    *out = (kan_counted){.first_small_row = UINT64_MAX};
    out->n_groups = group_tuples(subject, t, levels);
    memset(t->rows, 0, out->n_groups * sizeof *t->rows);
    for (size_t i = 0; i < subject->n_tuples; i++)
        t->rows[t->group_of[i]] += subject->count[i];
    if (subject->person_of)
        n_gone = kan_people_count_node(subject, certificate, t->group_of, (size_t)out->n_groups,
                                       &t->people, &out->first_small_row);
    if (certificate->by_person)
        keep_people(subject, t, out);
    else
        keep_groups(subject, certificate, t, out);
    for (uint64_t g = 0; g < out->n_groups; g++) {
        out->n_released_groups += t->kept[g] > 0;
        n_kept += t->kept[g];
    }
    for (size_t i = 0; !subject->person_of && i < subject->n_tuples; i++)
        if (t->kept[t->group_of[i]] == 0 && subject->first_row[i] < out->first_small_row)
            out->first_small_row = subject->first_row[i];
    out->n_small_rows = subject->n_rows - n_kept;
    out->n_left_out = certificate->by_person ? n_gone : out->n_small_rows;
    measured m = {.subject = subject,
                  .certificate = certificate,
                  .levels = levels,
                  .groups = t,
                  .counted = out,
                  .n_released = n_kept};
    if (wants_cost)
        find_cost(certificate->solution.cost)->measure(&m);
}

enum { NODES_PER_TASK = 4, WITNESSES_PER_TASK = 64 };

typedef struct {
    const kan_subject *subject;
    const kan_certificate *certificate;
    bool wants_cost;
    table *tables; /* by worker */
    const uint8_t *levels;
    const uint64_t *rows;
    size_t n;
    kan_counted *counted;
    uint64_t *sizes;
} counting;

static kan_status count_some(void *context, size_t task, unsigned worker) {
    const counting *c = context;
    const unsigned n_attributes = c->subject->data->n_attributes;
    size_t first = task * NODES_PER_TASK;
    size_t end = c->n - first < NODES_PER_TASK ? c->n : first + NODES_PER_TASK;
    if (!c->tables[worker].slots)
        KAN_TRY(table_make(c->subject, c->certificate->histories, &c->tables[worker]));
    for (size_t i = first; i < end && !kan_should_stop(c->subject->run); i++)
        count_node(c->subject, c->certificate, c->wants_cost, &c->tables[worker],
                   c->levels + i * n_attributes, &c->counted[i]);
    kan_report_progress(c->subject->run, "verify", end, c->n);
    return kan_check_cancel(c->subject->run);
}

kan_status kan_count_nodes(const kan_subject *subject, const kan_certificate *certificate,
                           bool wants_cost, const uint8_t *levels, size_t n, kan_counted *out) {
    kan_run *run = subject->run;
    const unsigned n_threads = kan_run_threads(run);
    counting c = {.subject = subject,
                  .certificate = certificate,
                  .wants_cost = wants_cost,
                  .levels = levels,
                  .n = n,
                  .counted = out};
    KAN_TRY(kan_alloc_zero(run, n_threads, sizeof *c.tables, &c.tables));
    kan_status status =
        kan_parallel(run, (n + NODES_PER_TASK - 1) / NODES_PER_TASK, count_some, &c);
    for (unsigned i = 0; i < n_threads; i++)
        table_destroy(run, &c.tables[i]);
    kan_free(run, c.tables);
    return status;
}

/* ---- witnesses ------------------------------------------------------------------------------ */

/* The tuple of a row that there is. */
static size_t tuple_of(const kan_subject *subject, uint64_t row) {
    size_t low = 0, high = subject->n_tuples;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (subject->first_row[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint64_t count_alike(const kan_subject *subject, const uint8_t *levels, uint64_t row) {
    const kan_certificate_data *data = subject->data;
    const size_t tuple = tuple_of(subject, row);
    uint32_t shows[KAN_CERTIFICATE_ATTRIBUTES];
    uint64_t n = 0;
    for (unsigned a = 0; a < data->n_attributes; a++)
        shows[a] = subject->levels[a][levels[a]].label_of[subject->codes[a][tuple]];
    uint32_t last = UINT32_MAX; /* person */
    for (size_t at = 0; at < subject->n_tuples; at++) {
        const size_t i = subject->by_person ? subject->by_person[at] : at;
        unsigned a = 0;
        while (a < data->n_attributes &&
               subject->levels[a][levels[a]].label_of[subject->codes[a][i]] == shows[a])
            a++;
        if (a < data->n_attributes || (subject->person_of && subject->person_of[i] == last))
            continue;
        n += subject->person_of ? 1 : subject->count[i];
        last = subject->person_of ? subject->person_of[i] : last;
    }
    return n;
}

static kan_status count_some_alike(void *context, size_t task, unsigned worker) {
    const counting *c = context;
    const kan_subject *subject = c->subject;
    size_t first = task * WITNESSES_PER_TASK;
    size_t end = c->n - first < WITNESSES_PER_TASK ? c->n : first + WITNESSES_PER_TASK;
    (void)worker;
    for (size_t i = first; i < end && !kan_should_stop(subject->run); i++)
        c->sizes[i] =
            c->rows[i] == 0 || c->rows[i] > subject->n_rows
                ? 0
                : count_alike(subject, c->levels + i * subject->data->n_attributes, c->rows[i] - 1);
    kan_report_progress(subject->run, "verify", end, c->n);
    return kan_check_cancel(subject->run);
}

kan_status kan_count_witnesses(const kan_subject *subject, const uint8_t *levels,
                               const uint64_t *rows, size_t n, uint64_t *out) {
    counting c = {.subject = subject, .levels = levels, .rows = rows, .n = n, .sizes = out};
    return kan_parallel(subject->run, (n + WITNESSES_PER_TASK - 1) / WITNESSES_PER_TASK,
                        count_some_alike, &c);
}
