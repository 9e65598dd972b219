/* Points at any nodes above their values: parts of groups go down while that helps, and single
 * points elsewhere (maps_points.c), in turn.
 *
 * A group is divided in an attribute: points go to the nodes right below, and those whose part
 * fails stay; where these fail by themselves, the smallest parts come back to them. The best
 * division is kept, then its parts are divided. */
#include "search/maps/maps_inside.h"

typedef struct {
    kan_maps_state *state;
    uint64_t last_effort; /* give up there */
    size_t n, room;       /* a stack of points */
    uint32_t *points;
    size_t part_room;
    uint32_t *part; /* by place of the stack: the group where its point is in a trial */
    bool is_trial;
    bool has_changed;
} tuples;

static kan_maps_worth worth_now(const tuples *t) {
    return kan_maps_worth_of(t->state->space, &t->state->total);
}

static bool is_over(const tuples *t) {
    return t->state->effort > t->last_effort || kan_should_stop(t->state->space->run);
}

static kan_status push(tuples *t, uint32_t point) {
    kan_run *run = t->state->space->run;
    KAN_TRY(kan_reserve(run, t->n + 1, sizeof *t->points, &t->room, &t->points));
    KAN_TRY(kan_reserve(run, t->n + 1, sizeof *t->part, &t->part_room, &t->part));
    t->points[t->n++] = point;
    return KAN_OK;
}

static kan_status push_members(tuples *t, uint32_t group) {
    for (uint32_t p = t->state->groups[group].head; p != KAN_MAPS_NONE; p = t->state->next[p])
        KAN_TRY(push(t, p));
    return KAN_OK;
}

static bool is_released(const kan_maps_state *state, uint32_t group) {
    return state->groups[group].sum.n_released > 0;
}

/* ---- dividing ------------------------------------------------------------------------------- */

/* The i-th point of the stack goes from its part to another one. */
static kan_status go(tuples *t, size_t i, uint32_t to) {
    const uint32_t from = t->part[i];
    t->part[i] = to;
    return t->is_trial ? kan_maps_try(t->state, t->points[i], from, to)
                       : kan_maps_move(t->state, t->points[i], kan_maps_nodes(t->state, to));
}

/* Of the points first .. end-1 those whose part fails go back to `home`; *n_back: how many. */
static kan_status bring_back(tuples *t, size_t first, size_t end, uint32_t home, size_t *n_back) {
    *n_back = 0;
    for (size_t i = first; i < end; i++)
        if (!is_released(t->state, t->part[i])) {
            KAN_TRY(go(t, i, home));
            ++*n_back;
        }
    return kan_maps_settle(t->state);
}

/* The part with the fewest rows that is not `home`; KAN_MAPS_NONE: there is none. */
static uint32_t smallest_part(const tuples *t, size_t first, size_t end, uint32_t home) {
    const kan_maps_group *groups = t->state->groups;
    uint32_t smallest = KAN_MAPS_NONE;
    for (size_t i = first; i < end; i++) {
        const uint32_t g = t->part[i];
        if (g != home && (smallest == KAN_MAPS_NONE || groups[g].n_rows < groups[smallest].n_rows))
            smallest = g;
    }
    return smallest;
}

/* Points that stay have to pass, together with parts that come back to them. */
static kan_status settle_rest(tuples *t, size_t first, size_t end, uint32_t home) {
    size_t n_back;
    KAN_TRY(bring_back(t, first, end, home, &n_back));
    while (n_back > 0 && !is_released(t->state, home)) {
        const uint32_t part = smallest_part(t, first, end, home);
        if (part == KAN_MAPS_NONE)
            break;
        for (size_t i = first; i < end; i++)
            if (t->part[i] == part)
                KAN_TRY(go(t, i, home));
        KAN_TRY(kan_maps_settle(t->state));
    }
    return KAN_OK;
}

/* The points first .. end-1, all of one group, to the nodes below that of attribute a. */
static kan_status divide(tuples *t, size_t first, size_t end, unsigned a, bool is_trial) {
    kan_maps_state *state = t->state;
    const kan_maps_attribute *attribute = &state->space->attributes[a];
    const uint32_t home = state->group_of[t->points[first]];
    const uint32_t node = kan_maps_nodes(state, home)[a];
    t->is_trial = is_trial;
    for (size_t i = first; i < end; i++) {
        const uint32_t value = kan_maps_values(state->space, t->points[i])[a];
        uint32_t to;
        KAN_TRY(kan_maps_beside(state, home, a, kan_maps_child(attribute, node, value), &to));
        t->part[i] = home;
        KAN_TRY(go(t, i, to));
    }
    KAN_TRY(kan_maps_settle(state));
    return settle_rest(t, first, end, home);
}

/* The attribute whose division is best; n_attributes where none helps. */
static kan_status find_division(tuples *t, size_t first, size_t end, unsigned *out) {
    kan_maps_state *state = t->state;
    const kan_maps_mark mark = kan_maps_now(state);
    kan_maps_worth best = worth_now(t);
    *out = state->space->n_attributes;
    for (unsigned a = 0; a < state->space->n_attributes && !is_over(t); a++) {
        const uint32_t node = kan_maps_place(state, t->points[first])[a];
        const uint32_t value = kan_maps_values(state->space, t->points[first])[a];
        if (node == state->space->attributes[a].bottom[value])
            continue;
        KAN_TRY(divide(t, first, end, a, true));
        const kan_maps_worth worth = worth_now(t);
        KAN_TRY(kan_maps_rollback(state, &mark));
        if (kan_maps_compare(&worth, &best) < 0) {
            best = worth;
            *out = a;
        }
    }
    return KAN_OK;
}

/* Divides a group, and its parts, as long as that helps. */
static kan_status divide_down(tuples *t, uint32_t group) {
    const size_t first = t->n;
    unsigned a;
    KAN_TRY(push_members(t, group));
    const size_t end = t->n;
    KAN_TRY(find_division(t, first, end, &a));
    if (a < t->state->space->n_attributes) {
        KAN_TRY(divide(t, first, end, a, false));
        kan_maps_commit(t->state);
        t->has_changed = true;
        const size_t start = t->n;
        for (size_t i = first; i < end; i++)
            if (t->state->groups[t->state->group_of[t->points[i]]].head == t->points[i])
                KAN_TRY(push(t, t->points[i]));
        const size_t n_parts = t->n - start;
        for (size_t i = 0; i < n_parts; i++)
            KAN_TRY(divide_down(t, t->state->group_of[t->points[start + i]]));
    }
    t->n = first;
    return KAN_OK;
}

static kan_status divide_all(tuples *t) {
    for (size_t p = 0; p < t->state->space->n_points && !is_over(t); p++)
        if (t->state->groups[t->state->group_of[p]].head == p)
            KAN_TRY(divide_down(t, t->state->group_of[p]));
    return KAN_OK;
}

kan_status kan_maps_improve_tuples(kan_maps_state *state, bool all, uint64_t most_effort) {
    tuples t = {.state = state, .last_effort = state->effort + most_effort, .has_changed = true};
    bool has_moved = false;
    kan_status status = KAN_OK;
    while (status == KAN_OK && (t.has_changed || has_moved) && !is_over(&t)) {
        t.has_changed = false;
        status = divide_all(&t);
        if (all && status == KAN_OK && !is_over(&t))
            status = kan_maps_move_points(state, t.last_effort - state->effort, &has_moved);
    }
    kan_free(state->space->run, t.points);
    kan_free(state->space->run, t.part);
    return status;
}
