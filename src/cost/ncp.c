/* Normalized certainty penalty: the mean over all cells of the share of the attribute's domain that
 * the released value covers; 1 for a suppressed cell. With weights the mean over attributes is a
 * weighted one. Shares are summed as whole numbers: see group/problem.h. */
#include "cost/cost.h"

static double mean_of(const kan_problem *problem, const kan_u128 *shares, uint64_t n_suppressed,
                      uint64_t n_rows) {
    double lost = 0, weights = 0;
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        kan_u128 cells = shares[a] + (kan_u128)n_suppressed * problem->share_one;
        lost += problem->weights[a] * ((double)cells / (double)problem->share_one / (double)n_rows);
        weights += problem->weights[a];
    }
    return weights > 0 ? lost / weights : 0;
}

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *options, uint64_t k,
                         const kan_problem *problem, void **out) {
    (void)run;
    (void)options;
    (void)k;
    uint64_t parts[KAN_MAX_ATTRIBUTES], worst[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        parts[a] = 1;
        worst[a] = problem->share_one;
    }
    return kan_cell_units_create(arena, problem, mean_of, parts, worst, out);
}

static kan_score measure(const void *state, const kan_groups *groups) {
    const kan_cell_units *units = state;
    kan_u128 shares[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < units->problem->space.n_attributes; a++)
        shares[a] = groups->loss[a].share;
    return kan_cell_units_score(units, shares, groups->n_suppressed, groups->n_rows);
}

/* Every row that is not lost covers at least what it covers here; which rows are lost is not known,
 * so that those are taken away which cover most. */
static kan_score bound(const void *state, const kan_groups *low, uint64_t n_lost) {
    const kan_cell_units *units = state;
    const kan_problem *problem = units->problem;
    kan_u128 shares[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < problem->space.n_attributes; a++) {
        const unsigned level = low->levels[a];
        const kan_u128 taken = (kan_u128)n_lost * problem->share_most[a][level];
        const kan_u128 all = problem->share_sums[a][level];
        shares[a] = all > taken ? all - taken : 0;
    }
    return kan_cell_units_score(units, shares, n_lost, low->n_rows);
}

static double price_shown(double height, double weight, double steps) {
    (void)height;
    return weight * steps;
}

static double price_suppressed(double height, double weight) {
    (void)height;
    return weight;
}

const kan_cell_price kan_price_by_share = {
    .is_by_share = true,
    .shown = price_shown,
    .suppressed = price_suppressed,
};

const kan_cost_kind kan_cost_ncp = {
    .kind = {.name = "ncp",
             .summary = "mean share of the domain that a released value covers",
             .paper = "Xu et al. 2006",
             .is_everyday = true},
    .shape = KAN_SHAPE_CELLS,
    .price = &kan_price_by_share,
    .needs_loss = true,
    .needs_shares = true,
    .uses_weights = true,
    .create = create,
    .grows_with_losses = true,
    .is_by_numbers = true,
    .measure = measure,
    .bound = bound,
    .bound_is_by_levels = true,
};
