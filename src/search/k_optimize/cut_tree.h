/* Branch and bound over cut sets, depth first: one thread's part of `k-optimize`.
 *
 * A node decides some choices: made (the paper's head set) or left; the others are open (its tail).
 * The choices of one attribute, the axis, stay open as long as possible: at each node its cuts are
 * the shortest path over bounds of its intervals (cut_spans.h), and nothing below the node costs
 * less than that path. Where it is not below the best, the node is done with. Otherwise choices are
 * decided that could not be decided the other way, until there are none; then the node branches on
 * the choice that sets most pairs of rows apart.
 *
 * Without an axis there is one span, of all rows; then pairs of choices are looked at, too.
 *
 * A tree explores from an open node up to a number of states and hands back the open nodes that it
 * left, so that the whole search can be divided among threads, and go on with the lowest bound. */
#ifndef KANON_SEARCH_K_OPTIMIZE_CUT_TREE_H
#define KANON_SEARCH_K_OPTIMIZE_CUT_TREE_H

#include "search/k_optimize/cut_axis.h"

/* Open nodes: decisions packed four to a byte, with the bound; and what is known of spans, or NULL.
 */
typedef struct kan_cut_open {
    uint64_t bound;
    uint8_t *packed;
    uint64_t *lower;
} kan_cut_open;

void kan_cut_open_destroy(kan_run *run, kan_cut_open *open);

size_t kan_cut_packed_size(const kan_cut_space *space);
/* Decisions by choice, into a node; and from the bytes of one. */
KAN_MUST_USE kan_status kan_cut_pack(const kan_cut_space *space, const uint8_t *decision,
                                     kan_cut_open *out);
void kan_cut_unpack(const kan_cut_space *space, const uint8_t *packed, uint8_t *decision);

typedef struct kan_cut_task {
    /* in */
    const uint8_t *packed; /* where to begin; NULL: nothing is decided */
    const uint64_t *lower; /* what is known of its spans; NULL: nothing */
    uint64_t bound;        /* that is known of it */
    uint64_t best;         /* only what costs less is of interest */
    uint64_t n_states_most;
    uint64_t n_work_most;    /* tuples to be looked at; 0: any number */
    uint64_t n_states_least; /* whatever the work */
    bool keeps_lower;        /* open nodes shall have what is known of their spans */
    /* out */
    uint64_t n_states, n_work;
    bool is_better;
    uint64_t cost;    /* of the best that was found, when is_better */
    uint8_t *is_made; /* ditto, by choice; the caller's room */
    size_t n_open, room;
    kan_cut_open *open; /* what is left to do; kan_cut_task_destroy */
} kan_cut_task;

void kan_cut_task_destroy(kan_run *run, kan_cut_task *task);

typedef struct kan_cut_tree kan_cut_tree;

/* `limit` of suppressed rows: the space's, or less. `axis`: an attribute that can be one
 * (kan_cut_axis_choose), or KAN_CUT_NO_AXIS. */
KAN_MUST_USE kan_status kan_cut_tree_create(const kan_cut_space *space, uint64_t limit, int axis,
                                            kan_cut_tree **out);
void kan_cut_tree_destroy(kan_cut_tree *tree);

/* Explores until there is nothing left, n_states_most were seen, or kan_should_stop says so. */
KAN_MUST_USE kan_status kan_cut_tree_explore(kan_cut_tree *tree, kan_cut_task *task);

/* For tests: the bound of a node given by its decisions, by choice, and the decisions that it
 * forces when only what costs less than `best` is of interest; UINT64_MAX: nothing below it is, but
 * perhaps its own made choices, which are then in the second half of `decision` (room for twice the
 * choices). */
KAN_MUST_USE kan_status kan_cut_tree_bound(kan_cut_tree *tree, uint8_t *decision, uint64_t best,
                                           uint64_t *out);

#endif
