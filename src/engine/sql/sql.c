#include "engine/sql/sql.h"

#include <stdio.h>
#include <strings.h>

static void add(kan_text *sql, const char *text) {
    kan_text_add(sql, text, strlen(text));
}

/* A sign within quotes, where a backslash begins what is not itself. */
static void add_behind_backslash(kan_text *sql, char quote, kan_sql_escape escape, char c) {
    const bool is_end = escape == KAN_ESCAPE_BACKSLASH_LINES && (c == '\n' || c == '\r');
    if (c == quote || c == '\\' || is_end || (escape == KAN_ESCAPE_BACKSLASH_BRACES && c == '{'))
        kan_text_add(sql, "\\", 1);
    if (is_end)
        c = c == '\n' ? 'n' : 'r';
    kan_text_add(sql, &c, 1);
}

static void add_quoted(kan_text *sql, char quote, kan_sql_escape escape, kan_slice text) {
    const bool is_doubled = escape == KAN_ESCAPE_DOUBLE || escape == KAN_ESCAPE_DOUBLE_BOTH;
    kan_text_add(sql, &quote, 1);
    for (size_t i = 0; i < text.size; i++) {
        const char c = text.bytes[i];
        if (!is_doubled) {
            add_behind_backslash(sql, quote, escape, c);
            continue;
        }
        if (c == quote || (escape == KAN_ESCAPE_DOUBLE_BOTH && c == '\\'))
            kan_text_add(sql, &c, 1);
        kan_text_add(sql, &c, 1);
    }
    kan_text_add(sql, &quote, 1);
}

void kan_sql_name(kan_text *sql, const kan_dialect *dialect, const char *name) {
    add_quoted(sql, dialect->quote, dialect->name_escape, kan_slice_of(name));
}

void kan_sql_place(kan_text *sql, const kan_dialect *dialect, const char *schema,
                   const char *name) {
    if (schema) {
        kan_sql_name(sql, dialect, schema);
        add(sql, ".");
    }
    kan_sql_name(sql, dialect, name);
}

void kan_sql_text(kan_text *sql, const kan_dialect *dialect, kan_slice text) {
    KAN_ASSERT(text.size == 0 || !memchr(text.bytes, '\0', text.size));
    add_quoted(sql, '\'', dialect->text_escape, text);
}

void kan_sql_pattern(kan_text *sql, const char *pattern, const char *piece) {
    for (const char *mark; (mark = strchr(pattern, '?')) != NULL; pattern = mark + 1) {
        kan_text_add(sql, pattern, (size_t)(mark - pattern));
        add(sql, piece);
    }
    add(sql, pattern);
}

kan_status kan_sql_check_name(kan_run *run, const kan_dialect *dialect, const char *name) {
    char room[256];
    const size_t size = strlen(name);
    if (size == 0)
        return kan_fail(run, KAN_BAD_INPUT, "the name of the table is empty");
    for (size_t i = 0; i < size;) {
        const size_t length = kan_utf8_length(name + i, size - i);
        if (length == 0)
            return kan_fail(run, KAN_BAD_INPUT, "%s: the name of the table is not UTF-8",
                            kan_quote(kan_slice_of(name), room));
        i += length;
    }
    if (dialect->most_name_bytes && size > dialect->most_name_bytes)
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: the name of the table has %zu bytes, and %s takes %zu; choose a "
                        "shorter one",
                        kan_quote(kan_slice_of(name), room), size, dialect->name,
                        dialect->most_name_bytes);
    return KAN_OK;
}

static bool begins_one(const char *prefix, size_t n_columns, const kan_sql_column *columns) {
    for (size_t i = 0; i < n_columns; i++)
        if (strncasecmp(columns[i].name, prefix, strlen(prefix)) == 0)
            return true;
    return false;
}

kan_status kan_sql_prefix(kan_arena *arena, size_t n_columns, const kan_sql_column *columns,
                          const char **out) {
    char prefix[32] = "kx_";
    /* Each column begins with at most one of these, so one of them is free. */
    for (size_t i = 0; begins_one(prefix, n_columns, columns); i++)
        (void)snprintf(prefix, sizeof prefix, "kx%zu_", i);
    return kan_arena_copy(arena, prefix, strlen(prefix), out);
}

/* The column itself, quoted. */
static void add_column(kan_text *sql, const kan_sql_table *table, size_t column, const char *of) {
    if (of) {
        add(sql, of);
        add(sql, ".");
    }
    kan_sql_name(sql, table->dialect, table->columns[column].name);
}

/* `inner` where it was made, and none of it where memory was short: the statement fails then. */
static void add_around(kan_text *sql, const char *pattern, kan_text *inner) {
    if (kan_text_status(inner) == KAN_OK)
        kan_sql_pattern(sql, pattern, inner->bytes);
    else
        sql->failed = true;
    kan_text_destroy(inner);
}

void kan_sql_column_text(kan_text *sql, const kan_sql_table *table, size_t column, const char *of) {
    kan_text name;
    kan_text_init(&name, sql->run);
    add_column(&name, table, column, of);
    add_around(sql, table->columns[column].form->text, &name);
}

void kan_sql_column_key(kan_text *sql, const kan_sql_table *table, size_t column, const char *of) {
    kan_text text;
    kan_text_init(&text, sql->run);
    kan_sql_column_text(&text, table, column, of);
    add_around(sql, table->dialect->if_null, &text);
}

bool kan_sql_text_is_nan(kan_slice text) {
    const size_t sign = text.size > 0 && text.bytes[0] == '-';
    return text.size >= sign + 3 && strncasecmp(text.bytes + sign, "nan", 3) == 0;
}

/* What rows are grouped by: the column itself where its text follows from it. */
static void add_group_key(kan_text *sql, const kan_sql_table *table, size_t column) {
    if (table->columns[column].form->groups_raw)
        add_column(sql, table, column, NULL);
    else
        kan_sql_column_text(sql, table, column, NULL);
}

static void add_alias(kan_text *sql, const kan_sql_table *table, size_t number) {
    kan_text_print(sql, "%s%zu", table->prefix, number);
}

static void add_group_keys(kan_text *sql, const kan_sql_table *table, const bool *encode,
                           bool has_alias) {
    const char *between = "";
    for (size_t i = 0; i < table->n_columns; i++) {
        if (!encode[i])
            continue;
        add(sql, between);
        add_group_key(sql, table, i);
        if (has_alias) {
            add(sql, " AS ");
            add_alias(sql, table, i);
        }
        between = ", ";
    }
}

static size_t count_encoded(const kan_sql_table *table, const bool *encode) {
    size_t n = 0;
    for (size_t i = 0; i < table->n_columns; i++)
        n += encode[i];
    return n;
}

void kan_sql_groups(kan_text *sql, const kan_sql_table *table, const bool *encode) {
    kan_sql_groups_where(sql, table, encode, NULL);
}

void kan_sql_groups_where(kan_text *sql, const kan_sql_table *table, const bool *encode,
                          const char *condition) {
    const bool has_columns = count_encoded(table, encode) > 0;
    add(sql, "SELECT ");
    add_group_keys(sql, table, encode, true);
    kan_text_print(sql, "%scount(*) AS %sn FROM %s", has_columns ? ", " : "", table->prefix,
                   table->place);
    if (condition)
        kan_text_print(sql, " WHERE %s", condition);
    if (!has_columns)
        return;
    add(sql, " GROUP BY ");
    add_group_keys(sql, table, encode, false);
}

/* The text of a group's column, which stands at `alias`. */
static void add_alias_text(kan_text *sql, const kan_sql_table *table, size_t column,
                           const char *alias) {
    const kan_sql_form *const form = table->columns[column].form;
    if (form->groups_raw)
        kan_sql_pattern(sql, form->text, alias);
    else
        add(sql, alias);
}

void kan_sql_group_text(kan_text *sql, const kan_sql_table *table, size_t column, const char *of) {
    char alias[128];
    kan_text text;
    (void)snprintf(alias, sizeof alias, "%s.%s%zu", of, table->prefix, column);
    kan_text_init(&text, sql->run);
    add_alias_text(&text, table, column, alias);
    add_around(sql, table->dialect->if_null, &text);
}

/* Groups inside, texts of groups outside: a text is made once for each group, not for each row. */
void kan_sql_fold(kan_text *sql, const kan_sql_table *table, const bool *encode) {
    char alias[64];
    add(sql, "SELECT ");
    for (size_t i = 0; i < table->n_columns; i++) {
        if (!encode[i])
            continue;
        (void)snprintf(alias, sizeof alias, "%s%zu", table->prefix, i);
        add_alias_text(sql, table, i, alias);
        add(sql, ", ");
    }
    (void)snprintf(alias, sizeof alias, "%sn", table->prefix);
    kan_sql_pattern(sql, table->dialect->number_text, alias);
    add(sql, " FROM (");
    kan_sql_groups(sql, table, encode);
    kan_text_print(sql, ") AS %sg", table->prefix);
}

void kan_sql_apart(kan_text *sql, const kan_sql_table *table, size_t column) {
    const kan_sql_form *const form = table->columns[column].form;
    kan_text exact;
    kan_text_init(&exact, sql->run);
    add_column(&exact, table, column, NULL);
    add(sql, "SELECT DISTINCT ");
    kan_sql_column_key(sql, table, column, NULL);
    add(sql, ", ");
    add_around(sql, form->exact ? form->exact : form->text, &exact);
    add(sql, " FROM ");
    add(sql, table->place);
    if (form->is_lossy || form->is_real)
        return;
    add(sql, " WHERE ");
    kan_sql_column_key(sql, table, column, NULL);
    add(sql, " = ''");
}

void kan_sql_exists(kan_text *sql, const kan_dialect *dialect, const char *schema,
                    const char *name) {
    for (const char *at = dialect->exists; *at; at++) {
        if (*at == '?')
            kan_sql_text(sql, dialect, kan_slice_of(name));
        else if (*at == '@' && schema)
            kan_sql_text(sql, dialect, kan_slice_of(schema));
        else if (*at == '@')
            add(sql, "NULL");
        else
            kan_text_add(sql, at, 1);
    }
}

void kan_sql_drop(kan_text *sql, const kan_dialect *dialect, const char *place) {
    add(sql, dialect->drop);
    add(sql, place);
}

void kan_sql_rename(kan_text *sql, const kan_dialect *dialect, const char *place,
                    const char *schema, const char *name) {
    add(sql, dialect->rename);
    add(sql, place);
    add(sql, dialect->renamed);
    kan_sql_place(sql, dialect, dialect->renames_in_schema ? NULL : schema, name);
}
