/* The door of engine/schema: a release of several tables, which rows are loaded into from elsewhere.
 *
 * A schema is a source that was opened with kan_source_options.is_schema: a connection, in one transaction.
 * Tables are made in it under hidden names (schema_make.c), loaded (schema_sink.c), read again over the same
 * connection in the order in which their rows are stored (schema_read.c), and all of them get their names
 * with the commit; whatever happens before, nothing is left. So it takes engines whose transactions hold
 * tables, and which tell how rows are stored: PostgreSQL and DuckDB.
 *
 * Columns are text, as values are written in a file; a missing value that is written as nothing is NULL. */
#ifndef KANON_ENGINE_SCHEMA_SCHEMA_H
#define KANON_ENGINE_SCHEMA_SCHEMA_H

#include "engine/engine.h"
#include "io/sink.h"

/* A table of a schema (kan_source_options.schema, .table), with its rows in the order of storage. */
extern const kan_source_kind kan_source_schema;
/* Rows into several tables that were made in the schema of the order (kan_sink_order.schema). */
extern const kan_sink_kind kan_sink_schema;

typedef struct kan_schema_table {
    const char *name;
    size_t n_columns;
    const char *const *columns; /* their names */
} kan_schema_table;

/* KAN_BAD_INPUT where releases of several tables are not made in such an engine. */
KAN_MUST_USE kan_status kan_schema_check(const kan_engine *schema);
/* Makes tables without rows under hidden names, once. KAN_BAD_INPUT where they cannot be made, or where
 * there is one of their names already, unless `overwrite`. */
KAN_MUST_USE kan_status kan_schema_make(kan_engine *schema, const kan_schema_table *tables,
                                        size_t n, bool overwrite);
/* Whether tables that are replaced can go: they go, and come back when the source is closed. Fails also where
 * somebody looks at one of them, such as another connection of ours over a view: who would wait for that in
 * the end would wait for ever. */
KAN_MUST_USE kan_status kan_schema_try_replacing(kan_engine *schema);
/* Gives all of them their names, and commits; the last step. */
KAN_MUST_USE kan_status kan_schema_name(kan_engine *schema);

#endif
