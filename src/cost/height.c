/* Height: the sum of the levels of a full-domain recoding, weighted when weights are given
 * (incognito.txt 2, 2.1). */
#include "cost/cost.h"

static double weighted_sum(const kan_problem *problem, const kan_u128 *levels,
                           uint64_t n_suppressed, uint64_t n_rows) {
    (void)n_suppressed;
    (void)n_rows;
    double sum = 0;
    for (unsigned a = 0; a < problem->space.n_attributes; a++)
        sum += problem->weights[a] * (double)levels[a];
    return sum;
}

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *options, uint64_t k,
                         const kan_problem *problem, void **out) {
    (void)run;
    (void)options;
    (void)k;
    return kan_cell_units_create_levels(arena, problem, weighted_sum, out);
}

static kan_score measure(const void *state, const kan_groups *groups) {
    const kan_cell_units *units = state;
    const kan_problem *problem = units->problem;
    kan_u128 levels[KAN_MAX_ATTRIBUTES], plain = 0;
    for (unsigned a = 0; a < problem->space.n_attributes; a++)
        plain += levels[a] = groups->levels[a];
    return problem->is_weighted ? kan_cell_units_score(units, levels, 0, groups->n_rows)
                                : kan_score_whole(plain);
}

/* Levels only rise. */
static kan_score bound(const void *state, const kan_groups *low, uint64_t n_lost) {
    (void)n_lost;
    return measure(state, low);
}

const kan_cost_kind kan_cost_height = {
    .kind = {.name = "height",
             .summary = "sum of the generalization levels",
             .paper = "Samarati 2001; Incognito 2"},
    .shape = KAN_SHAPE_LEVELS,
    .uses_weights = true,
    .needs_levels = true,
    .create = create,
    .grows_with_losses = true,
    .is_by_numbers = true,
    .measure = measure,
    .bound = bound,
    .bound_is_by_levels = true,
};
