/* Brute force for tables of real size: every node of the lattice by itself, counted by hashing.
 *
 * Like the oracle it shares nothing with the library: labels are told apart by their texts, rows
 * are grouped again at each node, and costs are exact fractions after their definitions. Unlike it,
 * equal rows are counted once, groups are not kept, and one pass serves several k and all limits up
 * to a greatest one. Tables have no tails and no weights. */
#ifndef KANON_TESTS_BRUTE_H
#define KANON_TESTS_BRUTE_H

#include "support/plain.h"

enum { BRUTE_ATTRIBUTES = 9, BRUTE_KS = 4 };

/* A node with the groups of fewer than k rows suppressed. */
typedef struct brute_tally {
    uint64_t n_suppressed;
    uint64_t n_released_groups;
    uint64_t n_squares; /* of the sizes of released groups */
    uint64_t hidden;    /* what the labels of suppressed rows cover, in units of their share */
} brute_tally;

typedef struct brute {
    unsigned n_attributes, n_ks;
    uint64_t ks[BRUTE_KS];
    uint64_t n_rows, most_limit;
    unsigned heights[BRUTE_ATTRIBUTES];
    size_t n_nodes;                   /* numbered in the lexicographic order of their levels */
    size_t strides[BRUTE_ATTRIBUTES]; /* from a node to the one above it in the attribute */

    size_t n_leaves[BRUTE_ATTRIBUTES];
    uint64_t *labels[BRUTE_ATTRIBUTES][PLAIN_LEVELS]; /* by leaf: the first leaf labelled alike */
    uint64_t *shares[BRUTE_ATTRIBUTES][PLAIN_LEVELS]; /* by leaf: what its label covers, in units */
    uint64_t share_sums[BRUTE_ATTRIBUTES][PLAIN_LEVELS]; /* over all rows */
    uint64_t share_one;                                  /* units of a whole domain */
    uint64_t n_values[BRUTE_ATTRIBUTES][PLAIN_LEVELS];   /* different labels of the rows */

    size_t n_tuples; /* different rows */
    uint8_t *leaves; /* tuple by tuple: the leaf of each attribute */
    uint64_t *n_rows_of;

    brute_tally *tallies; /* node by node: one for each k */
} brute;

/* Groups the rows at every node. Limits above `most_limit` cannot be judged afterwards. */
void brute_open(const plain_table *plain, const uint64_t *ks, unsigned n_ks, uint64_t most_limit,
                brute *out);
void brute_close(brute *truth);

static inline const brute_tally *brute_tally_of(const brute *truth, size_t node, unsigned k) {
    return &truth->tallies[node * truth->n_ks + k];
}

static inline unsigned brute_level(const brute *truth, size_t node, unsigned attribute) {
    return (unsigned)(node / truth->strides[attribute] % (truth->heights[attribute] + 1));
}

unsigned brute_height(const brute *truth, size_t node);

/* The solution space: what holds for each node. */
typedef struct brute_space {
    const brute *truth;
    unsigned k; /* place of it */
    uint64_t limit;
    size_t n_anonymous, n_minimal, n_failing;
    bool *satisfies;
    bool *is_minimal; /* satisfies, and none below it does */
    bool *is_failing; /* does not satisfy, and all above it do */
} brute_space;

void brute_judge(const brute *truth, unsigned k, uint64_t limit, brute_space *out);
void brute_space_destroy(brute_space *space);

/* A cost, exactly: above / below. */
typedef struct brute_cost {
    uint64_t above, below;
} brute_cost;

/* By name, as for oracle_cost; there are no classes. */
brute_cost brute_cost_of(const brute_space *space, size_t node, const char *cost);
/* Below, equal or above 0. */
int brute_compare(brute_cost a, brute_cost b);
/* The satisfying node of least cost, then height, then vector; of one height, or of any when
 * `height` is negative. n_nodes when there is none. */
size_t brute_best(const brute_space *space, const char *cost, int height);

#endif
