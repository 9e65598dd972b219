/* The door of job/codes: a column with a set of codes for each person (`--codes`).
 *
 *   codes_check.c    what is taken beside it, and what is refused and why
 *   codes_read.c     the table with its roles, the codes, their hierarchy
 *   codes_solve.c    the question, the search, what each person shows
 *   codes_recount.c  a release counted again, and held against its original
 *   codes_tell.c     the result
 *   walk_codes.c     the walks
 *
 * May touch what job/release may, search/codes and analyze/codes. */
#ifndef KANON_JOB_CODES_CODES_H
#define KANON_JOB_CODES_CODES_H

#include "job/tell/tell.h"

/* Whether the job has such a column, and the command is about tables that may have one. */
bool kan_codes_is_wanted(const kan_job *job, const kan_command *command);
/* Refuses what a job with codes cannot be run for, or says that is not taken. */
KAN_MUST_USE kan_status kan_codes_check(const kan_job *job, const kan_command *command);
KAN_MUST_USE kan_status kan_codes_anonymize(kan_job *job, kan_result *out);
KAN_MUST_USE kan_status kan_codes_verify(kan_job *job, kan_result *out);

#endif
