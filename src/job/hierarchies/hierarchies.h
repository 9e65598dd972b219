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

/* A problem where the hierarchy is one that is built, and a file is needed. */
void kan_hierarchy_check_file(kan_job *job);
/* A problem where it is one that is built, and there is nothing to build it from. */
void kan_hierarchy_check_builder(kan_job *job);

#endif
