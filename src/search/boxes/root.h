/* The root of a search by boxes: how far the low corner of the whole lattice rises before anything is
 * looked at. */
#ifndef KANON_SEARCH_BOXES_ROOT_H
#define KANON_SEARCH_BOXES_ROOT_H

#include "search/boxes/strict.h"

/* An attribute that fails at a level even when all others are at their highest fails there always:
 * low[a] rises, and `tight` gets its bit. Where sizes do not decide, or a highest level has several
 * groups, nothing is known and nothing changes. The rows of single values are known
 * (kan_problem.leaf_rows), so this costs nearly nothing. */
KAN_MUST_USE kan_status kan_root_raise(const kan_question *question, const uint8_t *high,
                                       uint8_t *low, uint64_t *tight);
/* The same by the whole promise, which is monotone, from one pass over the base; `tight` is what it
 * says then. Adds the nodes that it looked at to *n_checked. */
KAN_MUST_USE kan_status kan_root_raise_strictly(kan_strict *strict, const uint8_t *high,
                                                uint8_t *low, uint64_t *tight, uint64_t *n_checked,
                                                kan_effort *effort);

#endif
