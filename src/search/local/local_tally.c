/* A tally: how many rows a set has, and how many of them have each sensitive value, as sorted
 * lists that a promise can be asked about. A change takes the time of a look-up, and of moving the
 * values behind it where one comes or goes.
 *
 * Where people are counted: how many of them have each value. The pairs of a person and a value are
 * kept with their rows, and a pair counts once. */
#include "search/local/local_inside.h"

kan_status kan_local_tally_make(const kan_local_space *space, kan_local_tally *out) {
    *out = (kan_local_tally){.n_rows = 0};
    return space->n_tails == 0
               ? KAN_OK
               : kan_alloc_zero(space->run, space->n_tails, sizeof *out->tails, &out->tails);
}

void kan_local_tally_destroy(const kan_local_space *space, kan_local_tally *tally) {
    for (unsigned i = 0; tally->tails && i < space->n_tails; i++) {
        kan_free(space->run, tally->tails[i].value);
        kan_free(space->run, tally->tails[i].count);
        kan_local_heads_destroy(space->run, &tally->tails[i].pairs);
    }
    kan_free(space->run, tally->tails);
    kan_local_heads_destroy(space->run, &tally->people);
    *tally = (kan_local_tally){.n_rows = 0};
}

void kan_local_tally_clear(const kan_local_space *space, kan_local_tally *tally) {
    tally->n_rows = 0;
    for (unsigned i = 0; i < space->n_tails; i++) {
        tally->tails[i].n = 0;
        kan_local_heads_clear(&tally->tails[i].pairs);
    }
    kan_local_heads_clear(&tally->people);
}

/* The place of a value, or where it belongs. */
static size_t place_of(const struct kan_local_tally_tail *tail, uint32_t value) {
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

static kan_status add_value(kan_run *run, struct kan_local_tally_tail *tail, uint32_t value,
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

static void remove_value(struct kan_local_tally_tail *tail, uint32_t value, uint64_t n_rows) {
    const size_t at = place_of(tail, value);
    KAN_ASSERT(at < tail->n && tail->value[at] == value && tail->count[at] >= n_rows);
    tail->count[at] -= n_rows;
    if (tail->count[at] > 0)
        return;
    tail->n--;
    memmove(tail->value + at, tail->value + at + 1, (tail->n - at) * sizeof *tail->value);
    memmove(tail->count + at, tail->count + at + 1, (tail->n - at) * sizeof *tail->count);
}

/* ---- people ---------------------------------------------------------------------------------- */

static kan_status add_pair(const kan_local_space *space, kan_local_tally *tally, unsigned tail,
                           uint32_t pair, uint64_t n_rows) {
    struct kan_local_tally_tail *t = &tally->tails[tail];
    bool is_new;
    KAN_TRY(kan_local_heads_add(space->run, &t->pairs, pair, n_rows, &is_new));
    return is_new ? add_value(space->run, t, space->pair_value[tail][pair], 1) : KAN_OK;
}

static bool has_rows(const kan_local_space *space, unsigned tail) {
    return (int)tail == space->question->problem->class_tail;
}

static kan_status add_head(const kan_local_space *space, kan_local_tally *tally, size_t tuple,
                           uint64_t n_rows) {
    bool is_new;
    KAN_TRY(kan_local_heads_add(space->run, &tally->people, space->owners.person[tuple], n_rows,
                                &is_new));
    for (unsigned i = 1; i < space->n_tails; i++)
        if (has_rows(space, i))
            KAN_TRY(add_value(space->run, &tally->tails[i],
                              space->value[tuple * space->n_tails + i], n_rows));
        else if (space->owners.pair[i])
            KAN_TRY(add_pair(space, tally, i, space->owners.pair[i][tuple], n_rows));
    tally->n_rows += n_rows;
    return KAN_OK;
}

static void remove_pair(const kan_local_space *space, kan_local_tally *tally, unsigned tail,
                        uint32_t pair, uint64_t n_rows) {
    struct kan_local_tally_tail *t = &tally->tails[tail];
    if (kan_local_heads_remove(&t->pairs, pair, n_rows))
        remove_value(t, space->pair_value[tail][pair], 1);
}

static void remove_head(const kan_local_space *space, kan_local_tally *tally, size_t tuple,
                        uint64_t n_rows) {
    kan_local_heads_remove(&tally->people, space->owners.person[tuple], n_rows);
    for (unsigned i = 1; i < space->n_tails; i++)
        if (has_rows(space, i))
            remove_value(&tally->tails[i], space->value[tuple * space->n_tails + i], n_rows);
        else if (space->owners.pair[i])
            remove_pair(space, tally, i, space->owners.pair[i][tuple], n_rows);
    tally->n_rows -= n_rows;
}

static kan_status add_heads(const kan_local_space *space, kan_local_tally *tally,
                            const kan_local_tally *other) {
    bool is_new;
    for (size_t j = 0; j < other->people.n; j++)
        KAN_TRY(kan_local_heads_add(space->run, &tally->people, other->people.heads[j].id,
                                    other->people.heads[j].n_rows, &is_new));
    for (unsigned i = 1; i < space->n_tails; i++) {
        const kan_local_heads *pairs = &other->tails[i].pairs;
        for (size_t j = 0; j < pairs->n; j++)
            KAN_TRY(add_pair(space, tally, i, pairs->heads[j].id, pairs->heads[j].n_rows));
        for (size_t j = 0; has_rows(space, i) && j < other->tails[i].n; j++)
            KAN_TRY(add_value(space->run, &tally->tails[i], other->tails[i].value[j],
                              other->tails[i].count[j]));
    }
    tally->n_rows += other->n_rows;
    return KAN_OK;
}

static void remove_heads(const kan_local_space *space, kan_local_tally *tally,
                         const kan_local_tally *other) {
    for (size_t j = 0; j < other->people.n; j++)
        kan_local_heads_remove(&tally->people, other->people.heads[j].id,
                               other->people.heads[j].n_rows);
    for (unsigned i = 1; i < space->n_tails; i++) {
        const kan_local_heads *pairs = &other->tails[i].pairs;
        for (size_t j = 0; j < pairs->n; j++)
            remove_pair(space, tally, i, pairs->heads[j].id, pairs->heads[j].n_rows);
        for (size_t j = 0; has_rows(space, i) && j < other->tails[i].n; j++)
            remove_value(&tally->tails[i], other->tails[i].value[j], other->tails[i].count[j]);
    }
    tally->n_rows -= other->n_rows;
}

/* ---- rows that come and go ------------------------------------------------------------------- */

kan_status kan_local_tally_add(const kan_local_space *space, kan_local_tally *tally, size_t tuple,
                               uint64_t n_rows) {
    if (n_rows == 0)
        return KAN_OK;
    if (space->has_person)
        return add_head(space, tally, tuple, n_rows);
    for (unsigned i = 0; i < space->n_tails; i++)
        KAN_TRY(add_value(space->run, &tally->tails[i], space->value[tuple * space->n_tails + i],
                          n_rows));
    tally->n_rows += n_rows;
    return KAN_OK;
}

void kan_local_tally_remove(const kan_local_space *space, kan_local_tally *tally, size_t tuple,
                            uint64_t n_rows) {
    if (n_rows == 0)
        return;
    if (space->has_person) {
        remove_head(space, tally, tuple, n_rows);
        return;
    }
    for (unsigned i = 0; i < space->n_tails; i++)
        remove_value(&tally->tails[i], space->value[tuple * space->n_tails + i], n_rows);
    KAN_ASSERT(n_rows <= tally->n_rows);
    tally->n_rows -= n_rows;
}

kan_status kan_local_tally_add_all(const kan_local_space *space, kan_local_tally *tally,
                                   const kan_local_tally *other) {
    if (space->has_person)
        return add_heads(space, tally, other);
    for (unsigned i = 0; i < space->n_tails; i++)
        for (size_t j = 0; j < other->tails[i].n; j++)
            KAN_TRY(add_value(space->run, &tally->tails[i], other->tails[i].value[j],
                              other->tails[i].count[j]));
    tally->n_rows += other->n_rows;
    return KAN_OK;
}

void kan_local_tally_remove_all(const kan_local_space *space, kan_local_tally *tally,
                                const kan_local_tally *other) {
    if (space->has_person) {
        remove_heads(space, tally, other);
        return;
    }
    for (unsigned i = 0; i < space->n_tails; i++)
        for (size_t j = 0; j < other->tails[i].n; j++)
            remove_value(&tally->tails[i], other->tails[i].value[j], other->tails[i].count[j]);
    KAN_ASSERT(other->n_rows <= tally->n_rows);
    tally->n_rows -= other->n_rows;
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

kan_status kan_local_tally_add_kinds(const kan_local_space *space, kan_local_tally *tally,
                                     const kan_kind_rows *counted) {
    for (uint32_t i = 0; i < counted->n_used; i++)
        KAN_TRY(kan_local_tally_add(space, tally, space->example[counted->used[i]],
                                    counted->rows[counted->used[i]]));
    return KAN_OK;
}

/* ---- the promise ----------------------------------------------------------------------------- */

/* Where the numbers of people and of values decide. */
static bool have_enough(const kan_local_space *space, const kan_local_tally *tally) {
    const kan_promise *promise = space->question->promise;
    for (unsigned i = 1; i < space->n_tails; i++)
        if (space->owners.pair[i] && tally->tails[i].n < promise->least_values[i])
            return false;
    return true;
}

bool kan_local_tally_lacks(const kan_local_space *space, const kan_local_tally *tally,
                           size_t tuple) {
    const kan_promise *promise = space->question->promise;
    if (!promise->people_decide)
        return true;
    if (tally->people.n < promise->k &&
        !kan_local_heads_has(&tally->people, space->owners.person[tuple]))
        return true;
    for (unsigned i = 1; i < space->n_tails; i++) {
        const struct kan_local_tally_tail *tail = &tally->tails[i];
        const uint32_t value = space->value[tuple * space->n_tails + i];
        const size_t at = place_of(tail, value);
        if (space->owners.pair[i] && tail->n < promise->least_values[i] &&
            (at == tail->n || tail->value[at] != value))
            return true;
    }
    return false;
}

bool kan_local_tally_passes(const kan_local_space *space, const kan_local_tally *tally) {
    const kan_promise *promise = space->question->promise;
    const uint64_t size = kan_local_tally_size(space, tally);
    kan_tally tallies[KAN_MAX_TAILS];
    size_t start[KAN_MAX_TAILS][2];
    uint64_t total[KAN_MAX_TAILS];
    const uint64_t *totals[KAN_MAX_TAILS];
    uint8_t passes = 0;
    if (tally->n_rows < promise->least_size || size < promise->k || size == 0)
        return false;
    if (space->size_decides)
        return true;
    if (promise->people_decide)
        return have_enough(space, tally);
    for (unsigned i = 0; i < space->n_tails; i++) {
        start[i][0] = 0;
        start[i][1] = tally->tails[i].n;
        tallies[i] = (kan_tally){start[i], tally->tails[i].value, tally->tails[i].count};
        total[i] = space->has_person ? tally->tails[i].pairs.n : size;
        totals[i] = &total[i];
    }
    const kan_problem *problem = space->question->problem;
    kan_groups groups = {.n_groups = 1,
                         .n_rows = space->has_person ? problem->n_people : problem->n_rows,
                         .count = &size,
                         .tallies = tallies,
                         .totals = space->has_person ? totals : NULL};
    kan_promise_check(promise, &groups, &passes);
    return passes;
}
