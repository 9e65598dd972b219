/* What the files of this room share about an open table of an engine. */
#ifndef KANON_ENGINE_STATE_H
#define KANON_ENGINE_STATE_H

#include "data/encoder.h"
#include "engine/engine.h"
#include "engine/sql.h"
#include "engine/transport.h"

/* The texts of a column of reals as the engine wrote them, and what each is in kanon's form. */
typedef struct kan_engine_reals {
    kan_encoder given;     /* the engine's texts */
    kan_text written;      /* kanon's, one after the other */
    size_t *start;         /* given.n + 1 offsets into it */
    size_t start_capacity; /* of start */
    bool is_there;
} kan_engine_reals;

/* A release that is being made, and is not yet named. */
typedef struct kan_engine_release {
    kan_address target; /* of the table that it becomes */
    bool overwrite;
    bool is_begun;            /* there may be a table `place` */
    const char *name, *place; /* its name until then, and as SQL has it */
    const char *whole;        /* as it stands behind FROM to count it: all parts */
    kan_sql_table counted;    /* its columns that do not pass through */
} kan_engine_release;

struct kan_engine {
    kan_run *run;
    kan_arena arena;
    const kan_engine_kind *kind;
    const kan_transport *transport;
    kan_address address;
    void *connection;
    kan_sql_table table;
    const char **names; /* of its columns */
    kan_field *fields;
    kan_engine_reals *reals; /* by column */
    bool is_in_transaction;
    uint64_t n_rows_received;
    kan_engine_release release;
    const char **leftovers; /* tables that stay unless they are dropped, as SQL has them */
    size_t n_leftovers, leftovers_capacity;
};

/* Runs a statement on one node, on each that has rows, or for its rows. `sql` is spent. */
KAN_MUST_USE kan_status kan_engine_execute(kan_engine *engine, size_t node, kan_text *sql,
                                           const char *what);
KAN_MUST_USE kan_status kan_engine_execute_parts(kan_engine *engine, kan_text *sql,
                                                 const char *what);
KAN_MUST_USE kan_status kan_engine_query(kan_engine *engine, kan_text *sql, const char *what,
                                         size_t n_columns, const kan_row_taker *taker);
/* Servers among which the table is divided, 0: it is not. */
size_t kan_engine_n_parts(const kan_engine *engine);

/* columns.c: the columns of the address' table. */
KAN_MUST_USE kan_status kan_engine_find_columns(kan_engine *engine);

/* fold.c: a counted table of the encoded columns of `table`, sorted by codes; `reals`, by column,
 * keeps what the engine wrote, NULL: nobody asks. */
typedef struct kan_engine_count_plan {
    const kan_sql_table *table;
    const bool *encode;
    kan_engine_reals *reals;
    const char *what, *stage; /* "count the rows of people", "fold" */
} kan_engine_count_plan;
KAN_MUST_USE kan_status kan_engine_count(kan_engine *engine, const kan_engine_count_plan *plan,
                                         kan_table **out);
void kan_engine_reals_destroy(kan_run *run, kan_engine_reals *reals);

#endif
