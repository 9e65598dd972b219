/* Counting the work of threads that are not there.
 *
 * A stage begins with the first word of progress that has its name; reading the release again is
 * part of verifying it. */
#include "virtual_threads.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench.h"

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* What was done since the clock was last looked at. */
static double lap(virtual_threads *threads) {
    const double now = now_ms(), since = now - threads->mark;
    threads->mark = now;
    return since;
}

/* ---- stages --------------------------------------------------------------------------------- */

static void end_serial(virtual_threads *threads) {
    const double done = lap(threads);
    threads->now->sum += done;
    threads->now->longest += done;
    threads->now->serial += done;
    if (threads->traces && done >= 1)
        printf("    %-7s %9.1f ms by one thread\n", threads->now->name, done);
}

static void enter(virtual_threads *threads, const char *stage) {
    virtual_work *work = threads->stages;
    while (work < threads->stages + threads->n_stages && strcmp(work->name, stage) != 0)
        work++;
    if (work == threads->stages + VIRTUAL_STAGES)
        return;
    if (work == threads->stages + threads->n_stages)
        threads->stages[threads->n_stages++] = (virtual_work){.name = stage};
    threads->now = work;
}

static void on_progress(void *user, const kan_progress *progress) {
    virtual_threads *threads = user;
    const bool is_again = strcmp(progress->stage, "read") == 0 && threads->n_stages > 1;
    if (is_again || threads->worker != UINT_MAX || strcmp(progress->stage, threads->now->name) == 0)
        return;
    end_serial(threads);
    enter(threads, progress->stage);
}

/* ---- tasks ---------------------------------------------------------------------------------- */

static unsigned first_free(const virtual_threads *threads) {
    unsigned first = 0;
    for (unsigned w = 1; w < threads->n; w++)
        if (threads->free_at[w] < threads->free_at[first])
            first = w;
    return first;
}

static void add_work(virtual_threads *threads) {
    const double done = lap(threads);
    threads->free_at[threads->worker] += done;
    threads->now->sum += done;
}

static void queue(void *context, bool begins) {
    virtual_threads *threads = context;
    if (threads->worker == UINT_MAX)
        return;
    double *at = &threads->free_at[threads->worker];
    const double before = *at;
    add_work(threads);
    if (begins) {
        *at = *at > threads->queue_free_at ? *at : threads->queue_free_at;
    } else {
        threads->now->queued += *at - before;
        threads->queue_free_at = *at;
    }
}

static kan_status run_tasks(void *context, size_t n_tasks, kan_task_fn task, void *task_context) {
    virtual_threads *threads = context;
    kan_status status = KAN_OK;
    double longest = 0;
    end_serial(threads);
    const double before = threads->now->sum;
    memset(threads->free_at, 0, sizeof threads->free_at);
    threads->queue_free_at = 0;
    for (size_t i = 0; i < n_tasks && status == KAN_OK; i++) {
        threads->worker = first_free(threads);
        status = task(task_context, i, threads->worker);
        add_work(threads);
    }
    threads->worker = UINT_MAX;
    for (unsigned w = 0; w < threads->n; w++)
        longest = threads->free_at[w] > longest ? threads->free_at[w] : longest;
    threads->now->longest += longest;
    if (threads->traces && longest >= 1)
        printf("    %-7s %9.1f ms by all, %.1f by the longest, %zu tasks\n", threads->now->name,
               threads->now->sum - before, longest, n_tasks);
    return status;
}

void virtual_threads_begin(virtual_threads *threads, kan_run *run, unsigned n) {
    const bool traces = threads->traces;
    *threads = (virtual_threads){.n = n < VIRTUAL_MOST ? n : VIRTUAL_MOST,
                                 .worker = UINT_MAX,
                                 .traces = traces,
                                 .mark = now_ms(),
                                 .stand_in = {threads, run_tasks, queue}};
    enter(threads, "read");
    kan_run_on_progress(run, on_progress, threads);
    kan_parallel_replace(run, &threads->stand_in);
}

void virtual_threads_end(virtual_threads *threads, kan_run *run) {
    end_serial(threads);
    kan_parallel_replace(run, NULL);
    kan_run_on_progress(run, NULL, NULL);
}
