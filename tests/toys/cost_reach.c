/* A toy cost per cell: each level that a cell is moved counts as many as its hierarchy has. */
#include "cost/cost.h"

static double share_of(const kan_problem *problem, const kan_u128 *levels, uint64_t n_suppressed,
                       uint64_t n_rows) {
    double lost = 0, most = 0;
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        const double height = problem->space.dimensions[a].height;
        lost += problem->weights[a] * height * ((double)levels[a] + (double)n_suppressed * height);
        most += problem->weights[a] * height * height * (double)n_rows;
    }
    return most > 0 ? lost / most : 0;
}

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *options, uint64_t k,
                         const kan_problem *problem, void **out) {
    uint64_t parts[KAN_MAX_ATTRIBUTES], worst[KAN_MAX_ATTRIBUTES];
    (void)run;
    (void)options;
    (void)k;
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        parts[a] = problem->space.dimensions[a].height;
        worst[a] = parts[a] * parts[a];
    }
    return kan_cell_units_create(arena, problem, share_of, parts, worst, out);
}

static double price_shown(double height, double weight, double steps) {
    return weight * height * steps;
}

static double price_suppressed(double height, double weight) {
    return weight * height * height;
}

static const kan_cell_price price = {.shown = price_shown, .suppressed = price_suppressed};

const kan_cost_kind kan_cost_reach = {
    .kind = {.name = "reach", .summary = "levels moved, each as many as its hierarchy has"},
    .shape = KAN_SHAPE_CELLS,
    .price = &price,
    .needs_loss = true,
    .uses_weights = true,
    .create = create,
    .measure = kan_cell_units_measure_levels,
    .bound = kan_cell_units_bound_levels,
    .bound_is_by_levels = true,
};
