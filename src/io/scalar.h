/* Scalars: single values of the types that formats have, such as an int32, a decimal or a timestamp
 * in milliseconds; what their text is (io/field.h), and the way back. */
#ifndef KANON_IO_SCALAR_H
#define KANON_IO_SCALAR_H

#include "io/field.h"

typedef enum kan_scalar_form {
    KAN_SCALAR_TEXT,
    KAN_SCALAR_CAST, /* read as what the library makes of it as text */
    KAN_SCALAR_NONE, /* cannot be a column of ours: nested ones, bytes, intervals */
    KAN_SCALAR_BOOLEAN,
    KAN_SCALAR_SIGNED,
    KAN_SCALAR_UNSIGNED,
    KAN_SCALAR_DECIMAL,
    KAN_SCALAR_FLOAT,
    KAN_SCALAR_DOUBLE,
    KAN_SCALAR_DATE,
    KAN_SCALAR_TIME,
    KAN_SCALAR_TIMESTAMP
} kan_scalar_form;

typedef struct kan_scalar_type {
    kan_scalar_form form;
    int id;               /* the number that a library has for it */
    unsigned size;        /* bytes of a value; a date of 8 counts milliseconds, else days */
    unsigned digits;      /* behind the point of a decimal; of a second */
    unsigned width;       /* digits of a decimal in all */
    bool is_zoned;        /* a timestamp with +00 */
    kan_field_type field; /* what it is to others */
    bool has_ends;        /* dates and timestamps: the largest values are -infinity and infinity */
} kan_scalar_type;

enum { KAN_SCALAR_MOST_SIZE = 16, KAN_SCALAR_MOST_DIGITS = 38 };

/* The text of a value, not terminated: its size. "" where there is none: a number that is not one
 * is missing. Not for text. */
enum { KAN_SCALAR_ROOM = 64 };
size_t kan_scalar_text(const kan_scalar_type *type, const void *value, char room[KAN_SCALAR_ROOM]);
/* The value of a text, `size` bytes of it; false where the type has none whose text is the same. */
bool kan_scalar_value(const kan_scalar_type *type, kan_slice text, void *out);

#endif
