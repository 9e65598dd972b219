/* Single points that go where they cost less: to a group that exists below where they are, or to
 * the group that has to be lifted least for them; and groups all of whose points do.
 *
 * The groups between a point and where it is are looked up, one by one; to find the one that has to
 * be lifted least all groups are looked at. */
#include "search/maps/maps_inside.h"

/* Vectors between a point and where it is that are looked up, at most. */
enum { MOST_VECTORS = 4096 };

typedef struct {
    kan_maps_state *state;
    uint64_t last_effort; /* give up there */
    size_t n, room;       /* points of a group */
    uint32_t *points;
    bool has_changed;
} mover;

static kan_maps_worth worth_now(const mover *m) {
    return kan_maps_worth_of(m->state->space, &m->state->total);
}

static bool is_over(const mover *m) {
    return m->state->effort > m->last_effort || kan_should_stop(m->state->space->run);
}

/* ---- down ----------------------------------------------------------------------------------- */

/* The next vector above a point's values and not above `top`; false after the last. */
static bool next_below(const kan_maps_space *space, const uint32_t *values, const uint32_t *top,
                       uint32_t *nodes) {
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const kan_maps_attribute *attribute = &space->attributes[a];
        if (nodes[a] != top[a]) {
            nodes[a] = attribute->up[nodes[a]];
            return true;
        }
        nodes[a] = attribute->bottom[values[a]];
    }
    return false;
}

/* Keeps what was moved since the mark if that helped, and else takes it back. */
static kan_status decide(mover *m, const kan_maps_mark *mark, const kan_maps_worth *before) {
    KAN_TRY(kan_maps_settle(m->state));
    const kan_maps_worth after = worth_now(m);
    if (kan_maps_compare(&after, before) >= 0)
        return kan_maps_rollback(m->state, mark);
    kan_maps_commit(m->state);
    m->has_changed = true;
    return KAN_OK;
}

static kan_status try_below(mover *m, uint32_t point) {
    kan_maps_state *state = m->state;
    const kan_maps_space *space = state->space;
    const uint32_t *values = kan_maps_values(space, point);
    uint32_t nodes[KAN_MAX_ATTRIBUTES], top[KAN_MAX_ATTRIBUTES];
    memcpy(top, kan_maps_place(state, point), space->n_attributes * sizeof *top);
    kan_maps_lowest(space, point, nodes);
    for (unsigned n = 0; n < MOST_VECTORS; n++) {
        const uint32_t group = kan_maps_find(state, nodes), from = state->group_of[point];
        if (group != KAN_MAPS_NONE && group != from) {
            const kan_maps_mark mark = kan_maps_now(state);
            const kan_maps_worth before = worth_now(m);
            KAN_TRY(kan_maps_move(state, point, nodes));
            KAN_TRY(decide(m, &mark, &before));
            if (state->group_of[point] != from)
                return KAN_OK;
        }
        if (!next_below(space, values, top, nodes))
            break;
    }
    state->effort++;
    return KAN_OK;
}

/* ---- elsewhere ------------------------------------------------------------------------------ */

/* What it costs to lift a group for a point, and the vector; false: more than *least, or not at
 * all. */
static bool weigh_lift(const kan_maps_state *state, uint32_t group, uint32_t point, kan_u128 *least,
                       uint32_t *nodes) {
    const kan_maps_space *space = state->space;
    const uint32_t *own = kan_maps_nodes(state, group), *values = kan_maps_values(space, point);
    uint32_t lifted[KAN_MAX_ATTRIBUTES];
    kan_u128 before = 0, after = 0;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const kan_maps_attribute *attribute = &space->attributes[a];
        lifted[a] = own[a];
        while (values[a] < attribute->first[lifted[a]] || values[a] >= attribute->end[lifted[a]]) {
            if (attribute->up[lifted[a]] == lifted[a])
                return false;
            lifted[a] = attribute->up[lifted[a]];
        }
        before += attribute->loss[own[a]];
        after += attribute->loss[lifted[a]];
        if (after * space->rows[point] >= *least)
            return false;
    }
    const kan_u128 cost =
        after * space->rows[point] + (after - before) * state->groups[group].n_rows;
    if (cost >= *least)
        return false;
    *least = cost;
    memcpy(nodes, lifted, space->n_attributes * sizeof *nodes);
    return true;
}

/* The point joins the group, other than its own, that this costs least; false: none costs less than
 * `most`. */
static kan_status join_best(mover *m, uint32_t point, kan_u128 most, bool *is_done) {
    kan_maps_state *state = m->state;
    uint32_t nodes[KAN_MAX_ATTRIBUTES], best = KAN_MAPS_NONE;
    for (uint32_t g = 0; g < state->n_groups; g++)
        if (state->groups[g].is_used && state->groups[g].n_points > 0 &&
            g != state->group_of[point] && state->groups[g].sum.n_released > 0 &&
            weigh_lift(state, g, point, &most, nodes))
            best = g;
    state->effort += state->n_groups / 3;
    *is_done = best != KAN_MAPS_NONE;
    if (!*is_done)
        return KAN_OK;
    for (uint32_t p = state->groups[best].head, next; p != KAN_MAPS_NONE; p = next) {
        next = state->next[p];
        KAN_TRY(kan_maps_move(state, p, nodes));
    }
    KAN_TRY(kan_maps_move(state, point, nodes));
    return kan_maps_settle(state);
}

/* What the rows of a point give up where it is. */
static kan_u128 loss_of(const kan_maps_state *state, uint32_t point) {
    const kan_maps_space *space = state->space;
    const uint32_t group = state->group_of[point], *nodes = kan_maps_nodes(state, group);
    kan_u128 loss = 0;
    if (state->groups[group].sum.n_released == 0)
        return space->loss_lost * space->rows[point];
    for (unsigned a = 0; a < space->n_attributes; a++)
        loss += space->attributes[a].loss[nodes[a]];
    return loss * space->rows[point];
}

static kan_status try_elsewhere(mover *m, uint32_t point) {
    const kan_maps_mark mark = kan_maps_now(m->state);
    const kan_maps_worth before = worth_now(m);
    bool is_done;
    KAN_TRY(join_best(m, point, loss_of(m->state, point), &is_done));
    return is_done ? decide(m, &mark, &before) : KAN_OK;
}

/* All points of a group go elsewhere, one after the other. */
static kan_status try_dissolve(mover *m, uint32_t group) {
    kan_maps_state *state = m->state;
    const kan_maps_mark mark = kan_maps_now(state);
    const kan_maps_worth before = worth_now(m);
    const kan_u128 all = state->groups[group].sum.loss;
    bool is_done = true;
    m->n = 0;
    for (uint32_t p = state->groups[group].head; p != KAN_MAPS_NONE; p = state->next[p]) {
        KAN_TRY(kan_reserve(state->space->run, m->n + 1, sizeof *m->points, &m->room, &m->points));
        m->points[m->n++] = p;
    }
    for (size_t i = 0; i < m->n && is_done; i++)
        if (state->group_of[m->points[i]] == group)
            KAN_TRY(join_best(m, m->points[i], all, &is_done));
    return decide(m, &mark, &before);
}

kan_status kan_maps_move_points(kan_maps_state *state, uint64_t most_effort, bool *has_changed) {
    enum { MOST_DISSOLVED = 64 };
    mover m = {.state = state, .last_effort = state->effort + most_effort};
    kan_status status = KAN_OK;
    for (uint32_t p = 0; p < state->space->n_points && status == KAN_OK && !is_over(&m); p++) {
        status = try_below(&m, p);
        const uint32_t group = state->group_of[p];
        if (status == KAN_OK && state->groups[group].head == p &&
            state->groups[group].n_points <= MOST_DISSOLVED)
            status = try_dissolve(&m, group);
        if (status == KAN_OK && state->groups[state->group_of[p]].n_points > 1)
            status = try_elsewhere(&m, p);
    }
    kan_free(state->space->run, m.points);
    *has_changed = m.has_changed;
    return status;
}
