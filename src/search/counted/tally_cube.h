/* The cube by a counter: the frequency sets of all subsets of the attributes at the lowest levels
 * (incognito.txt 3.3.2), kept where the rows are. */
#ifndef KANON_SEARCH_COUNTED_TALLY_CUBE_H
#define KANON_SEARCH_COUNTED_TALLY_CUBE_H

#include "search/counted/tally.h"

/* A set that is kept, and its size. */
typedef struct kan_tally_set {
    uint32_t number; /* KAN_COUNTER_BASE: none */
    uint64_t n_groups;
} kan_tally_set;

typedef struct kan_tally_cube {
    size_t n_masks;
    kan_tally_set *sets; /* by mask of attributes; kan_free by the caller */
} kan_tally_cube;

/* Each set is projected from the smallest one that has an attribute more. The set of all attributes is
 * the base. KAN_BAD_INPUT where there would be too many. */
KAN_MUST_USE kan_status kan_tally_cube_build(kan_tally_run *tally, kan_tally_cube *out);
/* The set of some attributes; number 0 for all of them. */
kan_tally_set kan_tally_cube_find(const kan_tally_cube *cube, uint64_t mask);
/* Drops all sets. */
KAN_MUST_USE kan_status kan_tally_cube_drop(kan_tally_run *tally, kan_tally_cube *cube);

#endif
