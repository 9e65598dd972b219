/* A job: settings by name, checked when they are set. */
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

/* A borrowed table that stands for what a setting would name. */
typedef struct kan_job_table_entry {
    const char *setting;
    const kan_table *table;
    const struct kan_job_table_entry *next;
} kan_job_table_entry;

/* One of several tables that belong together (`tables:` of a job file): its own settings, and how it
 * hangs on another. */
/* A column of the parent that the rows of a table show, too. */
typedef struct kan_job_with {
    const char *column;
    struct kan_job_with *next; /* in the order of the file */
} kan_job_with;

typedef struct kan_job_part {
    const char *name;  /* of the table, and of its file in the release */
    const char *place; /* "job.yaml:7", for messages */
    const char *key;   /* its column that names its rows, or NULL */
    const char *of;    /* the table whose rows its own belong to; NULL: people */
    const char *by; /* its column that says to which; NULL: it has the name of that table's key */
    kan_job_with *with;
    kan_job *job;              /* its settings */
    struct kan_job_part *next; /* in the order of the file */
} kan_job_part;

struct kan_job {
    kan_run *run;
    kan_arena arena;
    kan_options options;     /* every setting that was given, by name, in order */
    kan_options passed_over; /* what the last run did not take from job files (job/pass_over.h) */
    const kan_table *table;  /* borrowed input rows; NULL: the setting `input` names them */
    /* `table` was read as these settings say (--missing, --decimal, ...): its values are in kanon's
     * own form, and its columns know how they are written. */
    bool is_table_taken;
    const kan_job_table_entry *tables;   /* those that stand for other settings */
    kan_job_part *parts;                 /* of `tables:`; NULL: the job is about one table */
    const struct kan_memory_file *files; /* hierarchies in memory, in the job's arena */
    kan_slice drawn_key;                 /* of pseudonyms, where no file has one; borrowed */
    bool wants_arrow;                    /* its release stays in memory, as Arrow */
    bool wants_figures;                  /* its result has those of a report */
    const kan_job_origin *origins;
    /* Options that do nothing for its search are notes, also where they are flags: other searches of
     * the comparison have them. */
    bool tolerates_unused;
    bool makes_release;        /* it is run by `anonymize`: its output is a table */
    const char *made_from;     /* the input of a job file, where a flag names another; or NULL */
    const char *command;       /* what a job file says it is for; NULL: anything */
    const char *command_place; /* "job.yaml:1", where it says so */
};

/* Takes over the tables of another job, which has none afterwards. */
KAN_MUST_USE kan_status kan_job_take_parts(kan_job *job, kan_job *from);

/* The table in memory that stands for a setting; NULL: none does. */
const kan_table *kan_job_table(const kan_job *job, const char *setting);
/* Whether there is a table by that name, in memory or as a path. */
bool kan_job_names_table(const kan_job *job, const char *setting);

/* Bytes that a job file may have. */
enum { KAN_JOB_FILE_BYTES = 1 << 20 };

/* Whether YAML can hold the text at all: it is UTF-8. */
bool kan_yaml_is_sayable(const char *text);
/* Adds it as a scalar, in quotes where it needs them. */
void kan_yaml_add_scalar(kan_text *text, const char *scalar);

/* What a setting names, as a job file at `path` names it, as a scalar: paths in a job file are relative to
 * it. Nothing, and false, where it may name none. */
KAN_MUST_USE kan_status kan_job_add_path(const kan_job *job, const char *setting, const char *path,
                                         kan_text *text, bool *is_named);

/* Hands the settings of the run (threads, memory, seed, time limit, where temporary files go) to
 * it. */
KAN_MUST_USE kan_status kan_job_prepare_run(const kan_job *job);

#endif
