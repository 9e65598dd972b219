/* The room of hidden cells that match anything: (k,k)-anonymity (docs/papers/matching.md).
 *
 * A released row fits a person when each cell that it shows is hers; a cell that is hidden or missing
 * fits anything. The promise: every released row fits k of the released people, and every one of these
 * is fitted by k released rows. Groups of k rows that look alike keep it, so the answer of any search
 * of cell suppression does. This one takes such an answer, and shows cells of it again while the
 * promise holds. Rows that were left out stay out, and count on neither side. */
#ifndef KANON_SEARCH_FITS_FITS_H
#define KANON_SEARCH_FITS_FITS_H

#include "search/search.h"

typedef struct kan_fits_found {
    bool is_known; /* it was looked for: there are not too many rows */
    uint64_t n_before,
        n_hidden; /* cells of released rows that are hidden, of those that are known */
    bool has_least;
    uint64_t least; /* fewer cells of these rows cannot be hidden, whoever looks for them */
} kan_fits_found;

/* Shows cells again; the answer is one of cell suppression, and is replaced where it gets better. It
 * goes on for a number of steps, or until it should stop. The same on any number of threads. */
KAN_MUST_USE kan_status kan_fits_improve(kan_run *run, const kan_question *question,
                                         kan_answer *answer, kan_fits_found *found);

#endif
