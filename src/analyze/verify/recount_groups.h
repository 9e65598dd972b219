/* The groups of a table with their rows, for those who count more than their sizes: recount*.c and
 * risk*.c. */
#ifndef KANON_ANALYZE_VERIFY_RECOUNT_GROUPS_H
#define KANON_ANALYZE_VERIFY_RECOUNT_GROUPS_H

#include "analyze/verify/tuples.h"
#include "analyze/verify/verify_release.h"

typedef struct kan_recount_groups {
    uint64_t n_rows;   /* of the input, where the table is a counted one */
    kan_tuples tuples; /* a group is a tuple */
    size_t star;       /* the group of rows that show nothing but *; SIZE_MAX: there is none */
} kan_recount_groups;

/* Is told the groups of n <= KAN_TUPLES_BLOCK rows, from `row` on, block by block. */
typedef struct kan_recount_follower {
    kan_status (*follow)(void *context, uint64_t row, size_t n, const size_t *groups);
    void *context;
} kan_recount_follower;

/* Groups the rows by the columns. `follower` may be NULL. The caller destroys out->tuples. */
KAN_MUST_USE kan_status kan_recount_group(kan_run *run, const kan_table *table,
                                          const size_t *columns, size_t n_columns,
                                          const kan_recount_follower *follower,
                                          kan_recount_groups *out);

void kan_recount_sum(const kan_recount_groups *groups, uint64_t k, kan_recount *out);

#endif
