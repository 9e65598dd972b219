/* Inside the tree: a node, and what its pairs of choices add to its bound. */
#ifndef KANON_SEARCH_CUT_NODE_H
#define KANON_SEARCH_CUT_NODE_H

#include "search/cut_class.h"

/* Sums of what the classes of a node say about a choice. */
typedef struct kan_cut_sum {
    uint64_t n_lost, apart, left, made, left_part, made_part;
} kan_cut_sum;

typedef struct kan_cut_node {
    size_t n_classes;
    kan_cut_class **classes;
    uint64_t n_lost; /* rows */
    uint64_t bound;
    uint64_t cost;     /* of the made choices alone */
    kan_cut_sum *sums; /* by choice */
} kan_cut_node;

typedef struct kan_cut_conflicts {
    unsigned n; /* open choices */
    uint32_t *open;
    int32_t *index;    /* by choice: among them, or -1 */
    uint64_t *lost;    /* by pair of them: rows that are lost when both are made */
    uint8_t *excludes; /* n x n: both cannot be made */
    uint32_t *order;
    uint64_t *rest;
    /* What it found: rises of the bound. */
    uint64_t packed;       /* in any case */
    uint64_t *made, *left; /* by open choice */
} kan_cut_conflicts;

KAN_MUST_USE kan_status kan_cut_conflicts_create(const kan_cut_space *space, kan_arena *arena,
                                                 kan_cut_conflicts *out);
/* Looks at the pairs of open choices of a node; `gap` is what the bound may rise by at most. */
KAN_MUST_USE kan_status kan_cut_conflicts_find(kan_cut_shop *shop, const kan_cut_node *node,
                                               uint64_t gap, kan_cut_conflicts *conflicts);

#endif
