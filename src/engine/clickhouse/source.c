#include "engine/clickhouse/clickhouse.h"

static bool takes(const char *path) {
    return strncmp(path, "clickhouse:", strlen("clickhouse:")) == 0;
}

static kan_status open_table(kan_run *run, const char *path, const kan_source_options *options,
                             void **out) {
    return kan_engine_open(run, &kan_engine_clickhouse, path, options, out);
}

const kan_source_kind kan_source_clickhouse = {
    .kind = {.name = "clickhouse",
             .summary = "tables of ClickHouse, also of a cluster "
                        "(clickhouse://HOST:PORT/DATABASE/TABLE), which counts its rows itself",
             .is_everyday = true},
    .title = "ClickHouse",
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
