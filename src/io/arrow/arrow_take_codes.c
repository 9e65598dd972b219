/* Columns of dictionaries that pass through: a code for each released row, and the values that these
 * stand for, each once, by its bytes. So "" and a null stay two, and what a dictionary has twice becomes
 * one: nobody can tell rows apart by their indices. One walk over the released rows; memory 4 bytes for
 * each of them, and for each value of a dictionary. */
#include "io/arrow/arrow_inside.h"

#define NOT_YET (UINT32_MAX - 1)

/* The code of each value of a dictionary that one or more batches have. */
typedef struct {
    const struct ArrowArray *array;
    kan_arrow_values values;
    uint64_t limit; /* of indices */
    uint32_t *code_of;
} known_dictionary;

typedef struct {
    const kan_arrow *source;
    kan_arrow_taken *out;
    known_dictionary *known;
    size_t n_known, capacity;
    size_t *known_of; /* by batch */
} taking;

kan_status kan_arrow_bytes(const kan_arrow *arrow, const kan_arrow_values *values, size_t i,
                           char room[1], kan_slice *out) {
    const kan_arrow_type *type = values->type;
    if (kan_arrow_is_text(type))
        return kan_arrow_text(values, i, out)
                   ? KAN_OK
                   : kan_arrow_broken(arrow, "a text lies outside its buffer");
    if (type->layout == KAN_ARROW_BITS) {
        room[0] = (char)kan_arrow_bit(values, i);
        *out = (kan_slice){room, 1};
    } else {
        const size_t size = type->scalar.size;
        *out = (kan_slice){values->data + (values->first + i) * size, size};
    }
    return KAN_OK;
}

static kan_status add_dictionary(taking *t, const kan_arrow_values *rows) {
    kan_run *run = t->source->run;
    KAN_TRY(kan_reserve(run, t->n_known + 1, sizeof *t->known, &t->capacity, &t->known));
    known_dictionary *known = &t->known[t->n_known];
    *known = (known_dictionary){.array = rows->dictionary, .values = kan_arrow_dictionary(rows)};
    known->limit = kan_arrow_index_limit(rows->type, known->values.n);
    t->n_known++;
    KAN_TRY(kan_alloc(run, known->values.n, sizeof *known->code_of, &known->code_of));
    for (size_t i = 0; i < known->values.n; i++)
        known->code_of[i] = NOT_YET;
    return KAN_OK;
}

static kan_status find_dictionaries(taking *t, size_t column) {
    KAN_TRY(kan_alloc(t->source->run, t->source->n_batches, sizeof *t->known_of, &t->known_of));
    for (size_t i = 0; i < t->source->n_batches; i++) {
        const kan_arrow_values rows = kan_arrow_column(t->source, i, column);
        if (t->n_known == 0 || !kan_arrow_is_same(t->known[t->n_known - 1].array, rows.dictionary))
            KAN_TRY(add_dictionary(t, &rows));
        t->known_of[i] = t->n_known - 1;
    }
    return KAN_OK;
}

static kan_status number_value(const taking *t, const known_dictionary *known, size_t i) {
    char room[1];
    kan_slice bytes;
    if (known->values.type->layout == KAN_ARROW_EMPTY || kan_arrow_is_missing(&known->values, i)) {
        known->code_of[i] = KAN_ARROW_NULL;
        return KAN_OK;
    }
    KAN_TRY(kan_arrow_bytes(t->source, &known->values, i, room, &bytes));
    return kan_encoder_add(&t->out->values, bytes, &known->code_of[i]);
}

static kan_status take_code(void *context, const kan_arrow_values *rows, size_t batch, size_t i,
                            size_t at) {
    const taking *t = context;
    const known_dictionary *known = &t->known[t->known_of[batch]];
    uint32_t *code = &t->out->codes[at];
    *code = KAN_ARROW_NULL;
    if (kan_arrow_is_missing(rows, i))
        return KAN_OK;
    const uint64_t index = kan_arrow_index(rows, i);
    if (index >= known->limit)
        return kan_arrow_broken(t->source, "an index is outside its dictionary");
    if (known->code_of[index] == NOT_YET)
        KAN_TRY(number_value(t, known, (size_t)index));
    *code = known->code_of[index];
    return KAN_OK;
}

static kan_status take_all(taking *t, size_t column, const kan_release *release) {
    kan_run *run = t->source->run;
    KAN_TRY(kan_alloc(run, release->n_released, sizeof *t->out->codes, &t->out->codes));
    KAN_TRY(find_dictionaries(t, column));
    return kan_arrow_each_released(t->source, column, release, take_code, t);
}

kan_status kan_arrow_take_codes(const kan_arrow *source, size_t column, const kan_release *release,
                                kan_arrow_taken *out) {
    taking t = {.source = source, .out = out};
    KAN_TRY(kan_encoder_init(&out->values, source->run));
    out->is_there = true;
    const kan_status status = take_all(&t, column, release);
    for (size_t i = 0; i < t.n_known; i++)
        kan_free(source->run, t.known[i].code_of);
    kan_free(source->run, t.known);
    kan_free(source->run, t.known_of);
    return status;
}

void kan_arrow_taken_destroy(kan_run *run, kan_arrow_taken *taken) {
    if (!taken->is_there)
        return;
    kan_encoder_destroy(&taken->values);
    kan_free(run, taken->codes);
    taken->is_there = false;
}
