/* A survey: the figures of every node of the lattice, whether it satisfies the promise or not.
 *
 * Nothing is pruned and nothing is inferred. A task is a run of nodes that follow each other by
 * number: those that differ in the last attributes alone. Its first set is made from the base, the
 * others are rolled up from it. Tasks are done a batch at a time, on all threads, and handed over
 * in the order of the nodes, so that memory does not grow with the lattice.
 *
 * Cost: nodes x tuples of the node below, a scan of the base for each task. */
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
     * histories that too few people have. */
    uint64_t n_failing, n_failing_rows;
    uint64_t n_failing_ones, n_failing_twos; /* those of size one, and two */
    uint64_t smallest_failing;               /* 0: there is none */
} kan_node_figures;

typedef struct kan_survey {
    const kan_question *question; /* with wants_costs */
    const kan_objective *objectives;
    size_t n_objectives;
    /* Called for each node in order, on the calling thread, with a score for each objective. */
    kan_status (*take)(void *context, const unsigned *levels, const kan_node_figures *figures,
                       const kan_score *scores);
    void *context;
} kan_survey;

/* The figures of one node; nothing is handed over, and there are no scores. */
KAN_MUST_USE kan_status kan_survey_one(kan_run *run, const kan_question *question,
                                       const unsigned *levels, kan_node_figures *out);

KAN_MUST_USE kan_status kan_survey_run(kan_run *run, const kan_survey *survey);

#endif
