/* The room of counted searches: full-domain searches that never see a frequency set.
 *
 * They ask a counter (group/counter.h) for a few numbers of each node: how many rows are in groups
 * that are too small, and what costs need. So the base may be too large to come here: this is how
 * Incognito was meant, on a database (incognito.txt 2.2, 3). Here are `bisect` (tally_boxes.h), and
 * `incognito`, `incognito-superroots` and `incognito-cube` (tally_graph.h, the candidates of
 * search/incognito); each gives the answer that its namesake gives in memory. One node is looked at
 * after the other: it is the counter that has threads.
 *
 * The problem of a question has its space and the rows of each value (kan_problem.leaf_rows), its
 * sums of shares and n_rows; its base is not looked at. The room may touch what src/search may, and
 * the doors of levels and incognito. */
#ifndef KANON_SEARCH_COUNTED_COUNTED_H
#define KANON_SEARCH_COUNTED_COUNTED_H

#include "group/counter.h"
#include "search/search.h"

/* KAN_BAD_INPUT where a search, a promise, a cost or an option cannot be counted, with what can:
 * k-anonymity alone, any limit of suppression, costs that follow from numbers of groups. */
KAN_MUST_USE kan_status kan_counted_check(kan_run *run, const kan_search_kind *kind,
                                          const kan_question *question);

/* What kind->search would answer, by a counter; kan_counted_check comes before. Sets that are kept are
 * dropped when nobody needs them any more; after a failure some may be left. */
KAN_MUST_USE kan_status kan_counted_search(kan_run *run, const kan_search_kind *kind,
                                           const kan_question *question, const kan_counter *counter,
                                           kan_answer *out);

#endif
