/* Sensitive values of a group, as sorted lists that a promise can be asked about. A change takes
 * the time of a look-up, and of moving the values behind it where one comes or goes. */
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

kan_status kan_maps_tally_add(const kan_maps_space *space, kan_maps_tally *tallies, size_t point) {
    const kan_problem *problem = space->question->problem;
    for (size_t t = space->first_tuple[point]; t < space->first_tuple[point + 1]; t++)
        for (unsigned i = 0; i < space->n_tails; i++)
            KAN_TRY(add_value(space->run, &tallies[i],
                              kan_problem_tuple_value(problem, t, space->n_attributes + i),
                              kan_problem_tuple_rows(problem, t)));
    return KAN_OK;
}

void kan_maps_tally_remove(const kan_maps_space *space, kan_maps_tally *tallies, size_t point) {
    const kan_problem *problem = space->question->problem;
    for (size_t t = space->first_tuple[point]; t < space->first_tuple[point + 1]; t++)
        for (unsigned i = 0; i < space->n_tails; i++)
            remove_value(&tallies[i], kan_problem_tuple_value(problem, t, space->n_attributes + i),
                         kan_problem_tuple_rows(problem, t));
}

bool kan_maps_passes(const kan_maps_space *space, uint64_t n_rows, const kan_maps_tally *tallies) {
    const kan_promise *promise = space->question->promise;
    kan_tally views[KAN_MAX_TAILS];
    size_t start[KAN_MAX_TAILS][2];
    uint8_t passes = 0;
    if (n_rows < promise->least_size || n_rows == 0)
        return false;
    if (promise->size_decides)
        return true;
    for (unsigned i = 0; i < space->n_tails; i++) {
        start[i][0] = 0;
        start[i][1] = tallies[i].n;
        views[i] = (kan_tally){start[i], tallies[i].value, tallies[i].count};
    }
    kan_groups groups = {
        .n_groups = 1, .n_rows = space->n_rows, .count = &n_rows, .tallies = views};
    kan_promise_check(promise, &groups, &passes);
    return passes;
}
