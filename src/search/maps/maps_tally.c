/* What a group has: sensitive values, as sorted lists that a promise can be asked about; people; and
 * classes. A change takes the time of a look-up, and of moving the values behind it where one comes
 * or goes. */
#include "search/maps/maps_inside.h"

/* The place of a value, or where it belongs. */
static size_t place_of(const kan_maps_tally *tally, uint32_t value) {
    size_t low = 0, high = tally->n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (tally->value[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static kan_status add_value(kan_run *run, kan_maps_tally *tally, uint32_t value, uint64_t n_rows) {
    const size_t at = place_of(tally, value), n = tally->n;
    if (at == n || tally->value[at] != value) {
        KAN_TRY(kan_reserve(run, n + 1, sizeof *tally->value, &tally->value_room, &tally->value));
        KAN_TRY(kan_reserve(run, n + 1, sizeof *tally->count, &tally->count_room, &tally->count));
        memmove(tally->value + at + 1, tally->value + at, (n - at) * sizeof *tally->value);
        memmove(tally->count + at + 1, tally->count + at, (n - at) * sizeof *tally->count);
        tally->value[at] = value;
        tally->count[at] = 0;
        tally->n++;
    }
    tally->count[at] += n_rows;
    return KAN_OK;
}

static void remove_value(kan_maps_tally *tally, uint32_t value, uint64_t n_rows) {
    const size_t at = place_of(tally, value);
    KAN_ASSERT(at < tally->n && tally->value[at] == value && tally->count[at] >= n_rows);
    tally->count[at] -= n_rows;
    if (tally->count[at] > 0)
        return;
    tally->n--;
    memmove(tally->value + at, tally->value + at + 1, (tally->n - at) * sizeof *tally->value);
    memmove(tally->count + at, tally->count + at + 1, (tally->n - at) * sizeof *tally->count);
}

/* The person's own tail has no tally: it is the head count. Of others the pairs are counted, but of
 * the class rows; without pairs nobody looks at them. */
static bool counts_rows(const kan_maps_space *space, unsigned i) {
    return !space->has_person || (int)i == space->question->problem->class_tail;
}

static kan_status add_heads(kan_maps_state *state, uint32_t g, size_t t) {
    const kan_maps_space *space = state->space;
    const kan_owners *owners = &space->owners;
    bool is_new;
    KAN_TRY(kan_maps_heads_add(space->run, &state->heads, g, 0, owners->person[t], &is_new));
    state->groups[g].n_people += is_new;
    if (state->histories.sum)
        kan_maps_histories_add(&state->histories, owners->person[t], g,
                               kan_problem_tuple_rows(space->question->problem, t));
    for (unsigned i = 1; i < space->n_tails; i++) {
        if (!owners->pair[i])
            continue;
        KAN_TRY(kan_maps_heads_add(space->run, &state->heads, g, i, owners->pair[i][t], &is_new));
        if (is_new)
            KAN_TRY(add_value(
                space->run, &kan_maps_tallies(state, g)[i],
                kan_problem_tuple_value(space->question->problem, t, space->n_attributes + i), 1));
    }
    return KAN_OK;
}

static void remove_heads(kan_maps_state *state, uint32_t g, size_t t) {
    const kan_maps_space *space = state->space;
    const kan_owners *owners = &space->owners;
    state->groups[g].n_people -= kan_maps_heads_remove(&state->heads, g, 0, owners->person[t]);
    if (state->histories.sum)
        kan_maps_histories_remove(&state->histories, owners->person[t], g,
                                  kan_problem_tuple_rows(space->question->problem, t));
    for (unsigned i = 1; i < space->n_tails; i++)
        if (owners->pair[i] && kan_maps_heads_remove(&state->heads, g, i, owners->pair[i][t]))
            remove_value(
                &kan_maps_tallies(state, g)[i],
                kan_problem_tuple_value(space->question->problem, t, space->n_attributes + i), 1);
}

kan_status kan_maps_tally_add(kan_maps_state *state, uint32_t g, size_t point) {
    const kan_maps_space *space = state->space;
    const kan_problem *problem = space->question->problem;
    for (size_t t = space->first_tuple[point]; t < space->first_tuple[point + 1]; t++) {
        if (kan_maps_is_gone(space, t))
            continue;
        if (space->has_person)
            KAN_TRY(add_heads(state, g, t));
        for (unsigned i = 0; i < space->n_tails; i++)
            if (counts_rows(space, i))
                KAN_TRY(add_value(space->run, &kan_maps_tallies(state, g)[i],
                                  kan_problem_tuple_value(problem, t, space->n_attributes + i),
                                  kan_problem_tuple_rows(problem, t)));
    }
    return KAN_OK;
}

void kan_maps_tally_remove(kan_maps_state *state, uint32_t g, size_t point) {
    const kan_maps_space *space = state->space;
    const kan_problem *problem = space->question->problem;
    for (size_t t = space->first_tuple[point]; t < space->first_tuple[point + 1]; t++) {
        if (kan_maps_is_gone(space, t))
            continue;
        if (space->has_person)
            remove_heads(state, g, t);
        for (unsigned i = 0; i < space->n_tails; i++)
            if (counts_rows(space, i))
                remove_value(&kan_maps_tallies(state, g)[i],
                             kan_problem_tuple_value(problem, t, space->n_attributes + i),
                             kan_problem_tuple_rows(problem, t));
    }
}

/* ---- classes in an array -------------------------------------------------------------------- */

void kan_maps_classes_add(kan_maps_state *state, uint32_t g, size_t point) {
    const kan_maps_space *space = state->space;
    uint64_t *classes = kan_maps_classes(state, g);
    for (size_t t = space->first_tuple[point]; t < space->first_tuple[point + 1]; t++)
        if (!kan_maps_is_gone(space, t))
            classes[space->class_of[t]] += kan_problem_tuple_rows(space->question->problem, t);
}

void kan_maps_classes_remove(kan_maps_state *state, uint32_t g, size_t point) {
    const kan_maps_space *space = state->space;
    uint64_t *classes = kan_maps_classes(state, g);
    for (size_t t = space->first_tuple[point]; t < space->first_tuple[point + 1]; t++)
        if (!kan_maps_is_gone(space, t))
            classes[space->class_of[t]] -= kan_problem_tuple_rows(space->question->problem, t);
}

/* ---- whether a group passes ----------------------------------------------------------------- */

bool kan_maps_is_large(const kan_maps_state *state, uint32_t g) {
    const kan_promise *promise = state->space->question->promise;
    const kan_maps_group *group = &state->groups[g];
    return group->n_rows > 0 && group->n_rows >= promise->least_size &&
           (!state->space->has_person || group->n_people >= promise->k);
}

bool kan_maps_passes(const kan_maps_state *state, uint32_t g) {
    const kan_maps_space *space = state->space;
    const kan_promise *promise = space->question->promise;
    const kan_maps_tally *tallies = kan_maps_tallies(state, g);
    const uint64_t size = space->has_person ? state->groups[g].n_people : state->groups[g].n_rows;
    kan_tally views[KAN_MAX_TAILS];
    size_t start[KAN_MAX_TAILS][2];
    uint64_t total[KAN_MAX_TAILS];
    const uint64_t *totals[KAN_MAX_TAILS];
    uint8_t passes = 0;
    if (!kan_maps_is_large(state, g))
        return false;
    if (promise->size_decides || (promise->people_decide && !promise->needs_tallies))
        return true;
    for (unsigned i = 0; i < space->n_tails; i++) {
        start[i][0] = 0;
        start[i][1] = tallies[i].n;
        views[i] = (kan_tally){start[i], tallies[i].value, tallies[i].count};
        totals[i] = &total[i];
        total[i] = 0;
        for (size_t j = 0; space->has_person && j < tallies[i].n; j++)
            total[i] += tallies[i].count[j];
    }
    kan_groups groups = {.n_groups = 1,
                         .n_rows =
                             space->has_person ? space->question->problem->n_people : space->n_rows,
                         .count = &size,
                         .tallies = views,
                         .totals = space->has_person ? totals : NULL};
    kan_promise_check(promise, &groups, &passes);
    return passes;
}
