/* A table of a schema, its rows one by one in the order in which they are stored. That is the order in
 * which they were written, until somebody changes rows: a release that was changed so is found in another
 * order, and whoever needs the order says that it is not there. */
#include <string.h>

#include "engine/schema/schema_state.h"

typedef struct reading {
    kan_engine *engine;
    kan_table *table;
    kan_text bytes;      /* of a row, each value with a byte 0 behind it */
    size_t *starts;      /* by column */
    const char **values; /* the same */
} reading;

static kan_status fail_text(const reading *r, size_t column) {
    return kan_fail(r->engine->run, KAN_BAD_INPUT,
                    "%s: column %s has a value that is not text in UTF-8, or has a byte 0; "
                    "convert it in the database, or leave the column out",
                    kan_engine_name(r->engine), r->engine->names[column]);
}

static kan_status take_row(void *context, const kan_slice *values) {
    reading *const r = context;
    const kan_sql_table *const table = &r->engine->table;
    r->bytes.size = 0;
    r->engine->n_rows_received++;
    for (size_t i = 0; i < table->n_columns; i++) {
        const kan_sql_form *const form = table->columns[i].form;
        char room[KAN_NUMBER_ROOM];
        kan_slice value = values[i].bytes ? values[i] : (kan_slice){"", 0};
        if (!kan_engine_is_text(value))
            return fail_text(r, i);
        if (kan_sql_form_rewrites(form) && value.size > 0)
            value = kan_engine_rewrite(form, value, room);
        r->starts[i] = r->bytes.size;
        kan_text_add(&r->bytes, value.bytes, value.size);
        kan_text_add(&r->bytes, "", 1);
    }
    KAN_TRY(kan_text_status(&r->bytes));
    for (size_t i = 0; i < table->n_columns; i++)
        r->values[i] = r->bytes.bytes + r->starts[i];
    return kan_table_add_row(r->table, r->values);
}

/* Types without a text, and a column that has the name of the order. */
static kan_status check_columns(const kan_engine *engine) {
    const kan_sql_table *const table = &engine->table;
    kan_problems_begin(engine->run);
    for (size_t i = 0; i < table->n_columns; i++) {
        if (!table->columns[i].form->text)
            kan_problem_add(
                engine->run, "%s: column %s is of the type %s, which kanon cannot turn into text",
                kan_engine_name(engine), table->columns[i].name, table->columns[i].type);
        if (strcasecmp(table->columns[i].name, table->dialect->stored) == 0)
            kan_problem_add(engine->run,
                            "%s: a column is called '%s', which is what %s calls the place of a "
                            "row; give it another name",
                            kan_engine_name(engine), table->columns[i].name, table->dialect->name);
    }
    return kan_problems_end(engine->run);
}

static kan_status read_rows(reading *r) {
    kan_engine *const engine = r->engine;
    const kan_sql_table *const table = &engine->table;
    const kan_row_taker taker = {take_row, r};
    kan_text sql;
    kan_text_init(&sql, engine->run);
    kan_text_print(&sql, "SELECT ");
    for (size_t i = 0; i < table->n_columns; i++) {
        kan_text_print(&sql, "%s", i > 0 ? ", " : "");
        kan_sql_column_text(&sql, table, i, NULL);
    }
    kan_text_print(&sql, " FROM %s ORDER BY %s", table->place, table->dialect->stored);
    KAN_TRY(kan_engine_query(engine, &sql,
                             "read the rows in the order in which they are stored, "
                             "which a view does not have",
                             table->n_columns, &taker));
    if (kan_table_n_rows(r->table) == 0)
        return kan_fail(engine->run, KAN_BAD_INPUT,
                        "%s: columns but no rows; a table needs at least one row",
                        kan_engine_name(engine));
    return kan_table_seal(r->table);
}

static kan_status read_stored(void *state, const bool *encode, const bool *as_is, kan_table **out) {
    kan_engine *const engine = state;
    reading r = {.engine = engine};
    kan_status status;
    (void)encode; /* all are: what is read here is compared as a whole */
    (void)as_is;
    KAN_TRY(check_columns(engine));
    kan_text_init(&r.bytes, engine->run);
    KAN_TRY_DONE(kan_alloc(engine->run, engine->table.n_columns, sizeof *r.starts, &r.starts));
    KAN_TRY_DONE(kan_alloc(engine->run, engine->table.n_columns, sizeof *r.values, &r.values));
    KAN_TRY_DONE(kan_table_create(engine->run, engine->table.n_columns, engine->names, &r.table));
    KAN_TRY_DONE(read_rows(&r));
    *out = r.table;
    r.table = NULL;
done:
    kan_table_destroy(r.table);
    kan_free(engine->run, r.starts);
    kan_free(engine->run, r.values);
    kan_text_destroy(&r.bytes);
    return status;
}

static kan_status open_table(kan_run *run, const char *path, const kan_source_options *options,
                             void **out) {
    const kan_engine_made *const made = kan_schema_find_made(options->schema, options->table);
    (void)run;
    (void)path;
    KAN_TRY(kan_schema_check(options->schema));
    return kan_engine_open_within(options->schema, made ? made->hidden : options->table, out);
}

const kan_source_kind kan_source_schema = {
    .kind = {.name = "schema", .summary = "one of several tables of a release in a database"},
    .title = "a table of a database",
    .open = open_table,
    .close = kan_engine_close,
    .name = kan_engine_name,
    .n_columns = kan_engine_n_columns,
    .column_name = kan_engine_column_name,
    .field = kan_engine_field,
    .read = read_stored,
    .find_apart = kan_engine_find_apart,
    .apart = KAN_ENGINE_APART,
};
