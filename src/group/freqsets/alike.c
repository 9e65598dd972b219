/* Spellings of one value: what each value is, then numbers and dates in their order, where equal ones
 * are neighbours. */
#include "group/freqsets/alike.h"

#include <stdlib.h>

#include "data/decimal.h"
#include "data/spelling.h"

/* Whether the exponent is so great that the order of decimals is not exact: zeros before it do not
 * count, and 0 has none. */
static bool has_long_exponent(kan_slice value) {
    enum { LONG_EXPONENT = 9 };
    size_t at = 0;
    bool is_zero = true;
    for (; at < value.size && value.bytes[at] != 'e' && value.bytes[at] != 'E'; at++)
        is_zero &= value.bytes[at] < '1' || value.bytes[at] > '9';
    at++;
    while (at < value.size && (value.bytes[at] < '1' || value.bytes[at] > '9'))
        at++;
    return !is_zero && at < value.size && value.size - at > LONG_EXPONENT;
}

/* A number or a date, and no code: the type, or text. */
static kan_type plain_type(kan_slice value) {
    double number;
    if (kan_value_exact(KAN_TYPE_NUMBER, value, &number))
        return kan_decimal_is_padded(value) || has_long_exponent(value) ? KAN_TYPE_TEXT
                                                                        : KAN_TYPE_NUMBER;
    return kan_value_exact(KAN_TYPE_DATE, value, &number) ? KAN_TYPE_DATE : KAN_TYPE_TEXT;
}

bool kan_alike_is(kan_slice a, kan_slice b) {
    const kan_type type = plain_type(a);
    return kan_slice_equal(a, b) ||
           (type != KAN_TYPE_TEXT && plain_type(b) == type && kan_value_order(type, a, b) == 0);
}

bool kan_alike_is_named(const kan_column *column, kan_slice value, const char *named) {
    char room[KAN_SPELLING_ROOM];
    return kan_alike_is(value, kan_spelling_take(column->spelling, kan_slice_of(named), room));
}

/* ---- sorting -------------------------------------------------------------------------------- */

typedef struct {
    kan_slice text;
    kan_type type;
    uint32_t code;
} plain_value;

static int compare_plain(const void *a, const void *b) {
    const plain_value *x = a, *y = b;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    const int order = kan_value_order(x->type, x->text, y->text);
    return order ? order : (x->code > y->code) - (x->code < y->code);
}

static bool is_end(const kan_ends *ends, kan_slice value) {
    return ends && value.size > 0 &&
           (kan_slice_equal(value, ends->low) || kan_slice_equal(value, ends->high));
}

/* The values that are numbers or dates, and what the column is. */
static size_t list_plain(const kan_column *column, plain_value *list, kan_alike *out) {
    const kan_dictionary *dictionary = &column->dictionary;
    size_t n = 0, n_dates = 0, n_others = 0;
    for (uint32_t code = 0; code < dictionary->n; code++) {
        const kan_slice value = kan_dictionary_value(dictionary, code);
        if (kan_value_is_unknown(value) || is_end(column->ends, value))
            continue;
        const kan_type type = plain_type(value);
        if (type != KAN_TYPE_TEXT)
            list[n++] = (plain_value){value, type, code};
        n_dates += type == KAN_TYPE_DATE;
        n_others += type == KAN_TYPE_TEXT;
    }
    const bool is_called_text = kan_column_is_called_text(column);
    out->has_plain = n > 0;
    out->kind = is_called_text || n_others > 0 || (n_dates > 0 && n_dates < n) ? KAN_TYPE_TEXT
                : n_dates > 0                                                  ? KAN_TYPE_DATE
                                                                               : KAN_TYPE_NUMBER;
    /* Dictionaries of numbers and of dates are in this order. */
    if (dictionary->type == KAN_TYPE_TEXT && n > 1)
        qsort(list, n, sizeof *list, compare_plain);
    return n;
}

/* The first code of the value of each code; false where all are different. */
static bool find_firsts(const plain_value *list, size_t n, uint32_t n_codes, uint32_t *first_of) {
    bool has_several = false;
    for (uint32_t code = 0; code < n_codes; code++)
        first_of[code] = code;
    for (size_t i = 1; i < n; i++) {
        if (list[i].type != list[i - 1].type ||
            kan_value_order(list[i].type, list[i - 1].text, list[i].text) != 0)
            continue;
        first_of[list[i].code] = first_of[list[i - 1].code];
        has_several = true;
    }
    return has_several;
}

static kan_status number_values(kan_arena *arena, const uint32_t *first_of, uint32_t n_codes,
                                kan_alike *out) {
    uint32_t *value_of, *code_of, n = 0;
    KAN_TRY(kan_arena_alloc(arena, n_codes, sizeof *value_of, &value_of));
    KAN_TRY(kan_arena_alloc(arena, n_codes, sizeof *code_of, &code_of));
    for (uint32_t code = 0; code < n_codes; code++) {
        if (first_of[code] == code)
            code_of[n++] = code;
        value_of[code] = first_of[code] == code ? n - 1 : value_of[first_of[code]];
    }
    out->value_of = value_of;
    out->code_of = code_of;
    out->n_values = n;
    return KAN_OK;
}

kan_status kan_alike_find(kan_run *run, kan_arena *arena, const kan_column *column,
                          kan_alike *out) {
    const uint32_t n_codes = column->dictionary.n;
    kan_alike found = {.n_values = n_codes};
    plain_value *list = NULL;
    uint32_t *first_of = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc(run, n_codes, sizeof *list, &list));
    KAN_TRY_DONE(kan_alloc(run, n_codes, sizeof *first_of, &first_of));
    const size_t n = list_plain(column, list, &found);
    found.has_several = find_firsts(list, n, n_codes, first_of);
    if (found.has_several)
        KAN_TRY_DONE(number_values(arena, first_of, n_codes, &found));
    *out = found;
done:
    kan_free(run, list);
    kan_free(run, first_of);
    return status;
}
