/* Windows: the best cuts of a few attributes at once, while all others stay as they are.
 *
 * A climb changes one choice at a time, and stops where every single change costs. A window opens
 * all choices of two or three attributes, and asks the branch and bound for the best of them. With
 * everything else decided that takes milliseconds for two, and some more for three. */
#ifndef KANON_SEARCH_K_OPTIMIZE_CUT_WINDOW_H
#define KANON_SEARCH_K_OPTIMIZE_CUT_WINDOW_H

#include "search/cuts/cuts.h"

enum { KAN_CUT_MOST_OPEN = 3 }; /* attributes of a window */

/* Improves the best of the record by windows of all sets of n_open attributes, until none helps; on
 * all threads, with the same result on any number of them. A stop (kan_should_stop) is not a
 * failure. Where memory is scarce it does nothing. */
KAN_MUST_USE kan_status kan_cut_windows(kan_cut_record *record, unsigned n_open);

#endif
