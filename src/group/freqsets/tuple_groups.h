/* Tuple groups: which group of a node each tuple of a set belongs to.
 *
 * Sizes (group/freqsets/sizes.h) say how large groups are, this also who is in them: for what has to be
 * counted group by group from something else than the tuples themselves. Groups are numbered as
 * they are met. Where the groups that are possible at the node are few, a tuple's is found by
 * adding up table entries (group/freqsets/bitslices.h), about three nanoseconds per tuple; else by hashing
 * its key. */
#ifndef KANON_GROUP_FREQSETS_TUPLE_GROUPS_H
#define KANON_GROUP_FREQSETS_TUPLE_GROUPS_H

#include "group/freqsets/bitslices.h"

#define KAN_MOST_GROUPED_TUPLES (UINT32_MAX / 2)

/* One per thread; the room is reused. */
typedef struct kan_tuple_groups {
    const kan_space *space;
    size_t n;           /* groups */
    uint32_t *group_of; /* by tuple */
    size_t tuple_room;
    /* By number, or by slot of the hash table: the group from 1 on, 0 between calls. */
    uint32_t *cells;
    size_t cell_room;
    uint32_t *used; /* the cell of each group */
    size_t used_room;
    kan_bitslices slices;
    uint64_t *keys; /* of groups, where they are hashed */
    size_t key_room;
} kan_tuple_groups;

void kan_tuple_groups_init(kan_tuple_groups *groups, const kan_space *space);
void kan_tuple_groups_destroy(kan_tuple_groups *groups);

/* The groups of the set's attributes at levels[d] for each attribute d, at or above those of the
 * set; its tails are ignored. The set has at most KAN_MOST_GROUPED_TUPLES. Valid until the next call. */
KAN_MUST_USE kan_status kan_tuple_groups_find(kan_tuple_groups *groups, const kan_freqset *set,
                                              const unsigned *levels);

#endif
