/* The transport that runs nothing: columns and counts come from a file. */
#include <inttypes.h>
#include <stdio.h>

#include "core/hash.h"
#include "engine/script/script_inside.h"

enum { PADDING = 8 }; /* bytes that are readable at a value, whatever its size */

/* ---- dialects ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    const kan_dialect *dialect;
} dialects[] = {
    {"ansi", &kan_dialect_ansi},
    {"postgres", &kan_dialect_postgres},
    {"snowflake", &kan_dialect_snowflake},
    {"bigquery", &kan_dialect_bigquery},
    {"databricks", &kan_dialect_databricks},
    {"duckdb", &kan_dialect_duckdb},
    {"clickhouse", &kan_dialect_clickhouse},
    {"sqlite", &kan_dialect_sqlite},
};

static kan_status find_dialect(kan_script *script, const char *name) {
    for (size_t i = 0; name && i < sizeof dialects / sizeof *dialects; i++)
        if (strcmp(dialects[i].name, name) == 0)
            script->dialect = dialects[i].dialect;
    return script->dialect ? KAN_OK
                           : kan_fail(script->run, KAN_BAD_INPUT,
                                      "--emit: each database has statements of its own; name it "
                                      "with --dialect");
}

/* ---- names ---------------------------------------------------------------------------------- */

/* A part of a name: up to a point, or in double quotes, in which two stand for one. */
static const char *read_part(const char *at, kan_text *out) {
    const bool is_quoted = *at == '"';
    at += is_quoted;
    for (; *at && (is_quoted || *at != '.'); at++) {
        if (is_quoted && *at == '"' && *++at != '"')
            return at;
        kan_text_add(out, at, 1);
    }
    return is_quoted ? NULL : at;
}

static kan_status fail_name(const kan_script *script, const char *what, const char *text) {
    char room[256];
    return kan_fail(script->run, KAN_BAD_INPUT,
                    "%s: %s is the name of a table in a database, NAME or SCHEMA.NAME; a part that "
                    "has a point stands in double quotes",
                    kan_quote(kan_slice_of(text), room), what);
}

/* A name, whose schema is NULL where it says none, and how it stands in SQL. */
static kan_status read_name(kan_script *script, const char *what, const char *text,
                            const char **schema, const char **table, const char **place) {
    const char *parts[2] = {NULL, NULL}, *at = text;
    size_t n = 0;
    kan_text part, sql;
    kan_status status = KAN_OK;
    for (bool is_more = true; is_more && status == KAN_OK; n++) {
        kan_text_init(&part, script->run);
        kan_text_add(&part, "", 0);
        at = n < 2 ? read_part(at, &part) : NULL;
        is_more = at && *at == '.';
        status = kan_text_status(&part);
        if (status == KAN_OK && (!at || part.size == 0 || (*at && !is_more)))
            status = fail_name(script, what, text);
        if (status == KAN_OK)
            status = kan_arena_copy(&script->arena, part.bytes, part.size, &parts[n]);
        if (status == KAN_OK)
            status = kan_sql_check_name(script->run, script->dialect, parts[n]);
        kan_text_destroy(&part);
        if (is_more)
            at++;
    }
    KAN_TRY(status);
    *schema = n > 1 ? parts[0] : NULL;
    *table = parts[n - 1];
    kan_text_init(&sql, script->run);
    kan_sql_place(&sql, script->dialect, *schema, *table);
    status = kan_text_status(&sql);
    if (status == KAN_OK)
        status = kan_arena_copy(&script->arena, sql.bytes, sql.size, place);
    kan_text_destroy(&sql);
    return status;
}

/* Beside the input where nobody says more: NAME_release. */
static kan_status name_release(kan_script *script, const char *said, const char *table) {
    const char *name;
    kan_text text, sql;
    if (said)
        return read_name(script, "--into", said, &script->release_schema, &name, &script->release);
    kan_text_init(&text, script->run);
    kan_text_init(&sql, script->run);
    kan_text_print(&text, "%s_release", table);
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        status = kan_sql_check_name(script->run, script->dialect, text.bytes);
    script->release_schema = script->schema;
    if (status == KAN_OK) {
        kan_sql_place(&sql, script->dialect, script->schema, text.bytes);
        status = kan_text_status(&sql);
    }
    if (status == KAN_OK)
        status = kan_arena_copy(&script->arena, sql.bytes, sql.size, &script->release);
    kan_text_destroy(&sql);
    kan_text_destroy(&text);
    return status;
}

/* Tables of ours: the same names for the same job, and others for another release. */
static kan_status name_own(kan_script *script) {
    kan_text sql;
    const uint64_t hash = kan_hash_bytes(script->release, strlen(script->release));
    (void)snprintf(script->name, sizeof script->name, "kanon_%016" PRIx64, hash);
    kan_text_init(&sql, script->run);
    char name[64];
    (void)snprintf(name, sizeof name, "%s_r", script->name);
    const bool is_nowhere =
        script->dialect->create_temporary && !script->dialect->temporary_in_schema;
    kan_sql_place(&sql, script->dialect, is_nowhere ? NULL : script->release_schema, name);
    kan_status status = kan_text_status(&sql);
    if (status == KAN_OK)
        status = kan_arena_copy(&script->arena, sql.bytes, sql.size, &script->working);
    kan_text_destroy(&sql);
    return status;
}

/* ---- counts --------------------------------------------------------------------------------- */

static bool has_name(const kan_script *script, const char *name) {
    for (size_t i = 0; i < script->n_columns; i++)
        if (strcmp(script->names[i], name) == 0)
            return true;
    return false;
}

static void add_column(kan_script *script, const char *name, size_t column) {
    if (has_name(script, name))
        return;
    script->names[script->n_columns] = name;
    script->column_of[script->n_columns++] = column;
}

static kan_status find_columns(kan_script *script, const kan_source_options *options) {
    const size_t n = script->counts ? kan_source_n_columns(script->counts) : 0;
    KAN_TRY(kan_arena_alloc(&script->arena, n + options->n_said + 1, sizeof *script->names,
                            &script->names));
    KAN_TRY(kan_arena_alloc(&script->arena, n + options->n_said + 1, sizeof *script->column_of,
                            &script->column_of));
    script->count_column = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        const char *const name = kan_source_column_name(script->counts, i);
        if (strcmp(name, KAN_SCRIPT_ROWS) == 0)
            script->count_column = i;
        else
            add_column(script, name, i);
    }
    if (script->counts && script->count_column == SIZE_MAX)
        return kan_fail(script->run, KAN_BAD_INPUT,
                        "%s: no column " KAN_SCRIPT_ROWS
                        "; --counts is the result, as CSV with the "
                        "names of the columns, of the statements that --emit counts-sql prints",
                        script->counts_path);
    for (size_t i = 0; i < options->n_said; i++) {
        if (strcmp(options->said[i], KAN_SCRIPT_ROWS) == 0)
            return kan_fail(script->run, KAN_BAD_INPUT,
                            "a column is called " KAN_SCRIPT_ROWS
                            ", as the number of rows is here; "
                            "give it another name in a view");
        add_column(script, options->said[i], SIZE_MAX);
    }
    return KAN_OK;
}

static kan_status open_counts(kan_script *script, const char *path) {
    const kan_source_options options = {.separator = 0};
    if (!path)
        return KAN_OK;
    KAN_TRY(kan_arena_copy(&script->arena, path, strlen(path), &script->counts_path));
    return kan_source_open(script->run, &kan_source_csv, path, &options, &script->counts);
}

static kan_status read_counts(kan_script *script) {
    const size_t n = kan_source_n_columns(script->counts);
    bool *encode;
    if (script->rows)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(&script->arena, n, sizeof *encode, &encode));
    memset(encode, true, n * sizeof *encode);
    return kan_source_read(script->counts, encode, NULL, &script->rows);
}

static kan_status check_counted(const kan_script *script, const bool *encode) {
    char room[256];
    kan_problems_begin(script->run);
    for (size_t i = 0; i < script->n_columns; i++)
        if (encode[i] && script->column_of[i] == SIZE_MAX)
            kan_problem_add(script->run,
                            "%s: no column %s; these are the counts of a job with other columns: "
                            "print the statements with --emit counts-sql again, with all flags of "
                            "this one",
                            script->counts_path, kan_quote(kan_slice_of(script->names[i]), room));
    return kan_problems_end(script->run);
}

/* The values of a row, with room to read behind each. */
static kan_status give_row(const kan_script *script, const bool *encode, uint64_t row,
                           kan_text *room, size_t *starts, kan_slice *values) {
    static const char padding[PADDING] = "";
    size_t n = 0;
    room->size = 0;
    for (size_t i = 0; i <= script->n_columns; i++) {
        const bool is_count = i == script->n_columns;
        if (!is_count && !encode[i])
            continue;
        const size_t column = is_count ? script->count_column : script->column_of[i];
        const kan_slice value = kan_column_value(&script->rows->columns[column], row);
        starts[n] = room->size;
        values[n++].size = value.size;
        kan_text_add(room, value.bytes, value.size);
        kan_text_add(room, padding, PADDING);
    }
    for (size_t i = 0; i < n; i++)
        values[i].bytes = room->bytes + starts[i];
    return kan_text_status(room);
}

/* A number of rows must be one. */
static kan_status check_count(const kan_script *script, uint64_t row) {
    const kan_slice text = kan_column_value(&script->rows->columns[script->count_column], row);
    uint64_t count, line = 0;
    bool is_found = false;
    char place[32] = "", room[256];
    if (kan_engine_read_count(text, &count) && count > 0)
        return KAN_OK;
    KAN_TRY(kan_source_find_lines(script->counts, &row, 1, &line, &is_found));
    if (is_found)
        (void)snprintf(place, sizeof place, ":%" PRIu64, line);
    return kan_fail(script->run, KAN_BAD_INPUT,
                    "%s%s: %s is %s, and should be a number of rows, above 0; write the result of "
                    "the statements as it is, without lines below it",
                    script->counts_path, place, KAN_SCRIPT_ROWS, kan_quote(text, room));
}

static kan_status count_rows(void *connection, const bool *encode, const kan_row_taker *taker) {
    kan_script *const script = connection;
    kan_text room;
    size_t *starts = NULL;
    kan_slice *values = NULL;
    kan_status status;
    KAN_TRY(check_counted(script, encode));
    KAN_TRY(read_counts(script));
    kan_text_init(&room, script->run);
    KAN_TRY_DONE(kan_alloc(script->run, script->n_columns + 1, sizeof *starts, &starts));
    KAN_TRY_DONE(kan_alloc(script->run, script->n_columns + 1, sizeof *values, &values));
    for (uint64_t row = 0; row < script->rows->n_rows; row++) {
        KAN_TRY_DONE(check_count(script, row));
        KAN_TRY_DONE(give_row(script, encode, row, &room, starts, values));
        KAN_TRY_DONE(taker->take(taker->context, values));
    }
done:
    kan_free(script->run, starts);
    kan_free(script->run, values);
    kan_text_destroy(&room);
    return status;
}

/* ---- the transport -------------------------------------------------------------------------- */

static void disconnect(void *connection) {
    kan_script *const script = connection;
    if (!script)
        return;
    kan_run *const run = script->run;
    kan_target_close(script->target);
    kan_table_destroy(script->rows);
    kan_source_close(script->counts);
    kan_text_destroy(&script->statements);
    kan_arena_destroy(&script->arena);
    kan_free(run, script);
}

static kan_status connect_script(kan_run *run, const kan_address *address, const kan_options *given,
                                 void **out) {
    kan_script *script;
    const char *table;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *script, &script));
    *out = script;
    script->run = run;
    kan_arena_init(&script->arena, run);
    kan_text_init(&script->statements, run);
    KAN_TRY(find_dialect(script, kan_options_find(given, "dialect")));
    KAN_TRY(read_name(script, "the input", address->text, &script->schema, &table, &script->place));
    KAN_TRY(name_release(script, kan_options_find(given, "into"), table));
    if (strcmp(script->place, script->release) == 0)
        return kan_fail(run, KAN_BAD_INPUT, "--into %s: this is the input; name another table",
                        address->text);
    KAN_TRY(name_own(script));
    return open_counts(script, kan_options_find(given, "counts"));
}

static const kan_dialect *dialect(const void *connection) {
    return ((const kan_script *)connection)->dialect;
}

static void add_place(const void *connection, kan_text *sql) {
    kan_text_print(sql, "%s", ((const kan_script *)connection)->place);
}

static kan_status describe(void *connection, const kan_source_options *options) {
    return find_columns(connection, options);
}

static kan_status columns(void *connection, const kan_row_taker *taker) {
    kan_script *const script = connection;
    for (size_t i = 0; i < script->n_columns; i++) {
        const kan_slice values[] = {kan_slice_of(script->names[i]), kan_slice_of(KAN_SQL_ANY_TYPE),
                                    kan_slice_of("1")};
        if (!kan_engine_is_text(values[0]))
            return kan_fail(script->run, KAN_BAD_INPUT,
                            "the name of column %zu is not text in UTF-8, or has a byte 0; give it "
                            "another in a view",
                            i + 1);
        KAN_TRY(taker->take(taker->context, values));
    }
    return KAN_OK;
}

static kan_status query(void *connection, size_t node, const kan_statement *statement,
                        size_t n_columns, const kan_row_taker *taker) {
    const kan_script *const script = connection;
    (void)node;
    (void)n_columns;
    (void)taker;
    return kan_fail(script->run, KAN_BAD_INPUT,
                    "to %s, kanon has to reach the database, and --emit writes statements for one "
                    "that it cannot reach",
                    statement->what);
}

static void name_tables(const void *connection, const char **name, const char **schema) {
    const kan_script *const script = connection;
    *name = script->name;
    *schema = script->release_schema;
}

static uint64_t n_received(const void *connection) {
    (void)connection;
    return 0;
}

static const kan_transport transport = {
    .connect = connect_script,
    .disconnect = disconnect,
    .dialect = dialect,
    .describe = describe,
    .columns = columns,
    .place = add_place,
    .name_tables = name_tables,
    .count_rows = count_rows,
    .execute = kan_script_execute,
    .query = query,
    .load = kan_script_load,
    .file = &kan_script_file,
    .n_received = n_received,
};

static const kan_engine_kind script_kind = {
    .name = "script",
    .dialect = &kan_dialect_ansi,
    .transport = &transport,
};

static kan_status open_script(kan_run *run, const char *path, const kan_source_options *options,
                              void **out) {
    return kan_engine_open(run, &script_kind, path, options, out);
}

/* What is in such a table is known as far as its text is, as it is of CSV. */
static const kan_field *no_field(const void *state, size_t column) {
    (void)state;
    (void)column;
    return NULL;
}

const kan_source_kind kan_source_script = {
    .kind = {.name = "script", .summary = "counts of a table that kanon cannot reach (--emit)"},
    .title = "counts",
    .open = open_script,
    .close = kan_engine_close,
    .name = kan_engine_name,
    .n_columns = kan_engine_n_columns,
    .column_name = kan_engine_column_name,
    .field = no_field,
    .count = kan_engine_fold,
};

/* The columns that are counted, each with `of` before it, and as it is called where `has_name`. */
static void list_columns(kan_text *sql, const kan_sql_table *table, const bool *encode,
                         const char *of, bool has_name) {
    const char *between = "";
    for (size_t i = 0; i < table->n_columns; i++) {
        if (!encode[i])
            continue;
        kan_text_print(sql, "%s%s%s.%s%zu", between, table->prefix, of, table->prefix, i);
        if (has_name) {
            kan_text_print(sql, " AS ");
            kan_sql_name(sql, table->dialect, table->columns[i].name);
        }
        between = ", ";
    }
}

static void list_texts(kan_text *sql, const kan_sql_table *table, const bool *encode) {
    const char *between = "";
    for (size_t i = 0; i < table->n_columns; i++) {
        if (!encode[i])
            continue;
        kan_text_print(sql, "%s", between);
        kan_sql_column_key(sql, table, i, NULL);
        kan_text_print(sql, " AS %s%zu", table->prefix, i);
        between = ", ";
    }
}

kan_status kan_script_counts(kan_engine *engine, const bool *encode, kan_text *out) {
    const kan_sql_table *const table = &engine->table;
    const kan_dialect *const d = table->dialect;
    const char *const p = table->prefix;
    if (d->begin)
        kan_text_print(out, "%s;\n", d->begin);
    kan_text_print(out, "SELECT ");
    list_columns(out, table, encode, "g", true);
    kan_text_print(out, ", %sg.%sn AS ", p, p);
    kan_sql_name(out, d, KAN_SCRIPT_ROWS);
    kan_text_print(out, "\nFROM (SELECT ");
    list_columns(out, table, encode, "s", false);
    kan_text_print(out, ", count(*) AS %sn\nFROM (SELECT ", p);
    list_texts(out, table, encode);
    kan_text_print(out, " FROM %s) AS %ss\nGROUP BY ", table->place, p);
    list_columns(out, table, encode, "s", false);
    kan_text_print(out, ") AS %sg;\n", p);
    if (d->commit)
        kan_text_print(out, "%s;\n", d->commit);
    return kan_text_status(out);
}
