/* Reading a CSV file into a table, on all threads.
 *
 * The order of the work:
 *   1. survey: a block is read and looked at for quotes; the parity of the quotes before it, which
 *      the tasks hand on from one to the next, tells whether it begins inside quotes, and so where
 *      its first record begins;
 *   2. walk: the block's records are encoded with the thread's own encoders, while its bytes are in
 *      the cache; the codes are kept per block, in as few bytes as they need;
 *   3. gather: the blocks' codes and the encoders become the table (io/gather.h).
 * Which thread took which block does not show: the table is the same for any number of threads and
 * any size of blocks. So are the problems: up to the first fault of quoting every block is read as
 * one reader from the top would read it, and behind it nothing is told.
 *
 * Where the memory budget is short, what was walked of the file leaves resident memory block by
 * block. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "core/pool.h"
#include "core/spill.h"
#include "io/csv/csv_source.h"
#include "io/gather.h"
#include "io/guard.h"

enum {
    MOST_BLOCK = 1 << 20,
    LEAST_BLOCK = 1 << 16,
    BEHIND = 1 << 12, /* bytes behind a block that are read with it: its last record ends there */
    BLOCKS_PER_THREAD = 8
};

typedef struct {
    kan_csv_walk walk;
    kan_encoder **by_column; /* n_columns + 1, NULL for those not encoded */
} reader_worker;

/* What was wrong in a block. */
typedef struct {
    size_t n_problems;
    kan_csv_problem *problems;
    bool is_broken;
} block_result;

typedef struct {
    kan_run *run;
    kan_csv_source *source;
    const bool *encode;
    bool is_portable;
    size_t n_encoded;
    unsigned n_workers;
    reader_worker *workers;
    kan_gather *gather;
    kan_csv_block *blocks;
    size_t n_blocks;
    block_result *results;
    uint64_t n_rows;
    kan_table *table;
    atomic_size_t bytes_done;
    /* The parity of the quotes, handed on from block to block. */
    pthread_mutex_t lock;
    pthread_cond_t turn_passed;
    size_t turn;   /* the block that is next */
    size_t failed; /* the first block that will not come */
    bool in_quotes;
} reading;

/* ---- blocks --------------------------------------------------------------------------------- */

static kan_status make_blocks(reading *reader, size_t block_bytes) {
    const kan_csv_source *source = reader->source;
    size_t size = source->data_end - source->data_at;
    if (block_bytes == 0) {
        block_bytes = size / BLOCKS_PER_THREAD / kan_run_threads(reader->run);
        block_bytes = block_bytes > MOST_BLOCK ? MOST_BLOCK : block_bytes;
        block_bytes = block_bytes < LEAST_BLOCK ? LEAST_BLOCK : block_bytes;
    }
    reader->n_blocks = size / block_bytes + (size % block_bytes != 0);
    KAN_TRY(kan_alloc_zero(reader->run, reader->n_blocks, sizeof *reader->blocks, &reader->blocks));
    KAN_TRY(
        kan_alloc_zero(reader->run, reader->n_blocks, sizeof *reader->results, &reader->results));
    for (size_t i = 0; i < reader->n_blocks; i++) {
        reader->blocks[i].begin = source->data_at + i * block_bytes;
        reader->blocks[i].end =
            i + 1 < reader->n_blocks ? reader->blocks[i].begin + block_bytes : source->data_end;
    }
    return KAN_OK;
}

/* What a walk over the block touched is not needed for a while. */
static void drop_block(const reading *reader, const kan_csv_block *block) {
    kan_csv_block_done(&reader->source->stream, block);
}

/* Hands the parity of the quotes on: waits for the block before this one, unless it will never
 * come. Tasks begin in order, so the one whose turn it is waits for nobody; a run that is cancelled
 * starts no more of them, which wakes nobody, so that is looked at now and then. */
static kan_status take_turn(reading *reader, size_t task, bool *begins_in_quotes) {
    pthread_mutex_lock(&reader->lock);
    while (reader->turn != task && reader->failed > task && !kan_run_is_cancelled(reader->run)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 20000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&reader->turn_passed, &reader->lock, &until);
    }
    const bool is_ours = reader->turn == task;
    if (is_ours) {
        *begins_in_quotes = reader->in_quotes;
        reader->in_quotes ^= reader->blocks[task].has_odd_quotes;
        reader->turn++;
        pthread_cond_broadcast(&reader->turn_passed);
    }
    pthread_mutex_unlock(&reader->lock);
    if (is_ours)
        return KAN_OK;
    KAN_TRY(kan_check_cancel(reader->run));
    return KAN_CANCELLED; /* a task before this one has failed, and tells why */
}

/* Nobody shall wait for a block that will not come. */
static kan_status give_up(reading *reader, size_t task, kan_status status) {
    pthread_mutex_lock(&reader->lock);
    if (task < reader->failed)
        reader->failed = task;
    pthread_cond_broadcast(&reader->turn_passed);
    pthread_mutex_unlock(&reader->lock);
    return status;
}

/* The end of the block's last record in what is shown from `first` to `end`; `end` when it is not
 * in there. */
static size_t find_end(const kan_csv_block *block, const char *bytes, size_t first, size_t end,
                       bool in_quotes) {
    if (!in_quotes && bytes[block->end - 1 - first] == '\n')
        return block->end;
    for (size_t at = block->end; at < end; at++) {
        in_quotes ^= bytes[at - first] == '"';
        if (bytes[at - first] == '\n' && !in_quotes)
            return at + 1;
    }
    return end;
}

/* Reads the block, the byte before it, and so much behind it. */
static kan_status take_block(const reading *reader, const kan_csv_block *block, size_t behind,
                             kan_window *window, size_t *first, size_t *end) {
    const kan_csv_source *source = reader->source;
    *first = block->begin > source->data_at ? block->begin - 1 : block->begin;
    *end = source->data_end - block->end < behind ? source->data_end : block->end + behind;
    return kan_window_take(window, &source->stream, *first, *end);
}

/* Shows the walk the block's records. */
static kan_status survey_block(reading *reader, size_t task, kan_csv_walk *walk) {
    kan_window *window = &walk->window;
    kan_csv_block *block = &reader->blocks[task];
    size_t first, end, behind = BEHIND;
    bool in_quotes = false;
    KAN_TRY(take_block(reader, block, behind, window, &first, &end));
    const char *bytes = window->bytes + (block->begin - first);
    kan_csv_block_survey(bytes, first == block->begin || bytes[-1] == '\n', reader->is_portable,
                         block);
    KAN_TRY(take_turn(reader, task, &in_quotes));
    block->start = block->start_if[in_quotes];
    if (block->start >= block->end)
        return KAN_OK;
    in_quotes ^= block->has_odd_quotes;
    size_t stop = find_end(block, window->bytes, first, end, in_quotes);
    /* What reaches further than a record may is too long, which shows in as much of it. */
    while (stop == end && end < reader->source->data_end && behind <= KAN_RECORD_LIMIT + 2) {
        behind = behind * 8 <= KAN_RECORD_LIMIT ? behind * 8 : KAN_RECORD_LIMIT + 3;
        KAN_TRY(take_block(reader, block, behind, window, &first, &end));
        stop = find_end(block, window->bytes, first, end, in_quotes);
    }
    kan_csv_walk_show(walk, window->bytes + (block->start - first), block->start,
                      stop - block->start);
    return KAN_OK;
}

static kan_status check_binary(const reading *reader) {
    for (size_t i = 0; i < reader->n_blocks; i++)
        if (reader->blocks[i].nul_at != SIZE_MAX)
            return kan_csv_fail_binary(reader->run, &reader->source->stream,
                                       reader->blocks[i].nul_at);
    return KAN_OK;
}

/* ---- walking -------------------------------------------------------------------------------- */

static kan_status make_workers(reading *reader) {
    kan_run *run = reader->run;
    const kan_csv_source *source = reader->source;
    KAN_TRY(kan_alloc_zero(run, reader->n_workers, sizeof *reader->workers, &reader->workers));
    for (unsigned w = 0; w < reader->n_workers; w++)
        kan_csv_walk_init(&reader->workers[w].walk, run, source->separator, source->n_columns);
    for (unsigned w = 0; w < reader->n_workers; w++) {
        reader_worker *worker = &reader->workers[w];
        KAN_TRY(kan_alloc_zero(run, source->n_columns + 1, sizeof *worker->by_column,
                               &worker->by_column));
        for (size_t i = 0; i < source->n_columns; i++)
            worker->by_column[i] = kan_gather_encoder(reader->gather, w, i);
        worker->walk.encoders = worker->by_column;
        worker->walk.n_wanted = reader->n_encoded;
        worker->walk.is_portable = reader->is_portable;
    }
    return KAN_OK;
}

static kan_status read_block(reading *reader, size_t task, unsigned worker) {
    kan_csv_block *block = &reader->blocks[task];
    block_result *result = &reader->results[task];
    kan_csv_walk *walk = &reader->workers[worker].walk;
    KAN_TRY(survey_block(reader, task, walk));
    KAN_TRY(kan_csv_walk_block(walk, block));
    block->n_rows = walk->n_rows;
    result->is_broken = walk->is_broken;
    result->n_problems = walk->n_problems;
    if (walk->n_problems) {
        size_t kept = walk->n_problems < KAN_WALK_PROBLEMS ? walk->n_problems : KAN_WALK_PROBLEMS;
        KAN_TRY(kan_alloc(reader->run, kept, sizeof *result->problems, &result->problems));
        memcpy(result->problems, walk->problems, kept * sizeof *result->problems);
    } else {
        KAN_TRY(kan_gather_block(reader->gather, task, worker, walk->n_rows, walk->codes));
    }
    drop_block(reader, block);
    size_t bytes = block->end - block->begin;
    size_t done = atomic_fetch_add(&reader->bytes_done, bytes) + bytes;
    kan_report_units(reader->run, "read", "bytes", done,
                     reader->source->data_end - reader->source->data_at);
    return KAN_OK;
}

static kan_status walk_task(void *context, size_t task, unsigned worker) {
    const kan_status status = read_block(context, task, worker);
    return status == KAN_OK ? KAN_OK : give_up(context, task, status);
}

/* Tells all problems in the order of the file, up to the first fault of quoting. */
static kan_status tell_problems(reading *reader) {
    const kan_csv_source *source = reader->source;
    kan_csv_lines lines = {0};
    kan_problems_begin(reader->run);
    for (size_t i = 0; i < reader->n_blocks; i++) {
        const block_result *result = &reader->results[i];
        for (size_t p = 0; p < result->n_problems; p++)
            if (p < KAN_WALK_PROBLEMS)
                kan_csv_problem_tell(reader->run, &source->stream, source->separator,
                                     source->n_columns, &result->problems[p], &lines);
            else
                kan_problem_add(reader->run, "%s", ""); /* counted, no longer shown */
        if (result->is_broken)
            break;
    }
    return kan_problems_end(reader->run);
}

static kan_status count_rows(reading *reader) {
    reader->n_rows = 0;
    for (size_t i = 0; i < reader->n_blocks; i++) {
        reader->blocks[i].first_row = reader->n_rows;
        reader->n_rows += reader->blocks[i].n_rows;
    }
    if (reader->n_rows == 0 && !reader->source->takes_empty)
        return kan_fail(reader->run, KAN_BAD_INPUT,
                        "%s: a header but no rows; a table needs at least one row",
                        reader->source->stream.name);
    return KAN_OK;
}

/* ---- the whole ------------------------------------------------------------------------------ */

void kan_csv_take_empty(kan_csv_source *source) {
    source->takes_empty = true;
}

/* Columns without values. */
static kan_status make_empty(reading *reader) {
    const kan_csv_source *source = reader->source;
    KAN_TRY(kan_table_make(reader->run, source->n_columns, source->names, &reader->table));
    for (size_t i = 0; i < source->n_columns; i++) {
        kan_column *column = &reader->table->columns[i];
        if (!reader->encode[i])
            continue;
        KAN_TRY(kan_alloc_zero(reader->run, 1, sizeof *column->dictionary.start,
                               &column->dictionary.start));
        column->is_encoded = true;
        column->width = 1;
    }
    return KAN_OK;
}

static kan_status begin_gathering(reading *reader) {
    const kan_csv_source *source = reader->source;
    reader->n_workers = kan_run_threads(reader->run);
    for (size_t i = 0; i < source->n_columns; i++)
        reader->n_encoded += reader->encode[i];
    const kan_gather_plan plan = {.name = source->stream.name,
                                  .n_columns = source->n_columns,
                                  .columns = source->names,
                                  .encode = reader->encode,
                                  .as_is = source->as_is,
                                  .n_workers = reader->n_workers,
                                  .n_blocks = reader->n_blocks};
    return kan_gather_begin(reader->run, &plan, &reader->gather);
}

/* Takes the guards off the distinct values: codes stay as they are. */
static kan_status unguard_column(reading *reader, size_t column) {
    char quoted[256];
    for (unsigned w = 0; w < reader->n_workers; w++) {
        bool is_open = false;
        KAN_TRY(kan_guard_undo_all(kan_gather_encoder(reader->gather, w, column), &is_open));
        if (is_open)
            return kan_fail(reader->run, KAN_BAD_INPUT,
                            "%s: column %s has a value that is not guarded, so a spreadsheet would "
                            "run it; was the table written with --guard-formulas?",
                            reader->source->stream.name,
                            kan_quote(kan_slice_of(reader->source->names[column]), quoted));
    }
    return KAN_OK;
}

static kan_status unguard(reading *reader) {
    for (size_t i = 0; reader->source->is_guarded && i < reader->source->n_columns; i++)
        if (reader->encode[i])
            KAN_TRY(unguard_column(reader, i));
    return KAN_OK;
}

static void reader_free(reading *reader) {
    kan_run *run = reader->run;
    for (unsigned w = 0; reader->workers && w < reader->n_workers; w++) {
        kan_csv_walk_destroy(&reader->workers[w].walk);
        kan_free(run, reader->workers[w].by_column);
    }
    kan_gather_free(reader->gather);
    for (size_t i = 0; reader->results && i < reader->n_blocks; i++)
        kan_free(run, reader->results[i].problems);
    kan_free(run, reader->workers);
    kan_free(run, reader->results);
    kan_free(run, reader->blocks);
    kan_table_destroy(reader->table);
    pthread_cond_destroy(&reader->turn_passed);
    pthread_mutex_destroy(&reader->lock);
}

kan_status kan_csv_read_tuned(kan_csv_source *source, const bool *encode, kan_csv_tuning tuning,
                              kan_table **out) {
    reading reader = {.run = source->run,
                      .source = source,
                      .encode = encode,
                      .is_portable = tuning.is_portable,
                      .failed = SIZE_MAX};
    kan_status status;
    KAN_TRY(kan_csv_complete(source));
    pthread_mutex_init(&reader.lock, NULL);
    pthread_cond_init(&reader.turn_passed, NULL);
    KAN_TRY_DONE(make_blocks(&reader, tuning.block_bytes));
    KAN_TRY_DONE(begin_gathering(&reader));
    KAN_TRY_DONE(make_workers(&reader));
    KAN_TRY_DONE(kan_parallel(reader.run, reader.n_blocks, walk_task, &reader));
    kan_report_units(reader.run, "read", "bytes", source->data_end - source->data_at,
                     source->data_end - source->data_at);
    KAN_TRY_DONE(check_binary(&reader));
    KAN_TRY_DONE(tell_problems(&reader));
    KAN_TRY_DONE(count_rows(&reader));
    KAN_TRY_DONE(unguard(&reader));
    KAN_TRY_DONE(reader.n_rows > 0 ? kan_gather_finish(reader.gather, &reader.table)
                                   : make_empty(&reader));
    KAN_TRY_DONE(kan_stream_check_unchanged(&source->stream));
    kan_free(source->run, source->blocks);
    source->blocks = reader.blocks;
    source->n_blocks = reader.n_blocks;
    source->n_rows = reader.n_rows;
    reader.blocks = NULL;
    *out = reader.table;
    reader.table = NULL;
done:
    reader_free(&reader);
    kan_memory_trim(source->run);
    return status;
}

kan_status kan_csv_read(kan_csv_source *source, const bool *encode, kan_table **out) {
    return kan_csv_read_tuned(source, encode, (kan_csv_tuning){0, false}, out);
}
