/* How sure somebody can be of a sensitive value who knows in which group a person is, of rows whose
 * groups the caller knows already. The same figures as alpha and n_rows_certain of
 * risk_sensitive.h, which groups by the values that a table shows. */
#ifndef KANON_ANALYZE_RISK_RISK_CONFIDENCE_H
#define KANON_ANALYZE_RISK_RISK_CONFIDENCE_H

#include "data/table.h"

/* One sensitive column. */
typedef struct kan_confidence {
    uint64_t part, whole; /* the largest share of a group that has one value; 0 of 0: no row */
    uint64_t n_certain;   /* rows of groups that have one value alone; or the different people of
                                groups in which everybody has one */
    uint64_t n_values;    /* different ones */
} kan_confidence;

typedef struct kan_confidence_question {
    uint64_t n_rows;
    size_t n_words; /* of a group's key */
    /* The key of a row's group; false: the row is in none. */
    bool (*find_group)(const void *context, uint64_t row, uint32_t *key);
    const void *context;
    size_t n_columns;
    const kan_column *const
        *columns;             /* encoded; of a counted table, rows count what they stand for */
    const kan_column *person; /* whose each row is: shares are of the different people of a group;
                                 NULL: of its rows */
} kan_confidence_question;

/* out[0 .. n_columns-1]. O(rows * columns); memory for the groups, and for the distinct pairs of
 * group and value; where people are counted, for each of these with each person. */
KAN_MUST_USE kan_status kan_confidence_measure(kan_run *run,
                                               const kan_confidence_question *question,
                                               kan_confidence *out);

#endif
