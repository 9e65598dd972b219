/* Rows into codes.
 *
 * A value of a fixed size is a word: its text is made the first time that it is met, and a small
 * cache before the table of words (io/gather.h) finds most of them. Texts go to the encoder as they
 * lie in the vector. Rows that follow each other become blocks of 2^16 or a little more. */
#include "io/duckdb/duck_json.h"
#include "io/duckdb/duck_source.h"

#include "core/hash.h"

enum { CACHE_BITS = 8, CACHE = 1 << CACHE_BITS };

typedef struct {
    uint64_t word;
    uint32_t code; /* KAN_CODE_LIMIT: nothing is here */
} cached;

typedef struct kan_duck_column {
    size_t column;
    const kan_duck_type *type;
    kan_encoder *encoder;
    uint32_t missing; /* the code of ""; KAN_CODE_LIMIT: none was missing yet */
    cached cache[CACHE];
} column_work;

/* A vector as it lies there. */
typedef struct {
    const char *data;
    const uint64_t *validity; /* NULL: no value is missing */
    size_t n;
} vector_view;

static bool is_missing(const vector_view *view, size_t i) {
    return view->validity && !(view->validity[i / 64] >> i % 64 & 1);
}

/* The code of "" is asked for when the first one is missing: a dictionary has no value that no row
 * has. */
static kan_status encode_missing(column_work *work, uint32_t *out) {
    if (work->missing == KAN_CODE_LIMIT)
        KAN_TRY(kan_encoder_add(work->encoder, (kan_slice){"", 0}, &work->missing));
    *out = work->missing;
    return KAN_OK;
}

/* ---- values --------------------------------------------------------------------------------- */

static inline uint64_t load(const char *data, size_t i, unsigned size) {
    uint64_t word = 0;
    memcpy(&word, data + i * size, size);
    return word;
}

static kan_status add_word(kan_duck_worker *worker, column_work *work, uint64_t word,
                           uint32_t *out) {
    char room[KAN_DUCK_ROOM];
    *out = kan_gather_find_word(worker->gather, worker->index, work->column, word);
    if (*out != KAN_CODE_LIMIT)
        return KAN_OK;
    const kan_slice text = {room, kan_duck_text(work->type, &word, room)};
    return kan_gather_add_word(worker->gather, worker->index, work->column, word, text, out);
}

static inline __attribute__((always_inline)) kan_status encode_words(kan_duck_worker *worker,
                                                                     column_work *work,
                                                                     const vector_view *view,
                                                                     unsigned size, uint32_t *out) {
    for (size_t i = 0; i < view->n; i++) {
        if (is_missing(view, i)) {
            KAN_TRY(encode_missing(work, &out[i]));
            continue;
        }
        const uint64_t word = load(view->data, i, size);
        cached *slot = &work->cache[word * 0x9e3779b97f4a7c15u >> (64 - CACHE_BITS)];
        if (slot->word != word || slot->code == KAN_CODE_LIMIT) {
            KAN_TRY(add_word(worker, work, word, &slot->code));
            slot->word = word;
        }
        out[i] = slot->code;
    }
    return KAN_OK;
}

/* Decimals of more than 18 digits. */
static kan_status encode_wide(column_work *work, const vector_view *view, uint32_t *out) {
    char room[KAN_DUCK_ROOM];
    for (size_t i = 0; i < view->n; i++) {
        if (is_missing(view, i)) {
            KAN_TRY(encode_missing(work, &out[i]));
            continue;
        }
        const kan_slice text = {room, kan_duck_text(work->type, view->data + i * 16, room)};
        KAN_TRY(kan_encoder_add(work->encoder, text, &out[i]));
    }
    return KAN_OK;
}

/* At a text of a vector eight bytes can be read, however short it is: it lies in its string, 4 of
 * 16 bytes from the beginning, or is longer than that. */
static kan_status encode_texts(column_work *work, const vector_view *view, uint32_t *out) {
    const kan_duck_string *strings = (const kan_duck_string *)(const void *)view->data;
    for (size_t i = 0; i < view->n; i++) {
        if (is_missing(view, i)) {
            KAN_TRY(encode_missing(work, &out[i]));
            continue;
        }
        const kan_slice text = kan_duck_string_slice(&strings[i]);
        out[i] = kan_encoder_find(work->encoder, text.bytes, text.size);
        if (out[i] == KAN_CODE_LIMIT)
            KAN_TRY(kan_encoder_insert(work->encoder, text.bytes, text.size, &out[i]));
    }
    return KAN_OK;
}

static kan_status encode_json(kan_duck_worker *worker, column_work *work, const vector_view *view,
                              uint32_t *out) {
    const kan_duck_source *source = worker->source;
    const kan_duck_string *strings = (const kan_duck_string *)(const void *)view->data;
    char quoted[256];
    for (size_t i = 0; i < view->n; i++) {
        if (is_missing(view, i)) {
            KAN_TRY(encode_missing(work, &out[i]));
            continue;
        }
        const kan_slice json = kan_duck_string_slice(&strings[i]);
        bool is_nested = false;
        KAN_TRY(kan_duck_json_add(work->encoder, json, &out[i], &is_nested));
        if (is_nested)
            return kan_fail(source->run, KAN_BAD_INPUT,
                            "%s: column %s has lists or objects; drop it, or write it as columns "
                            "of plain values",
                            source->name,
                            kan_quote(kan_slice_of(source->names[work->column]), quoted));
    }
    return KAN_OK;
}

static kan_status encode(kan_duck_worker *worker, column_work *work, const vector_view *view,
                         uint32_t *out) {
    if (worker->source->is_json)
        return encode_json(worker, work, view, out);
    if (work->type->form == KAN_DUCK_TEXT || work->type->form == KAN_DUCK_CAST)
        return encode_texts(work, view, out);
    switch (work->type->size) {
    case 1:
        return encode_words(worker, work, view, 1, out);
    case 2:
        return encode_words(worker, work, view, 2, out);
    case 4:
        return encode_words(worker, work, view, 4, out);
    case 8:
        return encode_words(worker, work, view, 8, out);
    default:
        return encode_wide(work, view, out);
    }
}

/* ---- workers -------------------------------------------------------------------------------- */

static void init_column(const kan_duck_worker *worker, size_t column, column_work *work) {
    work->column = column;
    work->missing = KAN_CODE_LIMIT;
    work->type = &worker->source->types[column];
    work->encoder = kan_gather_encoder(worker->gather, worker->index, column);
    for (size_t i = 0; i < CACHE; i++)
        work->cache[i].code = KAN_CODE_LIMIT;
}

kan_status kan_duck_worker_init(kan_duck_worker *worker, const kan_duck_source *source,
                                kan_gather *gather, unsigned index, const bool *encode_column) {
    kan_run *run = source->run;
    const kan_duck *duck = source->duck;
    *worker = (kan_duck_worker){.source = source, .gather = gather, .index = index};
    if (duck->api.connect(duck->database, &worker->connection) != KAN_DUCK_OK)
        return kan_fail(run, KAN_FAILED,
                        "%s: DuckDB takes no further connection; use fewer --threads",
                        source->name);
    worker->most_of_chunk = duck->api.vector_size();
    for (size_t i = 0; i < source->n_columns; i++)
        worker->n_encoded += encode_column[i];
    KAN_TRY(kan_alloc_zero(run, worker->n_encoded, sizeof *worker->columns, &worker->columns));
    KAN_TRY(kan_alloc_zero(run, worker->n_encoded, sizeof *worker->codes, &worker->codes));
    size_t at = 0;
    for (size_t i = 0; i < source->n_columns; i++)
        if (encode_column[i]) {
            init_column(worker, i, &worker->columns[at]);
            KAN_TRY(kan_alloc(run, KAN_DUCK_BLOCK + worker->most_of_chunk, sizeof **worker->codes,
                              &worker->codes[at]));
            at++;
        }
    return KAN_OK;
}

void kan_duck_worker_destroy(kan_duck_worker *worker) {
    if (!worker->source)
        return;
    kan_run *run = worker->source->run;
    if (worker->connection)
        worker->source->duck->api.disconnect(&worker->connection);
    for (size_t i = 0; worker->codes && i < worker->n_encoded; i++)
        kan_free(run, worker->codes[i]);
    kan_free(run, worker->codes);
    kan_free(run, worker->columns);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static kan_status take_chunk(kan_duck_worker *worker, kan_duck_chunk chunk, size_t n) {
    const kan_duck_api *api = &worker->source->duck->api;
    for (size_t i = 0; i < worker->n_encoded; i++) {
        kan_duck_vector vector = api->data_chunk_get_vector(chunk, i);
        const vector_view view = {api->vector_get_data(vector), api->vector_get_validity(vector),
                                  n};
        KAN_TRY(encode(worker, &worker->columns[i], &view, worker->codes[i] + worker->n_rows));
    }
    worker->n_rows += n;
    return KAN_OK;
}

static kan_status hand_over(kan_duck_worker *worker, size_t *block) {
    KAN_TRY(kan_gather_block(worker->gather, *block, worker->index, worker->n_rows, worker->codes));
    worker->n_rows = 0;
    ++*block;
    return KAN_OK;
}

static kan_status take_result(kan_duck_worker *worker, const kan_duck_query *query,
                              kan_duck_result *result, size_t *block, uint64_t most,
                              uint64_t *n_rows) {
    const kan_duck *duck = worker->source->duck;
    kan_duck_chunk chunk = NULL;
    kan_status status;
    for (;;) {
        KAN_TRY_DONE(kan_duck_fetch(duck, query, result, &chunk));
        if (!chunk)
            break;
        const uint64_t n = duck->api.data_chunk_get_size(chunk);
        *n_rows += n;
        if (*n_rows > most || n > worker->most_of_chunk)
            break;
        KAN_TRY_DONE(take_chunk(worker, chunk, n));
        duck->api.destroy_data_chunk(&chunk);
        if (worker->n_rows >= KAN_DUCK_BLOCK)
            KAN_TRY_DONE(hand_over(worker, block));
        KAN_TRY_DONE(kan_check_cancel(duck->run));
    }
done:
    if (chunk)
        duck->api.destroy_data_chunk(&chunk);
    return status;
}

kan_status kan_duck_worker_read(kan_duck_worker *worker, const char *sql, size_t *block,
                                uint64_t most, uint64_t *n_rows) {
    const kan_duck *duck = worker->source->duck;
    const kan_duck_query query = kan_duck_source_query(worker->source, sql);
    kan_duck_result result;
    *n_rows = 0;
    worker->n_rows = 0;
    KAN_TRY(kan_duck_run(duck, worker->connection, &query, &result));
    kan_status status = take_result(worker, &query, &result, block, most, n_rows);
    duck->api.destroy_result(&result);
    if (status == KAN_OK && worker->n_rows > 0)
        status = hand_over(worker, block);
    return status;
}
