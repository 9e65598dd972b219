/* The order of released rows that have none of their own.
 *
 * What counts rows where they are gives them back in the order of their values. Released so, the first
 * of five rows that show [30-39] would be the youngest of the five: whoever knows who is, knows which
 * of the five sensitive values is hers. So such rows are put in an order that follows from what they
 * show and from nothing else; rows that show the same cannot be told apart by it. */
#ifndef KANON_JOB_RELEASE_SHOWN_ORDER_H
#define KANON_JOB_RELEASE_SHOWN_ORDER_H

#include "core/memory.h"
#include "data/release.h"

/* All rows by their texts, column by column; allocated. No column passes through. O(rows * columns +
 * labels log labels). */
KAN_MUST_USE kan_status kan_shown_order(kan_run *run, const kan_release *release, uint64_t **out);

#endif
