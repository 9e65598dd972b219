/* The certificate of a search: made after the search, written beside its target.
 *
 * docs/certificate.md describes the format, what it proves and what it does not. */
#ifndef KANON_JOB_RELEASE_CERTIFICATE_H
#define KANON_JOB_RELEASE_CERTIFICATE_H

#include "io/streams/streams.h"
#include "job/solution/solution.h"
#include "job/tell/tell.h"

/* Whether the job asks for a certificate. */
bool kan_certificate_is_wanted(const kan_setup *setup);
/* KAN_BAD_INPUT when it asks for one that cannot be made, with what can be. To be called before the
 * search. */
KAN_MUST_USE kan_status kan_certificate_is_possible(const kan_setup *setup);

/* Makes the certificate that the job asks for, and writes it beside its target: kan_target_commit
 * is what is left to do. *out is NULL when none is asked for. */
KAN_MUST_USE kan_status kan_certificate_write(const kan_setup *setup, const kan_solution *solution,
                                              kan_target **out);

/* The last step, and a line in the summary; nothing when there is no certificate. */
KAN_MUST_USE kan_status kan_certificate_commit(const kan_setup *setup, const kan_solution *solution,
                                               kan_target *target, kan_result *result);

/* The k that a certificate is about. KAN_FAILED when the promise has another model as well, which a
 * certificate says nothing of. */
KAN_MUST_USE kan_status kan_certificate_k(const kan_setup *setup, uint64_t *out);

#endif
