/* The door of search/boxes: branch and bound over the lattice of levels, for `bisect`, for `screen`,
 * and for every search that knows which nodes satisfy and asks for the best of them.
 *
 * A box is all nodes between two, its low and its high corner. What two counts tell about all of
 * its nodes at once decides most boxes: where the high corner fails every node does, where the low
 * one satisfies every node does, and no node costs less than the cost's bound for the groups at the
 * low corner and the rows that even the high corner loses. What is left open is cut in two. No node
 * is ever listed, so that the size of the lattice does not matter, only how far bounds reach.
 * The lowest node may rise before anything is looked at (root.h). May touch what search/judge may,
 * and search/judge. */
#ifndef KANON_SEARCH_BOXES_BOXES_H
#define KANON_SEARCH_BOXES_BOXES_H

#include "search/boxes/root.h"
#include "search/boxes/trail.h"
#include "search/judge/judge.h"

extern const kan_search_kind kan_search_bisect;

typedef struct kan_boxes {
    const kan_question *question;
    const kan_lattice *lattice;
    /* Which nodes satisfy, a bit each, when the caller knows it already; else NULL. */
    const uint64_t *known;
    /* When not NULL: zero bits, one per node, that are set for all nodes that satisfy. Without it
     * only the best node is looked for. */
    uint64_t *satisfies;
    /* NULL, or the question with the whole promise, of which that of `question` is the part by size
     * alone (kan_promise_by_size): only nodes that keep it count. Its cost grows with losses. With `satisfies`
     * it is monotone, and kan_strict_fits. */
    const kan_question *strict;
    /* Boxes that were cut so often are tasks for the threads; 0: where that pays. */
    unsigned task_cuts;
    bool is_part; /* of a larger search, which tells of progress itself */
    /* A node that counts and is known before, or not found. */
    kan_found seed;
    /* Nodes that may be checked; 0: any number. Without a stop, what is found depends on this number
     * alone: more of them continue what fewer began. Not with `satisfies`. */
    uint64_t most_checked;

    /* What was found: */
    bool is_proven;  /* the judge's best is the best there is, and `satisfies` is complete */
    kan_score bound; /* no node costs less; when is_proven, the best's own score */
    uint64_t n_checked;
    kan_effort effort;
    /* After how many nodes, in the order of the boxes, each better one was known, and how many there
     * were of those; threads may have looked at more. */
    kan_trail *trail; /* the caller's, empty before; NULL: it is not wanted */
    uint64_t n_reached;
} kan_boxes;

/* Searches; the judge keeps the best node. When the nodes are used up, or the time is up and something was found, it ends
 * well, with is_proven false. For monotone promises only. */
KAN_MUST_USE kan_status kan_boxes_search(kan_boxes *boxes, kan_judge *judge);

/* The best node, proven where that does not take too long: see ladder.h. The promise is monotone, or its
 * cost grows with what is lost and no people are counted. */
KAN_MUST_USE kan_status kan_boxes_find_best(const kan_question *question, kan_answer *answer);

/* The best of the satisfying nodes (a bit each) once a search knows them all without having
 * measured each; the judge keeps it. Looks at no more nodes than the bounds of the cost demand. */
KAN_MUST_USE kan_status kan_judge_find_best(kan_judge *judge, const kan_lattice *lattice,
                                            const uint64_t *satisfies, kan_effort *effort);

#endif
