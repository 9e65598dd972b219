/* The room of Mondrian: the space of tuples is cut into regions, from the top down.
 *
 * How a region is cut, and what it shows, is explained in partition.h, which the files of the room
 * share, and rooms that stand on this one: the space, its records, and what regions show. The room
 * may touch what src/search may, and no other room of it. */
#ifndef KANON_SEARCH_REGIONS_REGIONS_H
#define KANON_SEARCH_REGIONS_REGIONS_H

#include "search/regions/partition.h"
#include "search/search.h"

extern const kan_search_kind kan_search_mondrian;
extern const kan_search_kind kan_search_mondrian_relaxed;

#endif
