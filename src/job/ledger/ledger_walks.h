/* What the commands `ledger` share. */
#ifndef KANON_JOB_LEDGER_LEDGER_WALKS_H
#define KANON_JOB_LEDGER_LEDGER_WALKS_H

#include "job/settings/settings.h"
#include "ledger/ledger.h"

/* The ledger that the job names, with the key that it names. */
KAN_MUST_USE kan_status kan_ledger_open_named(const kan_job *job, kan_ledger_use use,
                                              kan_ledger **out);

#endif
