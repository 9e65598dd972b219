/* Buckets: the tuples of a node sorted by how many rows they stand for (hash-minimal.txt 5).
 *
 * Bucket l below k counts the tuples of l rows; bucket k, the k-anonymous class, those of k rows or
 * more. */
#ifndef KANON_SEARCH_LEVELS_HASH_MINIMAL_BUCKETS_H
#define KANON_SEARCH_LEVELS_HASH_MINIMAL_BUCKETS_H

#include "core/memory.h"
#include "group/view.h"

typedef struct kan_size_buckets {
    kan_run *run;
    uint64_t k;            /* label of the last bucket */
    uint64_t *n_in;        /* tuples in each bucket, 0 .. k */
    uint64_t n_tuples;     /* in all buckets: L[i] of the paper */
    uint64_t rows_outside; /* rows of the tuples that are not in bucket k */
} kan_size_buckets;

/* No tuple of the table has more than n_rows rows, so a k beyond that is the same as n_rows + 1. */
KAN_MUST_USE kan_status kan_size_buckets_init(kan_size_buckets *buckets, kan_run *run, uint64_t k,
                                              uint64_t n_rows);
void kan_size_buckets_destroy(kan_size_buckets *buckets);

/* Empties the buckets and puts every tuple into its own. One pass over the tuples. */
void kan_size_buckets_fill(kan_size_buckets *buckets, const kan_groups *groups);

/* Whether all tuples are in the k-anonymous class: n(i) = L[i] of Algorithm 1. */
static inline bool kan_size_buckets_are_settled(const kan_size_buckets *buckets) {
    return buckets->n_in[buckets->k] == buckets->n_tuples;
}

#endif
