/* Stayers: who stays at a node where k different people decide, or these and the number of different
 * sensitive values, found without a set that carries people. It says what leavers do
 * (search/leavers.h), for promises in which nothing else counts, by row or by person.
 *
 * Most nodes are settled by the sizes of their groups. A group of fewer than k rows has fewer than
 * k people, and one of fewer than l fewer than l values: beyond the rows that so many people can have,
 * the limit is broken. A group of more rows than k - 1 people can have passes, where values are not
 * counted. What is left open is counted from the crowd (group/crowd.h): a group is read until k people
 * and l values were met, which takes few entries of most. Whoever leaves takes her rows out of her other groups, and
 * those are read again. Nobody else is touched. It ends soon after the limit is broken. */
#ifndef KANON_SEARCH_STAYERS_H
#define KANON_SEARCH_STAYERS_H

#include "group/crowd.h"
#include "group/freqsets/freqsets.h"
#include "privacy/privacy.h"

/* Of the node in hand; one per thread. */
typedef struct kan_stayers {
    const kan_problem *problem;
    const kan_promise *promise;
    const kan_crowd *crowd;
    uint64_t limit_rows; /* no more rows have the people who may leave, or may leave */
    bool all_stay;       /* and nothing below was looked at */
    kan_tuple_groups groups;
    size_t n_groups; /* of `left`; it becomes those that are released when costs are measured */
    uint64_t *left;  /* by group: rows that stay */
    uint32_t *first; /* by group: one of its tuples */
    uint8_t *is_open;
    uint32_t *open; /* groups to be looked at */
    size_t n_open;
    size_t left_room, first_room, flag_room, open_room;
    uint32_t *next; /* by tuple: another one of the same group, NO_TUPLE at the end */
    size_t next_room;
    uint32_t *met; /* by person: when she was met last; GONE */
    /* The tails in which values are counted; by value, when it was met last. */
    unsigned n_tails, tails[KAN_MAX_TAILS];
    uint32_t *met_values[KAN_MAX_TAILS];
    uint32_t *gone; /* the people who leave */
    size_t n_gone;
    uint32_t n_looks; /* what `met` is measured in */
    uint64_t n_rows_gone;
    kan_cell_loss loss[KAN_MAX_ATTRIBUTES];
    uint64_t edition; /* of the node in hand: see group/view.h */
} kan_stayers;

/* Whether a promise is one that the numbers of people and of values decide. */
bool kan_stayers_fit(const kan_problem *problem, const kan_promise *promise);

KAN_MUST_USE kan_status kan_stayers_init(kan_stayers *stayers, const kan_problem *problem,
                                         const kan_promise *promise, const kan_crowd *crowd);
/* Also after a failed init, and of one that is all 0. */
void kan_stayers_destroy(kan_stayers *stayers);

/* Checks the groups of a node, whose sizes and levels are there, with all rows. Their members for
 * costs are set as bounds are given them. When more than `enough` are left out, n_left_out is only
 * known to be more; then no node above has more released groups than the other members tell. */
KAN_MUST_USE kan_status kan_stayers_check(kan_stayers *stayers, uint64_t enough,
                                          kan_groups *groups);

/* After a check within the limit: the groups become those of the rows that stay, as costs measure
 * them, with their loss where that is needed. */
void kan_stayers_keep(kan_stayers *stayers, bool needs_loss, kan_groups *groups);

#endif
