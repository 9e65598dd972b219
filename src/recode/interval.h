/* Intervals of an ordered domain: what they are called, and how much of it they cover. For
 * src/recode alone. */
#ifndef KANON_RECODE_INTERVAL_H
#define KANON_RECODE_INTERVAL_H

#include "data/domain.h"

/* Places first_place .. end_place-1, and the level-0 groups that they hold. */
typedef struct kan_interval {
    uint32_t first_place, end_place;
    uint32_t first_leaf, end_leaf;
} kan_interval;

/* A node of the column's hierarchy. */
typedef struct kan_interval_node {
    unsigned level;
    uint32_t group;
} kan_interval_node;

static inline bool kan_interval_is_whole(const kan_domain *domain, const kan_interval *interval) {
    return interval->first_place == 0 && interval->end_place == domain->n_places;
}

/* One value of the data, shown as it is. */
static inline bool kan_interval_is_value(const kan_domain *domain, const kan_interval *interval) {
    return !domain->has_bins && interval->end_leaf - interval->first_leaf == 1;
}

/* The lowest node that covers the interval; above level 0 for all that is not shown as a value. */
kan_interval_node kan_interval_cover(const kan_domain *domain, const kan_interval *interval);

/* The lowest node of a user's tree, at `level` or above, whose values in the data are exactly those
 * of the interval; false: there is none. */
bool kan_interval_find_node(const kan_domain *domain, const kan_interval *interval, unsigned level,
                            kan_interval_node *out);

/* The share of the domain that the interval covers; see kan_level.share. */
double kan_interval_share(const kan_domain *domain, const kan_interval *interval);

/* The labels of n intervals that are the whole domain together; their bytes live in the arena, or
 * in the hierarchy.
 *
 * A value alone is shown as it is; the values of one node of the user's tree by that node's label;
 * the whole domain, without a tree, as *; numbers and dates in their own order as [17-24] or, where
 * a bound holds a hyphen, [-10..-1]; bins of fractions as [30, 32.5); all else as the list of the
 * values, {a, b, c}, in which a value that holds one of , " { } [ ], is empty, or begins or ends
 * with a blank stands in quotes, quotes in it doubled. Unknown values among numbers are listed
 * with the range of the others, {?, [17-24]}.
 *
 * No label of an interval is the same as another interval's, or as a value or a node's label that
 * means something else: the next form is taken instead, in the end the list with quotes around
 * every value and blanks before its end. */
KAN_MUST_USE kan_status kan_interval_labels(const kan_domain *domain, const kan_interval *intervals,
                                            uint32_t n, kan_arena *arena, kan_slice *labels);

#endif
