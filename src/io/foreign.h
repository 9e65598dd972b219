/* Files that are not text, by the bytes that they begin with. */
#ifndef KANON_IO_FOREIGN_H
#define KANON_IO_FOREIGN_H

#include "core/text.h"

/* Bytes that are looked at; fewer will do where a file is shorter. */
enum { KAN_FOREIGN_BYTES = 8192 };

/* What a file with these first bytes is, with its article, and how to make a CSV file of it; NULL
 * where it may be text. */
typedef struct kan_foreign {
    const char *what, *remedy;
} kan_foreign;
const kan_foreign *kan_foreign_find(kan_slice first_bytes);

#endif
