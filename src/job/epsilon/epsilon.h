/* The door of job/epsilon: rows that are drawn, and groups of a least size (`--epsilon`, `--delta`).
 *
 *   epsilon_check.c    what is taken beside it, and what is refused and why
 *   epsilon_labels.c   what each value shows: a function of the value alone
 *   epsilon_read.c     the table, its columns and their levels
 *   epsilon_draw.c     the mechanism: rows are drawn and counted, small groups go
 *   epsilon_tell.c     the result
 *   epsilon_verify.c   a release that is counted again
 *   walk_epsilon.c     the walk of `anonymize`
 *
 * Nothing is written that does not follow from settings, names of columns and the groups that
 * epsilon_draw.c hands over (docs/papers/differential-privacy.md): no number of rows read, drawn or left
 * out, and no time. May touch what job/release may, analyze/draws and io/csv. */
#ifndef KANON_JOB_EPSILON_EPSILON_H
#define KANON_JOB_EPSILON_EPSILON_H

#include "job/tell/tell.h"

/* Whether the job asks for it, and the command is one that knows the settings. */
bool kan_epsilon_is_wanted(const kan_job *job, const kan_command *command);
/* Refuses what such a job cannot be run for, or says that is not taken. */
KAN_MUST_USE kan_status kan_epsilon_check(const kan_job *job, const kan_command *command);
KAN_MUST_USE kan_status kan_epsilon_anonymize(kan_job *job, kan_result *out);
KAN_MUST_USE kan_status kan_epsilon_verify(kan_job *job, kan_result *out);

#endif
