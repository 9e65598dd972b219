/* What a search found, measured: the solution's groups, its costs, and which rows it suppresses. */
#ifndef KANON_JOB_SOLUTION_H
#define KANON_JOB_SOLUTION_H

#include "group/viewer.h"
#include "job/setup.h"

enum { KAN_MAX_METRICS = 32 };

typedef struct kan_solution {
    const kan_setup *setup;
    kan_answer answer;
    kan_freqset set;       /* quasi-identifiers and tails at the solution's levels */
    kan_freqset quasi_set; /* the same without tails: a tuple is a group */
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
} kan_solution;

/* Searches and measures. Fails with KAN_UNSATISFIED, and what would help, when nothing was found.
 * The solution is initialised by this call, also when it fails: always destroy it. */
KAN_MUST_USE kan_status kan_solution_find(const kan_setup *setup, bool wants_release,
                                          kan_solution *out);
void kan_solution_destroy(kan_solution *solution);

/* Sets is_suppressed of every row whose group is not released. */
KAN_MUST_USE kan_status kan_solution_mark_rows(const kan_solution *solution,
                                               uint8_t *is_suppressed);

#endif
