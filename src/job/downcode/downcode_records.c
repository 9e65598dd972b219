/* Whose record is whose (minimality): rows of a group show the same quasi-identifiers, and several sensitive
 * values. Who knows everybody's quasi-identifiers, and whose all records are but those of two of its people, can
 * exchange the two: where the job makes another release then, it was not so. A promise about sensitive values makes
 * groups as large as they must be, and so tells which values would have met in a finer one.
 *
 * The unit is a row, its others are the rows of its group with another sensitive value. Releases are compared as
 * sets of rows: nobody knows which row is whose. Exchanging more than two at a time is not tried: who knows less
 * than that need not be certain of what is counted here. */
#include <string.h>

#include "job/downcode/downcode_inside.h"

typedef struct {
    kan_downcode *d;
    const size_t *sensitive;
    uint64_t *rows;  /* by group */
    uint64_t *start; /* by group, and one more */
    uint64_t n, *units;
    uint64_t *n_others; /* by row */
} grouped;

static bool differ(const grouped *g, uint64_t x, uint64_t y) {
    for (size_t s = 0; s < g->d->n_sensitive; s++)
        if (strcmp(*kan_downcode_cell(g->d, g->sensitive[s], x),
                   *kan_downcode_cell(g->d, g->sensitive[s], y)) != 0)
            return true;
    return false;
}

static kan_status sort_rows(grouped *g) {
    const kan_downcode *d = g->d;
    uint32_t n_groups = 0;
    for (uint64_t row = 0; row < d->n_rows; row++)
        if (d->group_of_row[row] != UINT32_MAX && d->group_of_row[row] >= n_groups)
            n_groups = d->group_of_row[row] + 1;
    KAN_TRY(kan_alloc_zero(d->run, (size_t)n_groups + 2, sizeof *g->start, &g->start));
    KAN_TRY(kan_alloc(d->run, (size_t)d->n_rows, sizeof *g->rows, &g->rows));
    for (uint64_t row = 0; row < d->n_rows; row++)
        if (d->group_of_row[row] != UINT32_MAX)
            g->start[d->group_of_row[row] + 2]++;
    for (uint32_t group = 0; group < n_groups; group++)
        g->start[group + 2] += g->start[group + 1];
    for (uint64_t row = 0; row < d->n_rows; row++)
        if (d->group_of_row[row] != UINT32_MAX)
            g->rows[g->start[d->group_of_row[row] + 1]++] = row;
    return KAN_OK;
}

/* O(rows * rows of a group). */
static kan_status list_units(grouped *g) {
    const kan_downcode *d = g->d;
    KAN_TRY(kan_alloc(d->run, (size_t)d->n_rows, sizeof *g->units, &g->units));
    KAN_TRY(kan_alloc_zero(d->run, (size_t)d->n_rows, sizeof *g->n_others, &g->n_others));
    for (uint64_t row = 0; row < d->n_rows; row++) {
        const uint32_t group = d->group_of_row[row];
        if (group == UINT32_MAX)
            continue;
        for (uint64_t i = g->start[group]; i < g->start[group + 1]; i++)
            g->n_others[row] += differ(g, row, g->rows[i]);
        if (g->n_others[row] > 0)
            g->units[g->n++] = row;
        if (row % 1024 == 0)
            KAN_TRY(kan_check_cancel(d->run));
    }
    return KAN_OK;
}

static kan_downcode_unit unit_of(void *context, uint64_t i) {
    const grouped *g = context;
    return (kan_downcode_unit){.row = g->units[i], .n_others = g->n_others[g->units[i]]};
}

/* Exchanging twice takes it back. */
static void put(void *context, const kan_downcode_unit *unit, uint64_t j, bool is_back) {
    const grouped *g = context;
    const uint32_t group = g->d->group_of_row[unit->row];
    (void)is_back;
    for (uint64_t i = g->start[group]; i < g->start[group + 1]; i++) {
        const uint64_t other = g->rows[i];
        if (!differ(g, unit->row, other) || j-- != 0)
            continue;
        for (unsigned a = 0; a < g->d->n_quasi; a++) {
            const char **x = kan_downcode_cell(g->d, g->d->columns[a].at, unit->row);
            const char **y = kan_downcode_cell(g->d, g->d->columns[a].at, other);
            const char *held = *x;
            *x = *y;
            *y = held;
        }
        return;
    }
}

static void grouped_destroy(grouped *g) {
    kan_run *run = g->d->run;
    kan_free(run, g->rows);
    kan_free(run, g->start);
    kan_free(run, g->units);
    kan_free(run, g->n_others);
}

kan_status kan_downcode_count_records(kan_downcode *d) {
    grouped g = {.d = d, .sensitive = d->sensitive};
    kan_status status;
    if (d->n_sensitive == 0)
        return KAN_OK;
    KAN_TRY_DONE(sort_rows(&g));
    KAN_TRY_DONE(list_units(&g));
    const kan_downcode_source source = {.d = d,
                                        .n = g.n,
                                        .unit = unit_of,
                                        .put = put,
                                        .context = &g,
                                        .by_row = false,
                                        .stage = "records"};
    status = kan_downcode_count_units(&source, d->seed, &d->of_records);
done:
    grouped_destroy(&g);
    return status;
}
