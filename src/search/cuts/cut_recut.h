/* The best cuts of one attribute, those of all others staying as they are.
 *
 * Groups that differ in this attribute alone are a line. What an interval of the attribute costs is
 * the sum, over lines, of what each of them has there; with that for every interval the best cuts
 * are a shortest path from the first place to the last. Single steps may end far from them. */
#ifndef KANON_SEARCH_CUTS_CUT_RECUT_H
#define KANON_SEARCH_CUTS_CUT_RECUT_H

#include "search/cuts/cut_state.h"

typedef struct kan_cut_recutter kan_cut_recutter;

/* Scratch of one thread. */
KAN_MUST_USE kan_status kan_cut_recutter_create(const kan_cut_space *space, kan_cut_recutter **out);
void kan_cut_recutter_destroy(kan_cut_recutter *recutter);

/* For a state that is allowed, and an attribute that is cut by place (kan_cut_is_by_place): makes
 * it one of those with the least cost among all that differ from it in cuts of this attribute
 * alone. Returns whether it costs less than before; if not, or when the run has to stop, it is as
 * it was. Where some rows may be lost, but 128 or more of them, they are counted in steps, rounded
 * up: then there may be something better. */
bool kan_cut_recut(kan_cut_recutter *recutter, kan_cut_state *state, unsigned attribute);

#endif
