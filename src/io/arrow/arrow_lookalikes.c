/* Values that are one to kanon and two to whoever sees the array: a null and "", 0 and -0, a null and
 * what is no number, dates in milliseconds that are the same day, a value that a dictionary has twice.
 *
 * Texts are their values, so that only null and "" are looked for. Of other types the first value of each
 * text is kept, and compared by its bits with those that follow: O(rows), memory for distinct values. */
#include <string.h>

#include "data/encoder.h"
#include "io/arrow/arrow_inside.h"

typedef struct {
    bool is_missing;
    char word[KAN_SCALAR_MOST_SIZE];
} plain_value;

typedef struct {
    const kan_arrow *arrow;
    size_t column;
    kan_encoder texts;
    plain_value *firsts; /* by text */
    size_t n_firsts, capacity;
    bool is_found;
    /* the dictionary of the batch, and which of its values rows had so far */
    const struct ArrowArray *dictionary;
    kan_arrow_values values;
    uint8_t *is_had;
    bool misses; /* a row has a null of its own */
} looking;

enum { ROWS_BETWEEN_CHECKS = 1 << 16 };

/* Whole numbers and truth values have a text each, and none is "". */
static bool may_be_apart(const kan_arrow_type *type) {
    const kan_scalar_form form = type->scalar.form;
    return type->layout != KAN_ARROW_OTHER && type->layout != KAN_ARROW_EMPTY &&
           (kan_arrow_is_text(type) || (form != KAN_SCALAR_SIGNED && form != KAN_SCALAR_UNSIGNED &&
                                        form != KAN_SCALAR_BOOLEAN));
}

static bool is_dictionary(const kan_arrow_type *type) {
    return type->layout != KAN_ARROW_OTHER && type->index_size > 0;
}

static kan_status look_at(looking *l, const kan_arrow_values *values, size_t i, bool is_missing) {
    const kan_arrow_type *type = values->type;
    char room[KAN_SCALAR_ROOM];
    plain_value value = {.is_missing = is_missing};
    kan_slice text = {"", 0};
    uint32_t code;
    if (!is_missing)
        KAN_TRY(kan_arrow_show(l->arrow, values, i, room, &text));
    if (kan_arrow_is_text(type) && text.size > 0)
        return KAN_OK;
    if (!is_missing && !kan_arrow_is_text(type))
        memcpy(value.word, values->data + (values->first + i) * type->scalar.size,
               type->scalar.size);
    KAN_TRY(kan_encoder_add(&l->texts, text, &code));
    if (code == l->n_firsts) {
        KAN_TRY(kan_reserve(l->arrow->run, l->n_firsts + 1, sizeof *l->firsts, &l->capacity,
                            &l->firsts));
        l->firsts[l->n_firsts++] = value;
    }
    l->is_found = l->firsts[code].is_missing != value.is_missing ||
                  memcmp(l->firsts[code].word, value.word, sizeof value.word) != 0;
    return KAN_OK;
}

static kan_status look_at_rows(looking *l, const kan_arrow_values *rows) {
    for (size_t i = 0; i < rows->n && !l->is_found; i++) {
        if (i % ROWS_BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(l->arrow->run));
        KAN_TRY(look_at(l, rows, i, kan_arrow_is_missing(rows, i)));
    }
    return KAN_OK;
}

/* ---- dictionaries --------------------------------------------------------------------------- */

/* Whoever sees indices can tell two apart that have one value, also where it is a null. */
static kan_status look_at_values(looking *l, const uint8_t *is_had, kan_encoder *once) {
    const kan_arrow_values *values = &l->values;
    unsigned n_nulls = l->misses;
    for (size_t i = 0; i < values->n && !l->is_found; i++) {
        char room[1];
        kan_slice bytes;
        uint32_t code;
        if (!is_had[i])
            continue;
        const bool is_missing =
            values->type->layout == KAN_ARROW_EMPTY || kan_arrow_is_missing(values, i);
        if (may_be_apart(values->type))
            KAN_TRY(look_at(l, values, i, is_missing));
        const uint32_t n_before = once->n;
        if (is_missing) {
            l->is_found |= n_nulls++ > 0;
            continue;
        }
        KAN_TRY(kan_arrow_bytes(l->arrow, values, i, room, &bytes));
        KAN_TRY(kan_encoder_add(once, bytes, &code));
        l->is_found |= once->n == n_before;
    }
    return KAN_OK;
}

/* All rows of a dictionary were seen. */
static kan_status end_dictionary(looking *l) {
    kan_encoder once;
    if (!l->is_had)
        return KAN_OK;
    KAN_TRY(kan_encoder_init(&once, l->arrow->run));
    const kan_status status = look_at_values(l, l->is_had, &once);
    kan_encoder_destroy(&once);
    kan_free(l->arrow->run, l->is_had);
    l->is_had = NULL;
    return status;
}

static kan_status mark_rows(looking *l, const kan_arrow_values *rows) {
    const uint64_t limit = kan_arrow_index_limit(rows->type, l->values.n);
    for (size_t i = 0; i < rows->n; i++) {
        if (i % ROWS_BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(l->arrow->run));
        if (kan_arrow_is_missing(rows, i)) {
            l->misses = true;
            continue;
        }
        const uint64_t index = kan_arrow_index(rows, i);
        if (index >= limit)
            return kan_arrow_broken(l->arrow, "an index is outside its dictionary");
        l->is_had[index] = 1;
    }
    return KAN_OK;
}

static kan_status look_at_batch(looking *l, size_t batch) {
    const kan_arrow_values rows = kan_arrow_column(l->arrow, batch, l->column);
    if (rows.type->index_size == 0)
        return look_at_rows(l, &rows);
    if (!l->is_had || !kan_arrow_is_same(l->dictionary, rows.dictionary)) {
        KAN_TRY(end_dictionary(l));
        l->dictionary = rows.dictionary;
        l->values = kan_arrow_dictionary(&rows);
        KAN_TRY(kan_alloc_zero(l->arrow->run, l->values.n, 1, &l->is_had));
    }
    return mark_rows(l, &rows);
}

/* A null of a row is a null as one of a dictionary is. */
static kan_status look_at_missing(looking *l) {
    const kan_arrow_values none = {.type = &l->arrow->types[l->column]};
    return l->misses && may_be_apart(none.type) ? look_at(l, &none, 0, true) : KAN_OK;
}

static kan_status look_at_column(const kan_arrow *arrow, size_t column, bool *is_found) {
    looking l = {.arrow = arrow, .column = column};
    kan_status status = KAN_OK;
    KAN_TRY(kan_encoder_init(&l.texts, arrow->run));
    for (size_t i = 0; i < arrow->n_batches && status == KAN_OK && !l.is_found; i++)
        status = look_at_batch(&l, i);
    if (status == KAN_OK)
        status = end_dictionary(&l);
    if (status == KAN_OK && !l.is_found)
        status = look_at_missing(&l);
    kan_free(arrow->run, l.is_had);
    kan_free(arrow->run, l.firsts);
    kan_encoder_destroy(&l.texts);
    *is_found = l.is_found;
    return status;
}

kan_status kan_arrow_find_apart(void *state, const bool *columns, bool *found) {
    const kan_arrow *const arrow = state;
    for (size_t i = 0; i < arrow->n_columns; i++)
        if (columns[i] && (may_be_apart(&arrow->types[i]) || is_dictionary(&arrow->types[i])))
            KAN_TRY(look_at_column(arrow, i, &found[i]));
    return KAN_OK;
}
