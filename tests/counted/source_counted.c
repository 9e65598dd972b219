/* A toy source that counts rows where they are, as a database does: it reads a CSV file and hands
 * over each distinct combination of the encoded columns with its number of rows. The order of the
 * combinations is that of their codes, whatever the order of the rows. In a file named *.times.csv
 * the last column says how often each row stands there, and is not shown. */
#include <stdlib.h>
#include <string.h>

#include "data/encoder.h"
#include "io/source.h"

typedef struct {
    kan_run *run;
    kan_source *csv;
    bool has_times;
} counted;

static bool takes(const char *path) {
    const size_t size = strlen(path), n = strlen(".counted");
    return size > n && strcmp(path + size - n, ".counted") == 0;
}

static kan_status open_counted(kan_run *run, const char *path, const kan_source_options *options,
                               void **state) {
    const size_t size = strlen(path), n = strlen(".times.csv");
    counted *made;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *made, &made));
    made->run = run;
    made->has_times = size > n && strcmp(path + size - n, ".times.csv") == 0;
    const kan_status status = kan_source_open(run, &kan_source_csv, path, options, &made->csv);
    if (status == KAN_OK)
        *state = made;
    else
        kan_free(run, made);
    return status;
}

static void close_counted(void *state) {
    counted *c = state;
    kan_source_close(c->csv);
    kan_free(c->run, c);
}

static const char *name(const void *state) {
    return kan_source_name(((const counted *)state)->csv);
}

static size_t n_columns(const void *state) {
    const counted *c = state;
    return kan_source_n_columns(c->csv) - c->has_times;
}

static const char *column_name(const void *state, size_t column) {
    return kan_source_column_name(((const counted *)state)->csv, column);
}

static int compare_rows(const void *a, const void *b, void *context) {
    const kan_table *table = context;
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    for (size_t i = 0; i < table->n_columns; i++) {
        const kan_column *column = &table->columns[i];
        if (!column->is_encoded)
            continue;
        const uint32_t x = kan_column_code(column, left), y = kan_column_code(column, right);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static uint64_t times_of(const kan_column *times, uint64_t row) {
    if (!times)
        return 1;
    char text[32] = "";
    const kan_slice value = kan_column_value(times, row);
    memcpy(text, value.bytes, value.size < 31 ? value.size : 31);
    return strtoull(text, NULL, 10);
}

/* Distinct rows come to stand in front of row_of. */
static uint64_t fold(kan_table *table, const kan_column *times, uint64_t *row_of,
                     uint64_t *counts) {
    uint64_t n = 0;
    for (uint64_t row = 0; row < table->n_rows; row++)
        row_of[row] = row;
    qsort_r(row_of, table->n_rows, sizeof *row_of, compare_rows, table);
    for (uint64_t i = 0; i < table->n_rows; i++) {
        const uint64_t row = row_of[i];
        if (n > 0 && compare_rows(&row_of[n - 1], &row, table) == 0) {
            counts[n - 1] += times_of(times, row);
            continue;
        }
        counts[n] = times_of(times, row);
        row_of[n++] = row;
    }
    return n;
}

static kan_status count_rows(void *state, const bool *encode, kan_table **out) {
    counted *c = state;
    const size_t n_all = kan_source_n_columns(c->csv);
    bool *wanted;
    kan_table *table = NULL;
    kan_column times = {.name = NULL};
    uint64_t *row_of = NULL, *counts = NULL;
    kan_status status;
    KAN_TRY(kan_alloc_zero(c->run, n_all, sizeof *wanted, &wanted));
    memcpy(wanted, encode, (n_all - c->has_times) * sizeof *wanted);
    wanted[n_all - 1] |= c->has_times;
    KAN_TRY_DONE(kan_source_read(c->csv, wanted, NULL, &table));
    if (c->has_times)
        times = table->columns[--table->n_columns];
    KAN_TRY_DONE(kan_alloc(c->run, table->n_rows + 1, sizeof *row_of, &row_of));
    KAN_TRY_DONE(kan_alloc(c->run, table->n_rows + 1, sizeof *counts, &counts));
    const uint64_t n = fold(table, c->has_times ? &times : NULL, row_of, counts);
    for (size_t i = 0; i < table->n_columns; i++)
        if (table->columns[i].is_encoded)
            KAN_TRY_DONE(kan_column_divide(c->run, &table->columns[i], row_of, n));
    table->n_rows = n;
    uint64_t *taken = counts;
    counts = NULL;
    KAN_TRY_DONE(kan_table_take_counts(table, taken));
    *out = table;
    table = NULL;
done:
    kan_free(c->run, wanted);
    kan_free(c->run, row_of);
    kan_free(c->run, counts);
    kan_dictionary_destroy(c->run, &times.dictionary);
    kan_free(c->run, times.codes);
    kan_table_destroy(table);
    return status;
}

const kan_source_kind kan_source_counted = {
    .kind = {.name = "counted", .summary = "rows of CSV that are counted where they are"},
    .is_text = true,
    .takes_encoding = true,
    .takes = takes,
    .open = open_counted,
    .close = close_counted,
    .name = name,
    .n_columns = n_columns,
    .column_name = column_name,
    .count = count_rows,
};
