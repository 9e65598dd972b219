/* What released values stand for, as a stranger reads them, and which part of that a filter allows.
 *
 * A released value is, by its text alone,
 *   *                    every value that the original column has
 *   a value, or a label  the original values that it may stand for: itself, and all below a node of
 *                        that label, as far as the original has them
 *   [17-24]              every unit from 17 to 24 (kan_value_column), whether the original has it
 *                        or not
 *   {a, b, [17-24]}      the values and units that are listed
 *   a number             that no row of the original has: the mean of a group
 * in this order: what is a value or a label is that alone, however it looks. Each of the values and
 * units that it stands for counts alike: that is the assumption of uniformity. */
#ifndef KANON_ANALYZE_WORKLOAD_WORKLOAD_CELLS_H
#define KANON_ANALYZE_WORKLOAD_WORKLOAD_CELLS_H

#include "analyze/workload/workload_filter.h"
#include "data/hierarchies/hierarchies.h"

typedef struct kan_cell_run {
    uint32_t cell, first, end; /* codes of the original */
} kan_cell_run;

typedef struct kan_unit_range {
    uint32_t cell;
    double lo, hi; /* whole units, both included */
} kan_unit_range;

typedef struct kan_number_point {
    uint32_t cell;
    double number;
} kan_number_point;

/* The values of a released column; a cell is the code of one. All three lists are ordered by cell.
 */
typedef struct kan_released_cells {
    kan_run *run;
    uint32_t n;
    size_t n_runs, n_ranges, n_points, run_room, range_room, point_room;
    kan_cell_run *runs;
    kan_unit_range *ranges;
    kan_number_point *points;
    bool shows_means; /* some value is the mean, median or mode of a group: nobody knows the bounds
                         of that */
} kan_released_cells;

/* Reads every value of the released column. The hierarchy, bound to the original's column, may be
 * NULL. A value that stands for nothing is added with kan_problem_add (once for the column), and
 * KAN_BAD_INPUT returned. */
KAN_MUST_USE kan_status kan_released_cells_read(kan_released_cells *cells,
                                                const kan_value_column *values,
                                                const kan_column *original,
                                                const kan_column *released,
                                                const kan_hierarchy *hierarchy, const char *table);
void kan_released_cells_destroy(kan_released_cells *cells);

/* What a filter allows of one cell. */
typedef struct kan_cell_part {
    double n, n_allowed;         /* values and units: all of the cell, and those that are allowed */
    double n_known, n_valued;    /* numbers among them: of all, and of those that are allowed */
    double sum, least, greatest; /* of the allowed numbers; 0, inf and -inf without any */
} kan_cell_part;

typedef enum kan_fit {
    KAN_FIT_OUTSIDE, /* nothing of the cell is allowed */
    KAN_FIT_CUT,
    KAN_FIT_INSIDE /* all of it is */
} kan_fit;

static inline kan_fit kan_cell_fit(const kan_cell_part *part) {
    return part->n_allowed == 0        ? KAN_FIT_OUTSIDE
           : part->n_allowed < part->n ? KAN_FIT_CUT
                                       : KAN_FIT_INSIDE;
}

/* Into parts[0 .. cells->n - 1]. */
void kan_released_cells_filter(const kan_released_cells *cells, const kan_value_column *values,
                               const kan_filter *filter, kan_cell_part *parts);

#endif
