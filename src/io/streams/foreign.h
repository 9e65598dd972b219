/* Files that are not text, by the bytes that they begin with. */
#ifndef KANON_IO_STREAMS_FOREIGN_H
#define KANON_IO_STREAMS_FOREIGN_H

#include "core/text.h"

/* Bytes that are looked at; fewer will do where a file is shorter. */
enum { KAN_FOREIGN_BYTES = 8192 };

/* What a file with these first bytes is, with its article, and how to make a table of it that can
 * be read; NULL where it may be text. */
typedef struct kan_foreign {
    const char *what, *remedy;
} kan_foreign;
const kan_foreign *kan_foreign_find(kan_slice first_bytes);
/* A workbook with a password is a container that begins with this mark, as old workbooks do, and has
 * an entry that says so: NULL where it is not in these bytes. */
#define KAN_CONTAINER_MARK "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
const kan_foreign *kan_foreign_find_encrypted(kan_slice bytes);

#endif
