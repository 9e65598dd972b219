/* Columns into codes, one column after the other, so that what is needed in between is that of one.
 *
 * Rows of a batch are cut into units, and threads take units. A value of up to 8 bytes is a word: its
 * text is made the first time that it is met, and a small cache before the table of words
 * (io/gather.h) finds most of them. Text goes to the encoder as it lies there. Columns of indices
 * have a way of their own, without anything in between: arrow_indices.c. */
#include "core/pool.h"
#include "io/arrow/arrow_inside.h"
#include "io/gather.h"

enum { UNIT_ROWS = 1 << 16, CACHE_BITS = 8, CACHE = 1 << CACHE_BITS };

kan_status kan_arrow_units(const kan_arrow *arrow, kan_arrow_unit **out, size_t *n) {
    size_t n_units = 0;
    uint64_t row = 0;
    for (size_t i = 0; i < arrow->n_batches; i++)
        n_units += ((size_t)arrow->batches[i].length + UNIT_ROWS - 1) / UNIT_ROWS;
    KAN_TRY(kan_alloc(arrow->run, n_units, sizeof **out, out));
    *n = 0;
    for (size_t i = 0; i < arrow->n_batches; i++) {
        const size_t n_rows = (size_t)arrow->batches[i].length;
        for (size_t first = 0; first < n_rows; first += UNIT_ROWS) {
            const size_t left = n_rows - first, taken = left < UNIT_ROWS ? left : UNIT_ROWS;
            (*out)[(*n)++] = (kan_arrow_unit){i, first, taken, row};
            row += taken;
        }
    }
    return KAN_OK;
}

/* ---- values --------------------------------------------------------------------------------- */

typedef struct {
    uint64_t word;
    uint32_t code; /* KAN_CODE_LIMIT: nothing is here */
} cached;

typedef struct {
    const kan_arrow *arrow;
    size_t column;
    kan_gather *gather;
    const kan_arrow_unit *units;
    uint32_t **codes; /* by worker: room for a unit */
} reading;

/* A unit in the hands of a thread. */
typedef struct {
    const reading *r;
    unsigned worker;
    kan_encoder *encoder;
    uint32_t missing; /* the code of ""; KAN_CODE_LIMIT: none was missing yet */
    kan_arrow_values values;
    uint32_t *out;
} unit_work;

/* The code of "" is asked for when the first one is missing: a dictionary has no value that no row
 * has. */
static kan_status encode_missing(unit_work *work, uint32_t *out) {
    if (work->missing == KAN_CODE_LIMIT)
        KAN_TRY(kan_encoder_add(work->encoder, (kan_slice){"", 0}, &work->missing));
    *out = work->missing;
    return KAN_OK;
}

static kan_status add_word(const unit_work *work, uint64_t word, uint32_t *out) {
    char room[KAN_SCALAR_ROOM];
    kan_gather *gather = work->r->gather;
    *out = kan_gather_find_word(gather, work->worker, 0, word);
    if (*out != KAN_CODE_LIMIT)
        return KAN_OK;
    const kan_slice text = {room, kan_scalar_text(&work->values.type->scalar, &word, room)};
    return kan_gather_add_word(gather, work->worker, 0, word, text, out);
}

static inline __attribute__((always_inline)) kan_status encode_words(unit_work *work,
                                                                     unsigned size) {
    cached cache[CACHE];
    const kan_arrow_values *values = &work->values;
    for (size_t i = 0; i < CACHE; i++)
        cache[i] = (cached){.code = KAN_CODE_LIMIT};
    for (size_t i = 0; i < values->n; i++) {
        if (kan_arrow_is_missing(values, i)) {
            KAN_TRY(encode_missing(work, &work->out[i]));
            continue;
        }
        const uint64_t word =
            size == 0 ? kan_arrow_bit(values, i) : kan_arrow_word(values, i, size);
        cached *slot = &cache[word * 0x9e3779b97f4a7c15u >> (64 - CACHE_BITS)];
        if (slot->word != word || slot->code == KAN_CODE_LIMIT) {
            KAN_TRY(add_word(work, word, &slot->code));
            slot->word = word;
        }
        work->out[i] = slot->code;
    }
    return KAN_OK;
}

/* Whatever has a text: what is no word, and no text that lies there. */
static kan_status encode_shown(unit_work *work) {
    char room[KAN_SCALAR_ROOM];
    kan_slice text;
    for (size_t i = 0; i < work->values.n; i++) {
        KAN_TRY(kan_arrow_show(work->r->arrow, &work->values, i, room, &text));
        KAN_TRY(kan_encoder_add(work->encoder, text, &work->out[i]));
    }
    return KAN_OK;
}

/* Where the bytes of texts end that are surely there. */
static const char *end_of_bytes(const kan_arrow_values *values) {
    kan_slice last;
    if (values->type->layout == KAN_ARROW_VIEWS || values->n == 0 ||
        !kan_arrow_text(values, values->n - 1, &last) || last.size == 0)
        return NULL;
    return last.bytes + last.size;
}

static kan_status encode_texts(unit_work *work) {
    const kan_arrow_values *values = &work->values;
    const char *end = end_of_bytes(values);
    for (size_t i = 0; i < values->n; i++) {
        kan_slice text;
        if (kan_arrow_is_missing(values, i)) {
            KAN_TRY(encode_missing(work, &work->out[i]));
            continue;
        }
        if (!kan_arrow_text(values, i, &text))
            return kan_arrow_broken(work->r->arrow, "a text lies outside its buffer");
        /* The quick way looks at eight bytes from the start on. */
        work->out[i] = end && text.size > 0 && text.bytes + 8 <= end && text.size < KAN_CODE_LIMIT
                           ? kan_encoder_find(work->encoder, text.bytes, text.size)
                           : KAN_CODE_LIMIT;
        if (work->out[i] == KAN_CODE_LIMIT)
            KAN_TRY(kan_encoder_add(work->encoder, text, &work->out[i]));
    }
    return KAN_OK;
}

static kan_status encode_unit(unit_work *work) {
    const kan_arrow_type *type = work->values.type;
    if (kan_arrow_is_text(type))
        return encode_texts(work);
    if (type->layout == KAN_ARROW_BITS)
        return encode_words(work, 0);
    switch (type->layout == KAN_ARROW_WORDS ? type->scalar.size : 0) {
    case 1:
        return encode_words(work, 1);
    case 2:
        return encode_words(work, 2);
    case 4:
        return encode_words(work, 4);
    case 8:
        return encode_words(work, 8);
    default:
        return encode_shown(work);
    }
}

static kan_status read_task(void *context, size_t task, unsigned worker) {
    const reading *r = context;
    const kan_arrow_unit *unit = &r->units[task];
    unit_work work = {.r = r,
                      .worker = worker,
                      .encoder = kan_gather_encoder(r->gather, worker, 0),
                      .missing = KAN_CODE_LIMIT,
                      .values = kan_arrow_column(r->arrow, unit->batch, r->column),
                      .out = r->codes[worker]};
    work.values.first += unit->first;
    work.values.n = unit->n;
    KAN_TRY(encode_unit(&work));
    return kan_gather_block(r->gather, task, worker, unit->n, &r->codes[worker]);
}

/* ---- columns -------------------------------------------------------------------------------- */

/* A column of its own table, which it leaves. */
static void move_column(kan_table *from, kan_column *out) {
    const char *name = out->name;
    *out = from->columns[0];
    out->name = name;
    from->columns[0].codes = NULL;
    from->columns[0].dictionary = (kan_dictionary){0};
    kan_table_destroy(from);
}

static kan_status read_column(const kan_arrow *arrow, size_t column, const kan_arrow_unit *units,
                              size_t n_units, kan_column *out) {
    static const bool encode = true;
    kan_run *run = arrow->run;
    const unsigned n_workers = kan_run_threads(run);
    const kan_gather_plan plan = {.name = arrow->name,
                                  .n_columns = 1,
                                  .columns = &arrow->names[column],
                                  .encode = &encode,
                                  .n_workers = n_workers,
                                  .n_blocks = n_units};
    reading r = {.arrow = arrow, .column = column, .units = units};
    kan_table *table;
    kan_status status;
    KAN_TRY(kan_gather_begin(run, &plan, &r.gather));
    KAN_TRY_DONE(kan_alloc_zero(run, n_workers, sizeof *r.codes, &r.codes));
    for (unsigned i = 0; i < n_workers; i++)
        KAN_TRY_DONE(kan_alloc(run, UNIT_ROWS, sizeof **r.codes, &r.codes[i]));
    KAN_TRY_DONE(kan_parallel(run, n_units, read_task, &r));
    KAN_TRY_DONE(kan_gather_finish(r.gather, &table));
    move_column(table, out);
done:
    for (unsigned i = 0; r.codes && i < n_workers; i++)
        kan_free(run, r.codes[i]);
    kan_free(run, r.codes);
    kan_gather_free(r.gather);
    return status;
}

static kan_status check_columns(const kan_arrow *arrow, const bool *encode) {
    char quoted[256];
    kan_problems_begin(arrow->run);
    for (size_t i = 0; i < arrow->n_columns; i++)
        if (encode[i] && arrow->fields[i].is_nested)
            kan_problem_add(arrow->run,
                            "%s: column %s cannot be read, its type is %s; drop it, or turn it "
                            "into columns of plain values",
                            arrow->name, kan_quote(kan_slice_of(arrow->names[i]), quoted),
                            arrow->types[i].name);
    return kan_problems_end(arrow->run);
}

static kan_status read_columns(const kan_arrow *arrow, const bool *encode, kan_table *table) {
    kan_arrow_unit *units;
    size_t n_units;
    kan_status status = KAN_OK;
    KAN_TRY(kan_arrow_units(arrow, &units, &n_units));
    for (size_t i = 0; i < arrow->n_columns && status == KAN_OK; i++) {
        kan_report_progress(arrow->run, "read", i, arrow->n_columns);
        if (encode[i])
            status = arrow->types[i].index_size > 0
                         ? kan_arrow_read_indices(arrow, i, units, n_units, &table->columns[i])
                         : read_column(arrow, i, units, n_units, &table->columns[i]);
    }
    kan_free(arrow->run, units);
    return status;
}

kan_status kan_arrow_read(const kan_arrow *arrow, const bool *encode, kan_table **out) {
    kan_table *table;
    if (arrow->n_rows == 0)
        return kan_fail(arrow->run, KAN_BAD_INPUT,
                        "%s has columns but no rows; a table needs at least one row", arrow->name);
    KAN_TRY(check_columns(arrow, encode));
    KAN_TRY(kan_table_make(arrow->run, arrow->n_columns, arrow->names, &table));
    table->n_rows = arrow->n_rows;
    const kan_status status = read_columns(arrow, encode, table);
    if (status == KAN_OK)
        *out = table;
    else
        kan_table_destroy(table);
    return status;
}
