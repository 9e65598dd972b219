/* The certificate of a search as a file: made after the search, read again by `verify`.
 *
 * docs/certificate.md describes the format, what it proves and what it does not. */
#ifndef KANON_JOB_INSPECT_CERTIFICATE_FILE_H
#define KANON_JOB_INSPECT_CERTIFICATE_FILE_H

#include "analyze/certificate/certificate.h"
#include "io/target.h"
#include "job/solve/solution.h"

/* ---- making --------------------------------------------------------------------------------- */

/* Whether the job asks for a certificate, and could not get one: KAN_BAD_INPUT names what can. To
 * be called before the search. */
KAN_MUST_USE kan_status kan_certificate_is_possible(const kan_setup *setup);

/* Makes the certificate that the job asks for, and writes it beside its target: kan_target_commit
 * is what is left to do. *out is NULL when none is asked for. */
KAN_MUST_USE kan_status kan_certificate_write(const kan_setup *setup, const kan_solution *solution,
                                              bool must_release, kan_target **out);
/* The last step, and a line in the summary; nothing when there is no certificate. */
KAN_MUST_USE kan_status kan_certificate_commit(const kan_setup *setup, const kan_solution *solution,
                                               kan_target *target, kan_result *result);

/* Takes it back when what it goes with could not be named after all. */
void kan_certificate_withdraw(const kan_setup *setup, const kan_target *target);

/* ---- the format ----------------------------------------------------------------------------- */

KAN_MUST_USE kan_status kan_certificate_print(const kan_certificate *certificate, kan_text *out);

/* Reads what kan_certificate_print has written, and nothing else: a key that is not known is
 * refused, because what is not known is not checked. KAN_BAD_INPUT says what is wrong. `out` is
 * initialised by this call, also when it fails: always destroy it. */
KAN_MUST_USE kan_status kan_certificate_parse(kan_run *run, const char *name, const char *bytes,
                                              size_t size, kan_certificate *out);

/* ---- checking ------------------------------------------------------------------------------- */

/* `verify` with a certificate. */
KAN_MUST_USE kan_status kan_certificate_verify(kan_job *job, kan_result *out);

#endif
