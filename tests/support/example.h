/* The small tables of the papers: what a paper says about a set of quasi-identifiers. */
#ifndef KANON_TESTS_EXAMPLE_H
#define KANON_TESTS_EXAMPLE_H

#include "support/question.h"

enum { EXAMPLE_ATTRIBUTES = 3, EXAMPLE_NODES = 12 };

/* Levels in the order of `columns`; lists end with a vector that starts with EXAMPLE_END. */
#define EXAMPLE_END 99

typedef struct example_claim {
    unsigned n_attributes, columns[EXAMPLE_ATTRIBUTES];
    uint64_t k;
    unsigned n_nodes;
    unsigned minimal[EXAMPLE_NODES][EXAMPLE_ATTRIBUTES];
    unsigned anonymous[EXAMPLE_NODES][EXAMPLE_ATTRIBUTES]; /* not given: not stated */
} example_claim;

/* Fails the test unless exhaustive search finds exactly what is claimed, and every node of the
 * lattice, checked on its own, is anonymous or not as claimed. `hierarchies` are by column. */
void expect_example(const char *rows, const char *const *hierarchies, const example_claim *claim);

/* The largest k for which the node is k-anonymous. */
uint64_t example_largest_k(const char *rows, const char *const *hierarchies, unsigned n_attributes,
                           const unsigned *columns, const unsigned *levels);

#endif
