/* The distinct tuples of a table with their codes, for those who look at sets of columns: matching
 * (matches.h) and special uniques (suda.h).
 *
 * A tuple is what rows show in all of the columns. A value is hidden where it is *, or missing. */
#ifndef KANON_ANALYZE_RISK_RISK_TUPLES_H
#define KANON_ANALYZE_RISK_RISK_TUPLES_H

#include "core/memory.h"
#include "data/table.h"

enum { KAN_RISK_COLUMNS = 64 };

typedef struct kan_risk_tuples {
    kan_run *run;
    uint64_t n_rows;        /* of the input, where the table is a counted one */
    uint32_t n;             /* distinct tuples, numbered as rows show them first */
    unsigned n_columns;     /* at most KAN_RISK_COLUMNS */
    uint32_t *codes;        /* n for each column */
    uint32_t *n_codes;      /* by column: its codes are below */
    uint64_t *rows;         /* of each tuple */
    uint64_t *first_row;    /* that shows it */
    uint64_t *hidden;       /* of each tuple, a bit for each column where its value is hidden */
    uint32_t *tuple_of_row; /* by row of the table; on disk where memory is short (core/spill.h) */
} kan_risk_tuples;

/* Folds a sealed table by encoded columns, one at least; a table of 2^32 rows or more is
 * KAN_FAILED. O(rows * columns); memory for the tuples and four bytes a row. */
KAN_MUST_USE kan_status kan_risk_tuples_make(kan_run *run, const kan_table *table,
                                             const size_t *columns, size_t n_columns,
                                             kan_risk_tuples *out);
void kan_risk_tuples_destroy(kan_risk_tuples *tuples);

static inline const uint32_t *kan_risk_codes(const kan_risk_tuples *tuples, unsigned column) {
    return tuples->codes + (size_t)column * tuples->n;
}

#endif
