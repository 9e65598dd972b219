/* A pool of threads that wait for one parallel call at a time.
 *
 * Tasks are handed out by one atomic counter, in order. The threads are made at the first call that
 * has work for them and live until the run ends; should the system refuse a thread, the ones that
 * exist do the work. */
#include "core/pool.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/run_internal.h"

typedef struct {
    struct kan_pool *pool;
    unsigned index;
    pthread_t thread;
    char error[KAN_ERROR_BYTES]; /* of this thread, during a call */
} pool_worker;

struct kan_pool {
    kan_run *run;
    pthread_mutex_t lock;
    pthread_cond_t start, finished;
    unsigned n_workers; /* beside the caller */
    unsigned n_busy;
    uint64_t generation;
    bool is_ending;

    kan_task_fn task;
    void *context;
    size_t n_tasks;
    atomic_size_t next;
    atomic_size_t first_failed; /* lowest index of a failed task */
    kan_status failure;         /* its status, under the lock */
    unsigned failed_worker;     /* whose error text tells about it */
    bool is_running;

    pool_worker workers[]; /* the first is the caller's: an error text, no thread */
};

/* The place of the calling thread in the pool. Threads that are not the pool's have 0, as the
 * caller has: there is only one of them at a time. */
static unsigned find_worker(const struct kan_pool *pool) {
    pthread_t self = pthread_self();
    for (unsigned i = 1; i <= pool->n_workers; i++)
        if (pthread_equal(pool->workers[i].thread, self))
            return i;
    return 0;
}

bool kan_pool_owns_thread(const kan_run *run) {
    return run->pool && run->pool->is_running && find_worker(run->pool) > 0;
}

char *kan_pool_error(kan_run *run) {
    struct kan_pool *pool = run->pool;
    return pool && pool->is_running ? pool->workers[find_worker(pool)].error : run->error;
}

static void run_tasks(struct kan_pool *pool, unsigned worker) {
    for (;;) {
        size_t task = atomic_fetch_add(&pool->next, 1);
        if (task >= pool->n_tasks || task > atomic_load(&pool->first_failed) ||
            kan_run_is_cancelled(pool->run))
            return;
        kan_status status = pool->task(pool->context, task, worker);
        if (status != KAN_OK) {
            pthread_mutex_lock(&pool->lock);
            if (task < atomic_load(&pool->first_failed)) {
                atomic_store(&pool->first_failed, task);
                pool->failure = status;
                pool->failed_worker = worker;
            }
            pthread_mutex_unlock(&pool->lock);
        }
    }
}

static void *worker_main(void *argument) {
    pool_worker *self = argument;
    struct kan_pool *pool = self->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->generation == seen && !pool->is_ending)
            pthread_cond_wait(&pool->start, &pool->lock);
        if (pool->is_ending)
            break;
        seen = pool->generation;
        pthread_mutex_unlock(&pool->lock);
        run_tasks(pool, self->index);
        pthread_mutex_lock(&pool->lock);
        if (--pool->n_busy == 0)
            pthread_cond_signal(&pool->finished);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static kan_status pool_create(kan_run *run) {
    unsigned wanted = run->threads - 1;
    struct kan_pool *pool;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *pool + (wanted + 1) * sizeof pool->workers[0], &pool));
    pool->run = run;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->start, NULL);
    pthread_cond_init(&pool->finished, NULL);
    for (unsigned i = 1; i <= wanted; i++) {
        pool_worker *worker = &pool->workers[i];
        worker->pool = pool;
        worker->index = i;
        if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0)
            break;
        pool->n_workers++;
    }
    run->pool = pool;
    return KAN_OK;
}

void kan_pool_destroy(kan_run *run) {
    struct kan_pool *pool = run->pool;
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->is_ending = true;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 1; i <= pool->n_workers; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->finished);
    pthread_cond_destroy(&pool->start);
    pthread_mutex_destroy(&pool->lock);
    kan_free(run, pool);
    run->pool = NULL;
}

static kan_status run_alone(kan_run *run, size_t n_tasks, kan_task_fn task, void *context) {
    for (size_t i = 0; i < n_tasks; i++) {
        if (kan_run_is_cancelled(run))
            return kan_check_cancel(run);
        KAN_TRY(task(context, i, 0));
    }
    return KAN_OK;
}

void kan_parallel_replace(kan_run *run, const kan_stand_in *stand_in) {
    run->stand_in = stand_in;
}

void kan_parallel_queue(kan_run *run, bool begins) {
    if (run->stand_in)
        run->stand_in->queue(run->stand_in->context, begins);
}

kan_status kan_parallel(kan_run *run, size_t n_tasks, kan_task_fn task, void *context) {
    if (run->stand_in)
        return run->stand_in->run(run->stand_in->context, n_tasks, task, context);
    if (run->threads <= 1 || n_tasks <= 1)
        return run_alone(run, n_tasks, task, context);
    if (!run->pool)
        KAN_TRY(pool_create(run));
    struct kan_pool *pool = run->pool;
    pthread_mutex_lock(&pool->lock);
    pool->task = task;
    pool->context = context;
    pool->n_tasks = n_tasks;
    pool->failure = KAN_OK;
    pool->is_running = true;
    for (unsigned i = 0; i <= pool->n_workers; i++)
        pool->workers[i].error[0] = '\0';
    atomic_store(&pool->next, 0);
    atomic_store(&pool->first_failed, SIZE_MAX);
    pool->n_busy = pool->n_workers;
    pool->generation++;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->lock);

    run_tasks(pool, 0);

    pthread_mutex_lock(&pool->lock);
    while (pool->n_busy > 0)
        pthread_cond_wait(&pool->finished, &pool->lock);
    kan_status status = pool->failure;
    pool->is_running = false;
    pthread_mutex_unlock(&pool->lock);
    if (status != KAN_OK && pool->workers[pool->failed_worker].error[0])
        memcpy(run->error, pool->workers[pool->failed_worker].error, sizeof run->error);
    return status != KAN_OK || !kan_run_is_cancelled(run) ? status : kan_check_cancel(run);
}
