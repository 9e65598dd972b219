/* What all rows of a table have in a column, counted where they are: for those who were given some of
 * its values alone. */
#include <string.h>

#include "engine/engine_state.h"

typedef struct summing {
    kan_engine *engine;
    const kan_sql_form *form;
    kan_source_sum *out;
    bool is_there;
} summing;

static kan_status take_sums(void *context, const kan_slice *values) {
    summing *const s = context;
    uint64_t sums[KAN_SQL_SUMS];
    for (unsigned i = 0; i < KAN_SQL_SUMS; i++)
        if (!kan_engine_read_count(values[i], &sums[i]))
            return kan_fail(s->engine->run, KAN_FAILED, "%s: the engine returned an invalid number",
                            kan_engine_name(s->engine));
    s->engine->n_rows_received++;
    s->out->n_distinct = sums[0];
    s->out->n_once = sums[1];
    s->out->n_rows = sums[2];
    s->out->n_missing = sums[3] + sums[4];
    s->out->n_most = sums[5];
    s->is_there = true;
    return KAN_OK;
}

/* The text in kanon's form, where there is one and it fits. */
static bool keep_end(const summing *s, kan_slice text, char out[sizeof s->out->least]) {
    char room[KAN_NUMBER_ROOM];
    if (!text.bytes || text.size == 0)
        return false;
    if (kan_sql_form_rewrites(s->form))
        text = kan_engine_rewrite(s->form, text, room);
    if (text.size >= sizeof s->out->least)
        return false;
    memcpy(out, text.bytes, text.size);
    out[text.size] = '\0';
    return true;
}

static kan_status take_range(void *context, const kan_slice *values) {
    summing *const s = context;
    s->engine->n_rows_received++;
    s->out->has_range =
        keep_end(s, values[0], s->out->least) && keep_end(s, values[1], s->out->greatest);
    return KAN_OK;
}

kan_status kan_engine_sum_up(void *state, size_t column, uint64_t most, kan_source_sum *out) {
    kan_engine *const engine = state;
    summing s = {.engine = engine, .form = engine->table.columns[column].form, .out = out};
    const kan_row_taker sums = {take_sums, &s}, range = {take_range, &s};
    kan_text sql;
    *out = (kan_source_sum){.can_draw = engine->table.dialect->drawn != NULL};
    if (!out->can_draw)
        return KAN_OK;
    KAN_TRY(kan_engine_check_rows(engine));
    kan_text_init(&sql, engine->run);
    kan_sql_sum_up(&sql, &engine->table, column);
    KAN_TRY(kan_engine_query(engine, &sql, "count the values of a column", KAN_SQL_SUMS, &sums));
    if (!s.is_there)
        return kan_fail(engine->run, KAN_FAILED, "%s: the engine returned no row",
                        kan_engine_name(engine));
    const bool is_ordered = s.form->field == KAN_FIELD_NUMBER || s.form->field == KAN_FIELD_DATE;
    if (!is_ordered || out->n_distinct <= most)
        return KAN_OK;
    kan_text_init(&sql, engine->run);
    kan_sql_range(&sql, &engine->table, column);
    return kan_engine_query(engine, &sql, "find the ends of a column", 2, &range);
}
