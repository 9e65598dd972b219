/* The end of a release: its name, or nothing left of it. */
#include <stdio.h>
#include <string.h>

#include "engine/engine_state.h"

/* Statements that take away what was begun. They run though the run was cancelled, and what fails
 * here does not replace the text of what failed before. */
static bool clean_up(kan_engine *engine, size_t node, const char *sql) {
    const kan_statement statement = {.sql = sql, .what = "undo what was begun", .cleans_up = true};
    return engine->transport->execute(engine->connection, node, &statement) == KAN_OK;
}

/* The table that shows all parts is on node 0, others are where rows are. */
static void drop_leftover(kan_engine *engine, const char *place) {
    const size_t n_parts = kan_engine_n_parts(engine);
    const bool is_whole = n_parts == 0 || place == engine->release.place;
    kan_text sql;
    bool is_gone = true;
    kan_text_init(&sql, engine->run);
    kan_sql_drop(&sql, engine->table.dialect, place);
    for (size_t node = is_whole ? 0 : 1; node <= (is_whole ? 0 : n_parts); node++)
        is_gone = kan_text_status(&sql) == KAN_OK && clean_up(engine, node, sql.bytes) && is_gone;
    if (!is_gone)
        kan_note(engine->run,
                 "%s: the table %s was begun and could not be dropped; drop it when the engine is "
                 "available again",
                 kan_engine_name(engine), place);
    kan_text_destroy(&sql);
}

/* Keeps the text of an error over calls that may fail as well. */
typedef struct kept_error {
    char text[4096];
} kept_error;

static kept_error keep_error(kan_run *run) {
    kept_error kept;
    (void)snprintf(kept.text, sizeof kept.text, "%s", kan_run_error(run));
    return kept;
}

static void restore_error(kan_run *run, const kept_error *kept) {
    if (kept->text[0])
        (void)kan_fail(run, KAN_FAILED, "%s", kept->text);
}

/* ---- the name ------------------------------------------------------------------------------- */

kan_status kan_engine_execute_final(kan_engine *engine, const char *sql, const char *what) {
    const kan_statement statement = {.sql = sql, .what = what, .is_final = true};
    KAN_TRY(kan_check_cancel(engine->run));
    return engine->transport->execute(engine->connection, 0, &statement);
}

/* Nothing that is made is seen before its end. */
static bool is_hidden(const kan_engine *engine) {
    return engine->is_in_transaction && engine->table.dialect->makes_in_transaction;
}

static kan_status rename_table(kan_engine *engine, const char *place, const char *name,
                               const char *what) {
    kan_text sql;
    kan_text_init(&sql, engine->run);
    kan_sql_rename(&sql, engine->table.dialect, place, engine->release.target.schema, name);
    kan_status status = kan_text_status(&sql);
    if (status == KAN_OK && is_hidden(engine))
        return kan_engine_execute(engine, 0, &sql, what);
    if (status == KAN_OK)
        status = kan_engine_execute_final(engine, sql.bytes, what);
    kan_text_destroy(&sql);
    return status;
}

static kan_status drop_table(kan_engine *engine, const char *place, const char *what) {
    kan_text sql;
    kan_text_init(&sql, engine->run);
    kan_sql_drop(&sql, engine->table.dialect, place);
    return kan_engine_execute(engine, 0, &sql, what);
}

static kan_status target_place(kan_engine *engine, const char *name, const char **out) {
    kan_text sql;
    kan_text_init(&sql, engine->run);
    kan_sql_place(&sql, engine->table.dialect, engine->release.target.schema, name);
    kan_status status = kan_text_status(&sql);
    if (status == KAN_OK)
        status = kan_arena_copy(&engine->arena, sql.bytes, sql.size, out);
    kan_text_destroy(&sql);
    return status;
}

/* Puts the table that is replaced out of the way. In a transaction nobody sees that; elsewhere it
 * gets another name, so that it can come back. */
static kan_status move_old(kan_engine *engine, kan_engine_kept *kept, const char **old) {
    const kan_dialect *const dialect = engine->table.dialect;
    const char *place;
    bool is_there = false;
    char name[64];
    KAN_TRY(kan_engine_find_table(engine, &engine->release.target, &is_there));
    if (!is_there)
        return KAN_OK;
    KAN_TRY(target_place(engine, engine->release.target.table, &place));
    KAN_TRY(kan_engine_find_kept(engine, kept));
    if (dialect->makes_in_transaction)
        return drop_table(engine, place, "drop the table that is replaced");
    (void)snprintf(name, sizeof name, "%s_old", engine->release.name);
    KAN_TRY(target_place(engine, name, old));
    return rename_table(engine, place, name, "move the table that is replaced out of the way");
}

/* The release could not take its name: the old table gets it back. */
static void move_back(kan_engine *engine, const char *old) {
    const kept_error error = keep_error(engine->run);
    kan_text sql;
    kan_text_init(&sql, engine->run);
    kan_sql_rename(&sql, engine->table.dialect, old, engine->release.target.schema,
                   engine->release.target.table);
    if (kan_text_status(&sql) != KAN_OK || !clean_up(engine, 0, sql.bytes))
        kan_note(engine->run, "%s: the table that was to be replaced is now %s; rename it",
                 engine->release.text, old);
    kan_text_destroy(&sql);
    restore_error(engine->run, &error);
}

static kan_status take_none(void *context, const kan_slice *values) {
    (void)context;
    (void)values;
    return KAN_OK;
}

/* Where the table that is replaced is out of the way, the input must still be there: it may be a view of
 * that table, and not every engine minds. */
static kan_status check_input(kan_engine *engine) {
    const kan_row_taker taker = {take_none, NULL};
    kan_text sql;
    kan_text_init(&sql, engine->run);
    kan_text_print(&sql, "SELECT ");
    kan_sql_pattern(&sql, engine->table.dialect->number_text, "count(*)");
    kan_text_print(&sql, " FROM %s WHERE 1 = 0", engine->table.place);
    const kan_status status = kan_engine_query(engine, &sql, "look for the input", 1, &taker);
    if (status == KAN_OK || status == KAN_CANCELLED)
        return status;
    const kept_error error = keep_error(engine->run);
    return kan_fail(
        engine->run, status,
        "%s: without this table, which would be replaced, the input cannot be read: give "
        "the release another name, if the input is a view of it (%s)",
        engine->release.text, error.text);
}

/* Parts get their lasting names before the table that shows them gets its own; that is made anew, over
 * these. What breaks in between is taken away under both names. */
static kan_status name_parts(kan_engine *engine) {
    kan_engine_release *const release = &engine->release;
    const kan_gathering gathering = {.part = release->last_name,
                                     .whole = release->place,
                                     .kept = release->kept,
                                     .n_kept = release->n_kept,
                                     .is_last = true};
    kan_text sql;
    if (kan_engine_n_parts(engine) == 0)
        return KAN_OK;
    KAN_TRY(kan_engine_remember(engine, release->last));
    kan_text_init(&sql, engine->run);
    kan_sql_rename(&sql, engine->table.dialect, release->part,
                   engine->transport->part_schema(engine->connection), release->last_name);
    KAN_TRY(kan_engine_execute_parts(engine, &sql, "give the parts of the release their names"));
    KAN_TRY(drop_table(engine, release->place, "drop the table that showed the parts"));
    return engine->transport->gather(engine->connection, &gathering);
}

/* The release has its name, so it is all the same whether the run is cancelled. */
static void drop_replaced(kan_engine *engine, const char *old) {
    kan_text sql;
    kan_text_init(&sql, engine->run);
    kan_sql_drop(&sql, engine->table.dialect, old);
    if (kan_text_status(&sql) != KAN_OK || !clean_up(engine, 0, sql.bytes))
        kan_note(engine->run, "%s: the table that was replaced is still there, as %s; drop it",
                 engine->release.text, old);
    kan_text_destroy(&sql);
}

static kan_status take_name(kan_engine *engine, kan_engine_kept *kept) {
    kan_engine_release *const release = &engine->release;
    const char *old = NULL;
    KAN_TRY(name_parts(engine));
    if (release->overwrite)
        KAN_TRY(move_old(engine, kept, &old));
    kan_status status = release->overwrite ? check_input(engine) : KAN_OK;
    if (status == KAN_OK)
        status = rename_table(engine, release->place, release->target.table,
                              "give the release its name");
    if (status == KAN_OK)
        status = kan_engine_give_kept(engine, kept);
    if (status != KAN_OK) {
        if (old)
            move_back(engine, old);
        return status;
    }
    kan_engine_forget(engine, release->place);
    kan_engine_forget(engine, release->part);
    kan_engine_forget(engine, release->last);
    if (old)
        drop_replaced(engine, old);
    return KAN_OK;
}

static kan_status name_release(kan_engine *engine) {
    kan_engine_kept kept = {.n = 0};
    const kan_status status = take_name(engine, &kept);
    kan_engine_kept_destroy(engine, &kept);
    return status;
}

kan_status kan_engine_commit(kan_engine *engine) {
    const kan_dialect *const dialect = engine->table.dialect;
    KAN_ASSERT(engine->release.is_made);
    if (engine->release.is_file) {
        KAN_TRY(engine->transport->file->commit(engine->connection));
        engine->release.is_made = false;
        return KAN_OK;
    }
    KAN_TRY(name_release(engine));
    if (is_hidden(engine))
        KAN_TRY(kan_engine_execute_final(engine, dialect->commit, "commit the release"));
    else if (engine->is_in_transaction) /* of reading alone: the release is there */
        (void)clean_up(engine, 0, dialect->commit);
    engine->is_in_transaction = false;
    engine->release.is_made = false;
    return KAN_OK;
}

/* ---- nothing left --------------------------------------------------------------------------- */

void kan_engine_discard(kan_engine *engine) {
    const kan_dialect *const dialect = engine->table.dialect;
    if (engine->release.is_made && engine->release.is_file)
        engine->transport->file->discard(engine->connection);
    engine->release.is_made = false;
    if (!dialect || (!engine->is_in_transaction && engine->n_leftovers == 0))
        return;
    const kept_error error = keep_error(engine->run);
    /* What was made within the transaction goes with it, also when the connection ends. */
    if (engine->is_in_transaction)
        (void)clean_up(engine, 0, dialect->rollback);
    engine->is_in_transaction = false;
    while (engine->n_leftovers > 0)
        drop_leftover(engine, engine->leftovers[--engine->n_leftovers]);
    restore_error(engine->run, &error);
}
