/* The room of hidden cells that match anything: (k,k)-anonymity (docs/papers/matching.md).
 *
 * A released row fits a person when each cell that it shows is hers; a cell that is hidden or missing
 * fits anything. The promise: every released row fits k of the released people, and every one of these
 * is fitted by k released rows; by all columns at once, or by each of several sets of them. Groups of k
 * rows that look alike keep it, so the answer of any search of cell suppression does. This one takes such
 * an answer, and shows cells of it again while the promise holds. Rows that were left out stay out, and
 * count on neither side.
 *
 * Where the question keeps rows apart, by strata, nobody fits anybody of another stratum. */
#ifndef KANON_SEARCH_FITS_FITS_H
#define KANON_SEARCH_FITS_FITS_H

#include "search/search.h"

/* Columns by which rows and people are held against each other, and how many there have to be. */
typedef struct kan_fits_set {
    uint64_t columns;
    uint64_t k;
} kan_fits_set;

typedef struct kan_fits_wants {
    /* The promise; none: all columns, and the k of the question. The k of the question is that of no
     * set less. */
    size_t n_sets;
    const kan_fits_set *sets;
    /* Hidden cells are counted by rank, and fewer of the first are worth any number of those after it;
     * n_ranks is 0 where the cost of the question and weights are followed. */
    unsigned n_ranks;
    uint8_t rank[KAN_MAX_ATTRIBUTES]; /* by column, from 0 */
} kan_fits_wants;

typedef struct kan_fits_found {
    bool is_known; /* it was looked for: there are not too many rows */
    uint64_t n_before,
        n_hidden; /* cells of released rows that are hidden, of those that are known */
    bool has_least;
    uint64_t least; /* fewer cells of these rows cannot be hidden, whoever looks for them */
    /* The same by rank: fewer than least_by of one only with more than least_by of one before. */
    uint64_t hidden_by[KAN_MAX_ATTRIBUTES], least_by[KAN_MAX_ATTRIBUTES];
} kan_fits_found;

/* Shows cells again; the answer is one of cell suppression, and is replaced where it gets better. It
 * goes on for a number of steps, or until it should stop. The same on any number of threads. */
KAN_MUST_USE kan_status kan_fits_improve(kan_run *run, const kan_question *question,
                                         const kan_fits_wants *wants, kan_answer *answer,
                                         kan_fits_found *found);

#endif
