/* Whether the parts of a cut keep the promise, where sizes do not decide it: the values of the
 * tails are tallied for each part, in one pass, and handed to the models. From the second cut of a
 * dimension on they are added up from tallies by place, which one pass over the records makes,
 * where the records are many beside those. */
#include <string.h>

#include "search/regions/partition.h"

typedef struct kan_partition_tallies {
    size_t n_parts; /* that there is room for */
    uint64_t *count;
    uint8_t *ok;
    struct {
        uint64_t *dense; /* [part * values + value]; all 0 between calls */
        size_t *start;
        uint32_t *value;
        uint64_t *rows;
        uint64_t *by_place; /* [index of the place * values + value] */
        size_t place_room;
    } tails[KAN_MAX_TAILS];
    kan_tally views[KAN_MAX_TAILS];
    bool has_places; /* those by place are of the region and dimension that were counted last */
    uint32_t *index; /* by place: where it stands among those counted */
} kan_partition_tallies;

/* No model looks at the class. */
static bool is_asked(const kan_partition_space *space, unsigned tail) {
    return (int)tail != space->question->problem->class_tail;
}

static kan_status reserve(const kan_partition_space *space, kan_partition_tallies *t,
                          size_t n_parts) {
    kan_run *run = space->run;
    if (n_parts <= t->n_parts)
        return KAN_OK;
    t->n_parts = 0; /* until all have grown */
    KAN_TRY(kan_resize(run, n_parts, sizeof *t->count, &t->count));
    KAN_TRY(kan_resize(run, n_parts, sizeof *t->ok, &t->ok));
    for (unsigned i = 0; i < space->n_tails; i++) {
        const size_t n = n_parts * space->n_values[i];
        if (!is_asked(space, i))
            continue;
        KAN_TRY(kan_resize(run, n, sizeof(uint64_t), &t->tails[i].dense));
        KAN_TRY(kan_resize(run, n_parts + 1, sizeof(size_t), &t->tails[i].start));
        KAN_TRY(kan_resize(run, n, sizeof(uint32_t), &t->tails[i].value));
        KAN_TRY(kan_resize(run, n, sizeof(uint64_t), &t->tails[i].rows));
        memset(t->tails[i].dense, 0, n * sizeof(uint64_t));
    }
    t->n_parts = n_parts;
    return KAN_OK;
}

kan_status kan_partition_tallies_make(const kan_partition_space *space,
                                      kan_partition_tallies **out) {
    kan_partition_tallies *made;
    KAN_TRY(kan_alloc_zero(space->run, 1, sizeof *made, &made));
    *out = made; /* freed with the worker, whatever follows */
    KAN_TRY(kan_alloc(space->run, space->most_places, sizeof *made->index, &made->index));
    return reserve(space, made, 2);
}

void kan_partition_tallies_destroy(const kan_partition_space *space, kan_partition_tallies *t) {
    kan_run *run = space->run;
    if (!t)
        return;
    for (unsigned i = 0; i < space->n_tails; i++) {
        kan_free(run, t->tails[i].dense);
        kan_free(run, t->tails[i].start);
        kan_free(run, t->tails[i].value);
        kan_free(run, t->tails[i].rows);
        kan_free(run, t->tails[i].by_place);
    }
    kan_free(run, t->index);
    kan_free(run, t->count);
    kan_free(run, t->ok);
    kan_free(run, t);
}

static void tally_record(const kan_partition_space *space, kan_partition_tallies *t, size_t part,
                         const unsigned char *record, uint64_t rows) {
    t->count[part] += rows;
    for (unsigned i = 0; i < space->n_tails; i++)
        if (is_asked(space, i))
            t->tails[i]
                .dense[part * space->n_values[i] +
                       kan_partition_lane(record, space->is_wide, space->n_dimensions + i)] += rows;
}

/* Relaxed: rows at the cut's place go to the first part until it is full. */
static void tally(kan_partition_worker *worker, const kan_partition_region *region,
                  const kan_partition_cut *cut) {
    const kan_partition_space *space = worker->space;
    kan_partition_tallies *t = worker->tallies;
    const unsigned char *at = kan_partition_record(space, region->first);
    const unsigned d = cut->dimension;
    uint64_t before = 0;
    memset(t->count, 0, cut->n_parts * sizeof *t->count);
    if (space->is_relaxed && !cut->by_side && cut->n_parts == 2)
        for (uint32_t i = 0; i < worker->counts.n && worker->counts.place[i] < cut->place; i++)
            before += worker->counts.rows[i];
    uint64_t left = cut->n_left - (space->is_relaxed ? before : 0);
    for (size_t i = 0; i < region->n; i++, at += space->stride) {
        const uint32_t place = kan_partition_lane(at, space->is_wide, d);
        const uint64_t rows = kan_partition_rows(at);
        if (cut->n_parts == 1) {
            tally_record(space, t, 0, at, rows);
        } else if (cut->by_side) {
            tally_record(space, t, worker->side[place], at, rows);
        } else if (!space->is_relaxed || place != cut->place) {
            tally_record(space, t, place > cut->place, at, rows);
        } else {
            const uint64_t first = rows < left ? rows : left;
            left -= first;
            if (first > 0)
                tally_record(space, t, 0, at, first);
            if (rows > first)
                tally_record(space, t, 1, at, rows - first);
        }
    }
}

/* Whether adding up places costs less than another pass over the records. */
static bool pays(const kan_partition_worker *worker, const kan_partition_region *region) {
    enum { PLACES_PER_RECORD = 4 };
    const kan_partition_space *space = worker->space;
    uint64_t n_values = 0;
    for (unsigned i = 0; i < space->n_tails; i++)
        n_values += is_asked(space, i) ? space->n_values[i] : 0;
    return !space->is_relaxed &&
           worker->counts.n * n_values < PLACES_PER_RECORD * (uint64_t)region->n &&
           worker->counts.n * n_values < kan_run_memory_left(space->run) / 256;
}

static kan_status tally_places(kan_partition_worker *worker, const kan_partition_region *region,
                               unsigned d) {
    const kan_partition_space *space = worker->space;
    const kan_partition_counts *counts = &worker->counts;
    kan_partition_tallies *t = worker->tallies;
    for (unsigned i = 0; i < space->n_tails; i++) {
        const size_t n = (size_t)counts->n * space->n_values[i];
        if (!is_asked(space, i))
            continue;
        KAN_TRY(kan_reserve(space->run, n, sizeof *t->tails[i].by_place, &t->tails[i].place_room,
                            &t->tails[i].by_place));
        memset(t->tails[i].by_place, 0, n * sizeof *t->tails[i].by_place);
    }
    for (uint32_t i = 0; i < counts->n; i++)
        t->index[counts->place[i]] = i;
    const unsigned char *at = kan_partition_record(space, region->first);
    for (size_t r = 0; r < region->n; r++, at += space->stride) {
        const size_t row = t->index[kan_partition_lane(at, space->is_wide, d)];
        for (unsigned i = 0; i < space->n_tails; i++)
            if (is_asked(space, i))
                t->tails[i]
                    .by_place[row * space->n_values[i] +
                              kan_partition_lane(at, space->is_wide, space->n_dimensions + i)] +=
                    kan_partition_rows(at);
    }
    t->has_places = true;
    return KAN_OK;
}

/* The tally of a place that was counted, the i-th. */
static const uint64_t *place_tally(const kan_partition_worker *worker, unsigned d, unsigned tail,
                                   uint32_t i) {
    return worker->summary
               ? kan_partition_summary_tally(worker->summary, d, tail, worker->counts.place[i])
               : worker->tallies->tails[tail].by_place + (size_t)i * worker->space->n_values[tail];
}

/* The same from what is known of the region's places. */
static void tally_by_place(const kan_partition_worker *worker, const kan_partition_cut *cut) {
    const kan_partition_space *space = worker->space;
    kan_partition_tallies *t = worker->tallies;
    const kan_partition_counts *counts = &worker->counts;
    memset(t->count, 0, cut->n_parts * sizeof *t->count);
    for (uint32_t i = 0; i < counts->n; i++) {
        const uint32_t place = counts->place[i];
        const size_t part = cut->n_parts == 1 ? 0
                            : cut->by_side    ? worker->side[place]
                                              : place > cut->place;
        t->count[part] += counts->rows[i];
        for (unsigned tail = 0; tail < space->n_tails; tail++) {
            if (!is_asked(space, tail))
                continue;
            const uint64_t *rows = place_tally(worker, cut->dimension, tail, i);
            uint64_t *restrict dense = t->tails[tail].dense + part * space->n_values[tail];
            for (uint32_t v = 0; v < space->n_values[tail]; v++)
                dense[v] += rows[v];
        }
    }
}

/* The counters as lists, and the counters cleared. */
static void list_tallies(const kan_partition_space *space, kan_partition_tallies *t,
                         size_t n_parts) {
    for (unsigned i = 0; i < space->n_tails; i++) {
        size_t n = 0;
        if (!is_asked(space, i))
            continue;
        for (size_t part = 0; part < n_parts; part++) {
            uint64_t *dense = t->tails[i].dense + part * space->n_values[i];
            t->tails[i].start[part] = n;
            for (uint32_t v = 0; v < space->n_values[i]; v++) {
                if (dense[v] == 0)
                    continue;
                t->tails[i].value[n] = v;
                t->tails[i].rows[n++] = dense[v];
                dense[v] = 0;
            }
        }
        t->tails[i].start[n_parts] = n;
        t->views[i] = (kan_tally){t->tails[i].start, t->tails[i].value, t->tails[i].rows};
    }
}

kan_status kan_partition_allows(kan_partition_worker *worker, const kan_partition_region *region,
                                const kan_partition_cut *cut, bool *out) {
    const kan_partition_space *space = worker->space;
    kan_partition_tallies *t = worker->tallies;
    if (space->question->promise->size_decides) {
        *out = true;
        return KAN_OK;
    }
    if (worker->pasts)
        return kan_partition_pasts_allow(worker, region, cut, out);
    if (worker->people)
        return kan_partition_people_allow(worker, region, cut, out);
    KAN_TRY(reserve(space, t, cut->n_parts));
    t->has_places &= worker->n_asked > 0;
    if (cut->n_parts > 1 && ++worker->n_asked == 2 && !worker->summary && pays(worker, region))
        KAN_TRY(tally_places(worker, region, cut->dimension));
    if (worker->summary || (t->has_places && cut->n_parts > 1))
        tally_by_place(worker, cut);
    else
        tally(worker, region, cut);
    list_tallies(space, t, cut->n_parts);
    kan_groups groups = {.n_groups = cut->n_parts,
                         .n_rows = space->question->problem->n_rows,
                         .count = t->count,
                         .tallies = t->views};
    kan_promise_check(space->question->promise, &groups, t->ok);
    *out = groups.n_suppressed == 0;
    return KAN_OK;
}

kan_status kan_partition_holds(kan_partition_worker *worker, const kan_partition_region *region,
                               bool *out) {
    const kan_partition_cut whole = {.n_parts = 1};
    if (region->n_rows < worker->space->least_size) {
        *out = false;
        return KAN_OK;
    }
    return kan_partition_allows(worker, region, &whole, out);
}
