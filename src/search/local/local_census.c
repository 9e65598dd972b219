/* A census: how many rows a set has, and how many of them have each sensitive value, as sorted
 * lists that a promise can be asked about. A change takes the time of a look-up, and of moving the
 * values behind it where one comes or goes. */
#include "search/local/local_inside.h"

kan_status kan_census_make(const kan_local_space *space, kan_census *out) {
    *out = (kan_census){.n_rows = 0};
    return space->n_tails == 0
               ? KAN_OK
               : kan_alloc_zero(space->run, space->n_tails, sizeof *out->tails, &out->tails);
}

void kan_census_destroy(const kan_local_space *space, kan_census *census) {
    for (unsigned i = 0; census->tails && i < space->n_tails; i++) {
        kan_free(space->run, census->tails[i].value);
        kan_free(space->run, census->tails[i].count);
    }
    kan_free(space->run, census->tails);
    *census = (kan_census){.n_rows = 0};
}

void kan_census_clear(const kan_local_space *space, kan_census *census) {
    census->n_rows = 0;
    for (unsigned i = 0; i < space->n_tails; i++)
        census->tails[i].n = 0;
}

/* The place of a value, or where it belongs. */
static size_t place_of(const struct kan_census_tail *tail, uint32_t value) {
    size_t low = 0, high = tail->n;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (tail->value[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static kan_status add_value(kan_run *run, struct kan_census_tail *tail, uint32_t value,
                            uint64_t n_rows) {
    const size_t at = place_of(tail, value);
    if (at == tail->n || tail->value[at] != value) {
        KAN_TRY(
            kan_reserve(run, tail->n + 1, sizeof *tail->value, &tail->value_room, &tail->value));
        KAN_TRY(kan_reserve(run, tail->n + 1, sizeof *tail->count, &tail->room, &tail->count));
        memmove(tail->value + at + 1, tail->value + at, (tail->n - at) * sizeof *tail->value);
        memmove(tail->count + at + 1, tail->count + at, (tail->n - at) * sizeof *tail->count);
        tail->value[at] = value;
        tail->count[at] = 0;
        tail->n++;
    }
    tail->count[at] += n_rows;
    return KAN_OK;
}

static void remove_value(struct kan_census_tail *tail, uint32_t value, uint64_t n_rows) {
    const size_t at = place_of(tail, value);
    KAN_ASSERT(at < tail->n && tail->value[at] == value && tail->count[at] >= n_rows);
    tail->count[at] -= n_rows;
    if (tail->count[at] > 0)
        return;
    tail->n--;
    memmove(tail->value + at, tail->value + at + 1, (tail->n - at) * sizeof *tail->value);
    memmove(tail->count + at, tail->count + at + 1, (tail->n - at) * sizeof *tail->count);
}

kan_status kan_census_add(const kan_local_space *space, kan_census *census, size_t tuple,
                          uint64_t n_rows) {
    if (n_rows == 0)
        return KAN_OK;
    for (unsigned i = 0; i < space->n_tails; i++)
        KAN_TRY(add_value(space->run, &census->tails[i], space->value[tuple * space->n_tails + i],
                          n_rows));
    census->n_rows += n_rows;
    return KAN_OK;
}

void kan_census_remove(const kan_local_space *space, kan_census *census, size_t tuple,
                       uint64_t n_rows) {
    if (n_rows == 0)
        return;
    for (unsigned i = 0; i < space->n_tails; i++)
        remove_value(&census->tails[i], space->value[tuple * space->n_tails + i], n_rows);
    KAN_ASSERT(n_rows <= census->n_rows);
    census->n_rows -= n_rows;
}

kan_status kan_census_add_all(const kan_local_space *space, kan_census *census,
                              const kan_census *other) {
    for (unsigned i = 0; i < space->n_tails; i++)
        for (size_t j = 0; j < other->tails[i].n; j++)
            KAN_TRY(add_value(space->run, &census->tails[i], other->tails[i].value[j],
                              other->tails[i].count[j]));
    census->n_rows += other->n_rows;
    return KAN_OK;
}

void kan_census_remove_all(const kan_local_space *space, kan_census *census,
                           const kan_census *other) {
    for (unsigned i = 0; i < space->n_tails; i++)
        for (size_t j = 0; j < other->tails[i].n; j++)
            remove_value(&census->tails[i], other->tails[i].value[j], other->tails[i].count[j]);
    KAN_ASSERT(other->n_rows <= census->n_rows);
    census->n_rows -= other->n_rows;
}

kan_status kan_kind_rows_make(const kan_local_space *space, kan_kind_rows *out) {
    *out = (kan_kind_rows){.n_used = 0};
    KAN_TRY(kan_alloc_zero(space->run, space->n_kinds, sizeof *out->rows, &out->rows));
    return kan_alloc(space->run, space->n_kinds, sizeof *out->used, &out->used);
}

void kan_kind_rows_destroy(const kan_local_space *space, kan_kind_rows *counted) {
    kan_free(space->run, counted->rows);
    kan_free(space->run, counted->used);
}

void kan_kind_rows_clear(kan_kind_rows *counted) {
    for (uint32_t i = 0; i < counted->n_used; i++)
        counted->rows[counted->used[i]] = 0;
    counted->n_used = 0;
}

kan_status kan_census_add_kinds(const kan_local_space *space, kan_census *census,
                                const kan_kind_rows *counted) {
    for (uint32_t i = 0; i < counted->n_used; i++)
        KAN_TRY(kan_census_add(space, census, space->example[counted->used[i]],
                               counted->rows[counted->used[i]]));
    return KAN_OK;
}

bool kan_census_passes(const kan_local_space *space, const kan_census *census) {
    const kan_promise *promise = space->question->promise;
    kan_tally tallies[KAN_MAX_TAILS];
    size_t start[KAN_MAX_TAILS][2];
    uint8_t passes = 0;
    if (census->n_rows < promise->least_size || census->n_rows == 0)
        return false;
    if (promise->size_decides)
        return true;
    for (unsigned i = 0; i < space->n_tails; i++) {
        start[i][0] = 0;
        start[i][1] = census->tails[i].n;
        tallies[i] = (kan_tally){start[i], census->tails[i].value, census->tails[i].count};
    }
    kan_groups groups = {.n_groups = 1,
                         .n_rows = space->question->problem->n_rows,
                         .count = &census->n_rows,
                         .tallies = tallies};
    kan_promise_check(promise, &groups, &passes);
    return passes;
}
