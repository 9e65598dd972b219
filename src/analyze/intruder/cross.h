/* Somebody who has a list of people holds it against several releases of the same people, row by row joined or not:
 * whoever is in all of them is in what is left.
 *
 * Of a person the rows that match her in each release are known. She has a value that some of them show in every
 * release; and as many people have it, at most, as the release has matching rows with it that has fewest. The sum over
 * all values is how large her crowd is at most: the least of these sums over the sensitive columns, and of the
 * matching rows of each release. */
#ifndef KANON_ANALYZE_INTRUDER_CROSS_H
#define KANON_ANALYZE_INTRUDER_CROSS_H

#include "analyze/intruder/register.h"

/* A release, and what was asked of it, about the same people and as many sensitive columns as the first, with
 * their values (kan_register_question.wants_values). */
typedef struct kan_cross_side {
    const kan_table *release;
    const size_t *sensitive; /* its columns, in the order of the first */
    const kan_register_answer *answer;
} kan_cross_side;

typedef struct kan_cross {
    kan_run *run;
    uint64_t n_asked;  /* people who were looked for */
    uint64_t n_people; /* of these, who may be in all releases; all figures below are about them */
    uint64_t smallest; /* crowd; 0: there is nobody */
    uint64_t n_unique, n_below;
    uint64_t n_unique_alone, n_below_alone; /* by the rows of the first release that match them */
    uint64_t *certain, *certain_alone;      /* by sensitive column: one value is left */
} kan_cross;

KAN_MUST_USE kan_status kan_cross_people(kan_run *run, const kan_cross_side *sides, size_t n,
                                         uint64_t k, kan_cross *out);
void kan_cross_destroy(kan_cross *cross);

#endif
