/* alpha-deassociation, recounted: Definitions 4 and 5 of the paper, and its general forms. All
 * products are below 10^18 * 2^47 and fit. O(values of the group). */
#include "analyze/verify/recount_model.h"

/* The most rows of a group that may have the value: the share rounded down, or up where refined. */
static kan_u128 most_rows(const kan_promised_model *model, uint64_t n_rows) {
    const kan_u128 share = (kan_u128)model->numerator * n_rows;
    const uint64_t whole = model->denominator;
    return share / whole + (model->is_refined && share % whole != 0);
}

bool kan_model_alpha(const kan_promised_model *model, const kan_model_values *values,
                     const kan_model_tally *tally, kan_model_recount *so_far) {
    uint64_t most = 0, together = 0;
    for (size_t i = 0; i < tally->n; i++) {
        const uint64_t count = tally->counts[i].count;
        if (values->is_named && !values->is_named[tally->counts[i].place])
            continue;
        together += count;
        most = count > most ? count : most;
    }
    if (model->is_combined)
        most = together;
    if (!so_far->is_reached ||
        kan_model_compare(most, tally->n_rows, so_far->part, so_far->whole) > 0) {
        so_far->is_reached = true;
        so_far->part = most;
        so_far->whole = tally->n_rows;
        so_far->reached = (double)most / (double)tally->n_rows;
        so_far->column = tally->column;
    }
    return most <= most_rows(model, tally->n_rows);
}
