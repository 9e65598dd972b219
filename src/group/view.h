/* What privacy models and costs see: the groups of a release as arrays, borrowed and read only.
 *
 * Where a person may have several rows, models are given people in the place of rows: count is the
 * different people of a group, and tallies count those who have each value (group/head_count.h).
 *
 * Views are borrowed from scratch objects, which are filled again and again: a view is good until
 * that happens, and shows another node's numbers afterwards. So every scratch object that is lent
 * has an edition, counted up whenever it is filled, and in debug and sanitizer builds a view knows
 * which editions it was made of: whoever uses it asserts that it is fresh. Release builds carry
 * none of it. */
#ifndef KANON_GROUP_VIEW_H
#define KANON_GROUP_VIEW_H

#include "core/hash.h"
#include "core/run.h"

/* The values of one sensitive or class column in each group: those of group g are entries
 * start[g] .. start[g+1]-1, values ascending, counts above 0. */
typedef struct kan_tally {
    const size_t *start;
    const uint32_t *value;
    const uint64_t *count;
} kan_tally;

/* How far the cells of one attribute were generalized, summed over the released rows. */
typedef struct kan_cell_loss {
    kan_u128 levels; /* sum of levels */
    kan_u128 share;  /* sum of shares of the domain, in units of 1 / kan_problem.share_one */
} kan_cell_loss;

/* Room for a promise that puts groups into an order, for every group; NULL where none does
 * (kan_problem.has_room). It belongs to whoever shows the groups. */
typedef struct kan_groups_room {
    kan_u128 *sums;
    size_t *order;
} kan_groups_room;

enum { KAN_VIEW_SOURCES = 6 };

typedef struct kan_groups {
    size_t n_groups;
    uint64_t n_rows;          /* of the whole table, suppressed rows included */
    const uint64_t *count;    /* rows of each group; NULL: they are counted elsewhere (squares) */
    const kan_tally *tallies; /* by tail of the problem; those that the set carries */
    /* By tail, then by group: the sum of the tally's counts, where that is not the group's count.
     * A person may have several values: then there are more pairs of both than people. NULL: it is
     * the count. */
    const uint64_t *const *totals;
    const unsigned *levels; /* full-domain: the level of each attribute; otherwise NULL */
    /* What tells groups of one size apart, for kan_promise_settle: the set that they are seen in,
     * and the first tuple of each group there, NULL where every tuple is one. No set: their order
     * here does. */
    const struct kan_freqset *set;
    const size_t *first_tuple;
    const uint64_t *people; /* of the population, who match each group; NULL: there is none */
    kan_groups_room room;

    /* For costs, once the promise has been checked: */
    const uint8_t *is_released; /* per group; NULL: all are */
    size_t n_released_groups;
    uint64_t n_suppressed;     /* rows of the groups that are not released */
    uint64_t n_left_out;       /* what the limit is about: these rows, or people */
    kan_u128 squares;          /* where `count` is NULL: of the released groups' rows, summed */
    const kan_cell_loss *loss; /* per attribute; NULL where no cost asked for it */
    /* The same by people, for costs by people (group/person_sums.h); NULL where nobody asked. */
    const struct kan_person_sums *sums;
    uint64_t spared_size; /* for bounds: no group of so many rows is lost; 0: of k of the cost */

#ifndef NDEBUG
    struct kan_view_source {
        const uint64_t *edition; /* of a scratch object; NULL: there are no more */
        uint64_t seen;           /* when it was lent */
    } sources[KAN_VIEW_SOURCES];
#endif
} kan_groups;

/* Says that the groups show what is in the object that this is the edition of, as it is now. */
static inline void kan_groups_borrow(kan_groups *groups, const uint64_t *edition) {
#ifndef NDEBUG
    unsigned i = 0;
    while (i < KAN_VIEW_SOURCES && groups->sources[i].edition &&
           groups->sources[i].edition != edition)
        i++;
    KAN_ASSERT(i < KAN_VIEW_SOURCES);
    KAN_ASSERT(!groups->sources[i].edition || groups->sources[i].seen == *edition);
    groups->sources[i].edition = edition;
    groups->sources[i].seen = *edition;
#else
    (void)groups;
    (void)edition;
#endif
}

/* Whether nothing that the groups show was overwritten. For assertions: in release builds nobody
 * knows, and it is true. */
static inline bool kan_groups_is_fresh(const kan_groups *groups) {
#ifndef NDEBUG
    for (unsigned i = 0; i < KAN_VIEW_SOURCES && groups->sources[i].edition; i++)
        if (*groups->sources[i].edition != groups->sources[i].seen)
            return false;
#else
    (void)groups;
#endif
    return true;
}

/* What the shares of a tail's values in a group are of. */
static inline uint64_t kan_groups_total(const kan_groups *groups, unsigned tail, size_t group) {
    return groups->totals ? groups->totals[tail][group] : groups->count[group];
}

#endif
