/* What tests of further promises share: each question is put to every search that takes it, and
 * what is said of the promise is held against all nodes that brute force has judged. */
#ifndef KANON_TESTS_ASK_H
#define KANON_TESTS_ASK_H

#include "support/question.h"

typedef struct ask_seen {
    size_t n_questions, n_monotone, n_satisfied, n_searches;
    size_t n_left; /* nodes that leave out some */
} ask_seen;

/* Whether a node that fails stands above one that satisfies. */
bool ask_has_hole(const oracle *truth);
/* Fails the test unless the library leaves out the same at every node, every search finds what
 * there is, and a promise that is said to be monotone is so. */
void ask_every_search(const test_problem *made, const oracle *truth, const test_question *question,
                      ask_seen *seen);
/* Any cost that the table has what it needs for. */
const kan_cost_kind *ask_random_cost(const plain_table *plain, uint64_t *random);

#endif
