/* Folding rows to the base: packed keys column by column, a hash table per thread, one merge.
 *
 * Each block of rows is packed into keys, one column at a time (a table look-up per cell takes the
 * code to its place in the hierarchy's preorder), and added to the thread's table. The tables are
 * listed one after the other, sorted and merged. Costs about ten nanoseconds per row, and memory
 * for the distinct tuples of each thread. */
#include "core/pool.h"
#include "group/kernel.h"
#include "group/row_keys.h"

enum { BLOCK_ROWS = 4096, TASK_ROWS = 1 << 16, FEW_ROWS = 1 << 16 };

typedef struct {
    kan_row_keys rows;
    uint64_t n_rows;
    kan_hash_table **tables; /* per worker, made at its first block */
} fold_job;

static kan_status fold_task(void *context, size_t task, unsigned worker) {
    fold_job *job = context;
    kan_run *run = job->rows.space->run;
    const unsigned words = job->rows.layout->n_words;
    if (!job->tables[worker])
        KAN_TRY(kan_hash_table_create(run, words, &job->tables[worker]));
    uint64_t *keys;
    KAN_TRY(kan_alloc(run, (size_t)BLOCK_ROWS * words, sizeof *keys, &keys));
    uint64_t row = (uint64_t)task * TASK_ROWS;
    uint64_t end = job->n_rows - row < TASK_ROWS ? job->n_rows : row + TASK_ROWS;
    kan_status status = KAN_OK;
    for (; row < end && status == KAN_OK; row += BLOCK_ROWS) {
        size_t n = end - row < BLOCK_ROWS ? (size_t)(end - row) : BLOCK_ROWS;
        kan_row_keys_make(&job->rows, row, n, keys);
        status = kan_hash_table_add(job->tables[worker], keys, NULL, n);
    }
    kan_free(run, keys);
    if (worker == 0)
        kan_report_progress(run, "fold", end, job->n_rows);
    return status;
}

/* Few rows: sorting them all is quicker than growing tables. */
static kan_status fold_few(const fold_job *job, kan_workspace *workspace, kan_freqset *out) {
    const size_t n = (size_t)job->n_rows;
    KAN_TRY(kan_freqset_reserve(job->rows.space->run, out, n ? n : 1));
    kan_row_keys_make(&job->rows, 0, n, out->keys);
    for (size_t i = 0; i < n; i++)
        out->counts[i] = 1;
    return kan_kernel_radix(workspace, &out->layout, out->keys, out->counts, n, &out->n);
}

/* Lists all tables into one set, sorts and merges it. */
static kan_status merge_tables(const fold_job *job, unsigned n_tables, kan_workspace *workspace,
                               kan_freqset *out) {
    size_t n = 0;
    for (unsigned i = 0; i < n_tables; i++)
        n += job->tables[i] ? kan_hash_table_size(job->tables[i]) : 0;
    KAN_TRY(kan_freqset_reserve(job->rows.space->run, out, n ? n : 1));
    size_t at = 0;
    for (unsigned i = 0; i < n_tables; i++) {
        if (!job->tables[i])
            continue;
        kan_hash_table_list(job->tables[i], out->keys + at * out->layout.n_words, out->counts + at);
        at += kan_hash_table_size(job->tables[i]);
    }
    return kan_kernel_radix(workspace, &out->layout, out->keys, out->counts, n, &out->n);
}

kan_status kan_freqset_fold(const kan_space *space, uint64_t n_rows, kan_freqset *out) {
    kan_run *run = space->run;
    kan_status status;
    unsigned n_workers = kan_run_threads(run);
    kan_workspace *workspace = NULL;
    kan_layout_base(space, &out->layout);
    fold_job job = {.n_rows = n_rows};
    KAN_TRY(kan_row_keys_init(&job.rows, space, &out->layout));
    KAN_TRY_DONE(kan_alloc_zero(run, n_workers, sizeof(kan_hash_table *), &job.tables));
    KAN_TRY_DONE(kan_workspace_create(run, &workspace));
    if (n_rows <= FEW_ROWS) {
        status = fold_few(&job, workspace, out);
        goto done;
    }
    KAN_TRY_DONE(
        kan_parallel(run, (size_t)((n_rows + TASK_ROWS - 1) / TASK_ROWS), fold_task, &job));
    KAN_TRY_DONE(merge_tables(&job, n_workers, workspace, out));
done:
    for (unsigned i = 0; job.tables && i < n_workers; i++)
        kan_hash_table_destroy(job.tables[i]);
    kan_free(run, job.tables);
    kan_row_keys_destroy(&job.rows);
    kan_workspace_destroy(workspace);
    return status;
}
