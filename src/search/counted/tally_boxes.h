/* Branch and bound over boxes of nodes, by a counter: docs/papers/bisect.md, without sets.
 *
 * A box is decided by the numbers of its two corners; what is open is cut in two. The set of a low
 * corner is kept while its box is open, where it is large enough that counting from a smaller set
 * pays: at most one set per cut that is open. */
#ifndef KANON_SEARCH_COUNTED_TALLY_BOXES_H
#define KANON_SEARCH_COUNTED_TALLY_BOXES_H

#include "search/counted/tally.h"

typedef struct kan_tally_boxes {
    const uint64_t *known; /* which nodes satisfy, a bit each, where that is known; else NULL */
    uint64_t
        *satisfies; /* zero bits that are set for all nodes that satisfy; NULL: the best alone */

    /* What was found: */
    bool is_proven;  /* the judge's best is the best there is, and `satisfies` is complete */
    kan_score bound; /* no node costs less; when is_proven, the best's own score */
} kan_tally_boxes;

/* The judge of the tally keeps the best node. When the time is up and something was found, it ends
 * well, with is_proven false. */
KAN_MUST_USE kan_status kan_tally_boxes_search(kan_tally_run *tally, kan_tally_boxes *boxes);

#endif
