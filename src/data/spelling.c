/* Taking and putting values. Each call looks at one value, twice at most; only the different values
 * of a column come here.
 *
 * Why what was taken survives: let C be the form without regard to what is missing. Dates and
 * numbers have one sign for another in their two forms, so C(put(x)) is x for each x in kanon's own
 * form, and what is neither stays as it is. A text is missing when C of it is C of a spelling of
 * missing values; so no x that is known is C of such a one, and put(x) is none of them. */
#include "data/spelling.h"

#include "core/signs.h"
#include "core/spill.h"
#include "data/encoder.h"

const kan_spelling *kan_spellings_find(const kan_spellings *spellings, const char *column) {
    if (!spellings)
        return NULL;
    const kan_spelling *found = &spellings->all;
    for (size_t i = 0; i < spellings->n; i++)
        if (strcmp(spellings->columns[i].column, column) == 0) {
            found = &spellings->columns[i].spelling;
            break;
        }
    const bool is_plain = found->n_missing == 0 && !found->decimal && !found->thousands &&
                          !found->date.text && !found->names_text;
    return is_plain ? NULL : found;
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* Numbers are as long at most; see kan_parse_real. */
enum { NUMBER_MOST = 400 };
static_assert(NUMBER_MOST + 2 <= KAN_SPELLING_ROOM, "a number with the sign of an end fits");

/* Bytes of the sign between groups at the beginning of a text; 0 when there is none. */
static size_t group_sign(char thousands, const char *at, size_t left) {
    static const struct {
        char sign;
        const char *relative;
    } relatives[] = {
        {' ', "\xc2\xa0"}, {' ', "\xe2\x80\xaf"}, {' ', "\xe2\x80\x89"}, {'\'', "\xe2\x80\x99"}};
    if (!thousands || left == 0)
        return 0;
    if (*at == thousands)
        return 1;
    for (size_t i = 0; i < sizeof relatives / sizeof *relatives; i++) {
        const size_t size = strlen(relatives[i].relative);
        if (relatives[i].sign == thousands && left > size &&
            memcmp(at, relatives[i].relative, size) == 0)
            return size;
    }
    return 0;
}

static size_t count_digits(kan_slice text, size_t at) {
    size_t n = 0;
    while (at + n < text.size && kan_is_digit(text.bytes[at + n]))
        n++;
    return n;
}

/* The digits before the fraction, without signs between groups, to *out; false where groups are not
 * of three digits each, or begin with a zero: 0.123 has none. */
static bool copy_whole(char thousands, kan_slice text, size_t *at, char **out) {
    size_t n = count_digits(text, *at), sign;
    memcpy(*out, text.bytes + *at, n);
    *at += n;
    *out += n;
    const bool may_group = n >= 1 && n <= 3 && text.bytes[*at - n] != '0';
    while ((sign = group_sign(thousands, text.bytes + *at, text.size - *at)) > 0) {
        if (!may_group || count_digits(text, *at + sign) != 3)
            return false;
        memcpy(*out, text.bytes + *at + sign, 3);
        *at += sign + 3;
        *out += 3;
    }
    return true;
}

/* A number that is written with these signs, with `point` for its decimal sign; 0 when the text is
 * none. As kan_parse_real has it, but for the signs. */
static size_t copy_number(char decimal, char thousands, kan_slice text, char point, char *room) {
    size_t at = 0, n_digits;
    char *out = room;
    if (text.size == 0 || text.size > NUMBER_MOST)
        return 0;
    if (text.bytes[at] == '+' || text.bytes[at] == '-')
        *out++ = text.bytes[at++];
    const char *first = out;
    if (!copy_whole(thousands, text, &at, &out))
        return 0;
    n_digits = (size_t)(out - first);
    if (at < text.size && text.bytes[at] == decimal) {
        const size_t n = count_digits(text, ++at);
        *out++ = point;
        memcpy(out, text.bytes + at, n);
        out += n;
        at += n;
        n_digits += n;
    }
    if (n_digits == 0)
        return 0;
    if (at < text.size && (text.bytes[at] == 'e' || text.bytes[at] == 'E')) {
        *out++ = text.bytes[at++];
        if (at < text.size && (text.bytes[at] == '+' || text.bytes[at] == '-'))
            *out++ = text.bytes[at++];
        const size_t n = count_digits(text, at);
        if (n == 0)
            return 0;
        memcpy(out, text.bytes + at, n);
        out += n;
        at += n;
    }
    return at == text.size ? (size_t)(out - room) : 0;
}

static char decimal_of(const kan_spelling *spelling) {
    return spelling->decimal ? spelling->decimal : '.';
}

bool kan_spelling_is_number(const kan_spelling *spelling, kan_slice text) {
    char room[KAN_SPELLING_ROOM];
    return copy_number(decimal_of(spelling), spelling->thousands, text, '.', room) > 0;
}

bool kan_spelling_is_date(const kan_spelling *spelling, kan_slice text) {
    char room[KAN_SPELLING_ROOM];
    return spelling->date.text && kan_date_format_read(&spelling->date, text, room) > 0;
}

/* ---- taking and putting --------------------------------------------------------------------- */

/* The sign of an end, which stays as it is, goes to *room; what follows it remains. */
static size_t copy_sign(const kan_spelling *s, kan_slice *text, char **room) {
    kan_slice bound;
    if (!s->has_ends || kan_value_end(*text, &bound) == KAN_END_NONE)
        return 0;
    const size_t size = text->size - bound.size;
    memcpy(*room, text->bytes, size);
    *room += size;
    *text = bound;
    return size;
}

/* The form of a known value. */
static kan_slice take_known(const kan_spelling *s, const kan_slice whole, char *room) {
    kan_slice text = whole;
    const size_t sign = copy_sign(s, &text, &room);
    size_t size = 0;
    if (s->date.text)
        size = kan_date_format_read(&s->date, text, room);
    else if (s->decimal || s->thousands)
        size = copy_number(decimal_of(s), s->thousands, text, '.', room);
    return size ? (kan_slice){room - sign, sign + size} : whole;
}

static kan_slice put_known(const kan_spelling *s, const kan_slice whole, char *room) {
    kan_slice value = whole;
    const size_t sign = copy_sign(s, &value, &room);
    size_t size = 0;
    if (s->date.text)
        size = kan_date_format_write(&s->date, value, room);
    else if (s->decimal)
        size = copy_number('.', 0, value, s->decimal, room);
    return size ? (kan_slice){room - sign, sign + size} : whole;
}

kan_slice kan_spelling_take(const kan_spelling *spelling, kan_slice text,
                            char room[KAN_SPELLING_ROOM]) {
    if (!spelling)
        return text;
    KAN_ASSERT(spelling->is_settled);
    const kan_slice known = take_known(spelling, text, room);
    for (size_t i = 0; i < spelling->n_missing; i++)
        if (kan_slice_equal(known, spelling->taken[i]))
            return (kan_slice){"", 0};
    return known;
}

kan_slice kan_spelling_put(const kan_spelling *spelling, kan_slice value,
                           char room[KAN_SPELLING_ROOM]) {
    if (!spelling)
        return value;
    KAN_ASSERT(spelling->is_settled);
    return value.size == 0 ? spelling->shown_missing : put_known(spelling, value, room);
}

bool kan_spelling_holds(const kan_spelling *spelling, kan_slice label) {
    char put[KAN_SPELLING_ROOM], taken[KAN_SPELLING_ROOM];
    return kan_slice_equal(
        kan_spelling_take(spelling, kan_spelling_put(spelling, label, put), taken), label);
}

bool kan_column_find_value(const kan_column *column, kan_slice text, uint32_t *out) {
    char room[KAN_SPELLING_ROOM];
    return kan_dictionary_find(&column->dictionary, kan_spelling_take(column->spelling, text, room),
                               out);
}

/* ---- settling ------------------------------------------------------------------------------- */

static kan_slice empty(void) {
    return (kan_slice){"", 0};
}

static kan_status copy_slice(kan_arena *arena, kan_slice slice, kan_slice *out) {
    const char *bytes;
    KAN_TRY(kan_arena_copy(arena, slice.bytes, slice.size, &bytes));
    *out = (kan_slice){bytes, slice.size};
    return KAN_OK;
}

kan_status kan_spelling_settle(kan_arena *arena, const kan_spelling *spelling, kan_spelled as,
                               kan_spelling *out) {
    kan_spelling made = *spelling;
    kan_slice *taken;
    char room[KAN_SPELLING_ROOM];
    if (as != KAN_SPELLED_DATE)
        made.date = (kan_date_format){NULL, -1};
    if (as != KAN_SPELLED_NUMBER)
        made.decimal = made.thousands = 0;
    KAN_TRY(kan_arena_alloc(arena, made.n_missing, sizeof *taken, &taken));
    for (size_t i = 0; i < made.n_missing; i++)
        KAN_TRY(copy_slice(arena, take_known(&made, made.missing[i], room), &taken[i]));
    made.taken = taken;
    made.shown_missing = empty();
    made.is_settled = true;
    *out = made;
    return KAN_OK;
}

static bool is_missing(const kan_spelling *spelling, kan_slice text) {
    for (size_t i = 0; i < spelling->n_missing; i++)
        if (kan_slice_equal(text, spelling->missing[i]))
            return true;
    return kan_value_is_unknown(text);
}

kan_spelling_fit kan_spelling_count(const kan_spelling *spelling, const kan_dictionary *values) {
    kan_spelling_fit fit = {0, 0, 0};
    const bool has_numbers = spelling->decimal || spelling->thousands;
    for (uint32_t code = 0; code < values->n; code++) {
        const kan_slice value = kan_dictionary_value(values, code);
        if (is_missing(spelling, value))
            continue;
        fit.n_known++;
        fit.n_dates += kan_spelling_is_date(spelling, value);
        fit.n_numbers += has_numbers && kan_spelling_is_number(spelling, value);
    }
    return fit;
}

kan_spelled kan_spelling_choose(const kan_spelling *spelling, const kan_spelling_fit *fit) {
    if (spelling->names_text)
        return KAN_SPELLED_TEXT;
    if (spelling->names_dates)
        return KAN_SPELLED_DATE;
    if (spelling->names_numbers)
        return KAN_SPELLED_NUMBER;
    if (fit->n_known > 0 && fit->n_dates == fit->n_known)
        return KAN_SPELLED_DATE;
    if (fit->n_known > 0 && fit->n_numbers == fit->n_known)
        return KAN_SPELLED_NUMBER;
    return KAN_SPELLED_TEXT;
}

/* ---- all values of a column ----------------------------------------------------------------- */

static void choose_shown(const kan_dictionary *values, kan_spelling *spelling) {
    for (size_t i = 0; i < spelling->n_missing; i++) {
        uint32_t code;
        if (kan_dictionary_find(values, spelling->missing[i], &code)) {
            spelling->shown_missing = spelling->missing[i];
            return;
        }
    }
}

/* The taken values in an encoder, and the way from the column's codes to the encoder's. */
static kan_status take_values(const kan_dictionary *values, const kan_spelling *spelling,
                              kan_encoder *encoder, uint32_t *map, bool *is_changed) {
    char room[KAN_SPELLING_ROOM];
    *is_changed = false;
    for (uint32_t code = 0; code < values->n; code++) {
        const kan_slice value = kan_dictionary_value(values, code);
        const kan_slice taken = kan_spelling_take(spelling, value, room);
        *is_changed |= !kan_slice_equal(taken, value);
        KAN_TRY(kan_encoder_add(encoder, taken, &map[code]));
    }
    return KAN_OK;
}

/* Codes only get fewer, so that they can be mapped where they stand. */
static void map_codes(kan_column *column, const uint32_t *map) {
    enum { STEP = 1 << 20 };
    for (uint64_t row = 0; row < column->n_rows; row += STEP) {
        const uint64_t n = column->n_rows - row < STEP ? column->n_rows - row : STEP;
        char *codes = (char *)column->codes + row * column->width;
        kan_codes_map(codes, column->width, map, n, codes, column->width);
    }
}

/* Which of the spelling's missing ones each value is, from 1; as many as fit. Returns how many ways
 * of writing a missing value the column has, "" included. */
static size_t number_missing(const kan_dictionary *values, const kan_spelling *spelling,
                             uint8_t *number_of) {
    uint32_t code;
    size_t n = kan_dictionary_find(values, empty(), &code);
    memset(number_of, 0, values->n);
    for (size_t i = 0; i < spelling->n_missing && i < UINT8_MAX; i++)
        if (kan_dictionary_find(values, spelling->missing[i], &code) && number_of[code] == 0 &&
            spelling->missing[i].size > 0) {
            number_of[code] = (uint8_t)(i + 1);
            n++;
        }
    return n;
}

/* Keeps how each missing value was written, where that is not clear. */
static kan_status keep_missing(kan_run *run, kan_column *column, const kan_spelling *spelling) {
    uint8_t *number_of, *missing_of = NULL;
    kan_status status = KAN_OK;
    KAN_TRY(kan_alloc(run, column->dictionary.n, 1, &number_of));
    if (number_missing(&column->dictionary, spelling, number_of) > 1)
        status = kan_spill_alloc(run, column->n_rows, 1, &missing_of);
    for (uint64_t row = 0; missing_of && row < column->n_rows; row++)
        missing_of[row] = number_of[kan_column_code(column, row)];
    kan_free(run, number_of);
    if (missing_of)
        kan_free(run, column->missing_of);
    column->missing_of = missing_of ? missing_of : column->missing_of;
    return status;
}

bool kan_column_is_called_text(const kan_column *column) {
    return column->spelling && column->spelling->names_text;
}

/* Gives the column the values of the encoder, to which map[code] leads. */
static kan_status remake(kan_run *run, kan_column *column, bool is_text, kan_encoder *encoder,
                         uint32_t *map) {
    kan_dictionary made;
    uint32_t *rank;
    KAN_TRY(kan_dictionary_build_column(run, encoder, column->ends, is_text, &rank, &made));
    for (uint32_t code = 0; code < column->dictionary.n; code++)
        map[code] = rank[map[code]];
    map_codes(column, map);
    kan_dictionary_destroy(run, &column->dictionary);
    column->dictionary = made;
    kan_free(run, rank);
    return KAN_OK;
}

kan_status kan_column_take_ends(kan_run *run, kan_column *column, const kan_ends *ends) {
    kan_encoder encoder = {.run = run};
    uint32_t *map = NULL;
    kan_status status;
    column->ends = ends;
    KAN_TRY_DONE(kan_encoder_init(&encoder, run));
    KAN_TRY_DONE(kan_alloc(run, column->dictionary.n, sizeof *map, &map));
    for (uint32_t code = 0; code < column->dictionary.n; code++)
        KAN_TRY_DONE(
            kan_encoder_add(&encoder, kan_dictionary_value(&column->dictionary, code), &map[code]));
    KAN_TRY_DONE(remake(run, column, kan_column_is_called_text(column), &encoder, map));
done:
    kan_encoder_destroy(&encoder);
    kan_free(run, map);
    return status;
}

kan_status kan_column_take(kan_run *run, kan_column *column, kan_spelling *spelling) {
    kan_encoder encoder = {.run = run};
    uint32_t *map = NULL;
    bool is_changed;
    kan_status status;
    KAN_ASSERT(spelling->is_settled && column->is_encoded);
    choose_shown(&column->dictionary, spelling);
    KAN_TRY_DONE(keep_missing(run, column, spelling));
    KAN_TRY_DONE(kan_encoder_init(&encoder, run));
    KAN_TRY_DONE(kan_alloc(run, column->dictionary.n, sizeof *map, &map));
    KAN_TRY_DONE(take_values(&column->dictionary, spelling, &encoder, map, &is_changed));
    if (!is_changed && !(spelling->names_text && column->dictionary.type != KAN_TYPE_TEXT))
        goto done;
    column->joins_values = column->joins_values || encoder.n < column->dictionary.n;
    KAN_TRY_DONE(remake(run, column, spelling->names_text, &encoder, map));
done:
    kan_encoder_destroy(&encoder);
    kan_free(run, map);
    return status;
}
