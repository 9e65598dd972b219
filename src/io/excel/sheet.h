/* The cells of a sheet.
 *
 * One walk over the sheet keeps, of each column, its distinct cells (cell.h) and a code per row. So
 * the types of columns are known before anybody asks for rows, the XML is parsed once, however often
 * columns are asked for, and no cell is looked into twice. Codes take 4 bytes per row and column, on
 * disk where the memory budget is short. */
#ifndef KANON_IO_EXCEL_SHEET_H
#define KANON_IO_EXCEL_SHEET_H

#include "data/encoder.h"
#include "io/excel/cell.h"
#include "io/excel/parts.h"

typedef struct kan_sheet_column {
    const char *name;
    kan_encoder cells; /* distinct keys; code 0 is the empty cell */
    unsigned types;    /* of cells that are not missing: bits 1 << kan_field_type */
    /* What is seen in the sheet, and not in the codes: */
    uint64_t n_empty_texts, n_errors; /* cells that are missing, and not empty */
    char error[16];                   /* the first, such as #N/A; cut off where it is longer */
    bool errors_differ, has_formula, is_merged;
} kan_sheet_column;

typedef struct kan_sheet {
    kan_run *run;
    const char *file, *name; /* for messages; borrowed */
    kan_cell_world world;    /* borrowed */
    kan_arena arena;         /* names of columns */
    uint32_t header_row, first_column;
    size_t n_columns;
    kan_sheet_column *columns;
    uint32_t **blocks; /* of block_rows rows each, column after column */
    size_t n_blocks, blocks_capacity, block_rows;
    uint64_t n_rows;          /* up to the last that has anything */
    uint64_t n_blank;         /* of these, without any value */
    uint64_t n_errors;        /* cells such as #N/A */
    bool ends_in_empty_texts; /* behind the last row: n_empty_texts counts some that are in none */
    uint64_t n_merged;        /* ranges that reach into the rows */
    char first_error[16];
} kan_sheet;

/* The codes of a column in a block. */
static inline uint32_t *kan_sheet_codes(const kan_sheet *sheet, size_t block, size_t column) {
    return sheet->blocks[block] + column * sheet->block_rows;
}

/* Reads all of it. `parts`, `strings` and `styles` are borrowed for as long as the sheet lives. */
KAN_MUST_USE kan_status kan_sheet_read(kan_package *package, const kan_parts *parts,
                                       const kan_strings *strings, const kan_styles *styles,
                                       kan_sheet *out);
void kan_sheet_destroy(kan_sheet *sheet);
/* Whether a column has cells of one text that whoever opens the workbook can tell apart; sheet_apart.c. */
KAN_MUST_USE kan_status kan_sheet_is_apart(const kan_sheet *sheet, size_t column, bool *out);

#endif
