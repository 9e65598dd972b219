/* The room of full-domain searches: one level per attribute, the same for all its values.
 *
 * The choices form a lattice (lattice.h). Its nodes are checked and measured by a judge (judge.h),
 * with marks for what follows from nodes that were checked (marking.h). These three are open to other
 * rooms. Inside: walks over the whole lattice on all threads (workers.h; breadth_first.h for both
 * bottom-up searches), and the figures of all nodes (survey.h). The room may touch what src/search
 * may, and no other room of it. */
#ifndef KANON_SEARCH_LEVELS_LEVELS_H
#define KANON_SEARCH_LEVELS_LEVELS_H

#include "search/levels/judge.h"
#include "search/levels/lattice.h"
#include "search/levels/marking.h"
#include "search/levels/survey.h"
#include "search/search.h"

extern const kan_search_kind kan_search_exhaustive;
extern const kan_search_kind kan_search_bottom_up;
extern const kan_search_kind kan_search_bottom_up_rollup;
extern const kan_search_kind kan_search_samarati;
extern const kan_search_kind kan_search_hash_minimal;
extern const kan_search_kind kan_search_datafly;

#endif
