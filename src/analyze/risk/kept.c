/* Pairs of a group and a value, counted.
 *
 * A group is what a row shows in all quasi-identifiers, as a number; so is a value. Pairs are
 * scattered by the number of their group into buckets, small enough for a table in the processor's
 * cache. Where memory is short that is done for one slice of the groups after the other, each in a
 * walk of its own over the rows, and the numbers of the rows lie on disk. All threads do all of
 * this: blocks of rows, ranges of blocks where each has counters of its own, then buckets. */
#include "analyze/risk/kept.h"

#include "core/hash.h"
#include "core/pool.h"
#include "core/spill.h"

typedef struct {
    uint64_t group, value;
} pair;

enum {
    DONE_ROWS = 1 << 16,
    PAIRS_PER_BUCKET = 1 << 10,
    MOST_BUCKETS = 1 << 16,
    LEAST_SLICE = 1 << 16
};

/* ---- walks over the rows -------------------------------------------------------------------- */

typedef struct rows_walk {
    const kan_kept_question *q;
    void (*step)(void *context, uint64_t from,
                 uint64_t to); /* a block of rows, or less at the end */
    void *context;
} rows_walk;

static kan_status walk_task(void *context, size_t task, unsigned worker) {
    const rows_walk *walk = context;
    const uint64_t from = (uint64_t)task * DONE_ROWS, left = walk->q->release->n_rows - from;
    (void)worker;
    walk->step(walk->context, from, from + (left < DONE_ROWS ? left : DONE_ROWS));
    return KAN_OK;
}

static size_t n_blocks(const kan_kept_question *q) {
    return (size_t)((q->release->n_rows + DONE_ROWS - 1) / DONE_ROWS);
}

static kan_status walk_rows(const kan_kept_question *q,
                            void (*step)(void *context, uint64_t from, uint64_t to),
                            void *context) {
    rows_walk walk = {q, step, context};
    return kan_parallel(q->run, n_blocks(q), walk_task, &walk);
}

/* A walk lets go of the rows that are behind it. */
static void rows_done(const kan_kept_question *q, const uint64_t *numbers, uint64_t from,
                      uint64_t to) {
    kan_spill_done(q->run, numbers + from, (size_t)(to - from) * sizeof *numbers);
    if (q->release->is_suppressed)
        kan_spill_done(q->run, q->release->is_suppressed + from, (size_t)(to - from));
}

/* ---- numbers -------------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t number, uint64_t more) {
    return kan_mix(number ^ more, UINT64_C(0x9e3779b97f4a7c15)) + more;
}

static void codes_done(const kan_kept_question *q, const kan_release_column *column, uint64_t from,
                       uint64_t to) {
    if (column->by_group)
        kan_spill_done(q->run, q->release->group_of_row + from,
                       (size_t)(to - from) * sizeof *q->release->group_of_row);
    else
        kan_spill_done(q->run, (const char *)column->codes + from * column->width,
                       (size_t)(to - from) * column->width);
}

typedef struct mixing {
    const kan_kept_question *q;
    const kan_release_column *column;
    uint64_t star, *label; /* by code: what it shows, as a number */
    uint64_t *group;       /* by row */
} mixing;

static void mix_rows(void *context, uint64_t from, uint64_t to) {
    const mixing *m = context;
    for (uint64_t row = from; row < to; row++) {
        const uint64_t shown = kan_release_hides(m->q->release, m->column, row)
                                   ? m->star
                                   : m->label[kan_release_code(m->q->release, m->column, row)];
        m->group[row] = mixed(m->group[row], shown);
    }
    codes_done(m->q, m->column, from, to);
    rows_done(m->q, m->group, from, to);
}

/* Mixes what the rows show in one quasi-identifier into the numbers of their groups. */
static kan_status mix_column(const kan_kept_question *q, const kan_release_column *column,
                             uint64_t *group) {
    mixing m = {.q = q, .column = column, .star = kan_hash_bytes("*", 1), .group = group};
    KAN_TRY(kan_alloc(q->run, column->n_labels, sizeof *m.label, &m.label));
    for (uint32_t code = 0; code < column->n_labels; code++)
        m.label[code] = kan_hash_bytes(column->labels[code].bytes, column->labels[code].size);
    const kan_status status = walk_rows(q, mix_rows, &m);
    kan_free(q->run, m.label);
    return status;
}

/* Numbers by row that are made of others. */
typedef struct numbering {
    const kan_kept_question *q;
    const kan_column *column;
    const uint64_t *value;
    uint64_t *out;
} numbering;

static void clear_rows(void *context, uint64_t from, uint64_t to) {
    const numbering *n = context;
    memset(n->out + from, 0, (size_t)(to - from) * sizeof *n->out);
    rows_done(n->q, n->out, from, to);
}

/* One number per row, all of them 0. */
static kan_status numbers_make(const kan_kept_question *q, uint64_t **out) {
    KAN_TRY(kan_spill_alloc(q->run, q->release->n_rows, sizeof **out, out));
    return walk_rows(q, clear_rows, &(numbering){.q = q, .out = *out});
}

static kan_status number_groups(const kan_kept_question *q, uint64_t **out) {
    const kan_release *release = q->release;
    uint64_t *group = NULL;
    kan_status status = numbers_make(q, &group);
    for (size_t c = 0; c < release->n_columns && status == KAN_OK; c++)
        if (release->columns[c].is_quasi)
            status = mix_column(q, &release->columns[c], group);
    if (status == KAN_OK)
        *out = group;
    else
        kan_free(q->run, group);
    return status;
}

static void number_rows(void *context, uint64_t from, uint64_t to) {
    const numbering *n = context;
    for (uint64_t row = from; row < to; row++)
        n->out[row] = kan_hash_word(kan_column_code(n->column, row));
    kan_column_done(n->q->run, n->column, from, to - from);
    rows_done(n->q, n->out, from, to);
}

/* A column that shows what was made for it. */
static const kan_release_column *find_made(const kan_release *release, size_t at) {
    for (size_t c = 0; c < release->n_columns; c++)
        if (release->columns[c].is_made && release->columns[c].source_column == at)
            return &release->columns[c];
    return NULL;
}

/* The values of a column as numbers. */
static kan_status number_values(const kan_kept_question *q, size_t at, uint64_t *out) {
    const kan_column *column = &q->table->columns[at];
    const kan_release_column *made = find_made(q->release, at);
    if (made) {
        KAN_TRY(walk_rows(q, clear_rows, &(numbering){.q = q, .out = out}));
        return mix_column(q, made, out);
    }
    if (!column->is_encoded)
        return kan_source_hash(q->source, &at, 1, &out);
    return walk_rows(q, number_rows, &(numbering){.q = q, .column = column, .out = out});
}

/* ---- pairs ---------------------------------------------------------------------------------- */

typedef struct {
    uint64_t n_single, n_groups, n_small;
} pair_counts;

typedef struct {
    const kan_kept_question *q;
    const uint64_t *group; /* by row */
    const uint64_t *value; /* by row; NULL: each row has another */
    uint64_t k; /* groups of fewer different values are small; 0: groups are not counted */
    size_t n_slices, slice;
    size_t n_buckets; /* of a slice */
    uint64_t *start;  /* n_buckets + 1 */
    size_t n_ranges;  /* of blocks of rows */
    uint64_t *place;  /* [range * n_buckets + bucket]: pairs, then where the next one goes */
    pair *pairs;
    pair_counts *counts;   /* per bucket */
    struct tally *tallies; /* per thread */
} counting;

/* ---- one bucket ----------------------------------------------------------------------------- */

/* How often each number was seen: open addressing, a slot of count 0 is free. */
typedef struct {
    uint64_t number, count;
} slot;

typedef struct tally {
    slot *slots;
    size_t capacity, n; /* n: in use for this bucket, a power of two */
} tally;

static kan_status tally_begin(kan_run *run, tally *t, size_t n_numbers) {
    for (t->n = 64; t->n < 2 * n_numbers;)
        t->n *= 2;
    KAN_TRY(kan_reserve(run, t->n, sizeof *t->slots, &t->capacity, &t->slots));
    memset(t->slots, 0, t->n * sizeof *t->slots);
    return KAN_OK;
}

/* Returns how often the number was seen before. */
static uint64_t tally_add(tally *t, uint64_t number) {
    size_t at = (size_t)(kan_hash_word(number) & (t->n - 1));
    while (t->slots[at].count > 0 && t->slots[at].number != number)
        at = (at + 1) & (t->n - 1);
    t->slots[at].number = number;
    return t->slots[at].count++;
}

/* How many different numbers were seen less than `most` times. */
static uint64_t tally_below(const tally *t, uint64_t most) {
    uint64_t n = 0;
    for (size_t i = 0; i < t->n; i++)
        n += t->slots[i].count > 0 && t->slots[i].count < most;
    return n;
}

/* One pair of each kind comes to stand in front: how many there are, and how many of them were alone. */
static kan_status keep_different(const counting *c, tally *t, pair *pairs, size_t n,
                                 size_t *n_different, uint64_t *n_single) {
    *n_different = 0;
    KAN_TRY(tally_begin(c->q->run, t, n));
    for (size_t i = 0; i < n; i++)
        if (tally_add(t, mixed(pairs[i].group, pairs[i].value)) == 0)
            pairs[(*n_different)++] = pairs[i];
    *n_single = tally_below(t, 2);
    return KAN_OK;
}

static kan_status count_task(void *context, size_t bucket, unsigned worker) {
    counting *c = context;
    tally *t = &c->tallies[worker];
    pair *pairs = c->pairs + c->start[bucket];
    const size_t n = (size_t)(c->start[bucket + 1] - c->start[bucket]);
    size_t n_different = n;
    c->counts[bucket].n_single = n;
    if (c->value)
        KAN_TRY(keep_different(c, t, pairs, n, &n_different, &c->counts[bucket].n_single));
    if (c->k == 0)
        return KAN_OK;
    KAN_TRY(tally_begin(c->q->run, t, n_different));
    for (size_t i = 0; i < n_different; i++)
        (void)tally_add(t, pairs[i].group);
    c->counts[bucket].n_groups = tally_below(t, UINT64_MAX);
    c->counts[bucket].n_small = tally_below(t, c->k);
    return KAN_OK;
}

/* ---- all buckets ---------------------------------------------------------------------------- */

/* The bucket of a row; false when its group is in another slice, or it is not released. */
static bool find_bucket(const counting *c, uint64_t row, size_t *out) {
    if (!kan_release_tells(c->q->release, row))
        return false;
    const size_t n_places = c->n_slices * c->n_buckets;
    const kan_u128 place = (kan_u128)kan_hash_word(c->group[row]) * n_places;
    const size_t bucket = (size_t)(place >> 64);
    *out = bucket % c->n_buckets;
    return bucket / c->n_buckets == c->slice;
}

/* How often the pair of a row is put into its bucket: what matters is whether it is there once or
 * more often, and whether it is there at all. */
static unsigned n_times(const counting *c, uint64_t row) {
    return kan_release_count(c->q->release, row) > 1 ? 2 : 1;
}

/* The rows of a range. */
static uint64_t range_start(const counting *c, size_t range) {
    const uint64_t n = c->q->release->n_rows,
                   row = (uint64_t)(n_blocks(c->q) * range / c->n_ranges) * DONE_ROWS;
    return row < n ? row : n;
}

static uint64_t block_end(uint64_t from, uint64_t end) {
    return end - from < DONE_ROWS ? end : from + DONE_ROWS;
}

static kan_status count_range(void *context, size_t range, unsigned worker) {
    const counting *c = context;
    uint64_t *n = c->place + range * c->n_buckets;
    const uint64_t end = range_start(c, range + 1);
    (void)worker;
    memset(n, 0, c->n_buckets * sizeof *n);
    for (uint64_t from = range_start(c, range), to; from < end; from = to) {
        size_t bucket;
        to = block_end(from, end);
        for (uint64_t row = from; row < to; row++)
            if (find_bucket(c, row, &bucket))
                n[bucket] += n_times(c, row);
        rows_done(c->q, c->group, from, to);
        KAN_TRY(kan_check_cancel(c->q->run));
    }
    return KAN_OK;
}

/* Where buckets begin, and in each the pairs of each range. */
static kan_status count_buckets(counting *c) {
    uint64_t at = 0;
    KAN_TRY(kan_parallel(c->q->run, c->n_ranges, count_range, c));
    for (size_t b = 0; b < c->n_buckets; b++) {
        c->start[b] = at;
        for (size_t range = 0; range < c->n_ranges; range++) {
            uint64_t *const place = &c->place[range * c->n_buckets + b];
            const uint64_t n = *place;
            *place = at;
            at += n;
        }
    }
    c->start[c->n_buckets] = at;
    return KAN_OK;
}

static kan_status scatter_range(void *context, size_t range, unsigned worker) {
    const counting *c = context;
    uint64_t *place = c->place + range * c->n_buckets;
    const uint64_t end = range_start(c, range + 1);
    (void)worker;
    for (uint64_t from = range_start(c, range), to; from < end; from = to) {
        size_t bucket;
        to = block_end(from, end);
        for (uint64_t row = from; row < to; row++)
            for (unsigned i = find_bucket(c, row, &bucket) ? n_times(c, row) : 0; i > 0; i--)
                c->pairs[place[bucket]++] = (pair){c->group[row], c->value ? c->value[row] : row};
        if (c->value)
            kan_spill_done(c->q->run, c->value + from, (size_t)(to - from) * sizeof *c->value);
        rows_done(c->q, c->group, from, to);
        KAN_TRY(kan_check_cancel(c->q->run));
    }
    return KAN_OK;
}

static kan_status count_slice(counting *c, pair_counts *out) {
    kan_run *run = c->q->run;
    KAN_TRY(count_buckets(c));
    KAN_TRY(kan_spill_alloc(run, c->start[c->n_buckets], sizeof *c->pairs, &c->pairs));
    memset(c->counts, 0, c->n_buckets * sizeof *c->counts);
    kan_status status = kan_parallel(run, c->n_ranges, scatter_range, c);
    if (status == KAN_OK)
        status = kan_parallel(run, c->n_buckets, count_task, c);
    for (size_t b = 0; b < c->n_buckets; b++) {
        out->n_single += c->counts[b].n_single;
        out->n_groups += c->counts[b].n_groups;
        out->n_small += c->counts[b].n_small;
    }
    kan_free(run, c->pairs);
    return status;
}

/* With a budget an eighth of what is left of it. */
static size_t choose_slices(kan_run *run, uint64_t n_pairs) {
    const uint64_t left = kan_run_memory_left(run);
    uint64_t most = left / 8 / sizeof(pair);
    most = most < LEAST_SLICE ? LEAST_SLICE : most;
    return left == UINT64_MAX ? 1 : (size_t)(n_pairs / most + 1);
}

static kan_status count_pairs(const kan_kept_question *q, const uint64_t *group,
                              const uint64_t *value, uint64_t k, pair_counts *out) {
    kan_status status;
    const uint64_t n = q->release->n_rows;
    counting c = {.q = q, .group = group, .value = value, .k = k};
    c.n_slices = choose_slices(q->run, n);
    const uint64_t n_buckets = n / c.n_slices / PAIRS_PER_BUCKET + 1;
    c.n_buckets = (size_t)(n_buckets < MOST_BUCKETS ? n_buckets : MOST_BUCKETS);
    c.n_ranges = n_blocks(q) < kan_run_threads(q->run) ? n_blocks(q) : kan_run_threads(q->run);
    KAN_TRY_DONE(kan_alloc(q->run, c.n_buckets + 1, sizeof *c.start, &c.start));
    KAN_TRY_DONE(kan_alloc(q->run, c.n_ranges * c.n_buckets, sizeof *c.place, &c.place));
    KAN_TRY_DONE(kan_alloc(q->run, c.n_buckets, sizeof *c.counts, &c.counts));
    KAN_TRY_DONE(kan_alloc_zero(q->run, kan_run_threads(q->run), sizeof *c.tallies, &c.tallies));
    *out = (pair_counts){0};
    for (; c.slice < c.n_slices; c.slice++)
        KAN_TRY_DONE(count_slice(&c, out));
done:
    kan_free(q->run, c.start);
    kan_free(q->run, c.place);
    kan_free(q->run, c.counts);
    for (unsigned w = 0; c.tallies && w < kan_run_threads(q->run); w++)
        kan_free(q->run, c.tallies[w].slots);
    kan_free(q->run, c.tallies);
    return status;
}

uint64_t kan_kept_rows(const kan_release *release) {
    uint64_t n = 0;
    if (!release->is_suppressed && !release->counts)
        return release->n_rows;
    if (!release->counts && !(release->keeps_suppressed && release->shows_suppressed)) {
        for (uint64_t row = 0; row < release->n_rows; row++)
            n += release->is_suppressed[row] == 0;
        return n;
    }
    for (uint64_t row = 0; row < release->n_rows; row++)
        n += kan_release_tells(release, row) ? kan_release_count(release, row) : 0;
    return n;
}

/* ---- questions ------------------------------------------------------------------------------ */

static void mix_value_rows(void *context, uint64_t from, uint64_t to) {
    const numbering *n = context;
    for (uint64_t row = from; row < to; row++)
        n->out[row] = mixed(n->out[row], n->value[row]);
    kan_spill_done(n->q->run, n->value + from, (size_t)(to - from) * sizeof *n->value);
    rows_done(n->q, n->out, from, to);
}

static kan_status mix_values(const kan_kept_question *q, const uint64_t *value, uint64_t *out) {
    return walk_rows(q, mix_value_rows, &(numbering){.q = q, .value = value, .out = out});
}

kan_status kan_kept_singles(const kan_kept_question *q, const size_t *columns, size_t n_columns,
                            uint64_t *n_single, uint64_t *n_together) {
    const uint64_t n = q->release->n_rows;
    kan_status status;
    uint64_t *group = NULL, *value = NULL, *together = NULL;
    pair_counts counts = {0};
    KAN_TRY_DONE(number_groups(q, &group));
    KAN_TRY_DONE(kan_spill_alloc(q->run, n, sizeof *value, &value));
    KAN_TRY_DONE(numbers_make(q, &together));
    for (size_t i = 0; i < n_columns; i++) {
        KAN_TRY_DONE(number_values(q, columns[i], value));
        KAN_TRY_DONE(count_pairs(q, group, value, 0, &counts));
        n_single[i] = counts.n_single;
        KAN_TRY_DONE(mix_values(q, value, together));
    }
    KAN_TRY_DONE(count_pairs(q, group, together, 0, &counts));
    *n_together = counts.n_single;
done:
    kan_free(q->run, group);
    kan_free(q->run, value);
    kan_free(q->run, together);
    return status;
}

kan_status kan_kept_alone(const kan_kept_question *q, uint64_t *out) {
    uint64_t *group = NULL;
    pair_counts counts = {0};
    kan_status status = number_groups(q, &group);
    if (status == KAN_OK)
        status = count_pairs(q, group, group, 0, &counts);
    if (status == KAN_OK)
        *out = counts.n_single;
    kan_free(q->run, group);
    return status;
}

kan_status kan_kept_people(const kan_kept_question *q, size_t column, uint64_t k, kan_people *out) {
    const uint64_t n = q->release->n_rows;
    kan_status status;
    uint64_t *group = NULL, *value = NULL;
    pair_counts by_group = {0}, people = {0};
    KAN_TRY_DONE(number_groups(q, &group));
    KAN_TRY_DONE(kan_spill_alloc(q->run, n, sizeof *value, &value));
    KAN_TRY_DONE(number_values(q, column, value));
    KAN_TRY_DONE(count_pairs(q, group, value, k, &by_group));
    /* each value as a group of its own */
    KAN_TRY_DONE(count_pairs(q, value, value, 1, &people));
    *out = (kan_people){.n_rows = kan_kept_rows(q->release),
                        .n_people = people.n_groups,
                        .n_groups = by_group.n_groups,
                        .n_small_groups = by_group.n_small};
done:
    kan_free(q->run, group);
    kan_free(q->run, value);
    return status;
}

kan_status kan_kept_people_of_rows(const kan_kept_question *q, uint64_t k, kan_people *out) {
    uint64_t *group = NULL;
    pair_counts counts = {0};
    KAN_ASSERT(!q->release->counts);
    kan_status status = number_groups(q, &group);
    if (status == KAN_OK)
        status = count_pairs(q, group, NULL, k, &counts);
    if (status == KAN_OK)
        *out = (kan_people){.n_groups = counts.n_groups, .n_small_groups = counts.n_small};
    out->n_rows = out->n_people = kan_kept_rows(q->release);
    kan_free(q->run, group);
    return status;
}
