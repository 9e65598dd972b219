/* The door of job/hierarchies: the commands `hierarchy build`, `check`, `show` and `convert`.
 *
 * They make, check, draw and rewrite hierarchies, with or without a table beside them. May touch
 * core, data, io, job/settings, job/input and job/tell. */
#ifndef KANON_JOB_HIERARCHIES_HIERARCHIES_H
#define KANON_JOB_HIERARCHIES_HIERARCHIES_H

#include "job/tell/tell.h"

KAN_MUST_USE kan_status kan_walk_hierarchy_build(kan_job *job, kan_result *out);

KAN_MUST_USE kan_status kan_walk_hierarchy_check(kan_job *job, kan_result *out);

KAN_MUST_USE kan_status kan_walk_hierarchy_show(kan_job *job, kan_result *out);

KAN_MUST_USE kan_status kan_walk_hierarchy_convert(kan_job *job, kan_result *out);

/* What the commands need and were not told is a problem. */
KAN_MUST_USE kan_status kan_hierarchy_check_complete(kan_job *job, const char *command);

/* Whether `output` is one file that the command writes, not a directory. */
bool kan_hierarchy_writes_file(const kan_job *job, const char *command);

#endif
