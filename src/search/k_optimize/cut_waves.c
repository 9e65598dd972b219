/* Waves: a heap of open nodes, tasks for the threads, and the proven bound. */
#include "search/k_optimize/cut_waves.h"

#include <stdlib.h>
#include <string.h>

#include "core/pool.h"
#include "search/k_optimize/cut_tree.h"

enum {
    MOST_TASKS = 16, /* of a wave */
    /* Tuples that a task may look at in the first wave; doubled up to the next. */
    FIRST_WORK = 1 << 18,
    MOST_WORK = 3 << 19,
    /* With an axis it takes long to begin: states that a task looks at in any case, but not in the
     * first waves, and open nodes for which what is known of spans is kept. */
    LEAST_STATES = 4,
    MOST_LOWER = 1024,
    MANY_OPEN = 4096 /* open nodes: then tasks may look at more */
};

typedef struct {
    kan_cut_open node;
    uint64_t number; /* of its opening: equal bounds are taken in that order */
} waiting;

typedef struct {
    const kan_cut_waves_plan *plan;
    kan_cut_record *record;
    kan_run *run;
    size_t n_waiting, room;
    waiting *heap;
    uint64_t n_opened, n_states, n_work;
    unsigned n_trees;
    kan_cut_tree **trees; /* by thread; made when they are needed */
    kan_cut_task tasks[MOST_TASKS];
    kan_cut_open begun[MOST_TASKS]; /* where they began */
} waves;

/* ---- open nodes ----------------------------------------------------------------------------- */

static bool comes_before(const waiting *a, const waiting *b) {
    return a->node.bound != b->node.bound ? a->node.bound < b->node.bound : a->number < b->number;
}

static kan_status push(waves *w, kan_cut_open node) {
    KAN_TRY(kan_reserve(w->run, w->n_waiting + 1, sizeof *w->heap, &w->room, &w->heap));
    const waiting new = {node, w->n_opened++};
    size_t at = w->n_waiting++;
    for (; at > 0 && comes_before(&new, &w->heap[(at - 1) / 2]); at = (at - 1) / 2)
        w->heap[at] = w->heap[(at - 1) / 2];
    w->heap[at] = new;
    return KAN_OK;
}

static kan_cut_open pop(waves *w) {
    const kan_cut_open first = w->heap[0].node;
    const waiting last = w->heap[--w->n_waiting];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < w->n_waiting; at = child) {
        if (child + 1 < w->n_waiting && comes_before(&w->heap[child + 1], &w->heap[child]))
            child++;
        if (!comes_before(&w->heap[child], &last))
            break;
        w->heap[at] = w->heap[child];
    }
    w->heap[at] = last;
    return first;
}

/* ---- a wave --------------------------------------------------------------------------------- */

static uint64_t cost_to_beat(const waves *w) {
    const uint64_t found = w->record->is_found ? w->record->cost : UINT64_MAX;
    return found < w->plan->below ? found : w->plan->below;
}

static kan_status run_task(void *context, size_t task, unsigned worker) {
    waves *w = context;
    if (!w->trees[worker])
        KAN_TRY(kan_cut_tree_create(w->record->space, w->plan->limit, w->plan->axis,
                                    &w->trees[worker]));
    return kan_cut_tree_explore(w->trees[worker], &w->tasks[task]);
}

/* What the tasks found and left, in their order. */
static kan_status collect(waves *w, size_t n_tasks) {
    for (size_t i = 0; i < n_tasks; i++) {
        kan_cut_task *task = &w->tasks[i];
        w->n_states += task->n_states;
        w->n_work += task->n_work;
        w->record->n_states += task->n_states;
        if (task->is_better)
            KAN_TRY(kan_cut_record_offer(w->record, task->is_made, task->cost));
    }
    for (size_t i = 0; i < n_tasks; i++) {
        kan_cut_task *task = &w->tasks[i];
        while (task->n_open > 0) {
            kan_cut_open node = task->open[--task->n_open];
            kan_status status = KAN_OK;
            if (node.bound >= cost_to_beat(w) || (status = push(w, node)) != KAN_OK)
                kan_cut_open_destroy(w->run, &node);
            KAN_TRY(status);
        }
    }
    return KAN_OK;
}

/* The bound as far as it is proven: nothing open, and nothing found, costs less. */
static kan_status prove(waves *w) {
    kan_cut_record *record = w->record;
    while (w->n_waiting > 0 && w->heap[0].node.bound >= cost_to_beat(w)) {
        kan_cut_open node = pop(w);
        kan_cut_open_destroy(w->run, &node);
    }
    if (!w->plan->is_whole)
        return KAN_OK;
    uint64_t bound = cost_to_beat(w);
    if (w->n_waiting > 0 && w->heap[0].node.bound < bound)
        bound = w->heap[0].node.bound;
    return kan_cut_record_prove(record, bound);
}

static kan_status run_wave(waves *w, size_t n_tasks, uint64_t n_work_most) {
    for (size_t i = 0; i < n_tasks; i++) {
        kan_cut_task *task = &w->tasks[i];
        kan_cut_open_destroy(w->run, &w->begun[i]);
        w->begun[i] = pop(w);
        task->packed = w->begun[i].packed;
        task->lower = w->begun[i].lower;
        task->bound = w->begun[i].bound;
        task->best = cost_to_beat(w);
        task->n_states_most = w->plan->n_states > 0 ? w->plan->n_states : UINT64_MAX;
        task->n_work_most = n_work_most;
        task->n_states_least = w->plan->axis < 0        ? 0
                               : n_tasks < LEAST_STATES ? n_tasks
                                                        : LEAST_STATES;
        task->keeps_lower = w->n_waiting < MOST_LOWER;
    }
    kan_status status = kan_parallel(w->run, n_tasks, run_task, w);
    if (status == KAN_OK)
        status = collect(w, n_tasks);
    return status == KAN_OK ? prove(w) : status;
}

/* ---- all of them ---------------------------------------------------------------------------- */

static kan_status push_root(waves *w) {
    const kan_cut_space *space = w->record->space;
    kan_cut_open root = {.bound = w->record->bound};
    uint8_t *decision;
    KAN_TRY(kan_alloc(w->run, space->n_choices + (size_t)1, 1, &decision));
    for (unsigned c = 0; c < space->n_choices; c++)
        decision[c] = kan_cut_is_forced(space, c) ? KAN_CUT_MADE : KAN_CUT_OPEN;
    kan_status status = kan_cut_pack(space, decision, &root);
    kan_free(w->run, decision);
    KAN_TRY(status);
    status = push(w, root);
    if (status != KAN_OK)
        kan_cut_open_destroy(w->run, &root);
    return status;
}

static kan_status push_parts(waves *w, const kan_proof *from) {
    const kan_cut_space *space = w->record->space;
    for (size_t i = 0; i < from->n_open; i++) {
        kan_cut_open part = {.bound = from->bounds[i]};
        kan_status status = kan_cut_pack(space, from->decisions + i * space->n_choices, &part);
        if (status == KAN_OK && (status = push(w, part)) != KAN_OK)
            kan_cut_open_destroy(w->run, &part);
        KAN_TRY(status);
    }
    return prove(w);
}

static kan_status waves_begin(waves *w) {
    const kan_cut_space *space = w->record->space;
    w->n_trees = kan_run_threads(w->run);
    KAN_TRY(kan_alloc_zero(w->run, w->n_trees, sizeof *w->trees, &w->trees));
    for (size_t i = 0; i < MOST_TASKS; i++)
        KAN_TRY(kan_alloc(w->run, space->n_choices + (size_t)1, 1, &w->tasks[i].is_made));
    return w->plan->from ? push_parts(w, w->plan->from) : push_root(w);
}

static int by_turn(const void *a, const void *b) {
    return comes_before(a, b) ? -1 : comes_before(b, a);
}

/* What is open becomes parts of a proof, in the order in which it would be looked at. */
static kan_status list_open(waves *w, kan_proof *to) {
    const kan_cut_space *space = w->record->space;
    KAN_TRY(kan_proof_make(w->run, space->n_choices, w->n_waiting, to));
    if (w->n_waiting > 0)
        qsort(w->heap, w->n_waiting, sizeof *w->heap, by_turn); /* a sorted list is a heap */
    for (size_t i = 0; i < to->n_open; i++) {
        to->bounds[i] = w->heap[i].node.bound;
        kan_cut_unpack(space, w->heap[i].node.packed, to->decisions + i * space->n_choices);
    }
    return KAN_OK;
}

/* For a run that does not come to its end. */
static kan_status keep_proof(waves *w, double *last_ms) {
    const kan_cut_waves_plan *plan = w->plan;
    if (!plan->to || !plan->keep || kan_now_ms() - *last_ms < plan->keep_ms)
        return KAN_OK;
    kan_proof proof;
    kan_status status = list_open(w, &proof);
    if (status == KAN_OK)
        status = plan->keep(plan->keep_context, &proof);
    kan_proof_destroy(w->run, &proof);
    *last_ms = kan_now_ms();
    return status;
}

static void waves_end(waves *w) {
    for (unsigned i = 0; w->trees && i < w->n_trees; i++)
        kan_cut_tree_destroy(w->trees[i]);
    kan_free(w->run, w->trees);
    for (size_t i = 0; i < MOST_TASKS; i++) {
        kan_cut_task_destroy(w->run, &w->tasks[i]);
        kan_free(w->run, w->tasks[i].is_made);
        kan_cut_open_destroy(w->run, &w->begun[i]);
    }
    while (w->n_waiting > 0)
        kan_cut_open_destroy(w->run, &w->heap[--w->n_waiting].node);
    kan_free(w->run, w->heap);
}

kan_status kan_cut_waves_explore(const kan_cut_waves_plan *plan, kan_cut_record *record,
                                 bool *is_complete) {
    kan_status status;
    waves w = {.plan = plan, .record = record, .run = record->space->run};
    size_t most_tasks = 1;
    double kept_ms = kan_now_ms();
    uint64_t work = FIRST_WORK;
    *is_complete = false;
    KAN_TRY_DONE(waves_begin(&w));
    while (w.n_waiting > 0 && !kan_should_stop(w.run) &&
           (plan->n_states == 0 || w.n_states < plan->n_states) &&
           (plan->n_work == 0 || w.n_work < plan->n_work)) {
        const size_t n_tasks = w.n_waiting < most_tasks ? w.n_waiting : most_tasks;
        /* Few nodes stay open when each is explored further. */
        const size_t further = w.n_waiting / MANY_OPEN < 20 ? w.n_waiting / MANY_OPEN : 20;
        const uint64_t before = w.n_work;
        KAN_TRY_DONE(run_wave(&w, n_tasks, work << further));
        if (plan->between && w.n_waiting > 0)
            KAN_TRY_DONE(plan->between(plan->context, w.n_work - before));
        kan_cut_record_report(record);
        KAN_TRY_DONE(keep_proof(&w, &kept_ms));
        most_tasks = most_tasks * 2 < MOST_TASKS ? most_tasks * 2 : MOST_TASKS;
        work = work * 2 < MOST_WORK ? work * 2 : MOST_WORK;
    }
    *is_complete = w.n_waiting == 0;
    status = plan->to ? list_open(&w, plan->to) : KAN_OK;
done:
    waves_end(&w);
    return status;
}
