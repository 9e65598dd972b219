/* Pasts in searches whose groups are no node of a lattice: regions, clusters, intervals (kan_problem.has_pasts).
 *
 * A group is allowed when each part of it keeps the promise, the rows of one past. Parts of a union are unions of
 * parts of the same past, so that unions of groups that are allowed are allowed where the promise survives a merge; but
 * a row more may hurt, as the only one of its past. So whatever such a search does, it does with rows that
 * pass at their coarsest, and leaves the others out before it begins: where the promise absorbs, these pass nowhere
 * (docs/papers/over-time.md). */
#ifndef KANON_SEARCH_PASTS_H
#define KANON_SEARCH_PASTS_H

#include "group/past_piles.h"
#include "privacy/privacy.h"

/* Whether the rows of a part decide, and nothing else. */
bool kan_pasts_by_size(const kan_promise *promise);

/* Whether each part of each pile keeps the promise. */
KAN_MUST_USE kan_status kan_pasts_allow(kan_past_piles *piles, const kan_promise *promise,
                                        const kan_past_rows *rows, const size_t *start,
                                        size_t n_piles, bool *out);

/* Which rows of piles are in parts that keep the promise, and how many rows are not. */
KAN_MUST_USE kan_status kan_pasts_find_stayers(const kan_problem *problem,
                                               const kan_promise *promise,
                                               const kan_past_rows *rows, const size_t *start,
                                               size_t n_piles, uint8_t *stays, uint64_t *n_lost);

#endif
