/* Average class size, C_AVG: released rows per released group, in units of k
 * (mondrian-greedy.txt 2.1). */
#include "cost/cost.h"

#include <math.h>

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *options,
                         const kan_problem *problem, void **state) {
    (void)run;
    (void)problem;
    uint64_t *k;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *k, &k));
    *k = kan_options_count(options, "k", 1);
    *state = k;
    return KAN_OK;
}

static kan_score measure(const void *state, const kan_groups *groups) {
    uint64_t n_released = groups->n_rows - groups->n_suppressed;
    /* No group at all is worse than any. */
    if (groups->n_released_groups == 0)
        return kan_score_real(INFINITY);
    return kan_score_real((double)n_released / (double)groups->n_released_groups /
                          (double)*(const uint64_t *)state);
}

/* Groups merge, and the only new ones are made of rows that are suppressed now, k or more each: the
 * average is least when there are as many of these as there can be, all as small as can be. */
static kan_score bound(const void *state, const kan_groups *low, uint64_t n_lost) {
    const uint64_t k = *(const uint64_t *)state;
    const uint64_t n_new = (low->n_suppressed - n_lost) / k;
    const double rows = (double)(low->n_rows - low->n_suppressed) + (double)n_new * (double)k;
    const double groups = (double)low->n_released_groups + (double)n_new;
    return kan_score_real(groups > 0 ? rows / groups / (double)k : INFINITY);
}

const kan_cost_kind kan_cost_average_class = {
    .kind = {"average-class", "released rows per released group, over k", NULL, 0},
    .create = create,
    .measure = measure,
    .bound = bound,
};
