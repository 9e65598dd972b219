/* The room of full-domain searches: one level per attribute, the same for all its values.
 *
 * The choices form a lattice (lattice.h). Its nodes are checked and measured by a judge (judge.h),
 * with marks for what follows from nodes that were checked (marking.h); its lowest node may rise
 * before anything is checked (root.h). These four are open to other rooms, and so is the best node (best.c). Inside: walks over the whole lattice on all threads (workers.h; breadth_first.h for
 * both bottom-up searches), and branch and bound over boxes of nodes (boxes.h) for `bisect`, for
 * `screen`, and for every search that knows which nodes satisfy and asks for the best of them; and
 * the figures of all nodes (survey.h). The room may touch
 * what src/search may, and no other room of it. */
#ifndef KANON_SEARCH_LEVELS_LEVELS_H
#define KANON_SEARCH_LEVELS_LEVELS_H

#include "search/levels/judge.h"
#include "search/levels/lattice.h"
#include "search/levels/marking.h"
#include "search/levels/root.h"
#include "search/levels/survey.h"
#include "search/search.h"

extern const kan_search_kind kan_search_exhaustive;
extern const kan_search_kind kan_search_bottom_up;
extern const kan_search_kind kan_search_bottom_up_rollup;
extern const kan_search_kind kan_search_samarati;
extern const kan_search_kind kan_search_hash_minimal;
extern const kan_search_kind kan_search_datafly;
extern const kan_search_kind kan_search_bisect;
extern const kan_search_kind kan_search_screen;

/* The best node that keeps the promise, by the cost: what `auto` finds. `out` is all 0 before, and is
 * destroyed also when this fails. */
KAN_MUST_USE kan_status kan_levels_best(kan_run *run, const kan_question *question,
                                        kan_answer *out);

#endif
