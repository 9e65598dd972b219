/* Fields of some columns as they stand in the file, in one more walk over it. */
#include "core/pool.h"
#include "io/csv/csv_source.h"

typedef struct {
    kan_csv_source *source;
    const kan_csv_visit *visit;
    kan_csv_walk *walks; /* one per thread */
} visiting;

static kan_status visit_task(void *context, size_t task, unsigned worker) {
    const visiting *v = context;
    const kan_csv_block *block = &v->source->blocks[task];
    kan_csv_walk *walk = &v->walks[worker];
    if (v->visit->quoted_alone && !block->has_quote_or_cr)
        return KAN_OK;
    KAN_TRY(kan_csv_show_block(v->source, v->source->blocks, v->source->n_blocks, task, walk));
    KAN_TRY(kan_csv_walk_block(walk, block));
    if (walk->n_rows != block->n_rows || walk->n_problems)
        return kan_fail(
            v->source->run, KAN_FAILED,
            "%s: the file was changed while it was read; try again when nobody writes to it",
            v->source->stream.name);
    KAN_TRY(v->visit->take(v->visit->context, block, walk, worker));
    kan_csv_block_done(&v->source->stream, block);
    return KAN_OK;
}

kan_status kan_csv_visit_fields(kan_csv_source *source, const kan_csv_visit *visit) {
    kan_run *run = source->run;
    const unsigned n_workers = kan_run_threads(run);
    visiting v = {.source = source, .visit = visit};
    bool *is_located = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(run, source->n_columns + 1, 1, &is_located));
    KAN_TRY_DONE(kan_alloc_zero(run, n_workers, sizeof *v.walks, &v.walks));
    for (size_t i = 0; i < visit->n_columns; i++)
        is_located[visit->columns[i]] = true;
    for (unsigned w = 0; w < n_workers; w++) {
        kan_csv_walk_init(&v.walks[w], run, source->separator, source->n_columns);
        v.walks[w].is_located = is_located;
        v.walks[w].n_wanted = visit->n_columns;
    }
    status = kan_parallel(run, source->n_blocks, visit_task, &v);
    if (status == KAN_OK)
        status = kan_stream_check_unchanged(&source->stream);
    for (unsigned w = 0; w < n_workers; w++)
        kan_csv_walk_destroy(&v.walks[w]);
done:
    kan_free(run, is_located);
    kan_free(run, v.walks);
    return status;
}
