/* The room of Incognito: full-domain searches that look at subsets of the attributes first.
 *
 * Where a subset fails every superset fails, so the subsets are done from the smallest on
 * (subset_search.h), each as a graph of the nodes that its own subsets leave (candidates.h,
 * graph_search.h). One variant starts from frequency sets that are made beforehand: a cube
 * (cube.h), or a part of it that fits a budget (materialize.h, view_sizes.h). The room may touch
 * what src/search may, and the door of levels. Candidates are open to search/counted, which walks
 * the same graphs without sets; of the rest other rooms use nothing. */
#ifndef KANON_SEARCH_INCOGNITO_INCOGNITO_H
#define KANON_SEARCH_INCOGNITO_INCOGNITO_H

#include "search/incognito/candidates.h"
#include "search/search.h"

extern const kan_search_kind kan_search_incognito;
extern const kan_search_kind kan_search_incognito_superroots;
extern const kan_search_kind kan_search_incognito_cube;

#endif
