/* The door of search/levels: searches over full-domain recodings that walk over the whole lattice, on
 * all threads (workers.h; breadth_first.h for both bottom-up searches), and the figures of all nodes
 * (survey.h); and the best node, by `bisect` or by `screen` (best.c). May touch what search/boxes may,
 * and search/boxes. */
#ifndef KANON_SEARCH_LEVELS_LEVELS_H
#define KANON_SEARCH_LEVELS_LEVELS_H

#include "search/judge/judge.h"
#include "search/levels/survey.h"
#include "search/search.h"

extern const kan_search_kind kan_search_exhaustive;
extern const kan_search_kind kan_search_bottom_up;
extern const kan_search_kind kan_search_bottom_up_rollup;
extern const kan_search_kind kan_search_samarati;
extern const kan_search_kind kan_search_hash_minimal;
extern const kan_search_kind kan_search_datafly;
extern const kan_search_kind kan_search_screen;

/* The best node that keeps the promise, by the cost: what `auto` finds. `out` is all 0 before, and is
 * destroyed also when this fails. */
KAN_MUST_USE kan_status kan_levels_best(kan_run *run, const kan_question *question,
                                        kan_answer *out);

#endif
