/* Numbers: 0, 1, 2, ... for the groups of a node in the order in which their tuples come, for keys of
 * any number of words and any number of possible groups. What a part of the key says of the group is
 * numbered before the next part is added, wherever both would be too large for one word. */
#ifndef KANON_GROUP_FREQSETS_NUMBERS_H
#define KANON_GROUP_FREQSETS_NUMBERS_H

#include "group/freqsets/bitslices.h"
#include "group/freqsets/scatter.h"

/* One per thread; the room is reused. All 0 before the first call. */
typedef struct kan_numbers {
    uint64_t *parts; /* by tuple: what is known of its group so far */
    size_t room;
    kan_bitslices slices;
    kan_scatter scatter;
} kan_numbers;

void kan_numbers_destroy(kan_numbers *numbers, kan_run *run);

/* Whether the tuples of a set may be numbered, as far as memory goes: asked before room for the
 * numbers is made, which would stay. */
bool kan_numbers_have_room(const kan_numbers *numbers, const kan_run *run, const kan_freqset *from);

/* The group at `levels`, at or above those of the set, of each tuple: number_of[tuple] < *n. Tails
 * are ignored. `fits` is false where there are too many tuples, or too little memory. */
KAN_MUST_USE kan_status kan_numbers_make(kan_numbers *numbers, const kan_space *space,
                                         const kan_freqset *from, const unsigned *levels,
                                         uint32_t *number_of, size_t *n, bool *fits);

#endif
