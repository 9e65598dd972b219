/* JSON as a kind of source: an object per row, in lines or in one list, also packed with gzip or
 * zstd. The members of all objects are the columns; one that an object lacks is missing there.
 *
 * All rows are looked at for their members first. Then values are read as JSON, not as the types
 * that the library guesses: a text stays as it is, byte by byte. */
#include <strings.h>

#include "io/duckdb/duck_source.h"
#include "io/duckdb/duckdb.h"
#include "io/unpack.h"

/* What all readings of the file have in common, up to what follows. */
static void add_reader(const kan_duck_source *source, kan_text *sql) {
    char head[8] = "";
    const ssize_t n = kan_duck_file_look(&source->file, 0, head, sizeof head);
    const kan_packed packing = kan_unpack_find((kan_slice){head, n > 0 ? (size_t)n : 0});
    kan_text_print(sql, "read_json('%s', format = 'auto', records = true, compression = '%s'",
                   source->file.path,
                   packing == KAN_PACKED_GZIP   ? "gzip"
                   : packing == KAN_PACKED_ZSTD ? "zstd"
                                                : "uncompressed");
}

/* ---- opening -------------------------------------------------------------------------------- */

/* Whether a name is what the library makes of another one that it holds for the same: a and A are
 * a and A_1. */
static bool is_renamed(const kan_duck_source *source, size_t column) {
    const char *name = source->names[column], *mark = strrchr(name, '_');
    if (!mark || !mark[1] || mark[1 + strspn(mark + 1, "0123456789")])
        return false;
    for (size_t i = 0; i < column; i++)
        if (strlen(source->names[i]) == (size_t)(mark - name) &&
            strncasecmp(source->names[i], name, (size_t)(mark - name)) == 0)
            return true;
    return false;
}

/* Rows that have a member of that very name. */
static kan_status has_member(kan_duck_source *source, const char *name, bool *out) {
    const kan_duck *duck = source->duck;
    kan_duck_result result;
    kan_duck_chunk chunk = NULL;
    kan_text sql;
    kan_text_init(&sql, source->run);
    kan_text_print(&sql, "SELECT 1 FROM ");
    add_reader(source, &sql);
    kan_text_print(&sql, ", columns = {");
    kan_duck_quote(&sql, name, '\'');
    kan_text_print(&sql, ": 'JSON'}) WHERE ");
    kan_duck_quote(&sql, name, '"');
    kan_text_print(&sql, " IS NOT NULL LIMIT 1");
    kan_status status = kan_text_status(&sql);
    const kan_duck_query query = kan_duck_source_query(source, sql.bytes);
    if (status == KAN_OK)
        status = kan_duck_run(duck, duck->connection, &query, &result);
    if (status == KAN_OK) {
        status = kan_duck_fetch(duck, &query, &result, &chunk);
        *out = chunk && duck->api.data_chunk_get_size(chunk) > 0;
        if (chunk)
            duck->api.destroy_data_chunk(&chunk);
        duck->api.destroy_result(&result);
    }
    kan_text_destroy(&sql);
    return status;
}

static kan_status check_names(kan_duck_source *source) {
    char quoted[256];
    for (size_t i = 0; i < source->n_columns; i++) {
        bool is_there = true;
        if (is_renamed(source, i))
            KAN_TRY(has_member(source, source->names[i], &is_there));
        if (!is_there)
            return kan_fail(source->run, KAN_BAD_INPUT,
                            "%s: two members differ by case alone (found as %s); rename one",
                            source->name, kan_quote(kan_slice_of(source->names[i]), quoted));
    }
    return KAN_OK;
}

/* Types are guesses from all rows: only what is text stays text, whatever it looks like. */
static void settle_types(kan_duck_source *source) {
    for (size_t i = 0; i < source->n_columns; i++) {
        kan_field *field = &source->fields[i];
        const bool is_text = field->type != KAN_FIELD_NUMBER && field->type != KAN_FIELD_BOOLEAN;
        if (is_text)
            field->type = KAN_FIELD_TEXT;
        field->is_guessed = !is_text;
        field->family = NULL;
    }
}

static kan_status describe(kan_duck_source *source, const kan_options *given) {
    kan_text table;
    kan_text_init(&table, source->run);
    add_reader(source, &table);
    kan_text_print(&table, ", sample_size = -1, map_inference_threshold = -1)");
    kan_status status = kan_text_status(&table);
    if (status == KAN_OK)
        status = kan_duck_source_describe(source, kan_run_threads(source->run), given, table.bytes);
    kan_text_destroy(&table);
    return status;
}

static kan_status open_json(kan_run *run, const char *path, const kan_source_options *options,
                            void **out) {
    kan_duck_source *source;
    kan_status status;
    KAN_TRY(kan_duck_source_open(run, path, "JSON", options, &source));
    source->is_json = true;
    KAN_TRY_DONE(describe(source, options->given));
    KAN_TRY_DONE(check_names(source));
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
            kan_text_print(sql, n++ ? ", CAST(" : "CAST(");
            kan_duck_quote(sql, source->names[i], '"');
            kan_text_print(sql, " AS VARCHAR)");
        }
    kan_text_print(sql, n ? " FROM " : "1 FROM ");
    add_reader(source, sql);
    kan_text_print(sql, ", columns = {");
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
                                  .spellings = source->options.spellings,
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

static bool ends_with(const char *path, const char *ending) {
    const size_t n = strlen(path), m = strlen(ending);
    return n > m && strcasecmp(path + n - m, ending) == 0;
}

static bool takes_json(const char *path) {
    static const char *const endings[] = {".jsonl",     ".ndjson",     ".json",
                                          ".jsonl.gz",  ".ndjson.gz",  ".json.gz",
                                          ".jsonl.zst", ".ndjson.zst", ".json.zst"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(path, endings[i]))
            return true;
    return false;
}

const kan_source_kind kan_source_json = {
    .kind = {.name = "json",
             .summary = "JSON, an object per row, in lines or in a list (.jsonl, .ndjson, .json; "
                        "also .gz and .zst), with DuckDB's library",
             .options = kan_duck_options,
             .n_options = KAN_DUCK_N_OPTIONS},
    .takes = takes_json,
    .open = open_json,
    .close = kan_duck_kind_close,
    .name = kan_duck_kind_name,
    .n_columns = kan_duck_kind_n_columns,
    .column_name = kan_duck_kind_column_name,
    .field = kan_duck_kind_field,
    .read = read_json,
};
