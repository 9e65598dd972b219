/* The problem: the folded data with all that is known of its columns. Made once, then read only, by
 * every thread. */
#ifndef KANON_GROUP_PROBLEM_H
#define KANON_GROUP_PROBLEM_H

#include "group/freqset.h"
#include "group/view.h"

enum { KAN_NO_TAIL = -1 };

typedef struct kan_problem {
    kan_run *run;
    kan_space space;  /* quasi-identifiers in the user's order, then tails */
    kan_freqset base; /* all of the space at level 0 */
    uint64_t n_rows;
    double weights[KAN_MAX_ATTRIBUTES]; /* 1 unless the user said otherwise */
    bool is_weighted;
    int class_tail;                                /* place among the tails, or KAN_NO_TAIL */
    const uint64_t *leaf_rows[KAN_MAX_ATTRIBUTES]; /* rows of each level-0 group */
    /* shares[a][level][group] in units of 1 / KAN_SHARE_ONE, and their sum over all rows. */
    uint64_t **shares[KAN_MAX_ATTRIBUTES];
    kan_u128 *share_sums[KAN_MAX_ATTRIBUTES];
} kan_problem;

/* Folds the table's rows. `problem->space`, class_tail and weights are set up before. */
KAN_MUST_USE kan_status kan_problem_fold(kan_problem *problem, uint64_t n_rows);
void kan_problem_destroy(kan_problem *problem);

/* Views of frequency sets as groups: the runs of tuples that differ in tails alone. */
typedef struct kan_viewer {
    const kan_problem *problem;
    size_t room;      /* groups that the arrays hold */
    unsigned n_tails; /* tails that have arrays */
    uint64_t *counts;
    uint8_t *is_released;
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
} kan_viewer;

void kan_viewer_init(kan_viewer *viewer, const kan_problem *problem);
void kan_viewer_destroy(kan_viewer *viewer);
/* The groups of a set; valid until the next call, and while the set lives. Also makes room for
 * is_released flags. */
KAN_MUST_USE kan_status kan_viewer_groups(kan_viewer *viewer, const kan_freqset *set,
                                          kan_groups *out);
/* Fills groups->loss for a full-domain recoding: the attributes of the set stand at its levels. */
void kan_viewer_loss(kan_viewer *viewer, const kan_freqset *set, kan_groups *groups);

#endif
