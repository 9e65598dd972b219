/* What the file of a release has beside its table: another sheet, a note, the label of a value that no row
 * shows. The table alone was checked, so the whole is not verified with it; and a value of the original
 * that no released row shows must not stand there, wherever it stands.
 *
 * Values are looked for as whole texts, and as words or runs of words in longer ones. Runs of more than
 * MOST_WORDS words, and one or two characters within a text, are not: too much of any text would be found. */
#include <ctype.h>
#include <string.h>

#include "data/encoder.h"
#include "job/verify/verify_inside.h"

enum { MOST_WORDS = 8, LEAST_BYTES = 3, MOST_TOLD = 10 };

/* Values of the release, then those that only the original has; texts behind them are neither. */
typedef struct {
    kan_encoder values;
    uint32_t n_shown, n;
} value_set;

static kan_status add_table(const kan_table *table, value_set *set) {
    for (size_t i = 0; i < table->n_columns; i++) {
        const kan_column *column = &table->columns[i];
        uint32_t unused;
        for (uint32_t code = 0; column->is_encoded && code < column->dictionary.n; code++)
            KAN_TRY(kan_encoder_add(&set->values, kan_dictionary_value(&column->dictionary, code),
                                    &unused));
    }
    return KAN_OK;
}

/* All columns, not those alone that are compared: names that were left out may stand in a note. */
static kan_status add_values(const kan_input *input, value_set *set) {
    kan_run *const run = input->run;
    kan_table *table = NULL;
    bool *all;
    kan_status status;
    if (!input->source)
        return add_table(input->table, set);
    KAN_TRY(kan_alloc_zero(run, input->n_columns, sizeof *all, &all));
    for (size_t i = 0; i < input->n_columns; i++) {
        const kan_field *field = kan_source_field(input->source, i);
        all[i] = !field || !field->is_nested;
    }
    KAN_TRY_DONE(kan_source_read(input->source, all, NULL, &table));
    KAN_TRY_DONE(add_table(table, set));
done:
    kan_table_destroy(table);
    kan_free(run, all);
    return status;
}

static kan_status is_hidden(value_set *set, kan_slice text, bool *out) {
    uint32_t code;
    *out = false;
    if (text.size == 0 || text.size >= KAN_CODE_LIMIT)
        return KAN_OK;
    KAN_TRY(kan_encoder_add(&set->values, text, &code));
    *out = code >= set->n_shown && code < set->n;
    return KAN_OK;
}

/* ---- words ---------------------------------------------------------------------------------- */

static bool is_of_word(char byte) {
    return isalnum((unsigned char)byte) || (unsigned char)byte >= 0x80;
}

/* The place behind the word that begins at `at`, and that where the next one does. */
static size_t word_end(kan_slice text, size_t at) {
    while (at < text.size && is_of_word(text.bytes[at]))
        at++;
    return at;
}

static size_t next_word(kan_slice text, size_t at) {
    while (at < text.size && !is_of_word(text.bytes[at]))
        at++;
    return at;
}

static kan_status find_in_text(value_set *set, kan_slice text, bool *out) {
    while (text.size > 0 && isspace((unsigned char)text.bytes[0]))
        text.bytes++, text.size--;
    while (text.size > 0 && isspace((unsigned char)text.bytes[text.size - 1]))
        text.size--;
    KAN_TRY(is_hidden(set, text, out));
    for (size_t at = next_word(text, 0); at < text.size && !*out;
         at = next_word(text, word_end(text, at))) {
        /* a sign before a number belongs to it */
        const size_t first = at > 0 && strchr("-+.", text.bytes[at - 1]) ? at - 1 : at;
        size_t end = at;
        for (int n = 0; n < MOST_WORDS && end < text.size && !*out; n++) {
            end = word_end(text, next_word(text, end));
            if (end - at >= LEAST_BYTES)
                KAN_TRY(is_hidden(set, (kan_slice){text.bytes + at, end - at}, out));
            if (!*out && first < at && end - at >= LEAST_BYTES)
                KAN_TRY(is_hidden(set, (kan_slice){text.bytes + first, end - first}, out));
        }
    }
    return KAN_OK;
}

kan_status kan_verify_find_hidden(const kan_verify_sides *sides, const kan_beside *beside,
                                  const char **what) {
    value_set set = {.n = 0};
    bool is_found = false;
    kan_status status;
    *what = NULL;
    KAN_TRY(kan_encoder_init(&set.values, beside->run));
    for (size_t i = 0; i < sides->n; i++)
        KAN_TRY_DONE(add_values(sides->releases[i], &set));
    set.n_shown = set.values.n;
    for (size_t i = 0; i < sides->n; i++)
        KAN_TRY_DONE(add_values(sides->originals[i], &set));
    set.n = set.values.n;
    for (size_t i = 0; i < beside->n && !is_found; i++) {
        if (i % 1024 == 0)
            KAN_TRY_DONE(kan_check_cancel(beside->run));
        KAN_TRY_DONE(find_in_text(&set, beside->texts[i].text, &is_found));
        if (is_found)
            *what = beside->texts[i].what;
    }
done:
    kan_encoder_destroy(&set.values);
    return status;
}

kan_status kan_verify_list_beside(const kan_job *job, const kan_source *source, kan_beside *out) {
    /* A job file may be that of whoever wrote the labels: it cannot say that they are public. */
    const char *book = kan_options_is_flag(&job->options, "codebook")
                           ? kan_options_find(&job->options, "codebook")
                           : NULL;
    return source && source->kind->find_beside
               ? source->kind->find_beside(source->state, book && strcmp(book, "public") == 0, out)
               : KAN_OK;
}

kan_status kan_verify_check_beside(kan_verification *v) {
    const kan_input *release = &v->release.input, *original = &v->original.input;
    const kan_verify_sides sides = {&release, &original, 1};
    KAN_TRY(kan_verify_list_beside(v->job, release->source, &v->beside));
    return v->beside.n > 0 && v->has_original
               ? kan_verify_find_hidden(&sides, &v->beside, &v->beside_fault)
               : KAN_OK;
}

/* ---- telling -------------------------------------------------------------------------------- */

/* Whether something of that name comes before. */
static bool is_told(const kan_beside *beside, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (strcmp(beside->texts[i].what, beside->texts[at].what) == 0)
            return true;
    return false;
}

size_t kan_verify_add_beside(const kan_beside *beside, kan_text *text) {
    size_t n = 0;
    const char *last = NULL;
    for (size_t i = 0; i < beside->n && n <= MOST_TOLD; i++) {
        const char *what = beside->texts[i].what;
        if (what == last || is_told(beside, i))
            continue;
        last = what;
        if (n++ < MOST_TOLD)
            kan_text_print(text, "%s%s", n > 1 ? ", " : "", what);
    }
    if (n > MOST_TOLD)
        kan_text_print(text, " and more");
    return n;
}
