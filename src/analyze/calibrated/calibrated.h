/* The door of analyze/calibrated: whether released weights are those of the original, calibrated by strata,
 * exactly as docs/papers/calibration.md defines them, and nothing else.
 *
 * Shares nothing with what calibrates. A released weight is held against the two bounds between which it has
 * to be rounded so, by products of whole numbers of any length. May touch core, data and analyze/tuples. */
#ifndef KANON_ANALYZE_CALIBRATED_CALIBRATED_H
#define KANON_ANALYZE_CALIBRATED_CALIBRATED_H

#include "data/table.h"

/* What is said of a release. */
typedef struct kan_calibrated_claim {
    const char *name; /* the column of the release */
    /* Of the original, all encoded and of as many rows: the weights, and what makes strata, as it was
     * before anything was done to it. */
    const kan_column *weight;
    const kan_column *const *strata;
    size_t n_strata;
    uint64_t k; /* the fewest that a stratum may lose where it loses any */
} kan_calibrated_claim;

typedef struct kan_calibrated_found {
    bool holds;           /* n_wrong, n_empty and n_small are 0 */
    uint64_t n_wrong;     /* rows with another weight */
    uint64_t first_wrong; /* the first of them, from 0 */
    uint64_t n_empty;     /* strata without a released row */
    uint64_t n_small;     /* strata that lost some, but fewer than k */
} kan_calibrated_found;

/* row_of[i] is the row of the original that row i of the release is, each once. O(rows * columns). */
KAN_MUST_USE kan_status kan_verify_calibrated(kan_run *run, const kan_calibrated_claim *claim,
                                              const kan_column *released, const uint64_t *row_of,
                                              kan_calibrated_found *out);

#endif
