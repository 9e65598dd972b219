/* The claim: what the settings promise, for the recount. */
#ifndef KANON_JOB_TELL_CLAIM_MAKE_H
#define KANON_JOB_TELL_CLAIM_MAKE_H

#include "analyze/verify/verify.h"
#include "data/table.h"
#include "job/settings/settings.h"

/* Fills the claim from the job's settings: k, the sensitive columns, and every model that is
 * asked for, as its recount reads it.
 * `whole` is the table before anything was suppressed, sealed, with the sensitive columns encoded:
 * the original, or the release itself where nothing else is known (is_release). All that the
 * claim points to lives in the job's arena, except the texts of values, which are borrowed from the
 * table.
 *
 * Fails with KAN_BAD_INPUT as the setup of a search would: a model without a sensitive column, a
 * value that no column has, a hierarchy that does not fit, nothing promised at all. A release need
 * not show a value that must be rare, because all its rows may be suppressed: that is noted.
 * KAN_FAILED where a model has no recount. */
KAN_MUST_USE kan_status kan_claim_make(kan_job *job, const kan_table *whole, bool is_release,
                                       kan_claim *out);
/* The sensitive columns alone, with how far the values of all of them are apart; or, without
 * `all_distances`, of those that a model of the claim looks at who needs to know. */
KAN_MUST_USE kan_status kan_claim_columns(kan_job *job, const kan_table *whole, bool all_distances,
                                          kan_claim *out);
/* Adds the models of a kind that the settings ask for. */
KAN_MUST_USE kan_status kan_claim_add_kind(kan_job *job, const kan_kind *kind, kan_claim *claim);
/* Adds the model of --subsets, which is no kind of its own: it looks at k. */
KAN_MUST_USE kan_status kan_claim_add_subsets(kan_job *job, kan_claim *claim);
/* Notes the columns of a recounted claim whose rows spell a number in several ways: how they were
 * counted. */
void kan_claim_note_spellings(const kan_job *job, const kan_claim *claim);
/* KAN_FAILED: no recount knows the model. Nothing is released, nor verified, that was not counted.
 */
KAN_MUST_USE kan_status kan_claim_refuse(const kan_job *job, const char *name);

/* ---- claim_household.c ---------------------------------------------------------------------- */

/* KAN_BAD_INPUT where settings that belong to --household stand without it, or beside what does not go
 * with it. */
KAN_MUST_USE kan_status kan_job_check_household(const kan_job *job);
/* Whether households leave whole, and the limit is of them. */
bool kan_job_leaves_households(const kan_job *job);
/* Whether k households are to share what all their rows show. */
bool kan_job_by_composition(const kan_job *job);

#endif
