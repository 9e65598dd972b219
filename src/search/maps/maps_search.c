/* What the searches have in common: where they begin, what they try, and how they end.
 *
 * All begin from the roots of the hierarchies and from what is known (the best levels, which the
 * job may have looked for). From each beginning maps of values are climbed to whole subtrees first:
 * these are allowed in every model. From there the model goes its own way. The best of all is
 * proven, where that does not take too long. An answer is never worse than what it began from. */
#include "search/maps/maps_inside.h"

typedef struct {
    kan_maps_space space;
    kan_maps_model model;
    uint32_t *map[KAN_MAX_ATTRIBUTES]; /* by value: its node */
    uint32_t *at;                      /* places of points, while a state is made or read */
    uint32_t *best;                    /* the best places so far */
    kan_maps_worth worth;              /* theirs */
    bool has_best;
    uint64_t n_states;
    bool is_proven;
} searching;

/* Moves of points from one beginning: a second or two on small tables, more on large ones, of which
 * each point has to be moved so often before anything is done. */
static uint64_t effort_of(const searching *s) {
    return 20 * 1000 * 1000 + 300 * (uint64_t)s->space.n_points;
}

/* ---- beginnings ----------------------------------------------------------------------------- */

static void map_to_roots(searching *s) {
    for (unsigned a = 0; a < s->space.n_attributes; a++) {
        const kan_maps_attribute *attribute = &s->space.attributes[a];
        for (uint32_t value = 0; value < attribute->n_values; value++)
            s->map[a][value] = kan_maps_at_level(attribute, value, KAN_HEIGHT_MOST);
    }
}

static void map_to_levels(searching *s, const unsigned *levels) {
    for (unsigned a = 0; a < s->space.n_attributes; a++) {
        const kan_maps_attribute *attribute = &s->space.attributes[a];
        for (uint32_t value = 0; value < attribute->n_values; value++)
            s->map[a][value] = kan_maps_at_level(attribute, value, levels[a]);
    }
}

static void place_by_map(searching *s) {
    const unsigned n = s->space.n_attributes;
    for (size_t p = 0; p < s->space.n_points; p++)
        for (unsigned a = 0; a < n; a++)
            s->at[p * n + a] = s->map[a][kan_maps_values(&s->space, p)[a]];
}

/* ---- what each model tries ------------------------------------------------------------------ */

static void keep_best(searching *s, const kan_maps_state *state) {
    const kan_maps_worth worth = kan_maps_worth_of(&s->space, &state->total);
    s->n_states += state->n_trials;
    if (s->has_best && kan_maps_compare(&worth, &s->worth) >= 0)
        return;
    kan_maps_state_read(state, s->best);
    s->worth = worth;
    s->has_best = true;
}

static kan_status climb(searching *s, kan_maps_state *state) {
    /* where points go anywhere afterwards, maps are but a beginning */
    const uint64_t effort =
        s->model == KAN_MAPS_UNRESTRICTED_MULTI ? effort_of(s) / 4 : effort_of(s);
    KAN_TRY(kan_maps_climb(state, s->map, KAN_MAPS_SUBTREES, effort));
    if (s->model != KAN_MAPS_FULL_SUBGRAPH)
        KAN_TRY(kan_maps_climb(state, s->map, KAN_MAPS_ANY, effort));
    if (s->model != KAN_MAPS_UNRESTRICTED)
        KAN_TRY(s->model == KAN_MAPS_FULL_SUBGRAPH
                    ? kan_maps_improve_boxes(state, effort_of(s))
                    : kan_maps_improve_tuples(state, false, effort_of(s)));
    keep_best(s, state);
    return KAN_OK;
}

static kan_status improve_boxes(searching *s, kan_maps_state *state) {
    KAN_TRY(kan_maps_improve_boxes(state, effort_of(s)));
    if (s->model == KAN_MAPS_UNRESTRICTED_MULTI)
        KAN_TRY(kan_maps_improve_tuples(state, false, effort_of(s)));
    keep_best(s, state);
    return KAN_OK;
}

/* From the places in `at`. */
static kan_status work_on(searching *s, kan_status (*work)(searching *s, kan_maps_state *state)) {
    kan_maps_state state;
    kan_status status = kan_maps_state_make(&s->space, s->at, KAN_MAPS_COUNT, &state);
    if (status == KAN_OK)
        status = work(s, &state);
    kan_maps_state_destroy(&state);
    return status;
}

static kan_status begin_from_map(searching *s) {
    place_by_map(s);
    if (s->model != KAN_MAPS_UNRESTRICTED)
        KAN_TRY(work_on(s, improve_boxes));
    return work_on(s, climb);
}

/* Points may be anywhere: from the bottom up, and once more from the best of all. */
static kan_status rise(searching *s, kan_maps_state *state) {
    KAN_TRY(kan_maps_rise(state));
    KAN_TRY(kan_maps_improve_tuples(state, true, effort_of(s) * 3 / 2));
    keep_best(s, state);
    return KAN_OK;
}

static kan_status improve_points(searching *s, kan_maps_state *state) {
    KAN_TRY(kan_maps_improve_tuples(state, true, effort_of(s) * 3 / 2));
    keep_best(s, state);
    return KAN_OK;
}

static kan_status place_anywhere(searching *s) {
    const unsigned n = s->space.n_attributes;
    memcpy(s->at, s->best, s->space.n_points * n * sizeof *s->at);
    KAN_TRY(work_on(s, improve_points));
    for (size_t p = 0; p < s->space.n_points; p++)
        kan_maps_lowest(&s->space, p, s->at + p * n);
    return work_on(s, rise);
}

static kan_status begin(searching *s) {
    const kan_recoding *seed = s->space.question->seed;
    if (seed && seed->type == KAN_RECODING_LEVELS) {
        map_to_levels(s, seed->levels);
        KAN_TRY(begin_from_map(s));
    }
    map_to_roots(s);
    KAN_TRY(begin_from_map(s));
    return s->model == KAN_MAPS_UNRESTRICTED_MULTI ? place_anywhere(s) : KAN_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static kan_status answer(searching *s, kan_answer *out) {
    kan_maps_state state;
    kan_status status = kan_maps_state_make(&s->space, s->best, KAN_MAPS_COUNT, &state);
    if (status == KAN_OK)
        status = kan_maps_answer(&state, out);
    kan_maps_state_destroy(&state);
    out->is_optimal = s->is_proven;
    out->n_checked = s->n_states;
    return status;
}

static kan_status prove(searching *s) {
    const uint64_t most = kan_options_count(s->space.question->options, "prove", 200000);
    uint64_t n_states = 0;
    if (most == 0 || kan_should_stop(s->space.run))
        return KAN_OK;
    KAN_TRY(
        kan_maps_prove(&s->space, s->model, most, s->best, &s->worth, &n_states, &s->is_proven));
    s->n_states += n_states;
    return KAN_OK;
}

static kan_status search(searching *s, kan_answer *out) {
    const size_t n = s->space.n_points * s->space.n_attributes;
    kan_run *run = s->space.run;
    KAN_TRY(kan_alloc(run, n, sizeof *s->at, &s->at));
    KAN_TRY(kan_alloc(run, n, sizeof *s->best, &s->best));
    for (unsigned a = 0; a < s->space.n_attributes; a++)
        KAN_TRY(kan_alloc(run, s->space.attributes[a].n_values, sizeof *s->map[a], &s->map[a]));
    KAN_TRY(begin(s));
    KAN_TRY(prove(s));
    return answer(s, out);
}

kan_status kan_maps_search(kan_run *run, const kan_question *question, kan_maps_model model,
                           kan_answer *out) {
    searching s = {.model = model};
    memset(out, 0, sizeof *out);
    kan_status status = kan_maps_space_make(run, question, &s.space);
    if (status == KAN_OK)
        status = search(&s, out);
    kan_free(run, s.at);
    kan_free(run, s.best);
    for (unsigned a = 0; a < KAN_MAX_ATTRIBUTES; a++)
        kan_free(run, s.map[a]);
    kan_maps_space_destroy(&s.space);
    return status;
}
