/* A question relaxed: k-anonymity alone, with the same limit, the same cost and all else. Whatever
 * keeps a promise that has k in it keeps k. */
#ifndef KANON_SEARCH_BOXES_RELAX_H
#define KANON_SEARCH_BOXES_RELAX_H

#include "search/search.h"

typedef struct kan_relaxed {
    kan_question question;
    kan_promise k_alone;
    kan_arena arena;
    bool is_part; /* no smaller group passes the whole promise: only then is k part of it */
} kan_relaxed;

/* `out` is what its question points into: it stays where it is. Destroy it in either case. */
KAN_MUST_USE kan_status kan_relaxed_make(kan_relaxed *out, const kan_question *question);
void kan_relaxed_destroy(kan_relaxed *relaxed);

#endif
