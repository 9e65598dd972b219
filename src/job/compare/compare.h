/* The door of job/compare: the command `compare`, a table of many searches of one table, or of several that
 * belong together.
 *
 * May touch what job/release may, job/release and job/tables. */
#ifndef KANON_JOB_COMPARE_COMPARE_H
#define KANON_JOB_COMPARE_COMPARE_H

#include "job/tell/tell.h"

KAN_MUST_USE kan_status kan_walk_compare(kan_job *job, kan_result *out);
/* Of a job over several tables: a cell is one search over all of them. */
KAN_MUST_USE kan_status kan_walk_compare_tables(kan_job *job, kan_result *out);

#endif
