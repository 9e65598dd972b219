#include "engine/duckdb/duckdb.h"

#include <strings.h>

#include "engine/duckdb/connection.h"
#include "engine/sql/sql.h"
#include "io/duckdb/duckdb.h"

static void add_place(const void *connection, kan_text *sql) {
    kan_text_print(sql, "%s", ((const kan_duck_line *)connection)->place);
}

static uint64_t n_received(const void *connection) {
    return ((const kan_duck_line *)connection)->n_received;
}

static const kan_transport transport = {
    .connect = kan_duck_line_connect,
    .disconnect = kan_duck_line_disconnect,
    .columns = kan_duck_line_columns,
    .place = add_place,
    .turn = kan_duck_line_turn,
    .execute = kan_duck_line_execute,
    .query = kan_duck_line_query,
    .load = kan_duck_line_load,
    .file = &kan_duck_line_file,
    .n_received = n_received,
};

const kan_engine_kind kan_engine_duckdb = {
    .name = "duckdb",
    .dialect = &kan_dialect_duckdb,
    .transport = &transport,
};

/* Files of Parquet are read here, unless somebody names this engine. */
static bool takes(const char *path) {
    return strncasecmp(path, "duckdb:", 7) == 0;
}

static kan_status open_table(kan_run *run, const char *path, const kan_source_options *options,
                             void **out) {
    return kan_engine_open(run, &kan_engine_duckdb, path, options, out);
}

const kan_source_kind kan_source_duckdb = {
    .kind = {.name = "duckdb",
             .summary =
                 "tables of DuckDB, duckdb:PATH?table=NAME; with --engine also Parquet that is "
                 "larger than memory",
             .options = kan_duck_options,
             .n_options = KAN_DUCK_N_OPTIONS,
             .is_everyday = true},
    .title = "DuckDB",
    .takes = takes,
    .open = open_table,
    .close = kan_engine_close,
    .name = kan_engine_name,
    .n_columns = kan_engine_n_columns,
    .column_name = kan_engine_column_name,
    .field = kan_engine_field,
    .count = kan_engine_fold,
    .count_some = kan_engine_fold_some,
    .sum_up = kan_engine_sum_up,
    .compare = kan_engine_hold,
    .choose = kan_engine_choose,
    .find_apart = kan_engine_find_apart,
    .apart = KAN_ENGINE_APART,
};

kan_status kan_engine_open_parquet(const kan_source *source, const kan_options *given,
                                   kan_source **out) {
    const kan_source_options options = {.given = given};
    const char *const path = kan_parquet_path(source);
    *out = NULL;
    return path ? kan_source_open(source->run, &kan_source_duckdb, path, &options, out) : KAN_OK;
}
