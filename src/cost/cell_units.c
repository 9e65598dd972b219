/* Sums over cells as whole numbers.
 *
 * One third and one third of a level are two thirds only before they are rounded. Costs that sum
 * fractions therefore sum a second time, in units of which every fraction is a whole number, and
 * are compared by that sum: what is equal by definition ties, and the fixed order of ties decides.
 */
#include <math.h>

#include "cost/cost.h"

/* The weight in millionths, as people write weights; false when it is finer, or huge. */
static bool weight_units(const kan_problem *problem, unsigned a, uint64_t *out) {
    if (!problem->is_weighted) {
        *out = 1;
        return true;
    }
    double millionths = problem->weights[a] * 1e6, whole = round(millionths);
    if (!(whole >= 0 && whole < 1e15) || fabs(millionths - whole) > 1e-6)
        return false;
    *out = (uint64_t)whole;
    return true;
}

kan_status kan_cell_units_create(kan_arena *arena, const kan_problem *problem, kan_cell_real real,
                                 const uint64_t *parts, const uint64_t *worst, void **out) {
    kan_cell_units *units;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *units, &units));
    units->problem = problem;
    units->real = real;
    units->is_exact = parts != NULL;
    double most = 0; /* of a row */
    for (unsigned a = 0; units->is_exact && a < problem->space.n_attributes; a++) {
        uint64_t weight = 0;
        units->is_exact &= weight_units(problem, a, &weight) &&
                           !__builtin_mul_overflow(parts[a], weight, &units->per_step[a]);
        units->per_suppressed += (kan_u128)worst[a] * weight;
        most += (double)worst[a] * (double)weight;
    }
    units->is_exact &= most * (double)problem->n_rows < 0x1p126;
    *out = units;
    return KAN_OK;
}

kan_status kan_cell_units_create_levels(kan_arena *arena, const kan_problem *problem,
                                        kan_cell_real real, void **out) {
    uint64_t parts[KAN_MAX_ATTRIBUTES], worst[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        parts[a] = 1;
        worst[a] = problem->space.dimensions[a].height;
    }
    return kan_cell_units_create(arena, problem, real, parts, worst, out);
}

kan_score kan_cell_units_score(const kan_cell_units *units, const kan_u128 *steps,
                               uint64_t n_suppressed, uint64_t n_rows) {
    const double real = units->real(units->problem, steps, n_suppressed, n_rows);
    if (!units->is_exact)
        return kan_score_real(real);
    kan_u128 sum = units->per_suppressed * n_suppressed;
    for (unsigned a = 0; a < units->problem->space.n_attributes; a++)
        sum += steps[a] * units->per_step[a];
    return kan_score_units(sum, real);
}

kan_score kan_cell_units_measure_levels(const void *state, const kan_groups *groups) {
    const kan_cell_units *units = state;
    kan_u128 levels[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < units->problem->space.n_attributes; a++)
        levels[a] = groups->loss[a].levels;
    return kan_cell_units_score(units, levels, groups->n_suppressed, groups->n_rows);
}

kan_score kan_cell_units_bound_levels(const void *state, const kan_groups *low, uint64_t n_lost) {
    const kan_cell_units *units = state;
    kan_u128 levels[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < units->problem->space.n_attributes; a++)
        levels[a] = (kan_u128)(low->n_rows - n_lost) * low->levels[a];
    return kan_cell_units_score(units, levels, n_lost, low->n_rows);
}
