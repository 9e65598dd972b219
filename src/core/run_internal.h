/* The inside of a run; for src/core alone. */
#ifndef KANON_CORE_RUN_INTERNAL_H
#define KANON_CORE_RUN_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/memory.h"
#include "core/run.h"

/* An error's text, and behind it, in the last byte, whether it was memory that ran out. */
enum { KAN_ERROR_BYTES = 8192, KAN_ERROR_MARK = KAN_ERROR_BYTES - 1 };

/* Signal handlers write them. */
_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2 && ATOMIC_CHAR_LOCK_FREE == 2, "flags need no lock");

struct kan_run {
    char error[KAN_ERROR_BYTES];
    pthread_mutex_t error_lock;
    size_t n_problems, n_problems_shown;
    size_t problem_bytes;

    kan_progress_fn on_progress;
    void *progress_user;
    double progress_last_ms;
    const char *progress_stage;
    kan_note_fn on_note;
    void *note_user;

    atomic_bool cancelled;
    atomic_uchar anytime; /* whether an interrupt stops a search: run.c */
    double deadline_ms;   /* 0: none */

    unsigned threads;
    uint64_t seed;

    atomic_uint_fast64_t memory_used, memory_peak;
    uint64_t memory_budget;

    uint64_t spool_limit; /* 0: none was said */
    const char *encoding; /* NULL: none was said */
    const char *tmp;      /* where temporary files go; NULL: where the environment says */
    pthread_mutex_t spill_lock;
    struct kan_spill *spills;       /* mappings: spill.c */
    struct kan_spill *spill_shared; /* the one that small arrays are put into */
    atomic_size_t n_spills;
    atomic_uint_fast64_t disk_used, disk_peak;

    const struct kan_memory_file *files; /* of the job at work; NULL: it has none */

    kan_arena arena;
    struct kan_pool *pool;
    const struct kan_stand_in *stand_in; /* NULL: the pool's threads */
};

/* In front of every block that kan_free takes. Keeps malloc's alignment of 16 bytes. */
typedef struct kan_block_head {
    size_t size;
    struct kan_spill
        *spill; /* the mapped file that it lies in, or a mark of memory.c's; NULL: none */
} kan_block_head;

_Static_assert(sizeof(kan_block_head) == 16 || sizeof(size_t) < 8,
               "the head must keep the alignment");

/* kan_free of an array that lies on disk. */
void kan_spill_give_back(kan_run *run, kan_block_head *head);

/* Where the calling thread's error text goes: inside a parallel call each thread has its own, and
 * the text of the failure that the call returns is kept. `KAN_ERROR_BYTES` long. */
char *kan_pool_error(kan_run *run);
/* Whether the calling thread is one of the pool's, not the one that called the library. */
bool kan_pool_owns_thread(const kan_run *run);

#endif
