/* Folding rows to the base: the rows are taken in chunks, the keys of a chunk are sorted, equal
 * ones counted, and the sorted chunks merged.
 *
 * A chunk is packed into keys (row_keys.h) and scattered into buckets by the leading bits of the
 * keys, both by slices of rows; then each bucket is sorted and counted by itself, in the cache of a
 * core. The buckets one after the other are the chunk's frequency set. Every step but the last copy
 * runs on all threads. Few rows are one bucket. Rows of a counted table bring their numbers along.
 *
 * `kanon-bench group` prints what a row costs. Memory: for the distinct tuples, twice while chunks
 * are merged (once where the budget is short), and three words per row of a chunk. */
#include <string.h>

#include "core/pool.h"
#include "group/freqsets/kernel.h"
#include "group/freqsets/row_keys.h"

enum {
    FEW_ROWS = 1 << 16,
    CHUNK_ROWS = 1 << 22,
    SLICE_ROWS = 1 << 15,
    MOST_SLICES = CHUNK_ROWS / SLICE_ROWS,
    BLOCK_ROWS = 2048,
    BUCKET_BITS = 8,
    N_BUCKETS = 1 << BUCKET_BITS
};

typedef struct {
    kan_run *run;
    kan_row_keys rows;
    const kan_layout *layout;
    unsigned n_words;
    unsigned shift;                   /* of the leading bits in the first word */
    uint64_t n_rows, first;           /* of the table; where the chunk begins */
    size_t most_chunk, n_chunk;       /* rows of a chunk at most; of this one */
    uint64_t *keys, *staged, *counts; /* of the chunk: as read, by buckets, of the groups */
    const uint64_t *rows_of;          /* by row of the table: what it counts; NULL: once */
    size_t (*starts)[N_BUCKETS];      /* per slice: where its keys of a bucket go */
    size_t ends[N_BUCKETS];           /* of the buckets among the staged keys */
    size_t n_groups[N_BUCKETS];
    kan_workspace **workspaces; /* per worker */
} fold_job;

/* ---- steps of a chunk ----------------------------------------------------------------------- */

static size_t slice_rows(const fold_job *job, size_t slice) {
    size_t first = slice * SLICE_ROWS;
    return job->n_chunk - first < SLICE_ROWS ? job->n_chunk - first : SLICE_ROWS;
}

/* The codes of a slice are packed, and not needed for a while. */
static void drop_codes(const fold_job *job, uint64_t first, size_t n) {
    for (unsigned f = 0; f < job->layout->n_fields; f++) {
        const kan_key_field *field = &job->layout->fields[f];
        kan_column_done(job->run, job->rows.space->dimensions[field->dimension].column, first, n);
    }
}

/* Packs the keys of a slice, and counts them by bucket. */
static kan_status pack_task(void *context, size_t slice, unsigned worker) {
    fold_job *job = context;
    size_t n = slice_rows(job, slice), *counts = job->starts[slice];
    (void)worker;
    memset(counts, 0, sizeof job->starts[slice]);
    for (size_t at = 0; at < n; at += BLOCK_ROWS) {
        size_t size = n - at < BLOCK_ROWS ? n - at : BLOCK_ROWS;
        size_t row = slice * SLICE_ROWS + at;
        uint64_t *keys = job->keys + row * job->n_words;
        kan_row_keys_make(&job->rows, job->first + row, size, keys);
        for (size_t i = 0; i < size; i++)
            counts[keys[i * job->n_words] >> job->shift]++;
    }
    drop_codes(job, job->first + slice * SLICE_ROWS, n);
    return KAN_OK;
}

/* Counts become places: buckets one after the other, in each the slices in order. */
static void place_buckets(fold_job *job, size_t n_slices) {
    size_t at = 0;
    for (unsigned b = 0; b < N_BUCKETS; b++) {
        for (size_t slice = 0; slice < n_slices; slice++) {
            size_t count = job->starts[slice][b];
            job->starts[slice][b] = at;
            at += count;
        }
        job->ends[b] = at;
    }
}

/* rows_of NULL: each key counts once, and nothing is written to `counts`. */
static inline void scatter(const uint64_t *keys, const uint64_t *rows_of, size_t n, size_t *starts,
                           unsigned shift, uint64_t *staged, uint64_t *counts,
                           const unsigned words) {
    for (size_t i = 0; i < n; i++) {
        const uint64_t *key = keys + i * words;
        size_t at = starts[key[0] >> shift]++;
        for (unsigned w = 0; w < words; w++)
            staged[at * words + w] = key[w];
        if (rows_of)
            counts[at] = rows_of[i];
    }
}

static kan_status scatter_task(void *context, size_t slice, unsigned worker) {
    fold_job *job = context;
    const uint64_t *keys = job->keys + slice * SLICE_ROWS * job->n_words;
    size_t n = slice_rows(job, slice), *starts = job->starts[slice];
    const uint64_t *rows_of = job->rows_of ? job->rows_of + job->first + slice * SLICE_ROWS : NULL;
    (void)worker;
    if (job->n_words == 1 && !rows_of)
        scatter(keys, NULL, n, starts, job->shift, job->staged, NULL, 1);
    else if (!rows_of)
        scatter(keys, NULL, n, starts, job->shift, job->staged, NULL, job->n_words);
    else
        scatter(keys, rows_of, n, starts, job->shift, job->staged, job->counts, job->n_words);
    return KAN_OK;
}

static size_t bucket_start(const fold_job *job, size_t bucket) {
    return bucket > 0 ? job->ends[bucket - 1] : 0;
}

/* Distinct keys with their counts; where rows are counted `counts` has what each key counts. */
static kan_status count_keys(const fold_job *job, kan_workspace *workspace, uint64_t *keys,
                             size_t n, uint64_t *counts, size_t *n_out) {
    return job->rows_of ? kan_kernel_radix(workspace, job->layout, keys, counts, n, n_out)
                        : kan_kernel_radix_rows(workspace, job->layout, keys, n, counts, n_out);
}

static kan_status count_task(void *context, size_t bucket, unsigned worker) {
    fold_job *job = context;
    size_t first = bucket_start(job, bucket), n = job->ends[bucket] - first;
    job->n_groups[bucket] = 0;
    if (n == 0)
        return KAN_OK;
    if (!job->workspaces[worker])
        KAN_TRY(kan_workspace_create(job->run, &job->workspaces[worker]));
    return count_keys(job, job->workspaces[worker], job->staged + first * job->n_words, n,
                      job->counts + first, &job->n_groups[bucket]);
}

/* Room for n tuples, and no more than needed: sets of rows are large. */
static kan_status reserve_exactly(kan_run *run, kan_freqset *set, size_t n) {
    const size_t n_words = n * set->layout.n_words;
    if (n_words > set->key_room) {
        KAN_TRY(kan_resize(run, n_words, sizeof *set->keys, &set->keys));
        set->key_room = n_words;
    }
    if (n > set->count_room) {
        KAN_TRY(kan_resize(run, n, sizeof *set->counts, &set->counts));
        set->count_room = n;
    }
    return KAN_OK;
}

/* The groups of all buckets, one bucket after the other. */
static kan_status join_buckets(const fold_job *job, kan_freqset *out) {
    size_t n = 0;
    for (unsigned b = 0; b < N_BUCKETS; b++)
        n += job->n_groups[b];
    out->layout = *job->layout;
    out->n = 0;
    KAN_TRY(reserve_exactly(job->run, out, n));
    for (unsigned b = 0; b < N_BUCKETS; b++) {
        size_t first = bucket_start(job, b), size = job->n_groups[b];
        if (size == 0)
            continue;
        memcpy(out->keys + out->n * job->n_words, job->staged + first * job->n_words,
               size * job->n_words * sizeof *out->keys);
        memcpy(out->counts + out->n, job->counts + first, size * sizeof *out->counts);
        out->n += size;
    }
    return KAN_OK;
}

static kan_status fold_chunk(fold_job *job, kan_freqset *out) {
    size_t n_slices = (job->n_chunk + SLICE_ROWS - 1) / SLICE_ROWS;
    KAN_TRY(kan_parallel(job->run, n_slices, pack_task, job));
    place_buckets(job, n_slices);
    KAN_TRY(kan_parallel(job->run, n_slices, scatter_task, job));
    KAN_TRY(kan_parallel(job->run, N_BUCKETS, count_task, job));
    return join_buckets(job, out);
}

/* ---- chunks --------------------------------------------------------------------------------- */

/* Whether two sets fit beside one of all their tuples, with room to grow. */
static bool memory_is_short(const kan_run *run, const kan_freqset *a, const kan_freqset *b) {
    const size_t tuple_bytes = (a->layout.n_words + 1) * sizeof(uint64_t);
    return kan_run_memory_left(run) / 4 / tuple_bytes < a->n + b->n;
}

static size_t count_union(const kan_freqset *a, const kan_freqset *b) {
    const unsigned words = a->layout.n_words;
    size_t i = 0, j = 0, n = 0;
    for (; i < a->n && j < b->n; n++) {
        int order = kan_key_compare(a->keys + i * words, b->keys + j * words, words);
        i += order <= 0;
        j += order >= 0;
    }
    return n + (a->n - i) + (b->n - j);
}

/* Puts the tuples of `b` into `a`, from the last on, so that no third set is needed: slower, for
 * the tuples are walked over twice. */
static kan_status merge_in_place(kan_run *run, kan_freqset *a, const kan_freqset *b) {
    const unsigned words = a->layout.n_words;
    const size_t n = count_union(a, b);
    KAN_TRY(reserve_exactly(run, a, n));
    for (size_t i = a->n, j = b->n, to = n; j > 0;) {
        const uint64_t *left = a->keys + (i - 1) * words, *right = b->keys + (j - 1) * words;
        int order = i == 0 ? -1 : kan_key_compare(left, right, words);
        uint64_t count = 0;
        to--;
        if (order >= 0)
            count += a->counts[i - 1];
        if (order <= 0)
            count += b->counts[j - 1];
        memmove(a->keys + to * words, order >= 0 ? left : right, words * sizeof *a->keys);
        a->counts[to] = count;
        i -= order >= 0;
        j -= order <= 0;
    }
    a->n = n;
    return KAN_OK;
}

/* Two sets of the same layout as one, in order. */
static kan_status merge_sets(kan_run *run, const kan_freqset *a, const kan_freqset *b,
                             kan_freqset *out) {
    const unsigned words = a->layout.n_words;
    size_t i = 0, j = 0, n = 0;
    out->layout = a->layout;
    KAN_TRY(kan_freqset_reserve(run, out, a->n + b->n));
    while (i < a->n || j < b->n) {
        const uint64_t *left = a->keys + i * words, *right = b->keys + j * words;
        int order = i == a->n ? 1 : j == b->n ? -1 : kan_key_compare(left, right, words);
        memcpy(out->keys + n * words, order <= 0 ? left : right, words * sizeof *out->keys);
        out->counts[n] = 0;
        if (order <= 0)
            out->counts[n] += a->counts[i++];
        if (order >= 0)
            out->counts[n] += b->counts[j++];
        n++;
    }
    out->n = n;
    return KAN_OK;
}

/* Chunks as large as a quarter of the memory that is left allows, within reason. */
static kan_status make_room(fold_job *job) {
    const size_t row_bytes = (2 * (size_t)job->n_words + 1) * sizeof(uint64_t);
    const uint64_t fitting = kan_run_memory_left(job->run) / 4 / row_bytes;
    size_t most = fitting < FEW_ROWS ? FEW_ROWS : fitting < CHUNK_ROWS ? fitting : CHUNK_ROWS;
    most = job->n_rows < most ? (size_t)job->n_rows : most;
    job->most_chunk = most;
    KAN_TRY(kan_alloc(job->run, most * job->n_words, sizeof *job->keys, &job->keys));
    KAN_TRY(kan_alloc(job->run, most * job->n_words, sizeof *job->staged, &job->staged));
    KAN_TRY(kan_alloc(job->run, most, sizeof *job->counts, &job->counts));
    KAN_TRY(kan_alloc(job->run, MOST_SLICES, sizeof *job->starts, &job->starts));
    return kan_alloc_zero(job->run, kan_run_threads(job->run), sizeof *job->workspaces,
                          &job->workspaces);
}

static kan_status fold_many(fold_job *job, kan_freqset *out) {
    kan_status status;
    kan_freqset chunk, merged;
    kan_freqset_init(&chunk);
    kan_freqset_init(&merged);
    KAN_TRY_DONE(make_room(job));
    for (job->first = 0; job->first < job->n_rows; job->first += job->n_chunk) {
        uint64_t left = job->n_rows - job->first;
        job->n_chunk = left < job->most_chunk ? (size_t)left : job->most_chunk;
        kan_report_units(job->run, "fold", "rows", job->first, job->n_rows);
        KAN_TRY_DONE(fold_chunk(job, job->first == 0 ? out : &chunk));
        if (job->first > 0 && memory_is_short(job->run, out, &chunk)) {
            kan_freqset_destroy(job->run, &merged);
            KAN_TRY_DONE(merge_in_place(job->run, out, &chunk));
        } else if (job->first > 0) {
            KAN_TRY_DONE(merge_sets(job->run, out, &chunk, &merged));
            kan_freqset before = *out;
            *out = merged;
            merged = before;
        }
    }
done:
    kan_freqset_destroy(job->run, &chunk);
    kan_freqset_destroy(job->run, &merged);
    for (unsigned i = 0; job->workspaces && i < kan_run_threads(job->run); i++)
        kan_workspace_destroy(job->workspaces[i]);
    kan_free(job->run, job->workspaces);
    kan_free(job->run, job->keys);
    kan_free(job->run, job->staged);
    kan_free(job->run, job->counts);
    kan_free(job->run, job->starts);
    return status;
}

static kan_status fold_few(const fold_job *job, kan_freqset *out) {
    const size_t n = (size_t)job->n_rows;
    kan_workspace *workspace;
    out->n = 0;
    if (n == 0)
        return KAN_OK;
    KAN_TRY(kan_freqset_reserve(job->run, out, n));
    kan_row_keys_make(&job->rows, 0, n, out->keys);
    if (job->rows_of)
        memcpy(out->counts, job->rows_of, n * sizeof *out->counts);
    KAN_TRY(kan_workspace_create(job->run, &workspace));
    kan_status status = count_keys(job, workspace, out->keys, n, out->counts, &out->n);
    kan_workspace_destroy(workspace);
    return status;
}

/* The rows that were folded, however many a row of the table counts. For assertions. */
static inline uint64_t rows_of_all(const fold_job *job) {
    uint64_t n_rows = job->rows_of ? 0 : job->n_rows;
    for (uint64_t row = 0; job->rows_of && row < job->n_rows; row++)
        n_rows += job->rows_of[row];
    return n_rows;
}

/* Bits that fields use in the first word, the most significant one. */
static unsigned first_word_bits(const kan_layout *layout) {
    unsigned bits = 0;
    for (unsigned f = 0; f < layout->n_fields; f++)
        bits += layout->fields[f].word == 0 ? layout->fields[f].bits : 0;
    return bits;
}

kan_status kan_freqset_fold(const kan_space *space, uint64_t n_rows, kan_freqset *out) {
    kan_layout layout;
    kan_layout_base(space, &layout);
    out->layout = layout;
    out->edition++;
    const unsigned bits = first_word_bits(&layout);
    fold_job job = {.run = space->run,
                    .layout = &layout,
                    .n_words = layout.n_words,
                    .n_rows = n_rows,
                    .rows_of = kan_space_counts(space),
                    .shift = bits > BUCKET_BITS ? bits - BUCKET_BITS : 0};
    KAN_TRY(kan_row_keys_init(&job.rows, space, &layout));
    kan_status status = n_rows <= FEW_ROWS ? fold_few(&job, out) : fold_many(&job, out);
    kan_row_keys_destroy(&job.rows);
    KAN_ASSERT(status != KAN_OK || kan_freqset_has_rows(out, rows_of_all(&job)));
    return status;
}
