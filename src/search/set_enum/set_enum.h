/* The room of k-optimize as its paper has it: set enumeration over head and tail sets.
 *
 * Classes of the head in set_enum_classes.h, lower bounds from classes of the allset in
 * set_enum_allset.h, useless values, pruning and order in set_enum_tail.h. It is here to be
 * compared with; k_optimize/ is the one to use. The room may touch what src/search may, and the
 * door of cuts. Other rooms use nothing of it. */
#ifndef KANON_SEARCH_SET_ENUM_SET_ENUM_H
#define KANON_SEARCH_SET_ENUM_SET_ENUM_H

#include "search/search.h"

extern const kan_search_kind kan_search_k_optimize_paper;

#endif
