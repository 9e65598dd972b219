/* The mechanism, and nothing else: what it hands over is all that a release may be made of. */
#ifndef KANON_JOB_EPSILON_EPSILON_DRAW_H
#define KANON_JOB_EPSILON_EPSILON_DRAW_H

#include "core/secret.h"
#include "data/table.h"
#include "privacy/draws.h"

/* A column of the key: what its codes show, numbered in the order of the labels' bytes. */
typedef struct kan_draw_column {
    const kan_column *column;
    const uint32_t *shown; /* by code: the number of its label */
    uint32_t n_shown;
} kan_draw_column;

/* Groups of drawn rows, k rows or more each, in the order of their keys. */
typedef struct kan_drawn {
    kan_run *run;
    uint64_t n_groups, n_rows,
        smallest; /* rows of all of them; of the smallest, 0: there is none */
    uint64_t *size;
    uint32_t *key; /* n_columns numbers of labels for each group */
    size_t n_columns;
} kan_drawn;

/* Draws each row by itself, counts the drawn ones by what they show, and forgets groups of fewer than
 * draws->k. O(rows * columns). Initialised by this call, also when it fails. */
KAN_MUST_USE kan_status kan_draw_groups(kan_run *run, const kan_draw_column *columns,
                                        size_t n_columns, uint64_t n_rows, const kan_draws *draws,
                                        kan_secret *secret, kan_drawn *out);
void kan_drawn_destroy(kan_drawn *drawn);

#endif
