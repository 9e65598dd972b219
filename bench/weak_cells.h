/* Questions that were slow beside ARX, each with its yardsticks: see weak_cells.c. */
#ifndef KANON_BENCH_WEAK_CELLS_H
#define KANON_BENCH_WEAK_CELLS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct weak_cells_plan {
    uint64_t n_rounds, only; /* 0: all lines */
    bool with_exhaustive;
} weak_cells_plan;

/* 0 on success; failures are printed. Lines whose table is not there are left out. */
int weak_cells(const weak_cells_plan *plan);

#endif
