/* Whom released rows fit, counted again, where a hidden or missing cell fits anything. Both tables are
 * folded to distinct tuples; those of the release are taken by what they hide, and met with the
 * original's by the columns that are left. O(patterns * original tuples * columns). */
#ifndef KANON_ANALYZE_VERIFY_RECOUNT_FITS_H
#define KANON_ANALYZE_VERIFY_RECOUNT_FITS_H

#include "analyze/verify/verify_release.h"

enum { KAN_FITS_COLUMNS = 64 };

typedef struct kan_fits_question {
    const kan_table *release, *original; /* sealed; the columns are encoded */
    const size_t *released, *originals;  /* columns, in the same order; at most KAN_FITS_COLUMNS */
    size_t n_columns;
    const uint8_t *is_left_out; /* by row of the original: it has no released row; NULL: each has */
    uint64_t k;
} kan_fits_question;

/* The tables have the same number of rows, those that were left out aside. */
KAN_MUST_USE kan_status kan_verify_fits(kan_run *run, const kan_fits_question *question,
                                        kan_fits_recount *out);

#endif
