/* Where a box is cut: which attribute, and between which of its levels. For boxes.c and box_explorer.c
 * alone. Whatever is chosen, the best node and its proof are the same; only how many nodes are looked at
 * depends on it. */
#ifndef KANON_SEARCH_BOXES_BOX_CUT_H
#define KANON_SEARCH_BOXES_BOX_CUT_H

#include "search/boxes/box_explorer.h"

/* Of one attribute, levels up to `middle` below, the others above. */
typedef struct kan_box_cut {
    unsigned attribute, middle;
} kan_box_cut;

/* What the groups of one attribute at a level are, in 1024ths of a bit: whole numbers, which are the same
 * on every machine. */
typedef struct kan_level_width {
    uint32_t number; /* how many there are */
    uint32_t spread; /* how many they are worth, as some have few rows: their entropy */
} kan_level_width;

/* Prepares cuts by prices of levels, where the cost's bound looks at levels. */
KAN_MUST_USE kan_status kan_box_cut_price(kan_box_plan *plan, const kan_box_explorer *e);
/* Elsewhere: by the groups of the levels between the corners of the root. */
KAN_MUST_USE kan_status kan_box_cut_spread(kan_box_plan *plan, const kan_box_explorer *e,
                                           const kan_box *root);

/* Of an open box, which has more than one node. */
kan_box_cut kan_box_cut_choose(const kan_box_explorer *e, const kan_box *b);

#endif
