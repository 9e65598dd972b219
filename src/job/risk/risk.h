/* The door of job/risk: the command `risk`, and risk as results show it, of one table and of several.
 *
 * May touch what job/verify may, and job/verify. */
#ifndef KANON_JOB_RISK_RISK_H
#define KANON_JOB_RISK_RISK_H

#include "job/risk/risk_result.h"
#include "job/risk/risk_trees.h"
#include "job/tell/tell.h"

KAN_MUST_USE kan_status kan_walk_risk(kan_job *job, kan_result *out);

#endif
