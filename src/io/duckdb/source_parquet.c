/* Parquet as a kind of source.
 *
 * Row groups that follow each other make a range of rows; each range is a query of its own, with
 * the numbers of its rows, for which the library looks at no other row group. So the ranges are
 * read on all threads, each by one, and their rows stand where they stand in the file.
 *
 * What is not a Parquet file, or not all of one, is told before the library is needed. */
#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

#include "core/pool.h"
#include "core/signs.h"
#include "io/duckdb/duck_source.h"
#include "io/duckdb/duckdb.h"

#define ROW_NUMBER "file_row_number"

enum {
    LEAST_RANGE = 1 << 15, /* rows, below which a query costs more than it gives */
    RANGES_PER_FILE = 256  /* about as many at most */
};
static const uint64_t most_rows = (uint64_t)1 << 36;

typedef struct {
    uint64_t first, n_rows;
    size_t first_block, n_blocks;
} row_range;

typedef struct {
    kan_duck_source *source;
    const bool *encode;
    kan_text columns; /* the list of a SELECT */
    kan_gather *gather;
    kan_duck_worker *workers;
    unsigned n_workers;
    row_range *ranges;
    size_t n_ranges, capacity, n_blocks;
    uint64_t n_rows;
    bool has_numbers; /* rows can be asked for by their number */
} reading;

/* ---- opening -------------------------------------------------------------------------------- */

static kan_status check_marks(const kan_duck_source *source) {
    enum { MARK = 4, LEAST = 12 };
    const uint64_t size = (uint64_t)source->file.state.st_size;
    char head[MARK + 1] = "", tail[MARK + 1] = "";
    if (kan_duck_file_look(&source->file, 0, head, MARK) < 0 ||
        kan_duck_file_look(&source->file, size > MARK ? size - MARK : 0, tail, MARK) < 0)
        return kan_fail(source->run, KAN_FAILED, "%s: cannot be read; check the file and its disk",
                        source->name);
    if (memcmp(head, "PARE", MARK) == 0)
        return kan_fail(source->run, KAN_BAD_INPUT,
                        "%s: this Parquet file is encrypted; write it without encryption",
                        source->name);
    if (memcmp(head, "PAR1", MARK) != 0)
        return kan_fail(
            source->run, KAN_BAD_INPUT,
            "%s: this is not a Parquet file; check the name, or give its format with --format",
            source->name);
    if (size < LEAST || memcmp(tail, "PAR1", MARK) != 0)
        return kan_fail(source->run, KAN_BAD_INPUT,
                        "%s: the end of this Parquet file is missing; copy or write it again",
                        source->name);
    return KAN_OK;
}

static kan_status find_columns(kan_duck_source *source) {
    kan_duck_list list = {.rows = NULL};
    char sql[128];
    snprintf(sql, sizeof sql, "DESCRIBE SELECT * FROM read_parquet('%s')", source->file.path);
    kan_status status = kan_duck_source_list(source, sql, &list);
    if (status == KAN_OK)
        status = kan_duck_source_take(source, &list);
    kan_free(source->run, list.rows);
    return status;
}

static kan_status open_parquet(kan_run *run, const char *path, const kan_source_options *options,
                               void **out) {
    kan_duck_source *source;
    kan_status status;
    KAN_TRY(kan_duck_source_open(run, path, "Parquet", &source));
    KAN_TRY_DONE(check_marks(source));
    /* One thread of the library's own: ours do the work, with a query each. */
    KAN_TRY_DONE(kan_duck_source_start(source, 1, options->given));
    KAN_TRY_DONE(find_columns(source));
    KAN_TRY_DONE(kan_duck_select_begin(source));
    *out = source;
done:
    if (status != KAN_OK)
        kan_duck_source_close(source);
    return status;
}

/* ---- ranges --------------------------------------------------------------------------------- */

static bool has_column(const kan_duck_source *source, const char *name) {
    for (size_t i = 0; i < source->n_columns; i++)
        if (strcasecmp(source->names[i], name) == 0)
            return true;
    return false;
}

static kan_status fail_damaged(const kan_duck_source *source) {
    return kan_fail(source->run, KAN_BAD_INPUT,
                    "%s: the number of rows that the file states is not the number that it has; it "
                    "is damaged; copy or write it again",
                    source->name);
}

/* A row group more: part of the last range while that is small. */
static kan_status add_group(reading *reader, int64_t n_rows, uint64_t least) {
    if (n_rows < 0 || (uint64_t)n_rows > most_rows - reader->n_rows)
        return fail_damaged(reader->source);
    if (reader->n_ranges == 0 || reader->ranges[reader->n_ranges - 1].n_rows >= least) {
        KAN_TRY(kan_reserve(reader->source->run, reader->n_ranges + 1, sizeof *reader->ranges,
                            &reader->capacity, &reader->ranges));
        reader->ranges[reader->n_ranges++] = (row_range){.first = reader->n_rows};
    }
    reader->ranges[reader->n_ranges - 1].n_rows += (uint64_t)n_rows;
    reader->n_rows += (uint64_t)n_rows;
    return KAN_OK;
}

static kan_status add_groups(reading *reader, kan_duck_chunk chunk) {
    const kan_duck_api *api = &reader->source->duck->api;
    const uint64_t n = api->data_chunk_get_size(chunk);
    const int64_t *rows = api->vector_get_data(api->data_chunk_get_vector(chunk, 0)),
                  *all = api->vector_get_data(api->data_chunk_get_vector(chunk, 1));
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t part = all[i] < 0 ? 0 : (uint64_t)all[i] / RANGES_PER_FILE;
        const uint64_t least = part > LEAST_RANGE ? part : LEAST_RANGE;
        KAN_TRY(add_group(reader, rows[i], reader->has_numbers ? least : UINT64_MAX));
    }
    return KAN_OK;
}

/* The rows of each row group, in the order of the file. */
static kan_status find_ranges(reading *reader) {
    const kan_duck *duck = reader->source->duck;
    char sql[256];
    kan_duck_result result;
    kan_duck_chunk chunk = NULL;
    kan_status status;
    snprintf(sql, sizeof sql,
             "SELECT n::BIGINT, sum(n) OVER ()::BIGINT FROM (SELECT row_group_id AS id, "
             "any_value(row_group_num_rows) AS n FROM parquet_metadata('%s') GROUP BY 1) "
             "ORDER BY id",
             reader->source->file.path);
    const kan_duck_query query = kan_duck_source_query(reader->source, sql);
    KAN_TRY(kan_duck_run(duck, duck->connection, &query, &result));
    for (;;) {
        KAN_TRY_DONE(kan_duck_fetch(duck, &query, &result, &chunk));
        if (!chunk)
            break;
        KAN_TRY_DONE(add_groups(reader, chunk));
        duck->api.destroy_data_chunk(&chunk);
    }
    for (size_t i = 0; i < reader->n_ranges; i++) {
        row_range *range = &reader->ranges[i];
        range->first_block = reader->n_blocks;
        range->n_blocks = range->n_rows / KAN_DUCK_BLOCK + 1;
        reader->n_blocks += range->n_blocks;
    }
done:
    if (chunk)
        duck->api.destroy_data_chunk(&chunk);
    duck->api.destroy_result(&result);
    return status;
}

/* ---- reading -------------------------------------------------------------------------------- */

static kan_status list_columns(reading *reader) {
    const kan_duck_source *source = reader->source;
    kan_text *list = &reader->columns;
    for (size_t i = 0, place = 0; i < source->n_columns; i++) {
        if (!reader->encode[i])
            continue;
        kan_text_print(list, place ? ", " : "");
        kan_duck_select(source, i, place++, list);
    }
    return kan_text_status(list);
}

static kan_status read_range(reading *reader, const row_range *range, kan_duck_worker *worker) {
    kan_text sql;
    size_t block = range->first_block;
    uint64_t n_rows = 0;
    kan_text_init(&sql, reader->source->run);
    kan_text_print(&sql, "SELECT %s FROM read_parquet('%s'", reader->columns.bytes,
                   reader->source->file.path);
    if (reader->has_numbers)
        kan_text_print(
            &sql, ", " ROW_NUMBER " = true) WHERE " ROW_NUMBER " BETWEEN %" PRIu64 " AND %" PRIu64,
            range->first, range->first + range->n_rows - 1);
    else
        kan_text_print(&sql, ")");
    kan_status status = kan_text_status(&sql);
    if (status == KAN_OK)
        status = kan_duck_worker_read(worker, sql.bytes, &block, range->n_rows, &n_rows);
    if (status == KAN_OK && n_rows != range->n_rows)
        status = fail_damaged(reader->source);
    kan_text_destroy(&sql);
    while (status == KAN_OK && block < range->first_block + range->n_blocks)
        status = kan_gather_block(reader->gather, block++, worker->index, 0, worker->codes);
    return status;
}

static kan_status read_task(void *context, size_t task, unsigned worker) {
    reading *reader = context;
    const row_range *range = &reader->ranges[task];
    KAN_TRY(read_range(reader, range, &reader->workers[worker]));
    kan_report_units(reader->source->run, "read", "rows", range->first + range->n_rows,
                     reader->n_rows);
    return KAN_OK;
}

static kan_status make_workers(reading *reader) {
    kan_run *run = reader->source->run;
    const unsigned n = reader->n_workers;
    KAN_TRY(kan_alloc_zero(run, n, sizeof *reader->workers, &reader->workers));
    for (unsigned i = 0; i < n; i++)
        KAN_TRY(kan_duck_worker_init(&reader->workers[i], reader->source, reader->gather, i,
                                     reader->encode));
    return KAN_OK;
}

static bool is_any(const bool *encode, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (encode[i])
            return true;
    return false;
}

/* Rows alone: the file itself knows their number. */
static kan_status count_rows(reading *reader) {
    for (size_t i = 0; i < reader->n_blocks; i++)
        KAN_TRY(kan_gather_block(reader->gather, i, 0, i == 0 ? reader->n_rows : 0, NULL));
    return KAN_OK;
}

static kan_status gather_rows(reading *reader, const bool *as_is, kan_table **out) {
    const kan_duck_source *source = reader->source;
    const kan_gather_plan plan = {.name = source->name,
                                  .n_columns = source->n_columns,
                                  .columns = source->names,
                                  .fields = source->field_of,
                                  .encode = reader->encode,
                                  .as_is = as_is,
                                  .n_workers = reader->n_workers,
                                  .n_blocks = reader->n_blocks};
    KAN_TRY(kan_gather_begin(source->run, &plan, &reader->gather));
    if (is_any(reader->encode, source->n_columns)) {
        KAN_TRY(make_workers(reader));
        KAN_TRY(kan_parallel(source->run, reader->n_ranges, read_task, reader));
    } else {
        KAN_TRY(count_rows(reader));
    }
    KAN_TRY(kan_duck_file_check(&source->file));
    return kan_gather_finish(reader->gather, out);
}

static kan_status read_parquet(void *state, const bool *encode, const bool *as_is,
                               kan_table **out) {
    reading reader = {.source = state,
                      .encode = encode,
                      .has_numbers = !has_column(state, ROW_NUMBER),
                      .n_workers = 1};
    kan_run *run = reader.source->run;
    kan_status status;
    KAN_TRY(kan_duck_source_check(state, encode));
    kan_text_init(&reader.columns, run);
    KAN_TRY_DONE(list_columns(&reader));
    KAN_TRY_DONE(find_ranges(&reader));
    if (reader.n_rows == 0)
        KAN_TRY_DONE(kan_fail(run, KAN_BAD_INPUT,
                              "%s: columns but no rows; a table needs at least one row",
                              reader.source->name));
    reader.n_workers = kan_run_threads(run);
    KAN_TRY_DONE(gather_rows(&reader, as_is, out));
done:
    for (unsigned i = 0; reader.workers && i < reader.n_workers; i++)
        kan_duck_worker_destroy(&reader.workers[i]);
    kan_free(run, reader.workers);
    kan_gather_free(reader.gather);
    kan_free(run, reader.ranges);
    kan_text_destroy(&reader.columns);
    return status;
}

/* ---- what is beside the table --------------------------------------------------------------- */

/* Keys and values that programs add, such as the schema of a frame with its index. */
static kan_status list_metadata(kan_duck_source *source, const char *form, kan_duck_list *list) {
    char sql[256];
    snprintf(sql, sizeof sql, "SELECT key::VARCHAR, %s FROM parquet_kv_metadata('%s')", form,
             source->file.path);
    list->n = 0;
    return kan_duck_source_list(source, sql, list);
}

static kan_status find_parquet_beside(void *state, bool book_is_public, kan_beside *out) {
    kan_duck_source *source = state;
    kan_duck_list list = {.rows = NULL};
    (void)book_is_public; /* there is none */
    kan_status status = list_metadata(source, "decode(value)", &list);
    if (status == KAN_BAD_INPUT) /* not UTF-8 */
        status = list_metadata(source, "value::VARCHAR", &list);
    for (size_t i = 0; i < list.n && status == KAN_OK; i++) {
        char what[300], quoted[256];
        snprintf(what, sizeof what, "metadata %s",
                 kan_quote(kan_slice_of(list.rows[i].name), quoted));
        status = kan_beside_add(out, what, kan_slice_of(list.rows[i].name));
        if (status == KAN_OK)
            status = kan_beside_add(out, what, kan_slice_of(list.rows[i].sql));
    }
    kan_free(source->run, list.rows);
    return status;
}

static bool takes_parquet(const char *path) {
    return kan_path_ends_with(path, ".parquet") || kan_path_ends_with(path, ".pq");
}

const kan_source_kind kan_source_parquet = {
    .kind = {.name = "parquet",
             .summary = "Parquet files (.parquet, .pq), with DuckDB's library",
             .options = kan_duck_options,
             .n_options = KAN_DUCK_N_OPTIONS,
             .is_everyday = true},
    .title = "Parquet",
    .is_for_engine = true,
    .takes = takes_parquet,
    .open = open_parquet,
    .close = kan_duck_kind_close,
    .name = kan_duck_kind_name,
    .n_columns = kan_duck_kind_n_columns,
    .column_name = kan_duck_kind_column_name,
    .field = kan_duck_kind_field,
    .read = read_parquet,
    .find_beside = find_parquet_beside,
};

const char *kan_parquet_path(const kan_source *source) {
    return source->kind == &kan_source_parquet ? ((const kan_duck_source *)source->state)->file.path
                                               : NULL;
}
