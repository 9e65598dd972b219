/* Rows that are drawn, and groups that are left out: how large a group must be for (E, D)-differential
 * privacy (Li, Qardaji and Su 2012; docs/papers/differential-privacy.md has the proof).
 *
 * Decided by additions, multiplications and divisions of doubles alone, so that every machine finds
 * the same k; what is lost by rounding makes it larger, never smaller. */
#ifndef KANON_PRIVACY_DRAWS_H
#define KANON_PRIVACY_DRAWS_H

#include <stdbool.h>
#include <stdint.h>

/* What can be asked for. */
#define KAN_EPSILON_LEAST 0.01
#define KAN_EPSILON_MOST  5
#define KAN_DELTA_LEAST   1e-15
#define KAN_DELTA_MOST    1e-3

#define KAN_DRAW_OF ((uint64_t)1 << 53)

typedef struct kan_draws {
    double epsilon, delta;
    uint64_t rate; /* of KAN_DRAW_OF: a row is drawn; at most 1 - e^-epsilon */
    double share;  /* the same, for people */
    uint64_t k;    /* drawn rows that a released group has at least */
} kan_draws;

/* Both are within what can be asked for. */
kan_draws kan_draws_make(double epsilon, double delta);

#endif
