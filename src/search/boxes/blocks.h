/* A bound from below for costs that are sums over attributes, where the lattice is too large for boxes: the
 * attributes are divided into blocks, and each block is searched by itself, with all others at their highest
 * level. Its groups contain those of any node with the same levels in the block, so that it suppresses no row
 * that the node does not, and its cells give up no more. So the best of each block, added up, is not more than
 * the best of all: docs/papers/ladder.md. */
#ifndef KANON_SEARCH_BOXES_BLOCKS_H
#define KANON_SEARCH_BOXES_BLOCKS_H

#include "search/boxes/boxes.h"

typedef struct kan_blocks {
    const kan_question *question; /* by size alone, as in boxes.h */
    uint64_t most_nodes;          /* of a block's lattice, which has one attribute at least */
    uint64_t most_checked;        /* for each block */

    /* What was found: */
    bool has_bound; /* not where the cost is no such sum, people are counted, or time is up */
    double bound;   /* no node costs less */
    uint64_t n_checked;
} kan_blocks;

KAN_MUST_USE kan_status kan_blocks_search(kan_blocks *blocks);

#endif
