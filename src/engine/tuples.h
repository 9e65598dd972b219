/* Rows of codes, each with how often it counts, as they come from an engine: put in order, and those
 * that are the same made one. */
#ifndef KANON_ENGINE_TUPLES_H
#define KANON_ENGINE_TUPLES_H

#include "core/memory.h"

typedef struct kan_engine_tuples {
    kan_run *run;
    size_t n_columns;
    uint64_t n;
    uint32_t *codes;  /* n_columns of the first, then of the second */
    uint64_t *counts; /* none of them is 0 */
    size_t codes_capacity, counts_capacity;
} kan_engine_tuples;

void kan_engine_tuples_init(kan_engine_tuples *tuples, kan_run *run, size_t n_columns);
void kan_engine_tuples_destroy(kan_engine_tuples *tuples);
/* One more; *codes are its own, to be filled in before the next call. */
KAN_MUST_USE kan_status kan_engine_tuples_add(kan_engine_tuples *tuples, uint64_t count,
                                              uint32_t **codes);
/* By their codes, the first column before the others; n_codes[i] is above all codes of column i.
 * O(n) per column, and 12 bytes and its own size of memory per tuple. */
KAN_MUST_USE kan_status kan_engine_tuples_sort(kan_engine_tuples *tuples, const uint32_t *n_codes);

static inline const uint32_t *kan_engine_tuples_codes(const kan_engine_tuples *tuples,
                                                      uint64_t tuple) {
    return tuples->codes + tuple * tuples->n_columns;
}

#endif
