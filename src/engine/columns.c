/* The columns of a table: their names, and what each is to kanon by its type. */
#include "core/signs.h"
#include "engine/engine_state.h"

typedef struct finding {
    kan_engine *engine;
    kan_sql_column *columns;
    size_t n, capacity;
} finding;

/* A name or a type, which SQL can say again: it has no byte 0. */
static kan_status copy_text(kan_engine *engine, kan_slice text, const char **out) {
    if (!text.bytes || memchr(text.bytes, '\0', text.size))
        return kan_fail(engine->run, KAN_FAILED,
                        "%s: a column whose name or type is no text; leave it out with a view",
                        kan_engine_name(engine));
    return kan_arena_copy(&engine->arena, text.bytes, text.size, out);
}

/* The type itself, as SQL can say it again. */
static kan_status drop_mark(kan_engine *engine, const char **type) {
    const char *const mark = engine->table.dialect->by_bytes;
    return mark && kan_ends_with(*type, mark)
               ? kan_arena_copy(&engine->arena, *type, strlen(*type) - strlen(mark), type)
               : KAN_OK;
}

static kan_status take_column(void *context, const kan_slice *values) {
    finding *const f = context;
    kan_sql_column column = {.may_be_null = !kan_slice_is(values[2], "0")};
    KAN_TRY(copy_text(f->engine, values[0], &column.name));
    KAN_TRY(copy_text(f->engine, values[1], &column.type));
    column.form = kan_dialect_form(f->engine->table.dialect, column.type);
    KAN_TRY(drop_mark(f->engine, &column.type));
    KAN_TRY(kan_reserve(f->engine->run, f->n + 1, sizeof *f->columns, &f->capacity, &f->columns));
    f->columns[f->n++] = column;
    return KAN_OK;
}

static kan_status keep_columns(kan_engine *engine, const finding *f) {
    kan_sql_column *columns;
    if (f->n == 0)
        return kan_fail(engine->run, KAN_BAD_INPUT, "%s: the table has no columns",
                        kan_engine_name(engine));
    KAN_TRY(kan_arena_alloc(&engine->arena, f->n, sizeof *columns, &columns));
    KAN_TRY(kan_arena_alloc(&engine->arena, f->n, sizeof *engine->names, &engine->names));
    KAN_TRY(kan_arena_alloc(&engine->arena, f->n, sizeof *engine->fields, &engine->fields));
    KAN_TRY(kan_alloc_zero(engine->run, f->n, sizeof *engine->reals, &engine->reals));
    for (size_t i = 0; i < f->n; i++) {
        columns[i] = f->columns[i];
        engine->names[i] = columns[i].name;
        engine->fields[i] = (kan_field){.name = columns[i].name,
                                        .type = columns[i].form->field,
                                        .is_nested = !columns[i].form->text,
                                        .family = engine->kind->name,
                                        .format = columns[i].type};
    }
    engine->table.columns = columns;
    engine->table.n_columns = f->n;
    return kan_sql_prefix(&engine->arena, f->n, columns, &engine->table.prefix);
}

kan_status kan_engine_find_columns(kan_engine *engine) {
    finding f = {.engine = engine};
    const kan_row_taker taker = {take_column, &f};
    kan_status status = engine->transport->columns(engine->connection, &taker);
    if (status == KAN_OK)
        status = keep_columns(engine, &f);
    kan_free(engine->run, f.columns);
    return status;
}
