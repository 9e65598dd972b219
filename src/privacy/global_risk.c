/* Global risk: the mean, over all released rows, of the individual risk by sampling weights (Franconi and
 * Polettini 2004) is at most R.
 *
 * It is a model of the whole table. Groups that fail another model leave first; while it does not hold,
 * the group of the highest risk does, which brings the mean down, or keeps it: so once it holds, it
 * stays. Merging never raises the risk of a row, and so not the mean where nobody is left out; where
 * rows may be, others may leave above than below (docs/papers/individual-risk.md).
 *
 * The risk of the rows of a group, added up, is f r: at most 1, and 1 where it stands for no more people
 * than it has rows. It is summed as whole numbers of 2^-80, each rounded up, and risen before by more
 * than it may be wrong by. */
#include <math.h>

#include "privacy/privacy.h"
#include "privacy/risk_limit.h"
#include "privacy/sensitive.h"

enum { ONE_BITS = 80 };
static const double MARGIN = 1e-12;

typedef struct {
    const kan_sampling *sampling;
    kan_fraction most;
    const char *text; /* R as it was written */
} model_state;

static const kan_option_spec options[] = {
    {.name = "global-risk",
     .argument = "R",
     .summary = "the mean, over all released rows, of the individual risk by weights "
                "(--sampling-weight) is at most R, above 0 to 1",
     .type = KAN_OPTION_REAL,
     .traits = KAN_TRAIT_SHOWN,
     .least = 0,
     .most = 1,
     .words = "mean individual risk of the rows at most, above 0 to 1"},
};

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *given,
                         const kan_problem *problem, void **out) {
    model_state *made;
    kan_fraction most;
    KAN_TRY(kan_fraction_read(run, given, "global-risk", &most));
    if (most.numerator == 0)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--global-risk: no row has a risk of 0; write a number above 0, such as "
                        "0.01");
    if (!problem->sampling)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--global-risk: how many people does each row stand for? name the column "
                        "of the weights with --sampling-weight NAME");
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *made, &made));
    *made = (model_state){problem->sampling, most, kan_options_find(given, "global-risk")};
    *out = made;
    return KAN_OK;
}

/* What f rows that stand for so many units add to the sum: never less than it is. */
static kan_u128 sum_of(const kan_sampling *sampling, uint64_t rows, uint64_t units) {
    const kan_u128 one = (kan_u128)1 << ONE_BITS;
    if (units <= (kan_u128)rows * (uint64_t)sampling->one)
        return one; /* 1 / f of each */
    const double sum =
        (double)rows * kan_risk_of_rows(rows, (double)units / sampling->one) * (1 + MARGIN);
    return sum < 1 ? (kan_u128)ceil(ldexp(sum, ONE_BITS)) : one;
}

static kan_u128 risk_of(const void *opaque, const kan_groups *groups, size_t g) {
    const model_state *state = opaque;
    return sum_of(state->sampling, groups->count[g], kan_risk_units(state->sampling, groups, g));
}

/* The most that so many rows may add up to, rounded down; fewer than 2^47 rows. */
static kan_u128 most_of(const kan_fraction *most, uint64_t n_rows) {
    enum { HALF = ONE_BITS / 2 };
    kan_u128 rest = (kan_u128)n_rows * most->numerator, sum = 0;
    for (int i = 0; i <= ONE_BITS / HALF; i++) { /* long division, HALF bits at a time */
        sum = sum << HALF | rest / most->denominator;
        rest = rest % most->denominator << HALF;
    }
    return sum;
}

static bool holds(const void *opaque, const kan_groups_left *left) {
    return left->risk <= most_of(&((const model_state *)opaque)->most, left->n_rows);
}

/* Any group is a part of the table, whose rows have the least risk of all. */
static kan_status check_possible(kan_run *run, const void *opaque, const kan_problem *problem,
                                 uint64_t limit) {
    const model_state *state = opaque;
    const kan_sampling *sampling = state->sampling;
    const kan_groups_left all = {.n_groups = 1,
                                 .n_rows = problem->n_rows,
                                 .risk = sum_of(sampling, problem->n_rows, sampling->total)};
    if (limit >= problem->n_rows || holds(state, &all))
        return KAN_OK;
    return kan_fail(
        run, KAN_UNSATISFIED,
        "--global-risk %s: all rows in one group have a risk of %.6g each, and no release has "
        "less; ask for more than that",
        state->text, kan_risk_of_rows(problem->n_rows, (double)sampling->total / sampling->one));
}

static uint64_t least_size(const void *state) {
    (void)state;
    return 1;
}

const kan_privacy_kind kan_privacy_global_risk = {
    .kind = {.name = "global-risk",
             .summary = "the mean individual risk of released rows by sampling weights has a limit",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Franconi, Polettini 2004"},
    .title = "Few of a survey are found",
    .words = "In a survey each row stands for several people, as many as its weight says. Over all "
             "released rows, the mean chance that somebody who knows a person finds her row is at "
             "most this. It says nothing about single people: promise the risk of every row in "
             "addition, or k. The table needs a column of sampling weights.",
    .tries = {"global-risk 0.01", "global-risk 0.001"},
    .survives_merge = true,
    .needs_tallies = true,
    .needs_weights = true,
    .needs_room = true,
    .create = create,
    .check_possible = check_possible,
    .least_size = least_size,
    .holds = holds,
    .risk_of = risk_of,
};
