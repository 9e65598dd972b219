/* A number for each field of some columns, in one more walk over the source.
 *
 * For columns that nobody encodes, because they may be as large as the file: 8 bytes per row and
 * column are enough to ask which rows show the same. A field counts as it is read: quotes that only
 * protect a value change nothing. */
#include "core/hash.h"
#include "core/pool.h"
#include "core/spill.h"
#include "io/csv/csv_source.h"

typedef struct {
    kan_csv_source *source;
    bool *is_located; /* n_columns + 1 */
    size_t n_located;
    uint64_t *const *out;
    kan_csv_walk *walks; /* one per thread */
    kan_text *rooms;     /* the same, for values with doubled quotes */
} hashing;

static kan_status hash_task(void *context, size_t task, unsigned worker) {
    const hashing *h = context;
    const kan_csv_block *block = &h->source->blocks[task];
    kan_csv_walk *walk = &h->walks[worker];
    KAN_TRY(kan_csv_show_block(h->source, h->source->blocks, h->source->n_blocks, task, walk));
    KAN_TRY(kan_csv_walk_block(walk, block));
    if (walk->n_rows != block->n_rows || walk->n_problems)
        return kan_fail(h->source->run, KAN_FAILED,
                        "%s: the file was changed while it was read; try again when nobody writes "
                        "it",
                        h->source->stream.name);
    for (size_t i = 0; i < block->n_rows; i++)
        for (size_t c = 0; c < h->n_located; c++) {
            const kan_csv_field *field = &walk->places[i * h->n_located + c];
            kan_slice value;
            KAN_TRY(kan_csv_unquote(walk->bytes + field->start, field->size, &h->rooms[worker],
                                    &value));
            h->out[c][block->first_row + i] = kan_hash_bytes(value.bytes, value.size);
        }
    kan_csv_block_done(&h->source->stream, block);
    for (size_t c = 0; c < h->n_located; c++)
        kan_spill_done(h->source->run, h->out[c] + block->first_row,
                       block->n_rows * sizeof **h->out);
    return KAN_OK;
}

kan_status kan_csv_hash(kan_csv_source *source, const size_t *columns, size_t n_columns,
                        uint64_t *const *out) {
    kan_run *run = source->run;
    const unsigned n_workers = kan_run_threads(run);
    hashing h = {.source = source, .n_located = n_columns, .out = out};
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(run, source->n_columns + 1, 1, &h.is_located));
    KAN_TRY_DONE(kan_alloc_zero(run, n_workers, sizeof *h.walks, &h.walks));
    KAN_TRY_DONE(kan_alloc_zero(run, n_workers, sizeof *h.rooms, &h.rooms));
    for (size_t i = 0; i < n_columns; i++)
        h.is_located[columns[i]] = true;
    for (unsigned w = 0; w < n_workers; w++) {
        kan_csv_walk_init(&h.walks[w], run, source->separator, source->n_columns);
        h.walks[w].is_located = h.is_located;
        h.walks[w].n_wanted = n_columns;
        kan_text_init(&h.rooms[w], run);
    }
    status = kan_parallel(run, source->n_blocks, hash_task, &h);
    if (status == KAN_OK)
        status = kan_stream_check_unchanged(&source->stream);
    for (unsigned w = 0; w < n_workers; w++) {
        kan_csv_walk_destroy(&h.walks[w]);
        kan_text_destroy(&h.rooms[w]);
    }
done:
    kan_free(run, h.is_located);
    kan_free(run, h.walks);
    kan_free(run, h.rooms);
    return status;
}
