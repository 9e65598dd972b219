/* The inside of `anonymize`: what a solution makes of the table (application.c), and the three ways
 * to release it: into a file (release_file.c), into memory (release_memory.c), or where the rows are
 * (release_engine.c). The order is the same in each: make it, recount it, tell of it, name it. */
#ifndef KANON_JOB_RELEASE_APPLICATION_H
#define KANON_JOB_RELEASE_APPLICATION_H

#include "analyze/verify/verify.h"
#include "io/sink.h"
#include "job/outcome/outcome.h"
#include "job/release/calibrate.h"
#include "job/release/shown_order.h"
#include "job/release/shuffle.h"
#include "job/report/report.h"

/* A solution, applied: the release and what its recount has to know. */
typedef struct kan_application {
    const kan_setup *setup;
    kan_solution *solution;
    kan_shuffle *shuffle;
    kan_release release;
    kan_slice **labels; /* by column of the release; NULL: they are the solution's */
    /* Who is left out was decided elsewhere, by row of the table; NULL: the solution says. Borrowed. */
    const uint8_t *given_suppressed;
    const struct kan_release_texts *given_texts; /* of one column, or NULL. Borrowed. */
    bool
        has_order; /* the rows of the table stand in one that says nothing, wherever they are from */
    uint8_t *is_suppressed;
    uint64_t *order;
    uint64_t *row_of;   /* where people are counted: kan_release_check.row_of */
    const char **names; /* by column of the release */
    /* The columns that the recount compares. */
    const char *quasi[KAN_MAX_ATTRIBUTES];
    const kan_hierarchy *hierarchies[KAN_MAX_ATTRIBUTES]; /* of those */
    size_t n_quasi;
    const char **others;
    size_t n_others;
    bool *as_is; /* by column of the release */
    struct kan_mean_names means[KAN_MAX_ATTRIBUTES];
    size_t n_means;
    kan_calibration calibration; /* where the setup asks for it */
    size_t place;                /* in a file of several tables: which it is */
    kan_target *certificate;     /* beside its target; NULL: none is asked for */
    kan_target *report;          /* the same */
} kan_application;

/* Describes the release: columns with their labels, rows that are left out, their order. Setup,
 * solution and shuffle are set, all else is zero; always destroy it. */
KAN_MUST_USE kan_status kan_application_make(kan_application *app);
void kan_application_destroy(kan_application *app);

/* Counts the release again, into the outcome: the bytes of the sink, or, without one, the table,
 * which has the columns that do not pass through. */
KAN_MUST_USE kan_status kan_application_verify(const kan_application *app, const kan_sink *sink,
                                               const kan_table *table, kan_outcome *outcome);
/* Adds the rows of the release, without columns that pass through, to a table that has these
 * columns, and seals it; a counted one where the release is. */
KAN_MUST_USE kan_status kan_application_fill(const kan_application *app, kan_table *table);
/* The same as a table of its own, and the row of the input that each of its n rows was made from. */
KAN_MUST_USE kan_status kan_application_table(const kan_application *app, kan_table **out);
KAN_MUST_USE kan_status kan_application_rows(const kan_application *app, uint64_t n,
                                             uint64_t **out);
/* Notes of what whoever releases the table should know. */
void kan_application_tell(const kan_application *app, kan_outcome *outcome);

/* Makes the result, the report and what else goes with a release that was recounted, and names them
 * all, the release last of all, with `commit`. `path` is where its bytes are; NULL: in no file. */
typedef struct kan_release_naming {
    const char *path;
    double began; /* when the walk did */
    kan_status (*commit)(void *context);
    void *context;
} kan_release_naming;
KAN_MUST_USE kan_status kan_release_name(kan_application *app, const kan_release_naming *naming,
                                         kan_outcome *outcome, kan_result *out);

/* Whether the job may name a rule (--rules), and its release held against it (release_rules.c):
 * KAN_UNSATISFIED where something in it is against the rule. */
KAN_MUST_USE kan_status kan_release_check_rules(kan_job *job);
KAN_MUST_USE kan_status kan_release_judge(const kan_application *app, const kan_sink *sink,
                                          kan_outcome *outcome);

/* What somebody finds who has the table, as an internal report shows it (release_attack.c). */
KAN_MUST_USE kan_status kan_release_attack(const kan_application *app, json_t **out);

/* What can still be done with it, as an internal report shows it (release_fidelity.c). */
KAN_MUST_USE kan_status kan_release_compare(const kan_application *app, json_t **out);
/* The same of a solution that nobody releases, in a few figures; null where rows stay in a database. And models
 * on it. Into the outcome, where the job asks for either. */
KAN_MUST_USE kan_status kan_release_measure(const kan_setup *setup, kan_solution *solution,
                                            kan_outcome *outcome);

/* The figures of a report, the result and the page, beside its target. `path` is where the release is; NULL: in memory. */
KAN_MUST_USE kan_status kan_release_tell(kan_application *app, const char *path, double began,
                                         kan_outcome *outcome, kan_result *out);

/* The ways to release; `began` is when the walk did. */
KAN_MUST_USE kan_status kan_release_to_file(kan_application *app, double began,
                                            kan_outcome *outcome, kan_result *out);
KAN_MUST_USE kan_status kan_release_to_engine(kan_application *app, double began,
                                              kan_outcome *outcome, kan_result *out);
/* KAN_BAD_INPUT where settings ask for what a release in an engine cannot be; all of them at once. */
KAN_MUST_USE kan_status kan_release_check_engine(const kan_job *job);
/* A note where an engine may store the rows of a person beside each other. */
void kan_release_tell_order(const kan_application *app);
/* As statements (release_script.c). */
KAN_MUST_USE kan_status kan_release_to_script(kan_application *app, double began,
                                              kan_outcome *outcome, kan_result *out);
/* KAN_BAD_INPUT where settings about statements do not go together. */
KAN_MUST_USE kan_status kan_release_check_script(const kan_job *job);
/* Whether no release is asked for, but the statement that counts; and that. */
bool kan_release_counts_only(const kan_job *job);
KAN_MUST_USE kan_status kan_release_count_script(kan_job *job, kan_result *out);
KAN_MUST_USE kan_status kan_release_to_memory(kan_application *app, double began,
                                              kan_outcome *outcome, kan_result *out);

#endif
