/* Piles: tuples of the base in any groups, seen as groups of people, where a person may have several
 * rows. For searches whose groups are no node of a lattice: regions, clusters, what shows the same.
 * What models are given is what head counts give them (group/head_count.h), but nothing need stand
 * in the order of a set.
 *
 * Owners are made once, then read only, by every thread: who has a tuple, and the number of its pair
 * of person and sensitive value. 4 bytes for each tuple, and 4 more for each sensitive column. */
#ifndef KANON_GROUP_PILES_H
#define KANON_GROUP_PILES_H

#include "group/problem.h"

typedef struct kan_owners {
    const kan_problem *problem;
    uint64_t most_rows; /* of one person; at least 1 */
    uint32_t *person;   /* by tuple */
    /* By tail that models look at: the pair of each tuple, and how many there are; else NULL, 0. */
    uint32_t *pair[KAN_MAX_TAILS];
    size_t n_pairs[KAN_MAX_TAILS];
} kan_owners;

/* Of a folded problem with a person. Destroy them also when this fails. */
KAN_MUST_USE kan_status kan_owners_make(const kan_problem *problem, bool needs_tallies,
                                        kan_owners *out);
/* Also of owners that are all 0. */
void kan_owners_destroy(kan_owners *owners);

/* What one thread counts with. */
typedef struct kan_piles {
    const kan_owners *owners;
    uint32_t n_looks; /* what `met` is measured in */
    uint32_t *met;    /* by person: when she was met last */
    size_t pile_room;
    uint64_t *people; /* by pile */
    struct kan_pile_tail {
        uint32_t *met;   /* by pair */
        uint64_t *dense; /* by value; all 0 between uses */
        size_t *start;
        uint64_t *total;
        size_t room; /* of value and count */
        uint32_t *value;
        uint64_t *count;
    } tails[KAN_MAX_TAILS];
    kan_tally tallies[KAN_MAX_TAILS];
    const uint64_t *totals[KAN_MAX_TAILS];
    uint64_t edition; /* see group/view.h */
} kan_piles;

/* Destroy them also when this fails; and when they are all 0. */
KAN_MUST_USE kan_status kan_piles_make(const kan_owners *owners, kan_piles *out);
void kan_piles_destroy(kan_piles *piles);

/* Counts the people of each pile; pile p has the tuples from start[p] to start[p + 1] - 1, each of
 * which may come several times. Valid until the next call. O(tuples), and n log n in the values of a
 * pile. */
KAN_MUST_USE kan_status kan_piles_count(kan_piles *piles, const uint32_t *tuples,
                                        const size_t *start, size_t n_piles, kan_groups *out);

#endif
