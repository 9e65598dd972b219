/* Records of tuples. A record is small and complete, so that a region is one run of memory: its
 * bounds take one pass, in vectors of lanes, and so do the rows by place.
 *
 * Rows by place: counters for all places from the least to the greatest, or, where those are many
 * more than the records, sorting. */
#include <string.h>

#include "core/pool.h"
#include "search/regions/partition.h"

/* ---- from the base --------------------------------------------------------------------------- */

static kan_status check_size(const kan_partition_space *space) {
    const kan_problem *problem = space->question->problem;
    const kan_freqset *base = &problem->base;
    for (size_t i = 0; i < base->n; i++)
        if (base->counts[i] > UINT32_MAX)
            return kan_fail(space->run, KAN_BAD_INPUT,
                            "more than 2^32 rows are alike: partitions count no more");
    if (base->n < KAN_REGION_SPLIT && (!problem->is_unfolded || problem->n_rows < KAN_REGION_SPLIT))
        return KAN_OK;
    return kan_fail(space->run, KAN_BAD_INPUT,
                    "the table has more than 2^31 distinct tuples: partitions take no more; leave "
                    "out quasi-identifiers, or give numbers --bins");
}

/* Lanes of 16 bits are compared as signed numbers, which every machine does at once. */
static void lay_out(kan_partition_space *space) {
    enum { NARROW = 1 << 15 };
    const kan_problem *problem = space->question->problem;
    space->is_wide = space->most_places >= NARROW;
    for (unsigned t = 0; t < space->n_tails; t++)
        space->is_wide |= space->n_values[t] >= NARROW;
    const unsigned block = space->is_wide ? 4 : 8;
    const unsigned n = space->n_dimensions + space->n_tails;
    space->n_lanes = (n + block - 1) / block * block;
    space->bits_at = KAN_PARTITION_LANES_AT + space->n_lanes * (space->is_wide ? 4u : 2u);
    space->stride = space->bits_at + space->n_words * sizeof(uint64_t);
    space->n_records = problem->is_unfolded ? (size_t)problem->n_rows : problem->base.n;
    space->room = space->n_records;
    if (space->is_relaxed)
        space->room += (size_t)(space->question->problem->n_rows / space->least_size);
}

static void set_lane(const kan_partition_space *space, unsigned char *record, unsigned lane,
                     uint32_t value) {
    const uint16_t narrow = (uint16_t)value;
    if (space->is_wide)
        memcpy(record + KAN_PARTITION_LANES_AT + lane * sizeof value, &value, sizeof value);
    else
        memcpy(record + KAN_PARTITION_LANES_AT + lane * sizeof narrow, &narrow, sizeof narrow);
}

static void set_bit(const kan_partition_space *space, unsigned char *record, unsigned d,
                    uint32_t place) {
    const unsigned bit = space->dimensions[d].shift + place;
    unsigned char *at =
        record + space->bits_at + (space->dimensions[d].word + bit / 64) * sizeof(uint64_t);
    uint64_t word;
    memcpy(&word, at, sizeof word);
    word |= UINT64_C(1) << bit % 64;
    memcpy(at, &word, sizeof word);
}

static void make_record(const kan_partition_space *space, size_t i) {
    const kan_freqset *base = &space->question->problem->base;
    const kan_layout *layout = &base->layout;
    unsigned char *record = kan_partition_record(space, i);
    const uint32_t tuple = (uint32_t)i;
    memset(record, 0, space->stride);
    memcpy(record, &tuple, sizeof tuple);
    kan_partition_set_rows(record, (uint32_t)base->counts[i]);
    for (unsigned f = 0; f < layout->n_fields; f++) {
        const unsigned d = layout->fields[f].dimension;
        uint32_t value = kan_key_field_value(&layout->fields[f], base->keys + i * layout->n_words);
        if (d < space->n_dimensions)
            value = space->dimensions[d].domain->place_of[value];
        set_lane(space, record, d, value);
        if (space->n_words > 0 && d < space->n_dimensions)
            set_bit(space, record, d, value);
    }
}

enum { RECORDS_PER_TASK = 1 << 16 };

static kan_status make_some(void *context, size_t task, unsigned worker) {
    const kan_partition_space *space = context;
    const size_t first = task * RECORDS_PER_TASK, left = space->n_records - first;
    (void)worker;
    for (size_t i = 0; i < RECORDS_PER_TASK && i < left; i++)
        make_record(space, first + i);
    return KAN_OK;
}

kan_status kan_partition_records_make(kan_partition_space *space) {
    KAN_TRY(check_size(space));
    lay_out(space);
    if (space->question->problem->is_unfolded)
        return KAN_OK;
    KAN_TRY(kan_alloc(space->run, space->room, space->stride, &space->records));
    return kan_parallel(space->run, (space->n_records + RECORDS_PER_TASK - 1) / RECORDS_PER_TASK,
                        make_some, space);
}

void kan_partition_rows_make(const kan_partition_space *space, const uint32_t *const *place_of,
                             uint64_t first, size_t n, unsigned char *out) {
    const kan_space *columns = &space->question->problem->space;
    memset(out, 0, n * space->stride);
    for (size_t i = 0; i < n; i++) {
        const uint32_t row = (uint32_t)(first + i);
        memcpy(out + i * space->stride, &row, sizeof row);
        kan_partition_set_rows(out + i * space->stride, 1);
    }
    for (unsigned lane = 0; lane < space->n_dimensions + space->n_tails; lane++)
        for (size_t i = 0; i < n; i++) {
            unsigned char *record = out + i * space->stride;
            uint32_t value = kan_column_code(columns->dimensions[lane].column, first + i);
            value = place_of[lane] ? place_of[lane][value] : value;
            set_lane(space, record, lane, value);
            if (space->n_words > 0 && lane < space->n_dimensions)
                set_bit(space, record, lane, value);
        }
}

/* ---- bounds ---------------------------------------------------------------------------------- */

typedef int16_t narrow_lanes __attribute__((vector_size(16)));
typedef int32_t wide_lanes __attribute__((vector_size(16)));

#define LOOK(NAME, LANES, LANE, N)                                                                 \
    static void NAME(const kan_partition_space *space, const kan_partition_region *region,         \
                     unsigned block, uint32_t *low, uint32_t *high) {                              \
        const unsigned char *at = kan_partition_record(space, region->first) +                     \
                                  KAN_PARTITION_LANES_AT + block * sizeof(LANES);                  \
        LANES least, most, lanes;                                                                  \
        memcpy(&least, at, sizeof least);                                                          \
        most = least;                                                                              \
        for (size_t i = 1; i < region->n; i++) {                                                   \
            at += space->stride;                                                                   \
            memcpy(&lanes, at, sizeof lanes);                                                      \
            const LANES is_less = lanes<least, is_more = lanes> most;                              \
            least = (lanes & is_less) | (least & ~is_less);                                        \
            most = (lanes & is_more) | (most & ~is_more);                                          \
        }                                                                                          \
        for (unsigned j = 0; j < (N) && block * (N) + j < space->n_dimensions; j++) {              \
            low[block * (N) + j] = (uint32_t)least[j];                                             \
            high[block * (N) + j] = (uint32_t)most[j];                                             \
        }                                                                                          \
    }

LOOK(look_narrow, narrow_lanes, int16_t, 8)
LOOK(look_wide, wide_lanes, int32_t, 4)

void kan_partition_bounds(const kan_partition_space *space, const kan_partition_region *region,
                          uint32_t *low, uint32_t *high) {
    const unsigned n = space->is_wide ? 4 : 8;
    for (unsigned block = 0; block * n < space->n_dimensions; block++)
        (space->is_wide ? look_wide : look_narrow)(space, region, block, low, high);
}

void kan_partition_look(kan_partition_worker *worker, const kan_partition_region *region) {
    if (worker->summary)
        kan_partition_summary_bounds(worker->summary, worker->low, worker->high);
    else
        kan_partition_bounds(worker->space, region, worker->low, worker->high);
}

/* ---- rows by place --------------------------------------------------------------------------- */

static void count_dense(kan_partition_worker *worker, const kan_partition_region *region,
                        unsigned d) {
    const kan_partition_space *space = worker->space;
    const bool is_wide = space->is_wide;
    const unsigned char *at = kan_partition_record(space, region->first);
    uint64_t *dense = worker->dense;
    for (size_t i = 0; i < region->n; i++, at += space->stride)
        dense[kan_partition_lane(at, is_wide, d)] += kan_partition_rows(at);
    KAN_ASSERT(region->n == 0 || (dense[worker->low[d]] > 0 && dense[worker->high[d]] > 0));
    kan_partition_counts *counts = &worker->counts;
    uint32_t n = 0;
    for (uint32_t place = worker->low[d]; place <= worker->high[d]; place++) {
        counts->place[n] = place;
        counts->rows[n] = dense[place];
        n += dense[place] > 0;
        dense[place] = 0;
    }
    counts->n = n;
}

/* By place: few by insertion, many digit by digit. `pairs` has room for twice as many. */
static void sort_pairs(uint64_t *pairs, size_t n, uint32_t low, uint32_t high) {
    enum { FEW = 48, DIGIT = 256 };
    if (n <= FEW) {
        for (size_t i = 1; i < n; i++) {
            const uint64_t pair = pairs[i];
            size_t at = i;
            for (; at > 0 && pairs[at - 1] > pair; at--)
                pairs[at] = pairs[at - 1];
            pairs[at] = pair;
        }
        return;
    }
    uint64_t *from = pairs, *to = pairs + n;
    for (unsigned shift = 0; shift < 32 && (high - low) >> shift; shift += 8) {
        size_t starts[DIGIT] = {0}, sum = 0;
        for (size_t i = 0; i < n; i++)
            starts[(uint8_t)(((uint32_t)(from[i] >> 32) - low) >> shift)]++;
        for (unsigned digit = 0; digit < DIGIT; digit++) {
            const size_t count = starts[digit];
            starts[digit] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            to[starts[(uint8_t)(((uint32_t)(from[i] >> 32) - low) >> shift)]++] = from[i];
        uint64_t *other = from;
        from = to;
        to = other;
    }
    if (from != pairs)
        memcpy(pairs, from, n * sizeof *pairs);
}

static kan_status count_sorted(kan_partition_worker *worker, const kan_partition_region *region,
                               unsigned d) {
    const kan_partition_space *space = worker->space;
    const unsigned char *at = kan_partition_record(space, region->first);
    kan_partition_counts *counts = &worker->counts;
    KAN_TRY(kan_reserve(space->run, 2 * region->n, sizeof *worker->sorted, &worker->sorted_room,
                        &worker->sorted));
    for (size_t i = 0; i < region->n; i++, at += space->stride)
        worker->sorted[i] =
            (uint64_t)kan_partition_lane(at, space->is_wide, d) << 32 | kan_partition_rows(at);
    sort_pairs(worker->sorted, region->n, worker->low[d], worker->high[d]);
    counts->n = 0;
    for (size_t i = 0; i < region->n; i++) {
        const uint32_t place = (uint32_t)(worker->sorted[i] >> 32);
        if (counts->n == 0 || counts->place[counts->n - 1] != place) {
            counts->place[counts->n] = place;
            counts->rows[counts->n++] = 0;
        }
        counts->rows[counts->n - 1] += (uint32_t)worker->sorted[i];
    }
    return KAN_OK;
}

kan_status kan_partition_count(kan_partition_worker *worker, const kan_partition_region *region,
                               unsigned d) {
    enum { SPARSE = 16 };
    worker->n_asked = 0;
    if (worker->summary) {
        kan_partition_summary_counts(worker->summary, d, &worker->counts);
        return KAN_OK;
    }
    if ((worker->high[d] - worker->low[d]) / SPARSE > region->n)
        return count_sorted(worker, region, d);
    count_dense(worker, region, d);
    return KAN_OK;
}

/* ---- profiles -------------------------------------------------------------------------------- */

/* Bounds in a word: the low place in the upper half, inverted so that joining is the greater of
 * both halves; the high place in the lower. */
static uint64_t word_of_place(uint32_t place) {
    return (uint64_t)~place << 32 | place;
}

static uint64_t join_bounds(uint64_t a, uint64_t b) {
    const uint64_t low = a >> 32 > b >> 32 ? a >> 32 : b >> 32;
    const uint64_t high = (uint32_t)a > (uint32_t)b ? (uint32_t)a : (uint32_t)b;
    return low << 32 | high;
}

void kan_partition_profile(const kan_partition_space *space, const unsigned char *record,
                           uint64_t *out) {
    if (space->n_words > 0)
        memcpy(out, record + space->bits_at, space->n_words * sizeof *out);
    else
        for (unsigned d = 0; d < space->n_dimensions; d++)
            out[d] = word_of_place(kan_partition_lane(record, space->is_wide, d));
}

void kan_partition_join(const kan_partition_space *space, size_t n_words, const uint64_t *from,
                        uint64_t *to) {
    if (space->n_words > 0)
        for (size_t w = 0; w < n_words; w++)
            to[w] |= from[w];
    else
        for (size_t w = 0; w < n_words; w++)
            to[w] = join_bounds(to[w], from[w]);
}
