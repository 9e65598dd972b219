/* The door of job/compare: the command `compare`, a table of many searches of one table.
 *
 * May touch what job/release may, and job/release. */
#ifndef KANON_JOB_COMPARE_COMPARE_H
#define KANON_JOB_COMPARE_COMPARE_H

#include "job/tell/tell.h"

KAN_MUST_USE kan_status kan_walk_compare(kan_job *job, kan_result *out);

#endif
