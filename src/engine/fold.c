/* Counting in the engine: one GROUP BY, whose groups become the rows of a counted table.
 *
 * Values are encoded as they come (data/encoder.h); codes are small, and nothing else of a row is
 * kept. In the end the encoders become dictionaries, and the rows are put in the order of their
 * codes: the engine gives them in any order, and the same table has to give the same bytes. Groups
 * that became the same texts here (NULL and '') become one.
 *
 * Memory: that of tuples.h, and each distinct value once. */
#include <inttypes.h>
#include <math.h>

#include "core/signs.h"
#include "core/spill.h"
#include "engine/engine_state.h"
#include "engine/tuples.h"

enum { ROWS_PER_REPORT = 1 << 13 };

typedef struct folding {
    kan_engine *engine;
    const kan_engine_count_plan *plan;
    size_t n_encoded;
    size_t *encoded;       /* their columns */
    kan_encoder *encoders; /* by encoded column */
    size_t n_encoders;     /* that were made */
    uint32_t **maps;       /* the same: from an encoder's code to the dictionary's */
    kan_engine_tuples tuples;
    kan_table *table;
} folding;

/* ---- rows ----------------------------------------------------------------------------------- */

bool kan_engine_read_count(kan_slice text, uint64_t *out) {
    uint64_t count = 0;
    if (!text.bytes || text.size == 0)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        const unsigned digit = (unsigned)(unsigned char)text.bytes[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(count, (uint64_t)10, &count) ||
            __builtin_add_overflow(count, (uint64_t)digit, &count))
            return false;
    }
    *out = count;
    return true;
}

static kan_status encode(kan_encoder *encoder, kan_slice value, uint32_t *out) {
    static const char nothing[8] = "";
    if (!value.bytes)
        value = (kan_slice){nothing, 0};
    if (value.size >= KAN_CODE_LIMIT)
        return kan_fail(encoder->run, KAN_BAD_INPUT, "a value has 4 GB or more");
    *out = kan_encoder_find(encoder, value.bytes, value.size);
    return *out != KAN_CODE_LIMIT ? KAN_OK
                                  : kan_encoder_insert(encoder, value.bytes, value.size, out);
}

static kan_status take_group(void *context, const kan_slice *values) {
    folding *const f = context;
    uint64_t count;
    uint32_t *codes;
    if (!kan_engine_read_count(values[f->n_encoded], &count))
        return kan_fail(f->engine->run, KAN_FAILED,
                        "%s: the engine returned an invalid number of rows",
                        kan_engine_name(f->engine));
    f->engine->n_rows_received++;
    if (count == 0) /* the one row of a count without groups */
        return KAN_OK;
    KAN_TRY(kan_engine_tuples_add(&f->tuples, count, &codes));
    for (size_t i = 0; i < f->n_encoded; i++)
        KAN_TRY(encode(&f->encoders[i], values[i], &codes[i]));
    if (f->tuples.n % ROWS_PER_REPORT == 0) {
        kan_report_units(f->engine->run, f->plan->stage, "tuples", f->tuples.n, 0);
        KAN_TRY(kan_check_cancel(f->engine->run));
    }
    return KAN_OK;
}

/* ---- values --------------------------------------------------------------------------------- */

bool kan_engine_is_text(kan_slice text) {
    size_t at = 0, length = 1;
    while (at < text.size && length > 0 && text.bytes[at] != '\0') {
        length = kan_utf8_length(text.bytes + at, text.size - at);
        at += length;
    }
    return at >= text.size;
}

/* A database may hold bytes that are no text. */
static kan_status check_texts(const folding *f, size_t column, const kan_encoder *encoder) {
    for (uint32_t code = 0; code < encoder->n; code++)
        if (!kan_engine_is_text(kan_encoder_value(encoder, code)))
            return kan_fail(f->engine->run, KAN_BAD_INPUT,
                            "%s: column %s has a value that is not text in UTF-8, or has a byte 0; "
                            "convert it in the database, or leave the column out",
                            kan_engine_name(f->engine), f->plan->table->columns[column].name);
    return KAN_OK;
}

/* The text of a real as kanon writes it. What is no finite number, and -0, stays as it is: the
 * engine tells them from others, and so must we. */
static kan_slice write_real(kan_slice text, char *room) {
    double number;
    if (text.size == 0 || !kan_parse_real(text.bytes, text.size, &number) || !isfinite(number))
        return text;
    if (number == 0 && signbit(number))
        return (kan_slice){"-0", 2};
    return (kan_slice){room, kan_number_text(number, room)};
}

/* The same of a decimal: as a real where that is exact, else all digits, without zeros at the end. */
static kan_slice write_decimal(kan_slice text, char *room) {
    enum { EXACT_DIGITS = 15 };
    size_t n_digits = 0;
    if (!memchr(text.bytes, '.', text.size))
        return text;
    while (text.bytes[text.size - 1] == '0')
        text.size--;
    text.size -= text.bytes[text.size - 1] == '.';
    for (size_t i = 0; i < text.size; i++) {
        const bool is_digit = kan_is_digit(text.bytes[i]);
        n_digits += is_digit && (n_digits > 0 || text.bytes[i] != '0');
    }
    return n_digits <= EXACT_DIGITS ? write_real(text, room) : text;
}

kan_slice kan_engine_rewrite(const kan_sql_form *form, kan_slice text, char *room) {
    return form->is_decimal ? write_decimal(text, room) : write_real(text, room);
}

void kan_engine_reals_destroy(kan_run *run, kan_engine_reals *reals) {
    if (!reals->is_there)
        return;
    kan_encoder_destroy(&reals->given);
    kan_text_destroy(&reals->written);
    kan_free(run, reals->start);
    *reals = (kan_engine_reals){0};
}

/* Keeps what the engine wrote, and what it became. Takes over the encoder `given`. */
static kan_status keep_reals(kan_run *run, const kan_sql_form *form, kan_encoder *given,
                             kan_engine_reals *out) {
    char room[KAN_NUMBER_ROOM];
    kan_engine_reals_destroy(run, out);
    *out = (kan_engine_reals){.given = *given, .is_there = true};
    *given = (kan_encoder){0};
    kan_text_init(&out->written, run);
    KAN_TRY(kan_alloc(run, (size_t)out->given.n + 1, sizeof *out->start, &out->start));
    out->start[0] = 0;
    for (uint32_t code = 0; code < out->given.n; code++) {
        const kan_slice text = kan_engine_rewrite(form, kan_encoder_value(&out->given, code), room);
        kan_text_add(&out->written, text.bytes, text.size);
        out->start[code + 1] = out->written.size;
    }
    return out->given.n ? kan_text_status(&out->written) : KAN_OK;
}

/* Reals in kanon's form: the encoder is made anew, and the map goes from the old one's codes. */
static kan_status build_reals(folding *f, size_t place, kan_dictionary *out) {
    kan_run *const run = f->engine->run;
    kan_encoder *const encoder = &f->encoders[place];
    const kan_sql_form *const form = f->plan->table->columns[f->encoded[place]].form;
    kan_encoder written;
    uint32_t *code_of = NULL, *map = NULL;
    char room[KAN_NUMBER_ROOM];
    kan_status status;
    KAN_TRY(kan_encoder_init(&written, run));
    KAN_TRY_DONE(kan_alloc(run, encoder->n, sizeof *code_of, &code_of));
    for (uint32_t code = 0; code < encoder->n; code++)
        KAN_TRY_DONE(kan_encoder_add(
            &written, kan_engine_rewrite(form, kan_encoder_value(encoder, code), room),
            &code_of[code]));
    KAN_TRY_DONE(kan_dictionary_build(run, &written, 1, 1, &map, out));
    for (uint32_t code = 0; code < encoder->n; code++)
        code_of[code] = map[code_of[code]];
    f->maps[place] = code_of;
    code_of = NULL;
    if (f->plan->reals)
        KAN_TRY_DONE(keep_reals(run, form, encoder, &f->plan->reals[f->encoded[place]]));
done:
    kan_free(run, code_of);
    kan_free(run, map);
    kan_encoder_destroy(&written);
    return status;
}

static kan_status build_dictionary(folding *f, size_t place) {
    const size_t index = f->encoded[place];
    kan_column *const column = &f->table->columns[index];
    KAN_TRY(check_texts(f, index, &f->encoders[place]));
    if (kan_sql_form_rewrites(f->plan->table->columns[index].form))
        KAN_TRY(build_reals(f, place, &column->dictionary));
    else
        KAN_TRY(kan_dictionary_build(f->engine->run, &f->encoders[place], 1, 1, &f->maps[place],
                                     &column->dictionary));
    kan_encoder_destroy(&f->encoders[place]);
    f->encoders[place] = (kan_encoder){0};
    return kan_check_cancel(f->engine->run);
}

/* ---- the table ------------------------------------------------------------------------------ */

static kan_status sort_tuples(folding *f) {
    uint32_t *n_codes;
    KAN_TRY(kan_alloc(f->engine->run, f->n_encoded, sizeof *n_codes, &n_codes));
    for (size_t i = 0; i < f->n_encoded; i++)
        n_codes[i] = f->table->columns[f->encoded[i]].dictionary.n;
    const kan_status status = kan_engine_tuples_sort(&f->tuples, n_codes, f->maps);
    kan_free(f->engine->run, n_codes);
    return status;
}

static kan_status make_table(folding *f) {
    kan_engine *const engine = f->engine;
    const kan_sql_table *const table = f->plan->table;
    const char **names;
    KAN_TRY(kan_arena_alloc(&engine->arena, table->n_columns, sizeof *names, &names));
    for (size_t i = 0; i < table->n_columns; i++)
        names[i] = table->columns[i].name;
    KAN_TRY(kan_table_make(engine->run, table->n_columns, names, &f->table));
    for (size_t i = 0; i < f->n_encoded; i++)
        KAN_TRY(build_dictionary(f, i));
    KAN_TRY(sort_tuples(f));
    for (size_t i = 0; i < f->n_encoded; i++)
        kan_engine_tuples_give(&f->tuples, i, &f->table->columns[f->encoded[i]]);
    return kan_engine_tuples_give_counts(&f->tuples, f->table);
}

/* All columns of which there is no text are told at once. */
static kan_status begin_columns(folding *f) {
    const kan_sql_table *const table = f->plan->table;
    kan_run *const run = f->engine->run;
    KAN_TRY(kan_alloc(run, table->n_columns, sizeof *f->encoded, &f->encoded));
    kan_problems_begin(run);
    for (size_t i = 0; i < table->n_columns; i++) {
        if (!f->plan->encode[i])
            continue;
        f->encoded[f->n_encoded++] = i;
        if (!table->columns[i].form->text)
            kan_problem_add(run,
                            "%s: column %s is of the type %s, which kanon cannot turn into text; "
                            "it can be kept as it is, left out, or cast in a view",
                            kan_engine_name(f->engine), table->columns[i].name,
                            table->columns[i].type);
    }
    KAN_TRY(kan_problems_end(run));
    KAN_TRY(kan_alloc_zero(run, f->n_encoded, sizeof *f->encoders, &f->encoders));
    KAN_TRY(kan_alloc_zero(run, f->n_encoded, sizeof *f->maps, &f->maps));
    for (; f->n_encoders < f->n_encoded; f->n_encoders++)
        KAN_TRY(kan_encoder_init(&f->encoders[f->n_encoders], run));
    kan_engine_tuples_init(&f->tuples, run, f->n_encoded);
    return KAN_OK;
}

static void end_folding(folding *f) {
    kan_run *const run = f->engine->run;
    for (size_t i = 0; i < f->n_encoders; i++)
        if (f->encoders[i].run)
            kan_encoder_destroy(&f->encoders[i]);
    for (size_t i = 0; f->maps && i < f->n_encoded; i++)
        kan_free(run, f->maps[i]);
    kan_free(run, f->encoders);
    kan_free(run, f->maps);
    kan_free(run, f->encoded);
    kan_engine_tuples_destroy(&f->tuples);
    kan_table_destroy(f->table);
}

/* The groups, from where they are. */
static kan_status fetch_groups(folding *f) {
    kan_engine *const engine = f->engine;
    const kan_engine_count_plan *const plan = f->plan;
    const kan_row_taker taker = {take_group, f};
    kan_text sql;
    if (engine->transport->count_rows)
        return engine->transport->count_rows(engine->connection, plan->encode, &taker);
    kan_text_init(&sql, engine->run);
    if (plan->some)
        kan_sql_fold_some(&sql, plan->table, plan->encode, plan->some);
    else
        kan_sql_fold(&sql, plan->table, plan->encode);
    return kan_engine_query(engine, &sql, plan->what, f->n_encoded + 1, &taker);
}

kan_status kan_engine_count(kan_engine *engine, const kan_engine_count_plan *plan,
                            kan_table **out) {
    folding f = {.engine = engine, .plan = plan, .tuples = {.run = engine->run}};
    kan_status status;
    KAN_TRY_DONE(begin_columns(&f));
    KAN_TRY_DONE(fetch_groups(&f));
    kan_report_units(engine->run, plan->stage, "tuples", f.tuples.n, f.tuples.n);
    KAN_TRY_DONE(make_table(&f));
    *out = f.table;
    f.table = NULL;
done:
    end_folding(&f);
    return status;
}

void kan_engine_hold(void *state, const bool *columns) {
    ((kan_engine *)state)->compared = columns;
}

/* The table, with a text of what is only compared and has none of its own. */
static kan_status find_compared(kan_engine *engine, kan_sql_table *out) {
    kan_sql_column *columns;
    kan_sql_form *form;
    *out = engine->table;
    if (!engine->compared)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(&engine->arena, out->n_columns, sizeof *columns, &columns));
    for (size_t i = 0; i < out->n_columns; i++) {
        columns[i] = out->columns[i];
        if (!engine->compared[i] || columns[i].form->text || !columns[i].form->compared)
            continue;
        KAN_TRY(kan_arena_alloc(&engine->arena, 1, sizeof *form, &form));
        *form = (kan_sql_form){.text = columns[i].form->compared};
        columns[i].form = form;
    }
    out->columns = columns;
    return KAN_OK;
}

static kan_status fold(kan_engine *engine, const bool *encode_columns, const kan_sql_some *some,
                       kan_table **out) {
    kan_sql_table counted;
    KAN_TRY(find_compared(engine, &counted));
    const kan_engine_count_plan plan = {.table = &counted,
                                        .encode = encode_columns,
                                        .reals = engine->reals,
                                        .what = "count the rows of the table",
                                        .stage = "fold",
                                        .some = some};
    kan_table *table;
    engine->stand_ins = NULL;
    KAN_TRY(kan_engine_check_rows(engine));
    KAN_TRY(kan_engine_count(engine, &plan, &table));
    if (kan_table_total(table) == 0) {
        kan_table_destroy(table);
        return kan_fail(engine->run, KAN_BAD_INPUT,
                        "%s: columns but no rows; a table needs at least one row",
                        kan_engine_name(engine));
    }
    *out = table;
    return KAN_OK;
}

kan_status kan_engine_fold(void *state, const bool *encode_columns, kan_table **out) {
    return fold(state, encode_columns, NULL, out);
}

kan_status kan_engine_fold_some(void *state, const bool *encode_columns,
                                const kan_source_some *some, kan_table **out) {
    kan_engine *const engine = state;
    kan_sql_some drawn = {.clock = some->clock, .n_most = some->n_most};
    bool *by_row;
    if (some->is_by_row) {
        KAN_TRY(kan_arena_alloc(&engine->arena, engine->table.n_columns, sizeof *by_row, &by_row));
        for (size_t i = 0; i < engine->table.n_columns; i++)
            by_row[i] = i == some->row_column;
        drawn.by_row = by_row;
    }
    return fold(engine, encode_columns, &drawn, out);
}
