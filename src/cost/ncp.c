/* Normalized certainty penalty: the mean over all cells of the share of the attribute's domain that
 * the released value covers; 1 for a suppressed cell. With weights the mean over attributes is a
 * weighted one. Shares are summed as whole numbers: see group/problem.h. */
#include "cost/cost.h"

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *options,
                         const kan_problem *problem, void **state) {
    (void)run;
    (void)options;
    uint64_t parts[KAN_MAX_ATTRIBUTES], worst[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        parts[a] = 1;
        worst[a] = problem->share_one;
    }
    return kan_cell_units_create(arena, problem, parts, worst, state);
}

static kan_score measure(const void *state, const kan_groups *groups) {
    const kan_cell_units *units = state;
    const kan_problem *problem = units->problem;
    kan_u128 steps[KAN_MAX_ATTRIBUTES];
    double lost = 0, weights = 0;
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        steps[a] = groups->loss[a].share;
        kan_u128 cells =
            groups->loss[a].share + (kan_u128)groups->n_suppressed * problem->share_one;
        lost += problem->weights[a] *
                ((double)cells / (double)problem->share_one / (double)groups->n_rows);
        weights += problem->weights[a];
    }
    return kan_cell_units_score(units, steps, groups->n_suppressed,
                                weights > 0 ? lost / weights : 0);
}

const kan_cost_kind kan_cost_ncp = {
    .kind = {"ncp", "mean share of the domain that a released value covers", NULL, 0},
    .needs_loss = true,
    .uses_weights = true,
    .create = create,
    .measure = measure,
};
