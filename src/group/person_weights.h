/* What a row weighs where costs count people: 1 / the rows of its person in the table, so that all of
 * a person weigh the same (docs/papers/people.md, Costs by people).
 *
 * Weights are whole numbers of parts of a person. A person is the least number of parts that the
 * rows of everybody divide; where all together would be more than 2^62 parts, as many as fit, and
 * weights are rounded to them. */
#ifndef KANON_GROUP_PERSON_WEIGHTS_H
#define KANON_GROUP_PERSON_WEIGHTS_H

#include "group/problem.h"

typedef struct kan_person_weights {
    uint64_t one;                             /* the parts of a person */
    uint64_t all;                             /* of all rows together */
    uint64_t *of_row;                         /* by person: of each of her rows */
    uint64_t *n_rows;                         /* by person */
    kan_u128 *share_sums[KAN_MAX_ATTRIBUTES]; /* kan_problem.share_sums, each row by its weight */
} kan_person_weights;

/* Weighs the rows of a problem with a person, which is measured, and sets problem->weights_of. In the
 * arena of its space. O(tuples * attributes). */
KAN_MUST_USE kan_status kan_person_weights_make(kan_problem *problem);

#endif
