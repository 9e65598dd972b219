/* Threads that are not there: the work of a parallel run, counted on any machine.
 *
 * Every parallel part of the library is a call of kan_parallel. Here its tasks run one after the
 * other on the calling thread, each is timed by that thread's CPU clock, and is given to the one of
 * n virtual threads that is free first, as the pool's threads would take it. What tasks do one at a
 * time (kan_parallel_queue) waits for whoever is at it. What lies between two calls is work of one
 * thread, for which all others wait. */
#ifndef KANON_BENCH_VIRTUAL_THREADS_H
#define KANON_BENCH_VIRTUAL_THREADS_H

#include "core/pool.h"

enum { VIRTUAL_MOST = 256, VIRTUAL_STAGES = 8 };

/* All in milliseconds of CPU time. */
typedef struct virtual_work {
    const char *name;
    double sum;     /* of all threads */
    double longest; /* until the last thread is done: the way through the stage */
    double serial;  /* of it, outside of parallel calls */
    double queued;  /* of the sum, one at a time within parallel calls */
} virtual_work;

typedef struct virtual_threads {
    unsigned n;
    virtual_work stages[VIRTUAL_STAGES];
    unsigned n_stages;
    virtual_work *now;
    /* Of the call that runs. */
    double free_at[VIRTUAL_MOST];
    unsigned worker;
    double queue_free_at;
    bool traces; /* prints each part that takes long */
    double mark; /* what the clock showed last */
    kan_stand_in stand_in;
} virtual_threads;

/* The run's tasks are counted from here on; what is done now is of the stage "read". */
void virtual_threads_begin(virtual_threads *threads, kan_run *run, unsigned n);
/* The last part is counted, and tasks run as ever. */
void virtual_threads_end(virtual_threads *threads, kan_run *run);

#endif
