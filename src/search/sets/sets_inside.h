/* The state: rows in units, what each shows, and how many rows show it in each set of columns.
 *
 *   sets.c         from an answer to the state, and back
 *   sets_state.c   numbers of what is shown; a batch of cells that is shown in more detail
 *   sets_show.c    which batches
 *
 * A unit are the rows of one tuple in one region: they show the same, and go on to. What it shows in a set of
 * columns is a number: that of what it shows in all columns of the set but the last, and the last cell, looked up
 * as a pair. Two units have one number where they show the same, and nowhere else. */
#ifndef KANON_SEARCH_SETS_SETS_INSIDE_H
#define KANON_SEARCH_SETS_SETS_INSIDE_H

#include "search/sets/sets.h"

/* A set of columns, ascending. */
typedef struct kan_sets_set {
    unsigned n;
    uint8_t columns[KAN_MAX_ATTRIBUTES];
    uint64_t k;
} kan_sets_set;

/* A unit of a batch; units of one batch have the same key. */
typedef struct kan_sets_item {
    uint64_t key;
    uint32_t unit;
} kan_sets_item;

typedef struct kan_sets {
    kan_run *run;
    const kan_problem *problem;
    unsigned n_columns;
    size_t n_units;
    uint64_t *n_rows; /* by unit */
    uint32_t *region; /* by unit: that of the answer */
    uint32_t *leaf;   /* [unit * n_columns + column] */
    uint8_t *level;   /* the same: at which level of the hierarchy it is shown */
    uint32_t *first_node[KAN_MAX_ATTRIBUTES]; /* by level: the number of its first node */
    uint32_t n_nodes[KAN_MAX_ATTRIBUTES];
    uint32_t
        first_of[KAN_MAX_ATTRIBUTES]; /* so that nodes of all columns differ: added to theirs */

    size_t n_sets;
    kan_sets_set *sets;
    size_t n_of[KAN_MAX_ATTRIBUTES]; /* sets that have the column */
    uint32_t *of[KAN_MAX_ATTRIBUTES];

    struct kan_sets_pair {
        uint32_t above, node, number; /* number 0: free */
    } * pairs;
    size_t n_slots; /* a power of 2 */
    uint32_t n_numbers;
    uint64_t *rows; /* by number: those that show it; of a set's last column alone */
    size_t row_room;

    uint32_t *before, *after; /* scratch of a batch: [item * sets of the column] numbers */
    size_t before_room, after_room;
    uint8_t *was; /* by item: its level before */
    size_t was_room;
    kan_sets_item *items;
    size_t item_room;
    uint64_t n_steps, most_steps;
} kan_sets;

/* ---- sets_state.c --------------------------------------------------------------------------- */

void kan_sets_destroy(kan_sets *sets);
/* Counts what is shown; units and sets are there. */
KAN_MUST_USE kan_status kan_sets_count(kan_sets *sets);
/* Shows the column at the level in as many of the units as can be; all of them show it at a higher one. */
KAN_MUST_USE kan_status kan_sets_try(kan_sets *sets, unsigned column, unsigned level,
                                     const kan_sets_item *items, size_t n, size_t *n_shown);

static inline uint32_t kan_sets_node(const kan_sets *sets, size_t unit, unsigned column) {
    const kan_hierarchy *h = sets->problem->space.dimensions[column].hierarchy;
    const size_t at = unit * sets->n_columns + column;
    const unsigned level = sets->level[at];
    return sets->first_node[column][level] + h->levels[level].from_leaf[sets->leaf[at]];
}

/* ---- sets_show.c ---------------------------------------------------------------------------- */

/* Shows cells until no batch has one, or there were enough steps. */
KAN_MUST_USE kan_status kan_sets_search(kan_sets *sets);

#endif
