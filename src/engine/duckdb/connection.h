/* A connection to DuckDB, for the files of this room. */
#ifndef KANON_ENGINE_DUCKDB_CONNECTION_H
#define KANON_ENGINE_DUCKDB_CONNECTION_H

#include "core/spill_folder.h"
#include "engine/sql/sql.h"
#include "engine/transport.h"
#include "io/duckdb/duckdb.h"
#include "io/streams/streams.h"

typedef struct kan_duck_line {
    kan_run *run;
    kan_arena arena;
    const kan_address *address;
    kan_duck *duck;
    const char *place;      /* of the table, behind FROM */
    int input;              /* the file or folder, open; -1: none */
    int output;             /* a number that is kept for the release */
    const char *outside;    /* how the library calls the release: /proc/self/fd/8 */
    kan_spill_folder spill; /* for what does not fit: the library gives its files names */
    kan_target *target;
    uint64_t n_received;
} kan_duck_line;

kan_status kan_duck_line_connect(kan_run *run, const kan_address *address, const kan_options *given,
                                 void **out);
void kan_duck_line_disconnect(void *connection);

/* The table that the address names; of a schema there is none yet. */
kan_status kan_duck_line_turn(void *connection, const kan_address *address);
kan_status kan_duck_line_columns(void *connection, const kan_row_taker *taker);
kan_status kan_duck_line_execute(void *connection, size_t node, const kan_statement *statement);
kan_status kan_duck_line_query(void *connection, size_t node, const kan_statement *statement,
                               size_t n_columns, const kan_row_taker *taker);
kan_status kan_duck_line_load(void *connection, size_t node, const char *table, size_t n_columns,
                              const kan_row_giver *giver);

extern const kan_transport_file kan_duck_line_file;

#endif
