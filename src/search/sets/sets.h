/* The room of cells that are shown again where sets of columns are promised (docs/papers/subsets.md).
 *
 * What a search of local recodings finds under groups by all columns keeps the promise, and hides more than it has
 * to. This one takes such an answer, and shows cells of it in more detail while every set of columns keeps its
 * k. Rows that were left out stay out. */
#ifndef KANON_SEARCH_SETS_SETS_H
#define KANON_SEARCH_SETS_SETS_H

#include "search/search.h"

/* Shows cells again; the answer is one of nodes of the hierarchies, row by row, and is replaced where it gets
 * better. It goes on for a number of steps, or until it should stop. The same on any number of threads. */
KAN_MUST_USE kan_status kan_sets_improve(kan_run *run, const kan_question *question,
                                         const kan_column_sets *subsets, kan_answer *answer);

#endif
