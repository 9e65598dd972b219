/* What the files of this room share. */
#ifndef KANON_JOB_IMPORT_INSIDE_H
#define KANON_JOB_IMPORT_INSIDE_H

#include "io/excel/excel.h"
#include "job/settings/settings.h"
#include "job/tell/tell.h"

/* A column as definition.xml has it; NULL: it does not say. Texts live in the arena. */
typedef struct kan_arx_column {
    const char *name, *type, *datatype, *format, *min, *max, *function, *response;
    const char *file;  /* its hierarchy in the folder, "hierarchies/age.csv"; NULL: it has none */
    uint64_t n_levels; /* of that, the values among them */
    bool has_top;      /* its last level is one label */
} kan_arx_column;

typedef struct kan_arx_weight {
    const char *column, *weight;
} kan_arx_weight;

/* Something that was not taken over, and why. */
typedef struct kan_arx_left {
    const char *what, *why;
} kan_arx_left;

/* What became of a criterion. */
typedef struct kan_arx_taken {
    const char *what; /* as ARX prints it, fit to be shown */
    const char *as;   /* a setting and its value */
} kan_arx_taken;

typedef struct kan_import {
    kan_run *run;
    kan_arena *arena;
    kan_package package;
    bool is_open;
    const char *folder; /* as it was asked for */
    const char *hidden; /* where it is made; NULL: nowhere yet */
    kan_arx_column *columns;
    size_t n_columns, columns_capacity;
    kan_arx_weight *weights;
    size_t n_weights, weights_capacity;
    const char **criteria;
    size_t n_criteria, criteria_capacity;
    const char *metric, *limit, *separator, *quote, *escape, *suppressed;
    bool has_config;
    bool has_subset;  /* the rows of the table are those of subset.csv */
    bool has_missing; /* a field of the table is NULL, which ARX writes for what is missing */
    kan_job *made;    /* the job that the project becomes */
    kan_arx_left *left;
    size_t n_left, left_capacity;
    kan_arx_taken *taken;
    size_t n_taken, taken_capacity;
} kan_import;

/* A text of the archive, made fit to be shown: its beginning, without what steers a terminal. */
KAN_MUST_USE kan_status kan_import_clean(kan_import *import, kan_slice text, const char **out);
/* Adds to the list of what was not taken over; `what` comes from the archive, and is made fit to be shown. */
KAN_MUST_USE kan_status kan_import_leave(kan_import *import, kan_slice what, const char *why);

/* arx_project.c: the XML files of the archive. */
KAN_MUST_USE kan_status kan_import_read(kan_import *import);
/* arx_promise.c: criteria, metric and weights become settings of `made`. */
KAN_MUST_USE kan_status kan_import_promise(kan_import *import);
/* arx_job.c: all settings of `made`; the files are there. */
KAN_MUST_USE kan_status kan_import_make_job(kan_import *import);
/* Sets it; where that is refused it is left, for that reason. */
KAN_MUST_USE kan_status kan_import_set(kan_import *import, kan_slice what, const char *setting,
                                       const char *value);
KAN_MUST_USE kan_status kan_import_set_column(kan_import *import, kan_slice what,
                                              const char *setting, const char *column,
                                              const char *value);

/* import_folder.c: the folder is made beside its place, under a name that nobody can guess, */
KAN_MUST_USE kan_status kan_import_begin(kan_import *import);
/* and filled with the table and the hierarchies. */
KAN_MUST_USE kan_status kan_import_copy(kan_import *import);
KAN_MUST_USE kan_status kan_import_put(kan_import *import, const char *name, const char *text);
/* import_table.c: rows of a table in the archive, which must have all columns of the definition. Notes NULL. */
KAN_MUST_USE kan_status kan_import_look(kan_import *import, const char *part, uint64_t *n_rows);
/* Whether it is the file, byte for byte. */
KAN_MUST_USE kan_status kan_import_is_file(kan_import *import, const char *part, const char *path,
                                           bool *out);
/* The folder gets its name, or goes away with all that is in it. */
KAN_MUST_USE kan_status kan_import_commit(kan_import *import);
void kan_import_discard(kan_import *import);

#endif
