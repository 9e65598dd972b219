/* Precision loss: the mean over all cells of level over height; a suppressed row counts 1 in each
 * cell. With weights the mean over attributes is a weighted one. An attribute whose hierarchy has
 * no height cannot lose precision: its cells count 0. */
#include "cost/cost.h"

static kan_score measure(const void *state, const kan_groups *groups) {
    const kan_problem *problem = *(const kan_problem *const *)state;
    double lost = 0, weights = 0;
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        unsigned height = problem->space.dimensions[a].height;
        double levels = (double)groups->loss[a].levels;
        double cells = (double)groups->n_suppressed + (height ? levels / height : 0);
        lost += problem->weights[a] * (cells / (double)groups->n_rows);
        weights += problem->weights[a];
    }
    return kan_score_real(weights > 0 ? lost / weights : 0);
}

const kan_cost_kind kan_cost_precision = {
    .kind = {"precision", "mean share of its hierarchy that each cell was moved up", NULL, 0},
    .needs_loss = true,
    .uses_weights = true,
    .create = kan_cost_keep_problem,
    .measure = measure,
};
