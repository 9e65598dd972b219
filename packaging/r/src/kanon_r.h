/* The C part of the R package: data frames as tables of libkanon, jobs, and what comes out as R objects.
 *
 * R leaves a function by a jump when it fails, a failed allocation included. So what is not R's belongs to a
 * `kanon_work`, which an external pointer of R frees in any case, and no function of R is called where
 * frames of libkanon are below it, but within R_ToplevelExec and R_tryEval. */
#ifndef KANON_R_H
#define KANON_R_H

#include <kanon_arrow.h>
#include <stdbool.h>

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

enum { KANON_MOST_TABLES = 4, KANON_MOST_LINES = 64 };

typedef struct kanon_work {
    kan_run *run;
    kan_job *job;
    kan_result *result;
    kan_table *tables[KANON_MOST_TABLES];
    kan_table *lines[KANON_MOST_LINES]; /* hierarchies */
    int n_tables, n_lines;
    struct ArrowArrayStream stream; /* the release, until it is R's */
    struct ArrowSchema schema;
    struct ArrowArray batch;
    SEXP progress;       /* a function, or NULL of R */
    bool is_interrupted; /* once: the best so far is the answer */
    bool has_failed;     /* the function of progress did */
    char **notes;
    size_t n_notes, note_capacity;
} kanon_work;

/* A stream of one batch over the columns, each a list of what R/columns.R makes; NULL where memory is out. They
 * are read where they are, and must live until the table that is made of it is destroyed. */
bool kanon_stream_of(SEXP columns, double n_rows, struct ArrowArrayStream *out);
/* An error of R where a column has another length than the table, or another type than its kind. */
void kanon_check_columns(SEXP columns, double n_rows);
/* The columns of a released batch, as R/columns.R reads them. */
SEXP kanon_columns_of(const struct ArrowSchema *schema, const struct ArrowArray *batch);

/* .Call */
SEXP kanon_c_version(void);
SEXP kanon_c_settings(void);
SEXP kanon_c_commands(void);
SEXP kanon_c_nearest(SEXP name, SEXP command);
SEXP kanon_c_list(void);
SEXP kanon_c_json(SEXP text);
SEXP kanon_c_texts(SEXP numbers);
SEXP kanon_c_missing_kinds(SEXP numbers);
SEXP kanon_c_run(SEXP command, SEXP settings, SEXP tables, SEXP hierarchies, SEXP wants_table,
                 SEXP progress);

#endif
