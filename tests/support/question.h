/* Questions to searches, and what their answers must be. */
#ifndef KANON_TESTS_QUESTION_H
#define KANON_TESTS_QUESTION_H

#include "group/viewer.h"
#include "support/oracle.h"
#include "support/plain_privacy.h"
#include "support/searches.h"

/* What is asked: a k-anonymity with a limit, unless `privacy` says otherwise. */
typedef struct test_question {
    const kan_privacy_kind *privacy; /* NULL: k-anonymity */
    const plain_privacy *models;     /* beside it; NULL: none */
    /* More models, up to a NULL, and their options: name, value, ..., NULL. NULL: none. */
    const kan_privacy_kind *const *more;
    const char *const *more_options;
    const kan_column_sets *subsets; /* beside `more` and in place of k; NULL: none */
    const kan_cost_kind *cost;
    uint64_t k, limit;
    bool wants_release;
    bool wants_best_alone; /* not the solution space */
} test_question;

/* The same in the library's terms. */
typedef struct test_asked {
    kan_arena arena;
    kan_options options;
    kan_promise promise;
    kan_objective objective;
    kan_question question;
} test_asked;

void test_ask(const test_problem *made, const test_question *question, test_asked *out);
void test_asked_destroy(test_asked *asked);

/* Searches, and fails the test unless the answer is the oracle's, which has been judged for the
 * same question. What a search does not claim (not complete, not optimal) is not expected. */
void expect_search_is_right(const kan_search_kind *search, const test_problem *made,
                            const oracle *truth, const test_question *question);

/* One node on its own: its groups, checked. */
typedef struct test_node {
    kan_workspace *workspace;
    kan_viewer viewer;
    kan_freqset base, set;
    kan_groups groups;
} test_node;

/* Rolls the base up to `levels`, without tails unless the cost or the promise looks at them, and
 * checks the promise; `loss` is made when the cost asks for it. */
void test_node_make(const test_problem *made, const test_asked *asked, const unsigned *levels,
                    test_node *out);
void test_node_destroy(const test_problem *made, test_node *node);
/* Whether the node keeps the promise. */
bool test_node_satisfies(const test_problem *made, const test_asked *asked, const unsigned *levels);

#endif
