/* Statements, rows that come, and rows that go. */
#include "engine/duckdb/connection.h"

static const char remedy[] = "check the table, and the permissions of it and its folder";

/* ---- statements ----------------------------------------------------------------------------- */

/* Also where the run is cancelled: it is short. */
static kan_status run_to_the_end(const kan_duck_line *line, const kan_statement *statement) {
    kan_duck_result result;
    const bool is_done =
        line->duck->api.query(line->duck->connection, statement->sql, &result) == KAN_DUCK_OK;
    const kan_status status = is_done
                                  ? KAN_OK
                                  : kan_duck_fail(line->duck, KAN_FAILED, statement->what,
                                                  line->duck->api.result_error(&result), remedy);
    line->duck->api.destroy_result(&result);
    return status;
}

kan_status kan_duck_line_execute(void *connection, size_t node, const kan_statement *statement) {
    kan_duck_line *const line = connection;
    const kan_duck_query query = {
        .sql = statement->sql, .status = KAN_FAILED, .what = statement->what, .remedy = remedy};
    kan_duck_result result;
    (void)node;
    if (statement->cleans_up || statement->is_final)
        return run_to_the_end(line, statement);
    KAN_TRY(kan_duck_run(line->duck, line->duck->connection, &query, &result));
    line->duck->api.destroy_result(&result);
    return KAN_OK;
}

/* ---- rows that come ------------------------------------------------------------------------- */

typedef struct taking {
    kan_duck_line *line;
    size_t n_columns;
    const kan_row_taker *taker;
    kan_slice *values;
    const kan_duck_string **strings;
    const uint64_t **valid; /* NULL: all are */
} taking;

/* All columns are text: the SQL has cast them. */
static kan_status take_chunk(taking *t, kan_duck_chunk chunk) {
    const kan_duck_api *const api = &t->line->duck->api;
    const uint64_t n = api->data_chunk_get_size(chunk);
    for (size_t i = 0; i < t->n_columns; i++) {
        const kan_duck_vector vector = api->data_chunk_get_vector(chunk, i);
        t->strings[i] = api->vector_get_data(vector);
        t->valid[i] = api->vector_get_validity(vector);
    }
    for (uint64_t row = 0; row < n; row++) {
        for (size_t i = 0; i < t->n_columns; i++) {
            const bool is_there = !t->valid[i] || t->valid[i][row / 64] >> (row % 64) & 1;
            t->values[i] =
                is_there ? kan_duck_string_slice(&t->strings[i][row]) : (kan_slice){NULL, 0};
            t->line->n_received += t->values[i].size;
        }
        KAN_TRY(t->taker->take(t->taker->context, t->values));
    }
    return KAN_OK;
}

static kan_status take_rows(taking *t, const kan_duck_query *query, kan_duck_result *result) {
    const kan_duck *const duck = t->line->duck;
    for (;;) {
        kan_duck_chunk chunk = NULL;
        KAN_TRY(kan_duck_fetch(duck, query, result, &chunk));
        if (!chunk)
            return KAN_OK;
        const kan_status status = take_chunk(t, chunk);
        duck->api.destroy_data_chunk(&chunk);
        KAN_TRY(status);
        KAN_TRY(kan_check_cancel(duck->run));
    }
}

static kan_status run_query(kan_duck_line *line, const kan_duck_query *query, size_t n_columns,
                            const kan_row_taker *taker) {
    taking t = {.line = line, .n_columns = n_columns, .taker = taker};
    kan_duck_result result;
    kan_status status;
    KAN_TRY(kan_duck_run(line->duck, line->duck->connection, query, &result));
    KAN_TRY_DONE(kan_alloc(line->run, n_columns, sizeof *t.values, &t.values));
    KAN_TRY_DONE(kan_alloc(line->run, n_columns, sizeof *t.strings, &t.strings));
    KAN_TRY_DONE(kan_alloc(line->run, n_columns, sizeof *t.valid, &t.valid));
    KAN_TRY_DONE(take_rows(&t, query, &result));
done:
    line->duck->api.destroy_result(&result);
    kan_free(line->run, t.values);
    kan_free(line->run, t.strings);
    kan_free(line->run, t.valid);
    return status;
}

kan_status kan_duck_line_query(void *connection, size_t node, const kan_statement *statement,
                               size_t n_columns, const kan_row_taker *taker) {
    const kan_duck_query query = {
        .sql = statement->sql, .status = KAN_FAILED, .what = statement->what, .remedy = remedy};
    (void)node;
    return run_query(connection, &query, n_columns, taker);
}

/* Names, types, and YES where it may be NULL: of a SELECT that is always so. */
static kan_status take_column(void *context, const kan_slice *values) {
    const kan_row_taker *const taker = context;
    const kan_slice column[] = {values[0], values[1], kan_slice_of("1")};
    return taker->take(taker->context, column);
}

kan_status kan_duck_line_columns(void *connection, const kan_row_taker *taker) {
    kan_duck_line *const line = connection;
    const kan_row_taker own = {take_column, (void *)(uintptr_t)taker};
    kan_text sql;
    kan_text_init(&sql, line->run);
    kan_text_print(&sql, "SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM %s)",
                   line->place);
    kan_status status = kan_text_status(&sql);
    const kan_duck_query query = {
        .sql = sql.bytes, .status = KAN_BAD_INPUT, .what = "cannot be read", .remedy = remedy};
    if (status == KAN_OK)
        status = run_query(line, &query, 2, &own);
    kan_text_destroy(&sql);
    return status;
}

/* ---- rows that go --------------------------------------------------------------------------- */

static kan_status fail_loading(const kan_duck_line *line, const char *error) {
    return kan_duck_fail(line->duck, KAN_FAILED, "rows cannot be loaded into a table", error,
                         "give more with --memory, or free some space for temporary files");
}

static int append(const kan_duck_api *api, kan_duck_appender appender, kan_slice value) {
    return value.bytes ? api->append_varchar_length(appender, value.bytes, value.size)
                       : api->append_null(appender);
}

static kan_status append_rows(kan_duck_line *line, kan_duck_appender appender, kan_slice *values,
                              size_t n_columns, const kan_row_giver *giver) {
    enum { ROWS_PER_CHECK = 1 << 12 };
    const kan_duck_api *const api = &line->duck->api;
    for (uint64_t n = 0;; n++) {
        bool is_row = false;
        int state = KAN_DUCK_OK;
        KAN_TRY(giver->give(giver->context, values, &is_row));
        if (!is_row)
            return KAN_OK;
        for (size_t i = 0; i < n_columns; i++)
            state |= append(api, appender, values[i]);
        state |= api->appender_end_row(appender);
        if (state != KAN_DUCK_OK)
            return fail_loading(line, api->appender_error(appender));
        if (n % ROWS_PER_CHECK == 0)
            KAN_TRY(kan_check_cancel(line->run));
    }
}

/* A name without its quotes; *at is behind it, and behind a point that follows. */
static kan_status plain_name(kan_duck_line *line, const char **at, const char **out) {
    const char *from = *at;
    char *name;
    size_t n = 0;
    KAN_ASSERT(*from == '"');
    KAN_TRY(kan_arena_alloc(&line->arena, strlen(from) + 1, 1, &name));
    for (from++; *from && !(from[0] == '"' && from[1] != '"'); from++) {
        from += *from == '"';
        name[n++] = *from;
    }
    KAN_ASSERT(*from == '"');
    from++;
    *at = from + (*from == '.');
    name[n] = '\0';
    *out = name;
    return KAN_OK;
}

/* Without the name `temp` the library asks whether the file may be written: so temporary tables, which
 * are in no schema, have it. */
static kan_status open_appender(kan_duck_line *line, const char *table,
                                kan_duck_appender *appender) {
    const kan_duck_api *const api = &line->duck->api;
    const char *first, *second = NULL;
    KAN_TRY(plain_name(line, &table, &first));
    if (*table)
        KAN_TRY(plain_name(line, &table, &second));
    if (api->appender_create_ext(line->duck->connection, second ? NULL : "temp",
                                 second ? first : NULL, second ? second : first,
                                 appender) != KAN_DUCK_OK)
        return fail_loading(line, *appender ? api->appender_error(*appender) : NULL);
    return KAN_OK;
}

kan_status kan_duck_line_load(void *connection, size_t node, const char *table, size_t n_columns,
                              const kan_row_giver *giver) {
    kan_duck_line *const line = connection;
    const kan_duck_api *const api = &line->duck->api;
    kan_duck_appender appender = NULL;
    kan_slice *values = NULL;
    kan_status status;
    (void)node;
    KAN_TRY_DONE(open_appender(line, table, &appender));
    KAN_TRY_DONE(kan_alloc(line->run, n_columns, sizeof *values, &values));
    KAN_TRY_DONE(append_rows(line, appender, values, n_columns, giver));
    if (api->appender_close(appender) != KAN_DUCK_OK)
        KAN_TRY_DONE(fail_loading(line, api->appender_error(appender)));
done:
    if (appender)
        (void)api->appender_destroy(&appender);
    kan_free(line->run, values);
    return status;
}
