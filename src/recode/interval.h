/* Intervals of an ordered domain: what they are called, and how much of it they cover. For
 * src/recode alone.
 *
 * What an interval is called must not tell anything about rows that are not released. So names are
 * made of what released rows have, and of nothing else: what only others have is passed over here
 * as if the data had never had it. */
#ifndef KANON_RECODE_INTERVAL_H
#define KANON_RECODE_INTERVAL_H

#include "data/domain/domain.h"

/* A domain as a release shows it. */
typedef struct kan_seen {
    const kan_domain *domain;
    uint32_t n;       /* level-0 groups that a released row has */
    uint32_t *leaves; /* which, ascending */
} kan_seen;

/* Of the places that are cut off together what a released row has: leaves[first] ..
 * leaves[end - 1]. At least one, for all functions below. */
typedef struct kan_interval {
    uint32_t first, end;
    bool is_whole; /* the column is not cut at all */
} kan_interval;

/* A node of the column's hierarchy. */
typedef struct kan_interval_node {
    unsigned level;
    uint32_t group;
} kan_interval_node;

/* The place of the first, or of the last, value that is seen. */
static inline uint32_t kan_interval_first_place(const kan_seen *seen,
                                                const kan_interval *interval) {
    return seen->domain->place_of[seen->leaves[interval->first]];
}
static inline uint32_t kan_interval_last_place(const kan_seen *seen, const kan_interval *interval) {
    return seen->domain->place_of[seen->leaves[interval->end - 1]];
}

/* One value, shown as it is: every released row of the interval has it. A bin is shown by its
 * bounds, unless they leave nothing but the one value; where values are below the lowest level that
 * may be shown, none is. */
bool kan_interval_is_value(const kan_seen *seen, const kan_interval *interval);

/* The lowest node that covers the interval; above level 0 for all that is not shown as a value. */
kan_interval_node kan_interval_cover(const kan_seen *seen, const kan_interval *interval);

/* The lowest node of a user's tree, at `level` or above, whose values, as far as they are seen, are
 * exactly those of the interval; false: there is none, or it is called * and is not all, or the tree
 * was built of how many rows have each value. */
bool kan_interval_find_node(const kan_seen *seen, const kan_interval *interval, unsigned level,
                            kan_interval_node *out);

/* The share of the domain that what is shown covers; see kan_level.share. */
double kan_interval_share(const kan_seen *seen, const kan_interval *interval);

/* The labels of n intervals that are all of what is seen together; those without a value are passed
 * over. Bytes live in the arena, or in the hierarchy.
 *
 * A value alone is shown as it is; the values of one node of the user's tree by that node's label;
 * the whole domain, without a tree, as *; numbers and dates in their own order as [17-24] or, where
 * a bound holds a hyphen, [-10..-1], with a comma where points would run into each other,
 * [-1., .5]; bins of fractions as [30, 32.5); all else as the list of the values, {a, b, c}, in
 * which a value that holds one of , " { } [ ], is empty, or begins or ends with a blank stands in
 * quotes, quotes in it doubled. Unknown values among numbers are listed with the range of the
 * others, {?, [17-24]}.
 *
 * No label of an interval is the same as another interval's, or as a value or a node's label that
 * means something else: the next form is taken instead, in the end the list with quotes around
 * every value and blanks before its end. Here alone the values of all rows count: who reads a
 * release beside the table must not take an interval for one of them. */
KAN_MUST_USE kan_status kan_interval_labels(const kan_seen *seen, const kan_interval *intervals,
                                            uint32_t n, kan_arena *arena, kan_slice *labels);

/* ---- one by one ------------------------------------------------------------------------------ */

/* Labels for what is not a list of intervals: cells that overlap, or that are not intervals. No
 * label is the same as a value or a node's label that means something else; that labels of
 * different meaning differ follows from their forms, and is the caller's to check. */
typedef struct kan_labeller {
    const kan_seen *seen;
    kan_arena *arena;
    struct kan_label_meaning *known; /* values and labels of the tree, sorted by text */
    size_t n_known;
    kan_text text; /* the form in hand */
} kan_labeller;

/* Borrows both. Always destroy it, also when this failed. */
KAN_MUST_USE kan_status kan_labeller_init(kan_labeller *labeller, const kan_seen *seen,
                                          kan_arena *arena);
void kan_labeller_destroy(kan_labeller *labeller);

/* Whether the text stands for nothing else than the interval. */
bool kan_labeller_is_free(const kan_labeller *labeller, kan_slice text,
                          const kan_interval *interval);
/* The label of an interval, as above. O(its bytes + log of the number of values). */
KAN_MUST_USE kan_status kan_labeller_name(kan_labeller *labeller, const kan_interval *interval,
                                          kan_slice *out);
/* Unknown values, the leaves that are bits of `unknown`, and behind a gap an interval of known
 * ones:
 * {?, [17-24]}. */
KAN_MUST_USE kan_status kan_labeller_mix(kan_labeller *labeller, uint32_t unknown,
                                         const kan_interval *interval, kan_slice *out);
/* The list of n values, by leaf, that do not form an interval. */
KAN_MUST_USE kan_status kan_labeller_list(kan_labeller *labeller, const uint32_t *leaves,
                                          uint32_t n, kan_slice *out);

#endif
