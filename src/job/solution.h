/* What a search found, measured: the solution's groups, its costs, and which rows it suppresses. */
#ifndef KANON_JOB_SOLUTION_H
#define KANON_JOB_SOLUTION_H

#include "group/viewer.h"
#include "job/setup.h"

enum { KAN_MAX_METRICS = 32 };

typedef struct kan_solution {
    const kan_setup *setup;
    kan_answer answer;
    kan_shown shown[KAN_MAX_ATTRIBUTES]; /* what each column shows */
    /* What is measured. Full-domain: the setup's problem. Cuts: the same rows, with hierarchies of
     * intervals instead of the user's. */
    const kan_problem *problem;
    kan_problem interval_problem; /* cuts: that problem; its base is the setup's */
    kan_problem cost_problem;     /* cuts: the same with the heights of the user's hierarchies */
    kan_freqset set;              /* quasi-identifiers and tails as they are shown */
    kan_freqset quasi_set;        /* the same without tails: a tuple is a group */
    kan_viewer viewer;
    kan_groups groups;
    uint64_t smallest_group; /* of those released; 0 when there is none */
    size_t n_metrics;
    struct {
        const char *name;
        bool is_known; /* false: the cost needs what the data does not have */
        kan_score score;
    } metrics[KAN_MAX_METRICS];
    double search_ms;
    bool is_interrupted; /* the search was: its answer is the best by then */
} kan_solution;

/* Searches and measures. Fails with KAN_UNSATISFIED, and what would help, when nothing was found.
 * The solution is initialised by this call, also when it fails: always destroy it. */
KAN_MUST_USE kan_status kan_solution_find(const kan_setup *setup, bool wants_release,
                                          kan_solution *out);
void kan_solution_destroy(kan_solution *solution);

/* Sets is_suppressed of every row whose group is not released. */
KAN_MUST_USE kan_status kan_solution_mark_rows(const kan_solution *solution,
                                               uint8_t *is_suppressed);

/* ---- for solution*.c ------------------------------------------------------------------------ */

/* What the answer shows, but for the names of intervals; for cuts, the problem of the intervals. */
KAN_MUST_USE kan_status kan_solution_show(kan_solution *solution);
/* Cuts: names the intervals by the values of released rows, which solution->groups tells, and
 * measures what the names cover. */
KAN_MUST_USE kan_status kan_solution_name(kan_solution *solution);

#endif
