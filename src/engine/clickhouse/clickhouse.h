/* The door of engine/clickhouse: tables of ClickHouse, on one server or divided among the shards of a
 * cluster, over HTTP by libcurl, which is loaded when one is asked for.
 *
 * http.h sends one statement to one server, and knows when an answer is not complete; rows.c reads and
 * writes RowBinary; settings.c forces what keeps counts right; kind.c finds tables that keep several
 * versions of a row; cluster.c finds the shards of a
 * Distributed table, proves that they are it, and shows their tables as one; clickhouse.c is the
 * transport over all of them. The room may use engine, and nothing of job. */
#ifndef KANON_ENGINE_CLICKHOUSE_CLICKHOUSE_H
#define KANON_ENGINE_CLICKHOUSE_CLICKHOUSE_H

#include "engine/engine.h"

extern const kan_engine_kind kan_engine_clickhouse;

#endif
