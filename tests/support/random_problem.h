/* Random plain tables, and rounds over them.
 *
 * Every case is made from one seed. When a case fails, its seed is printed; with it in the
 * environment variable KANON_TEST_SEED the tests run that case alone. KANON_TEST_ROUNDS sets the
 * number of cases per test; below 100 it says that everything is slow here, as under a sanitizer,
 * and tests with fewer cases keep theirs. */
#ifndef KANON_TESTS_RANDOM_PROBLEM_H
#define KANON_TESTS_RANDOM_PROBLEM_H

#include "support/plain.h"

typedef struct random_spec {
    unsigned least_attributes, most_attributes;
    size_t least_rows, most_rows;
    size_t most_leaves;   /* of a hierarchy */
    unsigned most_height; /* below PLAIN_LEVELS */
    unsigned most_tails;
    uint64_t most_nodes; /* of the lattice; 0: no bound */
} random_spec;

/* 1 to 6 attributes, 1 to 200 rows, up to 12 leaves, height 0 to 4, up to 3 tails. */
extern const random_spec random_small;

/* Skewed values, repeated rows, constant columns, numbers and texts, hierarchies whose lines are in
 * any order and have leaves that no row has; a class among the tails or none; weights or none. */
void random_plain(const random_spec *spec, uint64_t *random, plain_table *out);

/* least to most, each as likely as any; and true in one case of n. */
uint64_t between(uint64_t *random, uint64_t least, uint64_t most);
bool once_in(uint64_t *random, uint64_t n);

/* Calls `one` for each case, with a run of its own. */
void random_rounds(size_t fallback, void (*one)(kan_run *run, uint64_t seed));
/* Whether few rounds are asked for: what takes long should then do less. */
bool is_slow_here(void);
/* The tear-down of tests with rounds: says which seed failed. */
int random_tear_down(void **state);

#endif
