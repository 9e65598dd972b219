/* Branch and bound over all placings of a model: proves that nothing is better, for small tables.
 *
 * What is decided is placed; everything else stands at its lowest nodes, each point by itself. So
 * what stands together will stand together, and goes nowhere lower: whatever is decided later, the
 * groups are unions of these, and no cost is less than theirs (kan_maps_count_mode). A part of the
 * space is left out when that bound is not below the best, or when more rows are certain to be left
 * out than may be:
 *
 *   unrestricted        attributes that are decided alone, all others at their roots: groups are
 *                       parts of these, and histories, too
 *   full-subgraph       boxes that were chosen have all their points
 *   unrestricted-multi  a vector gets no points but those that are not decided, and below it
 *
 * docs/papers/taxonomy.md has the proofs. */
#include "search/maps/maps_inside.h"

/* Larger tables are not tried. A state that moves more points counts for several. */
enum { MOST_VALUES = 256, MOST_POINTS = 256, MOVES_PER_STATE = 50 };

typedef struct {
    const kan_maps_space *space;
    kan_maps_model model;
    kan_maps_state lower, upper; /* what is not decided at its lowest nodes; at the roots */
    uint64_t n_states, most_states;
    bool has_given_up;
    uint8_t *is_set; /* by point: it is placed */
    uint32_t *boxes; /* chosen, one after the other */
    size_t n_boxes;
    uint32_t *at; /* the best, and what it is worth */
    kan_maps_worth *worth;
    uint32_t *here; /* scratch: all places */
} proof;

/* ---- when to turn back ---------------------------------------------------------------------- */

static bool is_stopped(proof *p) {
    const uint64_t effort = p->lower.effort + p->upper.effort;
    if (p->n_states >= p->most_states || effort / MOVES_PER_STATE >= p->most_states ||
        kan_should_stop(p->space->run))
        p->has_given_up = true;
    return p->has_given_up;
}

static bool is_hopeless(const proof *p) {
    const kan_maps_sum *low = &p->lower.total;
    kan_u128 bound = low->cost;
    if (p->worth->excess > 0)
        return false;
    if (p->space->cost == KAN_MAPS_CLASSES) {
        const uint64_t fit = p->space->n_rows / p->space->question->promise->least_size;
        const uint64_t most = low->n_released < fit ? low->n_released : fit;
        bound = p->space->n_points + 1 - most - (p->space->limit > 0);
    }
    return bound >= p->worth->cost;
}

/* Everything is decided. */
static kan_status finish(proof *p) {
    kan_maps_state state;
    kan_maps_state_read(&p->lower, p->here);
    kan_status status = kan_maps_state_make(p->space, p->here, KAN_MAPS_COUNT, &state);
    if (status == KAN_OK) {
        const kan_maps_worth worth = kan_maps_worth_of(p->space, &state.total);
        if (kan_maps_compare(&worth, p->worth) < 0) {
            *p->worth = worth;
            kan_maps_state_read(&state, p->at);
        }
    }
    kan_maps_state_destroy(&state);
    return status;
}

/* ---- values, one after the other ------------------------------------------------------------ */

static kan_status decide_value(proof *p, unsigned a, uint32_t value);

/* All values of an attribute are decided: groups are parts of what they make with those before. */
static kan_status decide_next(proof *p, unsigned a) {
    const kan_maps_mark mark = kan_maps_now(&p->upper);
    for (uint32_t point = 0; point < p->space->n_points; point++)
        KAN_TRY(kan_maps_move_in(&p->upper, point, a, kan_maps_place(&p->lower, point)[a]));
    KAN_TRY(kan_maps_settle(&p->upper));
    if (p->upper.total.n_lost <= p->space->limit && p->upper.total.n_rare == 0)
        KAN_TRY(a + 1 < p->space->n_attributes ? decide_value(p, a + 1, 0) : finish(p));
    return kan_maps_rollback(&p->upper, &mark);
}

static kan_status decide_value(proof *p, unsigned a, uint32_t value) {
    const kan_maps_attribute *attribute = &p->space->attributes[a];
    if (value == attribute->n_values)
        return decide_next(p, a);
    for (uint32_t node = attribute->bottom[value];; node = attribute->up[node]) {
        const kan_maps_mark mark = kan_maps_now(&p->lower);
        if (is_stopped(p))
            return KAN_OK;
        p->n_states++;
        for (size_t i = attribute->start[value]; i < attribute->start[value + 1]; i++)
            KAN_TRY(kan_maps_move_in(&p->lower, attribute->points[i], a, node));
        KAN_TRY(kan_maps_settle(&p->lower));
        if (!is_hopeless(p))
            KAN_TRY(decide_value(p, a, value + 1));
        KAN_TRY(kan_maps_rollback(&p->lower, &mark));
        if (attribute->up[node] == node)
            return KAN_OK;
    }
}

/* ---- points, one after the other ------------------------------------------------------------ */

/* The next vector above a point; false after the last. */
static bool next_vector(const kan_maps_space *space, size_t point, uint32_t *nodes) {
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const kan_maps_attribute *attribute = &space->attributes[a];
        if (attribute->up[nodes[a]] != nodes[a]) {
            nodes[a] = attribute->up[nodes[a]];
            return true;
        }
        nodes[a] = attribute->bottom[kan_maps_values(space, point)[a]];
    }
    return false;
}

static bool is_below(const kan_maps_space *space, size_t point, const uint32_t *nodes) {
    const uint32_t *values = kan_maps_values(space, point);
    for (unsigned a = 0; a < space->n_attributes; a++)
        if (values[a] < space->attributes[a].first[nodes[a]] ||
            values[a] >= space->attributes[a].end[nodes[a]])
            return false;
    return true;
}

/* Rows of vectors that cannot get enough of them. */
static uint64_t certain_losses(const proof *p) {
    const kan_maps_space *space = p->space;
    const uint64_t least = space->question->promise->least_size;
    uint64_t n_lost = 0;
    for (size_t point = 0; point < space->n_points; point++) {
        const uint32_t group = p->lower.group_of[point];
        uint64_t most = 0;
        if (!p->is_set[point] || p->lower.groups[group].n_rows >= least)
            continue;
        for (size_t other = 0; other < space->n_points && most < least; other++)
            if (p->is_set[other] ? p->lower.group_of[other] == group
                                 : is_below(space, other, kan_maps_nodes(&p->lower, group)))
                most += space->rows[other];
        n_lost += most < least ? space->rows[point] : 0;
    }
    return n_lost;
}

static kan_status decide_point(proof *p, uint32_t point) {
    uint32_t nodes[KAN_MAX_ATTRIBUTES];
    if (point == p->space->n_points)
        return finish(p);
    kan_maps_lowest(p->space, point, nodes);
    p->is_set[point] = 1;
    do {
        const kan_maps_mark mark = kan_maps_now(&p->lower);
        if (is_stopped(p))
            break;
        p->n_states++;
        KAN_TRY(kan_maps_move(&p->lower, point, nodes));
        KAN_TRY(kan_maps_settle(&p->lower));
        if (!is_hopeless(p) && certain_losses(p) <= p->space->limit)
            KAN_TRY(decide_point(p, point + 1));
        KAN_TRY(kan_maps_rollback(&p->lower, &mark));
    } while (next_vector(p->space, point, nodes));
    p->is_set[point] = 0;
    return KAN_OK;
}

/* ---- boxes, one after the other ------------------------------------------------------------- */

static bool meets_any(const proof *p, const uint32_t *nodes) {
    for (size_t i = 0; i < p->n_boxes; i++)
        if (kan_maps_meet(p->space, p->boxes + i * p->space->n_attributes, nodes))
            return true;
    return false;
}

static kan_status decide_box(proof *p, uint32_t point, uint64_t n_lost);

/* The box of a point that is in none: it takes all points inside. One that fails is not worth more
 * than its points by themselves. */
static kan_status take_box(proof *p, uint32_t point, const uint32_t *nodes, bool is_lowest,
                           uint64_t n_lost) {
    const unsigned n = p->space->n_attributes;
    const kan_maps_mark mark = kan_maps_now(&p->lower);
    for (uint32_t other = point; other < p->space->n_points; other++)
        if (!p->is_set[other] && is_below(p->space, other, nodes)) {
            KAN_TRY(kan_maps_move(&p->lower, other, nodes));
            p->is_set[other] = 1;
        }
    KAN_TRY(kan_maps_settle(&p->lower));
    memcpy(p->boxes + p->n_boxes++ * n, nodes, n * sizeof *nodes);
    const uint32_t group = p->lower.group_of[point];
    const bool passes = kan_maps_passes(&p->lower, group);
    n_lost += passes ? 0 : p->lower.groups[group].n_rows;
    if ((passes || is_lowest) && n_lost <= p->space->limit && !is_hopeless(p))
        KAN_TRY(decide_box(p, point + 1, n_lost));
    p->n_boxes--;
    for (uint32_t other = point; other < p->space->n_points; other++)
        if (p->lower.group_of[other] == group)
            p->is_set[other] = 0;
    return kan_maps_rollback(&p->lower, &mark);
}

static kan_status decide_box(proof *p, uint32_t point, uint64_t n_lost) {
    uint32_t nodes[KAN_MAX_ATTRIBUTES];
    while (point < p->space->n_points && p->is_set[point])
        point++;
    if (point == p->space->n_points)
        return finish(p);
    kan_maps_lowest(p->space, point, nodes);
    bool is_lowest = true;
    do {
        if (is_stopped(p))
            return KAN_OK;
        p->n_states++;
        if (!meets_any(p, nodes))
            KAN_TRY(take_box(p, point, nodes, is_lowest, n_lost));
        is_lowest = false;
    } while (next_vector(p->space, point, nodes));
    return KAN_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* Whether bounds are known, and the table is small enough that the end may be reached. */
static bool can_prove(const kan_maps_space *space, kan_maps_model model) {
    uint64_t n_values = 0;
    if (space->question->objective->kind->shape == KAN_SHAPE_OTHER)
        return false;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const kan_maps_attribute *attribute = &space->attributes[a];
        n_values += attribute->n_values;
        for (uint32_t value = 0; value < attribute->n_values; value++) {
            const uint32_t bottom = attribute->bottom[value];
            if (attribute->end[bottom] - attribute->first[bottom] > 1)
                return false; /* what stands there together need not stay so */
        }
    }
    return model == KAN_MAPS_UNRESTRICTED ? n_values <= MOST_VALUES
                                          : space->n_points <= MOST_POINTS;
}

static void place_at_roots(const kan_maps_space *space, uint32_t *at) {
    for (size_t point = 0; point < space->n_points; point++)
        for (unsigned a = 0; a < space->n_attributes; a++)
            at[point * space->n_attributes + a] = kan_maps_at_level(
                &space->attributes[a], kan_maps_values(space, point)[a], KAN_HEIGHT_MOST);
}

static kan_status prove(proof *p) {
    const kan_maps_space *space = p->space;
    const kan_promise *promise = space->question->promise;
    const size_t n = space->n_points * space->n_attributes;
    /* parts of what fails fail, or some of them do where none may */
    const bool is_monotone = kan_promise_is_monotone(promise);
    KAN_TRY(kan_alloc(space->run, n, sizeof *p->here, &p->here));
    KAN_TRY(kan_alloc(space->run, n, sizeof *p->boxes, &p->boxes));
    KAN_TRY(kan_alloc_zero(space->run, space->n_points, 1, &p->is_set));
    for (size_t point = 0; point < space->n_points; point++)
        kan_maps_lowest(space, point, p->here + point * space->n_attributes);
    KAN_TRY(kan_maps_state_make(space, p->here, KAN_MAPS_BOUND, &p->lower));
    place_at_roots(space, p->here);
    KAN_TRY(kan_maps_state_make(space, p->here, is_monotone ? KAN_MAPS_COUNT : KAN_MAPS_SIZES,
                                &p->upper));
    return p->model == KAN_MAPS_UNRESTRICTED    ? decide_value(p, 0, 0)
           : p->model == KAN_MAPS_FULL_SUBGRAPH ? decide_box(p, 0, 0)
                                                : decide_point(p, 0);
}

kan_status kan_maps_prove(const kan_maps_space *space, kan_maps_model model, uint64_t most_states,
                          uint32_t *at, kan_maps_worth *worth, uint64_t *n_states,
                          bool *is_proven) {
    proof p = {
        .space = space, .model = model, .most_states = most_states, .at = at, .worth = worth};
    *n_states = 0;
    *is_proven = false;
    if (space->n_points == 0 || !can_prove(space, model))
        return KAN_OK;
    const kan_status status = prove(&p);
    kan_maps_state_destroy(&p.lower);
    kan_maps_state_destroy(&p.upper);
    kan_free(space->run, p.here);
    kan_free(space->run, p.boxes);
    kan_free(space->run, p.is_set);
    *n_states = p.n_states;
    *is_proven = status == KAN_OK && !p.has_given_up;
    return status;
}
