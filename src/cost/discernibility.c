/* Discernibility, C_DM: the square of every released group's rows, and the whole table for every
 * suppressed row (k-optimize.txt 3.3). Exact: 128 bits hold the square of any number of rows. */
#include "cost/cost.h"

static kan_score measure(const void *state, const kan_groups *groups) {
    (void)state;
    if (!groups->count)
        return kan_score_whole(groups->squares + (kan_u128)groups->n_suppressed * groups->n_rows);
    /* The square of up to 2^32 rows fits 64 bits, so a block of sums cannot overflow when the whole
     * table has no more rows than that: sum of squares <= square of sum. */
    if (groups->n_rows <= UINT32_MAX) {
        uint64_t sum = 0;
        if (groups->is_released)
            for (size_t g = 0; g < groups->n_groups; g++)
                sum += groups->is_released[g] ? groups->count[g] * groups->count[g] : 0;
        else
            for (size_t g = 0; g < groups->n_groups; g++)
                sum += groups->count[g] * groups->count[g];
        return kan_score_whole((kan_u128)sum + (kan_u128)groups->n_suppressed * groups->n_rows);
    }
    kan_u128 sum = (kan_u128)groups->n_suppressed * groups->n_rows;
    for (size_t g = 0; g < groups->n_groups; g++)
        if (!groups->is_released || groups->is_released[g])
            sum += (kan_u128)groups->count[g] * groups->count[g];
    return kan_score_whole(sum);
}

/* A row's group only grows, and has k rows when it is released; a row that is lost costs the whole
 * table, which may be less than k. Lost rows are in groups of fewer than k, and have been counted
 * with k each; or in groups of fewer than are spared, and have been counted with fewer than these. */
static kan_score bound(const void *state, const kan_groups *low, uint64_t n_lost) {
    const uint64_t wanted = *(const uint64_t *)state;
    const uint64_t k = wanted < low->n_rows ? wanted : low->n_rows;
    const uint64_t counted = low->spared_size > k ? low->spared_size - 1 : k;
    const kan_u128 lost = (kan_u128)n_lost * (counted < low->n_rows ? low->n_rows - counted : 0);
    if (!low->count) /* what is not released has fewer than k */
        return kan_score_whole(low->squares + (kan_u128)low->n_suppressed * k + lost);
    if (low->n_rows <= UINT32_MAX) {
        uint64_t sum = 0;
        for (size_t g = 0; g < low->n_groups; g++)
            sum += low->count[g] * (low->count[g] < k ? k : low->count[g]);
        return kan_score_whole(sum + lost);
    }
    kan_u128 sum = lost;
    for (size_t g = 0; g < low->n_groups; g++)
        sum += (kan_u128)low->count[g] * (low->count[g] < k ? k : low->count[g]);
    return kan_score_whole(sum);
}

const kan_cost_kind kan_cost_discernibility = {
    .kind = {.name = "discernibility",
             .summary = "for each row, how many rows it cannot be told apart from, summed up",
             .paper = "Bayardo, Agrawal 2005 (K-Optimize), 3.3",
             .is_everyday = true},
    .shape = KAN_SHAPE_SIZES,
    .is_by_groups = true,
    .create = kan_cost_keep_k,
    .grows_with_losses = true,
    .is_by_numbers = true,
    .measure = measure,
    .bound = bound,
    .bound_adds_up = true,
};
