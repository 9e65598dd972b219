/* Height: the sum of the levels of a full-domain recoding, weighted when weights are given
 * (incognito.txt 2, 2.1). */
#include "cost/cost.h"

static kan_score measure(const void *state, const kan_groups *groups) {
    const kan_problem *problem = *(const kan_problem *const *)state;
    double weighted = 0;
    kan_u128 plain = 0;
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        plain += groups->levels[a];
        weighted += problem->weights[a] * groups->levels[a];
    }
    return problem->is_weighted ? kan_score_real(weighted) : kan_score_whole(plain);
}

const kan_cost_kind kan_cost_height = {
    .kind = {"height", "sum of the generalization levels", NULL, 0},
    .uses_weights = true,
    .create = kan_cost_keep_problem,
    .measure = measure,
};
