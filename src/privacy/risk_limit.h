/* How many people a group of f rows must stand for, so that the individual risk of its rows is at most
 * R: the least such number for each f, found before any search.
 *
 * What is compared afterwards are whole numbers, so a group passes or fails alike wherever, and in
 * whatever order, its weights are summed. The least number never grows with f: so whatever passes does
 * so when it gets more rows, or rows that stand for more, to the last unit, as the true risk says
 * (docs/papers/individual-risk.md). A group passes only where its risk is below R by 1e-12 of it, which
 * is far more than is lost by rounding; only where r is 1 / f by definition it may be R itself. */
#ifndef KANON_PRIVACY_RISK_LIMIT_H
#define KANON_PRIVACY_RISK_LIMIT_H

#include "group/problem.h"
#include "privacy/sensitive.h"

typedef struct kan_risk_limit {
    uint64_t first;        /* groups of fewer rows fail, whatever they stand for */
    uint64_t end;          /* groups of so many rows pass */
    const uint64_t *least; /* of f rows, first <= f < end: units, at least least[f - first] */
} kan_risk_limit;

/* The limit for R above 0, and the rows of a problem with weights. In the arena. */
KAN_MUST_USE kan_status kan_risk_limit_make(kan_run *run, kan_arena *arena,
                                            const kan_fraction *most, const kan_sampling *sampling,
                                            uint64_t n_rows, kan_risk_limit *out);

static inline bool kan_risk_limit_keeps(const kan_risk_limit *limit, uint64_t f, uint64_t units) {
    return f >= limit->end || (f >= limit->first && units >= limit->least[f - limit->first]);
}

/* The people whom the rows of a group stand for, in units. */
uint64_t kan_risk_units(const kan_sampling *sampling, const kan_groups *groups, size_t g);

/* The individual risk of each of f rows that stand for so many people. Relative error below 1e-13. Made
 * of + - * / alone, so that it is the same on every machine. */
double kan_risk_of_rows(uint64_t f, double people);

/* -log x, 0 < x <= 1, and -log(1 - r), 0 <= r < 1, made of + - * / as well. Relative error below 1e-14. */
double kan_risk_minus_log(double x);
double kan_risk_minus_log_rest(double r);

#endif
