/* What the two kinds of source have in common: a file, a database with it, and columns. */
#ifndef KANON_IO_DUCKDB_DUCK_SOURCE_H
#define KANON_IO_DUCKDB_DUCK_SOURCE_H

#include "io/duckdb/duck.h"
#include "io/duckdb/duck_file.h"
#include "io/duckdb/duck_type.h"
#include "io/gather.h"
#include "io/source.h"

typedef struct kan_duck_source {
    kan_run *run;
    kan_arena arena;
    const char *name, *what; /* the file and its format, for messages */
    kan_duck_file file;
    kan_duck *duck;
    size_t n_columns;
    const char **names;
    kan_field *fields;
    const kan_field **field_of; /* by column: all of fields */
    kan_scalar_type *types;
    bool is_json; /* values are JSON: texts in quotes, with escapes */
} kan_duck_source;

/* Names of columns, and what SQL calls their types; they live as long as the source. */
typedef struct kan_duck_list {
    struct kan_duck_named {
        const char *name, *sql;
    } * rows;
    size_t n, capacity;
} kan_duck_list;

/* Opens the file, not yet the database. */
KAN_MUST_USE kan_status kan_duck_source_open(kan_run *run, const char *path, const char *what,
                                             kan_duck_source **out);
void kan_duck_source_close(kan_duck_source *source); /* NULL is none */
/* Starts the library with so many threads. */
KAN_MUST_USE kan_status kan_duck_source_start(kan_duck_source *source, unsigned n_threads,
                                              const kan_options *given);
/* Appends what a query selects: names and types, both of them text. `rows` is the caller's. */
KAN_MUST_USE kan_status kan_duck_source_list(kan_duck_source *source, const char *sql,
                                             kan_duck_list *list);
/* The columns of the source, from here on. */
KAN_MUST_USE kan_status kan_duck_source_take(kan_duck_source *source, const kan_duck_list *list);
/* A query of the file: what cannot be done then is KAN_BAD_INPUT. */
kan_duck_query kan_duck_source_query(const kan_duck_source *source, const char *sql);
/* KAN_BAD_INPUT with all columns among these that cannot be read. */
KAN_MUST_USE kan_status kan_duck_source_check(const kan_duck_source *source, const bool *encode);

/* The functions of kan_source_kind. */
void kan_duck_kind_close(void *state);
const char *kan_duck_kind_name(const void *state);
size_t kan_duck_kind_n_columns(const void *state);
const char *kan_duck_kind_column_name(const void *state, size_t column);
const kan_field *kan_duck_kind_field(const void *state, size_t column);

/* ---- rows ----------------------------------------------------------------------------------- */

/* The work of one thread: codes of the rows that a query gives, handed over in blocks. */
typedef struct kan_duck_worker {
    const kan_duck_source *source;
    kan_gather *gather;
    unsigned index;
    kan_duck_connection connection;
    size_t n_encoded;
    struct kan_duck_column *columns; /* n_encoded */
    uint32_t **codes;                /* n_encoded: those of the block so far */
    size_t n_rows;                   /* in it */
    size_t most_of_chunk;            /* rows that the library gives at once */
    kan_status status;               /* of what the library called; KAN_OK: nothing failed */
} kan_duck_worker;

enum { KAN_DUCK_BLOCK = 1 << 16 }; /* rows of a block, or some more; fewer in a query's last */

KAN_MUST_USE kan_status kan_duck_worker_init(kan_duck_worker *worker, const kan_duck_source *source,
                                             kan_gather *gather, unsigned index,
                                             const bool *encode);
void kan_duck_worker_destroy(kan_duck_worker *worker);
/* Adds what a query selects for the column at this place among the encoded ones: its values as the
 * type that they were said to have, so that a vector is what we take it for; of text, numbers. */
void kan_duck_select(const kan_duck_source *source, size_t column, size_t place, kan_text *sql);
/* Makes the function that does the latter known to the library, once. */
KAN_MUST_USE kan_status kan_duck_select_begin(const kan_duck_source *source);
/* Runs a query that selects the encoded columns; its blocks begin with *block, which becomes the
 * next one. *n_rows is how many came; it ends where there are more than `most`. */
KAN_MUST_USE kan_status kan_duck_worker_read(kan_duck_worker *worker, const char *sql,
                                             size_t *block, uint64_t most, uint64_t *n_rows);

#endif
