/* The statements, and the file that they are written to. */
#include "engine/script/script_inside.h"

enum { MOST_ROWS = 500, MOST_BYTES = 1 << 16 }; /* of a statement that puts rows into a table */

static void add(kan_text *sql, const char *words) {
    kan_text_add(sql, words, strlen(words));
}

void kan_script_add(kan_script *script, const char *what, const char *sql) {
    kan_text_print(&script->statements, "-- %s\n%s;\n", what, sql);
}

kan_status kan_script_execute(void *connection, size_t node, const kan_statement *statement) {
    kan_script *const script = connection;
    (void)node;
    if (statement->cleans_up) /* nothing was begun anywhere */
        return KAN_OK;
    kan_script_add(script, statement->what, statement->sql);
    /* Of CREATE TABLE, behind a name of ours. */
    const char *const name = strstr(statement->sql, script->name);
    const char *const columns = name ? strchr(name, '(') : NULL;
    if (columns)
        KAN_TRY(kan_arena_copy(&script->arena, columns, strlen(columns), &script->columns));
    return kan_text_status(&script->statements);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Whether the n-th column of the table that was made last holds numbers. */
static bool is_number(const kan_script *script, size_t n) {
    const char *const type = script->dialect->count_type, *at = script->columns + 1;
    for (; n > 0; n--)
        at = strstr(at, ", ") + 2;
    at = strchr(at, ' ') + 1;
    const size_t size = strlen(type);
    return strncmp(at, type, size) == 0 && (at[size] == ',' || at[size] == ')');
}

static kan_status add_row(kan_script *script, size_t n_columns, const kan_slice *values) {
    kan_text *const sql = &script->statements;
    for (size_t i = 0; i < n_columns; i++) {
        add(sql, i ? ", " : "(");
        if (!kan_engine_is_text(values[i]))
            return kan_fail(script->run, KAN_BAD_INPUT,
                            "a value or a label is not text in UTF-8, or has a byte 0, which no "
                            "statement can say; convert it first");
        if (is_number(script, i))
            kan_text_add(sql, values[i].bytes, values[i].size);
        else
            kan_sql_text(sql, script->dialect, values[i]);
    }
    add(sql, ")");
    return kan_text_status(sql);
}

kan_status kan_script_load(void *connection, size_t node, const char *table, size_t n_columns,
                           const kan_row_giver *giver) {
    kan_script *const script = connection;
    kan_text *const sql = &script->statements;
    size_t n = 0, start = 0;
    kan_slice *values;
    bool is_row = false;
    /* Where texts have no line ends, clients may take one for the end of the rows. */
    const bool is_one_line = script->dialect->text_escape == KAN_ESCAPE_BACKSLASH_LINES;
    (void)node;
    KAN_TRY(kan_arena_alloc(&script->arena, n_columns, sizeof *values, &values));
    for (;;) {
        KAN_TRY(giver->give(giver->context, values, &is_row));
        const bool is_full = n == MOST_ROWS || sql->size - start > MOST_BYTES;
        if (n > 0 && (!is_row || is_full)) {
            add(sql, ";\n");
            n = 0;
        }
        if (!is_row)
            return kan_text_status(sql);
        if (n == 0) {
            start = sql->size;
            kan_text_print(sql, "INSERT INTO %s VALUES%s", table, is_one_line ? " " : "\n");
        } else {
            add(sql, is_one_line ? ", " : ",\n");
        }
        KAN_TRY(add_row(script, n_columns, values));
        if (++n == 1)
            KAN_TRY(kan_check_cancel(script->run));
    }
}

/* ---- the file ------------------------------------------------------------------------------- */

void kan_script_add_probe(kan_text *sql, const kan_script *script) {
    const kan_sql_form *const form = kan_dialect_form(script->dialect, KAN_SQL_ANY_TYPE);
    kan_sql_probe(sql, script->dialect, form, "kx_");
}

static kan_status prepare(void *connection, const char *path, bool overwrite) {
    kan_script *const script = connection;
    kan_text sql;
    KAN_TRY(kan_target_open(script->run, path, overwrite, KAN_TARGET_PRIVATE, &script->target));
    kan_text_init(&sql, script->run);
    kan_script_add_probe(&sql, script);
    kan_status status = kan_text_status(&sql);
    if (status == KAN_OK)
        kan_script_add(script, "the probe: must return no row", sql.bytes);
    kan_text_destroy(&sql);
    return status;
}

static kan_status make_working(void *connection, const char *select) {
    kan_script *const script = connection;
    const kan_dialect *const dialect = script->dialect;
    kan_text sql;
    kan_text_init(&sql, script->run);
    kan_text_print(&sql, "%s%s%s%s",
                   dialect->create_temporary ? dialect->create_temporary : dialect->create,
                   script->working, dialect->create_as, select);
    kan_status status = kan_text_status(&sql);
    if (status == KAN_OK)
        kan_script_add(script, "the rows of the release, not yet counted", sql.bytes);
    kan_text_destroy(&sql);
    return status;
}

static void add_place(const void *connection, kan_text *sql) {
    kan_text_print(sql, "%s", ((const kan_script *)connection)->working);
}

static kan_status commit(void *connection) {
    static const char head[] =
        "-- A release as statements, made by kanon. For those who may see the table: these\n"
        "-- statements have its values. Run all of them in this order, in one session; the\n"
        "-- release has no row where one of the two queries gives one.\n";
    kan_script *const script = connection;
    KAN_TRY(kan_text_status(&script->statements));
    KAN_TRY(kan_target_write(script->target, head, sizeof head - 1));
    KAN_TRY(kan_target_write(script->target, script->statements.bytes, script->statements.size));
    KAN_TRY(kan_target_finish(script->target));
    KAN_TRY(kan_target_sync(script->target));
    return kan_target_commit(script->target);
}

static void discard(void *connection) {
    kan_script *const script = connection;
    kan_target_close(script->target);
    script->target = NULL;
}

const kan_transport_file kan_script_file = {
    .prepare = prepare,
    .write = make_working,
    .place = add_place,
    .commit = commit,
    .discard = discard,
};
