/* Discernibility, C_DM: the square of every released group's rows, and the whole table for every
 * suppressed row (k-optimize.txt 3.3). Exact: 128 bits hold the square of any number of rows. */
#include "cost/cost.h"

static kan_score measure(const void *state, const kan_groups *groups) {
    (void)state;
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

const kan_cost_kind kan_cost_discernibility = {
    .kind = {"discernibility", "how many rows each row cannot be told from, summed", NULL, 0},
    .create = kan_cost_keep_problem,
    .measure = measure,
};
