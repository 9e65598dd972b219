/* A DuckDB database, most often in memory, that can reach what it is told and nothing else, and running SQL in it. */
#ifndef KANON_IO_DUCKDB_DUCK_H
#define KANON_IO_DUCKDB_DUCK_H

#include "core/text.h"
#include "io/duckdb/duck_api.h"

typedef struct kan_duck {
    kan_run *run;
    const char *name, *path; /* of the file: for messages, and what may be reached */
    kan_duck_api api;
    kan_duck_database database;
    kan_duck_connection connection;
} kan_duck;

typedef struct kan_duck_plan {
    const char *name;         /* of the file, for messages; it must outlive the database */
    const char *what;         /* its format, for messages */
    const char *path;         /* what may be reached, such as /proc/self/fd/7; the same holds */
    unsigned n_threads;       /* of the library itself, the caller's included */
    const kan_options *given; /* NULL: none */
    const char *database;     /* its file; NULL: in memory */
    bool only_reads;          /* the file: nothing of it is changed, and others may read it, too */
    const char *output;       /* may be reached as well; NULL: nothing */
    const char *folders[2];   /* all below may be reached, they end with a slash; NULL: none */
    const char *spill;        /* a folder for what does not fit into memory; NULL: none */
} kan_duck_plan;

KAN_MUST_USE kan_status kan_duck_open(kan_run *run, const kan_duck_plan *plan, kan_duck **out);
void kan_duck_close(kan_duck *duck); /* NULL is none */

/* An error of the library, of which the first line is told: `status`, with what could not be done
 * and what helps. A run that was cancelled is KAN_CANCELLED, a lack of memory KAN_FAILED. */
kan_status kan_duck_fail(const kan_duck *duck, kan_status status, const char *what,
                         const char *error, const char *remedy);

/* Runs SQL to its first rows, or, where it has none, to its end; a cancelled run interrupts it. The
 * result must be destroyed when it is KAN_OK. `what` and `remedy` are for kan_duck_fail. */
typedef struct kan_duck_query {
    const char *sql;
    kan_status status; /* of a failure */
    const char *what, *remedy;
} kan_duck_query;
KAN_MUST_USE kan_status kan_duck_run(const kan_duck *duck, kan_duck_connection connection,
                                     const kan_duck_query *query, kan_duck_result *out);
/* The next rows of the result, NULL behind the last; the caller's to destroy. */
KAN_MUST_USE kan_status kan_duck_fetch(const kan_duck *duck, const kan_duck_query *query,
                                       kan_duck_result *result, kan_duck_chunk *out);
/* A name or a text as SQL has it: in quotes, and quotes in it twice. */
void kan_duck_quote(kan_text *sql, const char *text, char quote);

#endif
