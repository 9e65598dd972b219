/* Past piles: tuples of the base in any groups, seen as parts of groups, where rows have pasts
 * (kan_problem.has_pasts): the rows of one past in a pile are a part. For searches whose groups are no node of a
 * lattice, as group/piles.h is where people are counted.
 *
 * O(tuples), and n log n in the values of a part. A thread has one, of 4 bytes for each past and 12 for each
 * row of the greatest piles. */
#ifndef KANON_GROUP_PAST_PILES_H
#define KANON_GROUP_PAST_PILES_H

#include "group/problem.h"

/* Rows of a tuple in a pile. */
typedef struct kan_past_rows {
    uint32_t tuple, past;
    uint64_t n_rows;
} kan_past_rows;

typedef struct kan_past_piles {
    const kan_problem *problem;
    uint32_t *number;            /* by past: its part, plus one, while a pile is walked; else 0 */
    size_t part_room, rows_room; /* of the arrays by part, and by rows */
    size_t *start;               /* by part, and one more: its first in `order` */
    uint64_t *count;             /* by part */
    uint32_t *part_of, *order;   /* by rows: the part; and rows part by part */
    struct kan_past_tail {
        uint64_t *dense; /* by value; all 0 between uses; NULL: nobody asks for the tail */
        size_t *start;
        uint32_t *value;
        uint64_t *count;
    } tails[KAN_MAX_TAILS];
    kan_tally tallies[KAN_MAX_TAILS];
    uint64_t edition; /* see group/view.h */
} kan_past_piles;

/* Of a folded problem with pasts. Destroy them also when this fails; and when they are all 0. */
KAN_MUST_USE kan_status kan_past_piles_make(const kan_problem *problem, bool needs_tallies,
                                            kan_past_piles *out);
void kan_past_piles_destroy(kan_past_piles *piles);

/* The parts of all piles as groups; pile p has rows[start[p]] to rows[start[p + 1] - 1]. piles->part_of says of
 * which part each is. Valid until the next call. */
KAN_MUST_USE kan_status kan_past_piles_count(kan_past_piles *piles, const kan_past_rows *rows,
                                             const size_t *start, size_t n_piles, kan_groups *out);

#endif
