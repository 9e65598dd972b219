/* Columns of dictionaries into codes, without a text per row.
 *
 * Two walks over the indices: the first marks which values of each dictionary any row has, the second
 * writes codes. Between them each value that is had gets its code, once. Batches that share a
 * dictionary share the work. Memory beside the codes: 5 bytes per value of a dictionary. */
#include "core/pool.h"
#include "core/spill.h"
#include "data/encoder.h"
#include "io/arrow/arrow_inside.h"

/* A dictionary that one or more batches have. */
typedef struct {
    kan_arrow_values values;
    const struct ArrowArray *array;
    uint8_t *is_had;   /* by value: some row has it */
    uint32_t *code_of; /* by value, where it is had */
} known_dictionary;

typedef struct {
    const kan_arrow *arrow;
    size_t column;
    const kan_arrow_unit *units;
    known_dictionary *known;
    size_t n_known, capacity;
    size_t *known_of; /* by batch */
    uint8_t has_missing;
    uint32_t missing; /* its code */
    kan_encoder encoder;
    kan_column *out;
} reading;

/* ---- dictionaries --------------------------------------------------------------------------- */

bool kan_arrow_is_same(const struct ArrowArray *a, const struct ArrowArray *b) {
    if (a == b)
        return true;
    if (a->length != b->length || a->offset != b->offset || a->n_buffers != b->n_buffers)
        return false;
    for (int64_t i = 0; i < a->n_buffers; i++)
        if (a->buffers[i] != b->buffers[i])
            return false;
    return true;
}

static kan_status add_dictionary(reading *r, const kan_arrow_values *values) {
    kan_run *run = r->arrow->run;
    KAN_TRY(kan_reserve(run, r->n_known + 1, sizeof *r->known, &r->capacity, &r->known));
    known_dictionary *known = &r->known[r->n_known];
    *known =
        (known_dictionary){.values = kan_arrow_dictionary(values), .array = values->dictionary};
    r->n_known++;
    KAN_TRY(kan_alloc_zero(run, known->values.n, 1, &known->is_had));
    return kan_alloc_zero(run, known->values.n, sizeof *known->code_of, &known->code_of);
}

/* A producer that gives each batch a dictionary of its own gives it at most once more: so the one
 * before is all that is compared. */
static kan_status find_dictionaries(reading *r) {
    KAN_TRY(kan_alloc(r->arrow->run, r->arrow->n_batches, sizeof *r->known_of, &r->known_of));
    for (size_t i = 0; i < r->arrow->n_batches; i++) {
        const kan_arrow_values values = kan_arrow_column(r->arrow, i, r->column);
        if (r->n_known == 0 ||
            !kan_arrow_is_same(r->known[r->n_known - 1].array, values.dictionary))
            KAN_TRY(add_dictionary(r, &values));
        r->known_of[i] = r->n_known - 1;
    }
    return KAN_OK;
}

/* ---- what is had ---------------------------------------------------------------------------- */

/* A store that any thread may do at the same time; all store the same. */
static inline void mark(uint8_t *is_had) {
    __atomic_store_n(is_had, 1, __ATOMIC_RELAXED);
}

/* Whether all indices are those of values. */
static inline __attribute__((always_inline)) bool mark_had(const kan_arrow_values *values,
                                                           uint8_t *is_had, uint64_t n_values,
                                                           unsigned size, bool has_nulls,
                                                           uint8_t *has_missing) {
    for (size_t i = 0; i < values->n; i++) {
        if (has_nulls && kan_arrow_is_missing(values, i)) {
            mark(has_missing);
            continue;
        }
        const uint64_t index = kan_arrow_word(values, i, size);
        if (index >= n_values)
            return false;
        mark(&is_had[index]);
    }
    return true;
}

static kan_arrow_values unit_values(const reading *r, const kan_arrow_unit *unit) {
    kan_arrow_values values = kan_arrow_column(r->arrow, unit->batch, r->column);
    values.first += unit->first;
    values.n = unit->n;
    return values;
}

#define BY_SIZE(size, call, nulls)                                                                 \
    ((size) == 1   ? call(1, nulls)                                                                \
     : (size) == 2 ? call(2, nulls)                                                                \
     : (size) == 4 ? call(4, nulls)                                                                \
                   : call(8, nulls))

static kan_status mark_task(void *context, size_t task, unsigned worker) {
    reading *r = context;
    const kan_arrow_unit *unit = &r->units[task];
    const kan_arrow_values values = unit_values(r, unit);
    const known_dictionary *known = &r->known[r->known_of[unit->batch]];
    const uint64_t limit = kan_arrow_index_limit(values.type, known->values.n);
    uint8_t has_missing = 0;
    (void)worker;
#define MARK(size, nulls) mark_had(&values, known->is_had, limit, size, nulls, &has_missing)
    const bool is_sound = values.validity ? BY_SIZE(values.type->index_size, MARK, true)
                                          : BY_SIZE(values.type->index_size, MARK, false);
    if (has_missing)
        mark(&r->has_missing);
    return is_sound ? KAN_OK : kan_arrow_broken(r->arrow, "an index is outside its dictionary");
}

/* ---- codes ---------------------------------------------------------------------------------- */

/* Numbers for the values that are had, in the order of the dictionaries. */
static kan_status number_values(reading *r) {
    char room[KAN_SCALAR_ROOM];
    kan_slice text;
    for (size_t d = 0; d < r->n_known; d++) {
        known_dictionary *known = &r->known[d];
        for (size_t i = 0; i < known->values.n; i++) {
            if (!known->is_had[i])
                continue;
            KAN_TRY(kan_arrow_show(r->arrow, &known->values, i, room, &text));
            KAN_TRY(kan_encoder_add(&r->encoder, text, &known->code_of[i]));
        }
    }
    return r->has_missing ? kan_encoder_add(&r->encoder, (kan_slice){"", 0}, &r->missing) : KAN_OK;
}

static kan_status make_dictionary(reading *r) {
    uint32_t *map;
    KAN_TRY(number_values(r));
    KAN_TRY(kan_dictionary_build(r->arrow->run, &r->encoder, 1, 1, &map, &r->out->dictionary));
    for (size_t d = 0; d < r->n_known; d++)
        for (size_t i = 0; i < r->known[d].values.n; i++)
            if (r->known[d].is_had[i])
                r->known[d].code_of[i] = map[r->known[d].code_of[i]];
    if (r->has_missing)
        r->missing = map[r->missing];
    kan_free(r->arrow->run, map);
    return KAN_OK;
}

static inline __attribute__((always_inline)) void put_code(void *out, size_t i, uint32_t code,
                                                           unsigned width) {
    if (width == 1)
        ((uint8_t *)out)[i] = (uint8_t)code;
    else if (width == 2)
        ((uint16_t *)out)[i] = (uint16_t)code;
    else
        ((uint32_t *)out)[i] = code;
}

/* Somebody may change the rows meanwhile: then codes are wrong, but codes. */
static inline __attribute__((always_inline)) void
map_codes(const kan_arrow_values *values, const known_dictionary *known, uint32_t missing,
          unsigned size, bool has_nulls, unsigned width, void *out) {
    const uint32_t *code_of = known->code_of;
    const uint64_t n_values = known->values.n;
    for (size_t i = 0; i < values->n; i++) {
        const uint64_t index = kan_arrow_word(values, i, size);
        const bool is_missing = has_nulls && kan_arrow_is_missing(values, i);
        put_code(out, i, is_missing || index >= n_values ? missing : code_of[index], width);
    }
}

static kan_status map_task(void *context, size_t task, unsigned worker) {
    const reading *r = context;
    const kan_arrow_unit *unit = &r->units[task];
    const kan_arrow_values values = unit_values(r, unit);
    const known_dictionary *known = &r->known[r->known_of[unit->batch]];
    const unsigned width = r->out->width, size = values.type->index_size;
    char *out = (char *)r->out->codes + unit->row * width;
    (void)worker;
#define MAP1(size_, nulls) (map_codes(&values, known, r->missing, size_, nulls, 1, out), true)
#define MAP2(size_, nulls) (map_codes(&values, known, r->missing, size_, nulls, 2, out), true)
#define MAP4(size_, nulls) (map_codes(&values, known, r->missing, size_, nulls, 4, out), true)
    (void)(width == 1   ? values.validity ? BY_SIZE(size, MAP1, true) : BY_SIZE(size, MAP1, false)
             : width == 2 ? values.validity ? BY_SIZE(size, MAP2, true) : BY_SIZE(size, MAP2, false)
           : values.validity ? BY_SIZE(size, MAP4, true)
                             : BY_SIZE(size, MAP4, false));
    kan_column_done(r->arrow->run, r->out, unit->row, unit->n);
    return KAN_OK;
}

/* ---- the column ----------------------------------------------------------------------------- */

static kan_status read_codes(reading *r, size_t n_units) {
    kan_run *run = r->arrow->run;
    KAN_TRY(find_dictionaries(r));
    KAN_TRY(kan_parallel(run, n_units, mark_task, r));
    KAN_TRY(make_dictionary(r));
    r->out->width = kan_code_width(r->out->dictionary.n);
    KAN_TRY(kan_spill_alloc(run, r->arrow->n_rows, r->out->width, &r->out->codes));
    r->out->n_rows = r->arrow->n_rows;
    r->out->is_encoded = true;
    return kan_parallel(run, n_units, map_task, r);
}

kan_status kan_arrow_read_indices(const kan_arrow *arrow, size_t column,
                                  const kan_arrow_unit *units, size_t n_units, kan_column *out) {
    kan_run *run = arrow->run;
    reading r = {.arrow = arrow, .column = column, .units = units, .out = out};
    KAN_TRY(kan_encoder_init(&r.encoder, run));
    const kan_status status = read_codes(&r, n_units);
    for (size_t i = 0; i < r.n_known; i++) {
        kan_free(run, r.known[i].is_had);
        kan_free(run, r.known[i].code_of);
    }
    kan_free(run, r.known);
    kan_free(run, r.known_of);
    kan_encoder_destroy(&r.encoder);
    return status;
}
