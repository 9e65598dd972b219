/* The loop that both bottom-up searches are: Figure 8 of Incognito on the lattice of all
 * attributes, from the bottom, height by height, with marks. */
#ifndef KANON_SEARCH_LEVELS_BREADTH_FIRST_H
#define KANON_SEARCH_LEVELS_BREADTH_FIRST_H

#include "search/search.h"

/* With `rolls_up` the frequency set of a node is made from that of the failing node below it which
 * has the fewest tuples; otherwise, and where no such set was kept, from the base. */
KAN_MUST_USE kan_status kan_breadth_first_search(kan_run *run, const kan_question *question,
                                                 const char *search, bool rolls_up,
                                                 kan_answer *out);

#endif
