/* Household risk: every released household has one of at most R: 1 minus the product of 1 - r over its rows,
 * where r is the individual risk of a row by its sampling weight, or without weights 1 / the rows of its group.
 *
 * It is no model of groups, but of households over groups (search/leavers.h). Each row adds -log(1 - r), so
 * that sums of whole numbers decide, in any order. r falls when a group grows, and so does what it adds, to the
 * last unit. Without weights the sum decides only where it is far from the limit; else fractions are compared,
 * so that a household at R keeps it. With weights what a row adds is rounded up, and R down, by a hair. Proofs
 * are in docs/papers/households.md. */
#include <math.h>

#include "privacy/privacy.h"
#include "privacy/risk_limit.h"
#include "privacy/sensitive.h"

typedef struct {
    const kan_sampling *sampling; /* NULL: each row has 1 / the rows of its group */
    kan_fraction most;
    kan_u128 low,
        high; /* a sum up to `low` keeps it, one above `high` does not; else it is close */
} model_state;

static const kan_option_spec options[] = {
    {.name = "household-risk",
     .argument = "R",
     .summary = "every released household (--household) has a risk of at most R, above 0 to 1: 1 "
                "minus the "
                "product of 1 - r over its rows, by weights (--sampling-weight), or r = 1 / rows "
                "that look alike",
     .type = KAN_OPTION_REAL,
     .traits = KAN_TRAIT_SHOWN,
     .least = 0,
     .most = 1,
     .words = "risk of a household at most, above 0 to 1"},
};

/* ---- what a row adds ------------------------------------------------------------------------ */

enum { SCALE = 80 };
#define NEVER ((kan_u128)1 << 90) /* of a row that is found for certain */

static kan_u128 whole_up(double number) {
    const double scaled = ceil(ldexp(number, SCALE));
    return scaled >= ldexp(1, 90) ? NEVER : (kan_u128)scaled;
}
static kan_u128 whole_down(double number) {
    const double scaled = floor(ldexp(number, SCALE));
    return scaled >= ldexp(1, 120) ? (kan_u128)1 << 120 : (kan_u128)scaled;
}

/* The risk, a little up, in steps of 2^-40 of it: so small a number of them that rounding never turns two
 * of them about. */
static double step_up(double risk) {
    enum { STEPS = 40 };
    int e;
    const double m = frexp(risk * (1 + 2e-12), &e);
    return ldexp(ceil(ldexp(m, STEPS)), e - STEPS);
}

/* Rows in steps that are wide enough for the risk to fall from each to the next by more than it is rounded. */
static uint64_t step_of_rows(uint64_t f) {
    enum { EXACT = 17, MOST = 29, SCALED = 32 };
    unsigned bits = 0;
    while (f >> (bits + 1))
        bits++;
    if (bits < EXACT)
        return f;
    if (bits >= MOST)
        return UINT64_C(1) << MOST;
    const unsigned shift = 2 * bits - SCALED;
    return f >> shift << shift;
}

/* The same of what they stand for: 32 digits of it. */
static kan_u128 step_of_units(kan_u128 units) {
    enum { DIGITS = 32 };
    unsigned shift = 0;
    while (units >> shift >> DIGITS)
        shift++;
    return units >> shift << shift;
}

static double weighted_risk(const kan_sampling *sampling, uint64_t f, uint64_t units) {
    const kan_u128 rows = (kan_u128)f * (uint64_t)sampling->one;
    const uint64_t few = step_of_rows(f);
    const kan_u128 stand = step_of_units(units > rows ? units : rows);
    const double most = 1 / (double)f;
    const double risk = kan_risk_of_rows(few, (double)stand / sampling->one);
    return risk < most ? risk : most;
}

static uint64_t units_of(const model_state *state, const kan_groups *groups, size_t g) {
    const kan_tally *tally = &groups->tallies[state->sampling->tail];
    uint64_t units = 0;
    for (size_t i = tally->start[g]; i < tally->start[g + 1]; i++)
        units += tally->count[i] * state->sampling->units[tally->value[i]];
    return units;
}

static kan_u128 household_part(const void *opaque, const kan_groups *groups, size_t g) {
    const model_state *state = opaque;
    const uint64_t f = groups->count[g];
    const double risk = state->sampling
                            ? step_up(weighted_risk(state->sampling, f, units_of(state, groups, g)))
                            : 1 / (double)f;
    return risk >= 1 ? NEVER : whole_up(kan_risk_minus_log_rest(risk));
}

/* ---- whether a household keeps it ----------------------------------------------------------- */

static bool sum_decides(const void *opaque, kan_u128 parts, bool *keeps) {
    const model_state *state = opaque;
    *keeps = parts <= state->low;
    return parts <= state->low || parts > state->high;
}

/* A whole number in limbs, the least first. */
typedef struct {
    uint64_t limbs[2048];
    size_t n;
    bool is_too_large;
} number;

static void multiply(number *x, uint64_t by) {
    uint64_t carry = 0;
    for (size_t i = 0; i < x->n; i++) {
        const kan_u128 product = (kan_u128)x->limbs[i] * by + carry;
        x->limbs[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    if (carry == 0)
        return;
    x->is_too_large |= x->n == sizeof x->limbs / sizeof *x->limbs;
    if (!x->is_too_large)
        x->limbs[x->n++] = carry;
}

static int compare(const number *a, const number *b) {
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (size_t i = a->n; i-- > 0;)
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

/* The product of 1 - 1 / f is at least 1 - R, as whole numbers. No factor is 0: that is not close. */
static bool household_keeps(const void *opaque, const kan_household_rows *rows) {
    const model_state *state = opaque;
    number rest = {.limbs = {state->most.denominator}, .n = 1};
    number least = {.limbs = {state->most.denominator - state->most.numerator}, .n = 1};
    for (size_t i = 0; i < rows->n; i++)
        for (uint64_t t = 0; t < rows->times[i]; t++) {
            multiply(&rest, rows->sizes[i] - 1);
            multiply(&least, rows->sizes[i]);
            if (rest.is_too_large || least.is_too_large)
                return false;
        }
    return compare(&rest, &least) >= 0;
}

/* ---- the kind ------------------------------------------------------------------------------- */

/* -log(1 - R) from both sides; with weights from below alone. */
static void find_limits(model_state *state) {
    static const double hair = 1e-13, wide = 1e-11;
    const double n = (double)state->most.numerator, d = (double)state->most.denominator;
    const double rest = (double)(state->most.denominator - state->most.numerator);
    const double most = 2 * n <= d ? kan_risk_minus_log_rest(n / d) : kan_risk_minus_log(rest / d);
    state->low = whole_down(most * (1 - (state->sampling ? hair : wide)));
    state->high = state->sampling ? state->low : whole_down(most * (1 + wide));
}

/* Whether some row stands for more than itself: else every risk is 1 / rows. */
static bool weights_matter(const kan_sampling *sampling) {
    bool matter = false;
    for (uint32_t v = 0; sampling && v < sampling->n_values; v++)
        matter |= (double)sampling->units[v] > sampling->one;
    return matter;
}

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *given,
                         const kan_problem *problem, void **out) {
    model_state *made;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *made, &made));
    KAN_TRY(kan_fraction_read(run, given, "household-risk", &made->most));
    if (made->most.numerator == 0)
        return kan_fail(
            run, KAN_BAD_INPUT,
            "--household-risk: no household has a risk of 0; write a number above 0, such "
            "as 0.1");
    if (!problem->counts_rows)
        return kan_fail(
            run, KAN_BAD_INPUT,
            "--household-risk: which rows are one household's? name the column that says "
            "so with --household NAME");
    made->sampling = weights_matter(problem->sampling) ? problem->sampling : NULL;
    if (made->most.numerator == made->most.denominator)
        made->low = made->high = ~(kan_u128)0;
    else
        find_limits(made);
    *out = made;
    return KAN_OK;
}

/* Nobody of a smaller group keeps it, whatever the household has besides, where a risk is 1 / rows. */
static uint64_t least_size(const void *opaque) {
    const model_state *state = opaque;
    return state->sampling ? 1 : (state->most.denominator - 1) / state->most.numerator + 1;
}

const kan_privacy_kind kan_privacy_household_risk = {
    .kind = {.name = "household-risk",
             .summary = "every released household has a risk of at most R, by all of its rows",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "docs/papers/households.md"},
    .title = "No household is easily found",
    .words =
        "A household is recognised when any of its members is, so that large ones are found "
        "more easily. Somebody who looks for a household finds one of its rows with at most this "
        "probability. The table needs a column that identifies the household.",
    .survives_merge = true,
    .absorbs_any = true,
    .needs_tallies = true,
    .needs_weights = true,
    .create = create,
    .least_size = least_size,
    .household_part = household_part,
    .sum_decides = sum_decides,
    .household_keeps = household_keeps,
};
