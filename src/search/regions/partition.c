/* All regions of a space.
 *
 * Large regions are cut in rounds, all of them at once, each by one thread; what is left is small,
 * and each piece is then cut to the end by one thread. Which regions count as large is a matter of
 * the table, not of the threads; regions stand in the order of their records, the first part of a
 * cut before the second. So the result is the same on any number of threads. */
#include <string.h>

#include "core/pool.h"
#include "search/regions/partition.h"

enum { PIECES = 64, SMALL = 1024 }; /* regions of less than 1 / PIECES of all, or SMALL records */

typedef struct {
    const kan_partition_space *space;
    kan_partition_worker *workers;
    kan_partition_regions regions; /* so far, in order */
    /* What the tasks of a round made of their regions. */
    size_t *tasks; /* numbers of regions */
    kan_partition_regions *made;
    size_t n_tasks;
} partition;

static kan_status cut_region(kan_partition_worker *worker, kan_partition_region region,
                             kan_partition_regions *out) {
    kan_partition_cut cut;
    KAN_TRY(kan_partition_choose(worker, &region, &cut));
    if (cut.n_parts > 0)
        return kan_partition_split(worker, &region, &cut, out);
    region.is_final = true;
    return kan_partition_regions_add(worker->space->run, out, &region);
}

static kan_status cut_once(void *context, size_t task, unsigned worker) {
    partition *p = context;
    return cut_region(&p->workers[worker], p->regions.regions[p->tasks[task]], &p->made[task]);
}

/* First parts are cut first, so that final regions come in order. */
static kan_status cut_to_the_end(void *context, size_t task, unsigned worker) {
    partition *p = context;
    kan_partition_worker *w = &p->workers[worker];
    kan_run *run = p->space->run;
    kan_partition_regions *stack = &w->stack;
    if (!p->space->question->problem->is_unfolded) /* there, pieces are counted */
        kan_report_progress(run, "search", task, p->n_tasks);
    stack->n = 0;
    KAN_TRY(kan_partition_regions_add(run, stack, &p->regions.regions[p->tasks[task]]));
    for (unsigned i = 0; stack->n > 0; i++) {
        const kan_partition_region region = stack->regions[--stack->n];
        if (i % 256 == 0)
            KAN_TRY(kan_check_cancel(run));
        if (region.is_final) {
            KAN_TRY(kan_partition_regions_add(run, &p->made[task], &region));
            continue;
        }
        w->found.n = 0;
        KAN_TRY(cut_region(w, region, &w->found));
        for (size_t part = w->found.n; part-- > 0;)
            KAN_TRY(kan_partition_regions_add(run, stack, &w->found.regions[part]));
    }
    return KAN_OK;
}

/* The regions that a round cuts: those that are not final and have more than `most` records. */
static kan_status list_tasks(partition *p, size_t most) {
    kan_run *run = p->space->run;
    p->n_tasks = 0;
    KAN_TRY(kan_resize(run, p->regions.n, sizeof *p->tasks, &p->tasks));
    for (size_t i = 0; i < p->regions.n; i++)
        if (!p->regions.regions[i].is_final && p->regions.regions[i].n > most)
            p->tasks[p->n_tasks++] = i;
    return p->n_tasks > 0 ? kan_alloc_zero(run, p->n_tasks, sizeof *p->made, &p->made) : KAN_OK;
}

/* Puts what the tasks made in the place of their regions. */
static kan_status take_made(partition *p) {
    kan_run *run = p->space->run;
    kan_partition_regions next = {.n = 0};
    kan_status status = KAN_OK;
    size_t n = p->regions.n;
    for (size_t t = 0; t < p->n_tasks; t++)
        n += p->made[t].n;
    KAN_TRY(kan_reserve(run, n, sizeof *next.regions, &next.capacity, &next.regions));
    for (size_t i = 0, t = 0; i < p->regions.n && status == KAN_OK; i++) {
        if (t == p->n_tasks || p->tasks[t] != i) {
            next.regions[next.n++] = p->regions.regions[i];
            continue;
        }
        for (size_t j = 0; j < p->made[t].n; j++)
            next.regions[next.n++] = p->made[t].regions[j];
        t++;
    }
    kan_free(run, p->regions.regions);
    p->regions = next;
    return status;
}

static void free_made(partition *p) {
    for (size_t t = 0; p->made && t < p->n_tasks; t++)
        kan_free(p->space->run, p->made[t].regions);
    kan_free(p->space->run, p->made);
    p->made = NULL;
}

static kan_status run_round(partition *p, size_t most, kan_task_fn task) {
    KAN_TRY(list_tasks(p, most));
    if (p->n_tasks == 0)
        return KAN_OK;
    kan_status status = kan_parallel(p->space->run, p->n_tasks, task, p);
    if (status == KAN_OK)
        status = take_made(p);
    free_made(p);
    return status;
}

kan_status kan_partition_root(kan_partition_worker *worker, kan_partition_region *out) {
    const kan_partition_space *space = worker->space;
    *out = (kan_partition_region){
        .n = space->n_records, .room = space->room, .n_rows = space->question->problem->n_rows};
    if (space->is_tight)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(&worker->boxes, space->n_dimensions, sizeof *out->box, &out->box));
    for (unsigned d = 0; d < space->n_dimensions; d++) {
        const kan_partition_dimension *dimension = &space->dimensions[d];
        out->box[d] = dimension->cutting == KAN_PARTITION_TREE
                          ? (kan_partition_bound){dimension->hierarchy->height, 0}
                          : (kan_partition_bound){0, dimension->n_places - 1};
    }
    return KAN_OK;
}

static kan_status cut_all(partition *p, const kan_partition_region *roots, size_t n_roots) {
    size_t n_records = 0;
    for (size_t i = 0; i < n_roots; i++) {
        n_records += roots[i].n;
        KAN_TRY(kan_partition_regions_add(p->space->run, &p->regions, &roots[i]));
    }
    const size_t piece = n_records / PIECES, most = piece > SMALL ? piece : SMALL;
    do {
        KAN_TRY(run_round(p, most, cut_once));
    } while (p->n_tasks > 0);
    return run_round(p, 0, cut_to_the_end);
}

kan_status kan_partition(const kan_partition_space *space, kan_partition_worker *workers,
                         const kan_partition_region *roots, size_t n_roots,
                         kan_partition_regions *out) {
    partition p = {.space = space, .workers = workers};
    kan_status status = cut_all(&p, roots, n_roots);
    kan_free(space->run, p.tasks);
    if (status == KAN_OK)
        *out = p.regions;
    else
        kan_free(space->run, p.regions.regions);
    return status;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Every root must hold by itself: no row goes from one to another. */
static kan_status all_hold(kan_partition_worker *worker, const kan_partition_regions *roots,
                           bool *out) {
    *out = true;
    for (size_t i = 0; i < roots->n && *out; i++)
        KAN_TRY(kan_partition_holds(worker, &roots->regions[i], out));
    return KAN_OK;
}

/* With pasts, whoever cannot be in any region leaves; then all roots hold. */
static kan_status check_roots(const kan_partition_space *space, kan_partition_worker *worker,
                              kan_partition_regions *roots, kan_partition_lost *lost, bool *out) {
    if (!space->question->problem->has_pasts)
        return all_hold(worker, roots, out);
    KAN_TRY(kan_partition_pasts_leave(space, roots, lost));
    *out = roots->n > 0 && lost->n_rows <= space->question->promise->limit;
    return KAN_OK;
}

static kan_status search_folded(const kan_partition_space *space, kan_partition_worker *workers,
                                kan_partition_shower *shower, kan_partition_lost *lost,
                                bool *is_found) {
    kan_partition_regions roots = {.n = 0}, regions = {.n = 0};
    kan_partition_region root;
    kan_status status;
    KAN_TRY(kan_partition_root(&workers[0], &root));
    KAN_TRY_DONE(kan_partition_cut_at_levels(&workers[0], &root, &roots));
    KAN_TRY_DONE(check_roots(space, &workers[0], &roots, lost, is_found));
    if (*is_found) {
        KAN_TRY_DONE(kan_partition(space, workers, roots.regions, roots.n, &regions));
        KAN_TRY_DONE(kan_partition_shower_add(shower, space, &regions));
        KAN_TRY_DONE(kan_partition_shower_lose(shower, lost));
    }
done:
    kan_free(space->run, roots.regions);
    kan_free(space->run, regions.regions);
    return status;
}

static kan_status search_space(kan_partition_space *space, kan_answer *out) {
    kan_status status;
    kan_run *run = space->run;
    const unsigned n_workers = kan_run_threads(run);
    kan_partition_shower *shower = NULL;
    kan_partition_worker *workers = NULL;
    kan_partition_lost lost = {.n = 0};
    bool is_found = false;
    if (space->question->problem->is_unfolded && kan_partition_has_levels(space))
        return kan_fail(run, KAN_FAILED,
                        "--level: a highest level needs the table in memory, and --memory is too "
                        "small for that; allow more, or leave --level out");
    KAN_TRY_DONE(kan_partition_shower_create(space, &shower));
    KAN_TRY_DONE(kan_alloc_zero(run, n_workers, sizeof *workers, &workers));
    for (unsigned i = 0; i < n_workers; i++)
        KAN_TRY_DONE(kan_partition_worker_make(space, &workers[i]));
    KAN_TRY_DONE(space->question->problem->is_unfolded
                     ? kan_partition_large(space, workers, shower, &is_found)
                     : search_folded(space, workers, shower, &lost, &is_found));
    out->least_suppressed = lost.n_rows;
    if (is_found) {
        out->is_found = true;
        out->recoding.type = space->is_relaxed ? KAN_RECODING_SHARED : KAN_RECODING_REGIONS;
        out->recoding.n_attributes = space->n_dimensions;
        out->recoding.regions = kan_partition_shower_take(shower);
    }
done:
    for (unsigned i = 0; workers && i < n_workers; i++)
        kan_partition_worker_destroy(&workers[i]);
    kan_free(run, workers);
    kan_free(run, lost.tuples);
    kan_partition_shower_destroy(shower);
    return status;
}

kan_status kan_partition_search(kan_run *run, const kan_question *question, bool is_relaxed,
                                kan_answer *out) {
    kan_partition_space space;
    memset(out, 0, sizeof *out);
    kan_status status = kan_partition_space_make(run, question, is_relaxed, &space);
    if (status == KAN_OK) {
        kan_partition_space_note(&space);
        status = search_space(&space, out);
    }
    kan_partition_space_destroy(&space);
    return status;
}
