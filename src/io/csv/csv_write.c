/* The CSV sink: renders rows in parallel, writes them in order.
 *
 * Each label is escaped once, with the separator or line break that follows it, so that a cell of a
 * row is one look-up and one copy. A task renders the rows of one block; when it is done it waits
 * for its turn and writes; a large release takes its place in turn, and fills it while others do
 * (io/streams/places.h). Tasks begin in order, so the one whose turn it is never waits for another
 * thread. Columns that pass through are found by a second walk over the source's block, and
 * leave as they came, quotes included, or with a guard against formulas (guard.h). Only a release
 * in another order than the input's needs 8 bytes per row for the places of the rows, and reads
 * them one by one.
 *
 * Two to four ns per cell and thread; without places, writing into the system's cache limits beyond.
 */
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "core/pool.h"
#include "core/signs.h"
#include "core/spill.h"
#include "io/csv/csv_lost.h"
#include "io/csv/csv_source.h"
#include "io/guard.h"
#include "io/streams/streams.h"

enum {
    ROWS_PER_TASK = 1 << 14,
    SHORT_LABEL = 16,
    LARGE_BYTES = 1 << 25 /* so many at most: the release is worth being filled in places */
};

/* Labels as they are written, each with what follows it. */
typedef struct {
    size_t start;
    size_t size;
} written_label;

typedef struct {
    const kan_release_column *column;
    kan_text text; /* of all labels; SHORT_LABEL more bytes than used can be read */
    written_label *labels;
    bool *is_formula; /* by label; NULL: none is */
    written_label star;
    size_t place; /* of a column that passes through: among those located */
} written_column;

typedef struct {
    kan_csv_walk walk; /* finds the fields that pass through */
    char *bytes;       /* rendered */
    size_t used, capacity;
    uint64_t n_rows; /* rendered */
    uint64_t n_formulas;
    size_t formula_column; /* the first with one */
} writer_worker;

typedef struct {
    kan_run *run;
    const kan_release *release;
    kan_csv_source *source;
    char separator;
    written_column *columns; /* those of the release */
    size_t widest_row;       /* of the labels */
    kan_target *target;
    bool has_places; /* of the target are taken and filled */
    kan_csv_lost lost;
    /* Passing through. */
    size_t n_located;
    bool *is_located; /* per column of the source, and one more */
    bool *is_first;   /* the same for the first column alone: where rows begin */
    size_t *row_at;   /* offset of each row, with another order */
    /* Threads. */
    unsigned n_workers;
    writer_worker *workers;
    size_t n_tasks;
    pthread_mutex_t lock;
    pthread_cond_t turn_passed;
    size_t turn;        /* the task that may write */
    kan_status failure; /* of the lowest task that failed, which is `failed` */
    size_t failed;
    uint64_t n_written; /* rows */
} writing;

/* ---- labels --------------------------------------------------------------------------------- */

/* A reader may take another separator for ours, and what follows for another cell. */
static bool may_be_split(kan_slice value) {
    static const bool splits[256] = {[','] = true, [';'] = true, ['\t'] = true, ['|'] = true};
    bool found = false;
    for (size_t i = 0; i < value.size; i++)
        found |= splits[(unsigned char)value.bytes[i]];
    return found;
}

static bool needs_quotes(kan_slice value, char separator) {
    for (size_t i = 0; i < value.size; i++)
        if (value.bytes[i] == separator || value.bytes[i] == '"' || value.bytes[i] == '\n' ||
            value.bytes[i] == '\r')
            return true;
    return value.size > 0 &&
           (kan_is_blank(value.bytes[0]) || kan_is_blank(value.bytes[value.size - 1]) ||
            kan_stream_is_marked(value));
}

/* An empty line is not read as a value everywhere; and where no separator follows, one within a value is taken for
 * that of the file. */
static bool needs_quotes_alone(kan_slice value) {
    return value.size == 0 || may_be_split(value);
}

static void add_value(const writing *writer, kan_text *text, kan_slice value, bool quotes) {
    const bool is_guarded = writer->release->guards_formulas && kan_guard_needs(value);
    if (!quotes && !needs_quotes(value, writer->separator) &&
        !(writer->release->n_columns == 1 && needs_quotes_alone(value)) &&
        !(writer->release->guards_formulas && may_be_split(value))) {
        kan_text_add(text, "'", is_guarded);
        kan_text_add(text, value.bytes, value.size);
        return;
    }
    kan_text_add(text, "\"", 1);
    kan_text_add(text, "'", is_guarded);
    for (size_t at = 0; at < value.size;) {
        const char *quote = memchr(value.bytes + at, '"', value.size - at);
        size_t end = quote ? (size_t)(quote - value.bytes) + 1 : value.size;
        kan_text_add(text, value.bytes + at, end - at);
        if (quote)
            kan_text_add(text, "\"", 1);
        at = end;
    }
    kan_text_add(text, "\"", 1);
}

static void add_label(const writing *writer, size_t index, kan_slice value, written_label *out) {
    written_column *column = &writer->columns[index];
    bool is_last = index + 1 == writer->release->n_columns;
    out->start = column->text.size;
    add_value(writer, &column->text, value, false);
    kan_text_add(&column->text, is_last ? "\n" : &writer->separator, 1);
    out->size = column->text.size - out->start;
}

static kan_status note_formula(kan_run *run, written_column *column, kan_slice label,
                               uint32_t code) {
    if (!kan_guard_is_formula(label))
        return KAN_OK;
    if (!column->is_formula)
        KAN_TRY(kan_alloc_zero(run, column->column->n_labels, 1, &column->is_formula));
    column->is_formula[code] = true;
    return KAN_OK;
}

static kan_status write_labels(writing *writer, size_t index) {
    static const char pad[SHORT_LABEL] = {0};
    written_column *column = &writer->columns[index];
    const kan_release_column *source = column->column;
    size_t widest;
    add_label(writer, index, kan_slice_of("*"), &column->star);
    widest = column->star.size;
    if (!source->passes_through) {
        KAN_TRY(kan_alloc(writer->run, source->n_labels, sizeof *column->labels, &column->labels));
        for (uint32_t code = 0; code < source->n_labels; code++) {
            char room[KAN_SPELLING_ROOM];
            const kan_slice label = kan_spelling_put(source->spelling, source->labels[code], room);
            KAN_TRY(note_formula(writer->run, column, label, code));
            add_label(writer, index, label, &column->labels[code]);
            widest = column->labels[code].size > widest ? column->labels[code].size : widest;
        }
    }
    kan_text_add(&column->text, pad, sizeof pad);
    writer->widest_row += widest;
    return kan_text_status(&column->text);
}

static void count_formula(writer_worker *worker, size_t column) {
    if (worker->n_formulas++ == 0 || column < worker->formula_column)
        worker->formula_column = column;
}

/* Whether the first bytes of the file, in another encoding, may look like a byte order mark or a
 * compressed file. */
static bool may_become_mark(const writing *writer) {
    const char *name = writer->release->columns[0].name;
    bool is_plain = true;
    for (size_t i = 0; i < 8 && name[i]; i++)
        is_plain &= name[i] >= ' ' && name[i] < 0x7f;
    return !is_plain && kan_target_encoding(writer->target);
}

/* Writes whole records. */
static kan_status put_records(writing *writer, const char *bytes, size_t size) {
    KAN_TRY(kan_target_write(writer->target, bytes, size));
    const uint64_t n_lost = kan_target_n_lost(writer->target);
    if (n_lost == writer->lost.n_seen)
        return KAN_OK;
    writer->lost.n_seen = n_lost;
    return kan_csv_lost_count(&writer->lost, bytes, size);
}

static kan_status write_header(writing *writer) {
    const kan_release *release = writer->release;
    kan_text header;
    kan_text_init(&header, writer->run);
    for (size_t i = 0; i < release->n_columns; i++) {
        const kan_slice name = kan_slice_of(release->columns[i].name);
        /* readers find the separator by the header, which shows no other */
        add_value(writer, &header, name, may_be_split(name) || (i == 0 && may_become_mark(writer)));
        if (kan_guard_is_formula(name))
            count_formula(&writer->workers[0], i);
        kan_text_add(&header, i + 1 == release->n_columns ? "\n" : &writer->separator, 1);
    }
    kan_status status = kan_text_status(&header);
    if (status == KAN_OK)
        status = put_records(writer, header.bytes, header.size);
    kan_text_destroy(&header);
    return status;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static inline char *put_label(char *out, const written_column *column, const written_label *label) {
    const char *bytes = column->text.bytes + label->start;
    if (label->size <= SHORT_LABEL)
        memcpy(out, bytes, SHORT_LABEL); /* of constant size: no call */
    else
        memcpy(out, bytes, label->size);
    return out + label->size;
}

/* A field whose first byte could be that of a formula: counts it, and says whether it gets a guard.
 * A quote inside is doubled here, which changes nothing: what has one is not a number either way.
 */
static __attribute__((noinline)) bool check_field(const writing *writer, writer_worker *worker,
                                                  kan_slice value, size_t column) {
    if (kan_guard_is_formula(value))
        count_formula(worker, column);
    return writer->release->guards_formulas && kan_guard_needs(value);
}

/* A field of the source as it stands there, with a guard where one is wanted. Without quotes it
 * holds neither quote nor line break, so quotes are needed only around another separator, or where
 * the line would be empty. */
static char *put_field(const writing *writer, writer_worker *worker, char *out, kan_slice raw,
                       size_t column) {
    const kan_release *release = writer->release;
    const bool is_quoted = raw.size > 0 && raw.bytes[0] == '"';
    const kan_slice value = is_quoted ? (kan_slice){raw.bytes + 1, raw.size - 2} : raw;
    const bool is_guarded = value.size > 0 && kan_guard_may_need(value.bytes[0]) &&
                            check_field(writer, worker, value, column);
    bool needs = !is_quoted && raw.size > 0 && writer->separator != writer->source->separator &&
                 memchr(raw.bytes, writer->separator, raw.size);
    needs |= release->n_columns == 1 && !is_quoted && needs_quotes_alone(raw);
    needs |= release->guards_formulas && !is_quoted && may_be_split(raw);
    const bool is_last = column + 1 == release->n_columns;
    if (needs || is_quoted)
        *out++ = '"';
    if (is_guarded)
        *out++ = '\'';
    if (raw.size)
        memcpy(out, raw.bytes + is_quoted, raw.size - is_quoted);
    out += raw.size - is_quoted;
    if (needs)
        *out++ = '"';
    *out++ = is_last ? '\n' : writer->separator;
    return out;
}

static kan_status make_room(writing *writer, writer_worker *worker, const kan_csv_field *fields) {
    size_t need = writer->widest_row + SHORT_LABEL;
    for (size_t i = 0; i < writer->n_located; i++)
        need += fields[i].size + 4;
    return kan_reserve(writer->run, worker->used + need, 1, &worker->capacity, &worker->bytes);
}

static inline kan_status put_row(writing *writer, writer_worker *worker, uint64_t row,
                                 const kan_csv_field *fields) {
    const kan_release *release = writer->release;
    bool is_suppressed = release->is_suppressed && release->is_suppressed[row];
    if (is_suppressed && !release->keeps_suppressed)
        return KAN_OK;
    KAN_TRY(make_room(writer, worker, fields));
    char *out = worker->bytes + worker->used;
    for (size_t i = 0; i < release->n_columns; i++) {
        const written_column *column = &writer->columns[i];
        if (is_suppressed && kan_release_hides(release, column->column, row))
            out = put_label(out, column, &column->star);
        else if (!column->column->passes_through) {
            const uint32_t code = kan_release_code(release, column->column, row);
            out = put_label(out, column, &column->labels[code]);
            if (column->is_formula && column->is_formula[code])
                count_formula(worker, i);
        } else
            out = put_field(writer, worker, out,
                            (kan_slice){worker->walk.bytes + fields[column->place].start,
                                        fields[column->place].size},
                            i);
    }
    worker->used = (size_t)(out - worker->bytes);
    worker->n_rows++;
    return KAN_OK;
}

static kan_status fail_changed(const writing *writer) {
    return kan_fail(
        writer->run, KAN_FAILED,
        "%s: the file was changed while it was read; try again when nothing writes to it",
        writer->source->stream.name);
}

static void drop_rows(const writing *writer, uint64_t first, uint64_t n) {
    const kan_release *release = writer->release;
    for (size_t i = 0; i < release->n_columns; i++) {
        const kan_release_column *column = &release->columns[i];
        if (!column->passes_through && !column->by_group)
            kan_spill_done(writer->run, (const char *)column->codes + first * column->width,
                           n * column->width);
    }
    if (release->group_of_row)
        kan_spill_done(writer->run, release->group_of_row + first,
                       n * sizeof *release->group_of_row);
    if (release->is_suppressed)
        kan_spill_done(writer->run, release->is_suppressed + first, n);
}

/* The rows of a block of the source, in its order. */
static kan_status put_block(writing *writer, writer_worker *worker, size_t task) {
    const kan_csv_block *block = &writer->source->blocks[task];
    worker->walk.is_located = writer->is_located;
    KAN_TRY(kan_csv_show_block(writer->source, writer->source->blocks, writer->source->n_blocks,
                               task, &worker->walk));
    KAN_TRY(kan_csv_walk_block(&worker->walk, block));
    if (worker->walk.n_rows != block->n_rows || worker->walk.n_problems)
        return fail_changed(writer);
    for (size_t i = 0; i < block->n_rows; i++)
        KAN_TRY(put_row(writer, worker, block->first_row + i,
                        worker->walk.places + i * writer->n_located));
    kan_csv_block_done(&writer->source->stream, block);
    drop_rows(writer, block->first_row, block->n_rows);
    return KAN_OK;
}

/* A row that is anywhere in the source; its located fields come to stand first in `raw`. */
static kan_status find_row(const writing *writer, writer_worker *worker, uint64_t row) {
    kan_csv_cursor *cursor = &worker->walk.cursor;
    const kan_csv_source *source = writer->source;
    const uint64_t at = writer->row_at[row];
    const uint64_t end = row + 1 < source->n_rows ? writer->row_at[row + 1] : source->data_end;
    KAN_TRY(kan_window_take(&worker->walk.window, &source->stream, at, end));
    kan_csv_walk_show(&worker->walk, worker->walk.window.bytes, at, end - at);
    cursor->at = 0;
    KAN_TRY(kan_csv_cursor_next(cursor));
    if (cursor->problem.fault != KAN_CSV_FINE || cursor->n_fields != writer->source->n_columns)
        return fail_changed(writer);
    size_t out = 0;
    for (size_t i = 0; i < cursor->n_fields; i++)
        if (writer->is_located[i])
            cursor->raw[out++] = cursor->raw[i];
    return KAN_OK;
}

/* A range of rows, in the order of the release. */
static kan_status put_range(writing *writer, writer_worker *worker, size_t task) {
    const kan_release *release = writer->release;
    uint64_t first = (uint64_t)task * ROWS_PER_TASK, left = release->n_rows - first;
    uint64_t end = first + (left < ROWS_PER_TASK ? left : ROWS_PER_TASK);
    for (uint64_t i = first; i < end; i++) {
        uint64_t row = release->order ? release->order[i] : i;
        if (writer->n_located)
            KAN_TRY(find_row(writer, worker, row));
        KAN_TRY(put_row(writer, worker, row, worker->walk.cursor.raw));
    }
    if (!release->order)
        drop_rows(writer, first, end - first);
    return KAN_OK;
}

/* ---- in turn -------------------------------------------------------------------------------- */

/* Wakes everybody who waits for this task's turn: it will not come. */
static kan_status give_up(writing *writer, size_t task, kan_status status) {
    pthread_mutex_lock(&writer->lock);
    if (writer->failure == KAN_OK || task < writer->failed) {
        writer->failure = status;
        writer->failed = task;
    }
    pthread_cond_broadcast(&writer->turn_passed);
    pthread_mutex_unlock(&writer->lock);
    return status;
}

/* Waits until the tasks before this one have written. A task before it that never started because
 * the run was cancelled wakes nobody, so the flag is looked at now and then. */
static kan_status await_turn(writing *writer, size_t task) {
    kan_status status = KAN_OK;
    pthread_mutex_lock(&writer->lock);
    while (writer->turn != task && !(writer->failure != KAN_OK && writer->failed < task) &&
           !kan_run_is_cancelled(writer->run)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 20000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&writer->turn_passed, &writer->lock, &until);
    }
    if (writer->turn != task)
        status =
            writer->failure != KAN_OK && writer->failed < task ? writer->failure : KAN_CANCELLED;
    pthread_mutex_unlock(&writer->lock);
    return status == KAN_CANCELLED ? kan_check_cancel(writer->run) : status;
}

static void pass_turn(writing *writer) {
    pthread_mutex_lock(&writer->lock);
    writer->turn++;
    pthread_cond_broadcast(&writer->turn_passed);
    pthread_mutex_unlock(&writer->lock);
}

/* What only the task whose turn it is does. */
static kan_status take_turn(writing *writer, const writer_worker *worker, kan_place *place) {
    writer->n_written += worker->n_rows;
    if (worker->used == 0)
        return KAN_OK;
    if (writer->has_places)
        return kan_target_take(writer->target, worker->used, place);
    kan_parallel_queue(writer->run, true);
    const kan_status status = put_records(writer, worker->bytes, worker->used);
    kan_parallel_queue(writer->run, false);
    return status;
}

static kan_status write_task(void *context, size_t task, unsigned index) {
    writing *writer = context;
    writer_worker *worker = &writer->workers[index];
    bool by_block = writer->n_located && !writer->release->order;
    kan_place place;
    worker->used = 0;
    worker->n_rows = 0;
    kan_status status =
        by_block ? put_block(writer, worker, task) : put_range(writer, worker, task);
    if (status != KAN_OK)
        return give_up(writer, task, status);
    KAN_TRY(await_turn(writer, task));
    status = take_turn(writer, worker, &place);
    if (status != KAN_OK)
        return give_up(writer, task, status);
    kan_report_progress(writer->run, "write", task + 1, writer->n_tasks);
    pass_turn(writer);
    if (writer->has_places && worker->used > 0)
        status = kan_target_fill(writer->target, &place, worker->bytes);
    return status == KAN_OK ? KAN_OK : give_up(writer, task, status);
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* Where each row begins: where its first field does. */
static kan_status place_task(void *context, size_t task, unsigned index) {
    writing *writer = context;
    kan_csv_walk *walk = &writer->workers[index].walk;
    const kan_csv_block *block = &writer->source->blocks[task];
    walk->is_located = writer->is_first;
    KAN_TRY(kan_csv_show_block(writer->source, writer->source->blocks, writer->source->n_blocks,
                               task, walk));
    KAN_TRY(kan_csv_walk_block(walk, block));
    if (walk->n_rows != block->n_rows || walk->n_problems)
        return fail_changed(writer);
    for (size_t i = 0; i < block->n_rows; i++)
        writer->row_at[block->first_row + i] = walk->base + walk->places[i].start;
    return KAN_OK;
}

static kan_status place_rows(writing *writer) {
    KAN_TRY(
        kan_alloc(writer->run, writer->release->n_rows, sizeof *writer->row_at, &writer->row_at));
    return kan_parallel(writer->run, writer->source->n_blocks, place_task, writer);
}

static kan_status choose_located(writing *writer) {
    const kan_release *release = writer->release;
    const kan_csv_source *source = writer->source;
    bool any_passes = false;
    for (size_t i = 0; i < release->n_columns; i++)
        any_passes |= release->columns[i].passes_through;
    if (!any_passes)
        return KAN_OK;
    if (!source || source->n_rows != release->n_rows)
        return kan_fail(writer->run, KAN_FAILED,
                        "columns pass through, but their source was not read or has other rows");
    KAN_TRY(kan_alloc_zero(writer->run, source->n_columns + 1, 1, &writer->is_located));
    KAN_TRY(kan_alloc_zero(writer->run, source->n_columns + 1, 1, &writer->is_first));
    writer->is_first[0] = true;
    for (size_t i = 0; i < release->n_columns; i++)
        if (release->columns[i].passes_through)
            writer->is_located[release->columns[i].source_column] = true;
    for (size_t c = 0; c < source->n_columns; c++)
        writer->n_located += writer->is_located[c];
    for (size_t i = 0; i < release->n_columns; i++)
        for (size_t c = 0; c < release->columns[i].source_column; c++)
            writer->columns[i].place += writer->is_located[c];
    return KAN_OK;
}

static kan_status make_workers(writing *writer) {
    writer->n_workers = kan_run_threads(writer->run);
    KAN_TRY(
        kan_alloc_zero(writer->run, writer->n_workers, sizeof *writer->workers, &writer->workers));
    for (unsigned w = 0; w < writer->n_workers; w++) {
        const kan_csv_source *source = writer->source;
        kan_csv_walk *walk = &writer->workers[w].walk;
        kan_csv_walk_init(walk, writer->run, source ? source->separator : ',',
                          source ? source->n_columns : 1);
        /* With another order the walk finds where rows begin, and nothing else. */
        walk->n_wanted = writer->release->order ? 1 : writer->n_located;
    }
    return KAN_OK;
}

/* What rendering the largest task may take, while its buffer grows. */
static uint64_t most_bytes(const writing *writer) {
    const uint64_t by_row = writer->widest_row + SHORT_LABEL + 4 * writer->n_located;
    const bool by_block = writer->n_located && !writer->release->order;
    uint64_t most = by_row * 2 * ROWS_PER_TASK;
    for (size_t i = 0; by_block && i < writer->source->n_blocks; i++) {
        const kan_csv_block *block = &writer->source->blocks[i];
        const uint64_t text = block->n_rows * by_row + (block->end - block->begin);
        const uint64_t places = block->n_rows * writer->n_located * sizeof(kan_csv_field);
        most = 2 * (text + places) > most ? 2 * (text + places) : most;
    }
    return most;
}

/* All tasks, each by a thread; one after the other where the budget has no room for as many buffers
 * as there are threads: whether a job fails must not depend on which thread is quicker. */
static kan_status run_tasks(writing *writer) {
    const uint64_t most = writer->widest_row * writer->release->n_rows;
    writer->has_places = most >= LARGE_BYTES && kan_target_has_places(writer->target);
    if (kan_run_memory_left(writer->run) / writer->n_workers >= most_bytes(writer))
        return kan_parallel(writer->run, writer->n_tasks, write_task, writer);
    for (size_t task = 0; task < writer->n_tasks; task++) {
        KAN_TRY(kan_check_cancel(writer->run));
        KAN_TRY(write_task(writer, task, 0));
    }
    return KAN_OK;
}

static kan_status write_rows(writing *writer) {
    const kan_release *release = writer->release;
    if (writer->n_located && release->order)
        KAN_TRY(place_rows(writer));
    writer->n_tasks = writer->n_located && !release->order
                          ? writer->source->n_blocks
                          : (size_t)((release->n_rows + ROWS_PER_TASK - 1) / ROWS_PER_TASK);
    KAN_TRY(run_tasks(writer));
    kan_report_progress(writer->run, "write", writer->n_tasks, writer->n_tasks);
    if (writer->n_written != release->n_released)
        return kan_fail(writer->run, KAN_FAILED,
                        "%llu rows were written and %llu expected; the release was discarded",
                        (unsigned long long)writer->n_written,
                        (unsigned long long)release->n_released);
    return writer->n_located ? kan_stream_check_unchanged(&writer->source->stream) : KAN_OK;
}

static kan_status make_columns(writing *writer) {
    const kan_release *release = writer->release;
    KAN_TRY(
        kan_alloc_zero(writer->run, release->n_columns, sizeof *writer->columns, &writer->columns));
    for (size_t i = 0; i < release->n_columns; i++) {
        kan_text_init(&writer->columns[i].text, writer->run);
        writer->columns[i].column = &release->columns[i];
    }
    KAN_TRY(choose_located(writer));
    for (size_t i = 0; i < release->n_columns; i++)
        KAN_TRY(write_labels(writer, i));
    return KAN_OK;
}

static void writer_free(writing *writer) {
    kan_run *run = writer->run;
    for (size_t i = 0; writer->columns && i < writer->release->n_columns; i++) {
        kan_text_destroy(&writer->columns[i].text);
        kan_free(run, writer->columns[i].labels);
        kan_free(run, writer->columns[i].is_formula);
    }
    for (unsigned w = 0; writer->workers && w < writer->n_workers; w++) {
        kan_csv_walk_destroy(&writer->workers[w].walk);
        kan_free(run, writer->workers[w].bytes);
    }
    kan_free(run, writer->columns);
    kan_free(run, writer->workers);
    kan_free(run, writer->is_located);
    kan_free(run, writer->is_first);
    kan_free(run, writer->row_at);
    kan_csv_lost_destroy(&writer->lost);
    pthread_cond_destroy(&writer->turn_passed);
    pthread_mutex_destroy(&writer->lock);
}

static kan_status write_release(writing *writer) {
    KAN_TRY(make_columns(writer));
    KAN_TRY(make_workers(writer));
    KAN_TRY(write_header(writer));
    KAN_TRY(write_rows(writer));
    return kan_csv_lost_check(&writer->lost);
}

static void sum_formulas(const writing *writer, kan_formulas *out) {
    size_t first = SIZE_MAX;
    for (unsigned w = 0; w < writer->n_workers; w++) {
        const writer_worker *worker = &writer->workers[w];
        out->n += worker->n_formulas;
        if (worker->n_formulas > 0 && worker->formula_column < first)
            first = worker->formula_column;
    }
    if (first != SIZE_MAX)
        out->column = writer->release->columns[first].name;
}

kan_status kan_csv_write(kan_run *run, const kan_release *release, kan_csv_source *source,
                         char separator, kan_target *target, kan_formulas *formulas) {
    KAN_TRY(kan_csv_check_separator(run, separator));
    writing writer = {.run = run,
                      .release = release,
                      .source = source,
                      .separator = separator ? separator : ',',
                      .target = target};
    kan_csv_lost_init(&writer.lost, run, release, kan_target_encoding(target), writer.separator);
    pthread_mutex_init(&writer.lock, NULL);
    pthread_cond_init(&writer.turn_passed, NULL);
    const kan_status status = write_release(&writer);
    if (status == KAN_OK)
        sum_formulas(&writer, formulas);
    writer_free(&writer);
    return status;
}
