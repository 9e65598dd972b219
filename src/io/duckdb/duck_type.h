/* DuckDB's types: what their values are as text (io/field.h), and the way back. */
#ifndef KANON_IO_DUCKDB_DUCK_TYPE_H
#define KANON_IO_DUCKDB_DUCK_TYPE_H

#include "io/field.h"

typedef enum kan_duck_form {
    KAN_DUCK_TEXT,
    KAN_DUCK_CAST, /* read as what the library makes of it as text */
    KAN_DUCK_NONE, /* cannot be a column of ours: nested ones, bytes, intervals */
    KAN_DUCK_BOOLEAN,
    KAN_DUCK_SIGNED,
    KAN_DUCK_UNSIGNED,
    KAN_DUCK_DECIMAL,
    KAN_DUCK_FLOAT,
    KAN_DUCK_DOUBLE,
    KAN_DUCK_DATE,
    KAN_DUCK_TIME,
    KAN_DUCK_TIMESTAMP
} kan_duck_form;

typedef struct kan_duck_type {
    kan_duck_form form;
    int id;               /* the library's number of it */
    unsigned size;        /* bytes of a value */
    unsigned digits;      /* behind the point of a decimal; of a second */
    unsigned width;       /* digits of a decimal in all */
    bool is_zoned;        /* a timestamp with +00 */
    kan_field_type field; /* what it is to others */
} kan_duck_type;

/* Numbers of types that we name ourselves. */
enum { KAN_DUCK_INTEGER = 4, KAN_DUCK_UTINYINT = 6, KAN_DUCK_UINTEGER = 8, KAN_DUCK_VARCHAR = 17 };
enum { KAN_DUCK_MOST_SIZE = 16 };

/* The type that SQL calls so. */
kan_duck_type kan_duck_type_find(const char *sql);

/* The text of a value, not terminated: its size. "" where there is none: a number that is not one
 * is missing. Not for text. */
enum { KAN_DUCK_ROOM = 64 };
size_t kan_duck_text(const kan_duck_type *type, const void *value, char room[KAN_DUCK_ROOM]);
/* The value of a text, `size` bytes of it; false where the type has none whose text is the same. */
bool kan_duck_value(const kan_duck_type *type, kan_slice text, void *out);

#endif
