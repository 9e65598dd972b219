/* The end of a release: its name, or nothing left of it. */
#include <stdlib.h>
#include <string.h>

#include "engine/engine_state.h"

/* Statements that take away what was begun. They run though the run was cancelled, and what fails
 * here does not replace the text of what failed before. */
static bool clean_up(kan_engine *engine, size_t node, const char *sql) {
    const kan_statement statement = {
        .sql = sql, .what = "take away what was begun", .cleans_up = true};
    return engine->transport->execute(engine->connection, node, &statement) == KAN_OK;
}

static void drop_leftover(kan_engine *engine, const char *place) {
    kan_text sql;
    bool is_gone = true;
    kan_text_init(&sql, engine->run);
    kan_sql_drop(&sql, engine->table.dialect, place);
    for (size_t node = 0; node <= kan_engine_n_parts(engine); node++)
        is_gone = kan_text_status(&sql) == KAN_OK && clean_up(engine, node, sql.bytes) && is_gone;
    if (!is_gone)
        kan_note(
            engine->run,
            "%s: the table %s was begun and could not be taken away; drop it when the engine is "
            "there again",
            kan_engine_name(engine), place);
    kan_text_destroy(&sql);
}

/* Keeps the text of an error over calls that may fail as well. */
static char *keep_error(kan_run *run) {
    return strdup(kan_run_error(run));
}

static void restore_error(kan_run *run, char *error) {
    if (error && *error)
        (void)kan_fail(run, KAN_FAILED, "%s", error);
    free(error);
}

void kan_engine_discard(kan_engine *engine) {
    const kan_dialect *const dialect = engine->table.dialect;
    if (!dialect || (!engine->is_in_transaction && engine->n_leftovers == 0))
        return;
    char *const error = keep_error(engine->run);
    /* What was made within the transaction goes with it, also when the connection ends. */
    if (engine->is_in_transaction)
        (void)clean_up(engine, 0, dialect->rollback);
    engine->is_in_transaction = false;
    while (engine->n_leftovers > 0)
        drop_leftover(engine, engine->leftovers[--engine->n_leftovers]);
    restore_error(engine->run, error);
}
