/* Precision loss: the mean over all cells of level over height; a suppressed row counts 1 in each
 * cell. With weights the mean over attributes is a weighted one. An attribute whose hierarchy has
 * no height cannot lose precision: its cells count 0. */
#include "cost/cost.h"

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* A cell lost altogether is `whole` units, the least number that every height divides. */
static kan_status create(kan_run *run, kan_arena *arena, const kan_options *options,
                         const kan_problem *problem, void **out) {
    (void)run;
    (void)options;
    uint64_t whole = 1, parts[KAN_MAX_ATTRIBUTES], worst[KAN_MAX_ATTRIBUTES];
    const kan_space *space = &problem->space;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        unsigned height = space->dimensions[a].height;
        if (height > 0 &&
            __builtin_mul_overflow(whole, height / common_divisor(whole, height), &whole))
            return kan_cell_units_create(arena, problem, NULL, NULL, out); /* out of reach */
    }
    for (unsigned a = 0; a < space->n_attributes; a++) {
        unsigned height = space->dimensions[a].height;
        parts[a] = height ? whole / height : 0;
        worst[a] = whole;
    }
    return kan_cell_units_create(arena, problem, parts, worst, out);
}

/* Of released rows whose levels sum to levels[a] in each attribute, and suppressed ones. */
static kan_score score_of(const void *state, const kan_u128 *levels, uint64_t n_suppressed,
                          uint64_t n_rows) {
    const kan_cell_units *units = state;
    const kan_problem *problem = units->problem;
    double lost = 0, weights = 0;
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        unsigned height = problem->space.dimensions[a].height;
        double cells = (double)n_suppressed + (height ? (double)levels[a] / height : 0);
        lost += problem->weights[a] * (cells / (double)n_rows);
        weights += problem->weights[a];
    }
    return kan_cell_units_score(units, levels, n_suppressed, weights > 0 ? lost / weights : 0);
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

const kan_cost_kind kan_cost_precision = {
    .kind = {"precision", "mean share of its hierarchy that each cell was moved up", NULL, 0},
    .needs_loss = true,
    .uses_weights = true,
    .create = create,
    .measure = measure,
    .bound = bound,
    .bound_is_by_levels = true,
};
