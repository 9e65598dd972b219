/* The room of cell suppression with a proven factor: `forest` (Aggarwal et al. 2005) and `cover`
 * (Meyerson and Williams 2004). What their release gives up is at most so many times what the best
 * one would; the factors follow from k alone, and are proven in docs/papers/cell-suppression.md.
 *
 * Both are methods of local recoding: the room stands on that of local recoding, which names what a
 * row gives up at a node, keeps clusters, joins those that fail a model beyond k, and answers. Where
 * hierarchies are values and * alone, a cell is itself or *; with others the proofs hold as well.
 *
 * Both are quadratic in distinct tuples. Inside: distances (cells_inside.h), trees that are divided
 * (forest_divide.c), the cover by all sets (cover_all.c). Other rooms use nothing of it. */
#ifndef KANON_SEARCH_CELLS_CELLS_H
#define KANON_SEARCH_CELLS_CELLS_H

#include "search/search.h"

extern const kan_search_kind kan_search_forest;
extern const kan_search_kind kan_search_cover;

#endif
