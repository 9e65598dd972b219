/* The door of job/outcome: what is told of a search and of a release once they are there, as JSON,
 * summary and picture.
 *
 * May touch what job/released may, and job/released, analyze and report. */
#ifndef KANON_JOB_OUTCOME_OUTCOME_H
#define KANON_JOB_OUTCOME_OUTCOME_H

#include "job/outcome/outcome_json.h"
#include "job/outcome/outcome_ledger.h"
#include "job/outcome/outcome_people.h"
#include "job/outcome/outcome_summary.h"
#include "job/outcome/picture.h"

#endif
