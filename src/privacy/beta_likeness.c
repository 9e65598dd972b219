/* beta-likeness: nobody becomes much more likely to have a sensitive value by being in a group (Cao
 * and Karras). With p the share of a value in the whole table and q its share in a group,
 *
 *   basic      (q - p) / p <= B
 *   enhanced   (q - p) / p <= min(B, -ln p)   the default: what is frequent may gain less
 *
 * for every value. A value may become rarer, or be absent: that is not limited.
 *
 * Let a group of n rows have a rows of a value, the table of N rows b. With B = T/D the first is
 * D a N <= (T + D) b n, whole numbers of 128 bits; create() refuses a table and a B with which
 * these could overflow. Of the second, a N - b n <= ln(N/b) b n, the logarithm is irrational unless
 * it is 0: it is rounded down to units of 2^-32, less one unit, which is more than the library's
 * log could be wrong by. So no group passes that fails, and one whose gain is within 2^-31 of the
 * logarithm may fail.
 *
 * Why a merge keeps it: both sides of each inequality add up. A failing group can spoil a passing
 * one. The table as a whole gains nothing. Linear in the tallies. */
#include <math.h>
#include <string.h>

#include "privacy/largest_part.h"
#include "privacy/privacy.h"
#include "privacy/sensitive.h"

enum { UNIT_BITS = 32, PART_BITS = 20, MOST_LOG_BITS = 38 }; /* ln(2^47) < 33 */

typedef struct {
    unsigned tail;
    uint64_t all;         /* N: rows, or with --person the pairs of person and value */
    const uint64_t *rows; /* b of each value */
    const uint64_t *log;  /* enhanced: of each value ln(N/b) in units; NULL: basic */
    kan_part_shares part;
} column_state;

typedef struct {
    kan_u128 most;  /* T + D */
    uint64_t parts; /* D */
    unsigned n;
    column_state columns[KAN_MAX_TAILS];
} model_state;

static const kan_option_spec options[] = {
    {.name = "beta",
     .argument = "[NAME=]B",
     .summary = "no sensitive value is more frequent in a group than in the whole table by more "
                "than B times its share there: with 1, at most twice as frequent",
     .is_per_column = true,
     .type = KAN_OPTION_REAL,
     .traits = KAN_TRAIT_SHOWN | KAN_TRAITS_OF_VALUES,
     .least = 0,
     .words = "how much more frequent a value may be: 1 is twice as frequent"},
    {.name = "beta-kind",
     .argument = "[NAME=]KIND",
     .summary = "how much more frequent a value may be: enhanced (B, and no more than -ln of its "
                "share in the table) or basic (only B)",
     .is_per_column = true,
     .type = KAN_OPTION_CHOICE,
     .traits = KAN_TRAIT_SHOWN | KAN_TRAITS_OF_VALUES,
     .choices = "enhanced|basic",
     .fallback = "enhanced",
     .words = "for values that are frequent anyway"},
};

/* ---- creating ------------------------------------------------------------------------------- */

static unsigned bits_of(kan_u128 number) {
    unsigned bits = 0;
    for (; number; number >>= 1)
        bits++;
    return bits;
}

static kan_status check_room(kan_run *run, const model_state *state, uint64_t all,
                             bool is_enhanced) {
    unsigned bits = bits_of(state->most);
    if (is_enhanced && bits < MOST_LOG_BITS)
        bits = MOST_LOG_BITS;
    if (bits + 2 * bits_of(all) <= 127)
        return KAN_OK;
    return kan_fail(run, KAN_BAD_INPUT,
                    "--beta: shares cannot be compared exactly for so many rows; write beta with "
                    "fewer digits");
}

static kan_status find_logs(kan_arena *arena, uint32_t n_values, column_state *column) {
    uint64_t *log_of;
    KAN_TRY(kan_arena_alloc(arena, n_values, sizeof *log_of, &log_of));
    for (uint32_t code = 0; code < n_values; code++) {
        const uint64_t rows = column->rows[code];
        if (rows == 0)
            continue;
        const double units = ldexp(log((double)column->all / (double)rows), UNIT_BITS);
        log_of[code] = units > 1 ? (uint64_t)units - 1 : 0;
    }
    column->log = log_of;
    return KAN_OK;
}

/* The most rows of a value in a part of N rows, in units of 2^-20, rounded up. */
static uint64_t most_rows(const model_state *state, const column_state *column, uint32_t value) {
    const kan_u128 may = column->rows[value] * state->most;
    kan_u128 most = (kan_u128)column->all << PART_BITS;
    if (may < (kan_u128)column->all * state->parts)
        most = ((may << PART_BITS) + state->parts - 1) / state->parts;
    if (!column->log)
        return (uint64_t)most;
    const unsigned shift = UNIT_BITS - PART_BITS;
    const kan_u128 gained =
        (kan_u128)column->rows[value] * ((UINT64_C(1) << UNIT_BITS) + column->log[value]);
    const kan_u128 by_log = (gained + (UINT64_C(1) << shift) - 1) >> shift;
    return (uint64_t)(by_log < most ? by_log : most);
}

/* Of Y rows no more than c_v are of a value, and no more than its most of N rows lets be of Y. */
static kan_status share_parts(kan_arena *arena, const model_state *state, uint32_t n_values,
                              column_state *column) {
    uint64_t *share;
    if (column->all >> (62 - PART_BITS) > 0)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(arena, n_values, sizeof *share, &share));
    for (uint32_t value = 0; value < n_values; value++)
        share[value] = most_rows(state, column, value);
    column->part = (kan_part_shares){
        .share = share, .unit = column->all << PART_BITS, .whole = column->all << PART_BITS};
    return KAN_OK;
}

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *given,
                         const kan_problem *problem, void **out) {
    model_state *made;
    kan_sensitive sensitive;
    kan_fraction beta;
    const char *kind = kan_options_find(given, "beta-kind");
    const bool is_enhanced = !kind || strcmp(kind, "enhanced") == 0;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *made, &made));
    KAN_TRY(kan_fraction_read(run, given, "beta", &beta));
    KAN_TRY(kan_sensitive_find(run, problem, "beta", &sensitive));
    made->parts = beta.denominator;
    made->most = (kan_u128)beta.numerator + beta.denominator;
    for (; made->n < sensitive.n; made->n++) {
        column_state *column = &made->columns[made->n];
        column->tail = sensitive.tails[made->n];
        column->rows = problem->tail_rows[column->tail];
        column->all = kan_problem_tail_total(problem, column->tail);
        KAN_TRY(check_room(run, made, column->all, is_enhanced));
        const uint32_t n = kan_sensitive_values(problem, column->tail);
        if (is_enhanced)
            KAN_TRY(find_logs(arena, n, column));
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

static bool group_passes(const model_state *state, const column_state *column,
                         const kan_tally *tally, size_t g, uint64_t total) {
    for (size_t i = tally->start[g]; i < tally->start[g + 1]; i++) {
        const uint32_t value = tally->value[i];
        const kan_u128 here = (kan_u128)tally->count[i] * column->all;
        const kan_u128 whole = (kan_u128)column->rows[value] * total;
        if (here <= whole)
            continue;
        if (here * state->parts > whole * state->most)
            return false;
        if (column->log && (here - whole) << UNIT_BITS > whole * column->log[value])
            return false;
    }
    return true;
}

static uint64_t excess(const void *opaque, const kan_groups *groups, size_t g) {
    const model_state *state = opaque;
    uint64_t most = 0;
    for (unsigned i = 0; i < state->n; i++) {
        const column_state *column = &state->columns[i];
        const kan_tally *tally = &groups->tallies[column->tail];
        const size_t first = tally->start[g];
        const uint64_t total = kan_groups_total(groups, column->tail, g);
        const uint64_t rows =
            total - kan_largest_part(&column->part, tally->value + first, tally->count + first,
                                     tally->start[g + 1] - first, total);
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

const kan_privacy_kind kan_privacy_beta_likeness = {
    .kind = {.name = "beta-likeness",
             .summary =
                 "no sensitive value is much more frequent in a group than in the whole table",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Cao, Karras 2012"},
    .title = "No value becomes much more likely",
    .words =
        "A sensitive value may be more frequent in a group than in the whole table, but by no more "
        "than this factor of its share. With 1, at most twice as frequent.",
    .tries = {"beta 4", "beta 2", "beta 1"},
    .survives_merge = true,
    .needs_tallies = true,
    .counts_people = true,
    .is_relative = true,
    .create = create,
    .least_size = least_size,
    .check = check,
    .excess = excess,
};
