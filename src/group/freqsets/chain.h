/* The chain: group sizes at every level of the last attribute, without making the sets.
 *
 * In a sorted set the groups of each level of the last attribute are runs of neighbours, and the
 * runs of one level are made of those of the level below. So it is enough to know, between each
 * tuple and the one before, from which level on they fall together, and the sum of the rows before:
 * going up a level drops the borders that end there, and a group's size is the difference of two
 * sums. About three nanoseconds per tuple to begin with, one per group for each level. */
#ifndef KANON_GROUP_FREQSETS_CHAIN_H
#define KANON_GROUP_FREQSETS_CHAIN_H

#include "group/freqsets/freqset.h"

typedef struct kan_chain {
    const kan_space *space;
    unsigned attribute;
    /* A code per leaf whose leading bits name its group at each level: the highest bit in which two
     * leaves differ tells the level at which they fall together. */
    uint64_t *code_of_leaf;
    unsigned code_bits;
    uint8_t together_at[64]; /* by highest differing bit of the code */
    size_t n;                /* groups of the level in hand */
    /* n + 1 entries: the rows before the group, and in the lowest byte the level from which it and
     * the group before it are one. The last entry counts all rows. */
    uint64_t *borders;
    size_t room;
    kan_arena arena;
} kan_chain;

KAN_MUST_USE kan_status kan_chain_init(kan_chain *chain, const kan_space *space,
                                       unsigned attribute);
void kan_chain_destroy(kan_chain *chain);
/* Whether the chain can be used for sets of that layout: one word, no tails, the attribute is the
 * last field, at level 0, and the codes find room. */
bool kan_chain_fits(const kan_chain *chain, const kan_layout *layout);

/* Starts from a set in which the attribute stands at level 0. */
KAN_MUST_USE kan_status kan_chain_begin(kan_chain *chain, const kan_freqset *set);
/* Goes up to `level`, which is above the level in hand. */
void kan_chain_up(kan_chain *chain, unsigned level);
/* Rows of the groups with fewer than `least` rows; stops counting soon after `enough`. */
uint64_t kan_chain_small_rows(const kan_chain *chain, uint64_t least, uint64_t enough);

#endif
