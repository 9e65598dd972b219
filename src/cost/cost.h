/* Costs: how much a release lost. Smaller is better.
 *
 * A cost measures groups that the promise has been checked on. Its value is a score: a whole number
 * where the definition gives one (compared exactly, whatever its size), a real number otherwise. */
#ifndef KANON_COST_COST_H
#define KANON_COST_COST_H

#include "core/options.h"
#include "group/problem.h"

typedef struct kan_score {
    bool is_whole;  /* the cost is the number `whole` */
    bool is_exact;  /* compared by `whole`, the cost in units of its own */
    kan_u128 whole; /* when is_exact; always when is_whole */
    double real;    /* the cost, always */
} kan_score;

static inline kan_score kan_score_whole(kan_u128 whole) {
    return (kan_score){true, true, whole, (double)whole};
}

static inline kan_score kan_score_real(double real) {
    return (kan_score){false, false, 0, real};
}

/* A fraction that is also known as a whole number of units: equal costs are then equal, however
 * their parts were rounded, and ties are broken as they should be. */
static inline kan_score kan_score_units(kan_u128 units, double real) {
    return (kan_score){false, true, units, real};
}

/* Below, equal or above 0; both scores of the same cost. */
static inline int kan_score_compare(const kan_score *a, const kan_score *b) {
    if (a->is_exact && b->is_exact)
        return a->whole < b->whole ? -1 : a->whole > b->whole;
    return a->real < b->real ? -1 : a->real > b->real;
}

/* The form of a cost, where it has one that searches know. By it they choose, once, what they count,
 * bound and prove; nobody asks which cost it is. A form is exact: what a cost of it measures is what
 * stands here. */
typedef enum kan_cost_shape {
    KAN_SHAPE_OTHER,   /* none of these: `measure`, `bound` and the flags are all that is known */
    KAN_SHAPE_SIZES,   /* by group size: the square of the rows of each released group, and for each
                          suppressed row the rows of the table */
    KAN_SHAPE_NUMBER,  /* by the number of released groups, and one more where rows are suppressed:
                          the more, the less it costs. Measure and bound look at nothing else */
    KAN_SHAPE_CLASSES, /* by class: the rows outside the majority class of their released group, and
                          each suppressed row */
    KAN_SHAPE_CELLS, /* per cell: what all cells give up by `price`, as a share of what they would if
                          all were suppressed. Its state is a kan_cell_units */
    KAN_SHAPE_LEVELS /* by level: the sum of the levels of a full-domain recoding; with weights,
                          each times that of its attribute */
} kan_cost_shape;

/* What a cell gives up. It grows by the same for every step; one at the top of a hierarchy, or one
 * that covers all of its domain, gives up what a suppressed one does. */
typedef struct kan_cell_price {
    bool
        is_by_share; /* a step is all of the domain, a cell the share that it covers; else a level */
    double (*shown)(double height, double weight, double steps);
    double (*suppressed)(double height, double weight);
} kan_cell_price;

extern const kan_cell_price kan_price_by_share; /* the share of the domain */
extern const kan_cell_price kan_price_by_level; /* the level as a share of the height */
extern const kan_cell_price kan_price_by_step;  /* the level */

typedef struct kan_cost_kind {
    kan_kind kind;
    kan_cost_shape shape;
    const kan_cell_price *price; /* KAN_SHAPE_CELLS; else NULL */
    bool needs_class;            /* tallies of the class column; only with --class */
    bool needs_loss;             /* kan_groups.loss */
    bool needs_shares;           /* of these the shares, too */
    bool uses_weights;
    bool needs_levels; /* kan_groups.levels: it measures full-domain recodings alone */
    bool is_by_groups; /* it follows from the released groups and the number of suppressed rows:
                          anybody who has the release can measure it */
    /* The state lives in the arena, and is immutable afterwards. The promise says `k`: no released
     * group is smaller (kan_promise.k). */
    kan_status (*create)(kan_run *run, kan_arena *arena, const kan_options *options, uint64_t k,
                         const kan_problem *problem, void **out);
    kan_score (*measure)(const void *state, const kan_groups *groups);
    /* No node at or above `low` (all its levels are at least those of `low`) that satisfies the
     * promise costs less, where all of them suppress at least `n_lost` rows. `low` has been
     * checked; its tallies are there when needs_class, its loss is not. `n_lost` is 0 unless a
     * group passes by its size alone: then those rows are among the ones that `low` suppresses.
     * NULL: nothing is known. */
    kan_score (*bound)(const void *state, const kan_groups *low, uint64_t n_lost);
    /* To leave out further groups of a node never costs less: searches may then bound what they do
     * not know yet. */
    bool grows_with_losses;
    /* Both follow from numbers of the groups, and need no group by itself: kan_groups.count may be
     * NULL, where groups pass by their size alone. */
    bool is_by_numbers;
    bool bound_is_by_levels; /* it looks at low->levels alone, not at groups */
    /* It is a whole number: that of no groups, with n_lost, and those of all groups by parts, with 0,
     * summed up. */
    bool bound_adds_up;
    /* A cost by people: that of rows which it was made of (kan_cost_by_people). It looks at
     * kan_groups.sums in place of rows, and kan_people_cost_create makes its state. */
    const struct kan_cost_kind *of_rows;
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

/* The cost where people are counted, with the same name; NULL where nobody has said what that would
 * be. One that looks at levels alone is the same. It has no shape, and a bound where that of rows
 * looks at levels alone. */
KAN_MUST_USE kan_status kan_cost_by_people(kan_arena *arena, const kan_cost_kind *kind,
                                           const kan_cost_kind **out);
/* What is followed where nothing is proven by it: of a cost by people, that of rows. */
static inline const kan_cost_kind *kan_cost_followed(const kan_cost_kind *kind) {
    return kind->of_rows ? kind->of_rows : kind;
}
KAN_MUST_USE kan_status kan_people_cost_create(kan_run *run, kan_arena *arena,
                                               const kan_cost_kind *kind,
                                               const kan_options *options, uint64_t k,
                                               const kan_problem *problem, void **out);

KAN_MUST_USE kan_status kan_objective_create(kan_run *run, kan_arena *arena,
                                             const kan_cost_kind *kind, const kan_options *options,
                                             uint64_t k, const kan_problem *problem,
                                             kan_objective *out);

/* What groups that were checked cost. */
static inline kan_score kan_objective_measure(const kan_objective *objective,
                                              const kan_groups *groups) {
    KAN_ASSERT(kan_groups_is_fresh(groups));
    return objective->kind->measure(objective->state, groups);
}

/* What no node above them costs less than, where the cost has a bound: kan_cost_kind.bound. */
static inline kan_score kan_objective_bound(const kan_objective *objective, const kan_groups *low,
                                            uint64_t n_lost) {
    KAN_ASSERT(kan_groups_is_fresh(low));
    return objective->kind->bound(objective->state, low, n_lost);
}

/* The cost as a real number, of released cells whose steps sum to steps[a] in each attribute, and
 * of suppressed rows. */
typedef double (*kan_cell_real)(const kan_problem *problem, const kan_u128 *steps,
                                uint64_t n_suppressed, uint64_t n_rows);

/* The state of costs that are sums over cells: the sum again as a whole number of units. */
typedef struct kan_cell_units {
    const kan_problem *problem;
    kan_cell_real real;
    bool is_exact; /* the sum fits, and the weights are whole millionths (or all 1) */
    uint64_t per_step[KAN_MAX_ATTRIBUTES]; /* a level, or a unit of share, of a released cell */
    kan_u128 per_suppressed;               /* a suppressed row */
} kan_cell_units;

/* parts[a] is what a step of attribute a counts, worst[a] what a suppressed cell of it does; no
 * released cell of it counts more. Both NULL: there are no such units. */
KAN_MUST_USE kan_status kan_cell_units_create(kan_arena *arena, const kan_problem *problem,
                                              kan_cell_real real, const uint64_t *parts,
                                              const uint64_t *worst, void **out);
/* The same where a step is a level, and a suppressed cell counts as one at the top. */
KAN_MUST_USE kan_status kan_cell_units_create_levels(kan_arena *arena, const kan_problem *problem,
                                                     kan_cell_real real, void **out);
/* The score of released cells whose steps sum to steps[a], and of suppressed rows. */
kan_score kan_cell_units_score(const kan_cell_units *units, const kan_u128 *steps,
                               uint64_t n_suppressed, uint64_t n_rows);

/* kan_cost_kind.measure and .bound of costs whose steps are the levels of every row. No node at or
 * above `low` has fewer: every row that is not lost stands there or higher. */
kan_score kan_cell_units_measure_levels(const void *state, const kan_groups *groups);
kan_score kan_cell_units_bound_levels(const void *state, const kan_groups *low, uint64_t n_lost);

/* The state of costs that need the k of the promise alone. */
kan_status kan_cost_keep_k(kan_run *run, kan_arena *arena, const kan_options *options, uint64_t k,
                           const kan_problem *problem, void **out);
/* The state of costs that need the problem alone. */
kan_status kan_cost_keep_problem(kan_run *run, kan_arena *arena, const kan_options *options,
                                 uint64_t k, const kan_problem *problem, void **out);

#endif
