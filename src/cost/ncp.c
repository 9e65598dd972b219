/* Normalized certainty penalty: the mean over all cells of the share of the attribute's domain that
 * the released value covers; 1 for a suppressed cell. With weights the mean over attributes is a
 * weighted one. Shares are summed as whole numbers: see group/view.h. */
#include "cost/cost.h"

static kan_score measure(const void *state, const kan_groups *groups) {
    const kan_problem *problem = *(const kan_problem *const *)state;
    double lost = 0, weights = 0;
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        kan_u128 cells = groups->loss[a].share + (kan_u128)groups->n_suppressed * KAN_SHARE_ONE;
        lost +=
            problem->weights[a] * ((double)cells / (double)KAN_SHARE_ONE / (double)groups->n_rows);
        weights += problem->weights[a];
    }
    return kan_score_real(weights > 0 ? lost / weights : 0);
}

const kan_cost_kind kan_cost_ncp = {
    .kind = {"ncp", "mean share of the domain that a released value covers", NULL, 0},
    .needs_loss = true,
    .uses_weights = true,
    .create = kan_cost_keep_problem,
    .measure = measure,
};
