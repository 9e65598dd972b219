/* Promises and costs beside ARX: the second part of `kanon-bench promises`. */
#ifndef KANON_BENCH_PROMISE_PEERS_H
#define KANON_BENCH_PROMISE_PEERS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct promise_peers_plan {
    uint64_t n_rounds;    /* every line runs so often */
    uint64_t only;        /* 0, or the number of the one line that runs beside the unit */
    bool with_exhaustive; /* and `exhaustive` once, whose answers must be the same */
} promise_peers_plan;

/* 1 when something failed, or answers differ. */
int promise_peers(const promise_peers_plan *plan);

#endif
