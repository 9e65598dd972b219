/* How many rows a row can match, where * and missing values may stand for anything.
 *
 * Two rows match when in every column they show the same, or one of them hides its value. Labels
 * such as [30-39] match nothing but themselves. Matching is not transitive: (1,*) matches (1,2) and
 * (1,3), which do not match each other. So it gives each row a number of rows, and forms no groups;
 * what is told of groups (values, distances, journalists) cannot be told of it.
 *
 *   kan_matching_create   tuples by the set of columns that they hide, their pattern
 *   kan_matching_count    how many rows each tuple matches, on all threads
 *   kan_matching_within   the same by some columns alone, on one thread */
#ifndef KANON_ANALYZE_RISK_MATCHES_H
#define KANON_ANALYZE_RISK_MATCHES_H

#include "analyze/risk/risk_tuples.h"

typedef struct kan_matching kan_matching;

/* Borrows the tuples. */
KAN_MUST_USE kan_status kan_matching_create(const kan_risk_tuples *tuples, kan_matching **out);
void kan_matching_destroy(kan_matching *matching);

/* matches[tuple]: the rows that a row of the tuple matches, all of the tuple's own among them. Time
 * O(patterns x tuples x columns), memory for a slot per tuple and thread. */
KAN_MUST_USE kan_status kan_matching_count(kan_matching *matching, uint64_t *matches);

/* The same by the columns whose bits are set. `worker` is below kan_run_threads: each has room of
 * its own. */
KAN_MUST_USE kan_status kan_matching_within(kan_matching *matching, unsigned worker,
                                            uint64_t columns, uint64_t *matches);

/* ---- what that says of rows ----------------------------------------------------------------- */

/* Plain numbers, by rows; shares are of n_rows, and 0 without any. The crowd of a row is how many
 * rows it matches, and its risk is 1 / crowd. */
typedef struct kan_crowds {
    uint64_t n_rows;
    uint64_t n_hidden; /* rows that hide a value */
    uint64_t smallest, largest, median;
    uint64_t n_unique;       /* crowds of one */
    uint64_t n_in_pairs;     /* crowds of two */
    uint64_t n_rows_at_risk; /* crowds below the threshold */
    double highest, average, share_at_risk;
} kan_crowds;

/* threshold 0 counts as 1. O(tuples log tuples). */
KAN_MUST_USE kan_status kan_crowds_measure(const kan_risk_tuples *tuples, const uint64_t *matches,
                                           uint64_t threshold, kan_crowds *out);

#endif
