/* Distortion ratio: the sum of the heights by which cells were generalized, over the same sum for
 * the fully generalized table; a suppressed row counts as fully generalized (alpha-k.txt 5). */
#include "cost/cost.h"

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *options,
                         const kan_problem *problem, void **state) {
    (void)run;
    (void)options;
    uint64_t parts[KAN_MAX_ATTRIBUTES], worst[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        parts[a] = 1;
        worst[a] = problem->space.dimensions[a].height;
    }
    return kan_cell_units_create(arena, problem, parts, worst, state);
}

static kan_score measure(const void *state, const kan_groups *groups) {
    const kan_cell_units *units = state;
    const kan_problem *problem = units->problem;
    kan_u128 steps[KAN_MAX_ATTRIBUTES];
    double moved = 0, most = 0;
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        steps[a] = groups->loss[a].levels;
        double height = problem->space.dimensions[a].height;
        double levels = (double)groups->loss[a].levels + (double)groups->n_suppressed * height;
        moved += problem->weights[a] * levels;
        most += problem->weights[a] * height * (double)groups->n_rows;
    }
    return kan_cell_units_score(units, steps, groups->n_suppressed, most > 0 ? moved / most : 0);
}

const kan_cost_kind kan_cost_distortion = {
    .kind = {"distortion", "heights moved, over those of the fully generalized table", NULL, 0},
    .needs_loss = true,
    .uses_weights = true,
    .create = create,
    .measure = measure,
};
