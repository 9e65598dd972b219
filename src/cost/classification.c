/* Classification, C_CM: rows that are not of their group's majority class, and every suppressed row
 * (k-optimize.txt 3.3). Needs a class column. */
#include "cost/cost.h"

static kan_score measure(const void *state, const kan_groups *groups) {
    const kan_problem *problem = *(const kan_problem *const *)state;
    const kan_tally *tally = &groups->tallies[problem->class_tail];
    kan_u128 penalty = groups->n_suppressed;
    for (size_t g = 0; g < groups->n_groups; g++) {
        if (groups->is_released && !groups->is_released[g])
            continue;
        uint64_t majority = 0;
        for (size_t i = tally->start[g]; i < tally->start[g + 1]; i++)
            majority = tally->count[i] > majority ? tally->count[i] : majority;
        penalty += groups->count[g] - majority;
    }
    return kan_score_whole(penalty);
}

const kan_cost_kind kan_cost_classification = {
    .kind = {"classification", "rows outside the majority class of their group", NULL, 0},
    .needs_class = true,
    .create = kan_cost_keep_problem,
    .measure = measure,
};
