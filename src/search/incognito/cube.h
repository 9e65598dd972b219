/* The cube: the frequency sets of all subsets of the attributes at zero generalization
 * (incognito.txt 3.3.2).
 *
 * Each is projected from the smallest set that has one attribute more, so the largest subsets come
 * first. Sets that would not fit into the memory are left out; what would be made from them is made
 * from what is there. */
#ifndef KANON_SEARCH_INCOGNITO_CUBE_H
#define KANON_SEARCH_INCOGNITO_CUBE_H

#include "search/incognito/subset_search.h"

/* A million subsets: beyond that even a list of them is a burden. */
enum { KAN_MOST_CUBE_ATTRIBUTES = 20 };

typedef struct kan_cube {
    kan_run *run;
    size_t n_masks;
    kan_freqset **sets; /* by mask of places; NULL: not kept */
    uint64_t bytes;     /* of all sets */
} kan_cube;

/* Keeps at most `most_bytes`. The set of all attributes is the search's own base, and not here. */
KAN_MUST_USE kan_status kan_cube_build(kan_subset_search *search, uint64_t most_bytes,
                                       kan_cube *out);
void kan_cube_destroy(kan_cube *cube);

#endif
