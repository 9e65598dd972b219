/* A walk over 0 .. n-1 in an order that looks like none: row i is (i * step) mod n, where the step has
 * no divisor in common with n. The same everywhere, and nothing is kept. */
#ifndef KANON_GENERATE_SCATTER_H
#define KANON_GENERATE_SCATTER_H

#include <stdint.h>

#define KAN_SCATTER_STEP UINT64_C(2654435761)

static inline uint64_t kan_common_divisor(uint64_t a, uint64_t b) {
    while (b > 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The step for n, at least 1; `wish` says which of them. */
static inline uint64_t kan_scatter_step(uint64_t n, uint64_t wish) {
    uint64_t step = wish % n;
    while (step == 0 || kan_common_divisor(step, n) > 1)
        step++;
    return step;
}

/* The place behind `at`. */
static inline uint64_t kan_scatter_next(uint64_t at, uint64_t step, uint64_t n) {
    return at >= n - step ? at - (n - step) : at + step;
}

#endif
