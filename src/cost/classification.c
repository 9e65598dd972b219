/* Classification, C_CM: rows that are not of their group's majority class, and every suppressed row
 * (k-optimize.txt 3.3). Needs a class column. */
#include "cost/cost.h"

static uint64_t count_minority(const kan_tally *tally, const kan_groups *groups, size_t g) {
    uint64_t majority = 0;
    for (size_t i = tally->start[g]; i < tally->start[g + 1]; i++)
        majority = tally->count[i] > majority ? tally->count[i] : majority;
    return groups->count[g] - majority;
}

static kan_score measure(const void *state, const kan_groups *groups) {
    const kan_problem *problem = *(const kan_problem *const *)state;
    const kan_tally *tally = &groups->tallies[problem->class_tail];
    kan_u128 penalty = groups->n_suppressed;
    for (size_t g = 0; g < groups->n_groups; g++)
        if (!groups->is_released || groups->is_released[g])
            penalty += count_minority(tally, groups, g);
    return kan_score_whole(penalty);
}

/* A merged group has no fewer rows outside its majority than its parts had; a row that is lost
 * counts one, and is in a group that is suppressed now. */
static kan_score bound(const void *state, const kan_groups *low, uint64_t n_lost) {
    const kan_problem *problem = *(const kan_problem *const *)state;
    const kan_tally *tally = &low->tallies[problem->class_tail];
    kan_u128 of_all = 0, of_released = 0;
    for (size_t g = 0; g < low->n_groups; g++) {
        uint64_t minority = count_minority(tally, low, g);
        of_all += minority;
        if (!low->is_released || low->is_released[g])
            of_released += minority;
    }
    return kan_score_whole(of_all > of_released + n_lost ? of_all : of_released + n_lost);
}

const kan_cost_kind kan_cost_classification = {
    .kind = {.name = "classification",
             .summary = "rows outside the majority class of their group",
             .paper = "Iyengar 2002; Bayardo, Agrawal 2005, 3.3",
             .is_everyday = true},
    .shape = KAN_SHAPE_CLASSES,
    .needs_class = true,
    .is_by_groups = true,
    .create = kan_cost_keep_problem,
    .grows_with_losses = true,
    .measure = measure,
    .bound = bound,
};
