/* Values that are one to kanon and two to whoever sees the array: a null and "", 0 and -0, a null and
 * what is no number, dates in milliseconds that are the same day.
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
} looking;

/* Whole numbers and truth values have a text each, and none is "". */
static bool may_be_apart(const kan_arrow_type *type) {
    const kan_scalar_form form = type->scalar.form;
    return type->layout != KAN_ARROW_OTHER && type->layout != KAN_ARROW_EMPTY &&
           (kan_arrow_is_text(type) || (form != KAN_SCALAR_SIGNED && form != KAN_SCALAR_UNSIGNED &&
                                        form != KAN_SCALAR_BOOLEAN));
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

/* A null of a dictionary is a null as one of the rows is. */
static kan_status look_at_batch(looking *l, size_t batch) {
    enum { ROWS_BETWEEN_CHECKS = 1 << 16 };
    const kan_arrow_values rows = kan_arrow_column(l->arrow, batch, l->column);
    const unsigned index_size = rows.type->index_size;
    kan_arrow_values values = rows;
    if (index_size > 0)
        values = kan_arrow_dictionary(&rows);
    const uint64_t limit = index_size > 0 ? kan_arrow_index_limit(rows.type, values.n) : 0;
    for (size_t i = 0; i < rows.n && !l->is_found; i++) {
        bool is_missing = kan_arrow_is_missing(&rows, i);
        size_t at = i;
        if (i % ROWS_BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(l->arrow->run));
        if (index_size > 0 && !is_missing) {
            const uint64_t index = kan_arrow_word(&rows, i, index_size);
            if (index >= limit)
                return kan_arrow_broken(l->arrow, "an index is none of its dictionary's values");
            at = (size_t)index;
            is_missing = kan_arrow_is_missing(&values, at);
        }
        KAN_TRY(look_at(l, &values, at, is_missing));
    }
    return KAN_OK;
}

static kan_status look_at_column(const kan_arrow *arrow, size_t column, bool *is_found) {
    looking l = {.arrow = arrow, .column = column};
    kan_status status = KAN_OK;
    KAN_TRY(kan_encoder_init(&l.texts, arrow->run));
    for (size_t i = 0; i < arrow->n_batches && status == KAN_OK && !l.is_found; i++)
        status = look_at_batch(&l, i);
    kan_free(arrow->run, l.firsts);
    kan_encoder_destroy(&l.texts);
    *is_found = l.is_found;
    return status;
}

kan_status kan_arrow_find_apart(void *state, const bool *columns, bool *found) {
    const kan_arrow *const arrow = state;
    for (size_t i = 0; i < arrow->n_columns; i++)
        if (columns[i] && may_be_apart(&arrow->types[i]))
            KAN_TRY(look_at_column(arrow, i, &found[i]));
    return KAN_OK;
}
