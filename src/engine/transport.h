/* A transport: how statements get to an engine and rows get back. It knows no table and makes no SQL
 * of its own beside what a connection needs; dialects (dialect.h) know the language, and engine.h is
 * written once over both.
 *
 * Every call polls the run while it waits: a cancelled run ends what the engine does (there, too)
 * and returns KAN_CANCELLED. What the engine refuses is KAN_FAILED with its first line of words,
 * without passwords; what the user can mend (no such table, no right, wrong name) KAN_BAD_INPUT with
 * the remedy. A connection that breaks is KAN_FAILED, and every later call fails as well. */
#ifndef KANON_ENGINE_TRANSPORT_H
#define KANON_ENGINE_TRANSPORT_H

#include "core/options.h"
#include "core/text.h"
#include "engine/address.h"

struct kan_dialect;
struct kan_source_options;

/* Takes rows that come: `values` has one entry per column, bytes NULL for NULL. Eight bytes are
 * readable at each value, whatever its size. What it returns ends the statement. */
typedef struct kan_row_taker {
    kan_status (*take)(void *context, const kan_slice *values);
    void *context;
} kan_row_taker;

/* Gives rows that go: fills in `values`, bytes NULL for NULL; false in *is_row behind the last. */
typedef struct kan_row_giver {
    kan_status (*give)(void *context, kan_slice *values, bool *is_row);
    void *context;
} kan_row_giver;

/* A statement, and what it is for: "count the rows of people" in messages. */
typedef struct kan_statement {
    const char *sql, *what;
    bool cleans_up; /* takes away what was begun: it runs also where the run is cancelled */
    bool
        is_final; /* gives a release its name: where the run is cancelled it does not begin, and once
                     * begun it is not ended. Nobody could tell whether it was done */
} kan_statement;

/* Tables of one name on all parts, and the table that shows them all. */
typedef struct kan_gathering {
    const char *part;        /* their name, not quoted, in the schema of the parts */
    const char *whole;       /* as SQL has it */
    const char *const *kept; /* names of columns that are as they are in the input */
    size_t n_kept;
    bool is_last; /* the parts have their lasting names, and what is to be said of them is said */
} kan_gathering;

/* Of an engine whose release may be a file: calls in this order. */
typedef struct kan_transport_file {
    /* Whether the release can be written there; nothing is written yet. */
    kan_status (*prepare)(void *connection, const char *path, bool overwrite);
    /* Writes the rows of a SELECT beside the target, under no name. */
    kan_status (*write)(void *connection, const char *select);
    /* How what was written stands behind FROM. */
    void (*place)(const void *connection, kan_text *sql);
    kan_status (*commit)(void *connection); /* gives it its name */
    void (*discard)(void *connection);      /* takes away what was not committed */
} kan_transport_file;

typedef struct kan_transport {
    /* Connects, within a limit of time. `address` outlives the connection. */
    kan_status (*connect)(kan_run *run, const kan_address *address, const kan_options *given,
                          void **out);
    /* NULL is none. What was begun and not committed is gone then, where the engine can do that. */
    void (*disconnect)(void *connection);
    /* The dialect that the connection speaks, where it depends on who answers. NULL: the kind's. */
    const struct kan_dialect *(*dialect)(const void *connection);
    /* The columns of the address' table, in order: rows of name, type as the engine calls it, and
     * "1" where it may be NULL (else "0"). KAN_BAD_INPUT where there is no such table. */
    kan_status (*columns)(void *connection, const kan_row_taker *taker);
    /* What else is known of the table, before its columns are asked for. NULL: nothing is needed. */
    kan_status (*describe)(void *connection, const struct kan_source_options *options);
    /* Of what writes statements and runs none (engine/script): the name of its tables, and the schema that
     * they are in, or NULL; and in place of a query that counts rows of the address' table, as texts in the order
     * of its columns, their number behind them. NULL: this is none of those. */
    void (*name_tables)(const void *connection, const char **name, const char **schema);
    kan_status (*count_rows)(void *connection, const bool *encode, const kan_row_taker *taker);
    /* How the address' table stands behind FROM; NULL: by its schema and name. */
    void (*place)(const void *connection, kan_text *sql);
    /* From here on both are about this table of the same database. NULL: the release of several tables is
     * not taken. */
    kan_status (*turn)(void *connection, const kan_address *address);
    /* Before rows are counted: whether they are what they seem, as far as it is not known by then.
     * KAN_BAD_INPUT where one row may be several. NULL: nothing is to be asked. */
    kan_status (*check_rows)(void *connection);
    /* A table that is divided among servers: node 0 sees all of it, nodes 1 to n hold a part each, and
     * what is made of rows is made there, part by part. NULL, or 0: one server, node 0, has all. */
    size_t (*n_parts)(const void *connection);
    /* The part of the input on these nodes, as SQL has it: the same on each. And its schema, not
     * quoted, in which parts of ours are made. */
    const char *(*part)(const void *connection);
    const char *(*part_schema)(const void *connection);
    /* A statement without rows on nodes 1 to n at once. */
    kan_status (*execute_parts)(void *connection, const kan_statement *statement);
    /* Before anything is made: whether nodes 1 to n are what the table is divided among, and take
     * tables. */
    kan_status (*check_parts)(void *connection);
    /* A table on node 0 that shows those of one name on nodes 1 to n. */
    kan_status (*gather)(void *connection, const kan_gathering *gathering);
    /* A statement without rows. */
    kan_status (*execute)(void *connection, size_t node, const kan_statement *statement);
    /* A statement that gives rows of n_columns texts: the SQL has cast them. Rows are handed over as
     * they come, in bounded memory. */
    kan_status (*query)(void *connection, size_t node, const kan_statement *statement,
                        size_t n_columns, const kan_row_taker *taker);
    /* Puts rows of n_columns texts into a table that is there; `table` is as SQL has it, quoted. */
    kan_status (*load)(void *connection, size_t node, const char *table, size_t n_columns,
                       const kan_row_giver *giver);
    const kan_transport_file *file; /* NULL: releases are tables of the engine */
    /* Bytes that came from the engine so far. */
    uint64_t (*n_received)(const void *connection);
} kan_transport;

#endif
