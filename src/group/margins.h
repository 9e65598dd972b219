/* Margins: each attribute by itself with a tail, all of them counted in one pass over the base. A
 * node that has but one attribute below its top is looked at in a margin, which has few tuples.
 * About one nanosecond per tuple and attribute. */
#ifndef KANON_GROUP_MARGINS_H
#define KANON_GROUP_MARGINS_H

#include "group/problem.h"

typedef struct kan_margins {
    const kan_problem *problem;
    kan_freqset *sets; /* by attribute: its groups at level 0, and the tail */
    uint32_t *counters;
} kan_margins;

/* `fits` is false, and nothing is made, where the problem has not exactly one tail, keys have several
 * words, or there would be far more counters than tuples. Initialised by this call, also when it
 * fails. */
KAN_MUST_USE kan_status kan_margins_make(kan_margins *out, const kan_problem *problem, bool *fits);
void kan_margins_destroy(kan_margins *margins);

#endif
