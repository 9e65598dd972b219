/* Frequency sets seen as groups: what privacy models and costs are given. */
#ifndef KANON_GROUP_VIEWER_H
#define KANON_GROUP_VIEWER_H

#include "group/problem.h"

/* Views of frequency sets as groups: the runs of tuples that differ in tails alone. */
typedef struct kan_viewer {
    const kan_problem *problem;
    bool shows_parts; /* in place of groups: their rows by the first tail (kan_problem.has_pasts) */
    size_t room;      /* groups that the arrays hold */
    unsigned n_tails; /* tails that have arrays */
    uint64_t *counts;
    size_t *first_tuple;
    uint8_t *is_released;
    kan_groups_room order_room;
    struct {
        size_t *start;
        uint32_t *value;
        uint64_t *count;
    } tails[KAN_MAX_TAILS];
    kan_tally tallies[KAN_MAX_TAILS];
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_cell_loss loss[KAN_MAX_ATTRIBUTES];
    uint64_t *dense; /* a counter per value of a tail, zero between calls */
    size_t dense_room;
    kan_population_counter people; /* where the problem has a population */
    uint64_t edition;              /* of the view that it lends: see group/view.h */
} kan_viewer;

void kan_viewer_init(kan_viewer *viewer, const kan_problem *problem);
void kan_viewer_destroy(kan_viewer *viewer);
/* The groups of a set; valid until the next call, and while the set lives. Also makes room for
 * is_released flags. */
KAN_MUST_USE kan_status kan_viewer_groups(kan_viewer *viewer, const kan_freqset *set,
                                          kan_groups *out);
/* Fills groups->loss for a full-domain recoding: the attributes of the set stand at its levels. */
void kan_viewer_loss(kan_viewer *viewer, const kan_freqset *set, kan_groups *groups);
/* The same for a set that holds released rows alone: n_suppressed counts those that it lacks. */
void kan_viewer_sum_loss(kan_viewer *viewer, const kan_freqset *set, kan_groups *groups);

#endif
