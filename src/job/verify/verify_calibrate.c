/* --calibrate: whether the weights of a release are those of the original, calibrated by the columns that it
 * names. Each is computed again, of the rows that are there and of those that are missing, so it must be known
 * which these are. */
#include <inttypes.h>
#include <stdio.h>

#include "analyze/calibrated/calibrated.h"
#include "job/verify/verify_inside.h"

static const kan_role_column *weight_of(const kan_verification *v) {
    return kan_roles_only(&v->roles, KAN_ROLE_WEIGHT);
}

static kan_status refuse(const kan_verification *v, const char *why) {
    return kan_fail(v->run, KAN_BAD_INPUT, "--calibrate: %s", why);
}

static kan_status check_asked(const kan_verification *v) {
    const kan_role_column *weight = weight_of(v);
    if (!weight)
        return refuse(v, "name the column of weights with --sampling-weight NAME");
    if (!v->has_original)
        return refuse(v, "what the weights were is not known; give the table before with "
                         "--original FILE");
    if (kan_options_find(&v->job->options, "person"))
        return refuse(v, "what a weight is where a person has several rows is not worked out "
                         "(--person)");
    if (weight->at[KAN_VERIFY_RELEASE] == KAN_NO_COLUMN ||
        weight->at[KAN_VERIFY_ORIGINAL] == KAN_NO_COLUMN)
        return refuse(v, "the column of weights must be in the release and in the original");
    return KAN_OK;
}

/* Their values as they stand there, unless somebody counts them, as anonymize reads them. */
static void take_column(kan_verification *v, kan_slice name) {
    kan_input *original = &v->original.input;
    size_t column;
    if (!kan_input_find(original, name, &column)) {
        kan_input_add_unknown(original, "calibrate", name);
        return;
    }
    v->strata[v->n_strata++] = column;
    if (!original->encode[column] && !kan_input_treats_by(original, column))
        original->as_is[column] = true;
    original->encode[column] = true;
}

kan_status kan_verify_find_calibration(kan_verification *v) {
    const kan_options *options = &v->job->options;
    const size_t n = kan_options_count_of(options, "calibrate");
    if (n == 0)
        return KAN_OK;
    KAN_TRY(check_asked(v));
    KAN_TRY(kan_alloc(v->run, n, sizeof *v->strata, &v->strata));
    kan_problems_begin(v->run);
    for (size_t i = 0; i < n; i++)
        take_column(v, kan_slice_of(kan_options_at(options, "calibrate", i)));
    return kan_problems_end(v->run);
}

bool kan_verify_is_calibrated(const kan_verification *v, size_t column) {
    return v->n_strata > 0 && weight_of(v)->at[KAN_VERIFY_RELEASE] == column;
}

void kan_verify_settle_calibration(kan_verification *v) {
    if (v->n_strata == 0 || v->release.table->n_rows != v->original.table->n_rows)
        return;
    v->is_unchanged = v->is_calibrated = true;
    v->others[v->n_others++] = (kan_cover_pair){.released = weight_of(v)->at[KAN_VERIFY_RELEASE],
                                                .original = weight_of(v)->at[KAN_VERIFY_ORIGINAL]};
}

/* Of one row the sum would be its own weight, whatever was promised. */
static uint64_t fewest_lost(const kan_verification *v) {
    const uint64_t k = v->claim.fits > v->claim.k ? v->claim.fits : v->claim.k;
    return k > 2 ? k : 2;
}

static kan_status add_fault(kan_verification *v, const kan_calibrated_found *found,
                            const char *name) {
    char quoted[256];
    kan_quote(kan_slice_of(name), quoted);
    v->n_column_faults++;
    if (found->n_wrong > 0)
        kan_text_print(&v->column_faults,
                       "column %s does not show the calibrated weights: %" PRIu64 " of %" PRIu64
                       " %s, the first in row %" PRIu64 "\n",
                       quoted, found->n_wrong, v->release.table->n_rows,
                       kan_plural(found->n_wrong, "is another", "are others"),
                       kan_shown_row(&v->release.shown, found->first_wrong) + 1);
    else if (found->n_empty > 0)
        kan_text_print(&v->column_faults,
                       "column %s has calibrated weights, and of %" PRIu64 " %s there is no row\n",
                       quoted, found->n_empty, kan_plural(found->n_empty, "stratum", "strata"));
    else
        kan_text_print(&v->column_faults,
                       "column %s has calibrated weights that tell of fewer than %" PRIu64
                       " rows that were left out, in %" PRIu64 " %s\n",
                       quoted, fewest_lost(v), found->n_small,
                       kan_plural(found->n_small, "stratum", "strata"));
    return kan_text_status(&v->column_faults);
}

static kan_status compare(kan_verification *v, const uint64_t *row_of) {
    const kan_role_column *weight = weight_of(v);
    const kan_table *original = v->original.table;
    const kan_column **strata;
    kan_calibrated_found found;
    KAN_TRY(kan_alloc(v->run, v->n_strata, sizeof *strata, &strata));
    for (size_t i = 0; i < v->n_strata; i++)
        strata[i] = &v->original.input.raw->columns[v->strata[i]];
    const kan_calibrated_claim claim = {.name = weight->name.bytes,
                                        .weight =
                                            &original->columns[weight->at[KAN_VERIFY_ORIGINAL]],
                                        .strata = strata,
                                        .n_strata = v->n_strata,
                                        .k = fewest_lost(v)};
    kan_status status = kan_verify_calibrated(
        v->run, &claim, &v->release.table->columns[weight->at[KAN_VERIFY_RELEASE]], row_of, &found);
    kan_free(v->run, strata);
    KAN_TRY(status);
    v->is_calibrated = found.holds;
    return found.holds ? KAN_OK : add_fault(v, &found, weight->name.bytes);
}

kan_status kan_verify_check_calibration(kan_verification *v, const kan_cover_question *question) {
    uint64_t *row_of;
    if (v->n_strata == 0 || v->release.is_blank || v->is_unchanged)
        return KAN_OK;
    if (v->weight_row)
        return compare(v, v->weight_row);
    KAN_TRY(kan_alloc(v->run, (size_t)v->release.table->n_rows, sizeof *row_of, &row_of));
    kan_status status = kan_verify_place_rows(v, question, row_of);
    if (status == KAN_OK && v->people_are_open)
        status = kan_fail(v->run, KAN_BAD_INPUT,
                          "--calibrate: which rows of %s the release has is not known: %s. Verify "
                          "one without suppressed rows or with --keep-suppressed, in the order of "
                          "the table",
                          v->original.input.name, v->why_open);
    if (status == KAN_OK)
        status = compare(v, row_of);
    kan_free(v->run, row_of);
    return status;
}
