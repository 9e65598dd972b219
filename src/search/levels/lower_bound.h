/* A lower bound: what no node costs less than, from one look at the base. For searches that return
 * a node without having compared it with all others. */
#ifndef KANON_SEARCH_LEVELS_LOWER_BOUND_H
#define KANON_SEARCH_LEVELS_LOWER_BOUND_H

#include "search/judge/judge.h"

/* `base` is a set of kan_question_base. The cost's own bound at the bottom of the lattice where the
 * promise is one that generalizing never breaks, which such bounds rely on; otherwise, and where a
 * cost has none, 0: costs are never negative. */
KAN_MUST_USE kan_status kan_judge_lower_bound(kan_judge *judge, const kan_freqset *base,
                                              double *out);

#endif
