/* The door of search/judge: full-domain recodings, one level per attribute, the same for all its
 * values. The choices form a lattice (lattice.h), with marks for what follows from nodes that were
 * checked (marking.h).
 *
 * The judge says whether a node keeps the promise, and which of those that do is the best. Every
 * search has one per thread, so that all of them decide, measure and break ties alike. May touch what
 * src/search may, and no other room of it. */
#ifndef KANON_SEARCH_JUDGE_JUDGE_H
#define KANON_SEARCH_JUDGE_JUDGE_H

#include "group/person_sums.h"
#include "group/viewer.h"
#include "search/judge/lattice.h"
#include "search/judge/marking.h"
#include "search/leavers.h"
#include "search/search.h"

/* A node that satisfies the promise, with its cost. */
typedef struct kan_found {
    bool is_found;
    kan_score score;
    unsigned height;
    uint8_t levels[KAN_MAX_ATTRIBUTES];
} kan_found;

/* The fixed order: cost, then height, then the lexicographic order of vectors. What was not found
 * is worse than anything. */
bool kan_found_is_better(const kan_found *a, const kan_found *b);

typedef struct kan_judge {
    const kan_question *question;
    kan_viewer viewer;
    kan_leavers leavers;      /* where people are counted, or sets of columns promised */
    kan_person_summer summer; /* where costs count them, too */
    kan_found best;
    uint64_t least_suppressed; /* over all nodes seen: rows, or people where the limit is of them */
} kan_judge;

void kan_judge_init(kan_judge *judge, const kan_question *question);
void kan_judge_destroy(kan_judge *judge);

/* The groups of a set, checked, as bounds of costs are given: with all their rows. */
KAN_MUST_USE kan_status kan_judge_see(kan_judge *judge, const kan_freqset *set, kan_groups *out);

/* Checks a node of all attributes by its set, made of kan_question_base; measures it when it
 * satisfies the promise. */
KAN_MUST_USE kan_status kan_judge_node(kan_judge *judge, const kan_freqset *set, bool *satisfies);
/* Checks a set of some attributes. There is no cost then, and what it suppresses belongs to no
 * node. */
KAN_MUST_USE kan_status kan_judge_subset(kan_judge *judge, const kan_freqset *set, bool *satisfies);

/* Measures groups that have been checked and are known to satisfy: the sizes, the flags and the
 * levels are there, and the cost asks for no more. */
void kan_judge_measure_groups(kan_judge *judge, const kan_groups *groups);

/* What costs by people look at, of groups that are checked, without those who leave; nothing where no
 * cost is one. */
KAN_MUST_USE kan_status kan_judge_sum_people(kan_judge *judge, kan_groups *groups);

/* Whether the cost's bound for these groups, which kan_judge_see has made, holds: see
 * docs/papers/people.md. */
bool kan_judge_can_bound(const kan_judge *judge, const kan_groups *low);

/* Whether no node at or above `low` that costs `bound` or more can replace the best. */
bool kan_judge_is_hopeless(const kan_judge *judge, const kan_score *bound, const uint8_t *low);

/* Up to which number failing rows are of interest: within the limit, or fewer than ever before. */
uint64_t kan_judge_enough(const kan_judge *judge);

/* Takes over what the judge of another thread has found. */
void kan_judge_merge(kan_judge *judge, const kan_judge *other);

/* Fills in what was found: the best node, its score as the bound, and least_suppressed. */
void kan_judge_answer(const kan_judge *judge, bool is_optimal, kan_answer *answer);

/* Fills in the solution space of a countable lattice: the satisfying nodes (a bit each), the
 * minimal ones, and the maximal failing ones where they are wanted. */
KAN_MUST_USE kan_status kan_judge_space(const kan_judge *judge, const kan_lattice *lattice,
                                        const uint64_t *satisfies, kan_answer *answer);

#endif
