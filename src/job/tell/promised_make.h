/* What the settings promise, for the recount. */
#ifndef KANON_JOB_TELL_PROMISED_MAKE_H
#define KANON_JOB_TELL_PROMISED_MAKE_H

#include "analyze/verify/promised.h"
#include "data/table.h"
#include "job/settings/settings.h"

/* Fills the promise from the job's settings (k, sensitive, alpha, l, t and what belongs to them).
 * `whole` is the table before anything was suppressed, sealed, with the sensitive columns encoded:
 * the original, or the release itself where nothing else is known (is_release). All that the
 * promise points to lives in the job's arena, but the texts of values, which are borrowed from the
 * table.
 *
 * Fails with KAN_BAD_INPUT as the setup of a search would: a model without a sensitive column, a
 * value that no column has, a hierarchy that does not fit, nothing promised at all. A release need
 * not show a value that must be rare, for all its rows may be suppressed: that is noted. */
KAN_MUST_USE kan_status kan_promised_make(kan_job *job, const kan_table *whole, bool is_release,
                                          kan_promised *out);

#endif
