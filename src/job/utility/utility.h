/* The door of job/utility: the command `utility`, and what it says of a release on its way.
 *
 * May touch core, data, io, analyze, job/settings, job/input and job/tell. */
#ifndef KANON_JOB_UTILITY_UTILITY_H
#define KANON_JOB_UTILITY_UTILITY_H

#include <jansson.h>

#include "analyze/fidelity/fidelity.h"
#include "job/input/input.h"
#include "job/tell/tell.h"

KAN_MUST_USE kan_status kan_walk_utility(kan_job *job, kan_result *out);
/* What `utility` says of a release of the job that has no name yet: `input` is its original.
 * `is_guarded`: it was written with --guard-formulas. */
KAN_MUST_USE kan_status kan_utility_of_release(kan_job *job, const char *path, bool is_guarded,
                                               kan_result *out);

/* What `utility` says without a workload of a release that the caller holds: figures as its JSON has
 * them, what they say in words (`says`), and their picture (`svg`). */
KAN_MUST_USE kan_status kan_utility_compare(kan_run *run, const kan_fidelity_question *question,
                                            const kan_fidelity_weights *original,
                                            const kan_fidelity_weights *released,
                                            const char *original_name, json_t **out);

/* Models that --regress and --classify of a job ask for, of a release that the caller holds: their figures in
 * short. All columns that they name are encoded in the original, and those of the question released. */
KAN_MUST_USE kan_status kan_utility_models(kan_job *job, const kan_input *original,
                                           kan_table *release,
                                           const kan_fidelity_question *question, json_t **out);

#endif
