/* Makes a cut: records go to the part of their place, in place, and keep their order. Those of the
 * second part are set aside and put back. */
#include <string.h>

#include "search/regions/partition.h"

kan_status kan_partition_regions_add(kan_run *run, kan_partition_regions *list,
                                     const kan_partition_region *region) {
    KAN_TRY(kan_reserve(run, list->n + 1, sizeof *list->regions, &list->capacity, &list->regions));
    list->regions[list->n++] = *region;
    return KAN_OK;
}

/* Exactly as much as is needed: the largest region comes first, and nothing is kept. */
static kan_status reserve_scratch(kan_partition_worker *worker, size_t n_records) {
    kan_run *run = worker->space->run;
    const size_t bytes = n_records * worker->space->stride;
    if (bytes <= worker->scratch_room)
        return KAN_OK;
    kan_free(run, worker->scratch);
    worker->scratch = NULL;
    worker->scratch_room = 0;
    KAN_TRY(kan_alloc(run, bytes, 1, &worker->scratch));
    worker->scratch_room = bytes;
    return KAN_OK;
}

/* Short records are copied without a call. */
static inline void copy(unsigned char *to, const unsigned char *from, size_t stride) {
    if (stride == 24)
        memcpy(to, from, 24);
    else if (stride == 40)
        memcpy(to, from, 40);
    else
        memcpy(to, from, stride);
}

static inline unsigned part_of(const kan_partition_worker *worker, const kan_partition_cut *cut,
                               const unsigned char *record, bool is_wide) {
    const uint32_t place = kan_partition_lane(record, is_wide, cut->dimension);
    return cut->by_side ? worker->side[place] : place > cut->place;
}

/* Records of the second part to the scratch, then behind the first. Which part a record goes to
 * cannot be foreseen: it is written to both, and one of the two moves on. `size` is the stride, as
 * a constant where it can be. */
static inline __attribute__((always_inline)) size_t
divide_records(const kan_partition_worker *worker, const kan_partition_region *region,
               const kan_partition_cut *cut, const size_t size) {
    enum { MOST = KAN_PARTITION_LANES_AT + KAN_MAX_FIELDS * 4 + 16 + KAN_PARTITION_MOST_WORDS * 8 };
    const kan_partition_space *space = worker->space;
    const bool is_wide = space->is_wide;
    const unsigned char *first = kan_partition_record(space, region->first), *at = first;
    unsigned char *to = kan_partition_record(space, region->first), *aside = worker->scratch;
    unsigned char record[MOST];
    for (size_t i = 0; i < region->n; i++, at += size) {
        const bool is_second = part_of(worker, cut, at, is_wide) != 0;
        memcpy(record, at, size);
        memcpy(to, record, size);
        memcpy(aside, record, size);
        to += is_second ? 0 : size;
        aside += is_second ? size : 0;
    }
    KAN_ASSERT((size_t)(to - first) + (size_t)(aside - worker->scratch) == region->n * size);
    memcpy(to, worker->scratch, (size_t)(aside - worker->scratch));
    return (size_t)(to - first) / size;
}

static size_t divide(const kan_partition_worker *worker, const kan_partition_region *region,
                     const kan_partition_cut *cut) {
    switch (worker->space->stride) {
    case 24:
        return divide_records(worker, region, cut, 24);
    case 40:
        return divide_records(worker, region, cut, 40);
    case 48:
        return divide_records(worker, region, cut, 48);
    default:
        return divide_records(worker, region, cut, worker->space->stride);
    }
}

static unsigned kept_part_of(const kan_partition_worker *worker, const kan_partition_cut *cut,
                             const unsigned char *record) {
    const unsigned part = part_of(worker, cut, record, worker->space->is_wide);
    return kan_partition_keeps_pasts(worker, cut) ? kan_partition_pasts_part(worker, record, part)
                                                  : part;
}

/* Several parts: all records to the scratch, each to its part. */
static kan_status divide_many(kan_partition_worker *worker, const kan_partition_region *region,
                              const kan_partition_cut *cut, size_t *ends) {
    const kan_partition_space *space = worker->space;
    unsigned char *first = kan_partition_record(space, region->first), *at = first;
    KAN_TRY(reserve_scratch(worker, region->n));
    memset(ends, 0, cut->n_parts * sizeof *ends);
    for (size_t i = 0; i < region->n; i++, at += space->stride)
        ends[kept_part_of(worker, cut, at)]++;
    size_t sum = 0;
    for (unsigned p = 0; p < cut->n_parts; p++) {
        const size_t n = ends[p];
        ends[p] = sum;
        sum += n;
    }
    at = first;
    for (size_t i = 0; i < region->n; i++, at += space->stride) {
        const unsigned p = kept_part_of(worker, cut, at);
        copy(worker->scratch + ends[p]++ * space->stride, at, space->stride);
    }
    memcpy(first, worker->scratch, region->n * space->stride);
    return KAN_OK;
}

/* How many records the region may still come to have: each further cut can share one. */
static size_t room_of(const kan_partition_space *space, size_t n, uint64_t n_rows) {
    const uint64_t cuts = n_rows / space->least_size;
    return n + (size_t)(space->is_relaxed && cuts > 1 ? cuts - 1 : 0);
}

/* Records at the place go to the first part until it has its rows; at most one goes to both. */
static kan_status share(kan_partition_worker *worker, const kan_partition_region *region,
                        const kan_partition_cut *cut, size_t *n_first, size_t *n_second) {
    const kan_partition_space *space = worker->space;
    const size_t stride = space->stride;
    unsigned char *at = kan_partition_record(space, region->first), *to = at;
    uint64_t before = 0;
    KAN_TRY(reserve_scratch(worker, region->n + 1));
    unsigned char *aside = worker->scratch;
    for (size_t i = 0; i < region->n; i++)
        if (kan_partition_lane(at + i * stride, space->is_wide, cut->dimension) < cut->place)
            before += kan_partition_rows(at + i * stride);
    KAN_ASSERT(before <= cut->n_left);
    uint64_t left = cut->n_left - before;
    for (size_t i = 0; i < region->n; i++, at += stride) {
        const uint32_t place = kan_partition_lane(at, space->is_wide, cut->dimension);
        const uint32_t rows = kan_partition_rows(at);
        uint32_t first = place < cut->place ? rows : 0;
        if (place == cut->place) {
            first = rows < left ? rows : (uint32_t)left;
            left -= first;
        }
        if (first < rows) {
            copy(aside, at, stride);
            kan_partition_set_rows(aside, rows - first);
            aside += stride;
        }
        if (first > 0) {
            if (to != at)
                copy(to, at, stride);
            kan_partition_set_rows(to, first);
            to += stride;
        }
    }
    *n_first = (size_t)(to - kan_partition_record(space, region->first)) / stride;
    *n_second = (size_t)(aside - worker->scratch) / stride;
    KAN_ASSERT(left == 0 && *n_first + *n_second <= region->n + 1);
    memcpy(kan_partition_record(space, region->first + room_of(space, *n_first, cut->n_left)),
           worker->scratch, *n_second * stride);
    return KAN_OK;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static uint64_t sum_rows(const kan_partition_space *space, size_t first, size_t n) {
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += kan_partition_rows(kan_partition_record(space, first + i));
    return sum;
}

kan_status kan_partition_box(kan_partition_worker *worker, const kan_partition_region *region,
                             const kan_partition_cut *cut, uint32_t place, bool is_first,
                             kan_partition_region *part) {
    const kan_partition_space *space = worker->space;
    const unsigned d = cut->dimension, n = space->n_dimensions;
    if (!region->box)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(&worker->boxes, n, sizeof *part->box, &part->box));
    memcpy(part->box, region->box, n * sizeof *part->box);
    if (space->dimensions[d].cutting == KAN_PARTITION_TREE)
        part->box[d] = (kan_partition_bound){
            cut->level, kan_partition_node(&space->dimensions[d], cut->level, place)};
    else if (is_first)
        part->box[d].b = cut->place;
    else
        part->box[d].a = cut->place + (space->is_relaxed && !cut->is_clean ? 0 : 1);
    return KAN_OK;
}

static kan_status make_box(kan_partition_worker *worker, const kan_partition_region *region,
                           const kan_partition_cut *cut, kan_partition_region *part,
                           bool is_first) {
    const kan_partition_space *space = worker->space;
    const uint32_t place = kan_partition_lane(kan_partition_record(space, part->first),
                                              space->is_wide, cut->dimension);
    return kan_partition_box(worker, region, cut, place, is_first, part);
}

static kan_status add_part(kan_partition_worker *worker, const kan_partition_region *region,
                           const kan_partition_cut *cut, kan_partition_region part, bool is_first,
                           kan_partition_regions *out) {
    KAN_TRY(make_box(worker, region, cut, &part, is_first));
    return kan_partition_regions_add(worker->space->run, out, &part);
}

static kan_status split_many(kan_partition_worker *worker, const kan_partition_region *region,
                             const kan_partition_cut *cut, kan_partition_regions *out) {
    const kan_partition_space *space = worker->space;
    size_t *ends;
    KAN_TRY(kan_alloc(space->run, cut->n_parts, sizeof *ends, &ends));
    kan_status status = divide_many(worker, region, cut, ends);
    /* Rooms follow each other: from the last part on, each is moved behind those before it. */
    size_t at = region->first + region->room, base = out->n;
    for (unsigned p = 0; p < cut->n_parts && status == KAN_OK; p++) {
        const kan_partition_region part = {.n = ends[p] - (p > 0 ? ends[p - 1] : 0),
                                           .first = region->first + (p > 0 ? ends[p - 1] : 0)};
        status = kan_partition_regions_add(space->run, out, &part);
    }
    for (unsigned p = cut->n_parts; p-- > 0 && status == KAN_OK;) {
        kan_partition_region *part = &out->regions[base + p];
        part->n_rows = sum_rows(space, part->first, part->n);
        part->room = room_of(space, part->n, part->n_rows);
        at -= part->room;
        if (p == 0)
            at = region->first;
        if (at != part->first)
            memmove(kan_partition_record(space, at), kan_partition_record(space, part->first),
                    part->n * space->stride);
        part->first = at;
        status = make_box(worker, region, cut, part, p == 0);
    }
    kan_free(space->run, ends);
    return status;
}

kan_status kan_partition_split(kan_partition_worker *worker, const kan_partition_region *region,
                               const kan_partition_cut *cut, kan_partition_regions *out) {
    const kan_partition_space *space = worker->space;
    size_t n_first, n_second;
    bool is_kept = true;
    if (kan_partition_keeps_pasts(worker, cut)) { /* others may have been looked at since */
        KAN_TRY(kan_partition_pasts_keep(worker, region, cut, &is_kept));
        KAN_ASSERT(is_kept);
        return split_many(worker, region, cut, out);
    }
    if (cut->n_parts > 2)
        return split_many(worker, region, cut, out);
    if (space->is_relaxed && !cut->by_side) {
        KAN_TRY(share(worker, region, cut, &n_first, &n_second));
    } else if (space->is_relaxed) {
        return split_many(worker, region, cut, out);
    } else {
        /* no more records than rows, and one that is not of the second part */
        const uint64_t rows = region->n_rows - cut->n_left;
        KAN_TRY(reserve_scratch(worker, (rows < region->n ? (size_t)rows : region->n) + 1));
        n_first = divide(worker, region, cut);
        n_second = region->n - n_first;
    }
    const uint64_t right = region->n_rows - cut->n_left;
    const kan_partition_region first = {.first = region->first,
                                        .n = n_first,
                                        .room = room_of(space, n_first, cut->n_left),
                                        .n_rows = cut->n_left},
                               second = {.first = region->first + first.room,
                                         .n = n_second,
                                         .room = room_of(space, n_second, right),
                                         .n_rows = right};
    KAN_TRY(add_part(worker, region, cut, first, true, out));
    return add_part(worker, region, cut, second, false, out);
}
