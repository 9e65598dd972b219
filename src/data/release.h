/* A release: the rows of a table with other labels in some columns, some rows left out. It
 * describes what is to be written; it holds no row itself. */
#ifndef KANON_DATA_RELEASE_H
#define KANON_DATA_RELEASE_H

#include "data/table.h"

typedef struct kan_release_column {
    const char *name;
    size_t source_column;    /* its place in the input */
    bool passes_through;     /* the input's own field, read again; the members below are not used */
    bool is_quasi;           /* shows * in a suppressed row that is kept */
    unsigned width;          /* of a code: 1, 2 or 4 bytes */
    const void *codes;       /* one per input row */
    const kan_slice *labels; /* by code */
    uint32_t n_labels;
} kan_release_column;

typedef struct kan_release {
    uint64_t n_rows;     /* of the input */
    uint64_t n_released; /* rows that will be written, kept suppressed ones included */
    size_t n_columns;
    kan_release_column *columns;  /* in the order of the input, ids left out */
    const uint8_t *is_suppressed; /* per input row; NULL: none is */
    bool keeps_suppressed;        /* suppressed rows stay, with * in every quasi-identifier */
    const uint64_t *order; /* input rows in the order of writing, all of them; NULL: as read */
} kan_release;

#endif
