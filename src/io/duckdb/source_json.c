/* JSON as a kind of source: an object per row, in lines or in one list, also packed with gzip or
 * zstd. The members of all objects are the columns; one that an object lacks is missing there.
 *
 * All rows are looked at for their members first. Then values are read as JSON, not as the types
 * that the library guesses: a text stays as it is, byte by byte. So the file is read twice, on all
 * threads of the library; the rows are encoded by one. */
#include <strings.h>

#include "core/signs.h"
#include "io/duckdb/duck_json.h"
#include "io/duckdb/duck_source.h"
#include "io/duckdb/duckdb.h"
#include "io/streams/streams.h"

/* How the file is read, up to what follows the options. */
static void add_reader(const kan_duck_source *source, const char *function, kan_text *sql) {
    char head[8] = "";
    const ssize_t n = kan_duck_file_look(&source->file, 0, head, sizeof head);
    const kan_packed packing = kan_unpack_find((kan_slice){head, n > 0 ? (size_t)n : 0});
    kan_text_print(sql, "%s('%s', format = 'auto', compression = '%s'", function, source->file.path,
                   packing == KAN_PACKED_GZIP   ? "gzip"
                   : packing == KAN_PACKED_ZSTD ? "zstd"
                                                : "uncompressed");
}

/* ---- members -------------------------------------------------------------------------------- */

/* What the library finds in the first rows: members in their order, and guesses of their types. */
static kan_status list_first(kan_duck_source *source, kan_duck_list *list) {
    kan_text sql;
    kan_text_init(&sql, source->run);
    kan_text_print(&sql, "DESCRIBE SELECT * FROM ");
    add_reader(source, "read_json", &sql);
    kan_text_print(&sql, ", records = true, map_inference_threshold = -1)");
    kan_status status = kan_text_status(&sql);
    if (status == KAN_OK)
        status = kan_duck_source_list(source, sql.bytes, list);
    kan_text_destroy(&sql);
    return status;
}

/* The members of all rows, by name. */
static kan_status list_all(kan_duck_source *source, kan_duck_list *list) {
    kan_text sql;
    kan_text_init(&sql, source->run);
    kan_text_print(&sql, "SELECT k, 'VARCHAR' FROM (SELECT DISTINCT unnest(keys) AS k FROM (SELECT "
                         "DISTINCT json_keys(json) AS keys FROM ");
    add_reader(source, "read_json_objects", &sql);
    kan_text_print(&sql, "))) ORDER BY k");
    kan_status status = kan_text_status(&sql);
    if (status == KAN_OK)
        status = kan_duck_source_list(source, sql.bytes, list);
    kan_text_destroy(&sql);
    return status;
}

static bool has(const kan_duck_list *list, const char *name) {
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->rows[i].name, name) == 0)
            return true;
    return false;
}

/* The library takes names that differ by case alone for the same, and gives one of them another. */
static kan_status check_names(const kan_duck_source *source, const kan_duck_list *all) {
    char one[256], other[256];
    for (size_t i = 0; i < all->n; i++)
        for (size_t j = 0; j < i; j++)
            if (strcasecmp(all->rows[i].name, all->rows[j].name) == 0)
                return kan_fail(source->run, KAN_BAD_INPUT,
                                "%s: the members %s and %s differ by case alone; rename one",
                                source->name, kan_quote(kan_slice_of(all->rows[j].name), one),
                                kan_quote(kan_slice_of(all->rows[i].name), other));
    return KAN_OK;
}

/* Members of the first rows come first, in their order, others behind them. */
static kan_status find_columns(kan_duck_source *source) {
    kan_duck_list first = {.rows = NULL}, all = {.rows = NULL};
    kan_status status;
    KAN_TRY_DONE(list_first(source, &first));
    KAN_TRY_DONE(list_all(source, &all));
    KAN_TRY_DONE(check_names(source, &all));
    KAN_TRY_DONE(kan_reserve(source->run, first.n + all.n, sizeof *first.rows, &first.capacity,
                             &first.rows));
    for (size_t i = 0; i < all.n; i++)
        if (!has(&first, all.rows[i].name))
            first.rows[first.n++] = all.rows[i];
    KAN_TRY_DONE(kan_duck_source_take(source, &first));
done:
    kan_free(source->run, first.rows);
    kan_free(source->run, all.rows);
    return status;
}

/* Types are guesses, from all rows: a release gets those of the values that it shows. */
static void settle_types(kan_duck_source *source) {
    for (size_t i = 0; i < source->n_columns; i++) {
        kan_field *field = &source->fields[i];
        const bool is_text = field->type != KAN_FIELD_NUMBER && field->type != KAN_FIELD_BOOLEAN;
        if (is_text)
            field->type = KAN_FIELD_TEXT;
        field->is_guessed = true;
        field->is_mixed = is_text;
        field->family = NULL;
    }
}

static kan_status open_json(kan_run *run, const char *path, const kan_source_options *options,
                            void **out) {
    kan_duck_source *source;
    kan_status status;
    KAN_TRY(kan_duck_source_open(run, path, "JSON", &source));
    source->is_json = true;
    KAN_TRY_DONE(kan_duck_source_start(source, kan_run_threads(run), options->given));
    KAN_TRY_DONE(find_columns(source));
    settle_types(source);
    *out = source;
done:
    if (status != KAN_OK)
        kan_duck_source_close(source);
    return status;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* All members are named, so that no row is taken for one of another kind. */
static kan_status make_query(const kan_duck_source *source, const bool *encode, kan_text *sql) {
    size_t n = 0;
    kan_text_print(sql, "SELECT ");
    for (size_t i = 0; i < source->n_columns; i++)
        if (encode[i]) {
            kan_text_print(sql, n ? ", " : "");
            kan_duck_select(source, i, n++, sql);
        }
    kan_text_print(sql, n ? " FROM " : "1 FROM ");
    add_reader(source, "read_json", sql);
    kan_text_print(sql, ", records = true, columns = {");
    for (size_t i = 0; i < source->n_columns; i++) {
        kan_text_print(sql, i ? ", " : "");
        kan_duck_quote(sql, source->names[i], '\'');
        kan_text_print(sql, ": 'JSON'");
    }
    kan_text_print(sql, "})");
    return kan_text_status(sql);
}

static kan_status gather_rows(const kan_duck_source *source, const bool *encode, const char *sql,
                              kan_gather *gather) {
    kan_duck_worker worker;
    size_t block = 0;
    uint64_t n_rows;
    kan_status status = kan_duck_worker_init(&worker, source, gather, 0, encode);
    if (status == KAN_OK)
        status = kan_duck_worker_read(&worker, sql, &block, UINT64_MAX, &n_rows);
    kan_duck_worker_destroy(&worker);
    return status == KAN_OK ? kan_duck_file_check(&source->file) : status;
}

static kan_status read_json(void *state, const bool *encode, const bool *as_is, kan_table **out) {
    const kan_duck_source *source = state;
    const kan_gather_plan plan = {.name = source->name,
                                  .n_columns = source->n_columns,
                                  .columns = source->names,
                                  .fields = source->field_of,
                                  .encode = encode,
                                  .as_is = as_is,
                                  .n_workers = 1};
    kan_gather *gather = NULL;
    kan_text sql;
    kan_status status;
    KAN_TRY(kan_duck_source_check(source, encode));
    kan_text_init(&sql, source->run);
    KAN_TRY_DONE(make_query(source, encode, &sql));
    KAN_TRY_DONE(kan_gather_begin(source->run, &plan, &gather));
    KAN_TRY_DONE(gather_rows(source, encode, sql.bytes, gather));
    KAN_TRY_DONE(kan_gather_finish(gather, out));
done:
    kan_gather_free(gather);
    kan_text_destroy(&sql);
    return status;
}

/* ---- values apart --------------------------------------------------------------------------- */

/* Values of JSON that have one text here: null, "" and no member at all, 1 and "1", 1 and 1.0, true and
 * "true". The library gives each distinct value of a member once, as JSON in one form. */
typedef struct {
    const kan_duck_source *source;
    kan_encoder texts;
    char *firsts; /* by text: the first byte of the first value that had it; 0: no member */
    size_t capacity;
    bool is_found;
} json_look;

/* What is distinct and has the same text is apart, but for strings. */
static kan_status look_at(json_look *look, kan_slice json, bool is_there) {
    const uint32_t n = look->texts.n;
    bool is_nested = false;
    uint32_t code = n;
    if (is_there)
        KAN_TRY(kan_duck_json_add(&look->texts, json, &code, &is_nested));
    else
        KAN_TRY(kan_encoder_add(&look->texts, (kan_slice){"", 0}, &code));
    if (is_nested)
        return KAN_OK;
    KAN_TRY(kan_reserve(look->source->run, look->texts.n, 1, &look->capacity, &look->firsts));
    const char first = is_there && json.size > 0 ? json.bytes[0] : '\0';
    if (code == n)
        look->firsts[code] = first;
    else
        look->is_found |= first != '"' || look->firsts[code] != '"';
    return KAN_OK;
}

static kan_status look_at_chunk(json_look *look, kan_duck_chunk chunk) {
    const kan_duck_api *api = &look->source->duck->api;
    const kan_duck_vector vector = api->data_chunk_get_vector(chunk, 0);
    const kan_duck_string *strings = api->vector_get_data(vector);
    const uint64_t *validity = api->vector_get_validity(vector);
    const uint64_t n = api->data_chunk_get_size(chunk);
    for (uint64_t i = 0; i < n && !look->is_found; i++)
        KAN_TRY(look_at(look, kan_duck_string_slice(&strings[i]),
                        !validity || (validity[i / 64] >> i % 64 & 1)));
    return kan_check_cancel(look->source->run);
}

static kan_status look_at_all(json_look *look, const char *sql) {
    const kan_duck *duck = look->source->duck;
    const kan_duck_query query = kan_duck_source_query(look->source, sql);
    kan_duck_result result;
    kan_duck_chunk chunk = NULL;
    kan_status status;
    KAN_TRY(kan_duck_run(duck, duck->connection, &query, &result));
    do {
        if (chunk)
            duck->api.destroy_data_chunk(&chunk);
        KAN_TRY_DONE(kan_duck_fetch(duck, &query, &result, &chunk));
        if (chunk)
            KAN_TRY_DONE(look_at_chunk(look, chunk));
    } while (chunk && !look->is_found);
    status = kan_duck_file_check(&look->source->file);
done:
    if (chunk)
        duck->api.destroy_data_chunk(&chunk);
    duck->api.destroy_result(&result);
    return status;
}

/* A member as a JSON pointer, in a text of SQL. */
static void add_pointer(const char *name, kan_text *sql) {
    kan_text_print(sql, "'/");
    for (const char *c = name; *c; c++)
        if (*c == '~' || *c == '/')
            kan_text_print(sql, "~%c", *c == '~' ? '0' : '1');
        else
            kan_text_print(sql, *c == '\'' ? "''" : "%c", *c);
    kan_text_print(sql, "'");
}

static kan_status look_at_member(const kan_duck_source *source, size_t column, bool *out) {
    json_look look = {.source = source, .texts = {.run = source->run}};
    kan_text sql;
    kan_status status;
    kan_text_init(&sql, source->run);
    kan_text_print(&sql, "SELECT DISTINCT json_extract(json, ");
    add_pointer(source->names[column], &sql);
    kan_text_print(&sql, ")::VARCHAR FROM ");
    add_reader(source, "read_json_objects", &sql);
    kan_text_print(&sql, ")");
    KAN_TRY_DONE(kan_text_status(&sql));
    KAN_TRY_DONE(kan_encoder_init(&look.texts, source->run));
    KAN_TRY_DONE(look_at_all(&look, sql.bytes));
    *out = look.is_found;
done:
    kan_encoder_destroy(&look.texts);
    kan_free(source->run, look.firsts);
    kan_text_destroy(&sql);
    return status;
}

static kan_status find_json_apart(void *state, const bool *columns, bool *found) {
    const kan_duck_source *source = state;
    for (size_t i = 0; i < source->n_columns; i++)
        if (columns[i])
            KAN_TRY(look_at_member(source, i, &found[i]));
    return KAN_OK;
}

static bool takes_json(const char *path) {
    static const char *const endings[] = {".jsonl",     ".ndjson",     ".json",
                                          ".jsonl.gz",  ".ndjson.gz",  ".json.gz",
                                          ".jsonl.zst", ".ndjson.zst", ".json.zst"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (kan_path_ends_with(path, endings[i]))
            return true;
    return false;
}

const kan_source_kind kan_source_json = {
    .kind = {.name = "json",
             .summary = "JSON, an object per row, in lines or in a list (.jsonl, .ndjson, .json; "
                        "also .gz and .zst), with DuckDB's library",
             .options = kan_duck_options,
             .n_options = KAN_DUCK_N_OPTIONS,
             .is_everyday = true},
    .title = "JSON",
    .takes = takes_json,
    .open = open_json,
    .close = kan_duck_kind_close,
    .name = kan_duck_kind_name,
    .n_columns = kan_duck_kind_n_columns,
    .column_name = kan_duck_kind_column_name,
    .field = kan_duck_kind_field,
    .read = read_json,
    .find_apart = find_json_apart,
    .apart = {"null, \"\" and no member at all, or 1 and \"1\"",
              "null for all that is missing, values of one type"},
};
