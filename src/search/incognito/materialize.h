/* Strategic materialization: which frequency sets, at which levels of generalization, are worth
 * making before the search, within a budget of bytes (incognito.txt 4.2.3 and 7 name it as future
 * work; the rule of choice is the greedy one of Harinarayan, Rajaraman and Ullman, 1996).
 *
 * A view is a node of the lattice of all attributes. It answers every node of every subset whose
 * attributes stand at its levels or higher. An attribute at its top level takes no room in a key,
 * so the views of all attributes contain, in effect, those of every subset. */
#ifndef KANON_SEARCH_INCOGNITO_MATERIALIZE_H
#define KANON_SEARCH_INCOGNITO_MATERIALIZE_H

#include "search/incognito/subset_search.h"

typedef struct kan_view {
    uint8_t levels[KAN_MAX_ATTRIBUTES]; /* by place */
    double n_expected;                  /* tuples, estimated */
    kan_freqset *set;
} kan_view;

typedef struct kan_views {
    kan_run *run;
    size_t n;
    kan_view *list; /* smallest set first */
    uint64_t bytes;
} kan_views;

/* Chooses views and makes them; no more than `most_bytes` of sets. */
KAN_MUST_USE kan_status kan_views_build(kan_subset_search *search, uint64_t most_bytes,
                                        kan_views *out);
void kan_views_destroy(kan_views *views);

/* The smallest set that answers a node of some attributes (n places with their levels), or NULL. */
const kan_freqset *kan_views_find(const kan_views *views, unsigned n, const unsigned *places,
                                  const unsigned *levels);

#endif
