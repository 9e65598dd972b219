/* Precision loss: the mean over all cells of level over height; a suppressed row counts 1 in each
 * cell. With weights the mean over attributes is a weighted one. An attribute whose hierarchy has
 * no height cannot lose precision: its cells count 0. */
#include "core/number.h"
#include "cost/cost.h"

static double mean_of(const kan_problem *problem, const kan_u128 *levels, uint64_t n_suppressed,
                      uint64_t n_rows) {
    double lost = 0, weights = 0;
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        unsigned height = problem->space.dimensions[a].height;
        double cells = (double)n_suppressed + (height ? (double)levels[a] / height : 0);
        lost += problem->weights[a] * (cells / (double)n_rows);
        weights += problem->weights[a];
    }
    return weights > 0 ? lost / weights : 0;
}

/* A cell lost altogether is `whole` units, the least number that every height divides. */
static kan_status create(kan_run *run, kan_arena *arena, const kan_options *options, uint64_t k,
                         const kan_problem *problem, void **out) {
    (void)run;
    (void)options;
    (void)k;
    uint64_t whole = 1, parts[KAN_MAX_ATTRIBUTES], worst[KAN_MAX_ATTRIBUTES];
    const kan_space *space = &problem->space;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        unsigned height = space->dimensions[a].height;
        if (height > 0 &&
            __builtin_mul_overflow(whole, height / kan_common_divisor(whole, height), &whole))
            return kan_cell_units_create(arena, problem, mean_of, NULL, NULL, out); /* too large */
    }
    for (unsigned a = 0; a < space->n_attributes; a++) {
        unsigned height = space->dimensions[a].height;
        parts[a] = height ? whole / height : 0;
        worst[a] = whole;
    }
    return kan_cell_units_create(arena, problem, mean_of, parts, worst, out);
}

static double price_shown(double height, double weight, double steps) {
    return height > 0 ? weight * steps / height : 0;
}

static double price_suppressed(double height, double weight) {
    (void)height;
    return weight;
}

const kan_cell_price kan_price_by_level = {
    .shown = price_shown,
    .suppressed = price_suppressed,
};

const kan_cost_kind kan_cost_precision = {
    .kind = {.name = "precision",
             .summary = "mean share of its hierarchy that each cell was moved up",
             .paper = "Sweeney 2002",
             .is_everyday = true},
    .shape = KAN_SHAPE_CELLS,
    .price = &kan_price_by_level,
    .needs_loss = true,
    .uses_weights = true,
    .create = create,
    .grows_with_losses = true,
    .is_by_numbers = true,
    .measure = kan_cell_units_measure_levels,
    .bound = kan_cell_units_bound_levels,
    .bound_is_by_levels = true,
};
