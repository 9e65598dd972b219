/* Frequency sets against rows: a set must hold exactly the tuples that the rows show as texts. */
#ifndef KANON_TESTS_SETS_H
#define KANON_TESTS_SETS_H

#include "support/oracle.h"

/* Fails the test unless the keys are ascending and distinct, and the set, written out as labels, is
 * what counting the rows of the table gives. */
void expect_set_is_that_of_rows(const test_problem *made, const plain_table *plain,
                                const kan_freqset *set);

/* The same tuples and counts, in the same layout. */
void expect_same_set(const kan_freqset *a, const kan_freqset *b);

/* Fails unless the keys are ascending and distinct; the rows of all tuples together. */
kan_u128 expect_sorted(const kan_freqset *set);

/* A random layout that the set can be regrouped to: a subset of its attributes in any order, at the
 * same or higher levels, and some of its tails after them. */
void random_layout(const kan_space *space, const kan_freqset *from, uint64_t *random,
                   kan_layout *out);

#endif
