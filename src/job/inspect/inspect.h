/* The door of job/inspect: the commands that look at tables and change none, `verify`, `utility`,
 * `risk` and `profile`, and the file of a certificate.
 *
 * May touch core, data, io, analyze, job/settings, job/input and job/tell; nothing of what searches
 * or releases, so that what was made is judged by code that did not make it. */
#ifndef KANON_JOB_INSPECT_INSPECT_H
#define KANON_JOB_INSPECT_INSPECT_H

#include "job/inspect/certificate_file.h"
#include "job/inspect/risk_result.h"
#include "job/tell/tell.h"

KAN_MUST_USE kan_status kan_walk_verify(kan_job *job, kan_result *out);

KAN_MUST_USE kan_status kan_walk_utility(kan_job *job, kan_result *out);
/* What `utility` says of a release of the job that has no name yet: `input` is its original.
 * `is_guarded`: it was written with --guard-formulas. */
KAN_MUST_USE kan_status kan_utility_of_release(kan_job *job, const char *path, bool is_guarded,
                                               kan_result *out);

KAN_MUST_USE kan_status kan_walk_risk(kan_job *job, kan_result *out);

KAN_MUST_USE kan_status kan_walk_profile(kan_job *job, kan_result *out);

#endif
