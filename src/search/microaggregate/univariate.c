/* univariate: optimal microaggregation of one column (Hansen and Mukherjee 2003;
 * docs/papers/univariate.md). Rows in the order of their values are cut into groups of k to 2k - 1,
 * so that no other groups of k or more have a smaller sum of squares: proven, exactly or but for a
 * share that is told.
 *
 * Groups that break another promise are joined as mdav joins them, and nothing is proven then.
 * Time: rows times k. Memory: 12 bytes for each row. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/microaggregate/micro_answer.h"
#include "search/microaggregate/microaggregate.h"
#include "search/microaggregate/univariate_inside.h"

typedef struct {
    kan_partition_space *space;
    kan_univariate_line line;
    uint32_t *tuples; /* in the order of their places */
    uint64_t *at;     /* by row, in that order */
    uint32_t *last;   /* by row: of the best groups up to it, the rows of the last one */
    size_t n_rows;
    kan_u128 total;
    kan_mdav_groups groups;
} aggregating;

static kan_status check_space(const kan_partition_space *space) {
    const kan_partition_dimension *first = &space->dimensions[0];
    const char *name = space->n_dimensions > 0 ? first->domain->column->name : "";
    if (space->n_dimensions != 1)
        return kan_fail(space->run, KAN_BAD_INPUT,
                        "--algorithm univariate groups rows by one column, and there are %u "
                        "quasi-identifiers; use --algorithm mdav",
                        space->n_dimensions);
    if (first->domain->has_bins)
        return kan_fail(space->run, KAN_BAD_INPUT,
                        "--bins: --algorithm univariate takes the numbers of '%s' themselves; "
                        "leave --bins out, or use --algorithm mdav",
                        name);
    if (first->cutting != KAN_PARTITION_VALUES)
        return kan_fail(space->run, KAN_BAD_INPUT,
                        "--algorithm univariate: column '%s' is text, and only numbers and dates "
                        "stand on a line; use --algorithm mondrian without --recoding "
                        "microaggregation",
                        name);
    return KAN_OK;
}

/* ---- rows in order --------------------------------------------------------------------------- */

static uint32_t place_of(const kan_partition_space *space, size_t tuple) {
    return kan_partition_lane(kan_partition_record(space, tuple), space->is_wide, 0);
}

/* Tuples by place; those of one place keep their order. */
static kan_status order_tuples(aggregating *w) {
    const kan_partition_space *space = w->space;
    size_t *next;
    KAN_TRY(kan_alloc(space->run, space->n_records, sizeof *w->tuples, &w->tuples));
    KAN_TRY(
        kan_alloc_zero(space->run, (size_t)space->dimensions[0].n_places + 1, sizeof *next, &next));
    for (size_t t = 0; t < space->n_records; t++)
        next[place_of(space, t) + 1]++;
    for (uint32_t p = 0; p < space->dimensions[0].n_places; p++)
        next[p + 1] += next[p];
    for (size_t t = 0; t < space->n_records; t++)
        w->tuples[next[place_of(space, t)]++] = (uint32_t)t;
    kan_free(space->run, next);
    return KAN_OK;
}

static kan_status order_rows(aggregating *w) {
    const kan_partition_space *space = w->space;
    size_t row = 0;
    for (size_t t = 0; t < space->n_records; t++)
        w->n_rows += kan_partition_rows(kan_partition_record(space, t));
    KAN_TRY(kan_alloc(space->run, w->n_rows, sizeof *w->at, &w->at));
    KAN_TRY(kan_alloc(space->run, w->n_rows + 1, sizeof *w->last, &w->last));
    for (size_t i = 0; i < space->n_records; i++) {
        const uint32_t n = kan_partition_rows(kan_partition_record(space, w->tuples[i]));
        for (uint32_t r = 0; r < n; r++)
            w->at[row++] = w->line.at[place_of(space, w->tuples[i])];
    }
    return KAN_OK;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* From the last group back to the first, which says of each where it begins: at[i] is then how many
 * rows the group has whose first row is i. */
static void turn_round(aggregating *w) {
    for (size_t end = w->n_rows; end > 0;) {
        const uint32_t size = w->last[end];
        end -= size;
        w->at[end] = size;
    }
}

static kan_status make_groups(aggregating *w) {
    const kan_partition_space *space = w->space;
    size_t i = 0, row = 0;
    uint64_t used = 0; /* rows of the tuple that are in a group already */
    turn_round(w);
    while (row < w->n_rows) {
        uint64_t left = w->at[row];
        size_t g;
        row += (size_t)left;
        KAN_TRY(kan_mdav_groups_add(&w->groups, &g));
        while (left > 0) {
            const uint64_t rows =
                kan_partition_rows(kan_partition_record(space, w->tuples[i])) - used;
            const uint64_t taken = rows < left ? rows : left;
            KAN_TRY(kan_mdav_group_add(&w->groups, g, w->tuples[i], taken));
            left -= taken;
            used = taken < rows ? used + taken : 0;
            i += taken == rows;
        }
    }
    return KAN_OK;
}

/* ---- the proof ------------------------------------------------------------------------------- */

/* By which share of its sum of squares other groups could be better, at most. Each group is rounded
 * up by less than 1. Steps that were rounded down are off by half a step to either side, apart from
 * what all are off alike: the root of the sum is a length, which moves by the length of that. */
static double gap_of(const aggregating *w) {
    const double slack = 1e-12; /* more than floating point adds here */
    const uint64_t most_groups = w->n_rows / w->space->least_size;
    const double groups = (double)most_groups;
    double least = (double)w->total, most = (double)w->total, off = 0;
    if (!w->line.is_rounded && (w->line.is_divisible || w->total == 0))
        return 0;
    if (!w->line.is_divisible)
        least = fmax(least - groups, 0);
    if (w->line.is_rounded)
        off = sqrt((double)w->n_rows * (double)w->line.multiple) / 2;
    const double low = fmax(sqrt(least) - off, 0), high = sqrt(most) + off;
    return fmin(1 - low * low / (high * high) + slack, 1);
}

/* Only where the size of groups decides, and rows are what is counted, do the groups stay. */
static bool is_base_case(const kan_partition_space *space) {
    return space->question->promise->size_decides && !space->owners.problem;
}

/* ---- the search ------------------------------------------------------------------------------ */

static kan_status keep_promise(aggregating *w) {
    kan_mdav_scale scale;
    kan_status status = kan_mdav_scale_make(w->space, &scale);
    if (status == KAN_OK)
        status = kan_mdav_groups_keep_promise(&w->groups, &scale);
    kan_mdav_scale_destroy(&scale);
    return status;
}

static kan_status aggregate(aggregating *w, kan_answer *out) {
    KAN_TRY(kan_univariate_line_make(w->space, &w->line));
    KAN_TRY(order_tuples(w));
    KAN_TRY(order_rows(w));
    const kan_univariate_rows rows = {.run = w->space->run,
                                      .at = w->at,
                                      .n = w->n_rows,
                                      .k = w->space->least_size,
                                      .multiple = w->line.multiple};
    KAN_TRY(kan_univariate_solve(&rows, w->last, &w->total));
    KAN_TRY(make_groups(w));
    out->has_squares = is_base_case(w->space);
    out->squares_gap = out->has_squares ? gap_of(w) : 0;
    KAN_TRY(keep_promise(w));
    return kan_micro_answer(w->space, &w->groups, out);
}

static kan_status search_space(kan_partition_space *space, kan_answer *out) {
    kan_run *run = space->run;
    aggregating w = {.space = space, .groups = {.run = run}};
    kan_status status;
    bool holds;
    KAN_TRY(check_space(space));
    KAN_TRY(kan_micro_adapt(space, kan_search_univariate.kind.name));
    KAN_TRY(kan_micro_whole_holds(space, &holds));
    if (!holds)
        return KAN_OK;
    status = aggregate(&w, out);
    kan_mdav_groups_destroy(&w.groups);
    kan_free(run, w.line.at);
    kan_free(run, w.tuples);
    kan_free(run, w.at);
    kan_free(run, w.last);
    return status;
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    kan_partition_space space;
    memset(out, 0, sizeof *out);
    kan_status status = kan_partition_space_make(run, question, true, &space);
    if (status == KAN_OK)
        status = search_space(&space, out);
    kan_partition_space_destroy(&space);
    return status;
}

static const kan_option_spec options[] = {KAN_PARTITION_SUMMARY_OPTION};

const kan_search_kind kan_search_univariate = {
    .kind = {.name = "univariate",
             .summary = "groups the rows of one column of numbers or dates with the least sum of "
                        "squares, proven",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Hansen, Mukherjee 2003"},
    .models = {&kan_model_microaggregation},
    .costs = &kan_partition_costs,
    .regions = true,
    .counts_people = true,
    .divides = true,
    .one_column = true,
    .search = search,
};
