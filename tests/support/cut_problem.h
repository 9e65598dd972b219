/* Small problems whose domains are cut, and the truth about them.
 *
 * A case is a random plain table, the library's problem of it with an ordered domain for each
 * attribute, and what the texts say: for every row its place and its class. The truth is counted
 * from these, for one set of cuts or for all of them, and shares nothing with the library. */
#ifndef KANON_TESTS_CUT_PROBLEM_H
#define KANON_TESTS_CUT_PROBLEM_H

#include "support/question.h"
#include "support/random_problem.h"
#include "support/searches.h"

enum { CUT_ATTRIBUTES = 8, CUT_PLACES = 32, CUT_CHOICES = 64 };

typedef struct cut_problem {
    plain_table plain;
    test_problem made; /* its problem has domains */
    kan_domain domains[CUT_ATTRIBUTES];
    uint32_t *place_of[CUT_ATTRIBUTES], *first_leaf[CUT_ATTRIBUTES];
    uint32_t n_places[CUT_ATTRIBUTES];
    uint32_t *places[CUT_ATTRIBUTES]; /* by row */
    uint32_t *classes;                /* by row: the first row with the same class; NULL: none */
} cut_problem;

/* Small enough for brute force over `most_choices` choices, whatever the recoding. Some attributes
 * have bins, unless full-subtree is to be asked. */
void random_cut_problem(kan_run *run, uint64_t *random, unsigned most_choices, bool has_bins,
                        cut_problem *out);
/* The same with one tuple that has about half of all rows, or nearly all. */
void random_skewed_cut_problem(kan_run *run, uint64_t *random, unsigned most_choices, bool has_bins,
                               cut_problem *out);
/* From a table that is taken over; bins[a] is the number of leaves in each bin, 0 or 1 for none. */
void cut_problem_make(kan_run *run, plain_table *plain, const unsigned *bins, cut_problem *out);
void cut_problem_destroy(cut_problem *problem);

/* What is asked of a problem. */
typedef struct cut_question {
    const kan_cost_kind *cost;
    uint64_t k, limit;
    bool is_subtree, wants_release;
} cut_question;

/* Either cost (where there are classes), k up to 6, a limit of 0, 3, none or any, a release wanted
 * or not. */
cut_question random_cut_question(const cut_problem *problem, uint64_t *random, bool is_subtree);

/* The options that were asked, for more to be added. */
void cut_ask(const cut_problem *problem, const cut_question *question, test_asked *out);

/* A set of cuts: is_cut[a][place]. */
typedef struct cut_set {
    bool is_cut[CUT_ATTRIBUTES][CUT_PLACES];
} cut_set;

/* What it costs, row by row; false when it is not within the limit, or releases nothing where a
 * release is wanted. */
bool cut_cost(const cut_problem *problem, const cut_question *question, const cut_set *cuts,
              uint64_t *n_suppressed, uint64_t *cost);

/* The best of all sets of cuts that the recoding allows: the least cost, then the least sorted list
 * of places by attribute. Every one is tried. */
typedef struct cut_truth {
    bool is_found;
    uint64_t cost, n_sets;
    uint64_t least_suppressed; /* over all sets */
    cut_set cuts;
} cut_truth;

void cut_brute(const cut_problem *problem, const cut_question *question, cut_truth *out);

/* Whether the intervals are all nodes of the hierarchy, by its texts. */
bool cut_is_subtree(const cut_problem *problem, const cut_set *cuts);

/* The cuts of an answer; fails the test where they are not ascending places above 0. */
void cut_set_of(const cut_problem *problem, const kan_answer *answer, cut_set *out);
/* Fails the test unless the answer is one: allowed by the recoding, counted right, never better
 * than the truth, its bound never above it; found wherever there is something to find when
 * `finds`. When it says that it is optimal, it is the truth to the last cut. */
void expect_cuts_are_right(const cut_problem *problem, const cut_question *question,
                           const kan_answer *answer, const cut_truth *truth, bool finds);

#endif
