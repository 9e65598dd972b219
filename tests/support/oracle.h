/* The oracle: the definitions to the letter, by brute force, on rows and texts.
 *
 * It shares nothing with the library. For every vector of levels each row is written out as the
 * texts of its labels, rows are sorted by these texts, and equal ones are a group. Costs are summed
 * cell by cell from the groups. Slow, and meant to be read. */
#ifndef KANON_TESTS_ORACLE_H
#define KANON_TESTS_ORACLE_H

#include "support/plain.h"

enum { ORACLE_ATTRIBUTES = 8, ORACLE_TAILS = 4 };

typedef struct oracle_group {
    uint64_t n_rows;
    size_t some_row;                 /* one of them */
    const size_t *rows;              /* all of them */
    uint64_t n_majority;             /* rows of its most frequent class */
    uint64_t n_values[ORACLE_TAILS]; /* different values of each tail */
    bool is_released;                /* once judged */
} oracle_group;

typedef struct oracle_node {
    unsigned levels[ORACLE_ATTRIBUTES];
    unsigned height; /* their sum */
    size_t n_groups;
    oracle_group *groups;
    size_t *rows; /* of the groups, one behind the other */

    /* Once judged: */
    bool satisfies, is_minimal;
    uint64_t n_suppressed; /* rows of groups that fail */
    size_t n_released_groups;
} oracle_node;

typedef struct oracle {
    const plain_table *plain;
    size_t *leaf_of; /* of each cell of the attributes: the line of the hierarchy */
    double *shares[ORACLE_ATTRIBUTES][PLAIN_LEVELS]; /* of the label of each leaf */
    size_t *value_of; /* of each cell of the tails: the first row with the same value */
    size_t n_nodes;
    oracle_node *nodes; /* in the lexicographic order of their levels */

    /* Set before judging: lets more groups leave once each has been decided by itself; or NULL. */
    void (*settle)(const struct oracle *truth, const void *context, oracle_node *node);

    /* Once judged: */
    size_t n_anonymous, n_minimal;
    uint64_t least_suppressed; /* over all nodes */
} oracle;

/* Groups the rows at every node. */
void oracle_open(const plain_table *plain, oracle *out);
void oracle_close(oracle *truth);
/* Leaves out every node that is not between low and high. Judge it again afterwards. */
void oracle_bound(oracle *truth, const unsigned *low, const unsigned *high);

typedef bool (*oracle_passes)(const void *context, const oracle_group *group);
/* `context` is a uint64_t: k. */
bool oracle_has_k_rows(const void *context, const oracle_group *group);

/* Decides each group and each node: a node satisfies when at most `limit` rows are in groups that
 * fail. A node is minimal when it satisfies and no other satisfying node has levels that are all at
 * most as high. */
void oracle_judge(oracle *truth, oracle_passes passes, const void *context, uint64_t limit);

/* The cost of a judged node by its name: height, discernibility, average-class, classification,
 * precision, distortion, ncp. */
double oracle_cost(const oracle *truth, const oracle_node *node, const char *cost, uint64_t k);
/* Whether one cost is less than another by more than the rounding of sums. */
bool oracle_is_less(double a, double b);
/* The satisfying node of least cost, then height, then vector; NULL when there is none. With
 * `wants_release` only nodes that release something. */
const oracle_node *oracle_best(const oracle *truth, const char *cost, uint64_t k,
                               bool wants_release);

/* Frequencies of texts: distinct ones, in the order of strcmp. */
typedef struct oracle_texts {
    size_t n;
    char **texts;
    uint64_t *counts;
} oracle_texts;

/* What separates the labels of a tuple in its text. */
#define ORACLE_SEPARATOR "\x1f"

/* Merges equal texts in place; takes over the texts, which are malloc's. */
void oracle_texts_merge(oracle_texts *texts);
void oracle_texts_destroy(oracle_texts *texts);
/* The rows of the table as texts: columns columns[i] at level levels[i] (0 for tails). */
void oracle_count_rows(const plain_table *plain, const unsigned *columns, const unsigned *levels,
                       unsigned n, oracle_texts *out);

#endif
