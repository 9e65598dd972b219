/* The inside of search/trees. */
#ifndef KANON_SEARCH_TREES_TREES_INSIDE_H
#define KANON_SEARCH_TREES_TREES_INSIDE_H

#include "search/trees/trees.h"

/* Who leaves at a node, by item of table 0. */
typedef struct kan_trees_leavers {
    kan_run *run;
    uint8_t *is_left, *leaves_below; /* at the node; there, and at every node below it */
    uint64_t n_left, n_below;        /* people */
    uint8_t *fails, *fails_below;    /* by class of table 0 */
    uint8_t *passes;                 /* by part */
    size_t room;
} kan_trees_leavers;

/* Initialised by this call, also when it fails. */
KAN_MUST_USE kan_status kan_trees_leavers_init(kan_run *run, const kan_trees_question *question,
                                               kan_trees_leavers *out);
void kan_trees_leavers_destroy(kan_trees_leavers *leavers);
/* Numbers the space at these levels. */
KAN_MUST_USE kan_status kan_trees_find_leavers(const kan_trees_question *question,
                                               kan_kin_space *space, const unsigned *levels,
                                               kan_trees_leavers *leavers);

#endif
