/* Threads. One call: run n tasks, on as many threads as the run has, the caller being one of them.
 */
#ifndef KANON_CORE_POOL_H
#define KANON_CORE_POOL_H

#include "core/run.h"

/* `worker` is below kan_run_threads(run): the index of per-thread scratch. */
typedef kan_status (*kan_task_fn)(void *context, size_t task, unsigned worker);

/* Tasks are started in order of their index; each runs once, unless an earlier one failed or the
 * run was cancelled, after which no new one starts. Returns the status of the failed task of lowest
 * index, else KAN_CANCELLED or KAN_OK. Not to be called from inside a task. */
KAN_MUST_USE kan_status kan_parallel(kan_run *run, size_t n_tasks, kan_task_fn task, void *context);

/* Around what tasks of a parallel call do one at a time, whoever makes them wait: a lock of the
 * caller's, or of the system's. It changes nothing; a stand-in counts it. */
void kan_parallel_queue(kan_run *run, bool begins);

/* Runs tasks instead of the threads: for who counts their work. */
typedef struct kan_stand_in {
    void *context;
    kan_status (*run)(void *context, size_t n_tasks, kan_task_fn task, void *task_context);
    void (*queue)(void *context, bool begins);
} kan_stand_in;

/* NULL: the threads again. The caller keeps it. */
void kan_parallel_replace(kan_run *run, const kan_stand_in *stand_in);

/* Ends the threads; kan_run_destroy calls it. */
void kan_pool_destroy(kan_run *run);

#endif
