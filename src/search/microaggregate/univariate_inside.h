/* What the files of univariate share.
 *
 *   univariate_line.c    the values of the column as whole numbers, exactly where they can be
 *   univariate_path.c    the shortest path over rows in order
 *   univariate_column.c  the best groups of one column
 *   univariate_each.c    several columns, each by itself
 *   univariate.c         the search
 */
#ifndef KANON_SEARCH_MICROAGGREGATE_UNIVARIATE_INSIDE_H
#define KANON_SEARCH_MICROAGGREGATE_UNIVARIATE_INSIDE_H

#include "search/regions/regions.h"

/* ---- univariate_line.c ----------------------------------------------------------------------- */

/* Places on a line: whole steps above the least value, and what their squares are counted in. */
typedef struct kan_univariate_line {
    uint64_t *at;      /* by place: steps, rounded down where is_rounded */
    bool is_rounded;   /* a step is more than the values differ by */
    bool is_divisible; /* `multiple` is a multiple of k, k + 1, .. 2k - 1 */
    kan_u128 multiple; /* sums of squares are counted in steps squared over this */
} kan_univariate_line;

/* KAN_BAD_INPUT where a value is unknown, or no number or date of few enough digits. Free `at`
 * also when this fails. */
KAN_MUST_USE kan_status kan_univariate_line_make(const kan_partition_space *space, unsigned d,
                                                 kan_univariate_line *out);

/* ---- univariate_path.c ----------------------------------------------------------------------- */

/* Rows in order, as steps on the line. */
typedef struct kan_univariate_rows {
    kan_run *run;
    const uint64_t *at;
    size_t n;
    uint64_t k;
    kan_u128 multiple;
} kan_univariate_rows;

/* The least sum of squares of all ways to put the rows into groups of k or more: last[n] is how many
 * rows the last group has of the best groups of the first n; n + 1 entries. *total is the sum, each
 * group rounded up to a whole number. There are k rows at least. */
KAN_MUST_USE kan_status kan_univariate_solve(const kan_univariate_rows *rows, uint32_t *last,
                                             kan_u128 *total);

/* ---- univariate_column.c --------------------------------------------------------------------- */

typedef struct kan_univariate_column {
    const kan_partition_space *space;
    unsigned d; /* of its dimensions */
    kan_univariate_line line;
    uint32_t *tuples; /* in the order of their places */
    uint64_t *at;     /* by row, in that order: where a group begins, how many rows it has */
    uint32_t *last;   /* by row: of the best groups up to it, the rows of the last one */
    size_t n_rows;
    kan_u128 total;
} kan_univariate_column;

/* Destroy it also when this fails: KAN_BAD_INPUT where the column is not one of numbers or dates. */
KAN_MUST_USE kan_status kan_univariate_column_make(const kan_partition_space *space, unsigned d,
                                                   kan_univariate_column *out);
void kan_univariate_column_destroy(kan_univariate_column *column);
/* By which share of its sum of squares other groups could be better, at most. */
double kan_univariate_gap(const kan_univariate_column *column);

/* ---- univariate_each.c ----------------------------------------------------------------------- */

/* Every column of the space by itself; there are k rows at least. */
KAN_MUST_USE kan_status kan_univariate_each(const kan_partition_space *space, kan_answer *out);

#endif
