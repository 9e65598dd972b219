/* Whether every released row stands for an original row of its own, and which that is. */
#ifndef KANON_ANALYZE_COVER_COVER_ROWS_H
#define KANON_ANALYZE_COVER_COVER_ROWS_H

#include "data/hierarchies/hierarchies.h"

/* A column of the release and the one of the original that it was made from. */
typedef struct kan_cover_pair {
    size_t released, original;
    const kan_hierarchy *hierarchy; /* bound to the original's column; NULL: none is known. Not
                                       looked at for columns that must be equal */
} kan_cover_pair;

/* A released quasi-identifier covers an original value when it is the value itself, or its label at
 * any level of the hierarchy, or *; with reads_intervals also when it is none of these for any
 * value, but an interval or a list that holds the value (interval_label.h). All other pairs cover
 * when the bytes are the same. */
typedef struct kan_cover_question {
    const kan_table *release, *original; /* sealed; all columns of the pairs are encoded */
    const kan_cover_pair *quasi;
    size_t n_quasi;
    const kan_cover_pair *others; /* must be equal */
    size_t n_others;
    bool reads_intervals;
    bool needs_order; /* rows in another order than the original's are not accepted */
    /* Original rows, each once, in the order that the release is said to have; NULL: their own.
     * Where the rows stand for each other in this order the cover holds, whoever said it. */
    const uint64_t *order;
    /* By original row, whether it is said to have no released one; NULL: nothing is said. Where the
     * others stand for the released rows the cover holds, whoever said it; else it is not looked at. */
    const uint8_t *is_left_out;
    /* Each released row must stand for the one in its own place of the order: nothing is searched.
     * Whoever asks so of counted tables has compared their counts (told.c). */
    bool in_place;
} kan_cover_question;

typedef struct kan_cover {
    bool holds;               /* every released row has an original row of its own */
    bool in_order;            /* and the rows stand in the order of the original */
    uint64_t n_unmatched;     /* released rows for which no original row is left; with needs_order
                                 all from the first on that breaks the order */
    uint64_t first_unmatched; /* the first such row of the release, from 1; 0: none */
    const char *fault_column; /* where its value covers no original value at all; NULL: unclear.
                                 Borrowed from the release */
    uint64_t n_not_released;  /* original rows without a released one */
} kan_cover;

/* Matches released with original rows, no original row twice. In the order of the original it is
 * O(rows * columns). Rows in another order are matched exactly as well, as the largest matching of
 * distinct tuples; where that would be too much work it is KAN_FAILED, never a guess. */
KAN_MUST_USE kan_status kan_verify_cover(kan_run *run, const kan_cover_question *question,
                                         kan_cover *out);

/* Which original row each released row is, where they stand in the order of the original (the
 * question's order, or their own). Taken as early as possible, and as late as possible: a row for
 * which both is the same can be no other. */
typedef struct kan_rows_found {
    bool in_order;   /* each has one; the members below hold then */
    uint64_t n_open; /* rows that could be several, and which of them is not known */
} kan_rows_found;

/* row_of[released] is the original row, the earliest one where it is open. O(rows * columns). */
KAN_MUST_USE kan_status kan_verify_find_rows(kan_run *run, const kan_cover_question *question,
                                             uint64_t *row_of, kan_rows_found *out);

/* The same, but a row that could be several is UINT64_MAX. */
KAN_MUST_USE kan_status kan_verify_certain_rows(kan_run *run, const kan_cover_question *question,
                                                uint64_t *row_of, kan_rows_found *out);

/* Which original rows have a released one, as far as the order of the rows tells. A block is a run of
 * released rows of which none is certain, or is one alone, and the original rows that they may be. */
typedef struct kan_rows_open {
    kan_run *run;
    bool in_order;      /* the members below hold then */
    uint32_t *block_of; /* by original row: KAN_ROW_THERE, KAN_ROW_GONE, or its block */
    size_t n_blocks;
    uint64_t *n_released; /* by block */
} kan_rows_open;

#define KAN_ROW_THERE UINT32_MAX
#define KAN_ROW_GONE  (UINT32_MAX - 1)

/* O(rows * columns), and up to 2^26 looks at a row that may be one of several; where these do not
 * suffice, a block has all original rows between its first and its last. */
KAN_MUST_USE kan_status kan_verify_open_rows(kan_run *run, const kan_cover_question *question,
                                             kan_rows_open *out);
void kan_rows_open_destroy(kan_rows_open *rows);

#endif
