/* Distortion ratio: the sum of the heights by which cells were generalized, over the same sum for
 * the fully generalized table; a suppressed row counts as fully generalized (alpha-k.txt 5). */
#include "cost/cost.h"

static double ratio_of(const kan_problem *problem, const kan_u128 *levels, uint64_t n_suppressed,
                       uint64_t n_rows) {
    double moved = 0, most = 0;
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        double height = problem->space.dimensions[a].height;
        double moves = (double)levels[a] + (double)n_suppressed * height;
        moved += problem->weights[a] * moves;
        most += problem->weights[a] * height * (double)n_rows;
    }
    return most > 0 ? moved / most : 0;
}

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *options, uint64_t k,
                         const kan_problem *problem, void **out) {
    (void)run;
    (void)options;
    (void)k;
    return kan_cell_units_create_levels(arena, problem, ratio_of, out);
}

static double price_shown(double height, double weight, double steps) {
    (void)height;
    return weight * steps;
}

static double price_suppressed(double height, double weight) {
    return weight * height;
}

const kan_cell_price kan_price_by_step = {
    .shown = price_shown,
    .suppressed = price_suppressed,
};

const kan_cost_kind kan_cost_distortion = {
    .kind = {.name = "distortion",
             .summary = "how far values were moved up, relative to the fully generalized table",
             .paper = "Wong et al. 2006, 5"},
    .shape = KAN_SHAPE_CELLS,
    .price = &kan_price_by_step,
    .needs_loss = true,
    .uses_weights = true,
    .create = create,
    .grows_with_losses = true,
    .is_by_numbers = true,
    .measure = kan_cell_units_measure_levels,
    .bound = kan_cell_units_bound_levels,
    .bound_is_by_levels = true,
};
