/* A partition of more rows than fit into memory (mondrian-greedy.txt 2.3.1).
 *
 * The rows are written as records, one each, to an array on disk (core/spill.h). A region that is
 * too large for memory is read once, for its frequency sets, from which its cut is chosen, and once
 * more to be written as two runs, or more, to a second array: two reads and one write for each
 * level of the tree. A region that fits is taken into memory and cut there to the end. Regions come
 * in the order of the tree, and each cut follows from the rows of its region alone: the result is
 * what it would be in memory. */
#include <string.h>

#include "core/pool.h"
#include "core/spill.h"
#include "core/text.h"
#include "search/regions/partition.h"

enum {
    CHUNK = 1 << 16,    /* records of a task */
    WINDOW = 1 << 22,   /* bytes that are written before they leave memory */
    SHARE_OF_MEMORY = 8 /* a piece and what cutting it needs stay below what is left */
};

typedef struct {
    kan_partition_region region;
    unsigned file;
} run_on_disk;

typedef struct {
    kan_partition_space *space;
    kan_partition_worker *workers;
    unsigned n_workers;
    kan_partition_shower *shower;
    unsigned char *files[2];
    const uint32_t *place_of[KAN_MAX_FIELDS]; /* by lane */
    struct kan_partition_summary **summaries; /* by worker */
    run_on_disk *stack;
    size_t n_stack, stack_room;
    size_t most; /* records of a piece */
    unsigned char *piece;
    uint64_t n_done;
    const run_on_disk *at; /* that is read */
    kan_arena *boxes;      /* by worker: those of runs, while a piece is cut */
    kan_arena arena;
} large;

static unsigned char *record_at(const large *l, unsigned file, size_t i) {
    return l->files[file] + i * l->space->stride;
}

/* ---- from rows to records -------------------------------------------------------------------- */

static kan_status map_codes(large *l) {
    const kan_problem *problem = l->space->question->problem;
    for (unsigned d = 0; d < l->space->n_dimensions; d++) {
        const kan_domain *domain = problem->domains[d];
        const uint32_t n = domain->hierarchy->n_codes;
        uint32_t *map;
        KAN_TRY(kan_arena_alloc(&l->arena, n, sizeof *map, &map));
        for (uint32_t code = 0; code < n; code++)
            map[code] = domain->place_of[domain->hierarchy->leaf_of[code]];
        l->place_of[d] = map;
    }
    for (unsigned t = 0; t < l->space->n_tails; t++)
        l->place_of[l->space->n_dimensions + t] =
            problem->space.dimensions[l->space->n_dimensions + t].value_of;
    return KAN_OK;
}

static size_t chunk_size(size_t n, size_t chunk) {
    return n - chunk * CHUNK < CHUNK ? n - chunk * CHUNK : CHUNK;
}

static kan_status write_chunk(void *context, size_t chunk, unsigned worker) {
    large *l = context;
    const size_t first = chunk * CHUNK, n = chunk_size(l->space->n_records, chunk);
    const kan_space *columns = &l->space->question->problem->space;
    unsigned char *to = record_at(l, 0, first);
    (void)worker;
    kan_partition_rows_make(l->space, l->place_of, first, n, to);
    kan_spill_done(l->space->run, to, n * l->space->stride);
    for (unsigned c = 0; c < columns->n_attributes + columns->n_tails; c++) {
        const kan_column *column = columns->dimensions[c].column;
        kan_spill_done(l->space->run, (const char *)column->codes + first * column->width,
                       n * column->width);
    }
    return KAN_OK;
}

static kan_status write_records(large *l) {
    kan_run *run = l->space->run;
    const size_t n = l->space->n_records;
    char bytes[32];
    kan_note(run,
             "the table does not fit into --memory: it is partitioned on disk, in %s of "
             "temporary files",
             kan_bytes_text(2 * (uint64_t)n * l->space->stride, bytes));
    KAN_TRY(map_codes(l));
    KAN_TRY(kan_spill_alloc(run, n, l->space->stride, &l->files[0]));
    KAN_TRY(kan_spill_alloc(run, n, l->space->stride, &l->files[1]));
    return kan_parallel(run, (n + CHUNK - 1) / CHUNK, write_chunk, l);
}

/* ---- one read: frequency sets ---------------------------------------------------------------- */

static kan_status summarize_chunk(void *context, size_t chunk, unsigned worker) {
    large *l = context;
    const size_t n = chunk_size(l->at->region.n, chunk);
    const unsigned char *from = record_at(l, l->at->file, l->at->region.first + chunk * CHUNK);
    kan_partition_summary_add(l->summaries[worker], from, n);
    kan_spill_done(l->space->run, from, n * l->space->stride);
    return KAN_OK;
}

static kan_status summarize(large *l, const run_on_disk *at) {
    l->at = at;
    for (unsigned i = 0; i < l->n_workers; i++)
        kan_partition_summary_clear(l->summaries[i]);
    KAN_TRY(kan_parallel(l->space->run, (at->region.n + CHUNK - 1) / CHUNK, summarize_chunk, l));
    for (unsigned i = 1; i < l->n_workers; i++)
        kan_partition_summary_join(l->summaries[0], l->summaries[i]);
    return KAN_OK;
}

/* ---- another read and a write: runs ---------------------------------------------------------- */

/* Where a part is written. */
typedef struct {
    unsigned char *to, *kept; /* what lies before `kept` has left memory */
    size_t n;
    uint32_t place; /* one that it has */
} part_run;

static unsigned part_of(const kan_partition_worker *worker, const kan_partition_cut *cut,
                        uint32_t place) {
    return cut->by_side ? worker->side[place] : place > cut->place;
}

/* The runs of the parts follow each other in the other array, where the region stands in this. */
static void lay_out_runs(large *l, const run_on_disk *at, const kan_partition_cut *cut,
                         part_run *runs) {
    const kan_partition_worker *worker = &l->workers[0];
    const kan_partition_counts *counts = &worker->counts;
    for (uint32_t i = 0; i < counts->n; i++) {
        part_run *part = &runs[part_of(worker, cut, counts->place[i])];
        part->n += (size_t)counts->rows[i];
        part->place = counts->place[i];
    }
    size_t first = at->region.first;
    for (unsigned p = 0; p < cut->n_parts; p++) {
        runs[p].to = runs[p].kept = record_at(l, !at->file, first);
        first += runs[p].n;
    }
}

static void keep_little(large *l, part_run *part) {
    if (part->to - part->kept < WINDOW)
        return;
    kan_spill_done(l->space->run, part->kept, (size_t)(part->to - part->kept));
    part->kept = part->to;
}

static kan_status write_runs(large *l, const run_on_disk *at, const kan_partition_cut *cut,
                             part_run *runs) {
    const kan_partition_space *space = l->space;
    const kan_partition_worker *worker = &l->workers[0];
    for (size_t chunk = 0; chunk * CHUNK < at->region.n; chunk++) {
        const size_t n = chunk_size(at->region.n, chunk);
        const unsigned char *first = record_at(l, at->file, at->region.first + chunk * CHUNK);
        const unsigned char *from = first;
        for (size_t i = 0; i < n; i++, from += space->stride) {
            part_run *part = &runs[part_of(
                worker, cut, kan_partition_lane(from, space->is_wide, cut->dimension))];
            memcpy(part->to, from, space->stride);
            part->to += space->stride;
        }
        kan_spill_done(space->run, first, n * space->stride);
        for (unsigned p = 0; p < cut->n_parts; p++)
            keep_little(l, &runs[p]);
        KAN_TRY(kan_check_cancel(space->run));
    }
    return KAN_OK;
}

static kan_status push(large *l, const run_on_disk *at) {
    KAN_TRY(
        kan_reserve(l->space->run, l->n_stack + 1, sizeof *l->stack, &l->stack_room, &l->stack));
    l->stack[l->n_stack++] = *at;
    return KAN_OK;
}

/* The last part first: the first one is then taken next. */
static kan_status push_parts(large *l, const run_on_disk *at, const kan_partition_cut *cut,
                             const part_run *runs) {
    size_t end = at->region.first + at->region.n;
    for (unsigned p = cut->n_parts; p-- > 0;) {
        run_on_disk part = {.file = !at->file};
        end -= runs[p].n;
        part.region = (kan_partition_region){
            .first = end, .n = runs[p].n, .room = runs[p].n, .n_rows = runs[p].n};
        KAN_TRY(kan_partition_box(&l->workers[0], &at->region, cut, runs[p].place, p == 0,
                                  &part.region));
        KAN_TRY(push(l, &part));
    }
    return KAN_OK;
}

static kan_status split(large *l, const run_on_disk *at, const kan_partition_cut *cut) {
    kan_run *run = l->space->run;
    part_run *runs;
    KAN_TRY(kan_partition_count(&l->workers[0], &at->region, cut->dimension));
    KAN_TRY(kan_alloc_zero(run, cut->n_parts, sizeof *runs, &runs));
    lay_out_runs(l, at, cut, runs);
    kan_status status = write_runs(l, at, cut, runs);
    if (status == KAN_OK)
        status = push_parts(l, at, cut, runs);
    kan_free(run, runs);
    return status;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Regions of records that the workers are to see. */
static kan_status show(large *l, const kan_partition_space *seen,
                       const kan_partition_regions *regions) {
    KAN_TRY(kan_partition_shower_add(l->shower, seen, regions));
    for (size_t r = 0; r < regions->n; r++)
        l->n_done += regions->regions[r].n_rows;
    kan_report_units(l->space->run, "search", "rows", l->n_done, l->space->n_records);
    return KAN_OK;
}

static kan_status cut_piece(large *l, const kan_partition_space *seen,
                            const kan_partition_region *root) {
    kan_partition_regions regions = {.n = 0};
    KAN_TRY(kan_partition(seen, l->workers, root, 1, &regions));
    kan_status status = show(l, seen, &regions);
    kan_free(l->space->run, regions.regions);
    return status;
}

/* Boxes of a piece are needed until it is shown. */
static kan_status take_piece(large *l, const run_on_disk *at) {
    kan_run *run = l->space->run;
    kan_partition_space seen = *l->space;
    kan_partition_region root = at->region;
    const size_t bytes = root.n * seen.stride;
    kan_status status = KAN_OK;
    for (size_t first = 0; first < bytes; first += WINDOW) {
        const unsigned char *from = record_at(l, at->file, root.first) + first;
        const size_t n = bytes - first < WINDOW ? bytes - first : WINDOW;
        memcpy(l->piece + first, from, n);
        kan_spill_done(run, from, n);
    }
    seen.records = l->piece;
    seen.n_records = root.n;
    root.first = 0;
    for (unsigned i = 0; i < l->n_workers; i++) {
        l->boxes[i] = l->workers[i].boxes;
        kan_arena_init(&l->workers[i].boxes, run);
        l->workers[i].space = &seen;
    }
    status = cut_piece(l, &seen, &root);
    for (unsigned i = 0; i < l->n_workers; i++) {
        kan_arena_destroy(&l->workers[i].boxes);
        l->workers[i].boxes = l->boxes[i];
        l->workers[i].space = l->space;
    }
    return status;
}

/* A region that is too large for memory, and has no cut. */
static kan_status show_as_it_is(large *l, const run_on_disk *at) {
    kan_partition_space seen = *l->space;
    kan_partition_region region = at->region;
    const kan_partition_regions regions = {.n = 1, .regions = &region};
    seen.records = l->files[at->file];
    region.is_final = true;
    return show(l, &seen, &regions);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static kan_status cut_run(large *l, const run_on_disk *at, bool is_root, bool *is_found) {
    kan_partition_worker *worker = &l->workers[0];
    kan_partition_cut cut = {.n_parts = 0};
    KAN_TRY(summarize(l, at));
    worker->summary = l->summaries[0];
    kan_status status = KAN_OK;
    if (is_root) {
        kan_partition_look(worker, &at->region);
        status = kan_partition_count(worker, &at->region, 0);
        if (status == KAN_OK)
            status = kan_partition_holds(worker, &at->region, is_found);
    }
    if (status == KAN_OK && *is_found && (at->region.n > l->most))
        status = kan_partition_choose(worker, &at->region, &cut);
    if (status == KAN_OK && cut.n_parts > 0)
        status = split(l, at, &cut);
    worker->summary = NULL;
    if (status != KAN_OK || !*is_found || cut.n_parts > 0)
        return status;
    return at->region.n > l->most ? show_as_it_is(l, at) : take_piece(l, at);
}

static kan_status cut_all(large *l, bool *is_found) {
    run_on_disk at = {.file = 0};
    KAN_TRY(kan_partition_root(&l->workers[0], &at.region));
    *is_found = true;
    KAN_TRY(cut_run(l, &at, true, is_found));
    while (l->n_stack > 0) {
        at = l->stack[--l->n_stack];
        KAN_TRY(kan_check_cancel(l->space->run));
        KAN_TRY(at.region.n > l->most ? cut_run(l, &at, false, is_found) : take_piece(l, &at));
    }
    return KAN_OK;
}

static kan_status begin(large *l) {
    kan_run *run = l->space->run;
    KAN_TRY(kan_alloc_zero(run, l->n_workers, sizeof *l->boxes, &l->boxes));
    KAN_TRY(kan_alloc_zero(run, l->n_workers, sizeof *l->summaries, &l->summaries));
    for (unsigned i = 0; i < l->n_workers; i++)
        KAN_TRY(kan_partition_summary_make(l->space, &l->summaries[i]));
    KAN_TRY(write_records(l));
    const uint64_t left = kan_run_memory_left(run) / SHARE_OF_MEMORY / l->space->stride;
    l->most = left > l->space->n_records ? l->space->n_records : (size_t)left;
    return kan_alloc(run, l->most, l->space->stride, &l->piece);
}

kan_status kan_partition_large(kan_partition_space *space, kan_partition_worker *workers,
                               kan_partition_shower *shower, bool *is_found) {
    kan_run *run = space->run;
    large l = {
        .space = space, .workers = workers, .n_workers = kan_run_threads(run), .shower = shower};
    if (space->is_relaxed)
        return kan_fail(
            run, KAN_BAD_INPUT,
            "mondrian-relaxed needs all distinct tuples in memory: give more --memory, "
            "or use --algorithm mondrian, which does not, without --recoding relaxed-regions");
    kan_arena_init(&l.arena, run);
    kan_status status = begin(&l);
    if (status == KAN_OK)
        status = cut_all(&l, is_found);
    for (unsigned i = 0; l.summaries && i < l.n_workers; i++)
        kan_partition_summary_destroy(l.summaries[i]);
    kan_free(run, l.summaries);
    kan_free(run, l.boxes);
    kan_free(run, l.files[0]);
    kan_free(run, l.files[1]);
    kan_free(run, l.stack);
    kan_free(run, l.piece);
    kan_arena_destroy(&l.arena);
    return status;
}
