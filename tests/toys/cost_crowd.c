/* A toy cost by group size: what discernibility is, written down once more. Nothing knows it by
 * name, so that whoever follows it has asked for its shape. */
#include "cost/cost.h"

static kan_score measure(const void *state, const kan_groups *groups) {
    kan_u128 sum = (kan_u128)groups->n_suppressed * groups->n_rows;
    (void)state;
    for (size_t g = 0; g < groups->n_groups; g++)
        if (!groups->is_released || groups->is_released[g])
            sum += (kan_u128)groups->count[g] * groups->count[g];
    return kan_score_whole(sum);
}

const kan_cost_kind kan_cost_crowd = {
    .kind = {.name = "crowd", .summary = "rows of the group of each row"},
    .shape = KAN_SHAPE_SIZES,
    .is_by_groups = true,
    .create = kan_cost_keep_problem,
    .measure = measure,
};
