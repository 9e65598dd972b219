/* Values that whoever sees a table can tell apart, and that the fold takes for one.
 *
 * Of most types the text says all. Not so of NULL beside '', of what is_lossy (dialect.h), and of
 * NaN, whose bits may differ. kan_engine_apply leaves none of these in a release; a table that somebody
 * else made may have them. One statement per column that may have some: the distinct texts of a lossy
 * or real column come here, each with what tells its values apart; of others two rows at most. */
#include "engine/engine_state.h"

typedef struct looking {
    kan_engine *engine;
    const kan_sql_form *form;
    kan_encoder texts; /* in kanon's form, each once */
    bool found;
} looking;

/* Pairs are distinct: a text that comes again has another value. */
static kan_status take_pair(void *context, const kan_slice *values) {
    looking *const l = context;
    char room[KAN_NUMBER_ROOM];
    const kan_slice given = values[0].bytes ? values[0] : kan_slice_of("");
    const kan_slice text =
        kan_sql_form_rewrites(l->form) ? kan_engine_rewrite(l->form, given, room) : given;
    const uint32_t n = l->texts.n;
    uint32_t code;
    l->engine->n_rows_received++;
    KAN_TRY(kan_encoder_add(&l->texts, text, &code));
    l->found =
        l->found || code < n || (l->form->is_real && !l->form->exact && kan_sql_text_is_nan(text));
    return kan_check_cancel(l->engine->run);
}

static bool may_have_some(const kan_sql_form *form) {
    return form->text && (form->is_text || form->is_lossy || form->is_real);
}

static kan_status look_at(kan_engine *engine, size_t column, bool *out) {
    looking l = {.engine = engine, .form = engine->table.columns[column].form};
    const kan_row_taker taker = {take_pair, &l};
    kan_text sql;
    KAN_TRY(kan_encoder_init(&l.texts, engine->run));
    kan_text_init(&sql, engine->run);
    kan_sql_apart(&sql, &engine->table, column);
    const kan_status status =
        kan_engine_query(engine, &sql, "look for values that have one text", 2, &taker);
    kan_encoder_destroy(&l.texts);
    *out = l.found;
    return status;
}

kan_status kan_engine_find_apart(void *state, const bool *columns, bool *out) {
    kan_engine *const engine = state;
    KAN_TRY(kan_engine_check_rows(engine));
    for (size_t i = 0; i < engine->table.n_columns; i++) {
        out[i] = false;
        if (columns[i] && may_have_some(engine->table.columns[i].form))
            KAN_TRY(look_at(engine, i, &out[i]));
    }
    return KAN_OK;
}
