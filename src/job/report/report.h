/* The door of job/report: the report of a release, from the figures that its result has to the page,
 * and the command `report`, which makes the page of a result that was written before.
 *
 * May touch what job/outcome may, and job/outcome and job/utility. */
#ifndef KANON_JOB_REPORT_REPORT_H
#define KANON_JOB_REPORT_REPORT_H

#include "job/report/report_file.h"

KAN_MUST_USE kan_status kan_walk_report(kan_job *job, kan_result *out);

#endif
