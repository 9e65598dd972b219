/* Parquet and JSON lines, through DuckDB's library, which is loaded when such a file is opened.
 *
 * The library is that of --duckdb PATH, else of the variable KANON_DUCKDB, else the one that the
 * system finds. It is given one file, in memory that is its own: no other file, no network, no
 * extension (duck.h). What a value of a DuckDB type is as text, and the way back, is our own
 * (duck_type.h), so that a release can be compared byte by byte.
 *
 * Parquet is read in ranges of row groups, one query each, on all threads; JSON by one query. Both
 * are written row by row in a fixed order, JSON lines without the library.
 *
 * duck.h is open to others as well: the database itself, for the engine of that name. */
#ifndef KANON_IO_DUCKDB_H
#define KANON_IO_DUCKDB_H

#include "io/duckdb/duck.h"
#include "io/sink.h"
#include "io/source.h"

extern const kan_source_kind kan_source_parquet, kan_source_json;
extern const kan_sink_kind kan_sink_parquet, kan_sink_json;

/* By what the file of a source of Parquet can be opened once more, also one that came through a pipe;
 * NULL: the source is another one. */
const char *kan_parquet_path(const kan_source *source);

#endif
