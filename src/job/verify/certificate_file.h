/* The file of a certificate: its text, and reading and checking it with `verify`.
 *
 * docs/certificate.md describes the format, what it proves and what it does not. */
#ifndef KANON_JOB_VERIFY_CERTIFICATE_FILE_H
#define KANON_JOB_VERIFY_CERTIFICATE_FILE_H

#include "analyze/certificate/certificate.h"
#include "job/tell/tell.h"

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
