/* Counted tables, and from there to one with all its rows: each distinct row as often as it stands
 * there. */
#include <string.h>

#include "core/pool.h"
#include "core/spill.h"
#include "data/table.h"

static kan_status repeat_column(kan_run *run, kan_column *column, const uint64_t *n_times,
                                uint64_t n_rows) {
    const unsigned width = column->width;
    const char *from = column->codes;
    char *codes, *at;
    KAN_TRY(kan_spill_alloc(run, n_rows, width, &codes));
    at = codes;
    for (uint64_t row = 0; row < column->n_rows; row++)
        for (uint64_t i = 0; i < n_times[row]; i++, at += width)
            memcpy(at, from + row * width, width);
    kan_free(run, column->codes);
    column->codes = codes;
    column->n_rows = n_rows;
    return KAN_OK;
}

/* ---- rows by code --------------------------------------------------------------------------- */

enum { TASK_ROWS = 1 << 18, MOST_CODES = 1 << 14 };

typedef struct {
    kan_run *run;
    const kan_column *column;
    uint64_t *rows; /* by thread and code */
} code_counting;

static void count_range(const kan_column *column, uint64_t row, uint64_t end, uint64_t *rows) {
    for (; row < end; row++)
        rows[kan_column_code(column, row)] += kan_column_rows(column, row);
}

static kan_status count_task(void *context, size_t task, unsigned worker) {
    const code_counting *c = context;
    const uint64_t n = c->column->n_rows, first = (uint64_t)task * TASK_ROWS;
    const uint64_t end = n - first < TASK_ROWS ? n : first + TASK_ROWS;
    count_range(c->column, first, end, c->rows + (size_t)worker * c->column->dictionary.n);
    kan_column_done(c->run, c->column, first, end - first);
    return KAN_OK;
}

kan_status kan_column_count_codes(kan_run *run, const kan_column *column, uint64_t *rows) {
    const size_t n_codes = column->dictionary.n, n_workers = kan_run_threads(run);
    const size_t n_tasks = (size_t)((column->n_rows + TASK_ROWS - 1) / TASK_ROWS);
    code_counting c = {.run = run, .column = column, .rows = rows};
    memset(rows, 0, n_codes * sizeof *rows);
    if (n_tasks < 2 || n_workers < 2 || n_codes > MOST_CODES) {
        for (size_t task = 0; task < n_tasks; task++)
            KAN_TRY(count_task(&c, task, 0));
        return KAN_OK;
    }
    KAN_TRY(kan_alloc_zero(run, n_workers * n_codes, sizeof *c.rows, &c.rows));
    const kan_status status = kan_parallel(run, n_tasks, count_task, &c);
    for (size_t i = 0; i < n_workers * n_codes; i++)
        rows[i % n_codes] += c.rows[i];
    kan_free(run, c.rows);
    return status;
}

/* ---- counted tables ------------------------------------------------------------------------- */

/* A column shows the counts of its table. */
static void share_counts(kan_table *table) {
    for (size_t i = 0; i < table->n_columns; i++)
        table->columns[i].counts = table->columns[i].is_encoded ? table->counts : NULL;
}

kan_status kan_table_take_counts(kan_table *table, uint64_t *counts) {
    uint64_t n_rows = 0;
    KAN_ASSERT(!table->counts);
    table->counts = counts;
    share_counts(table);
    for (uint64_t row = 0; row < table->n_rows; row++) {
        if (counts[row] == 0 || counts[row] > UINT64_MAX - n_rows)
            return kan_fail(table->run, KAN_FAILED,
                            "a counted table has a row that counts %s; please report this",
                            counts[row] == 0 ? "no times" : "too often");
        n_rows += counts[row];
    }
    table->n_counted = n_rows;
    return KAN_OK;
}

/* Row i becomes row_of[i] of before, in an array of `width` bytes per row. */
static kan_status divide_rows(kan_run *run, const uint64_t *row_of, uint64_t n_rows, unsigned width,
                              void **rows) {
    char *made;
    KAN_TRY(kan_spill_alloc(run, n_rows, width, &made));
    for (uint64_t row = 0; row < n_rows; row++)
        memcpy(made + row * width, (const char *)*rows + row_of[row] * width, width);
    kan_free(run, *rows);
    *rows = made;
    return KAN_OK;
}

kan_status kan_column_divide(kan_run *run, kan_column *column, const uint64_t *row_of,
                             uint64_t n_rows) {
    void *missing_of = column->missing_of;
    KAN_TRY(divide_rows(run, row_of, n_rows, column->width, &column->codes));
    if (missing_of) {
        KAN_TRY(divide_rows(run, row_of, n_rows, 1, &missing_of));
        column->missing_of = missing_of;
    }
    column->n_rows = n_rows;
    return KAN_OK;
}

kan_status kan_table_divide(kan_table *table, const uint64_t *row_of, uint64_t n_rows,
                            uint64_t *counts) {
    uint64_t *before = table->counts;
    const uint64_t n_before = table->n_rows, n_counted = table->n_counted;
    uint64_t *left = NULL;
    kan_status status = KAN_OK;
    bool is_right = true;
    KAN_ASSERT(before);
    table->counts = NULL;
    table->n_rows = n_rows;
    KAN_TRY_DONE(kan_table_take_counts(table, counts));
    KAN_TRY_DONE(kan_alloc(table->run, n_before, sizeof *left, &left));
    memcpy(left, before, n_before * sizeof *left);
    for (uint64_t row = 0; row < n_rows && is_right; row++) {
        is_right = row_of[row] < n_before && counts[row] <= left[row_of[row]];
        if (is_right)
            left[row_of[row]] -= counts[row];
    }
    if (!is_right || table->n_counted != n_counted) {
        status = kan_fail(table->run, KAN_FAILED,
                          "internal error: rows were divided wrongly; please report this");
        goto done;
    }
    for (size_t i = 0; i < table->n_columns; i++)
        if (table->columns[i].is_encoded)
            KAN_TRY_DONE(kan_column_divide(table->run, &table->columns[i], row_of, n_rows));
done:
    kan_free(table->run, before);
    kan_free(table->run, left);
    return status;
}

kan_status kan_table_repeat(kan_table *table) {
    if (!table->counts)
        return KAN_OK;
    for (size_t i = 0; i < table->n_columns; i++)
        if (table->columns[i].is_encoded)
            KAN_TRY(repeat_column(table->run, &table->columns[i], table->counts, table->n_counted));
    table->n_rows = table->n_counted;
    kan_free(table->run, table->counts);
    table->counts = NULL;
    share_counts(table);
    return KAN_OK;
}

uint64_t kan_column_total(const kan_column *column) {
    uint64_t n = 0;
    if (!column->counts)
        return column->n_rows;
    for (uint64_t row = 0; row < column->n_rows; row++)
        n += column->counts[row];
    return n;
}

/* ---- copies --------------------------------------------------------------------------------- */

static kan_status copy_bytes(kan_run *run, const void *from, size_t n, size_t size, void *out) {
    void *copy;
    KAN_TRY(kan_spill_alloc(run, n, size, &copy));
    if (n > 0)
        memcpy(copy, from, n * size);
    *(void **)out = copy;
    return KAN_OK;
}

static kan_status copy_column(kan_run *run, const kan_column *from, kan_column *to) {
    const kan_dictionary *values = &from->dictionary;
    const char *name = to->name;
    if (!from->is_encoded)
        return KAN_OK;
    *to = *from;
    to->name = name;
    to->dictionary.bytes = NULL;
    to->dictionary.start = NULL;
    to->codes = NULL;
    to->missing_of = NULL;
    to->counts = NULL;
    KAN_TRY(kan_alloc(run, (size_t)values->n + 1, sizeof *values->start, &to->dictionary.start));
    memcpy(to->dictionary.start, values->start, ((size_t)values->n + 1) * sizeof *values->start);
    KAN_TRY(kan_alloc(run, (size_t)values->start[values->n] + 1, 1, &to->dictionary.bytes));
    if (values->start[values->n] > 0)
        memcpy(to->dictionary.bytes, values->bytes, values->start[values->n]);
    KAN_TRY(copy_bytes(run, from->codes, (size_t)from->n_rows, from->width, &to->codes));
    return from->missing_of
               ? copy_bytes(run, from->missing_of, (size_t)from->n_rows, 1, &to->missing_of)
               : KAN_OK;
}

kan_status kan_table_copy(kan_run *run, const kan_table *table, kan_table **out) {
    const char **names;
    uint64_t *counts = NULL;
    kan_table *copy = NULL;
    kan_status status;
    KAN_TRY(kan_alloc(run, table->n_columns, sizeof *names, &names));
    for (size_t i = 0; i < table->n_columns; i++)
        names[i] = table->columns[i].name;
    KAN_TRY_DONE(kan_table_make(run, table->n_columns, names, &copy));
    copy->n_rows = table->n_rows;
    for (size_t i = 0; i < table->n_columns; i++)
        KAN_TRY_DONE(copy_column(run, &table->columns[i], &copy->columns[i]));
    if (table->counts) {
        KAN_TRY_DONE(kan_alloc(run, (size_t)table->n_rows, sizeof *counts, &counts));
        memcpy(counts, table->counts, (size_t)table->n_rows * sizeof *counts);
        KAN_TRY_DONE(kan_table_take_counts(copy, counts));
    }
    *out = copy;
    copy = NULL;
done:
    kan_table_destroy(copy);
    kan_free(run, names);
    return status;
}
