/* What a cell means.
 *
 * A sheet keeps each distinct cell of a column once, by a key: a letter that says how to read the
 * rest, and the text of the file, which is only looked into when it is new. "" is an empty cell. */
#ifndef KANON_IO_EXCEL_CELL_H
#define KANON_IO_EXCEL_CELL_H

#include "io/excel/strings.h"
#include "io/excel/styles.h"
#include "io/field.h"

/* Letters of keys, beside those of kan_number_style. */
enum { KAN_CELL_SHARED = 's', KAN_CELL_TEXT = 't', KAN_CELL_BOOLEAN = 'b', KAN_CELL_ISO = 'd' };

/* What cells refer to. */
typedef struct kan_cell_world {
    const kan_strings *strings;
    bool is_1904;
} kan_cell_world;

typedef struct kan_cell {
    kan_field_type type;
    kan_slice text;                 /* in the form of io/field.h; "" is missing */
    char room[KAN_NUMBER_ROOM * 2]; /* may hold the text */
} kan_cell;

/* False where the key has no meaning; *why says so. */
KAN_MUST_USE bool kan_cell_read(const kan_cell_world *world, kan_slice key, kan_cell *out,
                                const char **why);

/* The number of a cell that is one; false: it is none. */
bool kan_cell_number(kan_slice text, double *out);

/* "C7" into `room` (at least 16 bytes); row and column from 0 on. */
const char *kan_cell_name(uint32_t row, uint32_t column, char *room);

#endif
