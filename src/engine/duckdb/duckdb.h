/* The door of engine/duckdb: tables of a DuckDB database, and files and folders of Parquet that
 * DuckDB counts and releases without bringing them here.
 *
 * connect.c finds out what an address or a path means and opens it; rows.c runs statements; file.c
 * writes a release as a file of Parquet. The library is that of io/duckdb. The room may use engine and
 * io/duckdb, and nothing of job. */
#ifndef KANON_ENGINE_DUCKDB_DUCKDB_H
#define KANON_ENGINE_DUCKDB_DUCKDB_H

#include "engine/engine.h"

extern const kan_engine_kind kan_engine_duckdb;

#endif
