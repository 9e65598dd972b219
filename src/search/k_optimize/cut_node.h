/* A node of the branch and bound: the classes that the made choices divide some rows into, and what
 * they say together. Its rows are those of one span of the axis (cut_axis.h), or all. */
#ifndef KANON_SEARCH_K_OPTIMIZE_CUT_NODE_H
#define KANON_SEARCH_K_OPTIMIZE_CUT_NODE_H

#include "search/k_optimize/cut_class.h"

/* Sums of what the classes of a node say about a choice. */
typedef struct kan_cut_sum {
    uint64_t n_lost, apart, left, made, left_part, made_part, made_share;
    uint64_t left_beyond, made_beyond; /* what the bounds of classes rise by anyway */
} kan_cut_sum;

typedef struct kan_cut_node {
    size_t n_classes;
    kan_cut_class **classes;
    uint64_t n_lost; /* rows */
    uint64_t bound;  /* of its classes, with the rows that are lost */
    /* What comes on top, because every open choice is made or left in the end: the lesser of what
     * either costs in parts that add up. */
    uint64_t either;
    /* Or: by how much its classes rise anyway, each by itself. */
    uint64_t anyway;
    uint64_t cost;     /* of the made choices alone */
    bool is_kept;      /* made by kan_cut_node_keep */
    kan_cut_sum *sums; /* by choice */
} kan_cut_node;

/* The rows that it is about: those of its classes, and the lost ones. */
static inline uint64_t kan_cut_node_rows(const kan_cut_node *node) {
    uint64_t n_rows = node->n_lost;
    for (size_t i = 0; i < node->n_classes; i++)
        n_rows += node->classes[i]->n_rows;
    return n_rows;
}

/* Whether it is about so many rows, what it sums up is what its classes say, and nothing it may become costs
 * less than its bound. O(classes). For assertions. */
bool kan_cut_node_is_sound(const kan_cut_maker *maker, const kan_cut_node *node, uint64_t n_rows);

/* The node of the decisions of now, from all of its rows. */
KAN_MUST_USE kan_status kan_cut_node_build(kan_cut_maker *maker, const kan_cut_class *whole,
                                           kan_cut_node *out);
/* Another node, with what has been decided since `from` was made; shares the classes that this does
 * not concern. */
KAN_MUST_USE kan_status kan_cut_node_renew(kan_cut_maker *maker, const kan_cut_node *from,
                                           kan_cut_node *out);
/* Whether what has been decided since concerns none of its classes. */
bool kan_cut_node_is_true(const kan_cut_maker *maker, const kan_cut_node *node);

static inline uint64_t kan_cut_either(const kan_cut_sum *sum) {
    return sum->left_part < sum->made_share ? sum->left_part : sum->made_share;
}

static inline uint64_t kan_cut_node_bound(const kan_cut_node *node) {
    return node->bound + (node->either > node->anyway ? node->either : node->anyway);
}

/* What the bound of the classes rises by with a choice decided one way. */
static inline uint64_t kan_cut_rise(const kan_cut_node *node, const kan_cut_sum *sum,
                                    bool is_made) {
    return node->anyway + (is_made ? sum->made_beyond : sum->left_beyond);
}

/* A bound of the node with an open choice decided one way; `beside` is what all choices add, as far
 * as is known by now: node->either, or more. */
static inline uint64_t kan_cut_node_with(const kan_cut_node *node, uint64_t beside, unsigned choice,
                                         kan_cut_decision decision) {
    const kan_cut_sum *sum = &node->sums[choice];
    const bool is_made = decision == KAN_CUT_MADE;
    const uint64_t alone = kan_cut_rise(node, sum, is_made);
    beside += (is_made ? sum->made_share : sum->left_part) - kan_cut_either(sum);
    return node->bound + (alone > beside ? alone : beside);
}

/* Copies the node, with those of its classes that lie in the maker's own stack, to another stack.
 */
KAN_MUST_USE kan_status kan_cut_node_keep(const kan_cut_maker *maker, const kan_cut_node *node,
                                          kan_stack *to, kan_cut_node **out);
/* The most bytes that this takes. */
size_t kan_cut_node_size(const kan_cut_maker *maker, const kan_cut_node *node);

/* ---- pairs of choices ----------------------------------------------------------------------- */

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
KAN_MUST_USE kan_status kan_cut_conflicts_find(kan_cut_maker *maker, const kan_cut_node *node,
                                               uint64_t gap, kan_cut_conflicts *conflicts);

#endif
