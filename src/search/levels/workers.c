/* Workers: making, judging and counting for searches over many nodes. */
#include "search/levels/workers.h"

#include <string.h>

#include "core/text.h"
#include "search/boxes/boxes.h"

/* As exhaustive has it: beyond this the bits alone take 2 GiB, and the nodes days. */
#define MOST_NODES (UINT64_C(1) << 34)

static kan_status refuse_large(kan_run *run, const kan_lattice *lattice, const char *search) {
    char nodes[32];
    if (lattice->is_countable && lattice->n_nodes <= MOST_NODES)
        return KAN_OK;
    return kan_fail(
        run, KAN_UNSATISFIED,
        "the lattice has %s nodes or more, too many for --algorithm %s; use "
        "--algorithm bisect, which does not keep them all, or fewer quasi-identifiers, or "
        "hierarchies with fewer levels",
        kan_count_text(lattice->n_nodes, nodes), search);
}

/* Half of what is left, and no more than a gibibyte. Rounded down to eighths of a power of two: the
 * threads' own needs change what is left by a few pages, and the sets that are kept shall be the
 * same for any number of them. */
static uint64_t bytes_to_keep(const kan_run *run) {
    const uint64_t half = kan_run_memory_left(run) / 2, gibibyte = UINT64_C(1) << 30;
    const uint64_t bytes = half < gibibyte ? half : gibibyte;
    uint64_t step = gibibyte / 8;
    while (step > 1 && step * 8 > bytes)
        step /= 2;
    return bytes - bytes % step;
}

/* What a worker needs: its set, and scratch of the kernels and the viewer, with room to spare.
 * Under a budget that does not hold that for every thread one does the work. */
static unsigned count_workers(const kan_run *run, const kan_freqset *base) {
    const unsigned n_threads = kan_run_threads(run);
    const uint64_t bytes =
        12 * kan_workers_bytes(&base->layout, base->n) + (UINT64_C(3) << 20) /* counters */;
    return kan_run_memory_left(run) / 4 / n_threads < bytes ? 1 : n_threads;
}

/* The attribute with the most values first; of equals in the user's order. So most of the
 * attributes that stand behind the first changed one are short, and the kernels can count them
 * directly. */
static kan_status make_base(kan_workers *workers) {
    const kan_space *space = &workers->question->problem->space;
    unsigned order[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const uint32_t n = kan_dimension_groups(&space->dimensions[a], 0);
        unsigned at = a;
        for (; at > 0 && kan_dimension_groups(&space->dimensions[order[at - 1]], 0) < n; at--)
            order[at] = order[at - 1];
        order[at] = a;
    }
    return kan_question_base(workers->question, order, workers->each[0].workspace, &workers->base);
}

kan_status kan_workers_init(kan_workers *workers, kan_run *run, const kan_question *question,
                            const char *search) {
    const kan_problem *problem = question->problem;
    *workers = (kan_workers){.run = run, .question = question};
    kan_lattice_make(&problem->space, &workers->lattice);
    if (search)
        KAN_TRY(refuse_large(run, &workers->lattice, search));
    workers->keep_bytes = bytes_to_keep(run);
    const unsigned n = count_workers(run, &problem->base);
    KAN_TRY(kan_alloc_zero(run, n, sizeof *workers->each, &workers->each));
    workers->n = n;
    for (unsigned i = 0; i < n; i++)
        kan_judge_init(&workers->each[i].judge, question);
    for (unsigned i = 0; i < n; i++)
        KAN_TRY(kan_workspace_create(run, &workers->each[i].workspace));
    return make_base(workers);
}

void kan_workers_destroy(kan_workers *workers) {
    for (unsigned i = 0; i < workers->n; i++) {
        kan_worker *worker = &workers->each[i];
        kan_freqset_destroy(workers->run, &worker->set);
        kan_judge_destroy(&worker->judge);
        kan_workspace_destroy(worker->workspace);
    }
    kan_free(workers->run, workers->each);
    kan_freqset_destroy(workers->run, &workers->base);
}

kan_status kan_workers_run(kan_workers *workers, size_t n_tasks, kan_task_fn task, void *context) {
    if (workers->n > 1)
        return kan_parallel(workers->run, n_tasks, task, context);
    for (size_t i = 0; i < n_tasks; i++)
        KAN_TRY(task(context, i, 0));
    return KAN_OK;
}

kan_status kan_workers_make(kan_workers *workers, kan_worker *worker, const kan_freqset *from,
                            const unsigned *levels) {
    enum { STEP = 64 };
    KAN_TRY(kan_check_cancel(workers->run));
    KAN_TRY(kan_freqset_rollup(&workers->question->problem->space, from, levels, worker->workspace,
                               &worker->set));
    worker->n_checked++;
    worker->effort.n_tuples += from->n;
    if (from == &workers->base)
        worker->effort.n_scans++;
    else
        worker->effort.n_rollups++;
    const uint64_t n_done = atomic_fetch_add(&workers->n_done, 1) + 1;
    if (n_done % STEP == 0)
        kan_report_units(workers->run, "search", "nodes", n_done, workers->lattice.n_nodes);
    return KAN_OK;
}

kan_status kan_workers_keep(const kan_workers *workers, const kan_worker *worker,
                            kan_freqset *out) {
    const kan_freqset *set = &worker->set;
    const size_t n_words = set->n * set->layout.n_words;
    kan_freqset copy = {.layout = set->layout, .n = set->n};
    KAN_TRY(kan_alloc(workers->run, n_words, sizeof *copy.keys, &copy.keys));
    kan_status status = kan_alloc(workers->run, set->n, sizeof *copy.counts, &copy.counts);
    if (status != KAN_OK) {
        kan_free(workers->run, copy.keys);
        return status;
    }
    copy.key_room = n_words;
    copy.count_room = set->n;
    if (set->n > 0) {
        memcpy(copy.keys, set->keys, n_words * sizeof *copy.keys);
        memcpy(copy.counts, set->counts, set->n * sizeof *copy.counts);
    }
    *out = copy;
    return KAN_OK;
}

kan_judge *kan_workers_merge(kan_workers *workers, kan_answer *answer) {
    kan_judge *judge = &workers->each[0].judge;
    answer->n_nodes = workers->lattice.n_nodes;
    for (unsigned i = 0; i < workers->n; i++) {
        const kan_worker *worker = &workers->each[i];
        answer->n_checked += worker->n_checked;
        answer->effort.n_scans += worker->effort.n_scans;
        answer->effort.n_rollups += worker->effort.n_rollups;
        answer->effort.n_tuples += worker->effort.n_tuples;
        if (i > 0)
            kan_judge_merge(judge, &worker->judge);
    }
    return judge;
}

kan_status kan_workers_conclude(kan_workers *workers, const uint64_t *satisfies, kan_answer *out) {
    kan_answer answer = {.n_checked = 0};
    kan_judge *judge = kan_workers_merge(workers, &answer);
    KAN_TRY(kan_judge_find_best(judge, &workers->lattice, satisfies, &answer.effort));
    kan_judge_answer(judge, true, &answer);
    KAN_TRY(kan_judge_space(judge, &workers->lattice, satisfies, &answer));
    *out = answer;
    return KAN_OK;
}
