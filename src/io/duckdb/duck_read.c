/* Rows into codes.
 *
 * A value of a fixed size is a word: its text is made the first time that it is met, and a small
 * cache before the table of words (io/gather.h) finds most of them.
 *
 * Text is numbered by a function of ours within the query, "kanon_code". Where the file has a
 * dictionary, the library calls it for the dictionary's entries alone, and only numbers are handed
 * from row to row. An entry may be one that no row has: so numbers become codes of the encoder when
 * the first row has them. JSON has no dictionaries: its texts go to the encoder as they lie there.
 * Rows that follow each other become blocks of 2^16 or a little more. */
#include "io/duckdb/duck_source.h"

#include "core/hash.h"
#include "io/duckdb/duck_json.h"

#define FUNCTION "kanon_code"

enum { CACHE_BITS = 8, CACHE = 1 << CACHE_BITS };

typedef struct {
    uint64_t word;
    uint32_t code; /* KAN_CODE_LIMIT: nothing is here */
} cached;

typedef struct kan_duck_column {
    size_t column;
    const kan_scalar_type *type;
    kan_encoder *encoder;
    uint32_t missing; /* the code of ""; KAN_CODE_LIMIT: none was missing yet */
    cached cache[CACHE];
    /* Of text: the numbers that were given, from 1 on, as 0 is a missing value; and their codes,
     * KAN_CODE_LIMIT: none yet. */
    kan_encoder numbered;
    bool is_numbered;
    uint32_t *code_of;
    size_t n_known, capacity;
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
    char room[KAN_SCALAR_ROOM];
    *out = kan_gather_find_word(worker->gather, worker->index, work->column, word);
    if (*out != KAN_CODE_LIMIT)
        return KAN_OK;
    const kan_slice text = {room, kan_scalar_text(work->type, &word, room)};
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
    char room[KAN_SCALAR_ROOM];
    for (size_t i = 0; i < view->n; i++) {
        if (is_missing(view, i)) {
            KAN_TRY(encode_missing(work, &out[i]));
            continue;
        }
        const kan_slice text = {room, kan_scalar_text(work->type, view->data + i * 16, room)};
        KAN_TRY(kan_encoder_add(work->encoder, text, &out[i]));
    }
    return KAN_OK;
}

/* At a text of a vector eight bytes can be read, however short it is: it lies in its string, 4 of
 * 16 bytes from the beginning, or is longer than that. */
static kan_status number_texts(column_work *work, const vector_view *view, uint32_t *out) {
    const kan_duck_string *strings = (const kan_duck_string *)(const void *)view->data;
    for (size_t i = 0; i < view->n; i++) {
        out[i] = 0;
        if (is_missing(view, i))
            continue;
        const kan_slice text = kan_duck_string_slice(&strings[i]);
        uint32_t number = kan_encoder_find(&work->numbered, text.bytes, text.size);
        if (number == KAN_CODE_LIMIT)
            KAN_TRY(kan_encoder_insert(&work->numbered, text.bytes, text.size, &number));
        out[i] = number + 1;
    }
    return KAN_OK;
}

static kan_status add_numbered(column_work *work, uint32_t number) {
    if (number == 0)
        return encode_missing(work, &work->code_of[0]);
    return kan_encoder_add(work->encoder, kan_encoder_value(&work->numbered, number - 1),
                           &work->code_of[number]);
}

static kan_status encode_numbers(column_work *work, const vector_view *view, uint32_t *out) {
    const uint32_t *numbers = (const uint32_t *)(const void *)view->data;
    const size_t n = (size_t)work->numbered.n + 1;
    KAN_TRY(
        kan_reserve(work->encoder->run, n, sizeof *work->code_of, &work->capacity, &work->code_of));
    for (; work->n_known < n; work->n_known++)
        work->code_of[work->n_known] = KAN_CODE_LIMIT;
    for (size_t i = 0; i < view->n; i++) {
        const uint32_t number = numbers[i];
        KAN_ASSERT(number < n);
        if (work->code_of[number] == KAN_CODE_LIMIT)
            KAN_TRY(add_numbered(work, number));
        out[i] = work->code_of[number];
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

static bool is_text(const kan_scalar_type *type) {
    return type->form == KAN_SCALAR_TEXT || type->form == KAN_SCALAR_CAST;
}

static kan_status encode(kan_duck_worker *worker, column_work *work, const vector_view *view,
                         uint32_t *out) {
    if (worker->source->is_json)
        return encode_json(worker, work, view, out);
    if (is_text(work->type))
        return encode_numbers(work, view, out);
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

static kan_status init_column(const kan_duck_worker *worker, size_t column, column_work *work) {
    work->column = column;
    work->missing = KAN_CODE_LIMIT;
    work->type = &worker->source->types[column];
    work->encoder = kan_gather_encoder(worker->gather, worker->index, column);
    for (size_t i = 0; i < CACHE; i++)
        work->cache[i].code = KAN_CODE_LIMIT;
    if (!is_text(work->type) || worker->source->is_json)
        return KAN_OK;
    work->is_numbered = true;
    return kan_encoder_init(&work->numbered, worker->source->run);
}

kan_status kan_duck_worker_init(kan_duck_worker *worker, const kan_duck_source *source,
                                kan_gather *gather, unsigned index, const bool *encode_column) {
    kan_run *run = source->run;
    const kan_duck *duck = source->duck;
    *worker = (kan_duck_worker){.source = source, .gather = gather, .index = index};
    if (duck->api.connect(duck->database, &worker->connection) != KAN_DUCK_OK)
        return kan_fail(run, KAN_FAILED,
                        "%s: DuckDB accepts no more connections; use fewer --threads",
                        source->name);
    worker->most_of_chunk = duck->api.vector_size();
    for (size_t i = 0; i < source->n_columns; i++)
        worker->n_encoded += encode_column[i];
    KAN_TRY(kan_alloc_zero(run, worker->n_encoded, sizeof *worker->columns, &worker->columns));
    KAN_TRY(kan_alloc_zero(run, worker->n_encoded, sizeof *worker->codes, &worker->codes));
    size_t at = 0;
    for (size_t i = 0; i < source->n_columns; i++)
        if (encode_column[i]) {
            KAN_TRY(init_column(worker, i, &worker->columns[at]));
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
    for (size_t i = 0; worker->columns && i < worker->n_encoded; i++) {
        if (worker->columns[i].is_numbered)
            kan_encoder_destroy(&worker->columns[i].numbered);
        kan_free(run, worker->columns[i].code_of);
    }
    for (size_t i = 0; worker->codes && i < worker->n_encoded; i++)
        kan_free(run, worker->codes[i]);
    kan_free(run, worker->codes);
    kan_free(run, worker->columns);
}

/* ---- the function --------------------------------------------------------------------------- */

/* A callback gets a handle, and needs the library's own functions to find out what it belongs to;
 * their addresses are known at run time alone. So the thread that runs a query remembers its
 * worker: the library has no other thread then, and calls back on this one. */
static _Thread_local kan_duck_worker *current;

/* The second argument is the place of the column. */
static void apply(kan_duck_info info, kan_duck_chunk chunk, kan_duck_vector out) {
    kan_duck_worker *worker = current;
    const kan_duck_api *api = &worker->source->duck->api;
    kan_duck_vector texts = api->data_chunk_get_vector(chunk, 0);
    const int32_t *place = api->vector_get_data(api->data_chunk_get_vector(chunk, 1));
    const vector_view view = {api->vector_get_data(texts), api->vector_get_validity(texts),
                              api->data_chunk_get_size(chunk)};
    if (view.n == 0)
        return;
    const kan_status status =
        number_texts(&worker->columns[place[0]], &view, api->vector_get_data(out));
    if (status != KAN_OK) {
        worker->status = status;
        api->scalar_function_set_error(info, "stopped");
    }
}

kan_status kan_duck_select_begin(const kan_duck_source *source) {
    const kan_duck_api *api = &source->duck->api;
    kan_duck_logical text = api->create_logical_type(KAN_DUCK_VARCHAR),
                     place = api->create_logical_type(KAN_DUCK_INTEGER),
                     number = api->create_logical_type(KAN_DUCK_UINTEGER);
    kan_duck_scalar function = api->create_scalar_function();
    api->scalar_function_set_name(function, FUNCTION);
    api->scalar_function_add_parameter(function, text);
    api->scalar_function_add_parameter(function, place);
    api->scalar_function_set_return_type(function, number);
    api->scalar_function_set_special_handling(function); /* it sees missing values, too */
    api->scalar_function_set_function(function, apply);
    const int state = api->register_scalar_function(source->duck->connection, function);
    api->destroy_scalar_function(&function);
    api->destroy_logical_type(&text);
    api->destroy_logical_type(&place);
    api->destroy_logical_type(&number);
    return state == KAN_DUCK_OK ? KAN_OK
                                : kan_duck_fail(source->duck, KAN_FAILED, "cannot be read", NULL,
                                                "try another version of the library");
}

void kan_duck_select(const kan_duck_source *source, size_t column, size_t place, kan_text *sql) {
    const bool is_numbered = is_text(&source->types[column]) && !source->is_json;
    kan_text_print(sql, is_numbered ? FUNCTION "(CAST(" : "CAST(");
    kan_duck_quote(sql, source->names[column], '"');
    kan_text_print(sql, " AS %s)",
                   source->is_json || is_numbered ? "VARCHAR" : source->fields[column].format);
    if (is_numbered)
        kan_text_print(sql, ", %zu)", place);
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
    current = worker;
    kan_status status = kan_duck_run(duck, worker->connection, &query, &result);
    if (status == KAN_OK) {
        status = take_result(worker, &query, &result, block, most, n_rows);
        duck->api.destroy_result(&result);
    }
    current = NULL;
    if (worker->status != KAN_OK)
        return kan_fail(
            duck->run, worker->status,
            "%s: there is not enough memory for the values of a column; allow more with --memory",
            worker->source->name);
    if (status == KAN_OK && worker->n_rows > 0)
        status = hand_over(worker, block);
    return status;
}
