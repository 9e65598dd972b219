/* Labels of intervals and lists as a stranger reads them: which values does the text hold? Nothing
 * here is shared with those who write them. For src/analyze alone.
 *
 *   [17-24]  [-10..-1]  [2003-01-01..2003-06-30]   numbers or dates, both bounds included
 *   [-1., .5]                                      the same, where points would run into each other
 *   [30, 32.5)  (30, 40]  (30,40)  [30,40]         numbers or dates; a round bracket leaves its bound
 *                                                  out: as pandas, R and others write them
 *   (-inf, 30]  (80, inf)                          the same without a bound
 *   [<20..24]  [85..>=90]  <20  >=80               the same without a bound: of a capped column
 *   {a, "b, c", d}                                 values; in quotes they may hold anything, quotes
 *                                                  doubled
 *   {?, [17-24]}                                   both, where the column holds numbers or dates
 *
 * Ranges have a meaning for columns of numbers and dates alone. Bounds are written as kanon writes
 * them, or as the table writes its values (decimal commas, forms of dates); a comma that could be
 * either, as in (1,5,2], makes it no range. */
#ifndef KANON_ANALYZE_COVER_READ_INTERVAL_H
#define KANON_ANALYZE_COVER_READ_INTERVAL_H

#include "data/spelling.h"
#include "data/table.h"

/* A range of numbers, or of dates as days. */
typedef struct kan_label_range {
    double lo, hi;
    bool lo_is_open, hi_is_open; /* the bound is not in it */
    bool lo_is_none, hi_is_none; /* it was written without one, and this is the column's */
    bool is_end;                 /* it was written as an end of a capped column: <20, >=80 */
} kan_label_range;

/* Calls with a run of codes first .. end-1 that a label holds, or with a range as it is written.
 * Where there is no bound it is the least or the greatest number of the column. */
typedef kan_status (*kan_label_codes_fn)(void *context, uint32_t first, uint32_t end);
typedef kan_status (*kan_label_range_fn)(void *context, const kan_label_range *range);

/* A column to read labels against. */
typedef struct kan_label_reader {
    kan_run *run;
    const kan_dictionary *dictionary;
    const kan_spelling *spelling; /* how the table writes its values; NULL: as kanon does */
    double *numbers;              /* by code; numbers and dates alone, ascending */
    uint32_t n_unknown;           /* codes without a number: the first ones */
    kan_text item;                /* room for one that stood in quotes */
    kan_label_range_fn on_range;  /* during kan_label_read_ranges; else NULL */
} kan_label_reader;

KAN_MUST_USE kan_status kan_label_reader_init(kan_label_reader *reader, kan_run *run,
                                              const kan_column *column);
void kan_label_reader_destroy(kan_label_reader *reader);

/* Calls `fn` with runs of codes first .. end-1 that the label holds; a label that is neither an
 * interval nor a list holds none. Stops at the first failure that fn returns. */
KAN_MUST_USE kan_status kan_label_read(kan_label_reader *reader, kan_slice label,
                                       kan_label_codes_fn fn, void *context);
/* The same, but ranges are told by their bounds, whether or not the column has values in them. */
KAN_MUST_USE kan_status kan_label_read_ranges(kan_label_reader *reader, kan_slice label,
                                              kan_label_codes_fn fn, kan_label_range_fn on_range,
                                              void *context);

/* Whether a label is a number, or a date, by itself; of a column of these alone. */
bool kan_label_number(const kan_label_reader *reader, kan_slice label, double *out);

#endif
