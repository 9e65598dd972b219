/* The room of global recodings by maps (incognito.txt 5.1): a value, or a tuple, is shown as itself
 * or as any node above it, and always alike.
 *
 * How points are placed, moved and counted is explained in maps_inside.h, which the files of the
 * room share. The room may touch what src/search may, and no other room of it. Other rooms use
 * nothing of it. */
#ifndef KANON_SEARCH_MAPS_MAPS_H
#define KANON_SEARCH_MAPS_MAPS_H

#include "search/search.h"

extern const kan_search_kind kan_search_unrestricted;
extern const kan_search_kind kan_search_full_subgraph;
extern const kan_search_kind kan_search_unrestricted_multi;

#endif
