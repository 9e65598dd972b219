/* Sets of columns by partition refinement.
 *
 * Rows stand class by class: rows of a class are alike in all columns so far. Adding a column is a
 * counting sort within each class by the column's code, and a row that is alone with its class is
 * dropped: it stays alone whatever is added. So the deeper the set, the fewer rows are left, and
 * counters are as many as the column has values, however many classes there are. Sets are walked
 * depth first below each pair of columns, which is one task; each set costs one pass over the rows
 * that are left of the set without its last column. The last column of a set of four is only
 * counted, not sorted.
 *
 * A set is minimal by its parts of one column less: a row that is alone in a smaller part is alone
 * in every larger one. */
#include "analyze/profile/subsets.h"

#include <stdlib.h>

#include "core/memory.h"
#include "core/pool.h"

enum { WALK_ROWS = 1 << 16 };

/* Rows of some set of columns that are not alone yet, class by class. */
typedef struct {
    uint32_t *rows;   /* of the sample */
    uint32_t *starts; /* of classes; n_classes + 1 */
    uint32_t n_rows, n_classes;
    uint32_t n_alone; /* rows that were dropped */
} partition;

typedef struct {
    uint32_t *count, *place; /* by code; count is all zero between calls */
    partition levels[KAN_SUBSET_SIZE];
} worker_room;

typedef struct {
    unsigned first, second; /* equal: the set of one column */
    size_t at;              /* where its sets begin in the list */
} pair_task;

typedef struct {
    kan_run *run;
    const kan_subset_question *question;
    kan_subsets *out;
    uint64_t *sampled; /* rows of the table, increasing; NULL: all of them */
    uint32_t **codes;  /* by column: dense codes of the sampled rows */
    uint32_t *n_codes;
    size_t n_tasks;
    pair_task *tasks;
    unsigned n_workers;
    worker_room *workers;
} measuring;

/* ---- how many sets -------------------------------------------------------------------------- */

/* n choose s. */
static uint64_t choose(unsigned n, unsigned s) {
    uint64_t ways = 1;
    KAN_ASSERT(n <= KAN_SUBSET_COLUMNS && s <= KAN_SUBSET_SIZE); /* else it might not fit */
    if (n < s)
        return 0;
    for (unsigned i = 0; i < s; i++)
        ways = ways * (n - i) / (i + 1);
    return ways;
}

/* Shares what is allowed: a third of what is left for pairs, half for triples, the rest for fours;
 * what a size does not need, or cannot use up, is left to others. */
static void share_out(measuring *m) {
    kan_subsets *out = m->out;
    const unsigned n = m->question->n_columns;
    uint64_t left = m->question->n_subsets > n ? m->question->n_subsets - n : 0;
    out->n_columns[0] = n;
    out->n_all = n;
    out->n = n;
    for (unsigned size = 2; size <= KAN_SUBSET_SIZE; size++) {
        const uint64_t allowed = left / (KAN_SUBSET_SIZE + 1 - size);
        unsigned most = out->n_columns[size - 2];
        while (most > 0 && choose(most, size) > allowed)
            most--;
        out->n_columns[size - 1] = most;
        left -= choose(most, size);
        out->n_all += choose(n, size);
    }
    for (unsigned size = 2; size <= KAN_SUBSET_SIZE; size++) {
        unsigned *most = &out->n_columns[size - 1];
        for (; *most < out->n_columns[size - 2] && choose(*most, size - 1) <= left; ++*most)
            left -= choose(*most, size - 1);
        if (*most < size)
            *most = 0;
        out->n += (size_t)choose(*most, size);
    }
}

/* Sets whose first two columns are these. */
static uint64_t sets_below(const kan_subsets *out, unsigned second) {
    uint64_t n = 0;
    for (unsigned size = 2; size <= KAN_SUBSET_SIZE; size++)
        if (second < out->n_columns[size - 1])
            n += choose(out->n_columns[size - 1] - second - 1, size - 2);
    return n;
}

static kan_status make_tasks(measuring *m) {
    const kan_subsets *out = m->out;
    const unsigned n = m->question->n_columns;
    size_t at = 0;
    KAN_TRY(
        kan_alloc(m->run, n + (size_t)choose(out->n_columns[1], 2), sizeof *m->tasks, &m->tasks));
    for (unsigned i = 0; i < n; i++)
        m->tasks[m->n_tasks++] = (pair_task){i, i, at++};
    for (unsigned i = 0; i < out->n_columns[1]; i++)
        for (unsigned j = i + 1; j < out->n_columns[1]; j++) {
            m->tasks[m->n_tasks++] = (pair_task){i, j, at};
            at += (size_t)sets_below(out, j);
        }
    return KAN_OK;
}

/* ---- the sample ----------------------------------------------------------------------------- */

/* Each row in turn is taken with the chance that fills the sample: every set of rows is as likely.
 * A row of a counted table is there as often as it counts. */
static kan_status draw_sample(measuring *m) {
    const kan_table *table = m->question->table;
    const uint64_t n = kan_table_total(table);
    uint64_t wanted = m->question->n_rows, random = kan_run_seed(m->run) ^ 0x70726f66696c65u;
    m->out->is_sampled = wanted < n;
    m->out->n_rows = (uint32_t)(wanted < n ? wanted : n);
    if (!m->out->is_sampled && !table->counts)
        return KAN_OK;
    wanted = m->out->n_rows;
    KAN_TRY(kan_alloc(m->run, (size_t)wanted, sizeof *m->sampled, &m->sampled));
    uint64_t *next = m->sampled, at = 0, end = kan_table_count(table, 0);
    for (uint64_t row = 0; wanted > 0; row++) {
        if (row % WALK_ROWS == 0)
            KAN_TRY(kan_check_cancel(m->run));
        while (row == end) /* of the row of the table that has it */
            end += kan_table_count(table, ++at);
        if (kan_random_below(&random, n - row) < wanted) {
            *next++ = at;
            wanted--;
        }
    }
    return KAN_OK;
}

/* The codes that the sample has, numbered without gaps. */
static kan_status number_codes(measuring *m, unsigned c, uint32_t n_values) {
    uint32_t *codes = m->codes[c], *map, n = 0;
    KAN_TRY(kan_alloc_zero(m->run, n_values, sizeof *map, &map));
    for (uint32_t row = 0; row < m->out->n_rows; row++)
        map[codes[row]] = 1;
    for (uint32_t value = 0; value < n_values; value++)
        map[value] = map[value] ? n++ : 0;
    for (uint32_t row = 0; row < m->out->n_rows; row++)
        codes[row] = map[codes[row]];
    m->n_codes[c] = n;
    kan_free(m->run, map);
    return KAN_OK;
}

static kan_status take_codes(void *context, size_t task, unsigned worker) {
    measuring *m = context;
    const kan_column *column = &m->question->table->columns[m->question->columns[task]];
    uint64_t done = 0;
    (void)worker;
    KAN_TRY(kan_alloc(m->run, m->out->n_rows, sizeof **m->codes, &m->codes[task]));
    for (uint32_t i = 0; i < m->out->n_rows; i++) {
        const uint64_t row = m->sampled ? m->sampled[i] : i;
        m->codes[task][i] = kan_column_code(column, row);
        if (row - done >= WALK_ROWS) {
            kan_column_done(m->run, column, done, row - done);
            done = row;
        }
    }
    return number_codes(m, (unsigned)task, column->dictionary.n);
}

/* ---- refining ------------------------------------------------------------------------------- */

static void count_class(uint32_t *count, const uint32_t *codes, const uint32_t *rows, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        count[codes[rows[i]]]++;
}

/* What the set is, from the sizes of its classes; `count` is zero again afterwards. */
static void measure_last(worker_room *room, const uint32_t *codes, const partition *from,
                         kan_subset *set) {
    uint32_t *count = room->count, n_alone = 0, n_distinct = 0;
    uint64_t together = 0;
    for (uint32_t class = 0; class < from->n_classes; class ++) {
        const uint32_t *rows = from->rows + from->starts[class];
        const uint32_t n = from->starts[class + 1] - from->starts[class];
        count_class(count, codes, rows, n);
        for (uint32_t i = 0; i < n; i++) {
            const uint64_t size = count[codes[rows[i]]];
            count[codes[rows[i]]] = 0;
            n_distinct += size > 0;
            n_alone += size == 1;
            together += size > 1 ? size * (size - 1) / 2 : 0;
        }
    }
    set->n_unique = from->n_alone + n_alone;
    set->n_distinct = from->n_alone + n_distinct;
    set->n_together = together;
}

/* The same, and the classes themselves into `to`. */
static void refine(worker_room *room, const uint32_t *codes, const partition *from, partition *to,
                   kan_subset *set) {
    uint32_t *count = room->count, *place = room->place, end = 0;
    to->n_classes = 0;
    to->n_alone = from->n_alone;
    set->n_together = 0;
    for (uint32_t class = 0; class < from->n_classes; class ++) {
        const uint32_t *rows = from->rows + from->starts[class];
        const uint32_t n = from->starts[class + 1] - from->starts[class];
        count_class(count, codes, rows, n);
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t code = codes[rows[i]], size = count[code];
            if (size == 0)
                continue;
            count[code] = 0;
            place[code] = UINT32_MAX;
            to->n_alone += size == 1;
            if (size == 1)
                continue;
            set->n_together += (uint64_t)size * (size - 1) / 2;
            to->starts[to->n_classes++] = end;
            place[code] = end;
            end += size;
        }
        for (uint32_t i = 0; i < n; i++)
            if (place[codes[rows[i]]] != UINT32_MAX)
                to->rows[place[codes[rows[i]]]++] = rows[i];
    }
    to->starts[to->n_classes] = end;
    to->n_rows = end;
    set->n_unique = to->n_alone;
    set->n_distinct = to->n_alone + to->n_classes;
}

/* The set with one more column. */
static kan_subset *begin_set(kan_subset **next, const kan_subset *from, unsigned column) {
    kan_subset *set = (*next)++;
    *set = (kan_subset){.size = from ? from->size + 1 : 1};
    for (unsigned i = 0; from && i < from->size; i++)
        set->columns[i] = from->columns[i];
    set->columns[set->size - 1] = (uint8_t)column;
    return set;
}

/* All sets that go on from `from` with later columns. */
static kan_status add_columns(measuring *m, worker_room *room, const kan_subset *from,
                              kan_subset **next) {
    const unsigned size = from->size + 1;
    for (unsigned c = from->columns[from->size - 1] + 1u; c < m->out->n_columns[size - 1]; c++) {
        kan_subset *set = begin_set(next, from, c);
        if (size == KAN_SUBSET_SIZE) {
            measure_last(room, m->codes[c], &room->levels[size - 1], set);
            continue;
        }
        KAN_TRY(kan_check_cancel(m->run));
        refine(room, m->codes[c], &room->levels[size - 1], &room->levels[size], set);
        KAN_TRY(add_columns(m, room, set, next));
    }
    return KAN_OK;
}

static kan_status pair_run(void *context, size_t task, unsigned worker) {
    measuring *m = context;
    const pair_task *pair = &m->tasks[task];
    worker_room *room = &m->workers[worker];
    kan_subset *next = &m->out->list[pair->at], single, *after = &single;
    KAN_TRY(kan_check_cancel(m->run));
    kan_report_progress(m->run, "combinations", task, m->n_tasks);
    if (pair->first == pair->second) {
        measure_last(room, m->codes[pair->first], &room->levels[0],
                     begin_set(&next, NULL, pair->first));
        return KAN_OK;
    }
    begin_set(&after, NULL, pair->first);
    refine(room, m->codes[pair->first], &room->levels[0], &room->levels[1], &single);
    kan_subset *set = begin_set(&next, &single, pair->second);
    refine(room, m->codes[pair->second], &room->levels[1], &room->levels[2], set);
    return add_columns(m, room, set, &next);
}

static kan_status make_workers(measuring *m) {
    const uint32_t n = m->out->n_rows;
    m->n_workers = kan_run_threads(m->run);
    KAN_TRY(kan_alloc_zero(m->run, m->n_workers, sizeof *m->workers, &m->workers));
    for (unsigned w = 0; w < m->n_workers; w++) {
        worker_room *room = &m->workers[w];
        KAN_TRY(kan_alloc_zero(m->run, n, sizeof *room->count, &room->count));
        KAN_TRY(kan_alloc(m->run, n, sizeof *room->place, &room->place));
        for (unsigned size = 0; size < KAN_SUBSET_SIZE; size++) {
            KAN_TRY(kan_alloc(m->run, n, sizeof(uint32_t), &room->levels[size].rows));
            /* Classes have two rows at least, save the first, of all rows. */
            KAN_TRY(
                kan_alloc(m->run, (size_t)n / 2 + 2, sizeof(uint32_t), &room->levels[size].starts));
        }
        partition *all = &room->levels[0];
        for (uint32_t row = 0; row < n; row++)
            all->rows[row] = row;
        all->n_rows = n;
        all->n_classes = 1;
        all->starts[0] = 0;
        all->starts[1] = n;
    }
    return KAN_OK;
}

/* ---- minimal ones, and the order ------------------------------------------------------------ */

static int compare_columns(const kan_subset *a, const kan_subset *b) {
    for (unsigned i = 0; i < a->size && i < b->size; i++)
        if (a->columns[i] != b->columns[i])
            return a->columns[i] < b->columns[i] ? -1 : 1;
    return (a->size > b->size) - (a->size < b->size);
}

static int compare_by_columns(const void *a, const void *b) {
    return compare_columns(a, b);
}

static int compare_by_telling(const void *a, const void *b) {
    const kan_subset *x = a, *y = b;
    if (x->n_unique != y->n_unique)
        return x->n_unique > y->n_unique ? -1 : 1;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    if (x->n_together != y->n_together)
        return x->n_together < y->n_together ? -1 : 1;
    return compare_columns(x, y);
}

static bool is_telling(const measuring *m, const kan_subset *set) {
    return set->n_unique > 0 &&
           (double)set->n_unique >= m->question->telling * (double)m->out->n_rows;
}

/* Whether the set without its `left_out`-th column singles people out as well. */
static bool part_is_telling(const measuring *m, const kan_subset *set, unsigned left_out) {
    kan_subset part = {.size = set->size - 1};
    for (unsigned i = 0, n = 0; i < set->size; i++)
        if (i != left_out)
            part.columns[n++] = set->columns[i];
    const kan_subset *found =
        bsearch(&part, m->out->list, m->out->n, sizeof part, compare_by_columns);
    return found && is_telling(m, found);
}

static void mark_minimal(measuring *m) {
    kan_subsets *out = m->out;
    qsort(out->list, out->n, sizeof *out->list, compare_by_columns);
    for (size_t i = 0; i < out->n; i++) {
        kan_subset *set = &out->list[i];
        bool has_telling_part = false;
        for (unsigned left_out = 0; set->size > 1 && left_out < set->size; left_out++)
            has_telling_part |= part_is_telling(m, set, left_out);
        set->is_minimal = is_telling(m, set) && !has_telling_part;
        out->n_minimal += set->is_minimal;
    }
}

/* ---- the whole ------------------------------------------------------------------------------ */

static kan_status measure(measuring *m) {
    const size_t n = m->question->n_columns;
    KAN_ASSERT(n <= KAN_SUBSET_COLUMNS && m->question->table->n_rows > 0);
    KAN_TRY(draw_sample(m));
    KAN_ASSERT(m->out->n_rows < UINT32_C(1) << 31);
    share_out(m);
    KAN_TRY(kan_alloc_zero(m->run, n, sizeof *m->codes, &m->codes));
    KAN_TRY(kan_alloc_zero(m->run, n, sizeof *m->n_codes, &m->n_codes));
    KAN_TRY(kan_parallel(m->run, n, take_codes, m));
    KAN_TRY(make_tasks(m));
    KAN_TRY(make_workers(m));
    KAN_TRY(kan_alloc_zero(m->run, m->out->n, sizeof *m->out->list, &m->out->list));
    KAN_TRY(kan_parallel(m->run, m->n_tasks, pair_run, m));
    mark_minimal(m);
    qsort(m->out->list, m->out->n, sizeof *m->out->list, compare_by_telling);
    return KAN_OK;
}

static void measuring_free(measuring *m) {
    for (unsigned w = 0; m->workers && w < m->n_workers; w++) {
        kan_free(m->run, m->workers[w].count);
        kan_free(m->run, m->workers[w].place);
        for (unsigned size = 0; size < KAN_SUBSET_SIZE; size++) {
            kan_free(m->run, m->workers[w].levels[size].rows);
            kan_free(m->run, m->workers[w].levels[size].starts);
        }
    }
    for (unsigned c = 0; m->codes && c < m->question->n_columns; c++)
        kan_free(m->run, m->codes[c]);
    kan_free(m->run, m->workers);
    kan_free(m->run, m->codes);
    kan_free(m->run, m->n_codes);
    kan_free(m->run, m->tasks);
    kan_free(m->run, m->sampled);
}

kan_status kan_subsets_measure(kan_run *run, const kan_subset_question *question,
                               kan_subsets *out) {
    kan_subsets found = {.run = run};
    measuring m = {.run = run, .question = question, .out = &found};
    const kan_status status = measure(&m);
    measuring_free(&m);
    if (status == KAN_OK)
        *out = found;
    else
        kan_subsets_destroy(&found);
    return status;
}

void kan_subsets_destroy(kan_subsets *subsets) {
    if (subsets->run)
        kan_free(subsets->run, subsets->list);
    *subsets = (kan_subsets){.run = subsets->run};
}
