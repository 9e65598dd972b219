/* Tallies: the groups of a node with their sensitive values, without making its frequency set.
 *
 * A set with sensitive values is one of (group, value) pairs, several times as many as there are
 * groups, and a check needs them in no particular order of groups. So every tuple gets the number
 * of its group, from one table entry for every few bits of its key, as sizes do (group/freqsets/sizes.h);
 * then its value is counted in that group's row of counters. Nothing is sorted. Groups too small
 * to pass have no row: nobody asks for their values. Where there are few possible groups each has
 * a row, and one look-up finds the counter of group and value.
 *
 * In this order: kan_tallies_count; then, where the sizes leave the node open, kan_tallies_tell
 * for the values; kan_tallies_list as far as somebody looks. About four nanoseconds per tuple, and
 * one per counter that is listed. */
#ifndef KANON_GROUP_TALLIES_H
#define KANON_GROUP_TALLIES_H

#include "group/freqsets/freqsets.h"
#include "group/problem.h"

/* One per thread; the room is reused. */
typedef struct kan_tallies {
    const kan_problem *problem;
    const kan_freqset *from; /* what was counted last */
    unsigned levels[KAN_MAX_ATTRIBUTES];
    size_t n;         /* groups, in the order in which their first tuples come */
    uint64_t *counts; /* rows of each */
    kan_tally tallies[KAN_MAX_TAILS];
    size_t n_listed; /* groups whose tallies can be read */

    unsigned n_digits;
    kan_digit digits[KAN_MAX_FIELDS];
    unsigned attribute_of[KAN_MAX_FIELDS]; /* by digit */
    kan_bitslices slices;
    uint32_t *numbers;   /* by cell: 1 + the number of its group; zero between calls */
    uint64_t *cells;     /* by group */
    kan_scatter scatter; /* in place of numbers, where there would be too many cells */
    uint32_t *group_of;  /* by tuple */
    uint32_t *rows;      /* by group: its row of counters; the first is for those that have none */
    size_t number_room, cell_room, count_room, tuple_room, row_room;
    size_t n_rows;         /* of counters, the first included */
    bool has_row_per_cell; /* the values were counted, in a row for every possible group */
    struct kan_tally_room {
        const kan_key_field *field;
        uint32_t n_values;
        uint32_t *counters;
        size_t *start;
        uint32_t *value;
        uint64_t *count;
        size_t counter_room, start_room, value_room, count_room;
        size_t n; /* entries that are listed */
    } tails[KAN_MAX_TAILS];
    unsigned n_tails, tail_of[KAN_MAX_TAILS];
    uint64_t edition; /* of what was counted: see group/view.h */
} kan_tallies;

void kan_tallies_init(kan_tallies *tallies, const kan_problem *problem);
void kan_tallies_destroy(kan_tallies *tallies);

/* The groups of the set's attributes at levels[d], at or above those of the set, which lives as
 * long as they are asked about. Of the set's tails those will be asked for whose bit is set in
 * `wanted`. `fits` is false where there would be too many counters, or keys
 * have several words: make the set then. */
KAN_MUST_USE kan_status kan_tallies_count(kan_tallies *tallies, const kan_freqset *from,
                                          const unsigned *levels, unsigned wanted,
                                          kan_workspace *workspace, bool *fits);
/* Counts their values in groups of at least `least` rows; no others have any. */
KAN_MUST_USE kan_status kan_tallies_tell(kan_tallies *tallies, uint64_t least, bool *fits);
/* Makes the tallies of all groups before `end` readable, those of tallies[t] for each tail t that
 * was wanted. */
void kan_tallies_list(kan_tallies *tallies, size_t end);
/* What the cells of released groups lost, for a full-domain recoding. */
void kan_tallies_loss(const kan_tallies *tallies, const kan_groups *groups, kan_cell_loss *out);

#endif
