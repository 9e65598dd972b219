/* From the bottom up: all points begin at their values. Those whose group fails go up a level
 * together, in one attribute after the other, and stay where their group passes (after
 * alpha-k.txt 4.1, with whole points). The attribute is the one in which most rows come to pass for
 * what is given up. Every step tries all attributes on the points that are left. */
#include "search/maps/maps_inside.h"

typedef struct {
    kan_maps_state *state;
    size_t n;         /* points that fail */
    uint32_t *points; /* these */
} rise;

static void find_failing(rise *r) {
    r->n = 0;
    for (uint32_t p = 0; p < r->state->space->n_points; p++)
        if (r->state->groups[r->state->group_of[p]].sum.n_released == 0)
            r->points[r->n++] = p;
}

/* *given_up: how much more the points that fail show less, all together. */
static kan_status lift(rise *r, unsigned a, double *given_up) {
    kan_maps_state *state = r->state;
    const kan_maps_attribute *attribute = &state->space->attributes[a];
    *given_up = 0;
    for (size_t i = 0; i < r->n; i++) {
        const uint32_t p = r->points[i], node = kan_maps_place(state, p)[a];
        const uint32_t up = attribute->up[node];
        *given_up +=
            (double)(attribute->loss[up] - attribute->loss[node]) * (double)state->space->rows[p];
        KAN_TRY(kan_maps_move_in(state, p, a, up));
    }
    return kan_maps_settle(state);
}

/* The best attribute; n_attributes where all points are at their roots. */
static kan_status find_attribute(rise *r, unsigned *out) {
    kan_maps_state *state = r->state;
    const kan_maps_mark mark = kan_maps_now(state);
    double best = -1;
    *out = state->space->n_attributes;
    for (unsigned a = 0; a < state->space->n_attributes; a++) {
        const uint64_t n_lost = state->total.n_lost;
        double given_up;
        KAN_TRY(lift(r, a, &given_up));
        const bool has_moved = state->n_moves > mark.n_moves;
        const uint64_t n_passing = n_lost > state->total.n_lost ? n_lost - state->total.n_lost : 0;
        const double gain = (1 + (double)n_passing) / (1 + given_up);
        KAN_TRY(kan_maps_rollback(state, &mark));
        if (has_moved && gain > best) {
            best = gain;
            *out = a;
        }
    }
    return KAN_OK;
}

static kan_status rise_all(rise *r) {
    const kan_maps_space *space = r->state->space;
    unsigned a;
    for (find_failing(r); r->n > 0 && !kan_should_stop(space->run); find_failing(r)) {
        double given_up;
        KAN_TRY(find_attribute(r, &a));
        if (a == space->n_attributes)
            break;
        KAN_TRY(lift(r, a, &given_up));
        kan_maps_commit(r->state);
    }
    return KAN_OK;
}

kan_status kan_maps_rise(kan_maps_state *state) {
    rise r = {.state = state};
    KAN_TRY(kan_alloc(state->space->run, state->space->n_points, sizeof *r.points, &r.points));
    const kan_status status = rise_all(&r);
    kan_free(state->space->run, r.points);
    return status;
}
