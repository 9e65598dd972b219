/* What a table has beside its rows outlives its replacement: --force is not how somebody loses comments,
 * indexes and grants. The engine writes the statements (dialect.h), and each runs by itself: one that fails, such as
 * NOT NULL of a column that has become NULL somewhere, is noted, and the release stays. */
#include "engine/engine_state.h"

typedef struct finding {
    kan_engine *engine;
    kan_engine_kept *kept;
} finding;

static kan_status take_statement(void *context, const kan_slice *values) {
    const finding *const f = context;
    kan_engine_kept *const kept = f->kept;
    if (!values[0].bytes)
        return KAN_OK;
    KAN_TRY(kan_reserve(f->engine->run, kept->n + 1, sizeof *kept->statements, &kept->capacity,
                        &kept->statements));
    return kan_arena_copy(&f->engine->arena, values[0].bytes, values[0].size,
                          &kept->statements[kept->n++]);
}

kan_status kan_engine_find_kept(kan_engine *engine, kan_engine_kept *out) {
    const kan_dialect *const dialect = engine->table.dialect;
    const kan_engine_release *const release = &engine->release;
    finding f = {engine, out};
    const kan_row_taker taker = {take_statement, &f};
    kan_text sql;
    if (!dialect->keeps)
        return KAN_OK;
    kan_text_init(&sql, engine->run);
    for (const char *at = dialect->keeps; *at; at++) {
        if (*at == '?')
            kan_sql_text(&sql, dialect, kan_slice_of(release->target.table));
        else if (*at == '#')
            kan_sql_text(&sql, dialect, kan_slice_of(release->name));
        else if (*at == '@' && release->target.schema)
            kan_sql_text(&sql, dialect, kan_slice_of(release->target.schema));
        else if (*at == '@')
            kan_text_print(&sql, "NULL");
        else
            kan_text_add(&sql, at, 1);
    }
    return kan_engine_query(engine, &sql, "look what the table that is replaced has", 1, &taker);
}

static kan_status execute(kan_engine *engine, const char *statement, const char *what) {
    kan_text sql;
    kan_text_init(&sql, engine->run);
    kan_text_add(&sql, statement, strlen(statement));
    return kan_engine_execute(engine, 0, &sql, what);
}

/* In a transaction, which a statement that fails would end. */
kan_status kan_engine_give_kept(kan_engine *engine, const kan_engine_kept *kept) {
    static const char what[] = "give the release what the table before it had";
    for (size_t i = 0; i < kept->n; i++) {
        KAN_TRY(execute(engine, "SAVEPOINT kanon_kept", what));
        const kan_status status = execute(engine, kept->statements[i], what);
        if (status != KAN_OK && status != KAN_FAILED && status != KAN_BAD_INPUT)
            return status;
        if (status != KAN_OK) {
            kan_note(engine->run,
                     "%s: the table that was replaced had this, and the release cannot have it: %s",
                     engine->release.text, kept->statements[i]);
            KAN_TRY(execute(engine, "ROLLBACK TO SAVEPOINT kanon_kept", what));
        }
        KAN_TRY(execute(engine, "RELEASE SAVEPOINT kanon_kept", what));
    }
    return KAN_OK;
}

void kan_engine_kept_destroy(kan_engine *engine, kan_engine_kept *kept) {
    kan_free(engine->run, kept->statements);
}
