/* Buckets: counting tuples by their rows. */
#include "search/levels/hash_minimal_buckets.h"

#include <string.h>

/* A gigabyte of buckets. */
enum { MOST_BUCKETS = 1 << 27 };

kan_status kan_size_buckets_init(kan_size_buckets *buckets, kan_run *run, uint64_t k,
                                 uint64_t n_rows) {
    *buckets = (kan_size_buckets){.run = run, .k = k <= n_rows ? k : n_rows + 1};
    if (buckets->k > MOST_BUCKETS)
        return kan_fail(run, KAN_BAD_INPUT,
                        "hash-minimal has a bucket for each size below k, and k is too large for "
                        "that; use --algorithm bisect");
    return kan_alloc_zero(run, buckets->k + 1, sizeof *buckets->n_in, &buckets->n_in);
}

void kan_size_buckets_destroy(kan_size_buckets *buckets) {
    if (buckets->run)
        kan_free(buckets->run, buckets->n_in);
}

void kan_size_buckets_fill(kan_size_buckets *buckets, const kan_groups *groups) {
    const uint64_t k = buckets->k;
    uint64_t rows_outside = 0;
    KAN_ASSERT(kan_groups_is_fresh(groups));
    memset(buckets->n_in, 0, (k + 1) * sizeof *buckets->n_in);
    for (size_t g = 0; g < groups->n_groups; g++) {
        const uint64_t rows = groups->count[g];
        const bool is_outside = rows < k;
        buckets->n_in[is_outside ? rows : k]++;
        rows_outside += is_outside ? rows : 0;
    }
    buckets->n_tuples = groups->n_groups;
    buckets->rows_outside = rows_outside;
}
