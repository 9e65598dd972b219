/* The inside of a cut state: its groups of tuples. For the files cut_state*.c alone.
 *
 * A slot is a place of an attribute, numbered over all attributes. A group is where it stands: for
 * each attribute the slot at which its interval begins. That name of an interval stays the same
 * when a cut is made elsewhere, and its left part keeps it when the interval itself is cut. */
#ifndef KANON_SEARCH_CUTS_CUT_STATE_GROUPS_H
#define KANON_SEARCH_CUTS_CUT_STATE_GROUPS_H

#include "search/cuts/cut_state.h"

#define KAN_NO_GROUP UINT32_MAX

struct kan_cut_groups {
    unsigned n_attributes, n_classes;
    uint32_t n_slots;
    uint32_t first_slot[KAN_MAX_ATTRIBUTES + 1];
    int *choice_of;   /* by slot; -1 at the first of an attribute */
    uint32_t *before; /* by slot where an interval begins: where the one before it begins, */
    uint32_t *after;  /* and the one after it; n_slots where there is none */
    uint64_t *salts;  /* by slot: the hash of a group is the sum (exclusive or) of its salts */

    uint32_t *slots; /* [tuple * n_attributes + a] */
    uint32_t *next;  /* by tuple: the next of its group, or KAN_NO_GROUP */

    size_t n;               /* groups, at most as many as tuples */
    uint32_t *at;           /* [group * n_attributes + a]: where its interval begins */
    uint64_t *hash;         /* by group */
    uint32_t *rows;         /* by group */
    uint32_t *class_rows;   /* [group * n_classes + value] */
    uint32_t *first, *last; /* by group: of its tuples */
    uint32_t *chain;        /* by group: the next with the same bucket */
    uint32_t *buckets;
    size_t bucket_mask;

    uint32_t *touched; /* scratch: the groups that a step is about */
    uint32_t *parts;   /* scratch: the groups that one falls into, by part */
    uint32_t *part_of; /* scratch by slot: where the part of the interval begins that holds it */
    uint32_t *part_at; /* scratch by slot, all KAN_NO_GROUP: the part that begins there */
    uint32_t *counts, *class_counts; /* scratch by slot, all 0: rows of a part */
    uint32_t *totals, *class_totals; /* the same: rows of the whole */
    uint32_t *sums;                  /* scratch: rows by class up to a slot */
    struct kan_cut_tally *tallies;   /* scratch by choice */
    uint32_t *tally_classes;         /* [choice * n_classes + value] */
    uint32_t *tallied;               /* scratch: the choices that have a tally */
    struct kan_cut_line *lines;      /* scratch by group */
    uint32_t *line_classes;          /* [line * n_classes + value] */
    uint32_t *line_buckets;
    bool is_stale; /* the removals are not counted */
};

/* What a choice of several places makes of a group, up to the place in hand. */
typedef struct kan_cut_tally {
    bool is_open;
    uint32_t rows; /* up to the last cut */
    uint64_t cost, lost;
} kan_cut_tally;

/* Groups that the removal of a choice would merge. */
typedef struct kan_cut_line {
    uint32_t group; /* one of them */
    uint32_t rows, next;
    uint64_t cost, lost, hash;
} kan_cut_line;

static inline uint32_t kan_cut_majority(const uint32_t *class_rows, unsigned n) {
    uint32_t most = 0;
    for (unsigned i = 0; i < n; i++)
        most = class_rows[i] > most ? class_rows[i] : most;
    return most;
}

/* The cost of so many rows in one group; `majority` counts with classes alone. */
static inline uint64_t kan_cut_cost_of(const kan_cut_space *space, uint64_t rows,
                                       uint64_t majority) {
    if (space->cost == KAN_CUT_CLASSIFICATION)
        return rows >= space->k ? rows - majority : rows;
    return rows * (rows >= space->k ? rows : space->n_rows);
}

static inline uint64_t kan_cut_lost_of(const kan_cut_space *space, uint64_t rows) {
    return rows < space->k ? rows : 0;
}

static inline uint64_t kan_cut_group_cost(const kan_cut_state *state, uint32_t g) {
    const kan_cut_groups *groups = state->groups;
    const unsigned n = groups->n_classes;
    return kan_cut_cost_of(state->space, groups->rows[g],
                           kan_cut_majority(groups->class_rows + (size_t)g * n, n));
}

/* Whether a group has the hash of the place where it stands, an interval of now in each attribute, and as
 * many rows as its classes. For assertions. */
static inline bool kan_cut_group_is_sound(const kan_cut_groups *groups, uint32_t g) {
    uint64_t hash = 0, n_rows = 0;
    for (unsigned a = 0; a < groups->n_attributes; a++) {
        const uint32_t slot = groups->at[(size_t)g * groups->n_attributes + a];
        const uint32_t first = groups->first_slot[a];
        if (slot != first && (slot < first || slot >= groups->first_slot[a + 1] ||
                              groups->before[slot] == groups->n_slots))
            return false;
        hash ^= groups->salts[slot];
    }
    for (unsigned i = 0; i < groups->n_classes; i++)
        n_rows += groups->class_rows[(size_t)g * groups->n_classes + i];
    return groups->rows[g] > 0 && hash == groups->hash[g] &&
           (groups->n_classes == 0 || n_rows == groups->rows[g]);
}

/* Whether every tuple hangs on one group, in whose intervals it is. O(tuples * attributes). For
 * assertions. */
static inline bool kan_cut_tuples_are_sound(const kan_cut_state *state) {
    const kan_cut_groups *groups = state->groups;
    const unsigned n = groups->n_attributes;
    size_t n_tuples = 0;
    for (uint32_t g = 0; g < groups->n; g++) {
        uint64_t n_rows = 0;
        uint32_t last = KAN_NO_GROUP;
        for (uint32_t t = groups->first[g]; t != KAN_NO_GROUP; t = groups->next[t]) {
            if (n_tuples++ == state->space->n_tuples)
                return false; /* a list goes in a circle */
            n_rows += state->space->rows[t];
            last = t;
            for (unsigned a = 0; a < n; a++) {
                const uint32_t begin = groups->at[(size_t)g * n + a], after = groups->after[begin];
                const uint32_t end = after != groups->n_slots ? after : groups->first_slot[a + 1];
                const uint32_t slot = groups->slots[(size_t)t * n + a];
                if (slot < begin || slot >= end)
                    return false;
            }
        }
        if (n_rows != groups->rows[g] || last != groups->last[g])
            return false;
    }
    return n_tuples == state->space->n_tuples;
}

/* Whether made choices have their parents, and are counted. For assertions. */
static inline bool kan_cut_choices_are_sound(const kan_cut_state *state) {
    const kan_cut_space *space = state->space;
    unsigned n_made = 0;
    uint64_t n_wanted = 0, n_children = 0;
    for (unsigned c = 0; c < space->n_choices; c++) {
        const int parent = space->choices[c].parent;
        n_made += state->is_made[c] != 0;
        n_wanted += state->n_wanted[c];
        n_children += state->is_made[c] && parent >= 0;
        if (state->is_made[c] && parent >= 0 && !state->is_made[parent])
            return false;
    }
    return n_made == state->n_made && n_wanted == n_children;
}

/* Whether the groups hold every row once, stand where they are looked for, and the cost is the sum of
 * theirs. O(groups * attributes + choices). For assertions. */
static inline bool kan_cut_groups_are_sound(const kan_cut_state *state) {
    uint64_t n_rows = 0, cost = 0, n_lost = 0;
    if (!kan_cut_choices_are_sound(state))
        return false;
    for (uint32_t g = 0; g < state->groups->n; g++) {
        if (!kan_cut_group_is_sound(state->groups, g))
            return false;
        n_rows += state->groups->rows[g];
        cost += kan_cut_group_cost(state, g);
        n_lost += kan_cut_lost_of(state->space, state->groups->rows[g]);
    }
    return n_rows == state->space->n_rows && cost == state->cost && n_lost == state->n_lost;
}

/* ---- cut_state.c ---- */

void kan_cut_group_link(kan_cut_groups *groups, uint32_t g);
void kan_cut_group_unlink(kan_cut_groups *groups, uint32_t g);
/* The interval of attribute a begins at `slot` now. The group is not linked. */
void kan_cut_group_move(kan_cut_groups *groups, uint32_t g, unsigned a, uint32_t slot);
/* The group that stands where g does, but for attribute a at `slot`; or KAN_NO_GROUP. */
uint32_t kan_cut_group_beside(const kan_cut_groups *groups, uint32_t g, unsigned a, uint32_t slot);

/* ---- cut_state_add.c: what additions change ---- */

/* The parts together are one group that is split (sign 1) or comes about (sign -1): counts what
 * further additions change in the parts instead of in the whole, or the other way round. The whole
 * begins at `start` in attribute a, and elsewhere where the parts do. */
void kan_cut_count_additions(kan_cut_state *state, const uint32_t *parts, size_t n_parts,
                             unsigned a, uint32_t start, int sign);

/* ---- cut_state_remove.c: what removals change ---- */

/* Every choice is one place: counts the pairs of group g and its neighbour before it, or after it,
 * in attribute a, which merge when the cut between them goes. */
void kan_cut_count_before(kan_cut_state *state, uint32_t g, unsigned a, int sign);
void kan_cut_count_after(kan_cut_state *state, uint32_t g, unsigned a, int sign);
/* Nodes of a hierarchy: counts all removals anew. */
void kan_cut_count_removals(kan_cut_state *state);

#endif
