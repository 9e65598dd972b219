/* What the files of `compare` share: trials, and where they go.
 *
 * A trial is one search: a method (a search and the cost that it minimises), a k and a limit of
 * suppression, and the settings that all trials have in common. What is known of a finished trial is
 * one JSON object, whether it was just searched or comes from the file of --save; table, CSV, chart
 * and JSON are all made of these objects, and so cannot disagree. Results call them `cells`. */
#ifndef KANON_JOB_COMPARE_COMPARE_INSIDE_H
#define KANON_JOB_COMPARE_COMPARE_INSIDE_H

#include <jansson.h>

#include "io/file_hash.h"
#include "job/solution/solution.h"

typedef struct kan_compare_trial {
    const char *algorithm, *cost, *suppress;
    const char *recoding;    /* NULL: that of all trials, or the search's own */
    const char *k;           /* NULL: the promise has none */
    const char *release;     /* a name for the release that the command writes */
    const char *command;     /* `kanon anonymize ...` */
    char key[KAN_HASH_TEXT]; /* of all that decides what it finds, except the table */
    json_t *json;            /* NULL: not finished */
} kan_compare_trial;

/* The values that one setting of the comparison takes in turn. */
typedef struct kan_compare_list {
    size_t n;
    const char **values;
} kan_compare_list;

typedef struct kan_compare {
    kan_job *job;
    kan_run *run;
    kan_compare_list ks, suppressions, costs, algorithms; /* ks.n is 0: no trial has a k */
    kan_compare_list recodings;                           /* n is 0: they are not compared */
    bool names_costs; /* false: no cost was asked for; searches may then have a way of their own */
    /* K by k, and for each by limit, cost, recoding and algorithm; in the job's arena. */
    kan_compare_trial *trials;
    size_t n_trials, n_resumed; /* resumed: the file of --save had them */
    uint64_t n_rows;            /* of the table; of several, people */
    bool is_interrupted;
    double start_ms, read_ms, total_ms;
} kan_compare;

/* ---- compare_trials.c ------------------------------------------------------------------------ */

/* The trials that the settings ask for, with their commands. KAN_BAD_INPUT when they are too many.
 */
KAN_MUST_USE kan_status kan_compare_plan(kan_compare *compare);
/* " --qi age,zip --ks 2,5": what the user set, except where results go. */
KAN_MUST_USE kan_status kan_compare_add_settings(const kan_compare *compare, kan_text *text);
/* The table, or the job file where there are several; NULL: it is in memory. */
const char *kan_compare_path(const kan_compare *compare);
/* A job with the settings of one trial; the caller's. */
KAN_MUST_USE kan_status kan_compare_trial_job(const kan_compare *compare,
                                              const kan_compare_trial *trial, kan_job **out);
/* ---- compare_unused.c ------------------------------------------------------------------------ */

/* KAN_BAD_INPUT where a flag is an option that no search or cost of the comparison has. */
KAN_MUST_USE kan_status kan_compare_check_unused(const kan_compare *compare);
/* Leaves out what the search and the cost of a trial do not have: as flags they would be refused. */
void kan_compare_drop_unused(const kan_compare_trial *trial, kan_options *options);
/* ---- compare_trials.c again ------------------------------------------------------------------ */

/* The keys of all trials: settings, and the bytes of the hierarchies and other files that they name.
 * The hierarchies are bound. */
KAN_MUST_USE kan_status kan_compare_make_keys(kan_compare *compare, const kan_setup *setup);
/* SHA-256 of the table: of its file, or of what was read where that is not a plain file. */
KAN_MUST_USE kan_status kan_compare_hash_input(const kan_compare *compare, const kan_setup *setup,
                                               char text[KAN_HASH_TEXT]);

/* ---- compare_save.c -------------------------------------------------------------------------- */

typedef struct kan_compare_save kan_compare_save;

/* Opens the file of --save, or makes it, and takes the finished trials from it. *out is NULL where
 * none is named. KAN_BAD_INPUT when it is the file of another table, or of something else. */
KAN_MUST_USE kan_status kan_compare_save_open(kan_compare *compare, const kan_setup *setup,
                                              kan_compare_save **out);
/* Adds a finished trial: its line is whole and on the disk, or not there. */
KAN_MUST_USE kan_status kan_compare_save_add(kan_compare_save *save,
                                             const kan_compare_trial *trial);
void kan_compare_save_close(kan_compare_save *save);

/* ---- compare_result.c ------------------------------------------------------------------------ */

/* Finishes a trial: from the JSON of its search where status is KAN_OK, else from the run's error.
 */
KAN_MUST_USE kan_status kan_compare_take(kan_compare *compare, kan_compare_trial *trial,
                                         kan_status status, const char *search_json);
/* The same from a saved object, which is taken over. */
KAN_MUST_USE kan_status kan_compare_take_saved(kan_compare *compare, kan_compare_trial *trial,
                                               json_t *saved);
/* Whether the trial is finished and found a release. */
bool kan_compare_is_solved(const kan_compare_trial *trial);
/* A number of a solved trial by its path, "groups", "metrics.ncp" or "models.regressions.0.lost"; NAN where
 * there is none. */
double kan_compare_number(const kan_compare_trial *trial, const char *path);
/* Whether any trial has that number. */
bool kan_compare_has(const kan_compare *compare, const char *path);

/* The JSON of the comparison, a line for each trial, into out->json. */
KAN_MUST_USE kan_status kan_compare_json(const kan_compare *compare, kan_result *out);
/* What --output asks for. */
KAN_MUST_USE kan_status kan_compare_write_csv(const kan_compare *compare);

/* ---- compare_contain.c ----------------------------------------------------------------------- */

/* Whether a model that contains another cost more here, all else being the same. */
bool kan_compare_breaks(const kan_compare_trial *outer, const kan_compare_trial *inner);
/* All such pairs, a line each. */
void kan_compare_add_breaks(const kan_compare *compare, kan_text *text);

/* ---- compare_models.c ------------------------------------------------------------------------ */

/* What the job says that is measured of each release, which no search has. */
KAN_MUST_USE kan_status kan_compare_add_measures(const kan_compare *compare, kan_options *out);
/* Models of --regress (true) or --classify that trials have figures of. */
size_t kan_compare_count_models(const kan_compare *compare, bool is_regression);
/* "models.regressions.0.lost" */
void kan_compare_model_path(bool is_regression, size_t which, const char *key, char room[64]);
/* Which release is best for which model, in sentences. `is_by_k`: for each k. */
KAN_MUST_USE kan_status kan_compare_add_models(const kan_compare *compare, bool is_by_k,
                                               size_t width, kan_text *text);

/* ---- compare_table.c, compare_chart.c -------------------------------------------------------- */

/* The lines for people, into out->summary. */
KAN_MUST_USE kan_status kan_compare_summary(const kan_compare *compare, kan_result *out);
/* What --chart asks for. */
KAN_MUST_USE kan_status kan_compare_write_chart(const kan_compare *compare);
/* KAN_BAD_INPUT when what --chart asks for cannot be drawn. */
KAN_MUST_USE kan_status kan_compare_check_chart(const kan_compare *compare);

/* Gives a text to a file that stands there complete or not at all. */
KAN_MUST_USE kan_status kan_compare_write_text(const kan_compare *compare, const char *path,
                                               const kan_text *text);

#endif
