/* delta-disclosure privacy: in every group each sensitive value of the table has about the share
 * that it has in the whole table: |log2(share in group / share in table)| < D (Brickell and
 * Shmatikov). The logarithm is that of base 2. A value of the table that a group lacks has the
 * logarithm of 0 there, so the group fails.
 *
 * Let a group of n rows have a rows of a value, the table of N rows b. The ratio of its shares is
 * a N / (b n). A group passes when of every value
 *
 *   a N < 2^D b n    and    b n < 2^D a N
 *
 * Why a merge keeps it: both sides of each inequality add up. A failing group can spoil a passing
 * one. The table as a whole has the ratio 1 everywhere.
 *
 * Where D is a whole number this is exact. Any other 2^D is irrational, and no ratio is equal to
 * it: it is rounded down to W / 2^32, and less by one unit more than the library's exp2 could be
 * wrong by. So no group passes that fails, and one whose ratio is nearer to 2^D than 2^-32 of it
 * may fail; a ratio of 1 always passes. A D above 32 says nothing to a table of fewer than 2^32
 * rows, in which no ratio is larger, and counts as 32 in all others. Products are below 2^127 with
 * fewer than 2^47 rows, which is all that can be recounted. Linear in the tallies. */
#include <math.h>

#include "privacy/largest_part.h"
#include "privacy/privacy.h"
#include "privacy/sensitive.h"

enum { UNIT_BITS = 32, PART_BITS = 20, MOST_D = 32 };

typedef struct {
    unsigned tail;
    uint64_t all;         /* N: rows, or with --person the pairs of person and value */
    const uint64_t *rows; /* b of each value */
    size_t n_present;     /* values that have a row */
    kan_part_shares part;
} column_state;

typedef struct {
    bool is_whole;  /* D is: the bound itself is too much */
    uint64_t bound; /* the ratio is below bound / 2^shift; where D is not whole, or equal to it */
    unsigned shift;
    unsigned n;
    column_state columns[KAN_MAX_TAILS];
} model_state;

static const kan_option_spec options[] = {
    {.name = "delta-disclosure",
     .argument = "[NAME=]D",
     .summary = "the shares of every sensitive value in a group and in the whole table differ by a "
                "factor below 2 to the power of D, such as 1; no group may lack a value",
     .is_per_column = true,
     .type = KAN_OPTION_REAL,
     .traits = KAN_TRAIT_SHOWN | KAN_TRAITS_OF_VALUES,
     .least = 0,
     .words = "the factor, as a power of two: 1 allows half to twice as frequent"},
};

/* ---- creating ------------------------------------------------------------------------------- */

static void bound_ratio(const kan_fraction *d, model_state *made) {
    const uint64_t whole = d->numerator / d->denominator;
    made->is_whole = d->denominator == 1 || whole >= MOST_D;
    if (made->is_whole) {
        made->bound = UINT64_C(1) << (whole < MOST_D ? whole : MOST_D);
        return;
    }
    const double part = (double)(d->numerator % d->denominator) / (double)d->denominator;
    const uint64_t one = UINT64_C(1) << UNIT_BITS;
    const uint64_t units = (uint64_t)(exp2(part) * (double)one) - 1;
    made->bound = units > one ? units : one;
    made->shift = UNIT_BITS - (unsigned)whole;
}

/* Of Y rows no more than c_v are of a value, and no more than the bound lets be: shares are those of
 * N rows in units of 2^-20, rounded up. */
static kan_status share_parts(kan_arena *arena, const model_state *state, uint32_t n_values,
                              column_state *column) {
    const kan_u128 rest = ((kan_u128)1 << state->shift) - 1;
    uint64_t *share;
    if (column->all >> (62 - PART_BITS) > 0)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(arena, n_values, sizeof *share, &share));
    const uint64_t whole = column->all << PART_BITS;
    for (uint32_t value = 0; value < n_values; value++) {
        const kan_u128 most =
            (((kan_u128)column->rows[value] * state->bound << PART_BITS) + rest) >> state->shift;
        share[value] = most < whole ? (uint64_t)most : whole;
    }
    column->part = (kan_part_shares){.share = share, .unit = whole, .whole = whole};
    return KAN_OK;
}

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *given,
                         const kan_problem *problem, void **out) {
    model_state *made;
    kan_sensitive sensitive;
    kan_fraction d;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *made, &made));
    KAN_TRY(kan_fraction_read(run, given, "delta-disclosure", &d));
    if (d.numerator == 0)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--delta-disclosure: nothing differs by less than 0; write a decimal above "
                        "0, such as 1: no share is halved or doubled");
    KAN_TRY(kan_sensitive_find(run, problem, "delta-disclosure", &sensitive));
    bound_ratio(&d, made);
    for (; made->n < sensitive.n; made->n++) {
        column_state *column = &made->columns[made->n];
        column->tail = sensitive.tails[made->n];
        column->rows = problem->tail_rows[column->tail];
        column->all = kan_problem_tail_total(problem, column->tail);
        const uint32_t n = kan_sensitive_values(problem, column->tail);
        for (uint32_t code = 0; code < n; code++)
            column->n_present += column->rows[code] > 0;
        KAN_TRY(share_parts(arena, made, n, column));
    }
    *out = made;
    return KAN_OK;
}

/* What the table has decides how small a group may be; nobody may read that from the least size,
 * which reports tell. */
static uint64_t least_size(const void *state) {
    (void)state;
    return 1;
}

/* ---- the model ------------------------------------------------------------------------------ */

static bool is_below(const model_state *state, kan_u128 share, kan_u128 other) {
    const kan_u128 left = share << state->shift, right = other * state->bound;
    return state->is_whole ? left < right : left <= right;
}

static bool group_passes(const model_state *state, const column_state *column,
                         const kan_tally *tally, size_t g, uint64_t total) {
    const size_t first = tally->start[g], end = tally->start[g + 1];
    if (end - first < column->n_present)
        return false;
    for (size_t i = first; i < end; i++) {
        const kan_u128 here = (kan_u128)tally->count[i] * column->all;
        const kan_u128 whole = (kan_u128)column->rows[tally->value[i]] * total;
        if (!is_below(state, here, whole) || !is_below(state, whole, here))
            return false;
    }
    return true;
}

/* A group that lacks a value has no part with it. A part of Y rows has enough of a value, of which
 * the group has a rows, while b Y is not above f a N, f being the bound. Rounded so that nothing
 * rests on whether the bound itself passes. */
static uint64_t largest_part(const model_state *state, const column_state *column,
                             const kan_tally *tally, size_t g, uint64_t total) {
    const size_t first = tally->start[g], end = tally->start[g + 1];
    kan_u128 part = total;
    if (end - first < column->n_present)
        return 0;
    for (size_t i = first; i < end; i++) {
        const kan_u128 may = (kan_u128)tally->count[i] * column->all * state->bound;
        const kan_u128 rows = (kan_u128)column->rows[tally->value[i]] << state->shift;
        if (rows > 0 && part * rows > may)
            part = may / rows;
    }
    return kan_largest_part(&column->part, tally->value + first, tally->count + first, end - first,
                            (uint64_t)part);
}

static uint64_t excess(const void *opaque, const kan_groups *groups, size_t g) {
    const model_state *state = opaque;
    uint64_t most = 0;
    for (unsigned i = 0; i < state->n; i++) {
        const column_state *column = &state->columns[i];
        const uint64_t total = kan_groups_total(groups, column->tail, g);
        const uint64_t rows =
            total - largest_part(state, column, &groups->tallies[column->tail], g, total);
        most = rows > most ? rows : most;
    }
    return most;
}

static void check(const void *opaque, const kan_groups *groups, size_t first, size_t end,
                  uint8_t *ok) {
    const model_state *state = opaque;
    for (unsigned i = 0; i < state->n; i++) {
        const kan_tally *tally = &groups->tallies[state->columns[i].tail];
        for (size_t g = first; g < end; g++)
            ok[g] = ok[g] && group_passes(state, &state->columns[i], tally, g,
                                          kan_groups_total(groups, state->columns[i].tail, g));
    }
}

const kan_privacy_kind kan_privacy_delta_disclosure = {
    .kind = {.name = "delta-disclosure",
             .summary =
                 "the share of every sensitive value in a group is within a factor of that in the "
                 "whole table",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Brickell, Shmatikov 2008"},
    .title = "No value becomes more or less likely",
    .words = "The share of every sensitive value in a group is within a factor of that in the "
             "whole table, "
             "upwards and downwards. No group may lack a value: the strictest of these.",
    .tries = {"delta-disclosure 2", "delta-disclosure 1"},
    .survives_merge = true,
    .needs_tallies = true,
    .counts_people = true,
    .is_relative = true,
    .create = create,
    .least_size = least_size,
    .check = check,
    .excess = excess,
};
