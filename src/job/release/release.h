/* The door of job/release: the commands `anonymize` and `search`.
 *
 * A release is written beside its target, recounted, and named last of all; the certificate of a
 * search is written the same way. May touch what job/report may, and job/report and job/verify. */
#ifndef KANON_JOB_RELEASE_RELEASE_H
#define KANON_JOB_RELEASE_RELEASE_H

#include "job/tell/tell.h"

KAN_MUST_USE kan_status kan_walk_anonymize(kan_job *job, kan_result *out);
KAN_MUST_USE kan_status kan_walk_search(kan_job *job, kan_result *out);

/* The same; wants_release: only for the best, as `anonymize` does, and not for the solution space. */
KAN_MUST_USE kan_status kan_walk_solution(kan_job *job, bool wants_release, kan_result *out);

#endif
