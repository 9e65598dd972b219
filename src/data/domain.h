/* Ordered domains: the values of one quasi-identifier in the order in which a search may cut them
 * into intervals.
 *
 * The order is that of the level-0 groups of the column's hierarchy, which was bound with that
 * order in mind: numbers and dates by value, categories by the lines of their hierarchy file, by
 * the user's order, or by bytes. A place is what cannot be cut apart: a value that the data has,
 * or, with bins, all values of one bin. Every place holds at least one row, so no two cuts are the
 * same. An anonymization is a set of places, none of them 0, at which an interval begins. */
#ifndef KANON_DATA_DOMAIN_H
#define KANON_DATA_DOMAIN_H

#include "data/hierarchy.h"

typedef struct kan_domain {
    kan_run *run;
    const kan_column *column;
    const kan_hierarchy
        *hierarchy; /* bound to the column; its leaves stand in the domain's order */
    uint32_t n_places;
    uint32_t *place_of;   /* level-0 group -> place; never decreasing */
    uint32_t *first_leaf; /* place -> its first level-0 group; n_places + 1 of them */
    bool has_tree;        /* the hierarchy is one the user gave: its names may be shown */
    bool has_bins;
    kan_slice *least, *greatest; /* of a place, as text: a value, or the bounds of a bin */
    kan_arena arena;
} kan_domain;

void kan_domain_destroy(kan_domain *domain);

#endif
