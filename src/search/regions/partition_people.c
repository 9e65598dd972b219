/* Whether the parts of a cut keep the promise where a person may have several rows: the tuples of the
 * records are listed part by part, and their people counted as piles (group/piles.h).
 *
 * Whoever has a row up to a place counts before the cuts there and behind, and whoever has one after
 * it behind the cuts up to there: with the first and the last place of each person one pass over the
 * records tells the people of both sides of every cut of a dimension. */
#include <string.h>

#include "search/regions/partition.h"

typedef struct kan_partition_people {
    kan_piles piles;
    size_t tuple_room, start_room, ok_room, beside_room;
    uint32_t *tuples;
    size_t *start;
    uint8_t *ok;            /* by part */
    uint32_t *index;        /* by place: where it stands among those counted */
    uint32_t *first, *last; /* by person: indices of places, from 1; 0 between calls */
    uint64_t *before, *behind;
} kan_partition_people;

bool kan_partition_people_settle(const kan_partition_space *space) {
    const kan_promise *promise = space->question->promise;
    if (!space->owners.problem || !promise->people_decide)
        return false;
    for (unsigned t = 0; t < KAN_MAX_TAILS; t++)
        if (promise->least_values[t] > 1)
            return false;
    return true;
}

kan_status kan_partition_people_make(const kan_partition_space *space, kan_partition_people **out) {
    const size_t n_people = (size_t)space->owners.problem->n_people;
    kan_run *run = space->run;
    kan_partition_people *made;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *made, &made));
    *out = made; /* freed with the worker, whatever follows */
    KAN_TRY(kan_piles_make(&space->owners, &made->piles));
    KAN_TRY(kan_alloc(run, space->most_places, sizeof *made->index, &made->index));
    KAN_TRY(kan_alloc_zero(run, n_people, sizeof *made->first, &made->first));
    return kan_alloc_zero(run, n_people, sizeof *made->last, &made->last);
}

void kan_partition_people_destroy(const kan_partition_space *space, kan_partition_people *people) {
    kan_run *run = space->run;
    if (!people)
        return;
    kan_piles_destroy(&people->piles);
    kan_free(run, people->tuples);
    kan_free(run, people->start);
    kan_free(run, people->ok);
    kan_free(run, people->index);
    kan_free(run, people->first);
    kan_free(run, people->last);
    kan_free(run, people->before);
    kan_free(run, people->behind);
    kan_free(run, people);
}

/* ---- the parts of a cut ---------------------------------------------------------------------- */

/* Of a cut that shares rows: how many of those at its place are still to go to the first part. */
static uint64_t rows_to_share(const kan_partition_worker *worker, const kan_partition_cut *cut) {
    uint64_t before = 0;
    if (!worker->space->is_relaxed || cut->by_side || cut->n_parts != 2)
        return 0;
    for (uint32_t i = 0; i < worker->counts.n && worker->counts.place[i] < cut->place; i++)
        before += worker->counts.rows[i];
    return cut->n_left - before;
}

kan_partition_sides kan_partition_sides_of(const kan_partition_worker *worker,
                                           const kan_partition_cut *cut,
                                           const unsigned char *record, uint64_t *to_share) {
    const kan_partition_space *space = worker->space;
    const uint64_t rows = kan_partition_rows(record);
    if (cut->n_parts == 1)
        return (kan_partition_sides){0, 0};
    const uint32_t place = kan_partition_lane(record, space->is_wide, cut->dimension);
    const size_t side = cut->by_side ? worker->side[place] : place > cut->place;
    if (cut->by_side || !space->is_relaxed || place != cut->place)
        return (kan_partition_sides){side, side};
    const uint64_t here = rows < *to_share ? rows : *to_share;
    *to_share -= here;
    return (kan_partition_sides){here > 0 ? 0 : 1, here < rows ? 1 : 0};
}

static kan_status reserve_lists(kan_partition_worker *worker, const kan_partition_region *region,
                                size_t n_parts) {
    kan_partition_people *people = worker->people;
    kan_run *run = worker->space->run;
    KAN_TRY(kan_reserve(run, region->n + 1, sizeof *people->tuples, &people->tuple_room,
                        &people->tuples));
    KAN_TRY(kan_reserve(run, n_parts, 1, &people->ok_room, &people->ok));
    return kan_reserve(run, n_parts + 2, sizeof *people->start, &people->start_room,
                       &people->start);
}

/* The tuples of each part. Counts stand two places further on at first, so that filling in leaves
 * each start in its own place. At most one record is in two parts. */
static kan_status list_parts(kan_partition_worker *worker, const kan_partition_region *region,
                             const kan_partition_cut *cut) {
    kan_partition_people *people = worker->people;
    const kan_partition_space *space = worker->space;
    const uint64_t to_share = rows_to_share(worker, cut);
    KAN_TRY(reserve_lists(worker, region, cut->n_parts));
    memset(people->start, 0, (cut->n_parts + 2u) * sizeof *people->start);
    uint64_t left = to_share;
    const unsigned char *at = kan_partition_record(space, region->first);
    for (size_t i = 0; i < region->n; i++, at += space->stride) {
        const kan_partition_sides sides = kan_partition_sides_of(worker, cut, at, &left);
        for (size_t p = sides.first; p <= sides.last; p++)
            people->start[p + 2]++;
    }
    for (size_t p = 0; p < cut->n_parts; p++)
        people->start[p + 2] += people->start[p + 1];
    left = to_share;
    at = kan_partition_record(space, region->first);
    for (size_t i = 0; i < region->n; i++, at += space->stride) {
        const kan_partition_sides sides = kan_partition_sides_of(worker, cut, at, &left);
        for (size_t p = sides.first; p <= sides.last; p++)
            people->tuples[people->start[p + 1]++] = kan_partition_tuple(at);
    }
    return KAN_OK;
}

kan_status kan_partition_people_allow(kan_partition_worker *worker,
                                      const kan_partition_region *region,
                                      const kan_partition_cut *cut, bool *out) {
    kan_partition_people *people = worker->people;
    kan_groups groups;
    KAN_TRY(list_parts(worker, region, cut));
    KAN_TRY(kan_piles_count(&people->piles, people->tuples, people->start, cut->n_parts, &groups));
    memset(people->ok, 1, cut->n_parts);
    kan_promise_check_some(worker->space->question->promise, &groups, 0, cut->n_parts, people->ok);
    *out = memchr(people->ok, 0, cut->n_parts) == NULL;
    return KAN_OK;
}

/* ---- beside every cut ------------------------------------------------------------------------ */

static void mark_places(kan_partition_worker *worker, const kan_partition_region *region,
                        unsigned d) {
    kan_partition_people *people = worker->people;
    const kan_partition_space *space = worker->space;
    const unsigned char *at = kan_partition_record(space, region->first);
    for (size_t i = 0; i < region->n; i++, at += space->stride) {
        const uint32_t person = space->owners.person[kan_partition_tuple(at)];
        const uint32_t index = people->index[kan_partition_lane(at, space->is_wide, d)] + 1;
        if (people->first[person] == 0 || index < people->first[person])
            people->first[person] = index;
        if (index > people->last[person])
            people->last[person] = index;
    }
}

/* Each person once, where she begins and where she ends; she is forgotten then. */
static void count_places(kan_partition_worker *worker, const kan_partition_region *region) {
    kan_partition_people *people = worker->people;
    const kan_partition_space *space = worker->space;
    const unsigned char *at = kan_partition_record(space, region->first);
    for (size_t i = 0; i < region->n; i++, at += space->stride) {
        const uint32_t person = space->owners.person[kan_partition_tuple(at)];
        if (people->first[person] == 0)
            continue;
        people->before[people->first[person] - 1]++;
        people->behind[people->last[person] - 1]++;
        people->first[person] = people->last[person] = 0;
    }
}

kan_status kan_partition_people_beside(kan_partition_worker *worker,
                                       const kan_partition_region *region, unsigned dimension,
                                       const uint64_t **before, const uint64_t **behind) {
    kan_partition_people *people = worker->people;
    const kan_partition_counts *counts = &worker->counts;
    kan_run *run = worker->space->run;
    if (counts->n > people->beside_room) {
        const size_t room = counts->n + counts->n / 4;
        people->beside_room = 0;
        KAN_TRY(kan_resize(run, room, sizeof *people->before, &people->before));
        KAN_TRY(kan_resize(run, room, sizeof *people->behind, &people->behind));
        people->beside_room = room;
    }
    memset(people->before, 0, counts->n * sizeof *people->before);
    memset(people->behind, 0, counts->n * sizeof *people->behind);
    for (uint32_t i = 0; i < counts->n; i++)
        people->index[counts->place[i]] = i;
    mark_places(worker, region, dimension);
    count_places(worker, region);
    uint64_t all = 0;
    for (uint32_t i = 0; i < counts->n; i++)
        all += people->behind[i];
    for (uint32_t i = 0; i < counts->n; i++) {
        people->before[i] += i > 0 ? people->before[i - 1] : 0;
        all -= people->behind[i]; /* those who end here have nothing after it */
        people->behind[i] = all;
    }
    *before = people->before;
    *behind = people->behind;
    return KAN_OK;
}
