/* Single points that go where they cost less: to a group that exists below where they are, or to
 * the group that has to be lifted least for them; and groups all of whose points do.
 *
 * The groups between a point and where it is are looked up, one by one; to find the one that has to
 * be lifted least groups are listed by their node in the attribute in which points differ most, and
 * those at nodes that would cost too much by themselves are left out. */
#include <math.h>

#include "search/maps/maps_inside.h"

/* Vectors between a point and where it is that are looked up, at most. */
enum { MOST_VECTORS = 4096 };

typedef struct {
    double loss, more;
} lift;

typedef struct {
    kan_maps_state *state;
    uint64_t last_effort; /* give up there */
    size_t n, room;       /* points of a group */
    uint32_t *points;
    bool has_changed;
    unsigned order[KAN_MAX_ATTRIBUTES]; /* attributes; first where points differ most */
    uint32_t value[KAN_MAX_ATTRIBUTES]; /* whose lifts these are */
    lift *lift[KAN_MAX_ATTRIBUTES];
    uint64_t n_looks; /* groups that were looked at */
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

/* By node of an attribute, for the values of the point that is looked at: what a row gives up at the
 * lowest node above both, and how much that is more than at the node. */
static void fill_lifts(mover *m, uint32_t point) {
    const kan_maps_space *space = m->state->space;
    const uint32_t *values = kan_maps_values(space, point);
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const kan_maps_attribute *attribute = &space->attributes[a];
        if (m->value[a] == values[a])
            continue;
        m->value[a] = values[a];
        for (uint32_t node = attribute->n_nodes; node-- > 0;) {
            const uint32_t up = attribute->up[node];
            const double own = (double)attribute->loss[node];
            double *loss = &m->lift[a][node].loss;
            if (values[a] >= attribute->first[node] && values[a] < attribute->end[node])
                *loss = own;
            else
                *loss = up == node ? INFINITY : m->lift[a][up].loss;
            m->lift[a][node].more = *loss - own;
        }
    }
}

/* About what it costs to lift a group for a point; `most` or more: that much at least. */
static double guess_lift(const mover *m, uint32_t group, double n_rows, double most) {
    const unsigned n = m->state->space->n_attributes;
    const uint32_t *nodes = kan_maps_nodes(m->state, group);
    const double n_lifted = (double)m->state->shown[group];
    double cost = 0;
    for (unsigned i = 0; i < n && cost < most; i++) {
        const lift *at = &m->lift[m->order[i]][nodes[m->order[i]]];
        cost += at->loss * n_rows + at->more * n_lifted;
    }
    return cost;
}

/* What it costs to lift a group for a point, and the vector; false: more than *least, or not at
 * all. */
static bool weigh_lift(const kan_maps_state *state, uint32_t group, uint32_t point, kan_u128 *least,
                       uint32_t *nodes) {
    const kan_maps_space *space = state->space;
    const uint32_t *own = kan_maps_nodes(state, group), *values = kan_maps_values(space, point);
    uint32_t lifted[KAN_MAX_ATTRIBUTES];
    kan_u128 after = 0;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const kan_maps_attribute *attribute = &space->attributes[a];
        lifted[a] = kan_maps_join(attribute, own[a], attribute->bottom[values[a]]);
        if (lifted[a] == KAN_MAPS_NONE)
            return false;
        after += attribute->loss[lifted[a]];
    }
    const kan_maps_group *to = &state->groups[group];
    const kan_u128 cost = after * space->rows[point] + (after - to->loss) * to->n_rows;
    if (cost >= *least)
        return false;
    *least = cost;
    memcpy(nodes, lifted, space->n_attributes * sizeof *nodes);
    return true;
}

/* What is looked for: the group that a point joins for the least. */
typedef struct {
    uint32_t point, best;
    double n_rows, least;
    kan_u128 most;   /* the same, exactly */
    uint32_t *nodes; /* to which `best` is lifted */
} choice;

/* More than what rounding does. */
static const double slack = 1 + 1e-9;

/* Looks at the groups at a node of the attribute by which they are listed. */
static void look_at_node(mover *m, uint32_t node, choice *c) {
    kan_maps_state *state = m->state;
    const lift *at = &m->lift[state->listed][node];
    const double n_lifted = (double)state->space->question->promise->least_size;
    if (at->loss * c->n_rows + at->more * n_lifted >= c->least)
        return;
    for (uint32_t g = state->lists[node]; g != KAN_MAPS_NONE; g = state->groups[g].listed_next) {
        m->n_looks++;
        if (state->shown[g] > 0 && g != state->group_of[c->point] &&
            guess_lift(m, g, c->n_rows, c->least) < c->least &&
            weigh_lift(state, g, c->point, &c->most, c->nodes)) {
            c->best = g;
            c->least = (double)c->most * slack;
        }
    }
}

/* The group, other than its own, that the point joins for the least, and the vector to which that is
 * lifted; KAN_MAPS_NONE: none costs less than `most`. Groups above the point come first: what they
 * cost rules out most others. */
static uint32_t find_best(mover *m, uint32_t point, kan_u128 most, uint32_t *nodes) {
    const kan_maps_space *space = m->state->space;
    const kan_maps_attribute *attribute = &space->attributes[m->state->listed];
    const uint32_t value = kan_maps_values(space, point)[m->state->listed];
    choice c = {.point = point,
                .best = KAN_MAPS_NONE,
                .n_rows = (double)space->rows[point],
                .least = (double)most * slack,
                .most = most,
                .nodes = nodes};
    fill_lifts(m, point);
    m->n_looks = attribute->n_nodes / 4;
    for (uint32_t node = attribute->bottom[value];; node = attribute->up[node]) {
        look_at_node(m, node, &c);
        if (attribute->up[node] == node)
            break;
    }
    for (uint32_t node = 0; node < attribute->n_nodes; node++)
        if (value < attribute->first[node] || value >= attribute->end[node])
            look_at_node(m, node, &c);
    m->state->effort += m->n_looks / 2;
    return c.best;
}

/* The point joins the group, other than its own, that this costs least; false: none costs less than
 * `most`. */
static kan_status join_best(mover *m, uint32_t point, kan_u128 most, bool *is_done) {
    kan_maps_state *state = m->state;
    uint32_t nodes[KAN_MAX_ATTRIBUTES];
    const uint32_t best = find_best(m, point, most, nodes);
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

/* What the rows of a point give up where it is; more than everything where they have to go. */
static kan_u128 loss_of(const kan_maps_state *state, uint32_t point) {
    const kan_maps_group *group = &state->groups[state->group_of[point]];
    if (group->sum.n_released == 0 && state->total.n_lost > state->space->limit)
        return state->space->n_rows * state->space->loss_lost + 1;
    return state->space->rows[point] *
           (group->sum.n_released > 0 ? group->loss : state->space->loss_lost);
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

/* ---- a sweep -------------------------------------------------------------------------------- */

static double count_alike(const kan_maps_space *space, unsigned a) {
    const kan_maps_attribute *attribute = &space->attributes[a];
    double n_pairs = 0;
    for (uint32_t value = 0; value < attribute->n_values; value++) {
        const double n = (double)(attribute->start[value + 1] - attribute->start[value]);
        n_pairs += n * n;
    }
    return n_pairs;
}

static kan_status prepare(mover *m) {
    const kan_maps_space *space = m->state->space;
    double alike[KAN_MAX_ATTRIBUTES]; /* pairs of points that have the same value */
    for (unsigned a = 0; a < space->n_attributes; a++) {
        unsigned i = a;
        alike[a] = count_alike(space, a);
        for (; i > 0 && alike[m->order[i - 1]] > alike[a]; i--)
            m->order[i] = m->order[i - 1];
        m->order[i] = a;
        m->value[a] = KAN_MAPS_NONE;
        KAN_TRY(
            kan_alloc(space->run, space->attributes[a].n_nodes, sizeof *m->lift[a], &m->lift[a]));
    }
    return kan_maps_list(m->state, m->order[0]);
}

static kan_status sweep(mover *m) {
    enum { MOST_DISSOLVED = 64 };
    kan_maps_state *state = m->state;
    for (uint32_t p = 0; p < state->space->n_points && !is_over(m); p++) {
        KAN_TRY(try_below(m, p));
        const uint32_t group = state->group_of[p];
        if (state->groups[group].head == p && state->groups[group].n_points <= MOST_DISSOLVED)
            KAN_TRY(try_dissolve(m, group));
        if (state->groups[state->group_of[p]].n_points > 1)
            KAN_TRY(try_elsewhere(m, p));
    }
    return KAN_OK;
}

kan_status kan_maps_move_points(kan_maps_state *state, uint64_t most_effort, bool *has_changed) {
    mover m = {.state = state, .last_effort = state->effort + most_effort};
    kan_status status = prepare(&m);
    if (status == KAN_OK)
        status = sweep(&m);
    kan_maps_unlist(state);
    for (unsigned a = 0; a < state->space->n_attributes; a++)
        kan_free(state->space->run, m.lift[a]);
    kan_free(state->space->run, m.points);
    *has_changed = m.has_changed;
    return status;
}
