/* What the groups of earlier releases showed, as a recount takes it (analyze/over_time). */
#ifndef KANON_JOB_VERIFY_EARLIER_LABELS_H
#define KANON_JOB_VERIFY_EARLIER_LABELS_H

#include "analyze/over_time/over_time.h"
#include "ledger/ledger.h"

/* Of the first n releases, in the arena; borrowed from the ledger. */
KAN_MUST_USE kan_status kan_earlier_labels_make(kan_arena *arena, const kan_ledger *ledger,
                                                size_t n, const kan_over_time_labels **out);

#endif
