/* Dictionaries: joining what several encoders saw, finding the type, sorting, looking up.
 *
 * Sorting takes a 64-bit key per value (a number's or date's place on the line, or the next eight
 * bytes of a text), sorts the keys by radix, and looks at further bytes only where keys are equal:
 * O(n) for numbers, O(n x distinguishing bytes / 8) for text. 32 bytes per value while it lasts. */
#include <stdlib.h>

#include "data/encoder.h"

typedef struct {
    uint64_t key;
    uint32_t code; /* in the joined encoder */
} item;

enum { SMALL_SORT = 64, DEEPEST_RADIX = 64 };

static bool is_end(const kan_ends *ends, kan_slice value) {
    return ends && value.size > 0 &&
           (kan_slice_equal(value, ends->low) || kan_slice_equal(value, ends->high));
}

static bool every_value_is(kan_type type, const kan_encoder *values, const kan_ends *ends) {
    bool any_is_known = false;
    double number;
    for (uint32_t code = 0; code < values->n; code++) {
        kan_slice value = kan_encoder_value(values, code);
        if (kan_value_is_unknown(value))
            continue;
        if (!(is_end(ends, value) ? kan_value_number(type, value, &number)
                                  : kan_value_exact(type, value, &number)))
            return false;
        any_is_known = true;
    }
    return any_is_known;
}

static kan_type find_type(const kan_encoder *values, const kan_ends *ends, bool is_text) {
    if (is_text)
        return KAN_TYPE_TEXT;
    if (every_value_is(KAN_TYPE_NUMBER, values, ends))
        return KAN_TYPE_NUMBER;
    return every_value_is(KAN_TYPE_DATE, values, ends) ? KAN_TYPE_DATE : KAN_TYPE_TEXT;
}

/* ---- sorting -------------------------------------------------------------------------------- */

static void sort_small(item *items, size_t n) {
    for (size_t i = 1; i < n; i++) {
        item moved = items[i];
        size_t at = i;
        for (; at > 0 && items[at - 1].key > moved.key; at--)
            items[at] = items[at - 1];
        items[at] = moved;
    }
}

/* By key, least significant byte first; bytes in which all keys agree cost nothing but counting. */
static void sort_by_key(item *items, item *room, size_t n) {
    if (n <= SMALL_SORT) {
        sort_small(items, n);
        return;
    }
    uint32_t count[8][256] = {{0}};
    for (size_t i = 0; i < n; i++)
        for (unsigned byte = 0; byte < 8; byte++)
            count[byte][items[i].key >> (8 * byte) & 0xff]++;
    item *from = items, *to = room;
    for (unsigned byte = 0; byte < 8; byte++) {
        if (count[byte][items[0].key >> (8 * byte) & 0xff] == n)
            continue;
        size_t place[256], sum = 0;
        for (unsigned digit = 0; digit < 256; digit++) {
            place[digit] = sum;
            sum += count[byte][digit];
        }
        for (size_t i = 0; i < n; i++)
            to[place[from[i].key >> (8 * byte) & 0xff]++] = from[i];
        item *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != items)
        memcpy(items, from, n * sizeof *items);
}

static int compare_items(const void *a, const void *b, void *values) {
    return kan_slice_compare(kan_encoder_value(values, ((const item *)a)->code),
                             kan_encoder_value(values, ((const item *)b)->code));
}

/* Eight bytes from `depth` on as a number that orders like them; beyond the end zeros. */
static uint64_t text_key(kan_slice value, size_t depth) {
    uint64_t key = 0;
    for (size_t i = depth; i < depth + 8; i++)
        key = key << 8 | (i < value.size ? (unsigned char)value.bytes[i] : 0);
    return key;
}

/* Sorts by bytes items that agree in the first `depth` bytes. The recursion ends at DEEPEST_RADIX;
 * values that agree for longer are rare enough to be compared. */
static void sort_by_text(item *items, item *room, size_t n, size_t depth, kan_encoder *values) {
    if (n <= 8 || depth >= DEEPEST_RADIX) {
        qsort_r(items, n, sizeof *items, compare_items, values);
        return;
    }
    for (size_t i = 0; i < n; i++)
        items[i].key = text_key(kan_encoder_value(values, items[i].code), depth);
    sort_by_key(items, room, n);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && items[end].key == items[first].key; end++) {
        }
        if (end - first > 1)
            sort_by_text(items + first, room, end - first, depth + 8, values);
    }
}

/* The place of a number or date on the line, as an integer; 0, below all, for unknown values. */
static uint64_t number_key(kan_type type, kan_slice value) {
    double number;
    uint64_t bits;
    if (!kan_value_number(type, value, &number))
        return 0;
    number += 0.0; /* -0 counts as 0 */
    memcpy(&bits, &number, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

typedef struct {
    kan_type type;
    const kan_encoder *values;
} near_order;

static int compare_near(const void *a, const void *b, void *context) {
    const near_order *order = context;
    return kan_value_compare(order->type, kan_encoder_value(order->values, ((const item *)a)->code),
                             kan_encoder_value(order->values, ((const item *)b)->code));
}

static void sort_by_number(item *items, item *room, size_t n, kan_type type, kan_encoder *values) {
    near_order order = {type, values};
    for (size_t i = 0; i < n; i++)
        items[i].key = number_key(type, kan_encoder_value(values, items[i].code));
    sort_by_key(items, room, n);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && items[end].key == items[first].key; end++) {
        }
        if (end - first > 1)
            qsort_r(items + first, end - first, sizeof *items, compare_near, &order);
    }
}

/* ---- building ------------------------------------------------------------------------------- */

static kan_encoder *encoder_at(kan_encoder *encoders, size_t stride, size_t i) {
    return encoders + i * stride;
}

/* Adds every encoder's values to the first; maps[i] becomes the way from its codes to theirs. */
static kan_status join(kan_run *run, kan_encoder *encoders, size_t n, size_t stride,
                       uint32_t **maps) {
    for (size_t i = 0; i < n; i++) {
        const kan_encoder *encoder = encoder_at(encoders, stride, i);
        KAN_TRY(kan_alloc(run, encoder->n, sizeof **maps, &maps[i]));
        for (uint32_t code = 0; code < encoder->n; code++) {
            maps[i][code] = code;
            if (i > 0)
                KAN_TRY(
                    kan_encoder_add(encoders, kan_encoder_value(encoder, code), &maps[i][code]));
        }
    }
    return KAN_OK;
}

/* Lays the sorted values out, and turns `rank` into the way from joined code to dictionary code. */
static kan_status lay_out(kan_run *run, const kan_encoder *values, const item *items,
                          uint32_t *rank, kan_dictionary *out) {
    kan_dictionary made = {.n = values->n};
    KAN_TRY(kan_alloc(run, (size_t)values->n + 1, sizeof *made.start, &made.start));
    kan_status status = kan_alloc(run, values->start[values->n] + 8, 1, &made.bytes);
    if (status != KAN_OK) {
        kan_free(run, made.start);
        return status;
    }
    uint64_t used = 0;
    for (uint32_t code = 0; code < made.n; code++) {
        kan_slice value = kan_encoder_value(values, items[code].code);
        made.start[code] = used;
        memcpy(made.bytes + used, value.bytes, value.size);
        used += value.size;
        rank[items[code].code] = code;
    }
    made.start[made.n] = used;
    memset(made.bytes + used, 0, 8); /* so that words can be read up to the end */
    *out = made;
    return KAN_OK;
}

static kan_status sort_and_lay_out(kan_run *run, kan_encoder *values, const kan_ends *ends,
                                   bool is_text, uint32_t *rank, kan_dictionary *out) {
    item *items = NULL, *room = NULL;
    kan_dictionary made = {0};
    kan_status status;
    KAN_TRY_DONE(kan_alloc(run, values->n, sizeof *items, &items));
    KAN_TRY_DONE(kan_alloc(run, values->n, sizeof *room, &room));
    for (uint32_t code = 0; code < values->n; code++)
        items[code].code = code;
    kan_type type = find_type(values, ends, is_text);
    if (type == KAN_TYPE_TEXT)
        sort_by_text(items, room, values->n, 0, values);
    else
        sort_by_number(items, room, values->n, type, values);
    KAN_TRY_DONE(lay_out(run, values, items, rank, &made));
    made.type = type;
    *out = made;
done:
    kan_free(run, items);
    kan_free(run, room);
    return status;
}

static kan_status build(kan_run *run, kan_encoder *encoders, size_t n_encoders, size_t stride,
                        const kan_ends *ends, bool is_text, uint32_t **maps, kan_dictionary *out) {
    uint32_t *rank = NULL;
    kan_status status;
    for (size_t i = 0; i < n_encoders; i++)
        maps[i] = NULL;
    /* The others' numbers of values do not change while the first takes them in. */
    uint32_t first_n = encoders->n;
    KAN_TRY_DONE(join(run, encoders, n_encoders, stride, maps));
    KAN_TRY_DONE(kan_alloc(run, encoders->n, sizeof *rank, &rank));
    KAN_TRY_DONE(sort_and_lay_out(run, encoders, ends, is_text, rank, out));
    for (size_t i = 0; i < n_encoders; i++) {
        uint32_t n = i == 0 ? first_n : encoder_at(encoders, stride, i)->n;
        for (uint32_t code = 0; code < n; code++)
            maps[i][code] = rank[maps[i][code]];
    }
done:
    kan_free(run, rank);
    if (status != KAN_OK)
        for (size_t i = 0; i < n_encoders; i++) {
            kan_free(run, maps[i]);
            maps[i] = NULL;
        }
    return status;
}

kan_status kan_dictionary_build(kan_run *run, kan_encoder *encoders, size_t n_encoders,
                                size_t stride, uint32_t **maps, kan_dictionary *out) {
    return build(run, encoders, n_encoders, stride, NULL, false, maps, out);
}

kan_status kan_dictionary_build_column(kan_run *run, kan_encoder *encoder, const kan_ends *ends,
                                       bool is_text, uint32_t **map, kan_dictionary *out) {
    return build(run, encoder, 1, 1, ends, is_text, map, out);
}

void kan_dictionary_destroy(kan_run *run, kan_dictionary *dictionary) {
    kan_free(run, dictionary->bytes);
    kan_free(run, dictionary->start);
    *dictionary = (kan_dictionary){0};
}

bool kan_dictionary_find(const kan_dictionary *dictionary, kan_slice value, uint32_t *out) {
    double number;
    if (dictionary->type != KAN_TYPE_TEXT && !kan_value_is_unknown(value) &&
        !kan_value_number(dictionary->type, value, &number))
        return false;
    uint32_t first = 0, end = dictionary->n;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        int order =
            kan_value_compare(dictionary->type, kan_dictionary_value(dictionary, middle), value);
        if (order == 0) {
            *out = middle;
            return true;
        }
        if (order < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return false;
}
