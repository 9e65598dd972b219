/* Incognito by a counter: the loop of Figure 8 (incognito.txt 3.1), and where its frequency sets come
 * from (3.3).
 *
 * The graphs are those of search/incognito/candidates.h, one per subset of the attributes, smallest
 * subsets first. Nodes are taken by height; a node that satisfies marks its generalizations, one
 * that fails puts them into the queue, and its set stays while one of them is going to be rolled up
 * from it. */
#ifndef KANON_SEARCH_COUNTED_TALLY_GRAPH_H
#define KANON_SEARCH_COUNTED_TALLY_GRAPH_H

#include "search/counted/tally.h"
#include "search/incognito/incognito.h"

typedef enum kan_tally_supply {
    KAN_TALLY_SCANS,      /* each root is counted from the base */
    KAN_TALLY_SUPERROOTS, /* from the set of the graph's super-root (3.3.1) */
    KAN_TALLY_CUBE        /* from the set of the subset at the lowest levels (3.3.2) */
} kan_tally_supply;

/* Bits of all nodes that satisfy, zero before. */
KAN_MUST_USE kan_status kan_tally_graph_search(kan_tally_run *tally, kan_tally_supply supply,
                                               uint64_t *satisfies);

#endif
