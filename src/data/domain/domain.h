/* The door of data/domain: ordered domains, the values of one quasi-identifier in the order in which a search may cut them
 * into intervals.
 *
 * The order is that of the level-0 groups of the column's hierarchy, which was bound with that
 * order in mind: numbers and dates by value, categories by the lines of their hierarchy file, by
 * the user's order, or by bytes. A place is what cannot be cut apart: a value that the data has,
 * or, with bins, all values of one bin. Every place holds at least one row, so no two cuts are the
 * same. An anonymization is a set of places, none of them 0, at which an interval begins. */
#ifndef KANON_DATA_DOMAIN_DOMAIN_H
#define KANON_DATA_DOMAIN_DOMAIN_H

#include "data/hierarchies/hierarchies.h"

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
    /* What is shown stands at one of these levels of the hierarchy: where one is above 0, or below
     * the top, the searches have cut accordingly. 0 and the height unless the user says so. */
    unsigned lowest, highest;
    bool is_by_value;    /* numbers or dates in their own order: an interval is a range */
    bool is_open;        /* bins: `greatest` is the first number behind the place, not in it */
    uint32_t n_unknown;  /* by value: places of unknown values alone ("" and "?"), the first ones */
    double least_number, /* by value: the bounds of all places that are known, as numbers */
        greatest_number;
    kan_slice *least, *greatest; /* of a place, as text: a value, or the bounds of a bin */
    kan_arena arena;
} kan_domain;

/* The domain of a column in the order of the leaves of its hierarchy; both are borrowed. `bins` is
 * NULL, or WIDTH[@ORIGIN]: then the numbers of [ORIGIN + i * WIDTH, ORIGIN + (i + 1) * WIDTH) are
 * one place, ORIGIN being the least of them unless it is given, and unknown values are one place,
 * the first. Bounds are exact decimals. What is wrong is added with kan_problem_add, and
 * KAN_BAD_INPUT returned. Linear in the number of values. */
KAN_MUST_USE kan_status kan_domain_make(kan_run *run, const kan_column *column,
                                        const kan_hierarchy *hierarchy, bool has_tree,
                                        const char *bins, kan_domain **out);
void kan_domain_destroy(kan_domain *domain);

/* A number or a date as a number; the bound of a bin as well. False for unknown values and text. */
bool kan_domain_number(const kan_domain *domain, kan_slice text, double *out);

/* Bins of whole bounds that were open because some value is not a whole number, [30, 35), are
 * called as if all were: [30-34]. For a release that shows whole numbers alone; see
 * kan_hierarchy_name_whole. */
bool kan_domain_has_open_names(const kan_domain *domain);
KAN_MUST_USE kan_status kan_domain_name_whole(kan_domain *domain);

/* ---- for domain*.c ------------------------------------------------------------------------- */

/* Fills in the places of a domain with bins: place_of, least, greatest, is_open, n_places. */
KAN_MUST_USE kan_status kan_domain_fill_bins(kan_domain *domain, const char *bins);

/* ---- the order of a hierarchy --------------------------------------------------------------- */

/* Renumbers the groups of a hierarchy so that its leaves stand in the order of the codes
 * order[0 .. n_codes-1]. *agrees is false, and nothing has changed, when that would tear the leaves
 * of some node apart. O(n_codes * levels). */
KAN_MUST_USE kan_status kan_hierarchy_reorder(kan_hierarchy *hierarchy, const uint32_t *order,
                                              bool *agrees);

#endif
