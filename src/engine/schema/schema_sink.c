/* The rows of a release, loaded into tables of a schema in the order of the release. */
#include <string.h>

#include "engine/schema/schema_state.h"

typedef struct giving {
    kan_run *run;
    const kan_release *release;
    kan_arena arena;
    kan_slice **texts; /* by column and code; without bytes: NULL */
    uint64_t next;     /* place of a row in the order of the release */
} giving;

/* As the input writes it. */
static kan_status make_text(giving *g, const kan_release_column *column, uint32_t code,
                            kan_slice *out) {
    char room[KAN_SPELLING_ROOM], quoted[256];
    const char *copy;
    const kan_slice text = kan_spelling_put(column->spelling, column->labels[code], room);
    *out = (kan_slice){NULL, 0};
    if (text.size == 0)
        return KAN_OK;
    if (!kan_engine_is_text(text))
        return kan_fail(g->run, KAN_BAD_INPUT,
                        "column %s has a value that is not text in UTF-8, or has a byte 0, which a "
                        "database does not take; name the encoding of the table with --encoding, "
                        "or leave the column out",
                        kan_quote(kan_slice_of(column->name), quoted));
    KAN_TRY(kan_arena_copy(&g->arena, text.bytes, text.size, &copy));
    *out = (kan_slice){copy, text.size};
    return KAN_OK;
}

static kan_status make_texts(giving *g) {
    const kan_release *const release = g->release;
    KAN_TRY(kan_arena_alloc(&g->arena, release->n_columns, sizeof *g->texts, &g->texts));
    for (size_t i = 0; i < release->n_columns; i++) {
        const kan_release_column *const column = &release->columns[i];
        KAN_TRY(kan_arena_alloc(&g->arena, column->n_labels, sizeof *g->texts[i], &g->texts[i]));
        for (uint32_t code = 0; code < column->n_labels; code++)
            KAN_TRY(make_text(g, column, code, &g->texts[i][code]));
    }
    return KAN_OK;
}

static bool is_left_out(const kan_release *release, uint64_t row) {
    return release->is_suppressed && release->is_suppressed[row];
}

static kan_status give_row(void *context, kan_slice *values, bool *is_row) {
    enum { ROWS_PER_REPORT = 1 << 14 };
    giving *const g = context;
    const kan_release *const release = g->release;
    uint64_t row = 0;
    for (; g->next < release->n_rows; g->next++) {
        row = release->order ? release->order[g->next] : g->next;
        if (!is_left_out(release, row))
            break;
    }
    *is_row = g->next < release->n_rows;
    if (!*is_row)
        return KAN_OK;
    if (g->next % ROWS_PER_REPORT == 0)
        kan_report_progress(g->run, "write", g->next, release->n_rows);
    g->next++;
    for (size_t i = 0; i < release->n_columns; i++)
        values[i] = g->texts[i][kan_release_code(release, &release->columns[i], row)];
    return KAN_OK;
}

static kan_status load_table(kan_engine *schema, const kan_release *release, const char *name) {
    giving g = {.run = schema->run, .release = release};
    const kan_row_giver giver = {give_row, &g};
    const kan_engine_made *const made = kan_schema_find_made(schema, name);
    KAN_ASSERT(made && !release->keeps_suppressed);
    kan_arena_init(&g.arena, schema->run);
    kan_status status = make_texts(&g);
    if (status == KAN_OK)
        status =
            schema->transport->load(schema->connection, 0, made->place, release->n_columns, &giver);
    kan_arena_destroy(&g.arena);
    return status;
}

static kan_status write_several(kan_run *run, const kan_sink_plan *plans, const char *const *names,
                                size_t n, kan_target *target, kan_source_options *readbacks) {
    (void)run;
    (void)target;
    for (size_t t = 0; t < n; t++) {
        KAN_TRY(load_table(readbacks[t].schema, plans[t].release, names[t]));
        readbacks[t].table = names[t];
    }
    return KAN_OK;
}

const kan_sink_kind kan_sink_schema = {
    .kind = {.name = "schema", .summary = "tables of a schema of a database"},
    .reader = &kan_source_schema,
    .in_engine = true,
    .write_several = write_several,
};
