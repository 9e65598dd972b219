/* The door of job/ledger: the commands `ledger show`, `check` and `forget`.
 *
 * They tell what a ledger holds, whether it is whole, and take a release out that nobody was given.
 * May touch core, ledger, job/settings and job/tell. */
#ifndef KANON_JOB_LEDGER_LEDGER_H
#define KANON_JOB_LEDGER_LEDGER_H

#include "job/tell/tell.h"

KAN_MUST_USE kan_status kan_walk_ledger_show(kan_job *job, kan_result *out);

KAN_MUST_USE kan_status kan_walk_ledger_check(kan_job *job, kan_result *out);

KAN_MUST_USE kan_status kan_walk_ledger_forget(kan_job *job, kan_result *out);

#endif
