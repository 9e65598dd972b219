/* Columns that pass through: their values as they are, of the rows that are released, in their order.
 *
 * Values are copied, and nothing but these. The buffers themselves are never handed on, not even where
 * all rows stay: nobody says how large a buffer is, and it may hold rows of a larger array, what lies
 * below a null, texts that no row shows, bits behind the last row. Nor would a release stay what it is
 * when its input is changed. */
#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "core/pool.h"
#include "io/arrow/arrow_inside.h"

/* ---- rows ----------------------------------------------------------------------------------- */

/* Where rows of the table are. */
typedef struct {
    const kan_arrow *source;
    size_t column;
    uint64_t *starts; /* by batch, and the number of rows: the first row */
    size_t batch;     /* whose values these are */
    kan_arrow_values values;
} finder;

static kan_status finder_init(const kan_arrow *source, size_t column, finder *out) {
    *out = (finder){.source = source, .column = column};
    KAN_TRY(kan_alloc_zero(source->run, source->n_batches + 1, sizeof *out->starts, &out->starts));
    for (size_t i = 0; i < source->n_batches; i++)
        out->starts[i + 1] = out->starts[i] + (uint64_t)source->batches[i].length;
    out->values = kan_arrow_column(source, 0, column);
    return KAN_OK;
}

/* The place of a row in `values`, which become those of its batch. */
static inline size_t find_row(finder *f, uint64_t row) {
    if (row < f->starts[f->batch] || row >= f->starts[f->batch + 1]) {
        size_t low = 0, high = f->source->n_batches;
        while (high - low > 1) {
            const size_t middle = low + (high - low) / 2;
            if (f->starts[middle] <= row)
                low = middle;
            else
                high = middle;
        }
        f->batch = low;
        f->values = kan_arrow_column(f->source, low, f->column);
    }
    return (size_t)(row - f->starts[f->batch]);
}

static kan_status each_row(finder *f, const kan_release *release, kan_arrow_value_fn fn,
                           void *context) {
    enum { ROWS_BETWEEN_CHECKS = 1 << 16 };
    size_t at = 0;
    for (uint64_t i = 0; i < release->n_rows; i++) {
        const uint64_t row = release->order ? release->order[i] : i;
        if (i % ROWS_BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(f->source->run));
        if (release->is_suppressed && release->is_suppressed[row])
            continue;
        const size_t place = find_row(f, row);
        KAN_TRY(fn(context, &f->values, f->batch, place, at++));
    }
    KAN_ASSERT(at == release->n_released);
    return KAN_OK;
}

kan_status kan_arrow_each_released(const kan_arrow *source, size_t column,
                                   const kan_release *release, kan_arrow_value_fn fn,
                                   void *context) {
    finder f;
    KAN_TRY(finder_init(source, column, &f));
    const kan_status status = each_row(&f, release, fn, context);
    kan_free(source->run, f.starts);
    return status;
}

/* ---- copies --------------------------------------------------------------------------------- */

typedef struct {
    const kan_arrow *source;
    struct ArrowArray *array;
    uint8_t *validity;
    char *data;       /* words, bits, or the bytes of texts */
    int64_t *ends;    /* of texts: where each ends */
    size_t n_bytes;   /* of texts so far */
    char *long_texts; /* of views */
    size_t room;      /* there */
    size_t n_nulls;
    size_t column;
    const kan_release *release;
} copying;

static kan_status each_value(copying *c, kan_arrow_value_fn fn) {
    return kan_arrow_each_released(c->source, c->column, c->release, fn, c);
}

static const kan_arrow_type *type_of(const copying *c) {
    return &c->source->types[c->column];
}

static bool mark_null(copying *c, const kan_arrow_values *values, size_t i, size_t at) {
    if (!kan_arrow_is_missing(values, i))
        return false;
    c->validity[at / 8] &= (uint8_t) ~(1u << at % 8);
    c->n_nulls++;
    return true;
}

static kan_status copy_word(void *context, const kan_arrow_values *values, size_t batch, size_t i,
                            size_t at) {
    (void)batch;
    copying *c = context;
    const size_t size = values->type->scalar.size;
    if (!mark_null(c, values, i, at))
        memcpy(c->data + at * size, values->data + (values->first + i) * size, size);
    return KAN_OK;
}

static kan_status copy_bit(void *context, const kan_arrow_values *values, size_t batch, size_t i,
                           size_t at) {
    (void)batch;
    copying *c = context;
    if (!mark_null(c, values, i, at) && kan_arrow_bit(values, i))
        c->data[at / 8] = (char)(c->data[at / 8] | 1 << at % 8);
    return KAN_OK;
}

static kan_status find_text(const copying *c, const kan_arrow_values *values, size_t i,
                            kan_slice *out) {
    return kan_arrow_text(values, i, out)
               ? KAN_OK
               : kan_arrow_broken(c->source, "a text lies outside its buffer");
}

static kan_status measure_text(void *context, const kan_arrow_values *values, size_t batch,
                               size_t i, size_t at) {
    (void)batch;
    copying *c = context;
    kan_slice text = {"", 0};
    if (!mark_null(c, values, i, at))
        KAN_TRY(find_text(c, values, i, &text));
    c->n_bytes += text.size;
    c->ends[at + 1] = (int64_t)c->n_bytes;
    return KAN_OK;
}

static kan_status copy_text(void *context, const kan_arrow_values *values, size_t batch, size_t i,
                            size_t at) {
    (void)batch;
    copying *c = context;
    kan_slice text;
    const size_t size = (size_t)(c->ends[at + 1] - c->ends[at]);
    if (kan_arrow_is_missing(values, i) || size == 0)
        return KAN_OK;
    KAN_TRY(find_text(c, values, i, &text));
    if (text.size != size)
        return kan_arrow_broken(c->source, "a text was changed while it was read");
    memcpy(c->data + c->ends[at], text.bytes, size);
    return KAN_OK;
}

static void *buffer(const struct ArrowArray *array, size_t i) {
    return (void *)(uintptr_t)array->buffers[i];
}

static void narrow_ends(const int64_t *ends, size_t n, int32_t *out) {
    for (size_t i = 0; i <= n; i++)
        out[i] = (int32_t)ends[i];
}

static kan_status take_texts(copying *c, const char **format) {
    kan_run *run = c->source->run;
    const size_t n = c->release->n_released;
    KAN_TRY(kan_arrow_buffer(run, (n + 1) * sizeof *c->ends, &c->array->buffers[1]));
    c->ends = buffer(c->array, 1);
    KAN_TRY(each_value(c, measure_text));
    KAN_TRY(kan_arrow_buffer(run, c->n_bytes, &c->array->buffers[2]));
    c->data = buffer(c->array, 2);
    KAN_TRY(each_value(c, copy_text));
    *format = "U";
    if (type_of(c)->layout != KAN_ARROW_TEXT32 || c->n_bytes > INT32_MAX)
        return KAN_OK;
    int32_t *narrow = NULL;
    KAN_TRY(kan_arrow_buffer(run, (n + 1) * sizeof *narrow, &narrow));
    narrow_ends(c->ends, n, narrow);
    kan_arrow_buffer_free(c->ends);
    c->array->buffers[1] = narrow;
    *format = "u";
    return KAN_OK;
}

/* ---- views ---------------------------------------------------------------------------------- */

enum { VIEW_SIZE = 16, MOST_IN_VIEW = 12 };

static kan_status measure_view(void *context, const kan_arrow_values *values, size_t batch,
                               size_t i, size_t at) {
    (void)batch;
    copying *c = context;
    kan_slice text;
    (void)at;
    if (kan_arrow_is_missing(values, i))
        return KAN_OK;
    KAN_TRY(find_text(c, values, i, &text));
    c->n_bytes += text.size > MOST_IN_VIEW ? text.size : 0;
    return KAN_OK;
}

/* Long texts stand behind each other in one buffer. */
static kan_status copy_view(void *context, const kan_arrow_values *values, size_t batch, size_t i,
                            size_t at) {
    (void)batch;
    copying *c = context;
    char *view = c->data + at * VIEW_SIZE;
    kan_slice text;
    if (mark_null(c, values, i, at))
        return KAN_OK;
    KAN_TRY(find_text(c, values, i, &text));
    const int32_t size = (int32_t)text.size, place = (int32_t)c->n_bytes;
    memcpy(view, &size, 4);
    memcpy(view + 4, text.bytes, text.size > MOST_IN_VIEW ? 4 : text.size);
    if (text.size <= MOST_IN_VIEW)
        return KAN_OK;
    if (c->n_bytes + text.size > c->room)
        return kan_arrow_broken(c->source, "a text was changed while it was read");
    memcpy(view + 12, &place, 4);
    memcpy(c->long_texts + place, text.bytes, text.size);
    c->n_bytes += text.size;
    return KAN_OK;
}

/* Words of 16 bytes, a buffer of long texts, and its size. */
static kan_status take_views(copying *c) {
    kan_run *run = c->source->run;
    int64_t *sizes = NULL;
    c->room = c->n_bytes;
    KAN_TRY(kan_arrow_buffer(run, c->release->n_released * VIEW_SIZE, &c->array->buffers[1]));
    KAN_TRY(kan_arrow_buffer(run, c->room, &c->array->buffers[2]));
    KAN_TRY(kan_arrow_buffer(run, sizeof *sizes, &sizes));
    c->array->buffers[3] = sizes;
    *sizes = (int64_t)c->room;
    c->data = buffer(c->array, 1);
    c->long_texts = buffer(c->array, 2);
    c->n_bytes = 0;
    return each_value(c, copy_view);
}

/* ---- all of them ---------------------------------------------------------------------------- */

static kan_status take_words(copying *c) {
    const kan_arrow_type *type = type_of(c);
    const size_t n = c->release->n_released;
    const bool is_bit = type->layout == KAN_ARROW_BITS;
    KAN_TRY(kan_arrow_buffer(c->source->run, is_bit ? (n + 7) / 8 : n * type->scalar.size,
                             &c->array->buffers[1]));
    c->data = buffer(c->array, 1);
    return each_value(c, is_bit ? copy_bit : copy_word);
}

static kan_status take_values(copying *c, const char **format) {
    kan_run *run = c->source->run;
    const kan_arrow_type *type = type_of(c);
    const size_t n = c->release->n_released;
    bool is_view = type->layout == KAN_ARROW_VIEWS;
    if (is_view) {
        KAN_TRY(each_value(c, measure_view));
        is_view = c->n_bytes <= INT32_MAX; /* else plain text */
    }
    const bool is_text = kan_arrow_is_text(type) && !is_view;
    c->n_bytes = is_view ? c->n_bytes : 0;
    KAN_TRY(kan_arrow_make_array(run, is_view ? 4 : is_text ? 3 : 2, 0, c->array));
    c->array->length = (int64_t)n;
    KAN_TRY(kan_arrow_buffer(run, (n + 7) / 8, &c->array->buffers[0]));
    c->validity = buffer(c->array, 0);
    memset(c->validity, 0xff, (n + 7) / 8);
    KAN_TRY(is_view ? take_views(c) : is_text ? take_texts(c, format) : take_words(c));
    c->array->null_count = (int64_t)c->n_nulls;
    if (c->n_nulls == 0) {
        kan_arrow_buffer_free(c->validity);
        c->array->buffers[0] = NULL;
    }
    return KAN_OK;
}

kan_status kan_arrow_take(const kan_arrow *source, size_t column, const kan_release *release,
                          struct ArrowArray *out, const char **format) {
    copying c = {.source = source, .array = out, .column = column, .release = release};
    *format = source->types[column].format;
    if (source->types[column].layout == KAN_ARROW_EMPTY) {
        KAN_TRY(kan_arrow_make_array(source->run, 0, 0, out));
        out->length = out->null_count = (int64_t)release->n_released;
        return KAN_OK;
    }
    return take_values(&c, format);
}

/* ---- hashes --------------------------------------------------------------------------------- */

typedef struct {
    const kan_arrow *arrow;
    const kan_arrow_unit *units;
    const size_t *columns;
    size_t n_columns;
    uint64_t *const *out;
} hashing;

/* By its text, so that it is what it would be in a file: a missing value is "". */
static kan_status hash_value(const kan_arrow *arrow, const kan_arrow_values *values, size_t i,
                             uint64_t *out) {
    char room[KAN_SCALAR_ROOM];
    kan_slice text;
    KAN_TRY(kan_arrow_show(arrow, values, i, room, &text));
    *out = kan_hash_bytes(text.bytes, text.size);
    return KAN_OK;
}

/* Whether a text is one of these alone, so that the bytes tell values apart as the text does. */
static bool is_number(const kan_arrow_type *type) {
    switch (type->scalar.form) {
    case KAN_SCALAR_SIGNED:
    case KAN_SCALAR_UNSIGNED:
    case KAN_SCALAR_FLOAT:
    case KAN_SCALAR_DOUBLE:
        return type->layout == KAN_ARROW_WORDS && type->index_size == 0 &&
               type->scalar.size <= sizeof(uint64_t);
    default:
        return false;
    }
}

/* The same as hash_value, of numbers, for which making texts is most of the work: -0 is 0, and what is no
 * number is missing, as their texts have it. */
static void hash_numbers(const kan_arrow_values *rows, size_t n, uint64_t *out) {
    const uint64_t missing = kan_hash_bytes("", 0);
    const size_t size = rows->type->scalar.size;
    const bool is_float = rows->type->scalar.form == KAN_SCALAR_FLOAT;
    const bool is_double = rows->type->scalar.form == KAN_SCALAR_DOUBLE;
    for (size_t i = 0; i < n; i++) {
        union {
            char bytes[sizeof(uint64_t)];
            float single;
            double real;
        } word = {{0}};
        out[i] = missing;
        if (kan_arrow_is_missing(rows, i))
            continue;
        memcpy(word.bytes, rows->data + (rows->first + i) * size, size);
        const double real = is_float ? (double)word.single : is_double ? word.real : 1;
        if (real == 0)
            memset(word.bytes, 0, sizeof word.bytes);
        if (!isnan(real))
            out[i] = kan_hash_bytes(word.bytes, sizeof word.bytes);
    }
}

/* The hash of each value of a dictionary, made when the first row has it; is_known is NULL where rows are
 * too few for that. */
typedef struct {
    kan_arrow_values values;
    uint64_t *hash_of;
    bool *is_known;
} hashed_dictionary;

static kan_status hash_indices(const kan_arrow *arrow, const kan_arrow_values *rows, size_t n,
                               hashed_dictionary *d, uint64_t *out) {
    const uint64_t limit = kan_arrow_index_limit(rows->type, d->values.n);
    const uint64_t missing = kan_hash_bytes("", 0);
    for (size_t i = 0; i < n; i++) {
        out[i] = missing;
        if (kan_arrow_is_missing(rows, i))
            continue;
        const uint64_t index = kan_arrow_index(rows, i);
        if (index >= limit)
            return kan_arrow_broken(arrow, "an index is outside its dictionary");
        if (!d->is_known) {
            KAN_TRY(hash_value(arrow, &d->values, (size_t)index, &out[i]));
            continue;
        }
        if (!d->is_known[index]) {
            KAN_TRY(hash_value(arrow, &d->values, (size_t)index, &d->hash_of[index]));
            d->is_known[index] = true;
        }
        out[i] = d->hash_of[index];
    }
    return KAN_OK;
}

static kan_status hash_dictionary(const kan_arrow *arrow, const kan_arrow_values *rows, size_t n,
                                  uint64_t *out) {
    hashed_dictionary d = {.values = kan_arrow_dictionary(rows)};
    kan_status status;
    if (d.values.n > n) /* most would be made for nobody */
        return hash_indices(arrow, rows, n, &d, out);
    KAN_TRY_DONE(kan_alloc(arrow->run, d.values.n, sizeof *d.hash_of, &d.hash_of));
    KAN_TRY_DONE(kan_alloc_zero(arrow->run, d.values.n, sizeof *d.is_known, &d.is_known));
    status = hash_indices(arrow, rows, n, &d, out);
done:
    kan_free(arrow->run, d.hash_of);
    kan_free(arrow->run, d.is_known);
    return status;
}

static kan_status hash_task(void *context, size_t task, unsigned worker) {
    const hashing *h = context;
    const kan_arrow_unit *unit = &h->units[task];
    (void)worker;
    for (size_t c = 0; c < h->n_columns; c++) {
        kan_arrow_values rows = kan_arrow_column(h->arrow, unit->batch, h->columns[c]);
        uint64_t *out = h->out[c] + unit->row;
        rows.first += unit->first;
        if (is_number(rows.type)) {
            hash_numbers(&rows, unit->n, out);
            continue;
        }
        if (rows.type->index_size > 0)
            KAN_TRY(hash_dictionary(h->arrow, &rows, unit->n, out));
        for (size_t i = 0; i < unit->n && rows.type->index_size == 0; i++)
            KAN_TRY(hash_value(h->arrow, &rows, i, &out[i]));
    }
    return KAN_OK;
}

kan_status kan_arrow_hash(const kan_arrow *arrow, const size_t *columns, size_t n_columns,
                          uint64_t *const *out) {
    kan_arrow_unit *units;
    size_t n_units;
    char quoted[256];
    for (size_t c = 0; c < n_columns; c++)
        if (arrow->types[columns[c]].layout == KAN_ARROW_OTHER)
            return kan_fail(arrow->run, KAN_BAD_INPUT,
                            "%s: values of column %s cannot be told apart, its type is %s; drop "
                            "it, or convert it to text",
                            arrow->name, kan_quote(kan_slice_of(arrow->names[columns[c]]), quoted),
                            arrow->types[columns[c]].name);
    KAN_TRY(kan_arrow_units(arrow, &units, &n_units));
    hashing h = {arrow, units, columns, n_columns, out};
    const kan_status status = kan_parallel(arrow->run, n_units, hash_task, &h);
    kan_free(arrow->run, units);
    return status;
}
