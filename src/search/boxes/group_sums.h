/* What is added up over all groups of a node: the small ones, and the bound of a cost. Where there are
 * many, and threads that wait (kan_workspace_divide), each takes some. */
#ifndef KANON_SEARCH_BOXES_GROUP_SUMS_H
#define KANON_SEARCH_BOXES_GROUP_SUMS_H

#include "cost/cost.h"
#include "group/freqsets/freqsets.h"

/* How many groups have fewer than `least` rows, and their rows together. */
typedef struct kan_small_groups {
    size_t n;
    uint64_t n_rows;
} kan_small_groups;
kan_small_groups kan_small_groups_of(const kan_workspace *workspace, const kan_groups *groups,
                                     uint64_t least);

/* kan_objective_bound. */
kan_score kan_bound_of(const kan_workspace *workspace, const kan_objective *objective,
                       const kan_groups *low, uint64_t n_lost);

#endif
