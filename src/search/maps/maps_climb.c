/* Maps of values, one for each attribute, changed step by step while that makes them better.
 *
 * A step sends the values below a node somewhere else: all of them to that node or to one above it,
 * or each to the node of a lower level above it. A sweep tries every step; what helps is kept at
 * once. Where whole subtrees have to stay together, only steps are tried that keep them so. A sweep
 * moves each point about as often as there are pairs of levels of an attribute.
 *
 * Where nothing helps any more, a few random steps lead away, and it is climbed again; what is not
 * better then is forgotten. */
#include "search/maps/maps_inside.h"

/* Climbs after the first, each from near the best. */
enum { MOST_SHAKES = 200 };

typedef struct {
    kan_maps_state *state;
    uint32_t *const *map;
    kan_maps_rule rule;
    uint64_t last_effort; /* give up there */
    unsigned a;
    bool has_changed;
} climb;

/* Where the values first .. end-1 go: to `node`, or where that is KAN_MAPS_NONE to the level. */
typedef struct {
    uint32_t first, end, node;
    unsigned level;
} step;

static uint32_t target_of(const kan_maps_attribute *attribute, const step *s, uint32_t value) {
    return s->node != KAN_MAPS_NONE ? s->node : kan_maps_at_level(attribute, value, s->level);
}

/* Whether the step can help: where nothing is left out, it has to make something more exact. */
static bool is_worth_a_trial(const climb *c, const step *s) {
    const kan_maps_attribute *attribute = &c->state->space->attributes[c->a];
    bool changes = false;
    for (uint32_t value = s->first; value < s->end; value++) {
        const uint32_t old = c->map[c->a][value], new = target_of(attribute, s, value);
        changes |= old != new;
        if (old != new && (new < old || c->state->total.n_lost > 0))
            return true;
    }
    return changes && c->state->total.n_lost > 0;
}

static kan_status take_step(climb *c, const step *s, kan_maps_mover *move) {
    const kan_maps_attribute *attribute = &c->state->space->attributes[c->a];
    for (uint32_t value = s->first; value < s->end; value++) {
        const uint32_t node = target_of(attribute, s, value);
        if (node == c->map[c->a][value])
            continue;
        for (size_t i = attribute->start[value]; i < attribute->start[value + 1]; i++)
            KAN_TRY(move(c->state, attribute->points[i], c->a, node));
    }
    return kan_maps_settle(c->state);
}

static kan_status try_step(climb *c, const step *s) {
    kan_maps_state *state = c->state;
    const kan_maps_attribute *attribute = &state->space->attributes[c->a];
    if (!is_worth_a_trial(c, s) || state->effort > c->last_effort)
        return KAN_OK;
    const kan_maps_mark mark = kan_maps_now(state);
    const kan_maps_worth before = kan_maps_worth_of(state->space, &state->total);
    KAN_TRY(take_step(c, s, kan_maps_try_in));
    const kan_maps_worth after = kan_maps_worth_of(state->space, &state->total);
    KAN_TRY(kan_maps_rollback(state, &mark));
    if (kan_maps_compare(&after, &before) >= 0)
        return KAN_OK;
    KAN_TRY(take_step(c, s, kan_maps_move_in));
    for (uint32_t value = s->first; value < s->end; value++)
        c->map[c->a][value] = target_of(attribute, s, value);
    kan_maps_commit(state);
    c->has_changed = true;
    return KAN_OK;
}

/* Whether all values below a node are shown by it, or by what is below it. */
static bool is_inside(const climb *c, uint32_t node) {
    const kan_maps_attribute *attribute = &c->state->space->attributes[c->a];
    for (uint32_t value = attribute->first[node]; value < attribute->end[node]; value++)
        if (!kan_maps_holds(attribute, node, c->map[c->a][value]))
            return false;
    return true;
}

/* Lower levels for all values below a node. */
static kan_status try_lower(climb *c, uint32_t node) {
    const kan_maps_attribute *attribute = &c->state->space->attributes[c->a];
    step s = {attribute->first[node], attribute->end[node], KAN_MAPS_NONE, 0};
    for (unsigned level = attribute->cell[node].a; level-- > 0;) {
        s.level = level;
        KAN_TRY(try_step(c, &s));
        if (level <= attribute->cell[attribute->bottom[s.first]].a)
            break;
    }
    return KAN_OK;
}

static kan_status try_node(climb *c, uint32_t node) {
    const kan_maps_attribute *attribute = &c->state->space->attributes[c->a];
    const bool is_any = c->rule == KAN_MAPS_ANY;
    step s = {attribute->first[node], attribute->end[node], node, 0};
    if (!is_any && !is_inside(c, node))
        return KAN_OK;
    KAN_TRY(try_lower(c, node));
    KAN_TRY(try_step(c, &s));
    while (is_any && attribute->up[s.node] != s.node) {
        s.node = attribute->up[s.node];
        KAN_TRY(try_step(c, &s));
    }
    return KAN_OK;
}

/* One value to any node above it. */
static kan_status try_value(climb *c, uint32_t value) {
    const kan_maps_attribute *attribute = &c->state->space->attributes[c->a];
    step s = {value, value + 1, attribute->bottom[value], 0};
    KAN_TRY(try_step(c, &s));
    while (attribute->up[s.node] != s.node) {
        s.node = attribute->up[s.node];
        KAN_TRY(try_step(c, &s));
    }
    return KAN_OK;
}

static kan_status sweep(climb *c) {
    const kan_maps_space *space = c->state->space;
    for (c->a = 0; c->a < space->n_attributes; c->a++) {
        const kan_maps_attribute *attribute = &space->attributes[c->a];
        for (uint32_t node = attribute->n_nodes; node-- > 0 && !kan_should_stop(space->run);)
            KAN_TRY(try_node(c, node));
        for (uint32_t value = 0; c->rule == KAN_MAPS_ANY && value < attribute->n_values; value++)
            if (!kan_should_stop(space->run))
                KAN_TRY(try_value(c, value));
    }
    return KAN_OK;
}

static kan_status climb_up(climb *c) {
    do {
        c->has_changed = false;
        KAN_TRY(sweep(c));
    } while (c->has_changed && c->state->effort <= c->last_effort &&
             !kan_should_stop(c->state->space->run));
    return KAN_OK;
}

/* ---- away from where nothing helps ---------------------------------------------------------- */

static kan_status send(climb *c, unsigned a, uint32_t value, uint32_t node) {
    const kan_maps_attribute *attribute = &c->state->space->attributes[a];
    if (node == c->map[a][value])
        return KAN_OK;
    c->map[a][value] = node;
    for (size_t i = attribute->start[value]; i < attribute->start[value + 1]; i++)
        KAN_TRY(kan_maps_move_in(c->state, attribute->points[i], a, node));
    return KAN_OK;
}

/* A random value with all that is shown alike goes to a lower level, or up with all that is below
 * the node there. Subtrees stay whole. */
static kan_status shake(climb *c, uint64_t *random) {
    const kan_maps_space *space = c->state->space;
    c->a = (unsigned)kan_random_below(random, space->n_attributes);
    const kan_maps_attribute *attribute = &space->attributes[c->a];
    const uint32_t value = (uint32_t)kan_random_below(random, attribute->n_values);
    uint32_t node = c->map[c->a][value];
    const bool goes_up = kan_random_below(random, 2) == 0;
    const unsigned level = (unsigned)kan_random_below(random, attribute->cell[node].a + 1u);
    for (uint64_t n = 1 + kan_random_below(random, 2); goes_up && n > 0; n--)
        node = attribute->up[node];
    while (c->rule == KAN_MAPS_SUBTREES && !is_inside(c, node))
        node = attribute->up[node];
    for (uint32_t v = attribute->first[node]; v < attribute->end[node]; v++)
        KAN_TRY(send(c, c->a, v, goes_up ? node : kan_maps_at_level(attribute, v, level)));
    return KAN_OK;
}

/* Maps are copied to, or from, `kept`, by attribute. */
static void keep(const climb *c, uint32_t *kept) {
    for (unsigned a = 0; a < c->state->space->n_attributes; a++) {
        const uint32_t n = c->state->space->attributes[a].n_values;
        memcpy(kept, c->map[a], n * sizeof *kept);
        kept += n;
    }
}

static kan_status go_back(climb *c, const uint32_t *kept) {
    for (unsigned a = 0; a < c->state->space->n_attributes; a++)
        for (uint32_t v = 0; v < c->state->space->attributes[a].n_values; v++)
            KAN_TRY(send(c, a, v, *kept++));
    KAN_TRY(kan_maps_settle(c->state));
    kan_maps_commit(c->state);
    return KAN_OK;
}

static kan_status climb_again(climb *c, uint64_t *random) {
    for (uint64_t n = 1 + kan_random_below(random, 3); n > 0; n--)
        KAN_TRY(shake(c, random));
    KAN_TRY(kan_maps_settle(c->state));
    kan_maps_commit(c->state);
    return climb_up(c);
}

static kan_status climb_on(climb *c, uint32_t *kept) {
    const kan_maps_space *space = c->state->space;
    uint64_t random = kan_run_seed(space->run) * UINT64_C(0x9e3779b97f4a7c15) + c->rule;
    KAN_TRY(climb_up(c));
    keep(c, kept);
    for (unsigned n = 0; n < MOST_SHAKES && c->state->effort < c->last_effort; n++) {
        const kan_maps_worth before = kan_maps_worth_of(space, &c->state->total);
        if (kan_should_stop(space->run))
            return KAN_OK;
        KAN_TRY(climb_again(c, &random));
        const kan_maps_worth after = kan_maps_worth_of(space, &c->state->total);
        if (kan_maps_compare(&after, &before) <= 0)
            keep(c, kept);
        else
            KAN_TRY(go_back(c, kept));
    }
    return KAN_OK;
}

kan_status kan_maps_climb(kan_maps_state *state, uint32_t *const *map, kan_maps_rule rule,
                          uint64_t most_effort) {
    climb c = {
        .state = state, .map = map, .rule = rule, .last_effort = state->effort + most_effort};
    uint32_t *kept;
    size_t n = 0;
    for (unsigned a = 0; a < state->space->n_attributes; a++)
        n += state->space->attributes[a].n_values;
    KAN_TRY(kan_alloc(state->space->run, n, sizeof *kept, &kept));
    const kan_status status = climb_on(&c, kept);
    kan_free(state->space->run, kept);
    return status;
}
