/* Settling the spelling of each column of a table, and telling what does not fit.
 *
 * A column that was said by name to hold dates in a format, or numbers with some sign, and has
 * other values is a mistake of the table or of who said so: all such columns are told, with the
 * first of these values and where they stand. What was said of the whole table is taken for the
 * columns that fit, and for no others. */
#include "io/source_spelling.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_TOLD = 3 };

/* ---- what does not fit ---------------------------------------------------------------------- */

typedef struct {
    uint32_t n_values;
    uint64_t n_rows;
    size_t n_told;
    uint32_t codes[MOST_TOLD]; /* in the order of their first rows, */
    uint64_t rows[MOST_TOLD];  /* which are these */
} misfits;

static bool is_misfit(const kan_spelling *said, const kan_spelling *settled, kan_slice value) {
    char room[KAN_SPELLING_ROOM];
    if (kan_value_is_unknown(value) || kan_spelling_take(settled, value, room).size == 0)
        return false;
    return said->names_dates ? !kan_spelling_is_date(said, value)
                             : !kan_spelling_is_number(said, value);
}

static kan_status find_misfits(kan_run *run, const kan_column *column, const kan_spelling *said,
                               const kan_spelling *settled, misfits *out) {
    enum { ROWS_BETWEEN_CHECKS = 1 << 20 };
    const kan_dictionary *values = &column->dictionary;
    uint8_t *state; /* 1: does not fit, 2: and was seen */
    kan_status status = KAN_OK;
    KAN_TRY(kan_alloc_zero(run, values->n, 1, &state));
    for (uint32_t code = 0; code < values->n; code++) {
        state[code] = is_misfit(said, settled, kan_dictionary_value(values, code));
        out->n_values += state[code];
    }
    for (uint64_t row = 0; out->n_values > 0 && row < column->n_rows; row++) {
        const uint32_t code = kan_column_code(column, row);
        if (row % ROWS_BETWEEN_CHECKS == 0)
            KAN_TRY_DONE(kan_check_cancel(run));
        out->n_rows += state[code] > 0 ? kan_column_rows(column, row) : 0;
        if (state[code] == 1 && out->n_told < MOST_TOLD) {
            out->codes[out->n_told] = code;
            out->rows[out->n_told++] = row;
            state[code] = 2;
        }
    }
done:
    kan_free(run, state);
    return status;
}

static void tell_wish(const kan_spelling *said, bool is_one, kan_text *text) {
    if (said->names_dates) {
        kan_text_print(text, "not %s in the format %s", is_one ? "a date" : "dates",
                       said->date.text);
        if (said->date.first_year >= 0)
            kan_text_print(text, "@%d", said->date.first_year);
        return;
    }
    kan_text_print(text, "not %s with ", is_one ? "a number" : "numbers");
    if (said->decimal)
        kan_text_print(text, "'%c' before the decimals%s", said->decimal,
                       said->thousands ? " and " : "");
    if (said->thousands)
        kan_text_print(text, "'%c' between thousands", said->thousands);
}

static kan_status tell_misfits(kan_source *source, const kan_column *column,
                               const kan_spelling *said, const misfits *m, kan_text *text) {
    uint64_t lines[MOST_TOLD];
    bool has_lines = false;
    char quoted[256], counts[2][32];
    KAN_TRY(kan_source_find_lines(source, m->rows, m->n_told, lines, &has_lines));
    kan_text_print(text, "%s%s: column %s: %s value%s in %s row%s %s ", text->size ? "\n" : "",
                   kan_source_name(source), kan_quote(kan_slice_of(column->name), quoted),
                   kan_count_text(m->n_values, counts[0]), m->n_values == 1 ? "" : "s",
                   kan_count_text(m->n_rows, counts[1]), m->n_rows == 1 ? "" : "s",
                   m->n_values == 1 ? "is" : "are");
    tell_wish(said, m->n_values == 1, text);
    for (size_t i = 0; i < m->n_told; i++)
        kan_text_print(text, "%s%s (%s %" PRIu64 ")", i ? ", " : ": ",
                       kan_quote(kan_dictionary_value(&column->dictionary, m->codes[i]), quoted),
                       has_lines ? "line" : "row", has_lines ? lines[i] : m->rows[i] + 1);
    kan_text_print(text,
                   "%s; correct %s, or name what stands for missing values with --missing NAME=...",
                   m->n_values > m->n_told ? " and others" : "", m->n_values == 1 ? "it" : "them");
    return kan_text_status(text);
}

/* Among text there may be a number 1.234 of the format's own, which --thousands . would read as
 * 1234. What it was is lost, and a guess could be wrong. */
static void tell_unclear(const kan_source *source, const kan_column *column,
                         const kan_spelling *settled, kan_text *problems) {
    char room[KAN_SPELLING_ROOM], quoted[2][256];
    for (uint32_t code = 0; code < column->dictionary.n; code++) {
        const kan_slice value = kan_dictionary_value(&column->dictionary, code);
        const kan_slice taken = kan_spelling_take(settled, value, room);
        if (taken.size == 0 || kan_slice_equal(taken, value) ||
            !kan_field_holds(KAN_FIELD_NUMBER, value))
            continue;
        kan_text_print(problems,
                       "%s%s: column %s has numbers among text, and %s would be read as another "
                       "number; make all of its cells text or all numbers, or give --thousands and "
                       "--decimal for other columns by name",
                       problems->size ? "\n" : "", kan_source_name(source),
                       kan_quote(kan_slice_of(column->name), quoted[0]),
                       kan_quote(value, quoted[1]));
        return;
    }
}

/* ---- columns -------------------------------------------------------------------------------- */

static kan_status changes_some(kan_table *table, const kan_column *column, const kan_spelling *said,
                               kan_spelled as, bool *out) {
    kan_spelling settled;
    char room[KAN_SPELLING_ROOM];
    KAN_TRY(kan_spelling_settle(&table->arena, said, as, &settled));
    for (uint32_t code = 0; code < column->dictionary.n && !*out; code++) {
        const kan_slice value = kan_dictionary_value(&column->dictionary, code);
        const kan_slice taken = kan_spelling_take(&settled, value, room);
        *out = taken.size > 0 && !kan_slice_equal(taken, value);
    }
    return KAN_OK;
}

/* Whether a column would be read otherwise if it had fewer values. */
static kan_status is_undecided(kan_table *table, const kan_column *column, const kan_spelling *said,
                               const kan_spelling *settled, bool *out) {
    *out = false;
    if (said->is_settled || said->is_lenient || said->names_text || settled->decimal ||
        settled->thousands || settled->date.text)
        return KAN_OK;
    if (said->date.text)
        KAN_TRY(changes_some(table, column, said, KAN_SPELLED_DATE, out));
    if (said->decimal || said->thousands)
        KAN_TRY(changes_some(table, column, said, KAN_SPELLED_NUMBER, out));
    return KAN_OK;
}

/* What the column is, and its spelling; *fits is false, with a text added, where it is not what
 * was said. */
static kan_status settle(kan_source *source, kan_table *table, size_t index,
                         const kan_spelling *said, kan_spelling *out, kan_text *problems) {
    const kan_column *column = &table->columns[index];
    const kan_field *field = kan_source_field(source, index);
    const bool is_typed = field && field->type != KAN_FIELD_TEXT;
    misfits found = {.n_values = 0};
    if (is_typed)
        return kan_spelling_settle(&table->arena, said, KAN_SPELLED_TEXT, out);
    if (said->is_settled) {
        *out = *said;
        return KAN_OK;
    }
    const kan_spelling_fit fit = kan_spelling_count(said, &column->dictionary);
    KAN_TRY(kan_spelling_settle(&table->arena, said, kan_spelling_choose(said, &fit), out));
    if (field && field->is_mixed && !said->is_lenient)
        tell_unclear(source, column, out, problems);
    if (said->is_lenient || !(said->names_dates || said->names_numbers))
        return KAN_OK;
    KAN_TRY(find_misfits(source->run, column, said, out, &found));
    return found.n_values > 0 ? tell_misfits(source, column, said, &found, problems) : KAN_OK;
}

static kan_status take_column(kan_source *source, kan_table *table, size_t index,
                              kan_text *problems) {
    kan_column *column = &table->columns[index];
    const kan_spelling *said = kan_spellings_find(source->spellings, column->name);
    kan_spelling *settled;
    if (!said)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(&table->arena, 1, sizeof *settled, &settled));
    KAN_TRY(settle(source, table, index, said, settled, problems));
    if (problems->size > 0)
        return KAN_OK;
    const kan_field *field = kan_source_field(source, index);
    if (!field || field->type == KAN_FIELD_TEXT)
        KAN_TRY(is_undecided(table, column, said, settled, &column->is_undecided));
    column->spelling = settled;
    return kan_column_take(source->run, column, settled);
}

kan_status kan_source_take_values(kan_source *source, const bool *as_is, kan_table *table) {
    kan_text problems;
    kan_status status = KAN_OK;
    kan_text_init(&problems, source->run);
    for (size_t i = 0; i < table->n_columns; i++) {
        if (!table->columns[i].is_encoded || (as_is && as_is[i]))
            continue;
        KAN_TRY_DONE(kan_check_cancel(source->run));
        KAN_TRY_DONE(take_column(source, table, i, &problems));
    }
    if (problems.size > 0)
        status = kan_fail(source->run, KAN_BAD_INPUT, "%s", problems.bytes);
done:
    kan_text_destroy(&problems);
    return status;
}
