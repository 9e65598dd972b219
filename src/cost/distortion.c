/* Distortion ratio: the sum of the heights by which cells were generalized, over the same sum for
 * the fully generalized table; a suppressed row counts as fully generalized (alpha-k.txt 5). */
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

/* Of released rows whose levels sum to levels[a] in each attribute, and suppressed ones. */
static kan_score score_of(const void *state, const kan_u128 *levels, uint64_t n_suppressed,
                          uint64_t n_rows) {
    const kan_cell_units *units = state;
    const kan_problem *problem = units->problem;
    double moved = 0, most = 0;
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        double height = problem->space.dimensions[a].height;
        double moves = (double)levels[a] + (double)n_suppressed * height;
        moved += problem->weights[a] * moves;
        most += problem->weights[a] * height * (double)n_rows;
    }
    return kan_cell_units_score(units, levels, n_suppressed, most > 0 ? moved / most : 0);
}

static kan_score measure(const void *state, const kan_groups *groups) {
    kan_u128 levels[KAN_MAX_ATTRIBUTES];
    kan_cell_units_levels(state, groups, levels);
    return score_of(state, levels, groups->n_suppressed, groups->n_rows);
}

static kan_score bound(const void *state, const kan_groups *low, uint64_t n_lost) {
    kan_u128 levels[KAN_MAX_ATTRIBUTES];
    kan_cell_units_least_levels(state, low, n_lost, levels);
    return score_of(state, levels, n_lost, low->n_rows);
}

const kan_cost_kind kan_cost_distortion = {
    .kind = {"distortion", "heights moved, over those of the fully generalized table", NULL, 0},
    .needs_loss = true,
    .uses_weights = true,
    .create = create,
    .measure = measure,
    .bound = bound,
    .bound_is_by_levels = true,
};
