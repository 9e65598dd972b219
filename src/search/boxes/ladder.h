/* The search for levels that is good at every moment: proof where that is near, else good answers
 * first and proof in what is left.
 *
 * A rung is the same question with a limit of its own. Below the question's own stand those of a fixed
 * ladder (0, 1, 2, 5, 10, 20, 50 %): what is good there is allowed here. Each rung does the same things
 * in the same order, whichever question it belongs to: boxes with so many nodes (boxes.h); where these
 * do not prove, walks (walk.h) that begin with its best, or with that of the rung below; then boxes
 * again, with more nodes and something better to compare with; and so on.
 *
 * Effort is counted in steps of each rung by itself: a node that boxes look at; in walks one that is tried, or
 * several where the limit is loose. So the answer
 * after any number of them is the same on every machine and on any number of threads, never worse after
 * more of them, and never worse than at a tighter limit of the ladder after as many. The first boxes of
 * the question's own limit come before everything else, and when they prove, that is all. */
#ifndef KANON_SEARCH_BOXES_LADDER_H
#define KANON_SEARCH_BOXES_LADDER_H

#include "search/boxes/boxes.h"

/* How many steps the items have; the default follows from the problem. */
typedef struct kan_ladder_pace {
    uint64_t first_boxes;                /* nodes of the first boxes */
    uint64_t first_walks;                /* steps of each of the first walks */
    uint64_t walks_per_box;              /* steps that are walked for each node of boxes */
    uint64_t most_steps;                 /* where the question does not say */
    uint64_t block_nodes, block_checked; /* of the blocks that bound the cost (blocks.h) */
} kan_ladder_pace;

kan_ladder_pace kan_ladder_default(const kan_problem *problem);

/* Fills in the best node, and what is proven of it. The promise is monotone, or its cost grows with
 * what is lost and no people are counted. */
KAN_MUST_USE kan_status kan_ladder_search(const kan_question *question, const kan_ladder_pace *pace,
                                          kan_answer *answer);

#endif
