/* Costs: how much a release lost. Smaller is better.
 *
 * A cost measures groups that the promise has been checked on. Its value is a score: a whole number
 * where the definition gives one (compared exactly, whatever its size), a real number otherwise. */
#ifndef KANON_COST_COST_H
#define KANON_COST_COST_H

#include "core/options.h"
#include "group/problem.h"

typedef struct kan_score {
    bool is_whole;
    kan_u128 whole; /* when is_whole */
    double real;    /* always */
} kan_score;

static inline kan_score kan_score_whole(kan_u128 whole) {
    return (kan_score){true, whole, (double)whole};
}

static inline kan_score kan_score_real(double real) {
    return (kan_score){false, 0, real};
}

/* Below, equal or above 0; both scores of the same cost. */
static inline int kan_score_compare(const kan_score *a, const kan_score *b) {
    if (a->is_whole && b->is_whole)
        return a->whole < b->whole ? -1 : a->whole > b->whole;
    return a->real < b->real ? -1 : a->real > b->real;
}

typedef struct kan_cost_kind {
    kan_kind kind;
    bool needs_class; /* tallies of the class column; only with --class */
    bool needs_loss;  /* kan_groups.loss */
    bool uses_weights;
    /* The state lives in the arena, and is immutable afterwards. */
    kan_status (*create)(kan_run *run, kan_arena *arena, const kan_options *options,
                         const kan_problem *problem, void **state);
    kan_score (*measure)(const void *state, const kan_groups *groups);
} kan_cost_kind;

extern const kan_cost_kind kan_cost_height;
extern const kan_cost_kind kan_cost_discernibility;
extern const kan_cost_kind kan_cost_average_class;
extern const kan_cost_kind kan_cost_classification;
extern const kan_cost_kind kan_cost_precision;
extern const kan_cost_kind kan_cost_distortion;
extern const kan_cost_kind kan_cost_ncp;

/* A cost ready to measure. */
typedef struct kan_objective {
    const kan_cost_kind *kind;
    void *state;
} kan_objective;

KAN_MUST_USE kan_status kan_objective_create(kan_run *run, kan_arena *arena,
                                             const kan_cost_kind *kind, const kan_options *options,
                                             const kan_problem *problem, kan_objective *out);

/* The state of costs that need the problem alone. */
kan_status kan_cost_keep_problem(kan_run *run, kan_arena *arena, const kan_options *options,
                                 const kan_problem *problem, void **state);

#endif
