/* Sampling weights of a table (--sampling-weight): how many people of the population each row stands for.
 *
 * A weight is read from its text as whole units: as many decimals as any weight has, at most 18, and
 * fewer where the sum of all would not fit into 62 bits. So sums are exact, or of what was cut at the
 * same place everywhere, and depend on no order. What is cut makes a weight smaller, never larger. */
#ifndef KANON_JOB_INPUT_WEIGHT_INPUT_H
#define KANON_JOB_INPUT_WEIGHT_INPUT_H

#include "job/input/table_input.h"

typedef struct kan_row_weights {
    uint64_t *units;  /* by code of the column; the caller's */
    uint64_t total;   /* over all rows, below 2^62 */
    double one;       /* units of a person */
    uint64_t n_small; /* rows of less than one person */
    bool has_bad;     /* a row has no number above 0 there: first_bad */
    uint64_t first_bad;
} kan_row_weights;

/* Each row of the column counts once. KAN_BAD_INPUT where the sum is too large. Where a row has no
 * weight that is said in `out`: kan_row_weights_refuse tells of it. */
KAN_MUST_USE kan_status kan_row_weights_read(const kan_input *input, const kan_column *column,
                                             kan_row_weights *out);
/* KAN_BAD_INPUT: the row has no weight; `row` is that of the file. */
KAN_MUST_USE kan_status kan_row_weights_refuse(const kan_input *input, const kan_column *column,
                                               const kan_row_weights *weights, uint64_t row);
/* Notes weights that look normalized, or that are below 1. */
void kan_row_weights_note(const kan_input *input, const kan_column *column,
                          const kan_row_weights *weights);

static inline double kan_row_weights_people(const kan_row_weights *weights, uint64_t units) {
    return (double)units / weights->one;
}

#endif
