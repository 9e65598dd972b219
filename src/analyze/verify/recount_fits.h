/* Whom released rows fit, counted again, where a hidden or missing cell fits anything. Both tables are
 * folded to distinct tuples; those of the release are taken by what they hide, and met with the
 * original's by the columns that are left. O(patterns * original tuples * columns). */
#ifndef KANON_ANALYZE_VERIFY_RECOUNT_FITS_H
#define KANON_ANALYZE_VERIFY_RECOUNT_FITS_H

#include "analyze/verify/verify_release.h"

enum { KAN_FITS_COLUMNS = 64 };

/* Rows of the original of which it is not known whether they have a released one. Of those of a block,
 * so many have one as it says, and no others of the release stand for them. */
typedef struct kan_fits_open {
    const uint32_t *block_of; /* by row of the original; KAN_FITS_KNOWN: it is known */
    size_t n_blocks;
    const uint64_t *n_released; /* by block */
} kan_fits_open;

#define KAN_FITS_KNOWN UINT32_MAX

/* Released people by how many rows fit them; a number may come several times. */
typedef struct kan_fits_sizes {
    size_t n;
    uint64_t *rows, *people;
} kan_fits_sizes;

void kan_fits_sizes_destroy(kan_run *run, kan_fits_sizes *sizes);

typedef struct kan_fits_question {
    const kan_table *release, *original; /* sealed; the columns are encoded */
    const size_t *released, *originals;  /* columns, in the same order; at most KAN_FITS_COLUMNS */
    size_t n_columns;
    bool has_strata; /* nothing is hidden in the last column: what is missing there is a value */
    const uint8_t *is_left_out; /* by row of the original: it has no released row, or is open; NULL:
                                   each has */
    const uint8_t *is_unseen;   /* by row of the release: it is not counted; NULL: each is */
    const kan_fits_open *open;  /* NULL: it is known who has a released row */
    uint64_t k;
    /* Rows of nothing but * that are not in the table, though they may be released: so many at least,
     * and at most. They fit everybody, and those whose they are, are in no danger. */
    uint64_t least_blank, most_blank;
    kan_fits_sizes *sizes; /* is made, where nothing is open; NULL: nobody asks */
} kan_fits_question;

/* A release with one more column, its last: the stratum of each row, which is that of a row of the original,
 * row_of[row]. Other columns are borrowed. What is made of it is to be destroyed, also after a failure. */
KAN_MUST_USE kan_status kan_stratified_make(kan_run *run, const kan_table *release,
                                            const kan_column *stratum, const uint64_t *row_of,
                                            kan_table *out);
void kan_stratified_destroy(kan_run *run, const kan_table *release, kan_table *made);

/* The tables have the same number of rows, those aside that are not counted. Where it is not known
 * who is released, a row or person is small where she is in every choice of them, and the promise
 * holds where it does in every choice. */
KAN_MUST_USE kan_status kan_verify_fits(kan_run *run, const kan_fits_question *question,
                                        kan_fits_recount *out);
/* The same by every set of so many of the columns in place of all of them, each with its k; without sizes
 * by all. Strata are in every set. Sizes of the question are not made. */
KAN_MUST_USE kan_status kan_verify_fits_sets(kan_run *run, const kan_fits_question *question,
                                             const kan_column_sets *subsets, kan_fits_recount *out);

#endif
