/* The door of job/outcome: what is told of a search and of a release once they are there.
 *
 * JSON, summary, picture and report of one outcome, and the command `report`, which makes the page
 * of a result that was written before. May touch what job/solve may, and job/solve, job/inspect,
 * analyze and report. */
#ifndef KANON_JOB_OUTCOME_OUTCOME_H
#define KANON_JOB_OUTCOME_OUTCOME_H

#include "job/outcome/outcome_json.h"
#include "job/outcome/outcome_summary.h"
#include "job/outcome/picture.h"
#include "job/outcome/report_file.h"

KAN_MUST_USE kan_status kan_walk_report(kan_job *job, kan_result *out);

#endif
