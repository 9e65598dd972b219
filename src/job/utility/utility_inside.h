/* The inside of the command `utility`: reading (walk_utility.c) and telling (utility_result.c). */
#ifndef KANON_JOB_UTILITY_UTILITY_INSIDE_H
#define KANON_JOB_UTILITY_UTILITY_INSIDE_H

#include "analyze/workload/workload.h"
#include "job/input/input.h"
#include "job/settings/settings.h"

/* Where a column of the workload is. */
typedef struct kan_asked_place {
    size_t original, released, means;
    bool has_means, is_quasi;
    const char *spec; /* its hierarchy as the user wrote it; NULL: not said */
    kan_hierarchy *hierarchy;
} kan_asked_place;

typedef struct kan_utility_walk {
    kan_job *job;
    kan_run *run;
    kan_workload *workload;
    const char *release_path; /* of a release that has no name yet; NULL: `input` names it */
    bool is_guarded;          /* it was written with --guard-formulas */
    kan_input release, original;
    kan_asked_place *places;   /* by name of the workload */
    kan_asked_column *columns; /* by name of the workload */
    kan_utility utility;
    double start_ms, read_ms, answer_ms;
} kan_utility_walk;

/* JSON and summary of what was measured. */
KAN_MUST_USE kan_status kan_utility_write(const kan_utility_walk *u, kan_result *out);

#endif
