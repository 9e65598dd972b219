/* A set of choices with its groups, and what every single step from it would cost.
 *
 * For searches that walk from one set of choices to a neighbouring one. Steps are the addition of a
 * choice whose parent is made, and the removal of one that no made choice has as its parent. The
 * change of the cost by each of them is kept up to date while the set changes: looking at all of
 * them takes no more than reading an array, and a step costs time for the groups it touches alone.
 *
 * Where people are counted nothing is kept up to date: whoever leaves may take others along, so that
 * each step is counted anew when it is looked at.
 *
 * Nothing is allocated after the state has been created. One thread at a time. */
#ifndef KANON_SEARCH_CUTS_CUT_STATE_H
#define KANON_SEARCH_CUTS_CUT_STATE_H

#include "search/cuts/cut_space.h"

/* What a set of choices is worth, the smaller the better: in the upper half how many rows beyond
 * the limit it suppresses (1 when it releases none where one is wanted), in the lower its cost. So
 * anything within the limit is better than all that is not, and a walk finds its way back. */
typedef kan_u128 kan_cut_score;

static inline bool kan_cut_score_is_allowed(kan_cut_score score) {
    return score >> 64 == 0;
}

typedef struct kan_cut_groups kan_cut_groups;

typedef struct kan_cut_state {
    const kan_cut_space *space;
    uint8_t *is_made;   /* by choice */
    unsigned n_made;    /* of them */
    uint64_t cost;      /* whatever the limit says */
    uint64_t n_lost;    /* rows that are suppressed, or by person people */
    uint32_t *n_wanted; /* by choice: made choices that have it as their parent */
    /* By choice: how the cost and the number of suppressed rows change when it is added (if it is
     * not made) or removed (if it is). For the removal of nodes of a hierarchy after
     * kan_cut_state_refresh alone. */
    int64_t *add_cost, *add_lost, *remove_cost, *remove_lost;
    kan_cut_groups *groups;
    /* Where people are counted these take the place of the groups, and a change is known once
     * somebody has asked for it (kan_cut_state_look_at). */
    struct kan_cut_counter *counter;
    uint64_t edition, *looked; /* of the set; by choice, when it was looked at */
} kan_cut_state;

/* The state of the least set. */
KAN_MUST_USE kan_status kan_cut_state_create(const kan_cut_space *space, kan_cut_state **out);
void kan_cut_state_destroy(kan_cut_state *state);

/* Takes over a set of choices; where a choice is made, so is its parent. */
void kan_cut_state_set(kan_cut_state *state, const uint8_t *is_made);
/* The same with its cost and n_lost alone, which is quicker; before a step comes another set. */
void kan_cut_state_group(kan_cut_state *state, const uint8_t *is_made);
/* Single steps, that are possible. */
void kan_cut_state_add(kan_cut_state *state, unsigned choice);
void kan_cut_state_remove(kan_cut_state *state, unsigned choice);
/* Goes to another set of choices by the shorter way: single steps, or anew. */
void kan_cut_state_go_to(kan_cut_state *state, const uint8_t *is_made);
/* Makes remove_cost and remove_lost true. Nothing to do where every choice is one place. */
void kan_cut_state_refresh(kan_cut_state *state);

/* Makes the changes by a step true, which is possible; before they are asked for. Nothing to do
 * where rows are counted. */
void kan_cut_state_look_at_people(kan_cut_state *state, unsigned choice);
static inline void kan_cut_state_look_at(kan_cut_state *state, unsigned choice) {
    if (state->counter)
        kan_cut_state_look_at_people(state, choice);
}

static inline bool kan_cut_state_can_add(const kan_cut_state *state, unsigned choice) {
    const int parent = state->space->choices[choice].parent;
    return !state->is_made[choice] && (parent < 0 || state->is_made[parent]);
}

static inline bool kan_cut_state_can_remove(const kan_cut_state *state, unsigned choice) {
    return state->is_made[choice] && state->n_wanted[choice] == 0 &&
           !kan_cut_is_forced(state->space, choice);
}

static inline kan_cut_score kan_cut_state_worth(const kan_cut_space *space, uint64_t cost,
                                                uint64_t n_lost) {
    const uint64_t excess = n_lost > space->limit
                                ? n_lost - space->limit
                                : space->wants_release && n_lost == kan_cut_space_all(space);
    return (kan_cut_score)excess << 64 | cost;
}

static inline kan_cut_score kan_cut_state_score(const kan_cut_state *state) {
    return kan_cut_state_worth(state->space, state->cost, state->n_lost);
}

static inline kan_cut_score kan_cut_state_after_add(const kan_cut_state *state, unsigned choice) {
    return kan_cut_state_worth(state->space, state->cost + (uint64_t)state->add_cost[choice],
                               state->n_lost + (uint64_t)state->add_lost[choice]);
}

static inline kan_cut_score kan_cut_state_after_remove(const kan_cut_state *state,
                                                       unsigned choice) {
    return kan_cut_state_worth(state->space, state->cost + (uint64_t)state->remove_cost[choice],
                               state->n_lost + (uint64_t)state->remove_lost[choice]);
}

#endif
