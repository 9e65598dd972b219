/* A toy cost that only a full-domain release has: its highest level. */
#include "cost/cost.h"

static kan_score measure(const void *state, const kan_groups *groups) {
    const kan_problem *problem = *(const kan_problem *const *)state;
    unsigned most = 0;
    for (unsigned a = 0; a < problem->space.n_attributes; a++)
        most = groups->levels[a] > most ? groups->levels[a] : most;
    return kan_score_whole(most);
}

const kan_cost_kind kan_cost_tallest = {
    .kind = {.name = "tallest", .summary = "the highest level of a column"},
    .needs_levels = true,
    .create = kan_cost_keep_problem,
    .measure = measure,
};
