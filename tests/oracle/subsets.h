/* Groups by sets of columns, by brute force: which groups of a node stay (docs/papers/subsets.md). */
#ifndef KANON_TESTS_ORACLE_SUBSETS_H
#define KANON_TESTS_ORACLE_SUBSETS_H

#include "core/column_sets.h"
#include "support/oracle.h"

/* What a node of brute force is judged with. */
typedef struct {
    kan_column_sets sets;
    uint64_t least_group; /* of all columns, which is another model; 1: there is none */
} subsets_promise;

typedef struct {
    size_t n_tried;   /* nodes of which every set of groups was tried */
    size_t n_leaving; /* groups that leave */
    size_t n_chains;  /* nodes where three leave one after the other */
} subsets_counts;
extern subsets_counts subsets_seen;

/* For oracle.settle, where the context is a subsets_promise: leaves the greatest set of groups that keeps it. */
void subsets_settle(const oracle *truth, const void *context, oracle_node *node);

/* One to all numbers of columns, with a k each. */
void subsets_draw(uint64_t *random, unsigned n_columns, uint64_t most_k, kan_column_sets *out);

#endif
