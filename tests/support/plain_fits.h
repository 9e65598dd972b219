/* Rows that hide cells and whom they match, by definition, on tables small enough to try every way. */
#ifndef KANON_TESTS_PLAIN_FITS_H
#define KANON_TESTS_PLAIN_FITS_H

#include "search/fits/fits.h"
#include "support/question.h"
#include "support/random_problem.h"

enum { PLAIN_FITS_ROWS = 60, PLAIN_FITS_CELLS = 12, PLAIN_LEFT_OUT = -1, PLAIN_FITS_SETS = 64 };

typedef struct plain_fits {
    const plain_table *plain;
    size_t n_sets; /* by each of these columns and numbers */
    kan_fits_set sets[PLAIN_FITS_SETS];
    bool has_strata; /* rows that differ in attribute `stratum` match nothing of each other */
    unsigned stratum;
    unsigned n_ranks; /* hidden cells are counted by rank, the first before all others */
    uint8_t rank[KAN_MAX_ATTRIBUTES];
    int hidden[PLAIN_FITS_ROWS]; /* by row what it hides, or PLAIN_LEFT_OUT */
} plain_fits;

/* By all columns. */
void plain_fits_all(const plain_table *plain, uint64_t k, plain_fits *out);
bool plain_fits_is_missing(const plain_table *plain, size_t row, unsigned a);
/* Every row fits k people by each set, and every person is fitted by k rows. */
bool plain_fits_holds(const plain_fits *s);
uint64_t plain_fits_hidden(const plain_fits *s);
/* By rank, the first in the highest byte; n_ranks <= 8. */
uint64_t plain_fits_key(const plain_fits *s);
/* The least key of all ways to hide cells, below `best`. */
uint64_t plain_fits_least(plain_fits *s, uint64_t best);

/* Some columns of few values, of which some may be missing. */
void plain_fits_table(uint64_t *random, size_t n_rows, unsigned n_columns, plain_table *out);
/* What each row hides by an answer; rows that are alike in any order. */
void plain_fits_read(const test_problem *made, const kan_answer *answer, plain_fits *out);

#endif
