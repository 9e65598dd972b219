/* univariate: optimal microaggregation of one column (Hansen and Mukherjee 2003;
 * docs/papers/univariate.md). Rows in the order of their values are cut into groups of k to 2k - 1,
 * so that no other groups of k or more have a smaller sum of squares: proven, exactly or but for a
 * share that is told. With --per-column several columns, each by itself (univariate_each.c).
 *
 * Groups that break another promise are joined as mdav joins them, and nothing is proven then.
 * Time: rows times k. Memory: 12 bytes for each row. */
#include <string.h>

#include "search/microaggregate/micro_answer.h"
#include "search/microaggregate/microaggregate.h"
#include "search/microaggregate/univariate_inside.h"

static kan_status check_space(const kan_partition_space *space) {
    if (space->n_dimensions == 1)
        return KAN_OK;
    return kan_fail(space->run, KAN_BAD_INPUT,
                    "--algorithm univariate groups rows by one column, and there are %u "
                    "quasi-identifiers; use --algorithm mdav, or --per-column, which promises k "
                    "rows for each value of each column and nothing for rows as a whole",
                    space->n_dimensions);
}

static kan_status make_groups(const kan_univariate_column *column, kan_mdav_groups *groups) {
    const kan_partition_space *space = column->space;
    size_t i = 0, row = 0;
    uint64_t used = 0; /* rows of the tuple that are in a group already */
    while (row < column->n_rows) {
        uint64_t left = column->at[row];
        size_t g;
        row += (size_t)left;
        KAN_TRY(kan_mdav_groups_add(groups, &g));
        while (left > 0) {
            const uint64_t rows =
                kan_partition_rows(kan_partition_record(space, column->tuples[i])) - used;
            const uint64_t taken = rows < left ? rows : left;
            KAN_TRY(kan_mdav_group_add(groups, g, column->tuples[i], taken));
            left -= taken;
            used = taken < rows ? used + taken : 0;
            i += taken == rows;
        }
    }
    return KAN_OK;
}

/* Only where the size of groups decides, and rows are what is counted, do the groups stay. */
static bool is_base_case(const kan_partition_space *space) {
    return space->question->promise->size_decides && !space->owners.problem;
}

static kan_status keep_promise(kan_partition_space *space, kan_mdav_groups *groups) {
    kan_mdav_scale scale;
    kan_status status = kan_mdav_scale_make(space, &scale);
    if (status == KAN_OK)
        status = kan_mdav_groups_keep_promise(groups, &scale);
    kan_mdav_scale_destroy(&scale);
    return status;
}

static kan_status aggregate(kan_partition_space *space, kan_mdav_groups *groups, kan_answer *out) {
    kan_univariate_column column;
    kan_status status = kan_univariate_column_make(space, 0, &column);
    if (status == KAN_OK)
        status = make_groups(&column, groups);
    out->has_squares = status == KAN_OK && is_base_case(space);
    out->squares_gap = out->has_squares ? kan_univariate_gap(&column) : 0;
    kan_univariate_column_destroy(&column);
    KAN_TRY(status);
    KAN_TRY(keep_promise(space, groups));
    return kan_micro_answer(space, groups, out);
}

static kan_status search_space(kan_partition_space *space, kan_answer *out) {
    const bool is_each = kan_options_switch(space->question->options, "per-column");
    kan_mdav_groups groups = {.run = space->run};
    bool holds;
    if (!is_each)
        KAN_TRY(check_space(space));
    KAN_TRY(kan_micro_adapt(space, kan_search_univariate.kind.name));
    KAN_TRY(kan_micro_whole_holds(space, &holds));
    if (!holds)
        return KAN_OK;
    if (is_each)
        return kan_univariate_each(space, out);
    const kan_status status = aggregate(space, &groups, out);
    kan_mdav_groups_destroy(&groups);
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
                        "squares, proven; with --per-column each column by itself, which promises "
                        "nothing for rows as a whole",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Hansen, Mukherjee 2003"},
    .models = {&kan_model_microaggregation},
    .costs = &kan_partition_costs,
    .regions = true,
    .counts_people = true,
    .divides = true,
    .one_column = true,
    .ignores_weights = true,
    .search = search,
};
