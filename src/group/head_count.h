/* Head counts: frequency sets seen as groups of people, where a person may have several rows.
 *
 * What models are given then: count is the number of different people of a group, and the tally of
 * a sensitive column counts for each value the different people who have it there. Somebody with
 * two values counts for both: what shares are of, kan_groups.totals, is the number of different
 * pairs of person and value.
 *
 * Where households leave together (kan_problem.counts_rows) the person is the household, and rows are
 * counted: those of households that are still there.
 *
 * Different people do not add up when groups merge: whoever is in both counts once. So a set
 * carries the person as its first tail, and counts are taken anew at every node. O(tuples). */
#ifndef KANON_GROUP_HEAD_COUNT_H
#define KANON_GROUP_HEAD_COUNT_H

#include "group/problem.h"

typedef struct kan_head_count {
    const kan_problem *problem;
    /* The groups of the set in hand: */
    const kan_freqset *set;
    kan_key_field person;
    size_t n_groups;
    size_t *start; /* the first tuple of each group, and the end */
    size_t start_room;
    /* Where groups were divided: the tuples in the order in which the parts have them. */
    bool is_divided;
    uint32_t *order;
    size_t order_room;
    /* What was counted: */
    uint64_t *people; /* by group; rows where the problem counts_rows */
    struct kan_head_tally {
        size_t *start;
        uint32_t *value;
        uint64_t *count, *total;
        size_t room; /* of value and count */
    } tails[KAN_MAX_TAILS];
    kan_tally tallies[KAN_MAX_TAILS];
    const uint64_t *totals[KAN_MAX_TAILS];
    size_t group_room;
    unsigned n_tails; /* tails that have arrays */
    /* By value of a tail: the people who have it in the group, and the last of them, from 1. */
    uint64_t *dense;
    uint32_t *met;
    size_t dense_room;
    uint64_t edition; /* of what was counted: see group/view.h */
} kan_head_count;

void kan_head_count_init(kan_head_count *heads, const kan_problem *problem);
void kan_head_count_destroy(kan_head_count *heads);

/* Takes a set in hand, which carries the person, and finds its groups: those of kan_viewer_groups,
 * in the same order. The set must live as long as it is counted. */
KAN_MUST_USE kan_status kan_head_count_begin(kan_head_count *heads, const kan_freqset *set);

/* In place of that: the groups that `whole` found, each divided by the classes of its people
 * (class_of, by person). Parts of a group stand together, by their class. The set has fewer than 2^31 tuples.
 * O(tuples * log tuples). */
KAN_MUST_USE kan_status kan_head_count_divide(kan_head_count *heads, const kan_head_count *whole,
                                              const uint32_t *class_of);

/* The tuple at a place, of those that `start` counts. */
static inline size_t kan_head_count_tuple(const kan_head_count *heads, size_t place) {
    return heads->is_divided ? heads->order[place] : place;
}

/* Who has a tuple of the set in hand. */
static inline uint32_t kan_head_count_person(const kan_head_count *heads, size_t tuple) {
    return kan_key_field_value(&heads->person,
                               heads->set->keys + tuple * heads->set->layout.n_words);
}

/* Counts the people of each group, without those that is_gone marks, and with `tallies` the values
 * of every tail but person and class. A group may have nobody left. Valid until the next call. */
KAN_MUST_USE kan_status kan_head_count_groups(kan_head_count *heads, const uint8_t *is_gone,
                                              bool tallies, kan_groups *out);

#endif
