/* Rows that show nothing but *, in every column: suppressed rows that were kept for their number.
 *
 * Whoever knows that somebody is in the table learns nothing from such a row, so it is set aside
 * before anything is counted, and may be as rare as it likes. A row that shows * in all
 * quasi-identifiers and something else in any other column is not one of them: what it shows is
 * known of the few who were suppressed, and it counts like any row. */
#ifndef KANON_ANALYZE_VERIFY_BLANK_H
#define KANON_ANALYZE_VERIFY_BLANK_H

#include "data/table.h"
#include "io/source.h"

/* A table without its blank rows. */
typedef struct kan_shown_rows {
    kan_run *run;
    uint64_t n_blank;
    uint64_t first_blank; /* a row, from 0; where there is any */
    kan_table *table;     /* the other rows, with dictionaries of what they have; NULL where no row
                             is blank or every one is */
    uint64_t *row_of;     /* for each of them, its place in the table that was given */
} kan_shown_rows;

/* Looks for blank rows in a sealed table. `source` is what it was read from, and is read once more
 * for the columns that are not encoded, if the others have blank rows at all; NULL: every column is
 * encoded. O(rows * columns). */
KAN_MUST_USE kan_status kan_shown_rows_find(kan_run *run, const kan_table *table,
                                            kan_source *source, kan_shown_rows *out);
void kan_shown_rows_destroy(kan_shown_rows *rows);

/* The row of the table that was given; row is one of out->table, or of the same table. */
static inline uint64_t kan_shown_row(const kan_shown_rows *rows, uint64_t row) {
    return rows->row_of ? rows->row_of[row] : row;
}

#endif
