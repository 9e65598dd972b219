/* l-diversity, recounted: distinct, entropy, recursive. O(values of the group), for the recursive
 * kind with a sort of their counts. */
#include <math.h>
#include <stdlib.h>

#include "analyze/verify/recount_model.h"

/* Two ways to sum the same logarithms differ by far less than this; what a search has accepted at
 * the very edge of the tolerance is not refused here by rounding. */
#define ROUNDING 1e-12

static void take_least(uint64_t l, double reached, const kan_model_tally *tally,
                       kan_model_recount *so_far) {
    if (so_far->is_reached && reached >= so_far->reached)
        return;
    so_far->is_reached = true;
    so_far->l = l;
    so_far->reached = reached;
    so_far->column = tally->column;
}

static double entropy_of(const kan_model_tally *tally) {
    double sum = 0;
    for (size_t i = 0; i < tally->n; i++) {
        const double share = (double)tally->counts[i].count / (double)tally->n_rows;
        sum -= share * log(share);
    }
    return sum;
}

static bool check_entropy(const kan_promised_model *model, const kan_model_tally *tally,
                          kan_model_recount *so_far) {
    const double l = (double)model->numerator / (double)model->denominator;
    const bool has_values = (kan_u128)tally->n * model->denominator >= model->numerator;
    const double entropy = entropy_of(tally);
    double reached = exp(entropy);
    /* Equal shares are told as the whole number that they mean. */
    if (fabs(reached - rint(reached)) < KAN_ENTROPY_TOLERANCE * reached)
        reached = rint(reached);
    take_least((uint64_t)reached, reached, tally, so_far);
    return has_values && entropy >= log(l) - KAN_ENTROPY_TOLERANCE - ROUNDING;
}

static int compare_falling(const void *a, const void *b) {
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left < right) - (left > right);
}

/* The greatest l for which r_1 < c (r_l + ... + r_m); 0: there is none. The sum only grows as l
 * falls, so that every smaller l holds as well. */
static uint64_t greatest_recursive(const kan_promised_model *model, const kan_model_tally *tally) {
    uint64_t *r = tally->room, sum = 0;
    for (size_t i = 0; i < tally->n; i++)
        r[i] = tally->counts[i].count;
    qsort(r, tally->n, sizeof *r, compare_falling);
    const kan_u128 first = (kan_u128)r[0] * model->denominator;
    for (size_t l = tally->n; l > 0; l--) {
        sum += r[l - 1];
        if (first < (kan_u128)model->numerator * sum)
            return l;
    }
    return 0;
}

bool kan_model_diversity(const kan_promised_model *model, const kan_model_tally *tally,
                         kan_model_recount *so_far) {
    if (model->kind == KAN_PROMISED_ENTROPY)
        return check_entropy(model, tally, so_far);
    const uint64_t l = model->kind == KAN_PROMISED_RECURSIVE ? greatest_recursive(model, tally)
                                                             : (uint64_t)tally->n;
    take_least(l, (double)l, tally, so_far);
    return l >= model->l;
}
