/* The room of local recoding: every row stands at nodes of its own, so that a value may be shown at
 * several levels.
 *
 * How rows are put together, moved and lifted is explained in local_inside.h, which the files of
 * the room share, and rooms that stand on this one: kan_local_search is all of a search but the way
 * in which it puts rows into clusters. The room stands on top of levels: `iterate` is never worse
 * than the best of them. */
#ifndef KANON_SEARCH_LOCAL_LOCAL_H
#define KANON_SEARCH_LOCAL_LOCAL_H

#include "search/local/local_inside.h"
#include "search/search.h"

extern const kan_search_kind kan_search_progressive;
extern const kan_search_kind kan_search_top_down;
extern const kan_search_kind kan_search_iterate;

#endif
