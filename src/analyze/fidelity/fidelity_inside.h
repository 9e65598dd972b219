/* The inside of analyze/fidelity: columns as they were read. */
#ifndef KANON_ANALYZE_FIDELITY_FIDELITY_INSIDE_H
#define KANON_ANALYZE_FIDELITY_FIDELITY_INSIDE_H

#include "analyze/fidelity/fidelity.h"
#include "analyze/workload/workload.h"

/* Points are the distinct values of the original's column, in order; the missing one is the first. */
typedef struct kan_point_run {
    uint32_t first, end;
} kan_point_run;

/* A released value. */
typedef struct kan_fidelity_cell {
    double n;                  /* values and units that it stands for */
    double middle;             /* NaN: text, missing or hidden */
    size_t first_run, end_run; /* the points among them */
    kan_showing showing;
    bool is_mean; /* nobody knows which values it stands for */
} kan_fidelity_cell;

typedef struct kan_fidelity_values {
    const kan_fidelity_column *column;
    kan_value_column values;
    uint32_t n_points, n_cells;
    uint32_t *point_of;       /* by code of the original */
    double *numbers;          /* by point; NaN: missing. NULL: text */
    bool has_missing;         /* the first point is */
    kan_fidelity_cell *cells; /* by code of the release */
    size_t n_runs, run_room;
    kan_point_run *runs; /* of cells, in their order */
    kan_released_cells told;
    /* Once it is weighed: */
    uint64_t *point_units, *point_rows, *cell_units, *cell_rows;
} kan_fidelity_values;

/* A class that a cell is in, and which share of it. */
typedef struct kan_class_share {
    uint32_t which;
    double share;
} kan_class_share;

/* The classes of a column, and which of them its values are in. Cells that are in one class alone have
 * the number of that class for a profile. */
typedef struct kan_fidelity_classes {
    kan_run *run;
    size_t n;            /* at most KAN_MOST_CLASSES */
    uint32_t *of_point;  /* class */
    uint32_t *of_cell;   /* profile */
    size_t n_profiles;   /* the first n are the classes */
    size_t *first_share; /* by profile, one more at the end */
    kan_class_share *shares;
    size_t n_shares, share_room;
} kan_fidelity_classes;

KAN_MUST_USE kan_status kan_fidelity_classes_make(kan_run *run, const kan_fidelity_values *values,
                                                  kan_fidelity_classes *out);
void kan_fidelity_classes_destroy(kan_fidelity_classes *classes);

/* Numbers of the rows of both tables, as steps of a scale: of the original its points, of the release
 * the distinct middles. */
typedef struct kan_number_scale {
    uint32_t n;
    uint32_t *step_of; /* by point, or by cell; KAN_NO_STEP: no number */
    double *numbers;   /* by step, ascending */
} kan_number_scale;
#define KAN_NO_STEP UINT32_MAX

/* One column of one table, row by row. */
typedef struct kan_number_rows {
    const kan_column *column;
    const uint32_t *point_of; /* by code; NULL: the code */
    const kan_number_scale *scale;
} kan_number_rows;

typedef struct kan_correlations {
    bool is_defined, has_covariance;
    double correlation, rank_correlation, covariance;
} kan_correlations;

/* Over the rows that have both. */
KAN_MUST_USE kan_status kan_correlate(kan_run *run, const kan_number_rows *a,
                                      const kan_number_rows *b, const kan_fidelity_weights *weights,
                                      kan_correlations *out);

struct kan_fidelity {
    kan_run *run;
    const kan_fidelity_question *question;
    kan_fidelity_values *columns; /* question->n_columns */
    bool keeps_rows;
    kan_fidelity_weights original, released;
    uint64_t original_units, released_units; /* of all rows */
    kan_fidelity_classes *classes;           /* by column, once pairs were measured */
};

/* Reads a column; what cannot be read is a problem. Initialised by this call, also when it fails. */
KAN_MUST_USE kan_status kan_fidelity_values_read(kan_run *run, const kan_fidelity_column *column,
                                                 const char *release_name,
                                                 kan_fidelity_values *out);
void kan_fidelity_values_destroy(kan_run *run, kan_fidelity_values *values);

/* Whether a cell may stand for the point. */
bool kan_fidelity_cell_covers(const kan_fidelity_values *values, const kan_fidelity_cell *cell,
                              uint32_t point);

/* A number, and what has it. */
typedef struct kan_weighted_number {
    double number;
    uint64_t units, rows;
} kan_weighted_number;

/* In ascending order. */
void kan_weighted_numbers_sort(kan_weighted_number *numbers, size_t n);

/* The numbers ascending, distinct or not; `units` is of all rows, with a number or without. */
void kan_number_summarize(const kan_weighted_number *numbers, size_t n, uint64_t units,
                          kan_number_summary *out);

#endif
