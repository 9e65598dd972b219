/* --calibrate: what released rows stand for, so that the sums of each stratum stay as they were.
 *
 * A stratum is a combination of the raw values of the columns of --calibrate. A released row of weight w shows
 * w * A / B: A is the sum of the weights of all rows of its stratum, B that of those which are released.
 * Computed exactly and rounded once, to 15 digits from the first on that is not 0, a half upwards; a row of a
 * stratum that lost nobody shows what it showed. What follows from that, and why a stratum loses nobody or k:
 * docs/papers/calibration.md. Recounted in analyze/calibrated. */
#ifndef KANON_JOB_RELEASE_CALIBRATE_H
#define KANON_JOB_RELEASE_CALIBRATE_H

#include "job/outcome/outcome.h"

typedef struct kan_calibration {
    uint32_t *codes;   /* by row of the table; of one that is left out it says nothing */
    kan_slice *labels; /* by code, each once, in the order of numbers; in the job's arena */
    uint32_t n_labels;
    kan_calibrated told; /* for who may see the release */
} kan_calibration;

/* `is_suppressed` by row of the table, NULL: none is. KAN_UNSATISFIED where a stratum has no row left, or lost
 * fewer than k: what its weights would tell is told of too few. Destroy it also when this fails; zero before. */
KAN_MUST_USE kan_status kan_calibration_make(const kan_setup *setup, const uint8_t *is_suppressed,
                                             kan_calibration *out);
/* How many rows a stratum loses, if any: where promises keep a row alone, still nobody's weight is told. */
uint64_t kan_calibrate_fewest(const kan_setup *setup);
void kan_calibration_destroy(kan_run *run, kan_calibration *calibration);

#endif
