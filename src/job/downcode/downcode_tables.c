/* All hidden cells at once: of the tables that the labels leave open, row by row, how many make the same
 * release? All of them are tried where they are no more than the probes, else some that are drawn at random,
 * each with the same chance. */
#include <math.h>
#include <string.h>

#include "job/downcode/downcode_inside.h"

/* Puts the i-th open value into a cell. */
static void put(kan_downcode *d, unsigned a, uint64_t row, uint32_t i) {
    const kan_downcode_column *column = &d->columns[a];
    *kan_downcode_cell(d, column->at, row) = kan_downcode_value(column, row, i);
}

static kan_status try_table(kan_downcode *d, kan_downcode_tables *out) {
    bool is_same, is_refused;
    KAN_TRY(kan_downcode_is_same(d, true, &is_same, &is_refused));
    out->n_tried++;
    out->n_same += is_same;
    out->n_refused += is_refused;
    return KAN_OK;
}

/* The table of a number: its digits say which open value each cell has. */
static void put_number(kan_downcode *d, uint64_t number) {
    for (unsigned a = 0; a < d->n_quasi; a++)
        for (uint64_t row = 0; row < d->n_rows; row++) {
            const uint32_t n = kan_downcode_open_values(&d->columns[a], row);
            put(d, a, row, (uint32_t)(number % n));
            number /= n;
        }
}

static void put_random(kan_downcode *d, uint64_t *random) {
    for (unsigned a = 0; a < d->n_quasi; a++)
        for (uint64_t row = 0; row < d->n_rows; row++)
            put(d, a, row,
                (uint32_t)kan_random_below(random, kan_downcode_open_values(&d->columns[a], row)));
}

static kan_status try_tables(kan_downcode *d, double n_open, kan_downcode_tables *out) {
    uint64_t random = d->seed ^ 0x7461626c65u;
    const bool is_counted = n_open <= (double)d->most_probes;
    const uint64_t n = is_counted ? (uint64_t)n_open : d->most_probes;
    for (uint64_t i = 0; i < n; i++) {
        kan_report_units(d->run, "tables", "tables", i, n);
        if (is_counted)
            put_number(d, i);
        else
            put_random(d, &random);
        KAN_TRY(try_table(d, out));
    }
    out->is_counted = is_counted;
    return KAN_OK;
}

/* How many tables the labels leave open; INFINITY where nobody could try them anyway. */
static double count_open(const kan_downcode *d, double *bits) {
    double n = 1;
    *bits = 0;
    for (unsigned a = 0; a < d->n_quasi; a++)
        for (uint64_t row = 0; row < d->n_rows; row++) {
            const double open = kan_downcode_open_values(&d->columns[a], row);
            *bits += log2(open);
            n = n > 0x1p50 ? INFINITY : n * open;
        }
    return n;
}

kan_status kan_downcode_count_tables(kan_downcode *d) {
    const char **before;
    const size_t n_cells = d->n_columns * (size_t)d->n_rows;
    d->of_tables = (kan_downcode_tables){0};
    const double n_open = count_open(d, &d->of_tables.bits_open);
    KAN_TRY(kan_alloc(d->run, n_cells, sizeof *before, &before));
    memcpy(before, d->cells, n_cells * sizeof *before);
    const kan_status status = try_tables(d, n_open, &d->of_tables);
    memcpy(d->cells, before, n_cells * sizeof *before);
    kan_free(d->run, before);
    return status;
}
