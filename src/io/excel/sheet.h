/* The cells of a sheet.
 *
 * One walk over the sheet keeps, of each column, its distinct cells (cell.h) and a code per row. So
 * the types of columns are known before anybody asks for rows, the XML is parsed once, however often
 * columns are asked for, and no cell is looked into twice. Codes take 4 to 8 bytes for each cell that
 * has a value (sheet_rows.c), on disk where the memory budget is short. */
#ifndef KANON_IO_EXCEL_SHEET_H
#define KANON_IO_EXCEL_SHEET_H

#include "data/encoder.h"
#include "io/excel/cell.h"
#include "io/excel/parts.h"

typedef struct kan_sheet_column {
    const char *name;
    kan_encoder cells; /* distinct keys; code 0 is the empty cell */
    unsigned types;    /* of cells that are not missing: bits 1 << kan_field_type */
    uint64_t n_values; /* rows that have one */
    /* What is seen in the sheet, and not in the codes: */
    uint64_t n_empty_texts, n_errors; /* cells that are missing, and not empty */
    char error[16];                   /* the first, such as #N/A; cut off where it is longer */
    bool errors_differ, has_formula, is_merged;
} kan_sheet_column;

/* Rows, one behind the other. */
typedef struct kan_sheet_block {
    uint32_t *words;
    size_t n_used;
} kan_sheet_block;

typedef struct kan_sheet {
    kan_run *run;
    const char *file, *name; /* for messages; borrowed */
    kan_cell_world world;    /* borrowed */
    kan_arena arena;         /* names of columns */
    uint32_t header_row, first_column;
    size_t n_columns;
    kan_sheet_column *columns;
    kan_sheet_block *blocks;
    size_t n_blocks, blocks_capacity;
    uint64_t n_rows;          /* up to the last that has anything */
    uint64_t n_blank;         /* of these, without any value */
    uint64_t n_errors;        /* cells such as #N/A */
    bool ends_in_empty_texts; /* behind the last row: n_empty_texts counts some that are in none */
    uint64_t n_merged;        /* ranges that reach into the rows */
    char first_error[16];
} kan_sheet;

/* A row that has any value, and where in the sheet the next one is looked for: at first {0}. */
typedef struct kan_sheet_row {
    uint32_t row;            /* below the header, from 0 on */
    size_t n;                /* cells */
    const uint32_t *columns; /* of each, in order; NULL: the i-th is of column i */
    const uint32_t *codes;   /* 0: it is empty */
} kan_sheet_row;
typedef struct kan_sheet_cursor {
    size_t block, at;
} kan_sheet_cursor;

/* False behind the last. What came before may be gone from memory. */
bool kan_sheet_next(const kan_sheet *sheet, kan_sheet_cursor *cursor, kan_sheet_row *out);
/* The code of a column; 0: it is empty. */
uint32_t kan_sheet_code(const kan_sheet_row *row, size_t column);
/* Adds a row below all others: n cells by column, in order. */
KAN_MUST_USE kan_status kan_sheet_add_row(kan_sheet *sheet, uint32_t row, size_t n,
                                          const uint32_t *columns, const uint32_t *codes);
void kan_sheet_free_rows(kan_sheet *sheet);

/* Reads all of it. `parts`, `strings` and `styles` are borrowed for as long as the sheet lives. */
KAN_MUST_USE kan_status kan_sheet_read(kan_package *package, const kan_parts *parts,
                                       const kan_strings *strings, const kan_styles *styles,
                                       kan_sheet *out);
void kan_sheet_destroy(kan_sheet *sheet);
/* Whether a column has cells of one text that whoever opens the workbook can tell apart; sheet_lookalikes.c. */
KAN_MUST_USE kan_status kan_sheet_is_apart(const kan_sheet *sheet, size_t column, bool *out);

#endif
