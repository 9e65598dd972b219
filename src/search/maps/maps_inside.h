/* Global recodings by maps (incognito.txt 5.1.1 and 5.1.3). A point is a distinct combination of
 * the quasi-identifiers; it is placed at a vector of nodes, each above the value that it has.
 * Points at one vector are a group. A group that fails the promise is left out, and the rows of all
 * such groups have to be within the limit. Three models differ in where points may be placed:
 *
 *   unrestricted        every value of an attribute has one node, and a point those of its values
 *   full-subgraph       vectors are boxes of the space, and no two of them have a tuple in common
 *   unrestricted-multi  anywhere
 *
 *   maps_space.c    nodes, points, and what a row gives up at a node
 *   maps_groups.c   groups by their vectors
 *   maps_state.c    where points are placed, what that costs, and trials that can be taken back
 *   maps_tally.c    what a group has: classes, people, sensitive values
 *   maps_people.c   who is in which group; who is left out by person
 *   maps_histories.c  what all rows of a person show together
 *   maps_climb.c    maps of values, changed while that helps
 *   maps_boxes.c    boxes, split and joined while that helps
 *   maps_tuples.c   groups, divided while that helps
 *   maps_points.c   single points, moved while that helps
 *   maps_rise.c     points from the bottom up, until they pass
 *   maps_prove.c    branch and bound over all placings of a model
 *   maps_answer.c   the regions that groups become
 *   maps_search.c   what the searches have in common: where they begin, and how they end
 *
 * Nodes that hold the same values of the data are one node here, the lowest of them: to a reader of
 * the release they mean the same, and the lowest is the most exact.
 *
 * Where people are counted a group passes by its different people, and rows of groups that fail are
 * left out as ever. By person nobody is left out but those who are known before: docs/papers/people.md. */
#ifndef KANON_SEARCH_MAPS_MAPS_INSIDE_H
#define KANON_SEARCH_MAPS_MAPS_INSIDE_H

#include "group/piles.h"
#include "search/maps/maps_people.h"
#include "search/search.h"

#define KAN_MAPS_NONE UINT32_MAX

/* ---- maps_space.c --------------------------------------------------------------------------- */

/* The nodes of an attribute that may be shown, lower ones first: what is above a node has a greater
 * number. */
typedef struct kan_maps_attribute {
    uint32_t n_values, n_nodes;
    uint32_t *bottom;      /* by value: the lowest node that may be shown for it */
    uint32_t *up;          /* by node: the one above; a root's is itself */
    uint32_t *first, *end; /* by node: its values */
    kan_cell *cell;        /* by node: level and group of the hierarchy */
    kan_u128 *loss;        /* by node: what a row gives up that shows it */
    uint64_t *salt;        /* by node: its part of the hash of a vector */
    size_t *start;         /* by value: the first of its points; one more entry */
    uint32_t *points;
} kan_maps_attribute;

/* What a group adds to the cost. */
typedef enum kan_maps_cost {
    KAN_MAPS_CELLS,    /* what its cells give up */
    KAN_MAPS_SQUARES,  /* the square of its rows */
    KAN_MAPS_MINORITY, /* its rows outside of the majority class */
    KAN_MAPS_CLASSES   /* nothing: the number of groups counts */
} kan_maps_cost;

typedef struct kan_maps_space {
    kan_run *run;
    const kan_question *question;
    kan_maps_cost cost;
    /* No tails where the promise looks at none; a cost that counts few classes has them by itself. */
    unsigned n_attributes, n_tails, n_classes;
    kan_maps_attribute attributes[KAN_MAX_ATTRIBUTES];
    kan_u128 loss_lost; /* what a row gives up that is left out */
    size_t n_points;
    uint32_t *value;        /* [point * n_attributes + attribute] */
    uint64_t *rows;         /* by point; of those who are not gone */
    size_t *first_tuple;    /* by point: the first of its base tuples; one more entry */
    uint32_t *class_of;     /* by base tuple, where there are n_classes */
    uint64_t n_rows, limit; /* rows; by person nobody else may leave */
    bool has_person;
    kan_owners owners;      /* with a person */
    const uint8_t *is_gone; /* by person: her rows are in no group; NULL: nobody is */
    uint64_t n_rows_gone;
    kan_arena arena;
} kan_maps_space;

extern const kan_search_costs kan_maps_costs;

/* Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_maps_space_make(kan_run *run, const kan_question *question,
                                            kan_maps_space *out);
void kan_maps_space_destroy(kan_maps_space *space);

static inline const uint32_t *kan_maps_values(const kan_maps_space *space, size_t point) {
    return space->value + point * space->n_attributes;
}
/* Whether a node holds all values of another. */
static inline bool kan_maps_holds(const kan_maps_attribute *attribute, uint32_t node,
                                  uint32_t other) {
    return attribute->first[node] <= attribute->first[other] &&
           attribute->end[other] <= attribute->end[node];
}
/* The lowest node that holds both; KAN_MAPS_NONE where there is none. */
static inline uint32_t kan_maps_join(const kan_maps_attribute *attribute, uint32_t a, uint32_t b) {
    while (a != b) {
        uint32_t *lower = a < b ? &a : &b;
        if (attribute->up[*lower] == *lower)
            return KAN_MAPS_NONE;
        *lower = attribute->up[*lower];
    }
    return a;
}
/* Whether two boxes have a tuple in common: in each attribute one node holds the other. */
static inline bool kan_maps_meet(const kan_maps_space *space, const uint32_t *x,
                                 const uint32_t *y) {
    for (unsigned a = 0; a < space->n_attributes; a++)
        if (!kan_maps_holds(&space->attributes[a], x[a], y[a]) &&
            !kan_maps_holds(&space->attributes[a], y[a], x[a]))
            return false;
    return true;
}
/* The highest node above a value that stands at most at the level. */
uint32_t kan_maps_at_level(const kan_maps_attribute *attribute, uint32_t value, unsigned level);
/* The lowest nodes that may be shown for a point. */
void kan_maps_lowest(const kan_maps_space *space, size_t point, uint32_t *nodes);
/* The node right below `node` that holds the value; `node` itself where it is the bottom. */
uint32_t kan_maps_child(const kan_maps_attribute *attribute, uint32_t node, uint32_t value);

static inline bool kan_maps_is_gone(const kan_maps_space *space, size_t tuple) {
    return space->is_gone && space->is_gone[space->owners.person[tuple]];
}
/* Whether moving a point changes more than rows and classes. */
static inline bool kan_maps_has_tallies(const kan_maps_space *space) {
    return space->n_tails > 0 || space->has_person;
}

/* The values of one tail in a group. */
typedef struct kan_maps_tally {
    size_t n, value_room, count_room;
    uint32_t *value; /* ascending */
    uint64_t *count; /* above 0; rows, or people who have it */
} kan_maps_tally;

/* ---- maps_state.c --------------------------------------------------------------------------- */

/* What a placing is worth: less is better, the first that differs decides. */
typedef struct kan_maps_worth {
    uint64_t
        excess;    /* rows left out beyond the limit, and people whose history is too rare; 1 where
                        nothing is released */
    kan_u128 cost; /* by the objective, in units of its own */
    kan_u128 loss; /* of cells, to decide between equal costs */
} kan_maps_worth;

static inline int kan_maps_compare(const kan_maps_worth *a, const kan_maps_worth *b) {
    if (a->excess != b->excess)
        return a->excess < b->excess ? -1 : 1;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    return a->loss < b->loss ? -1 : a->loss > b->loss;
}

/* What a group adds to the totals. */
typedef struct kan_maps_sum {
    kan_u128 cost, loss;
    uint64_t n_lost, n_released; /* rows; groups */
    uint64_t n_rare;             /* of all groups: people whose history is too rare */
} kan_maps_sum;

typedef struct kan_maps_group {
    uint32_t next; /* of the same bucket, or of those that are free */
    uint32_t head; /* its first point */
    uint32_t n_points;
    bool is_dirty; /* it changed since it was counted */
    bool is_used;
    uint64_t n_rows, hash;
    uint64_t n_people; /* where they are counted */
    kan_u128 loss;     /* what a row gives up there */
    kan_maps_sum sum;  /* as it was counted */
    /* The group that differs in one node alone and was last asked for, while `stamp` is that of the
     * state. */
    uint64_t stamp;
    uint32_t beside, beside_node;
    unsigned beside_attribute;
    uint32_t listed_next, listed_previous; /* kan_maps_list */
} kan_maps_group;

/* What groups are counted as. */
typedef enum kan_maps_count_mode {
    KAN_MAPS_COUNT, /* what they cost; those that fail are left out */
    KAN_MAPS_SIZES, /* the same, and none fails but by its size */
    KAN_MAPS_BOUND  /* what they cost at least, whatever they are merged with, and however high they
                       go; none fails */
} kan_maps_count_mode;

typedef struct kan_maps_state {
    const kan_maps_space *space;
    kan_maps_count_mode mode;
    size_t n_groups; /* used, empty and free ones */
    size_t group_room, node_room, tally_room, shown_room;
    kan_maps_group *groups;
    uint32_t *nodes;         /* [group * n_attributes + attribute] */
    kan_maps_tally *tallies; /* [group * n_tails + tail] */
    kan_maps_heads heads;
    kan_maps_histories histories; /* where they are promised, unless groups are only bounds */
    uint64_t *shown;              /* by group: its rows if it is released, else 0 */
    size_t class_room;
    uint64_t *classes; /* [group * n_classes + class]: rows */
    uint64_t stamp;    /* changes when a group is given up */
    uint32_t free;
    size_t n_buckets, n_used;
    uint32_t *buckets;
    uint32_t *group_of, *next, *previous; /* by point */
    kan_maps_sum total;
    /* What has to be done to get back: points with the group that they came from, groups with what
     * they were counted as. */
    struct kan_maps_move {
        uint32_t point, from;
    } * moves;
    struct kan_maps_count {
        uint32_t group;
        kan_maps_sum sum;
    } * counts;
    struct kan_maps_shift {
        uint32_t group;
        uint64_t n_rows;
    } * shifts;
    uint64_t *shifted_classes; /* [shift * n_classes + class]: as they were */
    size_t n_moves, move_room, n_counts, count_room, n_shifts, shift_room, shifted_room;
    size_t n_dirty, dirty_room, n_new, new_room;
    uint32_t *dirty;           /* groups to be counted */
    uint32_t *fresh;           /* groups that became used, or empty, since the last commit */
    uint64_t n_trials, effort; /* counted, and points moved with their values, over all time */
    unsigned listed;           /* the attribute by whose nodes groups are listed */
    uint32_t *lists;           /* by node: the first group; NULL: nothing is listed */
} kan_maps_state;

/* All points at the vectors at[point * n_attributes ..]. Destroy it also when this fails. */
KAN_MUST_USE kan_status kan_maps_state_make(const kan_maps_space *space, const uint32_t *at,
                                            kan_maps_count_mode mode, kan_maps_state *out);
void kan_maps_state_destroy(kan_maps_state *state);
/* Where all points are. */
void kan_maps_state_read(const kan_maps_state *state, uint32_t *at);

static inline const uint32_t *kan_maps_nodes(const kan_maps_state *state, uint32_t group) {
    return state->nodes + (size_t)group * state->space->n_attributes;
}
static inline const uint32_t *kan_maps_place(const kan_maps_state *state, size_t point) {
    return kan_maps_nodes(state, state->group_of[point]);
}

/* A moment to come back to. */
typedef struct kan_maps_mark {
    size_t n_moves, n_counts;
    kan_maps_sum total;
} kan_maps_mark;

static inline kan_maps_mark kan_maps_now(const kan_maps_state *state) {
    return (kan_maps_mark){state->n_moves, state->n_counts, state->total};
}
KAN_MUST_USE kan_status kan_maps_move(kan_maps_state *state, uint32_t point, const uint32_t *nodes);
/* The same in one attribute alone. */
KAN_MUST_USE kan_status kan_maps_move_in(kan_maps_state *state, uint32_t point, unsigned a,
                                         uint32_t node);
/* A trial, which ends with a rollback: only what groups count changes, so the point is said to be in
 * `from`, whatever group_of says. Several times as fast as a move, but where there are tails: then
 * it is one. */
KAN_MUST_USE kan_status kan_maps_try(kan_maps_state *state, uint32_t point, uint32_t from,
                                     uint32_t to);
/* The same from where the point is, in one attribute alone. */
KAN_MUST_USE kan_status kan_maps_try_in(kan_maps_state *state, uint32_t point, unsigned a,
                                        uint32_t node);
/* How a point is moved in one attribute: for good, or as a trial. */
typedef kan_status kan_maps_mover(kan_maps_state *state, uint32_t point, unsigned a, uint32_t node);
/* Counts what has changed. */
KAN_MUST_USE kan_status kan_maps_settle(kan_maps_state *state);
/* Back to a mark that was made since the last commit, everything counted then. */
KAN_MUST_USE kan_status kan_maps_rollback(kan_maps_state *state, const kan_maps_mark *mark);
/* From here on nothing goes back behind this moment; empty groups are given up. Everything is
 * counted. */
void kan_maps_commit(kan_maps_state *state);
/* Whether every point is in one group, below whose nodes its values are, and the totals are the sums of the
 * groups; nothing is dirty. O(points * attributes). For assertions. */
bool kan_maps_state_is_sound(const kan_maps_state *state);
/* Of what was counted. */
kan_maps_worth kan_maps_worth_of(const kan_maps_space *space, const kan_maps_sum *total);

/* ---- maps_tally.c --------------------------------------------------------------------------- */

static inline kan_maps_tally *kan_maps_tallies(const kan_maps_state *state, uint32_t group) {
    return state->tallies + (size_t)group * state->space->n_tails;
}
static inline uint64_t *kan_maps_classes(const kan_maps_state *state, uint32_t group) {
    return state->classes + (size_t)group * state->space->n_classes;
}
/* What a point has comes to a group; where classes are counted in an array, and the rest. */
void kan_maps_classes_add(kan_maps_state *state, uint32_t group, size_t point);
KAN_MUST_USE kan_status kan_maps_tally_add(kan_maps_state *state, uint32_t group, size_t point);
/* It goes; it is there. */
void kan_maps_classes_remove(kan_maps_state *state, uint32_t group, size_t point);
void kan_maps_tally_remove(kan_maps_state *state, uint32_t group, size_t point);
/* Whether it has the rows, and the people, without which no group passes. */
bool kan_maps_is_large(const kan_maps_state *state, uint32_t group);
/* Whether a group keeps the promise; one without rows does not. */
bool kan_maps_passes(const kan_maps_state *state, uint32_t group);

/* ---- maps_people.c -------------------------------------------------------------------------- */

/* From here on these are in no group; NULL: nobody is. States that were made before are not to be
 * used any more. */
void kan_maps_space_leave(kan_maps_space *space, const uint8_t *is_gone);
/* Who leaves where points are placed so: whoever has a row in a group that fails, until none does.
 * They are left out of the space then. */
KAN_MUST_USE kan_status kan_maps_find_gone(kan_maps_space *space, const uint32_t *at,
                                           uint8_t *is_gone, uint64_t *n_gone);

/* ---- maps_groups.c -------------------------------------------------------------------------- */

/* The group at a vector; KAN_MAPS_NONE: there is none, or it is empty. */
uint32_t kan_maps_find(const kan_maps_state *state, const uint32_t *nodes);

/* The same; a new one where there is none. `nodes` may be those of a group. */
KAN_MUST_USE kan_status kan_maps_group_at(kan_maps_state *state, const uint32_t *nodes,
                                          uint32_t *out);
/* The group at the vector of another with one node changed; it may be a new one, without points. */
KAN_MUST_USE kan_status kan_maps_beside(kan_maps_state *state, uint32_t group, unsigned a,
                                        uint32_t node, uint32_t *out);
/* It became used, or empty. */
KAN_MUST_USE kan_status kan_maps_add_fresh(kan_maps_state *state, uint32_t group);
/* It is empty. */
void kan_maps_give_up(kan_maps_state *state, uint32_t group);
/* Lists all groups by their node of an attribute, and goes on with that, until kan_maps_unlist. */
KAN_MUST_USE kan_status kan_maps_list(kan_maps_state *state, unsigned a);
void kan_maps_unlist(kan_maps_state *state);

/* ---- maps_climb.c --------------------------------------------------------------------------- */

/* Which maps of values a climb may make. */
typedef enum kan_maps_rule {
    KAN_MAPS_SUBTREES, /* what is shown by a node are all of its values */
    KAN_MAPS_ANY
} kan_maps_rule;

/* Changes the maps, map[a][value], while that makes them better; points are placed as they say. */
KAN_MUST_USE kan_status kan_maps_climb(kan_maps_state *state, uint32_t *const *map,
                                       kan_maps_rule rule, uint64_t most_effort);

/* ---- maps_boxes.c --------------------------------------------------------------------------- */

/* Groups are boxes that have no tuple in common, before and after. */
KAN_MUST_USE kan_status kan_maps_improve_boxes(kan_maps_state *state, uint64_t most_effort);

/* ---- maps_tuples.c -------------------------------------------------------------------------- */

/* Points may be anywhere, before and after. Groups are divided; `all`: points are moved, too. */
KAN_MUST_USE kan_status kan_maps_improve_tuples(kan_maps_state *state, bool all,
                                                uint64_t most_effort);

/* ---- maps_points.c -------------------------------------------------------------------------- */

/* One sweep over all points; wherever they may be placed. */
KAN_MUST_USE kan_status kan_maps_move_points(kan_maps_state *state, uint64_t most_effort,
                                             bool *has_changed);

/* ---- maps_rise.c ---------------------------------------------------------------------------- */

/* All points are at their lowest nodes before. Some may fail all the same afterwards. */
KAN_MUST_USE kan_status kan_maps_rise(kan_maps_state *state);

/* ---- maps_prove.c --------------------------------------------------------------------------- */

typedef enum kan_maps_model {
    KAN_MAPS_UNRESTRICTED,
    KAN_MAPS_FULL_SUBGRAPH,
    KAN_MAPS_UNRESTRICTED_MULTI
} kan_maps_model;

/* Looks for a placing of the model that is worth more than `at`, which is replaced by the best of
 * all; *is_proven is false where it gave up before the end. */
KAN_MUST_USE kan_status kan_maps_prove(const kan_maps_space *space, kan_maps_model model,
                                       uint64_t most_states, uint32_t *at, kan_maps_worth *worth,
                                       uint64_t *n_states, bool *is_proven);

/* ---- maps_answer.c -------------------------------------------------------------------------- */

/* Nothing found where the placing is not within the limit. */
KAN_MUST_USE kan_status kan_maps_answer(const kan_maps_state *state, kan_answer *out);

/* ---- maps_search.c -------------------------------------------------------------------------- */

KAN_MUST_USE kan_status kan_maps_search(kan_run *run, const kan_question *question,
                                        kan_maps_model model, kan_answer *out);

#define KAN_MAPS_OPTIONS                                                                           \
    {                                                                                              \
        .name = "prove", .argument = "N",                                                          \
        .summary = "how many states the branch and bound may visit to prove that nothing is "      \
                   "better; 0: none",                                                              \
        .type = KAN_OPTION_COUNT, .traits = KAN_TRAIT_SHOWN, .fallback = "200000"                  \
    }

#endif
