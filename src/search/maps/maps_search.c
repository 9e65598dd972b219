/* What the searches have in common: where they begin, what they try, and how they end.
 *
 * All begin from the roots of the hierarchies and from what is known (the best levels and whole
 * subtrees, which the job may have looked for). From each beginning maps of values are climbed to
 * whole subtrees first: these are allowed in every model. From there the model goes its own way;
 * `unrestricted-multi` goes those of the two others, and then on. The best of all is proven, where
 * that does not take too long. An answer is never worse than what it began from, nor than what the
 * search of a contained model finds.
 *
 * By person who is left out cannot be told group by group. So all of it is done with everybody, and
 * where the best levels leave people out once more without these, and the better answer is taken. */
#include "search/maps/maps_inside.h"

typedef struct searching searching;
typedef kan_status work(searching *s, kan_maps_state *state);

/* Two beginnings, boxes before and after each is climbed, and maps from there. */
enum { MOST_BEGUN = 6 };

struct searching {
    kan_maps_space space;
    kan_maps_model model;
    uint32_t *map[KAN_MAX_ATTRIBUTES]; /* by value: its node */
    uint32_t *at;                      /* places of points, while a state is made or read */
    uint32_t *best;                    /* the best places so far */
    kan_maps_worth worth;              /* theirs */
    bool has_best;
    uint8_t *is_gone;              /* by person, left out with the best levels; NULL: nobody is */
    bool is_without, best_without; /* whether they are left out now; in the best */
    /* Maps that a kind of work began from, attribute by attribute: it would find the same again. */
    struct {
        work *work;
        uint32_t *map;
    } begun[MOST_BEGUN];
    unsigned n_begun;
    uint64_t n_states;
    bool is_proven;
};

/* Moves of points from one beginning: a second or two on small tables, more on large ones, of which
 * each point has to be moved so often before anything is done. */
static uint64_t effort_of(const searching *s) {
    return 20000000 + 300 * (uint64_t)s->space.n_points;
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

/* The highest nodes that lie within the intervals. Those of whole subtrees are nodes. */
static void map_to_subtrees(searching *s, const kan_recoding *subtrees) {
    for (unsigned a = 0; a < s->space.n_attributes; a++) {
        const kan_maps_attribute *attribute = &s->space.attributes[a];
        const kan_domain *domain = s->space.question->problem->domains[a];
        uint32_t first = 0;
        for (size_t i = subtrees->first_cut[a]; i <= subtrees->first_cut[a + 1]; i++) {
            const uint32_t end = i < subtrees->first_cut[a + 1]
                                     ? domain->first_leaf[subtrees->cuts[i]]
                                     : attribute->n_values;
            for (uint32_t value = first; value < end; value++) {
                uint32_t node = attribute->bottom[value], up = attribute->up[node];
                while (up != node && attribute->first[up] >= first && attribute->end[up] <= end) {
                    node = up;
                    up = attribute->up[node];
                }
                s->map[a][value] = node;
            }
            first = end;
        }
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
    if (s->has_best && kan_maps_compare(&worth, &s->worth) >= 0)
        return;
    kan_maps_state_read(state, s->best);
    s->worth = worth;
    s->has_best = true;
    s->best_without = s->is_without;
}

/* From the places in `at`. */
static kan_status work_on(searching *s, work *work_at) {
    kan_maps_state state;
    kan_status status = kan_maps_state_make(&s->space, s->at, KAN_MAPS_COUNT, &state);
    if (status == KAN_OK)
        status = work_at(s, &state);
    if (status == KAN_OK)
        keep_best(s, &state);
    s->n_states += state.n_trials;
    kan_maps_state_destroy(&state);
    return status;
}

static kan_status look(searching *s, kan_maps_state *state) {
    (void)s, (void)state;
    return KAN_OK;
}

static kan_status climb_subtrees(searching *s, kan_maps_state *state) {
    return kan_maps_climb(state, s->map, KAN_MAPS_SUBTREES, effort_of(s));
}

/* Points may be anywhere: groups are divided, too. What was found before that is kept first. */
static kan_status divide(searching *s, kan_maps_state *state) {
    if (s->model != KAN_MAPS_UNRESTRICTED_MULTI)
        return KAN_OK;
    keep_best(s, state);
    return kan_maps_improve_tuples(state, false, effort_of(s) / 4);
}

static kan_status climb_any(searching *s, kan_maps_state *state) {
    KAN_TRY(kan_maps_climb(state, s->map, KAN_MAPS_ANY, effort_of(s)));
    return divide(s, state);
}

static kan_status improve_boxes(searching *s, kan_maps_state *state) {
    KAN_TRY(kan_maps_improve_boxes(state, effort_of(s)));
    return divide(s, state);
}

static bool is_map(const searching *s, const uint32_t *map) {
    for (unsigned a = 0; a < s->space.n_attributes; a++) {
        const uint32_t n = s->space.attributes[a].n_values;
        if (memcmp(map, s->map[a], n * sizeof *map) != 0)
            return false;
        map += n;
    }
    return true;
}

/* From the places of the map, if that was not done before. */
static kan_status work_on_map(searching *s, work *work_at) {
    size_t n = 0;
    for (unsigned i = 0; i < s->n_begun; i++)
        if (s->begun[i].work == work_at && is_map(s, s->begun[i].map))
            return KAN_OK;
    KAN_ASSERT(s->n_begun < MOST_BEGUN);
    for (unsigned a = 0; a < s->space.n_attributes; a++)
        n += s->space.attributes[a].n_values;
    uint32_t *map;
    KAN_TRY(kan_arena_alloc(&s->space.arena, n, sizeof *map, &map));
    s->begun[s->n_begun].work = work_at;
    s->begun[s->n_begun++].map = map;
    for (unsigned a = 0; a < s->space.n_attributes; a++) {
        memcpy(map, s->map[a], s->space.attributes[a].n_values * sizeof *map);
        map += s->space.attributes[a].n_values;
    }
    place_by_map(s);
    return work_on(s, work_at);
}

/* Where points go anywhere, all is done that the models do which are contained, step by step, from
 * the same places: so what they find is found. */
static kan_status begin_from_map(searching *s) {
    if (s->model != KAN_MAPS_UNRESTRICTED)
        KAN_TRY(work_on_map(s, improve_boxes));
    place_by_map(s);
    KAN_TRY(work_on(s, climb_subtrees));
    if (s->model != KAN_MAPS_UNRESTRICTED)
        KAN_TRY(work_on_map(s, improve_boxes));
    return s->model != KAN_MAPS_FULL_SUBGRAPH ? work_on_map(s, climb_any) : KAN_OK;
}

/* Points may be anywhere: from the bottom up, and once more from the best of all. */
static kan_status rise(searching *s, kan_maps_state *state) {
    KAN_TRY(kan_maps_rise(state));
    return kan_maps_improve_tuples(state, true, effort_of(s) * 5 / 4);
}

static kan_status improve_points(searching *s, kan_maps_state *state) {
    return kan_maps_improve_tuples(state, true, effort_of(s) * 5 / 4);
}

static kan_status place_anywhere(searching *s) {
    const unsigned n = s->space.n_attributes;
    memcpy(s->at, s->best, s->space.n_points * n * sizeof *s->at);
    KAN_TRY(work_on(s, improve_points));
    for (size_t p = 0; p < s->space.n_points; p++)
        kan_maps_lowest(&s->space, p, s->at + p * n);
    return work_on(s, rise);
}

/* From the better of what is known; the answer is never worse than either. */
static kan_status begin_from_known(searching *s) {
    const kan_recoding *levels = s->space.question->seed;
    const kan_recoding *subtrees = s->space.question->subtrees;
    if (levels) {
        map_to_levels(s, levels->levels);
        place_by_map(s);
        KAN_TRY(work_on(s, look));
    }
    if (subtrees) {
        const kan_maps_worth before = s->worth;
        map_to_subtrees(s, subtrees);
        place_by_map(s);
        KAN_TRY(work_on(s, look));
        if (levels && kan_maps_compare(&s->worth, &before) >= 0)
            map_to_levels(s, levels->levels);
    }
    return levels || subtrees ? begin_from_map(s) : KAN_OK;
}

static kan_status begin(searching *s) {
    KAN_TRY(begin_from_known(s));
    map_to_roots(s);
    KAN_TRY(begin_from_map(s));
    return s->model == KAN_MAPS_UNRESTRICTED_MULTI ? place_anywhere(s) : KAN_OK;
}

/* ---- without some people -------------------------------------------------------------------- */

/* Whoever leaves at the best levels, where that is by person. */
static kan_status find_gone(searching *s, uint64_t *n_gone) {
    const kan_question *question = s->space.question;
    *n_gone = 0;
    if (!question->promise->by_person || question->promise->limit == 0 || !question->seed)
        return KAN_OK;
    KAN_TRY(kan_alloc(s->space.run, (size_t)question->problem->n_people, 1, &s->is_gone));
    map_to_levels(s, question->seed->levels);
    place_by_map(s);
    KAN_TRY(kan_maps_find_gone(&s->space, s->at, s->is_gone, n_gone));
    kan_maps_space_leave(&s->space, NULL);
    return KAN_OK;
}

/* The same once more, without them: the best levels are a release then. */
static kan_status begin_without(searching *s) {
    uint64_t n_gone;
    KAN_TRY(find_gone(s, &n_gone));
    if (n_gone == 0 || n_gone > s->space.question->promise->limit)
        return KAN_OK;
    kan_maps_space_leave(&s->space, s->is_gone);
    s->is_without = true;
    s->n_begun = 0;
    return begin(s);
}

static kan_status weigh_best(searching *s, kan_maps_worth *out) {
    kan_maps_state state;
    kan_status status = kan_maps_state_make(&s->space, s->best, KAN_MAPS_COUNT, &state);
    *out = kan_maps_worth_of(&s->space, &state.total);
    kan_maps_state_destroy(&state);
    return status;
}

/* Whoever need not leave where the best has points stays, unless that makes it worse. */
static kan_status bring_back(searching *s) {
    const kan_question *question = s->space.question;
    const size_t n = (size_t)question->problem->n_people;
    kan_maps_worth worth;
    uint64_t n_gone;
    uint8_t *is_gone;
    if (!s->best_without)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(&s->space.arena, n, 1, &is_gone));
    KAN_TRY(kan_maps_find_gone(&s->space, s->best, is_gone, &n_gone));
    KAN_TRY(weigh_best(s, &worth));
    if (n_gone > question->promise->limit || kan_maps_compare(&worth, &s->worth) > 0)
        return KAN_OK;
    memcpy(s->is_gone, is_gone, n);
    s->worth = worth;
    return KAN_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static kan_status answer(searching *s, kan_answer *out) {
    kan_maps_state state;
    kan_maps_space_leave(&s->space, s->best_without ? s->is_gone : NULL);
    kan_status status = kan_maps_state_make(&s->space, s->best, KAN_MAPS_COUNT, &state);
    if (status == KAN_OK)
        status = kan_maps_answer(&state, out);
    kan_maps_state_destroy(&state);
    out->is_optimal = s->is_proven;
    out->n_checked = s->n_states;
    return status;
}

static kan_status prove_of(searching *s, kan_maps_model model) {
    const kan_promise *promise = s->space.question->promise;
    const uint64_t most = kan_options_count(s->space.question->options, "prove", 200000);
    uint64_t n_states = 0;
    /* who is left out by person is not tried */
    const bool can_prove = !promise->by_person || promise->limit == 0;
    if (most == 0 || !can_prove || kan_should_stop(s->space.run))
        return KAN_OK;
    KAN_TRY(kan_maps_prove(&s->space, model, most, s->best, &s->worth, &n_states, &s->is_proven));
    s->n_states += n_states;
    return KAN_OK;
}

/* Of a larger space less can be looked at: where that is not all of it, what the contained models
 * would have come upon is looked for there. A better beginning only leaves out more. */
static kan_status prove(searching *s) {
    KAN_TRY(prove_of(s, s->model));
    if (s->is_proven || s->model != KAN_MAPS_UNRESTRICTED_MULTI)
        return KAN_OK;
    KAN_TRY(prove_of(s, KAN_MAPS_UNRESTRICTED));
    KAN_TRY(prove_of(s, KAN_MAPS_FULL_SUBGRAPH));
    s->is_proven = false;
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
    KAN_TRY(begin_without(s));
    KAN_TRY(bring_back(s));
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
    kan_free(run, s.is_gone);
    kan_free(run, s.at);
    kan_free(run, s.best);
    for (unsigned a = 0; a < KAN_MAX_ATTRIBUTES; a++)
        kan_free(run, s.map[a]);
    kan_maps_space_destroy(&s.space);
    return status;
}
