/* Distortion ratio: the sum of the heights by which cells were generalized, over the same sum for
 * the fully generalized table; a suppressed row counts as fully generalized (alpha-k.txt 5). */
#include "cost/cost.h"

static kan_score measure(const void *state, const kan_groups *groups) {
    const kan_problem *problem = *(const kan_problem *const *)state;
    double moved = 0, most = 0;
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        double height = problem->space.dimensions[a].height;
        double levels = (double)groups->loss[a].levels + (double)groups->n_suppressed * height;
        moved += problem->weights[a] * levels;
        most += problem->weights[a] * height * (double)groups->n_rows;
    }
    return kan_score_real(most > 0 ? moved / most : 0);
}

const kan_cost_kind kan_cost_distortion = {
    .kind = {"distortion", "heights moved, over those of the fully generalized table", NULL, 0},
    .needs_loss = true,
    .uses_weights = true,
    .create = kan_cost_keep_problem,
    .measure = measure,
};
