/* The inside of the search by boxes: a box, and the explorer that cuts it. For boxes.c,
 * box_explorer.c and box_cut.c alone.
 *
 * A box is cut between two levels of one attribute (box_cut.h). Of the two halves, the lower one keeps the low
 * corner and gets a new high one, whose group sizes are counted from the low corner's set; the
 * upper one gets a new low corner, whose set is rolled up from the old one, where that pays, and
 * serves all counts within. The lower half is searched first: it leads straight to a minimal node,
 * a good one to compare with. Where nothing may be suppressed a box is shaved before it is cut.
 *
 * Memory: per thread one set for each cut that is open, each no larger than the one before; none
 * where the budget is short. */
#ifndef KANON_SEARCH_BOXES_BOX_EXPLORER_H
#define KANON_SEARCH_BOXES_BOX_EXPLORER_H

#include <stdatomic.h>
#include <string.h>

#include "search/boxes/boxes.h"
#include "search/boxes/probe.h"

/* What is known of a corner: how many rows fail there, of the high one also at every node below at
 * least; and how many of them bounds of costs may count as lost. */
typedef struct {
    bool is_known;
    uint64_t n_failing, n_lost;
} kan_corner;

typedef struct {
    uint8_t low[KAN_MAX_ATTRIBUTES], high[KAN_MAX_ATTRIBUTES];
    kan_corner at_low, at_high; /* the high one is always known */
    /* A bit per attribute: that the high corner does not fail with it at its lowest, and that this
     * node was measured. */
    uint64_t tight, seen;
    kan_score bound;
    bool all_satisfy;   /* its nodes do, as the low corner, or one below it, does */
    bool is_bounded;    /* `bound` holds */
    bool may_hold_best; /* not known to be no better than what was found */
} kan_box;

/* A box that is open, with a set at its low corner or below it. */
typedef struct {
    kan_box box;
    const kan_freqset *set;
    bool is_low_set;
    uint64_t least_suppressed; /* what was found in it, or before */
    kan_trail trail;           /* likewise, by the nodes that were checked for it */
    uint64_t n_checked;
    bool is_stopped; /* before its end, by somebody who does not count nodes */
    bool has_left;   /* something, whose bound is */
    kan_score left_bound;
} kan_box_task;

/* What all threads share. */
typedef struct {
    kan_boxes *boxes;
    const kan_promise *promise;
    unsigned n_attributes;
    bool wants_low;         /* the groups at a low corner often settle a box */
    bool shaves;            /* boxes are shaved before they are cut */
    bool descends;          /* something good is looked for before the first cut */
    bool is_by_levels;      /* the cost's bound looks at levels alone */
    bool bounds_losses;     /* it rises with the rows that are lost */
    bool counts_all_losses; /* it counts rows that are lost, whichever they are */
    kan_crowd crowd;        /* where people are counted without sets */
    /* How much dearer each level of an attribute is, where the cost's bound looks at levels. */
    bool has_prices;
    double *dearer[KAN_MAX_ATTRIBUTES];
    /* Elsewhere, how many groups each level of an attribute has: see box_cut.h. */
    struct kan_level_width *widths[KAN_MAX_ATTRIBUTES];
    unsigned n_depths;  /* no box is cut more often */
    unsigned task_cuts; /* boxes that were cut so often are tasks; 0: none are */
    size_t n_tasks, task_room, n_kept, kept_room;
    kan_box_task *tasks;
    kan_freqset **kept; /* sets that tasks refer to */
    atomic_uint_fast64_t n_decided;
    kan_trail trail;
    uint64_t most_checked; /* in all */
    bool is_over;          /* stopped, or checked so many: what comes after does not count */
    bool has_left;         /* something, whose bound is */
    kan_score left_bound;
} kan_box_plan;

typedef struct {
    kan_box_plan *plan;
    kan_probe probe;
    kan_freqset **sets; /* by depth; made when they are needed */
    bool is_collecting; /* open boxes become tasks */
    bool is_stopped;
    /* Of the task in hand, or of the root: */
    bool has_left; /* something, whose bound is */
    kan_score left_bound;
    kan_trail *trail;
    uint64_t first_checked; /* probe.n_checked when it began */
    uint64_t most_checked;  /* of its own */
} kan_box_explorer;

/* ---- boxes ---------------------------------------------------------------------------------- */

static inline void kan_box_levels(const kan_box_explorer *e, const uint8_t *node,
                                  unsigned *levels) {
    for (unsigned a = 0; a < e->plan->n_attributes; a++)
        levels[a] = node[a];
}

static inline bool kan_box_is_node(const kan_box_explorer *e, const kan_box *b) {
    return memcmp(b->low, b->high, e->plan->n_attributes) == 0;
}

static inline uint64_t kan_set_bytes(const kan_freqset *set) {
    return (uint64_t)(set->n + 1) * (set->layout.n_words + 1) * sizeof(uint64_t);
}

/* Nodes that were checked for the task in hand. */
static inline uint64_t kan_box_explorer_checked(const kan_box_explorer *e) {
    return e->probe.n_checked - e->first_checked;
}

/* Notes the best that is known now. */
KAN_MUST_USE kan_status kan_box_explorer_note(kan_box_explorer *e);

double kan_box_nodes(const kan_box_explorer *e, const kan_box *b);

/* What a look at a corner found. */
kan_corner kan_box_corner(const kan_box_explorer *e, const kan_groups *groups);
/* Tells that so many nodes are decided. */
void kan_box_explorer_count_decided(kan_box_explorer *e, double n_nodes);
/* Bounds the cost of a box by the groups at its low corner. */
void kan_box_explorer_bound(kan_box_explorer *e, kan_box *b, const kan_groups *low);
/* Whether a box must be cut further. What is decided is marked. */
bool kan_box_explorer_is_open(kan_box_explorer *e, const kan_box *b);
/* Hands an open box on: to be cut, or to the tasks. `set` is the one of its low corner, or of a
 * node below it. */
KAN_MUST_USE kan_status kan_box_explorer_hand_on(kan_box_explorer *e, const kan_box *b,
                                                 const kan_freqset *set, bool is_low_set,
                                                 unsigned depth);
/* Goes down from the best node that is known, one attribute after the other, each as long as that
 * brings a better one: something good to compare with, before anything is cut. */
KAN_MUST_USE kan_status kan_box_explorer_descend(kan_box_explorer *e, const kan_box *root,
                                                 const kan_freqset *set);
/* Cuts a box that is open, and what is open of its halves. */
KAN_MUST_USE kan_status kan_box_explorer_cut(kan_box_explorer *e, const kan_box *b,
                                             const kan_freqset *set, bool is_low_set,
                                             unsigned depth);

#endif
