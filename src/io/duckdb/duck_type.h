/* The types of DuckDB, as scalars (io/scalar.h). */
#ifndef KANON_IO_DUCKDB_DUCK_TYPE_H
#define KANON_IO_DUCKDB_DUCK_TYPE_H

#include "io/scalar.h"

/* Numbers of types that we name ourselves. */
enum { KAN_DUCK_INTEGER = 4, KAN_DUCK_UTINYINT = 6, KAN_DUCK_UINTEGER = 8, KAN_DUCK_VARCHAR = 17 };

/* The type that SQL calls so. */
kan_scalar_type kan_duck_type_find(const char *sql);

#endif
