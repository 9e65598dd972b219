/* Average class size, C_AVG: rows per class, in units of k (mondrian-greedy.txt 2.1).
 *
 * The classes are the released groups; all suppressed rows together are one class more, so that
 * leaving rows out is never free. Without suppression it is the paper's. */
#include "cost/cost.h"

/* No rows make no class; they cost nothing. */
static kan_score average_of(uint64_t n_rows, uint64_t n_classes, uint64_t k) {
    return kan_score_real(n_classes > 0 ? (double)n_rows / (double)n_classes / (double)k : 0);
}

static kan_score measure(const void *state, const kan_groups *groups) {
    const uint64_t n_classes = groups->n_released_groups + (groups->n_suppressed > 0);
    return average_of(groups->n_rows, n_classes, *(const uint64_t *)state);
}

/* All nodes have the same rows: the average is least where there are most classes. A group that is
 * released above contains one that is released now, or k or more of the rows that are suppressed
 * now and not lost; and what stays suppressed is one class. Where nothing must be lost, most
 * classes come of one row that is: n rows make at most ceil(n / k) classes in this way. */
static kan_score bound(const void *state, const kan_groups *low, uint64_t n_lost) {
    const uint64_t k = *(const uint64_t *)state;
    const uint64_t least_lost = n_lost > 0 ? n_lost : 1;
    uint64_t n_classes = low->n_released_groups;
    if (low->n_suppressed > 0)
        n_classes += (low->n_suppressed - least_lost) / k + 1;
    return average_of(low->n_rows, n_classes, k);
}

const kan_cost_kind kan_cost_average_class = {
    .kind = {.name = "average-class",
             .summary = "rows per group, divided by k; all suppressed rows count as one group",
             .paper = "LeFevre et al. 2006 (Mondrian)"},
    .shape = KAN_SHAPE_NUMBER,
    .is_by_groups = true,
    .create = kan_cost_keep_k,
    .grows_with_losses = true,
    .is_by_numbers = true,
    .measure = measure,
    .bound = bound,
};
