/* What searches that look at many independent nodes share: the base, and for each thread a
 * workspace, a judge and a set. A search asks for the frequency set of a node, from the base or
 * from a set below it; it is judged and counted here, so that all of them count alike. */
#ifndef KANON_SEARCH_LEVELS_WORKERS_H
#define KANON_SEARCH_LEVELS_WORKERS_H

#include <stdatomic.h>

#include "core/pool.h"
#include "search/judge/judge.h"

/* One per thread. */
typedef struct kan_worker {
    kan_workspace *workspace;
    kan_judge judge;
    kan_freqset set; /* of the node in hand */
    uint64_t n_checked;
    kan_effort effort;
} kan_worker;

typedef struct kan_workers {
    kan_run *run;
    const kan_question *question;
    kan_lattice lattice;
    kan_freqset base; /* the attribute with the most values first */
    unsigned n;       /* all threads of the run, or one where memory is short */
    kan_worker *each;
    /* Bytes that sets may take which are kept only to make others faster. */
    uint64_t keep_bytes;
    atomic_uint_fast64_t n_done; /* nodes, for progress */
} kan_workers;

/* Refuses a lattice too large for a bit per node: `search` is its name, or NULL where no
 * such bits are needed. After a failure the workers
 * are destroyed like others. */
KAN_MUST_USE kan_status kan_workers_init(kan_workers *workers, kan_run *run,
                                         const kan_question *question, const char *search);
void kan_workers_destroy(kan_workers *workers);

/* Runs the tasks, which may use each[worker]. */
KAN_MUST_USE kan_status kan_workers_run(kan_workers *workers, size_t n_tasks, kan_task_fn task,
                                        void *context);

/* The frequency set of a node becomes worker->set: a scan when `from` is the base, a roll-up
 * otherwise. Counts it as checked, polls the cancel flag and reports progress. */
KAN_MUST_USE kan_status kan_workers_make(kan_workers *workers, kan_worker *worker,
                                         const kan_freqset *from, const unsigned *levels);

/* A copy of worker->set with no more room than it needs. */
KAN_MUST_USE kan_status kan_workers_keep(const kan_workers *workers, const kan_worker *worker,
                                         kan_freqset *out);
/* Bytes of a set with n tuples of that layout. */
static inline uint64_t kan_workers_bytes(const kan_layout *layout, size_t n) {
    return (n + 1) * (layout->n_words + UINT64_C(1)) * sizeof(uint64_t) + sizeof(kan_freqset);
}

/* The first judge takes over from the others; the counts of all go into the answer. */
kan_judge *kan_workers_merge(kan_workers *workers, kan_answer *answer);

/* The answer of a search that knows all satisfying nodes (a bit each) without having measured each:
 * merges, finds the best, fills in the solution space. */
KAN_MUST_USE kan_status kan_workers_conclude(kan_workers *workers, const uint64_t *satisfies,
                                             kan_answer *out);

#endif
