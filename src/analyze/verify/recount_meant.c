/* Reading what values mean. A number becomes a sign, its digits without zeros around them, and where
 * they stand; no number is too long for that, and nothing is rounded. */
#include "analyze/verify/recount_meant.h"
#include "core/signs.h"

#include <stdlib.h>

enum { EXPONENT_DIGITS = 9, DATE_DIGITS = 14 };

/* ---- reading -------------------------------------------------------------------------------- */

/* The exponent behind an e, zeros before it aside; false when it is too long to be counted. */
static bool read_exponent(const char *at, const char *end, int32_t *out) {
    const bool is_down = at < end && *at == '-';
    int32_t exponent = 0;
    at += at < end && !kan_is_digit(*at);
    while (at < end && *at == '0')
        at++;
    if (end - at > EXPONENT_DIGITS)
        return false;
    for (; at < end; at++)
        exponent = exponent * 10 + (*at - '0');
    *out = is_down ? -exponent : exponent;
    return true;
}

/* Writes the digits of a number to `room`, and returns how many; its text is one. */
static size_t read_number(kan_meant *value, char *room) {
    const char *at = value->text.bytes, *end = at + value->text.size;
    size_t n = 0, n_whole = 0, first = 0;
    int32_t exponent = 0;
    value->sign = *at == '-' ? -1 : 1;
    at += !kan_is_digit(*at) && *at != '.';
    value->is_padded = at + 1 < end && at[0] == '0' && kan_is_digit(at[1]);
    for (; at < end && kan_is_digit(*at); at++)
        room[n++] = *at;
    n_whole = n;
    for (at += at < end && *at == '.'; at < end && kan_is_digit(*at); at++)
        room[n++] = *at;
    while (first < n && room[first] == '0')
        first++;
    if (first < n && at < end && !read_exponent(at + 1, end, &exponent)) {
        value->is_padded = false; /* it means only itself */
        return 0;
    }
    while (n > first && room[n - 1] == '0')
        n--;
    value->type = value->is_padded ? KAN_TYPE_TEXT : KAN_TYPE_NUMBER;
    value->digits = (kan_slice){room + first, n - first};
    value->exponent = (int32_t)n_whole - (int32_t)first + exponent;
    if (n == first) {
        value->sign = 0;
        value->exponent = 0;
    }
    return n;
}

static size_t read_date(kan_meant *value, const kan_instant *instant, char *room) {
    const int parts[] = {instant->date.year / 100,
                         instant->date.year % 100,
                         instant->date.month,
                         instant->date.day,
                         instant->hour,
                         instant->minute,
                         instant->second};
    size_t n = 0, n_fraction = instant->fraction.size;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        room[n++] = (char)('0' + parts[i] / 10);
        room[n++] = (char)('0' + parts[i] % 10);
    }
    while (n_fraction > 0 && instant->fraction.bytes[n_fraction - 1] == '0')
        n_fraction--;
    memcpy(room + n, instant->fraction.bytes ? instant->fraction.bytes : "", n_fraction);
    value->type = KAN_TYPE_DATE;
    value->sign = 1;
    value->digits = (kan_slice){room, n + n_fraction};
    return n + n_fraction;
}

static size_t read_value(kan_meant *value, char *room) {
    kan_instant instant;
    double unused;
    value->is_unknown = kan_value_is_unknown(value->text);
    if (kan_parse_real(value->text.bytes, value->text.size, &unused))
        return read_number(value, room);
    return kan_instant_parse(value->text, &instant) ? read_date(value, &instant, room) : 0;
}

kan_status kan_meant_read(kan_run *run, const kan_slice *values, size_t n, kan_meant_list *out) {
    kan_meant_list list = {.run = run, .n = n};
    size_t size = 0, used = 0;
    for (size_t i = 0; i < n; i++)
        size += values[i].size + DATE_DIGITS;
    KAN_TRY(kan_alloc_zero(run, n, sizeof *list.values, &list.values));
    const kan_status status = kan_alloc(run, size, 1, &list.room);
    if (status != KAN_OK) {
        kan_free(run, list.values);
        return status;
    }
    for (size_t i = 0; i < n; i++) {
        list.values[i].text = values[i];
        used += read_value(&list.values[i], list.room + used);
    }
    *out = list;
    return KAN_OK;
}

void kan_meant_destroy(kan_meant_list *list) {
    kan_free(list->run, list->values);
    kan_free(list->run, list->room);
    *list = (kan_meant_list){.run = list->run};
}

/* ---- what a column is ----------------------------------------------------------------------- */

/* -1: the end below all others, 1: that above them, 0: none. */
static int end_of(const kan_ends *ends, kan_slice text) {
    if (!ends || text.size == 0)
        return 0;
    return kan_slice_equal(text, ends->low) ? -1 : kan_slice_equal(text, ends->high);
}

kan_type kan_meant_kind(const kan_meant_list *list, const uint8_t *is_shown, const kan_ends *ends) {
    bool has[KAN_TYPE_DATE + 1] = {false};
    for (size_t i = 0; i < list->n; i++) {
        const kan_meant *value = &list->values[i];
        if ((!is_shown || is_shown[i]) && !value->is_unknown && end_of(ends, value->text) == 0)
            has[value->type] = true;
    }
    if (has[KAN_TYPE_TEXT] || (has[KAN_TYPE_NUMBER] && has[KAN_TYPE_DATE]))
        return KAN_TYPE_TEXT;
    return has[KAN_TYPE_DATE] ? KAN_TYPE_DATE : KAN_TYPE_NUMBER;
}

void kan_meant_shown(kan_run *run, const kan_column *column, uint64_t n_rows, uint8_t *is_shown) {
    enum { WINDOW = 1 << 20 };
    memset(is_shown, 0, column->dictionary.n);
    for (uint64_t row = 0; row < n_rows; row++) {
        is_shown[kan_column_code(column, row)] = 1;
        if ((row + 1) % WINDOW == 0)
            kan_column_done(run, column, row + 1 - WINDOW, WINDOW);
    }
}

/* ---- order ---------------------------------------------------------------------------------- */

static int compare_numbers(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

/* By what they mean; 0 where that is one. */
static int compare_meaning(const kan_meant *a, const kan_meant *b) {
    int order = compare_numbers(a->sign, b->sign);
    if (order || a->sign == 0)
        return order;
    order = compare_numbers(a->exponent, b->exponent);
    order = order ? order : kan_slice_compare(a->digits, b->digits);
    return a->sign < 0 ? -order : order;
}

typedef struct {
    const kan_meant *value;
    int class; /* what comes first */
    size_t index;
} listed;

static int compare_same(const void *a, const void *b) {
    const listed *x = a, *y = b;
    int order = compare_numbers(x->class, y->class);
    if (!order)
        order = x->class == KAN_TYPE_TEXT ? kan_slice_compare(x->value->text, y->value->text)
                                          : compare_meaning(x->value, y->value);
    return order;
}

static int compare_listed(const void *a, const void *b) {
    const int order = compare_same(a, b);
    return order ? order
                 : compare_numbers((int64_t)((const listed *)a)->index,
                                   (int64_t)((const listed *)b)->index);
}

kan_status kan_meant_same(const kan_meant_list *list, size_t *first_of, bool *has_several) {
    listed *order;
    KAN_TRY(kan_alloc(list->run, list->n, sizeof *order, &order));
    for (size_t i = 0; i < list->n; i++)
        order[i] = (listed){&list->values[i], (int)list->values[i].type, i};
    if (list->n > 0)
        qsort(order, list->n, sizeof *order, compare_listed);
    *has_several = false;
    for (size_t i = 0; i < list->n; i++) {
        const bool is_same = i > 0 && compare_same(&order[i - 1], &order[i]) == 0;
        first_of[order[i].index] = is_same ? first_of[order[i - 1].index] : order[i].index;
        *has_several |= is_same && order[i].class != KAN_TYPE_TEXT &&
                        !kan_slice_equal(order[i - 1].value->text, order[i].value->text);
    }
    kan_free(list->run, order);
    return KAN_OK;
}

/* Unknown values and words, in the order of their bytes; the lower end, dates, numbers; the upper
 * end. */
enum { UNKNOWN, WORD, LOW_END, DATE, NUMBER, HIGH_END };

static int rank_class(const kan_meant *value, const kan_ends *ends) {
    const int end = end_of(ends, value->text);
    if (end != 0)
        return end < 0 ? LOW_END : HIGH_END;
    if (value->is_unknown)
        return UNKNOWN;
    return value->type == KAN_TYPE_DATE                         ? DATE
           : value->type == KAN_TYPE_NUMBER || value->is_padded ? NUMBER
                                                                : WORD;
}

static int compare_ranks(const void *a, const void *b) {
    const listed *x = a, *y = b;
    const int order = compare_numbers(x->class, y->class);
    if (order)
        return order;
    return x->class == DATE || x->class == NUMBER
               ? compare_meaning(x->value, y->value)
               : kan_slice_compare(x->value->text, y->value->text);
}

kan_status kan_meant_rank(const kan_meant_list *list, const kan_ends *ends, uint32_t *rank,
                          uint32_t *n_ranks) {
    listed *order;
    uint32_t n = 0;
    KAN_TRY(kan_alloc(list->run, list->n, sizeof *order, &order));
    for (size_t i = 0; i < list->n; i++)
        order[i] = (listed){&list->values[i], rank_class(&list->values[i], ends), i};
    if (list->n > 0)
        qsort(order, list->n, sizeof *order, compare_ranks);
    for (size_t i = 0; i < list->n; i++) {
        n += i == 0 || compare_ranks(&order[i - 1], &order[i]) != 0;
        rank[order[i].index] = n - 1;
    }
    *n_ranks = n;
    kan_free(list->run, order);
    return KAN_OK;
}
