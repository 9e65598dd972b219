/* A release: the rows of a table with other labels in some columns, some rows left out. It
 * describes what is to be written; it holds no row itself. */
#ifndef KANON_DATA_RELEASE_H
#define KANON_DATA_RELEASE_H

#include "data/table.h"

typedef struct kan_release_column {
    const char *name;
    size_t source_column;    /* its place in the input */
    bool passes_through;     /* the input's own field, read again; the members below are not used */
    bool is_quasi;           /* shows * in a suppressed row that is kept, whatever others do */
    bool by_group;           /* one code per group of rows: kan_release.group_of_row */
    unsigned width;          /* of a code: 1, 2 or 4 bytes */
    const void *codes;       /* one per input row, or per group */
    const kan_slice *labels; /* by code */
    uint32_t n_labels;
    const struct kan_field *field; /* what the input knows of it; NULL: text, of no known type */
    const struct kan_spelling *spelling; /* how labels are written in text; NULL: as they are */
    bool shows_values;                   /* labels are values of the input, none is generalized */
    bool is_kept;  /* no model looks at it: it stands there as it is in the input */
    bool is_made;  /* it is kept, but for numbers that were made of its own: calibrated weights */
    bool is_as_is; /* and its codes, as they stand there, each missing one by itself */
} kan_release_column;

typedef struct kan_release {
    uint64_t n_rows; /* of the table; of a counted one, rows that each stand for several */
    /* By row of the table: kan_table.counts, borrowed. Only an engine makes such a release. */
    const uint64_t *counts;
    uint64_t n_released; /* rows that will be written, kept suppressed ones included */
    size_t n_columns;
    kan_release_column *columns;  /* in the order of the input, ids left out */
    const uint8_t *is_suppressed; /* per input row; NULL: none is */
    bool keeps_suppressed;        /* suppressed rows stay, with * in every column */
    bool shows_suppressed;        /* in every quasi-identifier alone */
    bool guards_formulas;         /* cells that a spreadsheet would run get an apostrophe */
    const uint64_t *order; /* input rows in the order of writing, all of them; NULL: as read */
    const uint32_t *group_of_row; /* per input row; NULL unless a column is by_group */
} kan_release;

/* Whether the column stands there as it is in the input, though no model looks at it. */
static inline bool kan_release_keeps(const kan_release_column *column) {
    return column->passes_through || column->is_kept;
}

/* Rows of the input that a row of the table stands for. */
static inline uint64_t kan_release_count(const kan_release *release, uint64_t row) {
    return release->counts ? release->counts[row] : 1;
}

/* Whether a row shows * in the column, whatever it has there. */
static inline bool kan_release_hides(const kan_release *release, const kan_release_column *column,
                                     uint64_t row) {
    return release->is_suppressed && release->is_suppressed[row] &&
           (column->is_quasi || !release->shows_suppressed);
}

/* Whether a row is in the release and shows something. */
static inline bool kan_release_tells(const kan_release *release, uint64_t row) {
    return !(release->is_suppressed && release->is_suppressed[row]) ||
           (release->keeps_suppressed && release->shows_suppressed);
}

/* The code of a column in an input row; the column does not pass through. */
static inline uint32_t kan_release_code(const kan_release *release,
                                        const kan_release_column *column, uint64_t row) {
    const uint64_t at = column->by_group ? release->group_of_row[row] : row;
    switch (column->width) {
    case 1:
        return ((const uint8_t *)column->codes)[at];
    case 2:
        return ((const uint16_t *)column->codes)[at];
    default:
        return ((const uint32_t *)column->codes)[at];
    }
}

#endif
