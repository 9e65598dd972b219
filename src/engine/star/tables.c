/* The tables of a star: see star_state.h. They are temporary where the dialect has such; otherwise
 * they have names that nobody guesses, and are taken away with the engine at the latest. */
#include <inttypes.h>
#include <stdio.h>

#include "engine/star/star_state.h"

enum { NUMBER_ROOM = 24 };

/* ---- making and dropping --------------------------------------------------------------------- */

static kan_status name_table(kan_star *star, const char **out) {
    kan_engine *const engine = star->engine;
    char name[64];
    kan_text place;
    (void)snprintf(name, sizeof name, "%s_%u", star->stem, star->n_named++);
    kan_text_init(&place, engine->run);
    kan_sql_place(&place, engine->table.dialect, kan_engine_scratch(engine), name);
    kan_status status = kan_text_status(&place);
    if (status == KAN_OK)
        status = kan_arena_copy(&engine->arena, place.bytes, place.size, out);
    kan_text_destroy(&place);
    return status;
}

/* A table that does not go with the connection is noted before it is made. */
static kan_status note_table(kan_engine *engine, const char *place) {
    if (engine->table.dialect->create_temporary)
        return KAN_OK;
    KAN_TRY(kan_reserve(engine->run, engine->n_leftovers + 1, sizeof *engine->leftovers,
                        &engine->leftovers_capacity, &engine->leftovers));
    engine->leftovers[engine->n_leftovers++] = place;
    return KAN_OK;
}

static void forget_table(kan_engine *engine, const char *place) {
    for (size_t i = engine->n_leftovers; i-- > 0;)
        if (engine->leftovers[i] == place) {
            engine->leftovers[i] = engine->leftovers[--engine->n_leftovers];
            return;
        }
}

kan_status kan_star_make_table(kan_star *star, const char *columns, const char **out) {
    kan_engine *const engine = star->engine;
    const kan_dialect *const dialect = engine->table.dialect;
    const char *place;
    kan_text sql;
    KAN_TRY(name_table(star, &place));
    KAN_TRY(note_table(engine, place));
    kan_text_init(&sql, engine->run);
    kan_text_print(&sql, "%s%s (%s)%s",
                   dialect->create_temporary ? dialect->create_temporary : dialect->create, place,
                   columns, dialect->create_tail);
    KAN_TRY(kan_engine_execute(engine, 0, &sql, "make a table for counting"));
    *out = place;
    return KAN_OK;
}

kan_status kan_star_analyze(kan_star *star, const char *place) {
    const char *const analyze = star->engine->table.dialect->analyze;
    kan_text sql;
    if (!analyze)
        return KAN_OK;
    kan_text_init(&sql, star->engine->run);
    kan_text_print(&sql, "%s%s", analyze, place);
    return kan_engine_execute(star->engine, 0, &sql, "look at a table for counting");
}

kan_status kan_star_drop_table(kan_star *star, const char *place) {
    kan_engine *const engine = star->engine;
    kan_text sql;
    kan_text_init(&sql, engine->run);
    kan_sql_drop(&sql, engine->table.dialect, place);
    KAN_TRY(kan_engine_execute(engine, 0, &sql, "drop a table for counting"));
    forget_table(engine, place);
    return KAN_OK;
}

/* ---- texts ----------------------------------------------------------------------------------- */

kan_star_texts kan_star_texts_begin(const kan_star *star, unsigned dimension) {
    const kan_star_dimension *const d = &star->dimensions[dimension];
    const kan_engine_reals *const reals = &star->engine->reals[d->column];
    const kan_sql_form *const form = star->engine->table.columns[d->column].form;
    return (kan_star_texts){.reals = kan_sql_form_rewrites(form) && reals->is_there ? reals : NULL,
                            .values = d->values};
}

bool kan_star_texts_next(kan_star_texts *texts, kan_slice *text, uint32_t *code) {
    const kan_engine_reals *const reals = texts->reals;
    while (texts->next < (reals ? reals->given.n : texts->values->n)) {
        const uint32_t at = texts->next++;
        if (!reals) {
            *text = kan_dictionary_value(texts->values, at);
            *code = at;
            return true;
        }
        const kan_slice written = {reals->written.bytes + reals->start[at],
                                   reals->start[at + 1] - reals->start[at]};
        *text = kan_encoder_value(&reals->given, at);
        if (kan_dictionary_find(texts->values, written, code))
            return true;
    }
    return false;
}

/* ---- filling --------------------------------------------------------------------------------- */

static kan_slice write_number(char *room, uint32_t code) {
    const int size = snprintf(room, NUMBER_ROOM, "%" PRIu64, (uint64_t)code + 1);
    return (kan_slice){room, (size_t)size};
}

typedef struct filling {
    const kan_star *star;
    unsigned dimension;
    kan_star_texts texts;
    uint32_t next;
    char numbers[KAN_HEIGHT_MOST + 1][NUMBER_ROOM];
} filling;

static kan_status give_key(void *context, kan_slice *values, bool *is_row) {
    filling *const f = context;
    uint32_t code;
    *is_row = kan_star_texts_next(&f->texts, &values[0], &code);
    if (*is_row)
        values[1] = write_number(f->numbers[0],
                                 kan_star_stand_in(f->star, f->dimension,
                                                   f->star->dimensions[f->dimension].lowest, code));
    return KAN_OK;
}

kan_status kan_star_load_keys(kan_star *star, unsigned dimension) {
    kan_engine *const engine = star->engine;
    const kan_dialect *const dialect = engine->table.dialect;
    filling f = {
        .star = star, .dimension = dimension, .texts = kan_star_texts_begin(star, dimension)};
    const kan_row_giver giver = {give_key, &f};
    char columns[256];
    (void)snprintf(columns, sizeof columns, "k %s, g %s", dialect->key_type, dialect->count_type);
    KAN_TRY(kan_star_make_table(star, columns, &star->keys[dimension]));
    KAN_TRY(engine->transport->load(engine->connection, 0, star->keys[dimension], 2, &giver));
    return kan_star_analyze(star, star->keys[dimension]);
}

/* A row for each value that stands for others at the lowest level. */
static kan_status give_level(void *context, kan_slice *values, bool *is_row) {
    filling *const f = context;
    const kan_star_dimension *const d = &f->star->dimensions[f->dimension];
    while (f->next < d->values->n && d->stand_in[0][f->next] != f->next)
        f->next++;
    *is_row = f->next < d->values->n;
    for (unsigned level = d->lowest; *is_row && level <= d->highest; level++)
        values[level - d->lowest] =
            write_number(f->numbers[level - d->lowest],
                         kan_star_stand_in(f->star, f->dimension, level, f->next));
    f->next++;
    return KAN_OK;
}

kan_status kan_star_load_levels(kan_star *star, unsigned dimension) {
    kan_engine *const engine = star->engine;
    const kan_star_dimension *const d = &star->dimensions[dimension];
    const char *const type = engine->table.dialect->count_type;
    filling f = {.star = star, .dimension = dimension};
    const kan_row_giver giver = {give_level, &f};
    kan_text columns;
    if (d->lowest == d->highest)
        return KAN_OK;
    kan_text_init(&columns, engine->run);
    kan_text_print(&columns, "g %s", type);
    for (unsigned level = d->lowest + 1; level <= d->highest; level++)
        kan_text_print(&columns, ", l%u %s", level, type);
    kan_status status = kan_text_status(&columns);
    if (status == KAN_OK)
        status = kan_star_make_table(star, columns.bytes, &star->levels[dimension]);
    kan_text_destroy(&columns);
    KAN_TRY(status);
    KAN_TRY(engine->transport->load(engine->connection, 0, star->levels[dimension],
                                    d->highest - d->lowest + 1, &giver));
    return kan_star_analyze(star, star->levels[dimension]);
}
