/* Reading labels of intervals. A range is cut at the one place that leaves a number, or a date, on
 * both sides; where there are two such places, or none, it is not a range. Values of a range are
 * found by bisection: the dictionary stands by value. */
#include "analyze/cover/read_interval.h"

#include <math.h>
#include <strings.h>

#include "core/memory.h"

typedef kan_label_range range;

kan_status kan_label_reader_init(kan_label_reader *reader, kan_run *run, const kan_column *column) {
    const kan_dictionary *dictionary = &column->dictionary;
    *reader =
        (kan_label_reader){.run = run, .dictionary = dictionary, .spelling = column->spelling};
    kan_text_init(&reader->item, run);
    if (dictionary->type == KAN_TYPE_TEXT)
        return KAN_OK;
    KAN_TRY(kan_alloc(run, dictionary->n, sizeof *reader->numbers, &reader->numbers));
    for (uint32_t code = 0; code < dictionary->n; code++)
        if (!kan_value_number(dictionary->type, kan_dictionary_value(dictionary, code),
                              &reader->numbers[code]))
            reader->n_unknown = code + 1;
    return KAN_OK;
}

void kan_label_reader_destroy(kan_label_reader *reader) {
    kan_free(reader->run, reader->numbers);
    kan_text_destroy(&reader->item);
}

/* ---- ranges --------------------------------------------------------------------------------- */

/* -inf, inf and what else others write for no bound. */
static bool is_infinite(kan_slice text, bool *is_negative) {
    static const char *const names[] = {"inf", "infinity", "\u221e"};
    *is_negative = text.size > 0 && text.bytes[0] == '-';
    if (text.size > 0 && (text.bytes[0] == '-' || text.bytes[0] == '+'))
        text = (kan_slice){text.bytes + 1, text.size - 1};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text.size == strlen(names[i]) && strncasecmp(text.bytes, names[i], text.size) == 0)
            return true;
    return false;
}

static bool read_value(const kan_label_reader *reader, kan_slice text, double *out) {
    char room[KAN_SPELLING_ROOM];
    const kan_type type = reader->dictionary->type;
    return kan_value_exact(type, text, out) ||
           (reader->spelling && text.size < sizeof room &&
            kan_value_exact(type, kan_spelling_take(reader->spelling, text, room), out));
}

bool kan_label_number(const kan_label_reader *reader, kan_slice label, double *out) {
    return reader->numbers && read_value(reader, label, out);
}

static kan_slice trim(kan_slice text) {
    while (text.size > 0 && text.bytes[0] == ' ')
        text = (kan_slice){text.bytes + 1, text.size - 1};
    while (text.size > 0 && text.bytes[text.size - 1] == ' ')
        text.size--;
    return text;
}

/* A bound of a range; an end of a capped column is none. */
static bool read_bound(const kan_label_reader *reader, kan_slice text, bool is_lower, double *out) {
    const kan_end end = kan_value_end(text, &text);
    bool is_negative;
    if (end == KAN_END_NONE && is_infinite(text, &is_negative)) {
        *out = is_negative ? -INFINITY : INFINITY;
        return is_negative == is_lower;
    }
    if (!read_value(reader, text, out) || end == (is_lower ? KAN_END_HIGH : KAN_END_LOW))
        return false;
    if (end != KAN_END_NONE)
        *out = is_lower ? -INFINITY : INFINITY;
    return true;
}

/* Cuts the text in two at `mark`; false unless exactly one such cut leaves two bounds in order. */
static bool split_range(const kan_label_reader *reader, kan_slice text, const char *mark,
                        range *out) {
    const size_t size = strlen(mark);
    unsigned n_ways = 0;
    for (size_t at = 1; at + size < text.size; at++) {
        range found = {.lo = 0};
        if (memcmp(text.bytes + at, mark, size) != 0)
            continue;
        kan_slice left = {text.bytes, at};
        kan_slice right = {text.bytes + at + size, text.size - at - size};
        if (mark[0] == ',') {
            left = trim(left);
            right = trim(right);
        }
        if (read_bound(reader, left, true, &found.lo) &&
            read_bound(reader, right, false, &found.hi) && found.lo <= found.hi) {
            *out = found;
            n_ways++;
        }
    }
    return n_ways == 1;
}

/* "<20" or ">=80". */
static bool parse_end(const kan_label_reader *reader, kan_slice text, range *out) {
    kan_slice bound;
    double number;
    const kan_end end = kan_value_end(text, &bound);
    if (!reader->numbers || end == KAN_END_NONE || !read_value(reader, bound, &number))
        return false;
    *out = end == KAN_END_LOW
               ? (range){.lo = -INFINITY, .hi = number, .hi_is_open = true, .is_end = true}
               : (range){.lo = number, .hi = INFINITY, .is_end = true};
    return true;
}

/* Two bounds behind each other: a comma and a blank stand between them, or a comma alone. */
static bool split_pair(const kan_label_reader *reader, kan_slice inside, range *out) {
    return split_range(reader, inside, ", ", out) || split_range(reader, inside, ",", out);
}

static bool parse_range(const kan_label_reader *reader, kan_slice text, range *out) {
    if (parse_end(reader, text, out))
        return true;
    if (!reader->numbers || text.size < 5)
        return false;
    const char first = text.bytes[0], last = text.bytes[text.size - 1];
    const kan_slice inside = {text.bytes + 1, text.size - 2};
    if ((first != '[' && first != '(') || (last != ']' && last != ')'))
        return false;
    const bool is_closed = first == '[' && last == ']';
    if (!(is_closed &&
          (split_range(reader, inside, "..", out) || split_range(reader, inside, "-", out))) &&
        !split_pair(reader, inside, out))
        return false;
    out->lo_is_open = first == '(';
    out->hi_is_open = last == ')';
    return true;
}

/* The first code whose number is not below `bound`, or above it when `is_above`. */
static uint32_t find_bound(const kan_label_reader *reader, double bound, bool is_above) {
    uint32_t low = reader->n_unknown, high = reader->dictionary->n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const double number = reader->numbers[middle];
        if (is_above ? number <= bound : number < bound)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static kan_end end_of(const kan_label_reader *reader, uint32_t code) {
    return kan_value_end(kan_dictionary_value(reader->dictionary, code), NULL);
}

static bool is_empty(const range *r) {
    return r->lo == r->hi && (r->lo_is_open || r->hi_is_open);
}

/* To whom a range is told by its bounds: one that has none ends where the column does. */
static kan_status tell_bounds(const kan_label_reader *reader, const range *r, void *context) {
    const uint32_t n = reader->dictionary->n;
    if (reader->n_unknown == n)
        return KAN_OK;
    const double least = reader->numbers[reader->n_unknown], greatest = reader->numbers[n - 1];
    const bool has_lo = isfinite(r->lo), has_hi = isfinite(r->hi);
    range told = {.lo_is_open = has_lo && r->lo_is_open,
                  .hi_is_open = has_hi && r->hi_is_open,
                  .lo_is_none = !has_lo,
                  .hi_is_none = !has_hi,
                  .is_end = r->is_end};
    /* what lies beyond a bound that is left out is more than nothing */
    told.lo = has_lo ? r->lo : fmin(least, r->hi_is_open ? nextafter(r->hi, -INFINITY) : r->hi);
    told.hi =
        has_hi ? r->hi : fmax(greatest, r->lo_is_open ? nextafter(told.lo, INFINITY) : told.lo);
    return is_empty(&told) ? KAN_OK : reader->on_range(context, &told);
}

static kan_status tell_range(const kan_label_reader *reader, const range *r, kan_label_codes_fn fn,
                             void *context) {
    if (reader->on_range)
        return tell_bounds(reader, r, context);
    uint32_t first = find_bound(reader, r->lo, r->lo_is_open);
    uint32_t end = find_bound(reader, r->hi, !r->hi_is_open);
    /* whoever is 90 or older is not in [80-99]; there is one end on each side */
    if (first < end && isfinite(r->lo) && end_of(reader, first) == KAN_END_LOW)
        first++;
    if (first < end && isfinite(r->hi) && end_of(reader, end - 1) == KAN_END_HIGH)
        end--;
    return first < end ? fn(context, first, end) : KAN_OK;
}

/* ---- lists ---------------------------------------------------------------------------------- */

/* Takes the item in quotes at the start of *rest into reader->item; false when no quote ends it. */
static bool take_quoted(kan_label_reader *reader, kan_slice *rest) {
    reader->item.size = 0;
    for (size_t i = 1; i < rest->size; i++) {
        if (rest->bytes[i] != '"') {
            kan_text_add(&reader->item, rest->bytes + i, 1);
        } else if (i + 1 < rest->size && rest->bytes[i + 1] == '"') {
            kan_text_add(&reader->item, "\"", 1);
            i++;
        } else {
            *rest = (kan_slice){rest->bytes + i + 1, rest->size - i - 1};
            return true;
        }
    }
    return false;
}

/* The size of an item that stands without quotes: up to a comma, those of a range aside. */
static size_t plain_size(const kan_label_reader *reader, kan_slice rest) {
    size_t at = 0;
    if (reader->numbers && (rest.bytes[0] == '[' || rest.bytes[0] == '('))
        while (at < rest.size && rest.bytes[at] != ']' && rest.bytes[at] != ')')
            at++;
    while (at < rest.size && rest.bytes[at] != ',')
        at++;
    return at;
}

static void skip_blanks(kan_slice *rest) {
    while (rest->size > 0 && rest->bytes[0] == ' ')
        *rest = (kan_slice){rest->bytes + 1, rest->size - 1};
}

static kan_status tell_item(const kan_label_reader *reader, kan_slice item, bool was_quoted,
                            kan_label_codes_fn fn, void *context) {
    range r;
    uint32_t code;
    const bool is_value = kan_dictionary_find(reader->dictionary, item, &code);
    /* the end of a capped column is one of its values */
    const bool is_end = is_value && kan_value_end(item, NULL) != KAN_END_NONE;
    if (!was_quoted && !is_end && parse_range(reader, item, &r))
        return tell_range(reader, &r, fn, context);
    return is_value ? fn(context, code, code + 1) : KAN_OK;
}

/* Walks over the items. The first walk, without `fn`, tells whether it is a list at all. */
static kan_status walk_list(kan_label_reader *reader, kan_slice rest, kan_label_codes_fn fn,
                            void *context, bool *is_list) {
    *is_list = false;
    for (;;) {
        skip_blanks(&rest);
        if (rest.size == 0)
            return KAN_OK; /* an item is missing */
        const bool is_quoted = rest.bytes[0] == '"';
        kan_slice item;
        if (is_quoted) {
            if (!take_quoted(reader, &rest))
                return KAN_OK;
            KAN_TRY(kan_text_status(&reader->item));
            item = (kan_slice){reader->item.size ? reader->item.bytes : "", reader->item.size};
            skip_blanks(&rest);
        } else {
            const size_t size = plain_size(reader, rest);
            item = (kan_slice){rest.bytes, size};
            rest = (kan_slice){rest.bytes + size, rest.size - size};
            while (item.size > 0 && item.bytes[item.size - 1] == ' ')
                item.size--;
            if (item.size == 0)
                return KAN_OK; /* between two commas: the empty value stands in quotes */
        }
        if (fn)
            KAN_TRY(tell_item(reader, item, is_quoted, fn, context));
        if (rest.size == 0) {
            *is_list = true;
            return KAN_OK;
        }
        if (rest.bytes[0] != ',')
            return KAN_OK;
        rest = (kan_slice){rest.bytes + 1, rest.size - 1};
    }
}

kan_status kan_label_read(kan_label_reader *reader, kan_slice label, kan_label_codes_fn fn,
                          void *context) {
    range r;
    bool is_list;
    if (parse_range(reader, label, &r))
        return tell_range(reader, &r, fn, context);
    if (label.size < 3 || label.bytes[0] != '{' || label.bytes[label.size - 1] != '}')
        return KAN_OK;
    const kan_slice inside = {label.bytes + 1, label.size - 2};
    KAN_TRY(walk_list(reader, inside, NULL, NULL, &is_list));
    return is_list ? walk_list(reader, inside, fn, context, &is_list) : KAN_OK;
}

kan_status kan_label_read_ranges(kan_label_reader *reader, kan_slice label, kan_label_codes_fn fn,
                                 kan_label_range_fn on_range, void *context) {
    reader->on_range = on_range;
    const kan_status status = kan_label_read(reader, label, fn, context);
    reader->on_range = NULL;
    return status;
}
