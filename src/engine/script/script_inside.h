/* The inside of engine/script. */
#ifndef KANON_ENGINE_SCRIPT_SCRIPT_INSIDE_H
#define KANON_ENGINE_SCRIPT_SCRIPT_INSIDE_H

#include "engine/engine_state.h"
#include "engine/script/script.h"
#include "io/streams/streams.h"

typedef struct kan_script {
    kan_run *run;
    const kan_dialect *dialect;
    kan_arena arena;
    const char *schema, *place; /* of the input: its schema, not quoted, or NULL; as SQL has it */
    const char *release_schema, *release; /* the same of the release */
    char name[32];                        /* of tables of ours */
    const char *working;                  /* the working table, as SQL has it */
    /* The counts, and by column of the engine's table which of theirs it is; SIZE_MAX: none. */
    const char *counts_path;
    kan_source *counts;
    kan_table *rows;
    size_t n_columns, count_column, *column_of;
    const char **names; /* of the engine's table */
    kan_text statements;
    const char
        *columns; /* of the table that was made last, as SQL has them; for what is put into it */
    kan_target *target;
} kan_script;

/* write.c: one more statement, with what it is for as a comment; of fixed words. */
void kan_script_add(kan_script *script, const char *what, const char *sql);
kan_status kan_script_execute(void *connection, size_t node, const kan_statement *statement);
kan_status kan_script_load(void *connection, size_t node, const char *table, size_t n_columns,
                           const kan_row_giver *giver);
/* The query that must give no row: texts are compared by bytes. */
void kan_script_add_probe(kan_text *sql, const kan_script *script);
extern const kan_transport_file kan_script_file;

#endif
