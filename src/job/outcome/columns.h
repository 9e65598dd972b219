/* What became of every column of the input, and what is told of it. */
#ifndef KANON_JOB_OUTCOME_COLUMNS_H
#define KANON_JOB_OUTCOME_COLUMNS_H

#include <jansson.h>

#include "analyze/risk/risk.h"
#include "job/released/released.h"

#define KAN_NOT_COUNTED UINT64_MAX

/* What is known of the columns once rows are chosen; zero before. */
typedef struct kan_column_findings {
    uint64_t n_released; /* rows that show something */
    /* Columns that are released as they are though no model looks at them: kept ones, the class. */
    size_t n_open;
    size_t *open; /* their places in the table, ascending */
    /* Released rows that are alone with all quasi-identifiers as they are released; with these and
     * each column; with these and all columns at once. KAN_NOT_COUNTED: a column stays where the
     * rows were counted. What is alone by a column is what is alone with it, less n_alone. */
    uint64_t n_alone;
    uint64_t *n_single;
    uint64_t n_together;
    /* Columns that name people. */
    size_t n_ids;
    size_t *ids;
    kan_people *people;
    /* Columns of --calibrate that are not released as they are: weights can tell them. */
    size_t n_told;
    size_t *told;
} kan_column_findings;

KAN_MUST_USE kan_status kan_columns_find(const kan_setup *setup, const kan_release *release,
                                         kan_column_findings *out);
void kan_columns_destroy(kan_run *run, kan_column_findings *findings);

/* Whether a careful person has to look at what no model looks at: somebody is alone by it, or nobody
 * knows. */
bool kan_columns_are_open(const kan_column_findings *findings);

/* Notes of what a careful person must know: a name that repeats. */
void kan_columns_tell(const kan_setup *setup, const kan_column_findings *findings);

/* The key `columns`: every column of the input, its role, what became of it. */
json_t *kan_columns_json(const kan_released *released, const kan_column_findings *findings);
/* The key `people`: what the columns say that name people. */
json_t *kan_columns_people_json(const kan_setup *setup, const kan_column_findings *findings);

/* The lines of the summary for all columns but the quasi-identifiers. */
void kan_columns_add(kan_text *text, const kan_setup *setup, const kan_column_findings *findings);

#endif
