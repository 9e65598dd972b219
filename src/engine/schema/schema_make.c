/* Tables of a schema: made under names that nobody knows, and named all at once. */
#include <string.h>

#include "engine/schema/schema_state.h"

kan_status kan_schema_check(const kan_engine *schema) {
    const kan_dialect *const dialect = schema->table.dialect;
    if (dialect->makes_in_transaction && dialect->stored && schema->transport->turn)
        return KAN_OK;
    return kan_fail(schema->run, KAN_BAD_INPUT,
                    "%s: several tables are not released into %s: not all of them would get their "
                    "names, or none; name a folder, and load its files",
                    kan_engine_name(schema), dialect->name);
}

const kan_engine_made *kan_schema_find_made(const kan_engine *schema, const char *name) {
    for (size_t i = 0; i < schema->n_several; i++)
        if (strcmp(schema->several[i].name, name) == 0)
            return &schema->several[i];
    return NULL;
}

/* ---- making --------------------------------------------------------------------------------- */

static kan_status take_one(void *context, const kan_slice *values) {
    (void)values;
    *(bool *)context = true;
    return KAN_OK;
}

static kan_status check_schema(kan_engine *schema) {
    const kan_dialect *const dialect = schema->table.dialect;
    bool is_found = false;
    const kan_row_taker taker = {take_one, &is_found};
    kan_text sql, name;
    KAN_TRY(kan_sql_check_name(schema->run, dialect, schema->address.schema));
    if (kan_dialect_is_temporary(dialect, schema->address.schema))
        return kan_fail(schema->run, KAN_BAD_INPUT,
                        "%s: a table in this schema disappears with the connection, and so would "
                        "the release; name a permanent schema",
                        kan_engine_name(schema));
    kan_text_init(&sql, schema->run);
    kan_text_init(&name, schema->run);
    kan_sql_text(&name, dialect, kan_slice_of(schema->address.schema));
    kan_status status = kan_text_status(&name);
    if (status == KAN_OK)
        kan_sql_pattern(&sql, dialect->schema_exists, name.bytes);
    kan_text_destroy(&name);
    if (status == KAN_OK)
        status = kan_engine_query(schema, &sql, "look for the schema", 1, &taker);
    else
        kan_text_destroy(&sql);
    if (status != KAN_OK || is_found)
        return status;
    return kan_fail(schema->run, KAN_BAD_INPUT, "%s: there is no schema '%s'; create it first",
                    kan_engine_name(schema), schema->address.schema);
}

static kan_status is_there(kan_engine *schema, const char *name, bool *out) {
    const kan_address address = {.schema = schema->address.schema, .table = name};
    return kan_engine_find_table(schema, &address, out);
}

static kan_status check_name(kan_engine *schema, const char *name, bool overwrite) {
    bool is_taken;
    KAN_TRY(kan_sql_check_name(schema->run, schema->table.dialect, name));
    KAN_TRY(is_there(schema, name, &is_taken));
    return !is_taken || overwrite
               ? KAN_OK
               : kan_fail(schema->run, KAN_BAD_INPUT,
                          "%s: a table '%s' already exists there; choose another schema, or "
                          "replace the tables of the release with --force",
                          kan_engine_name(schema), name);
}

static kan_status check_twins(kan_engine *schema, const kan_schema_table *table, size_t column) {
    const kan_dialect *const dialect = schema->table.dialect;
    for (size_t i = 0; dialect->ignores_case && i < column; i++)
        if (strcasecmp(table->columns[i], table->columns[column]) == 0)
            return kan_fail(schema->run, KAN_BAD_INPUT,
                            "%s: %s does not tell columns '%s' and '%s' of table '%s' apart; give "
                            "one of them another name",
                            kan_engine_name(schema), dialect->name, table->columns[i],
                            table->columns[column], table->name);
    return KAN_OK;
}

/* What rows are ordered by is not what a column is called: it would order them. */
static kan_status check_columns(kan_engine *schema, const kan_schema_table *table) {
    const kan_dialect *const dialect = schema->table.dialect;
    for (size_t i = 0; i < table->n_columns; i++) {
        KAN_TRY(kan_sql_check_name(schema->run, dialect, table->columns[i]));
        KAN_TRY(check_twins(schema, table, i));
        if (strcasecmp(table->columns[i], dialect->stored) == 0)
            return kan_fail(schema->run, KAN_BAD_INPUT,
                            "%s: table '%s' would have a column '%s', which is what %s calls the "
                            "place of a row; give the column another name",
                            kan_engine_name(schema), table->name, table->columns[i], dialect->name);
    }
    return KAN_OK;
}

static kan_status create(kan_engine *schema, const kan_schema_table *table, const char *place) {
    const kan_dialect *const dialect = schema->table.dialect;
    kan_text sql;
    kan_text_init(&sql, schema->run);
    kan_text_print(&sql, "%s%s (", dialect->create, place);
    for (size_t i = 0; i < table->n_columns; i++) {
        kan_text_print(&sql, "%s", i > 0 ? ", " : "");
        kan_sql_name(&sql, dialect, table->columns[i]);
        kan_text_print(&sql, " %s", dialect->label_type);
    }
    kan_text_print(&sql, ")%s", dialect->create_tail);
    return kan_engine_execute(schema, 0, &sql, "make a table for the release");
}

static kan_status make_table(kan_engine *schema, const kan_schema_table *table, bool overwrite,
                             kan_engine_made *out) {
    KAN_TRY(check_name(schema, table->name, overwrite));
    KAN_TRY(check_columns(schema, table));
    KAN_TRY(kan_arena_copy(&schema->arena, table->name, strlen(table->name), &out->name));
    KAN_TRY(kan_engine_draw_name(schema, &out->hidden));
    KAN_TRY(kan_engine_place_of(schema, schema->address.schema, out->hidden, &out->place));
    return create(schema, table, out->place);
}

kan_status kan_schema_make(kan_engine *schema, const kan_schema_table *tables, size_t n,
                           bool overwrite) {
    KAN_ASSERT(schema->n_several == 0);
    KAN_TRY(kan_schema_check(schema));
    KAN_TRY(check_schema(schema));
    KAN_TRY(kan_arena_alloc(&schema->arena, n, sizeof *schema->several, &schema->several));
    schema->replaces = overwrite;
    for (size_t i = 0; i < n; i++) {
        KAN_TRY(make_table(schema, &tables[i], overwrite, &schema->several[i]));
        schema->n_several = i + 1;
    }
    return KAN_OK;
}

/* ---- names ---------------------------------------------------------------------------------- */

static kan_status drop_old(kan_engine *schema, const char *name) {
    const char *place;
    kan_text sql;
    bool is_taken;
    KAN_TRY(is_there(schema, name, &is_taken));
    if (!is_taken)
        return KAN_OK;
    if (!schema->replaces)
        return kan_fail(schema->run, KAN_BAD_INPUT,
                        "%s: a table '%s' appeared there meanwhile; nothing was released",
                        kan_engine_name(schema), name);
    KAN_TRY(kan_engine_place_of(schema, schema->address.schema, name, &place));
    kan_text_init(&sql, schema->run);
    kan_sql_drop(&sql, schema->table.dialect, place);
    return kan_engine_execute(schema, 0, &sql, "drop a table that is replaced");
}

static kan_status take_name(kan_engine *schema, const kan_engine_made *made) {
    kan_text sql;
    kan_text_init(&sql, schema->run);
    kan_sql_rename(&sql, schema->table.dialect, made->place, schema->address.schema, made->name);
    return kan_engine_execute(schema, 0, &sql, "give the tables of the release their names");
}

static kan_status lock_old(kan_engine *schema, const char *name) {
    const char *const lock = schema->table.dialect->lock, *place;
    kan_text sql;
    bool is_taken;
    KAN_TRY(is_there(schema, name, &is_taken));
    if (!is_taken || !lock)
        return KAN_OK;
    KAN_TRY(kan_engine_place_of(schema, schema->address.schema, name, &place));
    kan_text_init(&sql, schema->run);
    kan_sql_pattern(&sql, lock, place);
    return kan_engine_execute(schema, 0, &sql,
                              "replace a table that nobody else, and no original, looks at");
}

kan_status kan_schema_try_replacing(kan_engine *schema) {
    for (size_t i = schema->n_several; schema->replaces && i-- > 0;) {
        KAN_TRY(lock_old(schema, schema->several[i].name));
        KAN_TRY(drop_old(schema, schema->several[i].name));
    }
    return KAN_OK;
}

kan_status kan_schema_name(kan_engine *schema) {
    KAN_ASSERT(schema->n_several > 0 && schema->is_in_transaction);
    /* somebody may have tied children to their parents: they go first */
    for (size_t i = schema->n_several; i-- > 0;)
        KAN_TRY(drop_old(schema, schema->several[i].name));
    for (size_t i = 0; i < schema->n_several; i++)
        KAN_TRY(take_name(schema, &schema->several[i]));
    KAN_TRY(kan_engine_execute_final(schema, schema->table.dialect->commit, "commit the release"));
    schema->is_in_transaction = false;
    schema->n_several = 0;
    return KAN_OK;
}
