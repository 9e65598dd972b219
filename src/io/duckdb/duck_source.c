/* Files, databases and columns of sources. */
#include "io/duckdb/duck_source.h"

#define REMEDY "is it complete? copy or write it again, or convert the table to CSV"

kan_status kan_duck_source_open(kan_run *run, const char *path, const char *what,
                                kan_duck_source **out) {
    kan_duck_source *source;
    kan_status status;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *source, &source));
    source->run = run;
    source->what = what;
    source->file.file = -1;
    source->file.run = run;
    kan_arena_init(&source->arena, run);
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    KAN_TRY_DONE(kan_arena_copy(&source->arena, name, strlen(name), &source->name));
    KAN_TRY_DONE(kan_duck_file_open(run, path, source->name, &source->file));
    *out = source;
done:
    if (status != KAN_OK)
        kan_duck_source_close(source);
    return status;
}

void kan_duck_source_close(kan_duck_source *source) {
    if (!source)
        return;
    kan_duck_close(source->duck);
    kan_duck_file_close(&source->file);
    kan_arena_destroy(&source->arena);
    kan_free(source->run, source);
}

kan_duck_query kan_duck_source_query(const kan_duck_source *source, const char *sql) {
    return (kan_duck_query){.sql = sql,
                            .status = KAN_BAD_INPUT,
                            .what = source->is_json ? "cannot be read as JSON"
                                                    : "cannot be read as Parquet",
                            .remedy = REMEDY};
}

/* ---- columns -------------------------------------------------------------------------------- */

static kan_status copy_string(kan_duck_source *source, kan_duck_chunk chunk, uint64_t column,
                              uint64_t row, const char **out) {
    const kan_duck_api *api = &source->duck->api;
    const kan_duck_string *strings =
        api->vector_get_data(api->data_chunk_get_vector(chunk, column));
    const kan_slice text = kan_duck_string_slice(&strings[row]);
    return kan_arena_copy(&source->arena, text.bytes, text.size, out);
}

static kan_status add_rows(kan_duck_source *source, kan_duck_chunk chunk, kan_duck_list *list) {
    const uint64_t n = source->duck->api.data_chunk_get_size(chunk);
    KAN_TRY(
        kan_reserve(source->run, list->n + n, sizeof *list->rows, &list->capacity, &list->rows));
    for (uint64_t i = 0; i < n; i++) {
        struct kan_duck_named *row = &list->rows[list->n];
        KAN_TRY(copy_string(source, chunk, 0, i, &row->name));
        KAN_TRY(copy_string(source, chunk, 1, i, &row->sql));
        list->n++;
    }
    return KAN_OK;
}

kan_status kan_duck_source_list(kan_duck_source *source, const char *sql, kan_duck_list *list) {
    const kan_duck *duck = source->duck;
    const kan_duck_query query = kan_duck_source_query(source, sql);
    kan_duck_result result;
    kan_duck_chunk chunk = NULL;
    kan_status status;
    KAN_TRY(kan_duck_run(duck, duck->connection, &query, &result));
    for (;;) {
        KAN_TRY_DONE(kan_duck_fetch(duck, &query, &result, &chunk));
        if (!chunk)
            break;
        KAN_TRY_DONE(add_rows(source, chunk, list));
        duck->api.destroy_data_chunk(&chunk);
    }
done:
    if (chunk)
        duck->api.destroy_data_chunk(&chunk);
    source->duck->api.destroy_result(&result);
    return status;
}

kan_status kan_duck_source_take(kan_duck_source *source, const kan_duck_list *list) {
    kan_arena *arena = &source->arena;
    KAN_TRY(kan_arena_alloc(arena, list->n, sizeof *source->names, &source->names));
    KAN_TRY(kan_arena_alloc(arena, list->n, sizeof *source->fields, &source->fields));
    KAN_TRY(kan_arena_alloc(arena, list->n, sizeof *source->field_of, &source->field_of));
    KAN_TRY(kan_arena_alloc(arena, list->n, sizeof *source->types, &source->types));
    source->n_columns = list->n;
    for (size_t i = 0; i < list->n; i++) {
        const struct kan_duck_named *row = &list->rows[i];
        source->names[i] = row->name;
        source->types[i] = kan_duck_type_find(row->sql);
        source->field_of[i] = &source->fields[i];
        source->fields[i] = (kan_field){.name = row->name,
                                        .type = source->types[i].field,
                                        .is_nested = source->types[i].form == KAN_SCALAR_NONE,
                                        .family = "duckdb",
                                        .format = row->sql};
    }
    return KAN_OK;
}

kan_status kan_duck_source_start(kan_duck_source *source, unsigned n_threads,
                                 const kan_options *given) {
    const kan_duck_plan plan = {.name = source->name,
                                .what = source->what,
                                .path = source->file.path,
                                .n_threads = n_threads,
                                .given = given};
    return kan_duck_open(source->run, &plan, &source->duck);
}

kan_status kan_duck_source_check(const kan_duck_source *source, const bool *encode) {
    char quoted[256], type[256];
    kan_problems_begin(source->run);
    for (size_t i = 0; i < source->n_columns; i++)
        if (encode[i] && source->fields[i].is_nested)
            kan_problem_add(source->run,
                            "%s: column %s cannot be read, its type is %s; drop it, or write it as "
                            "columns of plain values (unnest a list, take the members of a struct)",
                            source->name, kan_quote(kan_slice_of(source->names[i]), quoted),
                            kan_quote(kan_slice_of(source->fields[i].format), type));
    return kan_problems_end(source->run);
}

/* ---- as a kind ------------------------------------------------------------------------------ */

void kan_duck_kind_close(void *state) {
    kan_duck_source_close(state);
}

const char *kan_duck_kind_name(const void *state) {
    return ((const kan_duck_source *)state)->name;
}

size_t kan_duck_kind_n_columns(const void *state) {
    return ((const kan_duck_source *)state)->n_columns;
}

const char *kan_duck_kind_column_name(const void *state, size_t column) {
    return ((const kan_duck_source *)state)->names[column];
}

const kan_field *kan_duck_kind_field(const void *state, size_t column) {
    return &((const kan_duck_source *)state)->fields[column];
}
