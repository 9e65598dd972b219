/* What must be true of a job before its walk begins: nothing is missing, and no file would be lost.
 */
#ifndef KANON_JOB_TARGETS_H
#define KANON_JOB_TARGETS_H

#include "job/settings/settings.h"

/* KAN_BAD_INPUT names everything that the command needs and was not told. */
KAN_MUST_USE kan_status kan_job_check_complete(kan_job *job, const char *command);

/* KAN_BAD_INPUT when a file to be written exists (without `force`), is not a plain file, stands in
 * a directory that does not exist, or is also read or written as something else. All together. */
KAN_MUST_USE kan_status kan_job_check_targets(kan_job *job, const char *command);

#endif
