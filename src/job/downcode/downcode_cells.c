/* Hidden cells, each by itself: all others are known. */
#include <string.h>

#include "job/downcode/downcode_inside.h"

typedef struct {
    kan_downcode *d;
    uint64_t n, *places; /* quasi-identifier * n_rows + row */
    const char *truth;   /* of the cell that is changed */
} hidden_cells;

static kan_status list_hidden(kan_downcode *d, hidden_cells *out) {
    uint64_t n = 0;
    for (unsigned a = 0; a < d->n_quasi; a++)
        for (uint64_t row = 0; row < d->n_rows; row++)
            n += kan_downcode_open_values(&d->columns[a], row) > 1;
    KAN_TRY(kan_alloc(d->run, (size_t)n, sizeof *out->places, &out->places));
    for (unsigned a = 0; a < d->n_quasi; a++)
        for (uint64_t row = 0; row < d->n_rows; row++)
            if (kan_downcode_open_values(&d->columns[a], row) > 1)
                out->places[out->n++] = a * d->n_rows + row;
    return KAN_OK;
}

static kan_downcode_unit unit_of(void *context, uint64_t i) {
    const hidden_cells *h = context;
    const kan_downcode *d = h->d;
    const uint64_t row = h->places[i] % d->n_rows;
    const size_t at = (size_t)(h->places[i] / d->n_rows);
    return (kan_downcode_unit){row, at, kan_downcode_open_values(&d->columns[at], row) - 1};
}

/* The j-th of the open values that are not the true one. */
static void put(void *context, const kan_downcode_unit *unit, uint64_t j, bool is_back) {
    hidden_cells *h = context;
    const kan_downcode_column *column = &h->d->columns[unit->at];
    const char **cell = kan_downcode_cell(h->d, column->at, unit->row);
    if (is_back) {
        *cell = h->truth;
        return;
    }
    h->truth = *cell;
    for (uint32_t i = 0; i < kan_downcode_open_values(column, unit->row); i++) {
        const char *value = kan_downcode_value(column, unit->row, i);
        if (strcmp(value, h->truth) != 0 && j-- == 0) {
            *cell = value;
            return;
        }
    }
}

kan_status kan_downcode_count_cells(kan_downcode *d) {
    hidden_cells hidden = {.d = d};
    KAN_TRY(list_hidden(d, &hidden));
    const kan_downcode_source source = {.d = d,
                                        .n = hidden.n,
                                        .unit = unit_of,
                                        .put = put,
                                        .context = &hidden,
                                        .by_row = true,
                                        .stage = "cells"};
    const kan_status status = kan_downcode_count_units(&source, d->seed, &d->of_cells);
    kan_free(d->run, hidden.places);
    return status;
}
