/* How telling combinations of columns are: for all sets of one to four columns, how many different
 * combinations of values the rows have, how many rows are alone with theirs, and how many pairs of
 * rows are told apart.
 *
 * Columns come in the order of their interest. Where all sets would be more than the caller allows,
 * larger sets are made of the first columns alone: n_columns[s - 1] of them for sets of s. These
 * numbers never grow with s, so that every part of a set that is looked at is looked at, too. */
#ifndef KANON_ANALYZE_PROFILE_SUBSETS_H
#define KANON_ANALYZE_PROFILE_SUBSETS_H

#include "core/hash.h"
#include "data/table.h"

enum { KAN_SUBSET_SIZE = 4, KAN_SUBSET_COLUMNS = 64 };

typedef struct kan_subset {
    unsigned size;
    uint8_t columns[KAN_SUBSET_SIZE]; /* increasing places in the list of columns */
    uint32_t n_distinct;              /* combinations of values */
    uint32_t n_unique;                /* rows that are alone with theirs */
    uint64_t n_together;              /* pairs of rows that share theirs */
    bool is_minimal; /* it singles out the wanted share of rows, and no part of it does */
} kan_subset;

typedef struct kan_subset_question {
    const kan_table *table;
    const size_t *columns; /* of the table, encoded, in the order of their interest */
    unsigned n_columns;    /* at most KAN_SUBSET_COLUMNS */
    uint64_t n_rows;       /* take a random sample of so many rows where the table has more;
                              below 2^31 */
    uint64_t n_subsets;    /* look at no more sets than this, but at every single column */
    double telling;        /* share of unique rows from which on a set singles people out */
} kan_subset_question;

typedef struct kan_subsets {
    kan_run *run;
    uint32_t n_rows; /* that were looked at */
    bool is_sampled;
    unsigned n_columns[KAN_SUBSET_SIZE]; /* by size, less one */
    uint64_t n_all;                      /* sets of up to four that the columns have */
    uint64_t n_minimal;
    size_t n;
    kan_subset *list; /* the most telling first: by unique rows; of equals the smaller set, the one
                         that tells more pairs apart, the earlier columns */
} kan_subsets;

/* The sample is drawn with the run's seed. Sets are looked at on all threads; the answer is the
 * same for any number of them. Time O(sets x rows that are not yet alone), memory a few words per
 * sampled row and thread, and the sample's codes. The table must have a row. */
KAN_MUST_USE kan_status kan_subsets_measure(kan_run *run, const kan_subset_question *question,
                                            kan_subsets *out);
void kan_subsets_destroy(kan_subsets *subsets);

/* Share of the pairs of rows that are told apart; 0 when there is a single row. */
static inline double kan_subset_separation(const kan_subsets *subsets, const kan_subset *subset) {
    const uint64_t n = subsets->n_rows, pairs = n * (n - 1) / 2;
    return pairs ? (double)(pairs - subset->n_together) / (double)pairs : 0;
}

#endif
