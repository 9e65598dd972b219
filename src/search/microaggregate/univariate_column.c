/* The best groups of one column: its tuples and rows in the order of their values, cut into runs of
 * k to 2k - 1 rows by the shortest path, and by how much other groups could be better at most.
 *
 * Time: rows times k. Memory: 12 bytes for each row. */
#include <math.h>

#include "search/microaggregate/univariate_inside.h"

static kan_status refuse_column(const kan_partition_space *space, unsigned d) {
    const kan_partition_dimension *dimension = &space->dimensions[d];
    const char *name = dimension->domain->column->name;
    if (dimension->domain->has_bins)
        return kan_fail(space->run, KAN_BAD_INPUT,
                        "--bins: --algorithm univariate takes the numbers of '%s' themselves; "
                        "leave --bins out, or use --algorithm mdav",
                        name);
    if (dimension->cutting != KAN_PARTITION_VALUES)
        return kan_fail(space->run, KAN_BAD_INPUT,
                        "--algorithm univariate: column '%s' is text, and only numbers and dates "
                        "stand on a line; use --algorithm mondrian without --recoding "
                        "microaggregation",
                        name);
    return KAN_OK;
}

/* ---- rows in order --------------------------------------------------------------------------- */

static uint32_t place_of(const kan_univariate_column *c, size_t tuple) {
    return kan_partition_lane(kan_partition_record(c->space, tuple), c->space->is_wide, c->d);
}

/* Tuples by place; those of one place keep their order. */
static kan_status order_tuples(kan_univariate_column *c) {
    const kan_partition_space *space = c->space;
    const uint32_t n_places = space->dimensions[c->d].n_places;
    size_t *next;
    KAN_TRY(kan_alloc(space->run, space->n_records, sizeof *c->tuples, &c->tuples));
    KAN_TRY(kan_alloc_zero(space->run, (size_t)n_places + 1, sizeof *next, &next));
    for (size_t t = 0; t < space->n_records; t++)
        next[place_of(c, t) + 1]++;
    for (uint32_t p = 0; p < n_places; p++)
        next[p + 1] += next[p];
    for (size_t t = 0; t < space->n_records; t++)
        c->tuples[next[place_of(c, t)]++] = (uint32_t)t;
    kan_free(space->run, next);
    return KAN_OK;
}

static kan_status order_rows(kan_univariate_column *c) {
    const kan_partition_space *space = c->space;
    size_t row = 0;
    for (size_t t = 0; t < space->n_records; t++)
        c->n_rows += kan_partition_rows(kan_partition_record(space, t));
    KAN_TRY(kan_alloc(space->run, c->n_rows, sizeof *c->at, &c->at));
    KAN_TRY(kan_alloc(space->run, c->n_rows + 1, sizeof *c->last, &c->last));
    for (size_t i = 0; i < space->n_records; i++) {
        const uint32_t n = kan_partition_rows(kan_partition_record(space, c->tuples[i]));
        for (uint32_t r = 0; r < n; r++)
            c->at[row++] = c->line.at[place_of(c, c->tuples[i])];
    }
    return KAN_OK;
}

/* From the last group back to the first, which says of each where it begins. */
static void turn_round(kan_univariate_column *c) {
    for (size_t end = c->n_rows; end > 0;) {
        const uint32_t size = c->last[end];
        end -= size;
        c->at[end] = size;
    }
}

/* ---- the proof ------------------------------------------------------------------------------- */

/* Each group is rounded up by less than 1. Steps that were rounded down are off by half a step to
 * either side, apart from what all are off alike: the root of the sum is a length, which moves by
 * the length of that. */
double kan_univariate_gap(const kan_univariate_column *c) {
    const double slack = 1e-12; /* more than floating point adds here */
    const uint64_t most_groups = c->n_rows / c->space->least_size;
    const double groups = (double)most_groups;
    double least = (double)c->total, most = (double)c->total, off = 0;
    if (!c->line.is_rounded && (c->line.is_divisible || c->total == 0))
        return 0;
    if (!c->line.is_divisible)
        least = fmax(least - groups, 0);
    if (c->line.is_rounded)
        off = sqrt((double)c->n_rows * (double)c->line.multiple) / 2;
    const double low = fmax(sqrt(least) - off, 0), high = sqrt(most) + off;
    return fmin(1 - low * low / (high * high) + slack, 1);
}

/* ---- from first to last ---------------------------------------------------------------------- */

kan_status kan_univariate_column_make(const kan_partition_space *space, unsigned d,
                                      kan_univariate_column *out) {
    *out = (kan_univariate_column){.space = space, .d = d};
    KAN_TRY(refuse_column(space, d));
    KAN_TRY(kan_univariate_line_make(space, d, &out->line));
    KAN_TRY(order_tuples(out));
    KAN_TRY(order_rows(out));
    const kan_univariate_rows rows = {.run = space->run,
                                      .at = out->at,
                                      .n = out->n_rows,
                                      .k = space->least_size,
                                      .multiple = out->line.multiple};
    KAN_TRY(kan_univariate_solve(&rows, out->last, &out->total));
    turn_round(out);
    return KAN_OK;
}

void kan_univariate_column_destroy(kan_univariate_column *column) {
    kan_run *run = column->space->run;
    kan_free(run, column->line.at);
    kan_free(run, column->tuples);
    kan_free(run, column->at);
    kan_free(run, column->last);
}
