/* The door of job/solve: from settings to a folded problem with its promise and its cost, and from
 * there to a measured solution.
 *
 * What `anonymize`, `search` and `compare` have in common. Nothing of an answer is believed: its
 * groups are made from the base again and held against the promise, every tuple must lie in what
 * its region shows of it, and what cuts cost must be what the search says. May touch core, data,
 * io, group, privacy, cost, recode, search, analyze/workload, job/settings, job/input and job/tell.
 */
#ifndef KANON_JOB_SOLVE_SOLVE_H
#define KANON_JOB_SOLVE_SOLVE_H

#include "job/solve/proof_file.h"
#include "job/solve/released.h"
#include "job/solve/setup.h"
#include "job/solve/solution.h"

#endif
