/* Sizes: how many rows the groups of a node have, without making its frequency set.
 *
 * A node's check often needs no more than the sizes of its groups, in any order. Where the groups
 * that are possible at the node are few enough for a counter each, a tuple's counter is found by
 * adding up one table entry for every few bits of its key: the attributes that stand at their top
 * cost nothing, small neighbours share a look-up, and a list of the counters that were touched
 * replaces any sorting or scanning. About two nanoseconds per tuple. Elsewhere groups are numbered as
 * they come, or the set is made. */
#ifndef KANON_GROUP_FREQSETS_SIZES_H
#define KANON_GROUP_FREQSETS_SIZES_H

#include "group/freqsets/bitslices.h"
#include "group/freqsets/numbers.h"
#include "group/freqsets/scatter.h"

/* One per thread; the room is reused. */
typedef struct kan_sizes {
    const kan_space *space;
    size_t n;               /* groups */
    const uint64_t *counts; /* rows of each, in no particular order */

    uint64_t *cells; /* a counter per possible group, zero between calls */
    size_t n_cells;
    uint32_t *touched;
    uint64_t *sizes;
    size_t touched_room, size_room;
    kan_bitslices slices;
    kan_scatter scatter; /* where a counter per possible group would be too many */
    kan_numbers numbers; /* where keys have several words */
    /* What was split last, when its groups were numbered; else NULL. */
    const kan_freqset *numbered;
    uint64_t numbered_edition; /* of that set, which may be filled anew */
    unsigned numbered_levels[KAN_MAX_ATTRIBUTES];
    kan_freqset set; /* where that is not enough */
    /* Where it is only asked which groups are small: */
    uint8_t
        *weights; /* by possible group: rows, up to the least that is not small; 0 between calls */
    uint32_t *cell_of; /* by tuple */
    size_t weight_room, cell_of_room;
    uint64_t n_small_rows;
    size_t n_small, n_large; /* groups */
    uint32_t *small;         /* tuples of small groups */
    size_t n_small_tuples, small_room;
    /* For climbing: the counters of all groups, those of one attribute next to each other. */
    uint64_t *rungs, *next_rungs;
    size_t rung_room, next_room;
    size_t n_others; /* groups of all other attributes; 0: there are no such counters */
    unsigned attribute, level;
    uint64_t edition; /* of what was counted: see group/view.h */
} kan_sizes;

void kan_sizes_init(kan_sizes *sizes, const kan_space *space);
void kan_sizes_destroy(kan_sizes *sizes);

/* The groups of the set's attributes at levels[d] for each attribute d, at or above those of the
 * set; its tails are ignored. Valid until the next call. */
KAN_MUST_USE kan_status kan_sizes_count(kan_sizes *sizes, const kan_freqset *from,
                                        const unsigned *levels, kan_workspace *workspace);

/* Counts only the groups of fewer than `least` rows, the rows of these, and the other groups, in
 * n_small, n_small_rows and n_large. `fits` is false, and nothing was counted, where kan_sizes_count
 * is as quick, or there would be too many counters: they have one byte each, so that there may be
 * many. */
KAN_MUST_USE kan_status kan_sizes_split(kan_sizes *sizes, const kan_freqset *from,
                                        const unsigned *levels, uint64_t least, bool *fits);

/* Lists the tuples of the groups of fewer than `least` rows, in `small` and n_small_tuples; what was counted
 * before stays. A set that was split last, at the same levels, must not have changed since. `fits` is false where there would be too many counters. */
KAN_MUST_USE kan_status kan_sizes_list_small(kan_sizes *sizes, const kan_freqset *from,
                                             const unsigned *levels, uint64_t least, bool *fits);

/* As kan_sizes_count, ready to climb: kan_sizes_climb then gives the groups at a higher level of that one
 * attribute without another pass over the tuples. False when it cannot; count again then. */
KAN_MUST_USE kan_status kan_sizes_begin(kan_sizes *sizes, const kan_freqset *from,
                                        const unsigned *levels, unsigned attribute,
                                        kan_workspace *workspace);
bool kan_sizes_climb(kan_sizes *sizes, unsigned level);

#endif
