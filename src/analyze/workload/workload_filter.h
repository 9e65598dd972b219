/* What the predicates of a query ask of one column: which of its values they allow.
 *
 * Numbers and dates are compared by value ("36.0" is 36), text by its bytes. Unknown values ("" and
 * "?") are allowed by a predicate that lists them, and by no range. */
#ifndef KANON_ANALYZE_WORKLOAD_WORKLOAD_FILTER_H
#define KANON_ANALYZE_WORKLOAD_WORKLOAD_FILTER_H

#include "data/table.h"
#include "io/side_files/side_files.h"

/* A column that is asked about. Its unit is the least step between values: a day of dates; of
 * numbers the last decimal that any value of the column has, so 1 where all are whole. */
typedef struct kan_value_column {
    kan_run *run;
    const char *name;
    const kan_dictionary *dictionary;
    double *numbers; /* by code; NaN: unknown. NULL: text */
    double per_unit; /* units in 1 */
} kan_value_column;

KAN_MUST_USE kan_status kan_value_column_init(kan_value_column *values, kan_run *run,
                                              const kan_column *column);
void kan_value_column_destroy(kan_value_column *values);

/* A number in units, without the error that binary fractions bring where it is a whole one. */
double kan_value_units(const kan_value_column *values, double number);

/* Adds a problem for everything that the workload asks of the column and that its type has no
 * answer to. */
void kan_workload_check(const kan_workload *workload, uint32_t name, const kan_column *column);
/* Notes values of text that the workload names and the column does not have: a typing error would
 * go unnoticed otherwise. */
void kan_workload_note_absent(const kan_workload *workload, uint32_t name,
                              const kan_column *column);
/* Adds the problem that a table has no column of that name. */
void kan_workload_report_missing(const kan_workload *workload, uint32_t name, const char *table,
                                 const char *const *columns, size_t n_columns);

typedef struct kan_filter {
    kan_run *run;
    uint8_t *allows; /* by code */
    /* Of numbers and dates: */
    bool has_list;
    size_t n_list;
    double *list; /* has_list: these alone are allowed; ascending, distinct, within the bounds */
    double lo, hi;
    bool lo_is_open, hi_is_open;
} kan_filter;

/* All predicates of the query on that column; *n_out is their number. Without any, everything is
 * allowed. What kan_workload_check complains of allows nothing. */
KAN_MUST_USE kan_status kan_filter_init(kan_filter *filter, const kan_value_column *values,
                                        const kan_workload *workload, const kan_query *query,
                                        uint32_t name, size_t *n_out);
/* One predicate alone. */
KAN_MUST_USE kan_status kan_filter_init_one(kan_filter *filter, const kan_value_column *values,
                                            const kan_workload *workload,
                                            const kan_predicate *predicate);
void kan_filter_destroy(kan_filter *filter);

bool kan_filter_allows_number(const kan_filter *filter, double number);

#endif
