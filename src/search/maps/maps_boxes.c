/* Boxes that have no tuple in common: split where that helps, and joined where other splits of the
 * whole are better.
 *
 * To split a box is to replace one of its nodes by those right below it: the parts are apart. The
 * best split of each box is kept, then those of its parts. A box and its neighbours in an attribute
 * are joined to the smallest box that holds them and cuts through no other, which is split again,
 * in another attribute first. So boxes are apart at any time. */
#include "search/maps/maps_inside.h"

/* Boxes of more points are not joined again. */
enum { MOST_JOINED = 512 };

typedef struct {
    kan_maps_state *state;
    uint64_t last_effort; /* give up there */
    size_t n, room;       /* a stack of points */
    uint32_t *points;
} boxes;

static kan_maps_worth worth_now(const boxes *b) {
    return kan_maps_worth_of(b->state->space, &b->state->total);
}

static bool is_over(const boxes *b) {
    return b->state->effort > b->last_effort || kan_should_stop(b->state->space->run);
}

static kan_status push(boxes *b, uint32_t point) {
    KAN_TRY(kan_reserve(b->state->space->run, b->n + 1, sizeof *b->points, &b->room, &b->points));
    b->points[b->n++] = point;
    return KAN_OK;
}

static kan_status push_members(boxes *b, uint32_t group) {
    for (uint32_t p = b->state->groups[group].head; p != KAN_MAPS_NONE; p = b->state->next[p])
        KAN_TRY(push(b, p));
    return KAN_OK;
}

/* ---- splits --------------------------------------------------------------------------------- */

/* The points first .. end-1 of the stack, all of one box, to the nodes below that of attribute a. */
static kan_status split(boxes *b, size_t first, size_t end, unsigned a, kan_maps_mover *move) {
    kan_maps_state *state = b->state;
    const kan_maps_attribute *attribute = &state->space->attributes[a];
    const uint32_t node = kan_maps_place(state, b->points[first])[a];
    for (size_t i = first; i < end; i++) {
        const uint32_t p = b->points[i], value = kan_maps_values(state->space, p)[a];
        KAN_TRY(move(state, p, a, kan_maps_child(attribute, node, value)));
    }
    return kan_maps_settle(state);
}

/* The attribute whose split is best; n_attributes where none helps. */
static kan_status find_split(boxes *b, size_t first, size_t end, unsigned *out) {
    kan_maps_state *state = b->state;
    const kan_maps_mark mark = kan_maps_now(state);
    kan_maps_worth best = worth_now(b);
    *out = state->space->n_attributes;
    for (unsigned a = 0; a < state->space->n_attributes && !is_over(b); a++) {
        const kan_maps_attribute *attribute = &state->space->attributes[a];
        const uint32_t p = b->points[first];
        if (kan_maps_place(state, p)[a] == attribute->bottom[kan_maps_values(state->space, p)[a]])
            continue;
        KAN_TRY(split(b, first, end, a, kan_maps_try_in));
        const kan_maps_worth worth = worth_now(b);
        KAN_TRY(kan_maps_rollback(state, &mark));
        if (kan_maps_compare(&worth, &best) < 0) {
            best = worth;
            *out = a;
        }
    }
    return KAN_OK;
}

static kan_status split_down(boxes *b, uint32_t group);

/* The parts that the points first .. end-1 are in now: each has one point that comes first. */
static kan_status split_parts(boxes *b, size_t first, size_t end) {
    const size_t start = b->n;
    for (size_t i = first; i < end; i++) {
        const uint32_t p = b->points[i], group = b->state->group_of[p];
        if (b->state->groups[group].head == p)
            KAN_TRY(push(b, p));
    }
    const size_t n_parts = b->n - start;
    for (size_t i = 0; i < n_parts; i++)
        KAN_TRY(split_down(b, b->state->group_of[b->points[start + i]]));
    b->n = start;
    return KAN_OK;
}

/* Splits a box, and its parts, as long as that helps. */
static kan_status split_down(boxes *b, uint32_t group) {
    const size_t first = b->n;
    unsigned a;
    KAN_TRY(push_members(b, group));
    const size_t end = b->n;
    KAN_TRY(find_split(b, first, end, &a));
    if (a < b->state->space->n_attributes) {
        KAN_TRY(split(b, first, end, a, kan_maps_move_in));
        KAN_TRY(split_parts(b, first, end));
    }
    b->n = first;
    return KAN_OK;
}

static kan_status split_all(boxes *b) {
    const size_t n = b->state->space->n_points;
    for (size_t p = 0; p < n && !is_over(b); p++) {
        const uint32_t group = b->state->group_of[p];
        if (b->state->groups[group].head != p)
            continue;
        KAN_TRY(split_down(b, group));
        kan_maps_commit(b->state);
    }
    return KAN_OK;
}

/* ---- joins ---------------------------------------------------------------------------------- */

static bool is_within(const kan_maps_space *space, const uint32_t *inner, const uint32_t *outer) {
    for (unsigned a = 0; a < space->n_attributes; a++)
        if (!kan_maps_holds(&space->attributes[a], outer[a], inner[a]))
            return false;
    return true;
}

/* Lifts the nodes until no box is cut; the number of points inside, or more than MOST_JOINED. */
static size_t close_box(boxes *b, uint32_t *nodes) {
    const kan_maps_space *space = b->state->space;
    size_t n_inside = 0;
    for (bool is_closed = false; !is_closed && n_inside <= MOST_JOINED;) {
        is_closed = true;
        n_inside = 0;
        b->state->effort += b->state->n_groups / 4;
        for (uint32_t g = 0; g < b->state->n_groups && is_closed; g++) {
            const uint32_t *other = kan_maps_nodes(b->state, g);
            if (!b->state->groups[g].is_used || !kan_maps_meet(space, nodes, other))
                continue;
            n_inside += b->state->groups[g].n_points;
            is_closed = is_within(space, other, nodes);
            for (unsigned a = 0; a < space->n_attributes; a++)
                nodes[a] = kan_maps_join(&space->attributes[a], nodes[a], other[a]);
        }
    }
    return n_inside;
}

static kan_status push_inside(boxes *b, const uint32_t *nodes) {
    for (uint32_t g = 0; g < b->state->n_groups; g++)
        if (b->state->groups[g].is_used &&
            is_within(b->state->space, kan_maps_nodes(b->state, g), nodes))
            KAN_TRY(push_members(b, g));
    return KAN_OK;
}

/* All points of the stack from `first` on in one box, which is split in attribute a first; n: in
 * whichever is best. */
static kan_status try_order(boxes *b, size_t first, const uint32_t *nodes, unsigned a,
                            bool *is_better) {
    kan_maps_state *state = b->state;
    const kan_maps_worth before = worth_now(b);
    const kan_maps_mark mark = kan_maps_now(state);
    const size_t end = b->n;
    for (size_t i = first; i < end; i++)
        KAN_TRY(kan_maps_move(state, b->points[i], nodes));
    KAN_TRY(kan_maps_settle(state));
    if (a < state->space->n_attributes)
        KAN_TRY(split(b, first, end, a, kan_maps_move_in));
    KAN_TRY(split_parts(b, first, end));
    const kan_maps_worth after = worth_now(b);
    *is_better = kan_maps_compare(&after, &before) < 0;
    if (!*is_better)
        return kan_maps_rollback(state, &mark);
    kan_maps_commit(state);
    return KAN_OK;
}

/* The box of a point with its neighbours in attribute a. */
static kan_status try_join(boxes *b, uint32_t point, unsigned a, bool *is_better) {
    const kan_maps_space *space = b->state->space;
    const kan_maps_attribute *attribute = &space->attributes[a];
    uint32_t nodes[KAN_MAX_ATTRIBUTES];
    const size_t first = b->n;
    memcpy(nodes, kan_maps_place(b->state, point), space->n_attributes * sizeof *nodes);
    *is_better = false;
    if (attribute->up[nodes[a]] == nodes[a])
        return KAN_OK;
    nodes[a] = attribute->up[nodes[a]];
    if (close_box(b, nodes) > MOST_JOINED)
        return KAN_OK;
    KAN_TRY(push_inside(b, nodes));
    for (unsigned i = 0; i <= space->n_attributes && !*is_better && !is_over(b); i++) {
        const unsigned by = space->n_attributes - i; /* whichever is best comes first */
        const bool can_split =
            by < space->n_attributes &&
            nodes[by] != space->attributes[by].bottom[kan_maps_values(space, b->points[first])[by]];
        if (i == 0 || can_split)
            KAN_TRY(try_order(b, first, nodes, by, is_better));
    }
    b->n = first;
    return KAN_OK;
}

static kan_status join_all(boxes *b, bool *has_changed) {
    const kan_maps_space *space = b->state->space;
    *has_changed = false;
    for (size_t p = 0; p < space->n_points; p++)
        for (unsigned a = 0; a < space->n_attributes && !is_over(b); a++) {
            bool is_better = false;
            if (b->state->groups[b->state->group_of[p]].head == p)
                KAN_TRY(try_join(b, (uint32_t)p, a, &is_better));
            *has_changed |= is_better;
        }
    return KAN_OK;
}

kan_status kan_maps_improve_boxes(kan_maps_state *state, uint64_t most_effort) {
    boxes b = {.state = state, .last_effort = state->effort + most_effort};
    bool has_changed = true;
    kan_status status = split_all(&b);
    while (status == KAN_OK && has_changed && !is_over(&b))
        status = join_all(&b, &has_changed);
    kan_free(state->space->run, b.points);
    return status;
}
