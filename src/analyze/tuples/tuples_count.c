/* Counting the tuples of many rows, on all threads.
 *
 * Rows are taken in chunks, and a chunk in slices. A slice is one task: its distinct tuples are
 * found in a small table, and listed by shard, which is the upper part of their hash. Then each
 * shard is one task: what the slices have of it is added to the shard's own table, in the order of
 * the slices, so that a tuple's first row is the first of all. At the end each tuple's number is
 * the rank of its first row, as if rows had been added one by one.
 *
 * A row costs a look-up in a table that stays in the cache, and one more where its slice has not
 * shown its tuple before. Memory beside the tuples: that of a chunk. Where the budget has no room
 * for it, or there is nothing to divide, rows are added one by one. */
#include "analyze/tuples/tuples_inside.h"
#include "core/hash.h"
#include "core/pool.h"

enum {
    SLICE_ROWS = 1 << 14,
    SLICE_SLOTS = 2 * SLICE_ROWS,
    CHUNK_SLICES = 64,
    DROP_ROWS = 1 << 17, /* whole slices */
    SHARD_BITS = 6,
    N_SHARDS = 1 << SHARD_BITS,
    RANK_WORDS = 64 /* of the map of first rows: each has the number of those before */
};

/* The distinct tuples of a slice. */
typedef struct {
    uint64_t row; /* the first one */
    size_t n_rows, n;
    char *bytes;
    uint64_t *hashes, *counts;
    uint32_t *first;    /* the row that showed it first, from the slice's on */
    uint32_t *by_shard; /* their numbers, by shard, in the order of their first rows */
    uint32_t start[N_SHARDS + 1];
} slice;

typedef struct {
    uint32_t *slots; /* SLICE_SLOTS: number + 1; 0 is free */
    char *block;
} slice_worker;

typedef struct {
    kan_run *run;
    const kan_tuples_source *source;
    size_t size;
    slice *slices; /* of the chunk */
    size_t n_slices, n_made;
    slice_worker *workers;
    kan_tuples shards[N_SHARDS];
    uint64_t *is_first; /* by row, a bit */
    size_t *rank;
    kan_tuples *out;
} counting;

/* ---- slices --------------------------------------------------------------------------------- */

static void add_to_slice(slice *to, size_t size, uint32_t *slots, const char *tuple, uint32_t row,
                         uint64_t n_rows) {
    const uint64_t hash = kan_hash_bytes(tuple, size);
    uint32_t at = (uint32_t)hash % SLICE_SLOTS;
    for (; slots[at] != 0; at = (at + 1) % SLICE_SLOTS) {
        const size_t found = slots[at] - 1;
        if (to->hashes[found] != hash || memcmp(to->bytes + found * size, tuple, size) != 0)
            continue;
        to->counts[found] += n_rows;
        return;
    }
    memcpy(to->bytes + to->n * size, tuple, size);
    to->hashes[to->n] = hash;
    to->counts[to->n] = n_rows;
    to->first[to->n] = row;
    slots[at] = (uint32_t)++to->n;
}

static unsigned shard_of(uint64_t hash) {
    return (unsigned)(hash >> (64 - SHARD_BITS));
}

static void list_by_shard(slice *s) {
    uint32_t at[N_SHARDS + 1] = {0};
    for (size_t i = 0; i < s->n; i++)
        at[shard_of(s->hashes[i]) + 1]++;
    for (unsigned shard = 0; shard < N_SHARDS; shard++)
        at[shard + 1] += at[shard];
    memcpy(s->start, at, sizeof at);
    for (size_t i = 0; i < s->n; i++)
        s->by_shard[at[shard_of(s->hashes[i])]++] = (uint32_t)i;
}

static kan_status slice_task(void *context, size_t task, unsigned worker) {
    const counting *c = context;
    const kan_tuples_source *source = c->source;
    slice *s = &c->slices[task];
    const slice_worker *own = &c->workers[worker];
    memset(own->slots, 0, SLICE_SLOTS * sizeof *own->slots);
    s->n = 0;
    for (size_t at = 0; at < s->n_rows; at += KAN_TUPLES_BLOCK) {
        const size_t left = s->n_rows - at, n = left < KAN_TUPLES_BLOCK ? left : KAN_TUPLES_BLOCK;
        source->lay_out(source->context, s->row + at, n, own->block);
        for (size_t i = 0; i < n; i++)
            add_to_slice(s, c->size, own->slots, own->block + i * c->size, (uint32_t)(at + i),
                         source->counts ? source->counts[s->row + at + i] : 1);
    }
    list_by_shard(s);
    if (source->done)
        source->done(source->context, s->row, s->n_rows);
    return KAN_OK;
}

static kan_status make_slices(counting *c) {
    const unsigned n_workers = kan_run_threads(c->run);
    KAN_TRY(kan_alloc_zero(c->run, CHUNK_SLICES, sizeof *c->slices, &c->slices));
    for (c->n_made = 0; c->n_made < CHUNK_SLICES; c->n_made++) {
        slice *s = &c->slices[c->n_made];
        KAN_TRY(kan_alloc(c->run, SLICE_ROWS, c->size, &s->bytes));
        KAN_TRY(kan_alloc(c->run, SLICE_ROWS, sizeof *s->hashes, &s->hashes));
        KAN_TRY(kan_alloc(c->run, SLICE_ROWS, sizeof *s->counts, &s->counts));
        KAN_TRY(kan_alloc(c->run, SLICE_ROWS, sizeof *s->first, &s->first));
        KAN_TRY(kan_alloc(c->run, SLICE_ROWS, sizeof *s->by_shard, &s->by_shard));
    }
    KAN_TRY(kan_alloc_zero(c->run, n_workers, sizeof *c->workers, &c->workers));
    for (unsigned w = 0; w < n_workers; w++) {
        KAN_TRY(kan_alloc(c->run, SLICE_SLOTS, sizeof *c->workers[w].slots, &c->workers[w].slots));
        KAN_TRY(kan_alloc_zero(c->run, KAN_TUPLES_BLOCK, c->size, &c->workers[w].block));
    }
    return KAN_OK;
}

static void free_slices(counting *c) {
    for (size_t i = 0; c->slices && i < CHUNK_SLICES; i++) {
        kan_free(c->run, c->slices[i].bytes);
        kan_free(c->run, c->slices[i].hashes);
        kan_free(c->run, c->slices[i].counts);
        kan_free(c->run, c->slices[i].first);
        kan_free(c->run, c->slices[i].by_shard);
    }
    for (unsigned w = 0; c->workers && w < kan_run_threads(c->run); w++) {
        kan_free(c->run, c->workers[w].slots);
        kan_free(c->run, c->workers[w].block);
    }
    kan_free(c->run, c->slices);
    kan_free(c->run, c->workers);
    c->slices = NULL;
    c->workers = NULL;
}

/* ---- shards --------------------------------------------------------------------------------- */

static kan_status shard_task(void *context, size_t task, unsigned worker) {
    counting *c = context;
    size_t unused;
    (void)worker;
    for (size_t i = 0; i < c->n_slices; i++) {
        const slice *s = &c->slices[i];
        for (uint32_t at = s->start[task]; at < s->start[task + 1]; at++) {
            const size_t tuple = s->by_shard[at];
            KAN_TRY(kan_tuples_add_rows(&c->shards[task], s->bytes + tuple * c->size,
                                        s->row + s->first[tuple], s->counts[tuple], &unused));
        }
    }
    return KAN_OK;
}

static kan_status count_chunk(counting *c, uint64_t row) {
    const uint64_t end = c->source->n_rows;
    for (c->n_slices = 0; c->n_slices < CHUNK_SLICES && row < end; row += SLICE_ROWS) {
        slice *s = &c->slices[c->n_slices++];
        s->row = row;
        s->n_rows = end - row < SLICE_ROWS ? (size_t)(end - row) : SLICE_ROWS;
    }
    KAN_TRY(kan_parallel(c->run, c->n_slices, slice_task, c));
    return kan_parallel(c->run, N_SHARDS, shard_task, c);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static kan_status mark_task(void *context, size_t task, unsigned worker) {
    const counting *c = context;
    const kan_tuples *shard = &c->shards[task];
    (void)worker;
    for (size_t i = 0; i < shard->n; i++)
        __atomic_fetch_or(&c->is_first[shard->first_row[i] >> 6],
                          UINT64_C(1) << (shard->first_row[i] & 63), __ATOMIC_RELAXED);
    return KAN_OK;
}

/* First rows before this one. */
static size_t rank_of(const counting *c, uint64_t row) {
    const size_t word = (size_t)(row >> 6);
    size_t rank = c->rank[word / RANK_WORDS];
    for (size_t i = word / RANK_WORDS * RANK_WORDS; i < word; i++)
        rank += (size_t)__builtin_popcountll(c->is_first[i]);
    return rank +
           (size_t)__builtin_popcountll(c->is_first[word] & ((UINT64_C(1) << (row & 63)) - 1));
}

static kan_status number_task(void *context, size_t task, unsigned worker) {
    counting *c = context;
    kan_tuples *shard = &c->shards[task];
    (void)worker;
    for (size_t i = 0; i < shard->n; i++) {
        const size_t number = rank_of(c, shard->first_row[i]);
        memcpy(c->out->bytes + number * c->size, kan_tuples_at(shard, i), c->size);
        c->out->count[number] = shard->count[i];
        c->out->first_row[number] = shard->first_row[i];
        kan_tuples_enter(c->out, number);
    }
    kan_tuples_destroy(shard);
    return KAN_OK;
}

static kan_status number_tuples(counting *c) {
    const size_t n_words = (size_t)(c->source->n_rows / 64 + 1);
    size_t n = 0;
    KAN_TRY(kan_alloc_zero(c->run, n_words, sizeof *c->is_first, &c->is_first));
    KAN_TRY(kan_alloc(c->run, n_words / RANK_WORDS + 1, sizeof *c->rank, &c->rank));
    KAN_TRY(kan_parallel(c->run, N_SHARDS, mark_task, c));
    for (size_t word = 0; word < n_words; word++) {
        if (word % RANK_WORDS == 0)
            c->rank[word / RANK_WORDS] = n;
        n += (size_t)__builtin_popcountll(c->is_first[word]);
    }
    KAN_TRY(kan_tuples_reserve(c->out, n));
    return kan_parallel(c->run, N_SHARDS, number_task, c);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static kan_status count_divided(kan_tuples *tuples, const kan_tuples_source *source) {
    counting c = {.run = tuples->run, .source = source, .size = tuples->size, .out = tuples};
    kan_status status;
    for (unsigned i = 0; i < N_SHARDS; i++)
        kan_tuples_init(&c.shards[i], c.run, c.size);
    KAN_TRY_DONE(make_slices(&c));
    for (uint64_t row = 0; row < source->n_rows; row += (uint64_t)CHUNK_SLICES * SLICE_ROWS)
        KAN_TRY_DONE(count_chunk(&c, row));
    free_slices(&c);
    KAN_TRY_DONE(number_tuples(&c));
done:
    free_slices(&c);
    for (unsigned i = 0; i < N_SHARDS; i++)
        kan_tuples_destroy(&c.shards[i]);
    kan_free(c.run, c.is_first);
    kan_free(c.run, c.rank);
    return status;
}

static kan_status count_in_turn(kan_tuples *tuples, const kan_tuples_source *source) {
    char *block;
    kan_status status = KAN_OK;
    KAN_TRY(kan_alloc_zero(tuples->run, KAN_TUPLES_BLOCK, tuples->size, &block));
    for (uint64_t row = 0; row < source->n_rows; row += KAN_TUPLES_BLOCK) {
        const uint64_t left = source->n_rows - row;
        const size_t n = left < KAN_TUPLES_BLOCK ? (size_t)left : KAN_TUPLES_BLOCK;
        KAN_TRY_DONE(kan_check_cancel(tuples->run));
        source->lay_out(source->context, row, n, block);
        KAN_TRY_DONE(kan_tuples_add_block(tuples, block, n, row, source->counts));
        if (source->done && (row + n) % DROP_ROWS == 0)
            source->done(source->context, row + n - DROP_ROWS, DROP_ROWS);
    }
done:
    kan_free(tuples->run, block);
    return status;
}

/* At worst, each row shows a tuple of its own. */
static bool has_room(const kan_tuples *tuples, uint64_t n_rows) {
    const uint64_t by_tuple = tuples->size + 2 * sizeof(uint64_t);
    const uint64_t chunk = (uint64_t)CHUNK_SLICES * SLICE_ROWS * (by_tuple + 2 * sizeof(uint32_t));
    return kan_run_memory_left(tuples->run) / 4 >
           chunk + n_rows * (by_tuple + 4 * sizeof(uint64_t));
}

kan_status kan_tuples_count(kan_tuples *tuples, const kan_tuples_source *source) {
    const bool is_divided = kan_run_threads(tuples->run) > 1 && source->n_rows / 2 > SLICE_ROWS &&
                            has_room(tuples, source->n_rows);
    KAN_ASSERT(tuples->n == 0);
    return is_divided ? count_divided(tuples, source) : count_in_turn(tuples, source);
}
