/* The sizes of views, estimated: how many tuples the frequency set of each node of the lattice may
 * have, without making it.
 *
 * What is counted is the number of groups of each attribute and of each pair of attributes, at each
 * level. A tuple then grows attribute by attribute: each multiplies the number of combinations by
 * the least average number of its groups that go with a group of one attribute before it. Into so
 * many cells the tuples of the base are thrown.
 *
 * Where the lattice has too many nodes, levels of tall hierarchies are left out. */
#ifndef KANON_SEARCH_INCOGNITO_VIEW_SIZES_H
#define KANON_SEARCH_INCOGNITO_VIEW_SIZES_H

#include "search/incognito/cube.h"

typedef struct kan_view_sizes {
    kan_lattice lattice; /* places in order; a digit is a stop */
    /* The level of each stop; the last is the top. */
    uint8_t stops[KAN_MOST_CUBE_ATTRIBUTES][KAN_HEIGHT_MOST + 1];
    double *n_tuples; /* of each node of that lattice, at least 1 */
} kan_view_sizes;

/* At most `most_nodes` nodes, or two per attribute where that is more. */
KAN_MUST_USE kan_status kan_view_sizes_make(kan_subset_search *search, uint64_t most_nodes,
                                            kan_view_sizes *out);
void kan_view_sizes_destroy(kan_run *run, kan_view_sizes *sizes);

#endif
