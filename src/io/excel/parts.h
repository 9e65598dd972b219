/* Which parts of a workbook belong to the sheet that is read. */
#ifndef KANON_IO_EXCEL_PARTS_H
#define KANON_IO_EXCEL_PARTS_H

#include "io/excel/package.h"

typedef struct kan_parts {
    const char *workbook;         /* the part that lists the sheets */
    const char *sheet;            /* its part */
    const char *sheet_name;       /* what people call it */
    const char *strings, *styles; /* NULL: there are none */
    bool is_1904;                 /* days count from 1904 on */
    bool is_hidden;               /* the sheet is */
} kan_parts;

/* The sheet of that name or, where none has it, of that number, from 1 on; NULL: the first, hidden
 * or not, as other programs that read tables do. Sheets that show charts alone are none. Texts live
 * in the arena. KAN_BAD_INPUT for what is no workbook, has macros, or no such sheet. */
KAN_MUST_USE kan_status kan_parts_find(kan_package *package, const char *sheet, kan_arena *arena,
                                       kan_parts *out);

/* A sheet as the workbook lists it. */
typedef struct kan_sheet_entry {
    const char *name, *part;
    uint64_t n_rows,
        n_columns; /* as the sheet says it, with the row of the names; 0: it does not */
    bool is_hidden;
} kan_sheet_entry;

/* All sheets of cells, in the order of the workbook. No cell is looked at: what a sheet says of its size
 * stands before its cells, and is asked of the first hundred alone. */
KAN_MUST_USE kan_status kan_parts_list(kan_package *package, kan_arena *arena,
                                       kan_sheet_entry **out, size_t *n);

#endif
