/* A job: settings by name, checked when they are set, and the walk that does the work. */
#ifndef KANON_JOB_SETTINGS_JOB_H
#define KANON_JOB_SETTINGS_JOB_H

#include "core/options.h"
#include "core/text.h"
#include "data/table.h"

/* A job file that settings were taken from; the last one first. */
typedef struct kan_job_origin {
    const char *path;
    const struct kan_job_origin *next;
} kan_job_origin;

struct kan_job {
    kan_run *run;
    kan_arena arena;
    kan_options options;    /* every setting that was given, by name, in order */
    const kan_table *table; /* borrowed input rows; NULL: the setting `input` names them */
    const kan_job_origin *origins;
    const char *made_from;     /* the input of a job file, where a flag names another; or NULL */
    const char *command;       /* what a job file says it is for; NULL: anything */
    const char *command_place; /* "job.yaml:1", where it says so */
};

struct kan_result {
    kan_run *run;
    kan_text json, summary;
    kan_text unchecked; /* what could not be checked, one line; empty: nothing */
    bool holds;
    bool is_interrupted; /* the search was: its answer is the best by then */
    kan_table *table;    /* released rows, when they were asked for in memory */
};

/* A fresh result with empty texts. */
KAN_MUST_USE kan_status kan_result_create(kan_run *run, kan_result **out);

/* Adds one checked value without splitting it at commas: an item of a job file's list. */
KAN_MUST_USE kan_status kan_job_add_item(kan_job *job, const char *name, const char *item);

/* One function per command, each in its own file. */
KAN_MUST_USE kan_status kan_walk_anonymize(kan_job *job, kan_result *out);
KAN_MUST_USE kan_status kan_walk_search(kan_job *job, kan_result *out);
/* The same; wants_release: only for the best that releases a row, as `anonymize` does, and not for
 * the solution space. */
KAN_MUST_USE kan_status kan_walk_solution(kan_job *job, bool wants_release, kan_result *out);
KAN_MUST_USE kan_status kan_walk_compare(kan_job *job, kan_result *out);
KAN_MUST_USE kan_status kan_walk_verify(kan_job *job, kan_result *out);
KAN_MUST_USE kan_status kan_walk_utility(kan_job *job, kan_result *out);
KAN_MUST_USE kan_status kan_walk_risk(kan_job *job, kan_result *out);
KAN_MUST_USE kan_status kan_walk_profile(kan_job *job, kan_result *out);
KAN_MUST_USE kan_status kan_walk_report(kan_job *job, kan_result *out);
KAN_MUST_USE kan_status kan_walk_generate(kan_job *job, kan_result *out);
KAN_MUST_USE kan_status kan_walk_hierarchy_build(kan_job *job, kan_result *out);
KAN_MUST_USE kan_status kan_walk_hierarchy_check(kan_job *job, kan_result *out);
KAN_MUST_USE kan_status kan_walk_hierarchy_show(kan_job *job, kan_result *out);
KAN_MUST_USE kan_status kan_walk_hierarchy_convert(kan_job *job, kan_result *out);

#endif
