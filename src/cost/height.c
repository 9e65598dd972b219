/* Height: the sum of the levels of a full-domain recoding, weighted when weights are given
 * (incognito.txt 2, 2.1). */
#include "cost/cost.h"

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *options,
                         const kan_problem *problem, void **out) {
    (void)run;
    (void)options;
    uint64_t parts[KAN_MAX_ATTRIBUTES], worst[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        parts[a] = 1;
        worst[a] = problem->space.dimensions[a].height;
    }
    return kan_cell_units_create(arena, problem, parts, worst, out);
}

static kan_score measure(const void *state, const kan_groups *groups) {
    const kan_cell_units *units = state;
    const kan_problem *problem = units->problem;
    kan_u128 steps[KAN_MAX_ATTRIBUTES];
    double weighted = 0;
    kan_u128 plain = 0;
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        steps[a] = groups->levels[a];
        plain += groups->levels[a];
        weighted += problem->weights[a] * groups->levels[a];
    }
    return problem->is_weighted ? kan_cell_units_score(units, steps, 0, weighted)
                                : kan_score_whole(plain);
}

/* Levels only rise. */
static kan_score bound(const void *state, const kan_groups *low, uint64_t n_lost) {
    (void)n_lost;
    return measure(state, low);
}

const kan_cost_kind kan_cost_height = {
    .kind = {"height", "sum of the generalization levels", NULL, 0},
    .uses_weights = true,
    .needs_levels = true,
    .create = create,
    .measure = measure,
    .bound = bound,
    .bound_is_by_levels = true,
};
