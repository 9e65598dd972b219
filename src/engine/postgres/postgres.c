#include "engine/postgres/postgres.h"

#include <string.h>

#include "engine/postgres/connection.h"
#include "engine/sql/sql.h"

static kan_status turn(void *connection, const kan_address *address) {
    ((kan_pg *)connection)->address = address;
    return KAN_OK;
}

static const kan_transport transport = {
    .connect = kan_pg_connect,
    .disconnect = kan_pg_disconnect,
    .columns = kan_pg_columns,
    .turn = turn,
    .execute = kan_pg_execute,
    .query = kan_pg_query,
    .load = kan_pg_load,
    .n_received = kan_pg_received,
};

const kan_engine_kind kan_engine_postgres = {
    .name = "postgres",
    .dialect = &kan_dialect_postgres,
    .transport = &transport,
};

static bool takes(const char *path) {
    return strncmp(path, "postgres://", 11) == 0 || strncmp(path, "postgresql://", 13) == 0;
}

static kan_status open_table(kan_run *run, const char *path, const kan_source_options *options,
                             void **out) {
    return kan_engine_open(run, &kan_engine_postgres, path, options, out);
}

const kan_source_kind kan_source_postgres = {
    .kind = {.name = "postgres",
             .summary = "tables of PostgreSQL: postgres://HOST/DATABASE?table=NAME; needs libpq",
             .is_everyday = true},
    .title = "PostgreSQL",
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
