/* What several recounts need to read their settings. */
#include "analyze/verify/recount_kind.h"

#include "data/decimal.h"

kan_status kan_recount_read_decimal(kan_run *run, const kan_options *options, const char *name,
                                    kan_claim_model *model) {
    const char *text = kan_options_find(options, name);
    unsigned scale = 0;
    kan_wide units = 0;
    bool is_exact = false;
    const kan_slice slice = kan_slice_of(text ? text : "");
    if (!text || !kan_decimal_scale(slice, &scale) ||
        !kan_decimal_floor(slice, scale, &units, &is_exact) || !is_exact || units < 0 ||
        units > INT64_MAX)
        return kan_fail(run, KAN_BAD_INPUT, "--%s: '%s' is not a decimal such as 0.5", name,
                        text ? text : "");
    model->text = text;
    model->numerator = (uint64_t)units;
    model->denominator = 1;
    KAN_ASSERT(scale <= 18);
    for (; scale > 0; scale--)
        model->denominator *= 10;
    return KAN_OK;
}

bool kan_claim_needs_weights(const kan_claim_model *model) {
    return model->kind->uses_weights &&
           !(model->kind->takes_size && (kan_options_find(model->options, "population-size") ||
                                         kan_options_find(model->options, "sampling-fraction")));
}
