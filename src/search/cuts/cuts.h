/* The room of searches that cut ordered domains into intervals and try what is better.
 *
 * The space of cuts, its choices and its costs are in cut_space.h, what was found so far in
 * cut_record.h, and climbing from a set of cuts to a cheaper one in climb.h; where people are counted,
 * cut_people.h counts them, and cut_people_tree.h proves what is best. These are open to other rooms.
 * Inside: the groups of a set of cuts, kept up to date while cuts come and go
 * (cut_state.h, cut_recut.h). The room may touch what src/search may, and no other room of it. */
#ifndef KANON_SEARCH_CUTS_CUTS_H
#define KANON_SEARCH_CUTS_CUTS_H

#include "search/cuts/climb.h"
#include "search/cuts/cut_people.h"
#include "search/cuts/cut_people_tree.h"
#include "search/cuts/cut_record.h"
#include "search/cuts/cut_space.h"
#include "search/search.h"

extern const kan_search_kind kan_search_greedy;
extern const kan_search_kind kan_search_hill_climb;
extern const kan_search_kind kan_search_anneal;
extern const kan_search_kind kan_search_genetic;

#endif
