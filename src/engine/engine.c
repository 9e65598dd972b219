#include "engine/engine.h"

#include "engine/engine_state.h"
#include "engine/sql/sql.h"

/* ---- statements ----------------------------------------------------------------------------- */

size_t kan_engine_n_parts(const kan_engine *engine) {
    return engine->transport->n_parts ? engine->transport->n_parts(engine->connection) : 0;
}

/* A statement that is complete, and not longer than the engine takes. */
static kan_status check_statement(kan_engine *engine, const kan_text *sql) {
    const size_t most = engine->table.dialect->most_statement_bytes;
    KAN_TRY(kan_text_status(sql));
    if (most && sql->size > most)
        return kan_fail(
            engine->run, KAN_BAD_INPUT,
            "%s: %s takes statements of %zu bytes, and one of %zu is needed; name fewer "
            "columns",
            kan_engine_name(engine), engine->table.dialect->name, most, sql->size);
    return kan_check_cancel(engine->run);
}

kan_status kan_engine_execute(kan_engine *engine, size_t node, kan_text *sql, const char *what) {
    kan_status status = check_statement(engine, sql);
    if (status == KAN_OK) {
        const kan_statement statement = {.sql = sql->bytes, .what = what};
        status = engine->transport->execute(engine->connection, node, &statement);
    }
    kan_text_destroy(sql);
    return status;
}

kan_status kan_engine_execute_parts(kan_engine *engine, kan_text *sql, const char *what) {
    if (kan_engine_n_parts(engine) == 0)
        return kan_engine_execute(engine, 0, sql, what);
    kan_status status = check_statement(engine, sql);
    if (status == KAN_OK) {
        const kan_statement statement = {.sql = sql->bytes, .what = what};
        status = engine->transport->execute_parts(engine->connection, &statement);
    }
    kan_text_destroy(sql);
    return status;
}

kan_status kan_engine_query(kan_engine *engine, kan_text *sql, const char *what, size_t n_columns,
                            const kan_row_taker *taker) {
    kan_status status = check_statement(engine, sql);
    if (status == KAN_OK) {
        const kan_statement statement = {.sql = sql->bytes, .what = what};
        status = engine->transport->query(engine->connection, 0, &statement, n_columns, taker);
    }
    kan_text_destroy(sql);
    return status;
}

kan_status kan_engine_check_rows(kan_engine *engine) {
    return engine->transport->check_rows ? engine->transport->check_rows(engine->connection)
                                         : KAN_OK;
}

/* ---- opening -------------------------------------------------------------------------------- */

/* One state of the table from here to the commit, where the engine has that. */
static kan_status begin_snapshot(kan_engine *engine) {
    const char *const begin = engine->table.dialect->begin;
    kan_text sql;
    if (!begin)
        return KAN_OK;
    kan_text_init(&sql, engine->run);
    kan_text_print(&sql, "%s", begin);
    KAN_TRY(kan_engine_execute(engine, 0, &sql, "begin a transaction"));
    engine->is_in_transaction = true;
    return KAN_OK;
}

/* How the table stands behind FROM. */
static kan_status find_place(kan_engine *engine) {
    kan_text sql;
    kan_text_init(&sql, engine->run);
    if (engine->transport->place)
        engine->transport->place(engine->connection, &sql);
    else
        kan_sql_place(&sql, engine->table.dialect, engine->address.schema, engine->address.table);
    kan_status status = kan_text_status(&sql);
    if (status == KAN_OK)
        status = kan_arena_copy(&engine->arena, sql.bytes, sql.size, &engine->table.place);
    kan_text_destroy(&sql);
    return status;
}

static kan_status take_address(kan_engine *engine, const char *path, bool is_schema) {
    if (is_schema)
        return kan_address_parse_any(engine->run, &engine->arena, path, &engine->address);
    if (kan_address_is_one(path))
        return kan_address_parse(engine->run, &engine->arena, path, &engine->address);
    /* A path, of an engine that takes files. */
    engine->address = (kan_address){.scheme = engine->kind->name};
    KAN_TRY(kan_arena_copy(&engine->arena, path, strlen(path), &engine->address.text));
    engine->address.database = engine->address.text;
    return KAN_OK;
}

kan_status kan_engine_open(kan_run *run, const kan_engine_kind *kind, const char *path,
                           const kan_source_options *options, void **out) {
    kan_engine *engine;
    kan_status status;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *engine, &engine));
    engine->run = run;
    engine->kind = kind;
    engine->transport = kind->transport;
    kan_arena_init(&engine->arena, run);
    KAN_TRY_DONE(take_address(engine, path, options->is_schema));
    KAN_TRY_DONE(
        kind->transport->connect(run, &engine->address, options->given, &engine->connection));
    engine->table.dialect =
        kind->transport->dialect ? kind->transport->dialect(engine->connection) : kind->dialect;
    KAN_TRY_DONE(begin_snapshot(engine));
    if (!options->is_schema) {
        if (kind->transport->describe)
            KAN_TRY_DONE(kind->transport->describe(engine->connection, options));
        KAN_TRY_DONE(find_place(engine));
        KAN_TRY_DONE(kan_engine_find_columns(engine));
    }
    *out = engine;
done:
    if (status != KAN_OK)
        kan_engine_close(engine);
    return status;
}

static kan_status find_within(kan_engine *engine, const kan_engine *schema, const char *table) {
    engine->address = schema->address;
    KAN_TRY(kan_arena_copy(&engine->arena, table, strlen(table), &engine->address.table));
    KAN_TRY(engine->transport->turn(engine->connection, &engine->address));
    kan_status status = find_place(engine);
    if (status == KAN_OK)
        status = kan_engine_find_columns(engine);
    const kan_status turned = engine->transport->turn(engine->connection, &schema->address);
    return status == KAN_OK ? turned : status;
}

kan_status kan_engine_open_within(kan_engine *schema, const char *table, void **out) {
    kan_engine *engine;
    KAN_TRY(kan_alloc_zero(schema->run, 1, sizeof *engine, &engine));
    engine->run = schema->run;
    engine->kind = schema->kind;
    engine->transport = schema->transport;
    engine->connection = schema->connection;
    engine->is_borrowed = true;
    engine->table.dialect = schema->table.dialect;
    kan_arena_init(&engine->arena, schema->run);
    const kan_status status = find_within(engine, schema, table);
    if (status == KAN_OK)
        *out = engine;
    else
        kan_engine_close(engine);
    return status;
}

void kan_engine_close(void *state) {
    kan_engine *const engine = state;
    if (!engine)
        return;
    kan_run *const run = engine->run;
    if (engine->connection && !engine->is_borrowed) {
        kan_engine_discard(engine);
        engine->transport->disconnect(engine->connection);
    }
    for (size_t i = 0; engine->reals && i < engine->table.n_columns; i++)
        kan_engine_reals_destroy(run, &engine->reals[i]);
    kan_free(run, engine->reals);
    kan_free(run, engine->leftovers);
    kan_free(run, engine->n_rows_of_part);
    kan_arena_destroy(&engine->arena);
    kan_free(run, engine);
}

/* ---- what is known of it -------------------------------------------------------------------- */

kan_engine *kan_engine_of(const kan_source *source) {
    return source->kind->close == kan_engine_close ? source->state : NULL;
}

const char *kan_engine_name(const void *state) {
    return ((const kan_engine *)state)->address.text;
}

size_t kan_engine_n_columns(const void *state) {
    return ((const kan_engine *)state)->table.n_columns;
}

const char *kan_engine_column_name(const void *state, size_t column) {
    return ((const kan_engine *)state)->names[column];
}

const kan_field *kan_engine_field(const void *state, size_t column) {
    return &((const kan_engine *)state)->fields[column];
}

uint64_t kan_engine_received(const kan_engine *engine) {
    return engine->transport->n_received(engine->connection);
}

uint64_t kan_engine_rows_received(const kan_engine *engine) {
    return engine->n_rows_received;
}
