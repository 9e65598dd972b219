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

/* A root is counted from the base (KAN_COUNTING_SCANS), from the set of the graph's super-root (3.3.1),
 * or from that of the subset at the lowest levels (KAN_COUNTING_CUBE, 3.3.2). Bits of all nodes that satisfy, zero before. */
KAN_MUST_USE kan_status kan_tally_graph_search(kan_tally_run *tally, kan_search_counting counting,
                                               uint64_t *satisfies);

#endif
