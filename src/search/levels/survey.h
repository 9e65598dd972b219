/* A survey: the figures of the nodes of a lattice, whether they satisfy the promise or not, those that
 * cost least first.
 *
 * Boxes of nodes (search/boxes/boxes.h) are cut in two, those first whose nodes may cost least; a box
 * of few nodes is looked at, node by node, from a set at its low corner. This goes by waves, on all
 * threads: how many boxes a wave has does not depend on the threads, so the order is the same for any
 * number of them. After each wave it is known what no node to come costs less than. Nothing is left
 * out, and nothing is inferred but that order.
 *
 * Cost: nodes x tuples of the node below, and up to two scans of the base for each box. Memory grows
 * with the boxes that are open. */
#ifndef KANON_SEARCH_LEVELS_SURVEY_H
#define KANON_SEARCH_LEVELS_SURVEY_H

#include "search/search.h"

/* What a node would release, however much it would have to leave out for that. Sizes of groups are
 * in rows; where the promise counts people, in people. */
typedef struct kan_node_figures {
    bool satisfies;
    uint64_t n_suppressed;   /* rows */
    uint64_t n_left_out;     /* what the limit is of: these rows, or people */
    uint64_t n_groups;       /* released */
    uint64_t smallest_group; /* of the released ones; 0: there is none */
    /* Of a released row: one over the rows of its group. Of a person: one over the people of the
     * smallest group that she has a released row in, or over those who have her history. Each of them
     * counts once. NAN: nothing is released. */
    double highest_risk, average_risk;
    /* Groups with all their rows that do not keep the promise. Where a person's rows stay linkable,
     * histories that do not. */
    uint64_t n_failing, n_failing_rows;
    uint64_t n_failing_ones, n_failing_twos; /* those of size one, and two */
    uint64_t smallest_failing;               /* 0: there is none */
} kan_node_figures;

typedef struct kan_survey {
    const kan_question *question; /* with wants_costs */
    const kan_objective *objectives;
    size_t n_objectives;
    /* Called for each node that was looked at, on the calling thread, with a score for each
     * objective. */
    kan_status (*take)(void *context, const unsigned *levels, const kan_node_figures *figures,
                       const kan_score *scores);
    /* Called after each wave, likewise: no node to come costs less than `floor`, by the objective of
     * the question. The survey ends when *is_enough. NULL: all of them are wanted. */
    kan_status (*settle)(void *context, const kan_score *floor, bool *is_enough);
    void *context;
    unsigned box_nodes, wave_boxes; /* 0: what pays; tests have small lattices */
} kan_survey;

/* The figures of one node; nothing is handed over, and there are no scores. */
KAN_MUST_USE kan_status kan_survey_one(kan_run *run, const kan_question *question,
                                       const unsigned *levels, kan_node_figures *out);

/* *is_complete: every node was handed over. When the run has to stop, and it is not cancelled, it ends
 * well without; kan_check_cancel when not one was. */
KAN_MUST_USE kan_status kan_survey_run(kan_run *run, const kan_survey *survey, bool *is_complete);

/* Whether a node of that score comes before all that cost `floor` or more, however the two were
 * rounded. */
bool kan_survey_is_below(const kan_score *score, const kan_score *floor);

#endif
