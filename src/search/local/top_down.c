/* top-down: all rows begin at the top, and clusters are specialized as long as the promise holds
 * (alpha-k.txt 4.2, Algorithm 2 and its extension to several attributes).
 *
 * A cluster is specialized in one attribute: its rows go one level down, to the branches that its
 * node has. Rows of branches that fail move back up. If those fail together, rows of branches that
 * can spare them move up, too, those first that could not be specialized much further anyway; if
 * that is not enough, whole branches. Of all attributes the one is taken that specializes the most
 * rows, of equal ones the one with the fewest branches. What moved up is a cluster of its own, which
 * may be specialized in another attribute: there the paper stops.
 *
 * How far a row can be specialized is estimated once for all: by the step at which its group passes
 * when all rows are generalized together (local_chain.c); for a single attribute that is the level
 * itself.
 *
 * A trial is linear in the tuples of the cluster, so that all take tuples times attributes times the
 * levels that a row goes down. */
#include "core/pool.h"
#include "search/local/descent.h"
#include "search/local/local.h"

/* Clusters of at most this many bundles, or of 1 / PIECES of all, are specialized to the end by one
 * thread. What counts as small is a matter of the table, so that threads change nothing. */
enum { SMALL = 256, PIECES = 64 };

typedef struct {
    kan_local_clusters *clusters;
    const kan_local_space *space;
    kan_descent *workers;
    size_t n_tasks, room;
    kan_cluster_at_work *tasks;
    kan_local_clusters *made; /* by task */
} descending;

/* ---- large clusters -------------------------------------------------------------------------- */

static kan_status add_task(descending *w, const kan_cluster_at_work *work) {
    KAN_TRY(kan_reserve(w->space->run, w->n_tasks + 1, sizeof *w->tasks, &w->room, &w->tasks));
    w->tasks[w->n_tasks++] = *work;
    return KAN_OK;
}

/* Specializes until only small clusters are left, which are the tasks. */
static kan_status divide_large(descending *w, size_t most) {
    kan_descent *d = &w->workers[0];
    kan_run *run = w->space->run;
    d->clusters = w->clusters;
    while (d->n > 0) {
        const kan_cluster_at_work work = d->stack[--d->n];
        kan_status status = kan_check_cancel(run);
        if (status == KAN_OK && work.rows.n <= most) {
            status = add_task(w, &work);
            if (status == KAN_OK)
                continue;
        }
        if (status == KAN_OK)
            status = kan_descent_specialize(d, &work);
        kan_free(run, work.rows.bundles);
        KAN_TRY(status);
    }
    return KAN_OK;
}

/* ---- small clusters -------------------------------------------------------------------------- */

static kan_status descend(void *context, size_t task, unsigned worker) {
    descending *w = context;
    kan_descent *d = &w->workers[worker];
    kan_run *run = w->space->run;
    kan_bundles rows = w->tasks[task].rows;
    w->tasks[task].rows = (kan_bundles){.n = 0};
    kan_report_progress(run, "search", task, w->n_tasks);
    d->clusters = &w->made[task];
    KAN_TRY(kan_descent_push(d, &rows, w->tasks[task].excluded));
    for (unsigned i = 0; d->n > 0; i++) {
        const kan_cluster_at_work work = d->stack[--d->n];
        kan_status status = i % 256 == 0 ? kan_check_cancel(run) : KAN_OK;
        if (status == KAN_OK)
            status = kan_descent_specialize(d, &work);
        kan_free(run, work.rows.bundles);
        KAN_TRY(status);
    }
    return KAN_OK;
}

static kan_status run_tasks(descending *w) {
    kan_run *run = w->space->run;
    KAN_TRY(kan_alloc(run, w->n_tasks, sizeof *w->made, &w->made));
    for (size_t i = 0; i < w->n_tasks; i++)
        kan_local_clusters_init(&w->made[i], w->space);
    KAN_TRY(kan_parallel(run, w->n_tasks, descend, w));
    for (size_t i = 0; i < w->n_tasks; i++)
        KAN_TRY(kan_local_clusters_take(w->clusters, &w->made[i]));
    return KAN_OK;
}

/* ---- the search ------------------------------------------------------------------------------ */

static kan_status descend_all(descending *w, const uint64_t *rows) {
    kan_run *run = w->space->run;
    const unsigned n_workers = kan_run_threads(run);
    kan_bundles all = {.n = 0};
    kan_status status = kan_local_rank(w->space, rows, &all);
    const size_t n_bundles = all.n;
    if (status == KAN_OK)
        status = kan_alloc_zero(run, n_workers, sizeof *w->workers, &w->workers);
    for (unsigned i = 0; i < n_workers && status == KAN_OK; i++)
        status = kan_descent_make(w->space, n_bundles, &w->workers[i]);
    if (status != KAN_OK) {
        kan_free(run, all.bundles);
        return status;
    }
    KAN_TRY(kan_descent_push(&w->workers[0], &all, 0));
    KAN_TRY(divide_large(w, n_bundles / PIECES > SMALL ? n_bundles / PIECES : SMALL));
    return run_tasks(w);
}

static kan_status make_clusters(kan_local_clusters *clusters, const uint64_t *rows, bool passes) {
    kan_run *run = clusters->space->run;
    descending w = {.clusters = clusters, .space = clusters->space};
    (void)passes; /* clusters ask for themselves */
    const kan_status status = descend_all(&w, rows);
    for (size_t i = 0; i < w.n_tasks; i++) {
        kan_free(run, w.tasks[i].rows.bundles);
        if (w.made)
            kan_local_clusters_destroy(&w.made[i]);
    }
    kan_free(run, w.tasks);
    kan_free(run, w.made);
    for (unsigned i = 0; w.workers && i < kan_run_threads(run); i++)
        kan_descent_destroy(&w.workers[i]);
    kan_free(run, w.workers);
    return status;
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    const kan_local_method method = {.make = make_clusters};
    return kan_local_search(run, question, &method, out);
}

static const kan_option_spec options[] = {KAN_LOCAL_OPTIONS};

const kan_search_kind kan_search_top_down = {
    .kind = {.name = "top-down",
             .summary = "specializes all rows from the top down, as far as the promise allows",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Wong et al. 2006, 4.2",
             .is_everyday = true},
    .models = {&kan_model_cell_generalization, &kan_model_cell_suppression},
    .costs = &kan_local_costs,
    .regions = true,
    .local = true,
    .counts_people = true,
    .counts_pasts = true,
    .divides = true,
    .is_anytime = true,
    .search = search,
};
