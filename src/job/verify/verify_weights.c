/* What the rows of a release stand for (--sampling-weight), where a model asks.
 *
 * A release that has the column says it itself. Else the original does, where it can be told which row of
 * it each row of the release is; where it cannot, a row might have any of several weights, and nothing is
 * verified. */
#include <string.h>

#include "analyze/models/models.h"
#include "job/input/input.h"
#include "job/verify/verify_inside.h"

static bool needs_weights(const kan_options *options) {
    for (size_t i = 0; i < kan_recount_count(); i++) {
        const kan_recount_kind *kind = kan_recount_at(i);
        const kan_claim_model model = {.kind = kind, .options = options};
        if (kind->uses_weights && kan_options_find(options, kind->name) &&
            kan_claim_needs_weights(&model))
            return true;
    }
    return false;
}

/* Whether the release says it. Calibrated weights are not what its rows stand for: they would make risks
 * smaller. */
static bool is_said(const kan_verification *v, const kan_role_column *weight) {
    return (v->n_strata == 0 || v->is_unchanged) && weight->at[KAN_VERIFY_RELEASE] != KAN_NO_COLUMN;
}

kan_status kan_verify_find_weight(kan_verification *v) {
    const kan_role_column *weight = kan_roles_only(&v->roles, KAN_ROLE_WEIGHT);
    char quoted[256];
    v->needs_weights = weight && needs_weights(&v->job->options);
    if (!v->needs_weights || is_said(v, weight))
        return KAN_OK;
    kan_quote(weight->name, quoted);
    if (!v->has_original)
        return kan_fail(v->run, KAN_BAD_INPUT,
                        "--sampling-weight: the release has no column %s; to tell what its rows "
                        "stand for, give the table before with --original FILE",
                        quoted);
    if (weight->at[KAN_VERIFY_ORIGINAL] != KAN_NO_COLUMN)
        return KAN_OK;
    kan_problems_begin(v->run);
    kan_input_add_unknown(&v->original.input, "sampling-weight", weight->name);
    return kan_problems_end(v->run);
}

static kan_status check_weights(const kan_verification *v, const kan_verify_side *side) {
    kan_row_weights weights;
    kan_status status = kan_row_weights_read(&side->input, v->weight, &weights);
    if (status == KAN_OK && weights.has_bad)
        status = kan_row_weights_refuse(&side->input, v->weight, &weights,
                                        kan_shown_row(&side->shown, weights.first_bad));
    if (status == KAN_OK)
        kan_row_weights_note(&side->input, v->weight, &weights);
    kan_free(v->run, weights.units);
    return status;
}

static kan_status match_rows(kan_verification *v, const kan_cover_question *question) {
    char quoted[256];
    const size_t n = (size_t)v->release.table->n_rows;
    if (v->people_are_open) /* nothing is counted then */
        return KAN_OK;
    KAN_TRY(kan_alloc(v->run, n, sizeof *v->weight_row, &v->weight_row));
    if (v->original_of) {
        memcpy(v->weight_row, v->original_of, n * sizeof *v->weight_row);
        return KAN_OK;
    }
    KAN_TRY(kan_verify_place_rows(v, question, v->weight_row));
    if (!v->people_are_open)
        return KAN_OK;
    return kan_fail(v->run, KAN_BAD_INPUT,
                    "--sampling-weight: the release has no %s %s, and which rows of %s it has "
                    "is not known: %s. Verify a release that has the weights (--keep), or one "
                    "without suppressed rows or with --keep-suppressed, in the order of the table",
                    v->n_strata > 0 ? "weights as they were in column" : "column",
                    kan_quote(kan_slice_of(v->weight->name), quoted), v->original.input.name,
                    v->why_open);
}

kan_status kan_verify_find_weights(kan_verification *v, const kan_cover_question *question) {
    const kan_role_column *weight = kan_roles_only(&v->roles, KAN_ROLE_WEIGHT);
    if (!v->needs_weights || v->release.is_blank || (v->person && !v->of_households))
        return KAN_OK;
    const bool is_released = is_said(v, weight);
    const kan_verify_side *side = is_released ? &v->release : &v->original;
    v->weight = kan_table_find(side->table, weight->name.bytes, NULL);
    KAN_TRY(check_weights(v, side));
    return is_released ? KAN_OK : match_rows(v, question);
}
