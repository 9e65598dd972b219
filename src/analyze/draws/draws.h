/* The door of analyze/draws: a release of drawn rows, counted again.
 *
 * What can be seen of such a release from outside is the size of its groups, and whether that is large
 * enough for the promise, by the definition (docs/papers/differential-privacy.md), with logarithms and
 * gamma functions where privacy/draws.c has neither. Nothing is shared with it. May touch core and data. */
#ifndef KANON_ANALYZE_DRAWS_DRAWS_H
#define KANON_ANALYZE_DRAWS_DRAWS_H

#include "analyze/tuples/tuples.h"

/* Whether k drawn rows are enough: the largest probability of the definition is delta at most. */
bool kan_draws_are_enough(double epsilon, double delta, uint64_t k);

typedef struct kan_draws_recount {
    uint64_t n_rows, n_groups, smallest; /* all columns are the key; 0: there is no row */
    uint64_t n_small;                    /* groups of fewer than k rows */
    uint64_t
        unordered; /* the first row that stands before one of a lesser key; n_rows: none does */
} kan_draws_recount;

/* All columns are encoded. */
KAN_MUST_USE kan_status kan_draws_count(kan_run *run, const kan_table *released, uint64_t k,
                                        kan_draws_recount *out);

#endif
