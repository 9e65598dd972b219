/* What a column becomes in a format, and its values there.
 *
 * A number, date or time is written as a number where reading gives back the same text; else it is
 * text, which always does. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/stat/stat_sink.h"
#include "io/stat/stat_source.h"

typedef struct {
    kan_run *run;
    kan_arena *arena;
    kan_stat_target target;
    const kan_stat_limits *limits;
    const kan_release *release;
    const kan_sink_column *column;
    kan_stat_output *out;
    kan_stat_clock clock;
} making;

static kan_status fail_value(const making *m, kan_slice value, const char *why) {
    char quoted[256];
    return kan_fail(
        m->run, KAN_BAD_INPUT,
        "column '%s': %s %s; leave the column out, or write another format, such as CSV",
        m->column->field.name, kan_quote(value, quoted), why);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static double number_of(uint64_t word) {
    double number;
    memcpy(&number, &word, sizeof number);
    return number;
}

static uint64_t word_of(double number) {
    uint64_t word;
    number += 0.0; /* -0 is 0 */
    memcpy(&word, &number, sizeof word);
    return word;
}

/* What the format can hold: .dta keeps the largest for missing codes, .sav has one for them; .xpt has
 * exponents of another kind; .por has few digits of base 30. */
static bool holds_number(kan_stat_target target, double number) {
    const double size = fabs(number);
    switch (target) {
    case KAN_STAT_TO_DTA:
        return size < 8.9e307;
    case KAN_STAT_TO_XPT:
        return number == 0 || (size > 1e-77 && size < 7e75);
    case KAN_STAT_TO_POR:
        return number == 0 || (size > 1e-40 && size < 9e17);
    default:
        return size < DBL_MAX;
    }
}

/* Of .por, 15 decimal digits are read: a column with more is text. */
static bool has_few_digits(kan_stat_target target, double number) {
    return target != KAN_STAT_TO_POR || kan_stat_round_decimal(number) == number;
}

static bool is_tag(kan_slice value) {
    return value.size == 2 && value.bytes[0] == '.' && value.bytes[1] >= 'a' &&
           value.bytes[1] <= 'z';
}

/* The word of a value of the clock's type; false where it cannot be one. */
static bool parse_word(const kan_stat_clock *clock, kan_slice value, uint64_t *out) {
    double number;
    char room[KAN_STAT_CLOCK_ROOM];
    if (clock->type == KAN_FIELD_NUMBER) {
        if (!kan_parse_real(value.bytes, value.size, &number))
            return false;
    } else if (!kan_stat_clock_parse(clock, value, &number)) {
        return false;
    }
    *out = word_of(number);
    return kan_slice_equal(kan_stat_number_text(KAN_STAT_DOUBLE, clock, *out, room), value);
}

/* False where the column has to be text. */
static kan_status make_word(const making *m, kan_slice value, uint64_t *out, bool *is_made) {
    *is_made = true;
    *out = KAN_STAT_MISSING;
    if (value.size == 0)
        return KAN_OK;
    if (m->column->column->is_as_is && is_tag(value)) {
        *out = KAN_STAT_MISSING | (unsigned char)value.bytes[1];
        *is_made = m->limits->has_tags;
        return KAN_OK;
    }
    *is_made = parse_word(&m->clock, value, out) && has_few_digits(m->target, number_of(*out));
    if (*is_made && !holds_number(m->target, number_of(*out))) {
        char why[64];
        (void)snprintf(why, sizeof why, "cannot be held by a %s file", m->limits->ending);
        return fail_value(m, value, why);
    }
    return KAN_OK;
}

static kan_status make_words(const making *m, bool *is_made) {
    const uint32_t n = m->column->column->n_labels;
    uint64_t *words;
    *is_made = true;
    KAN_TRY(kan_arena_alloc(m->arena, n, sizeof *words, &words));
    for (uint32_t code = 0; code < n && *is_made; code++) {
        words[code] = KAN_STAT_MISSING;
        if (m->column->is_shown[code])
            KAN_TRY(make_word(m, m->column->values[code], &words[code], is_made));
    }
    m->out->words = words;
    return KAN_OK;
}

/* ---- storage -------------------------------------------------------------------------------- */

static bool fits(kan_stat_storage storage, double number) {
    char room[KAN_STAT_CLOCK_ROOM], again[KAN_STAT_CLOCK_ROOM];
    const kan_stat_clock plain = {.type = KAN_FIELD_NUMBER};
    switch (storage) {
    case KAN_STAT_INT8:
        return number == floor(number) && number >= -127 && number <= 100;
    case KAN_STAT_INT16:
        return number == floor(number) && number >= -32767 && number <= 32740;
    case KAN_STAT_INT32:
        return number == floor(number) && number >= -2147483647 && number <= 2147483620;
    case KAN_STAT_FLOAT:
        return fabs(number) < 1.7e38 &&
               kan_slice_equal(
                   kan_stat_number_text(KAN_STAT_FLOAT, &plain, word_of((float)number), room),
                   kan_stat_number_text(KAN_STAT_DOUBLE, &plain, word_of(number), again));
    default:
        return true;
    }
}

static bool all_fit(const making *m, kan_stat_storage storage) {
    for (uint32_t code = 0; code < m->column->column->n_labels; code++)
        if (m->column->is_shown[code] && !kan_stat_is_missing(m->out->words[code]) &&
            !fits(storage, number_of(m->out->words[code])))
            return false;
    return true;
}

/* The smallest that holds all that is shown: a wider one would tell that somebody had more. As it
 * came, if it was stored by Stata and the code book is public. */
static kan_stat_storage choose_storage(const making *m) {
    static const struct {
        const char *family;
        kan_stat_storage storage;
    } known[] = {{"stata:byte", KAN_STAT_INT8},
                 {"stata:int", KAN_STAT_INT16},
                 {"stata:long", KAN_STAT_INT32},
                 {"stata:float", KAN_STAT_FLOAT},
                 {"stata", KAN_STAT_DOUBLE}};
    const char *family = m->column->field.family;
    if (!m->limits->has_storage)
        return KAN_STAT_DOUBLE;
    for (size_t i = 0; m->out->book.is_public && family && i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].family, family) == 0 &&
            (known[i].storage != KAN_STAT_FLOAT || m->clock.type == KAN_FIELD_NUMBER) &&
            all_fit(m, known[i].storage))
            return known[i].storage;
    for (kan_stat_storage storage = KAN_STAT_INT8; storage <= KAN_STAT_INT32; storage++)
        if (all_fit(m, storage))
            return storage;
    return KAN_STAT_DOUBLE;
}

/* ---- formats -------------------------------------------------------------------------------- */

static bool is_of_vendor(const kan_field *field, kan_stat_vendor vendor) {
    static const char *const names[] = {
        [KAN_STAT_SPSS] = "spss", [KAN_STAT_STATA] = "stata", [KAN_STAT_SAS] = "sas"};
    return field->family && strncmp(field->family, names[vendor], strlen(names[vendor])) == 0;
}

/* libreadstat reads formats again when it writes them, and not always with care. */
static bool is_plain_format(kan_stat_vendor vendor, const char *format) {
    const size_t size = strlen(format), most = vendor == KAN_STAT_STATA ? 48 : 20;
    if (size == 0 || size > most)
        return false;
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)format[i] <= ' ' || (unsigned char)format[i] > '~')
            return false;
    if (vendor == KAN_STAT_STATA)
        return format[0] == '%' && format[size - 1] != 's';
    return format[0] != '$' && strncmp(format, "A", 1) != 0;
}

/* Enough digits for all values that are shown. */
static kan_status digits_format(const making *m, const char **out) {
    enum { LEAST = 8, MOST = 40, MOST_DECIMALS = 16 };
    size_t width = LEAST, decimals = 0;
    char format[32];
    for (uint32_t code = 0; code < m->column->column->n_labels; code++) {
        const kan_slice value = m->column->values[code];
        const char *point = m->column->is_shown[code] && value.size > 0
                                ? memchr(value.bytes, '.', value.size)
                                : NULL;
        if (point && (size_t)(value.bytes + value.size - point) - 1 > decimals)
            decimals = (size_t)(value.bytes + value.size - point) - 1;
        if (m->column->is_shown[code] && value.size > width)
            width = value.size;
    }
    width = width > MOST ? MOST : width;
    decimals = decimals > MOST_DECIMALS ? MOST_DECIMALS : decimals;
    const int n = snprintf(format, sizeof format, "F%zu.%zu", width + (decimals > 0), decimals);
    return kan_arena_copy(m->arena, format, (size_t)n, out);
}

/* How the table shows moments may stay: no width of it comes from values. How it shows numbers is
 * made to fit them, and so may tell of those that are left out. */
static kan_status take_format(making *m, bool *is_taken) {
    const char *format = m->column->field.format;
    char room[KAN_STAT_FORMAT_ROOM];
    *is_taken = m->out->book.is_public;
    if (*is_taken)
        m->out->format = format;
    else if ((*is_taken = kan_stat_clock_format(m->limits->vendor, format, room)))
        return kan_arena_copy(m->arena, room, strlen(room), &m->out->format);
    return KAN_OK;
}

static kan_status choose_format(making *m) {
    const kan_field *field = &m->column->field;
    const kan_stat_vendor vendor = m->limits->vendor;
    bool is_taken =
        field->format && is_of_vendor(field, vendor) && is_plain_format(vendor, field->format);
    m->clock = (kan_stat_clock){.type = KAN_FIELD_NUMBER};
    if (is_taken && kan_stat_clock_of(vendor, field->format).type == field->type) {
        KAN_TRY(take_format(m, &is_taken));
        if (is_taken) {
            m->clock = kan_stat_clock_of(vendor, field->format);
            return KAN_OK;
        }
    }
    if (field->type != KAN_FIELD_NUMBER)
        m->clock = kan_stat_clock_for(vendor, field->type, &m->out->format);
    else if (vendor == KAN_STAT_SPSS)
        return digits_format(m, &m->out->format);
    return KAN_OK;
}

/* ---- labels --------------------------------------------------------------------------------- */

bool kan_stat_label_word(kan_stat_target target, const kan_field *field, kan_slice value,
                         uint64_t *out) {
    const kan_stat_limits *limits = kan_stat_limits_of(target);
    const bool is_moment = field->type != KAN_FIELD_NUMBER;
    const char *format;
    kan_stat_clock clock = {.type = KAN_FIELD_NUMBER};
    if (is_tag(value)) {
        *out = KAN_STAT_MISSING | (unsigned char)value.bytes[1];
        return limits->has_tags;
    }
    if (is_moment && field->format && is_of_vendor(field, limits->vendor))
        clock = kan_stat_clock_of(limits->vendor, field->format);
    else if (is_moment)
        clock = kan_stat_clock_for(limits->vendor, field->type, &format);
    if (!parse_word(&clock, value, out) || !has_few_digits(target, number_of(*out)) ||
        !holds_number(target, number_of(*out)))
        return false;
    return target != KAN_STAT_TO_DTA || fits(KAN_STAT_INT32, number_of(*out));
}

static bool is_plain_text(const kan_stat_limits *limits, kan_slice text);

/* Whether a label can be written whole, so that it is read as it is. */
static bool holds_label(const making *m, kan_slice label) {
    return label.size > 0 && label.size <= m->limits->label_bytes &&
           label.bytes[label.size - 1] != ' ' && is_plain_text(m->limits, label);
}

static bool holds_labels(const making *m) {
    const kan_stat_codebook *book = &m->out->book;
    const bool is_text = m->out->storage == KAN_STAT_STRING;
    if (book->n_labels == 0 || !(is_text ? m->limits->has_text_labels : m->limits->has_labels))
        return false;
    for (size_t i = 0; i < book->n_labels; i++)
        if (!holds_label(m, book->labels[i].label))
            return false;
    return true;
}

/* Whether each value that is shown has a label that will be read with it, or is shown by its code. */
static bool all_labelled(const making *m) {
    const kan_field *field = &m->column->field;
    const kan_stat_codebook *book = &m->out->book;
    for (uint32_t code = 0; code < m->column->column->n_labels; code++) {
        const kan_slice value = m->column->values[code];
        uint64_t word;
        size_t i = 0;
        if (!m->column->is_shown[code] || value.size == 0 ||
            kan_slice_equal(m->column->column->labels[code], value))
            continue;
        while (i < book->n_labels && !kan_slice_equal(book->labels[i].value, value))
            i++;
        if (i == book->n_labels || (m->out->storage != KAN_STAT_STRING &&
                                    !kan_stat_label_word(m->target, field, value, &word)))
            return false;
    }
    return true;
}

/* ---- texts ---------------------------------------------------------------------------------- */

static bool is_plain_text(const kan_stat_limits *limits, kan_slice text) {
    for (size_t i = 0; limits->names_are_capital && i < text.size; i++)
        if (text.bytes[i] < ' ' || text.bytes[i] > '~')
            return false;
    return memchr(text.bytes, '\0', text.size) == NULL;
}

static bool is_utf8(kan_slice text) {
    for (size_t at = 0, n; at < text.size; at += n)
        if ((n = kan_utf8_length(text.bytes + at, text.size - at)) == 0)
            return false;
    return true;
}

static kan_status check_text(const making *m, kan_slice text) {
    char why[96];
    if (text.size > 0 && text.bytes[text.size - 1] == ' ')
        return fail_value(m, text, "ends with a space, which such a file does not keep");
    if (!is_utf8(text))
        return fail_value(m, text, "is not UTF-8: give the input's encoding with --encoding");
    if (!is_plain_text(m->limits, text)) {
        (void)snprintf(why, sizeof why, "has a character that a %s file does not have",
                       m->limits->ending);
        return fail_value(m, text, why);
    }
    if (text.size > m->limits->text_bytes) {
        (void)snprintf(why, sizeof why, "has %zu bytes, and a %s file holds %zu", text.size,
                       m->limits->ending, m->limits->text_bytes);
        return fail_value(m, text, why);
    }
    return KAN_OK;
}

/* Of long texts of SPSS, which it stores in segments, libreadstat loses the last byte at some widths;
 * at whole segments it does not. */
static size_t safe_width(const making *m, size_t width) {
    enum { SHORT = 255, SEGMENT = 252 };
    if (m->limits->vendor != KAN_STAT_SPSS || width <= SHORT)
        return width;
    return (width + SEGMENT - 1) / SEGMENT * SEGMENT;
}

static kan_status make_texts(const making *m, const kan_slice *values) {
    enum { STATA_SHORT = 2045 };
    const uint32_t n = m->column->column->n_labels;
    const char **texts;
    size_t width = 1;
    KAN_TRY(kan_arena_alloc(m->arena, n, sizeof *texts, &texts));
    for (uint32_t code = 0; code < n; code++) {
        texts[code] = "";
        if (!m->column->is_shown[code] || values[code].size == 0)
            continue;
        KAN_TRY(check_text(m, values[code]));
        KAN_TRY(kan_arena_copy(m->arena, values[code].bytes, values[code].size, &texts[code]));
        width = values[code].size > width ? values[code].size : width;
    }
    m->out->storage = KAN_STAT_STRING;
    m->out->texts = texts;
    m->out->words = NULL;
    m->out->format = NULL;
    m->out->width = safe_width(m, width);
    m->out->is_long = m->target == KAN_STAT_TO_DTA && width > STATA_SHORT;
    return KAN_OK;
}

/* ---- columns -------------------------------------------------------------------------------- */

static bool is_number(const making *m) {
    const kan_field_type type = m->column->field.type;
    return type != KAN_FIELD_TEXT && type != KAN_FIELD_BOOLEAN && !m->release->keeps_suppressed;
}

/* Texts longer than 255 bytes have no labels in SPSS. */
static bool too_wide(const making *m) {
    enum { SPSS_SHORT = 255 };
    return m->out->storage == KAN_STAT_STRING && m->out->width > SPSS_SHORT;
}

kan_status kan_stat_output_make(kan_run *run, kan_arena *arena, kan_stat_target target,
                                const kan_release *release, const kan_sink_column *column,
                                bool book_is_public, kan_stat_output *out) {
    making m = {run, arena, target, kan_stat_limits_of(target), release, column, out, {0}};
    bool is_made = false;
    *out = (kan_stat_output){.column = column};
    KAN_TRY(kan_stat_codebook_make(arena, target, column, book_is_public, &out->book));
    if (is_number(&m)) {
        KAN_TRY(choose_format(&m));
        KAN_TRY(make_words(&m, &is_made));
    }
    if (is_made)
        out->storage = choose_storage(&m);
    else
        KAN_TRY(make_texts(&m, column->values));
    if (is_number(&m) && !is_made)
        kan_note(
            run,
            "column '%s' is written as text: a %s file cannot hold all of its values otherwise",
            column->field.name, m.limits->ending);
    out->has_labels =
        (is_made || column->field.type == KAN_FIELD_TEXT) && holds_labels(&m) && !too_wide(&m);
    if (!column->field.shows_labels || column->column->is_as_is)
        return KAN_OK;
    out->shows_labels = out->has_labels && all_labelled(&m);
    if (out->shows_labels)
        return KAN_OK;
    out->has_labels = false; /* the labels themselves are written */
    return make_texts(&m, column->column->labels);
}
