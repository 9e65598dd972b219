/* l-diversity: the sensitive values of a group are at least l, well represented (Machanavajjhala,
 * Gehrke, Kifer, Venkitasubramaniam; named in alpha-k.txt).
 *
 *   distinct    at least l different values
 *   entropy     the entropy of their shares is at least log l
 *   recursive   r_1 < c (r_l + ... + r_m), r_i being the rows of the i-th most frequent value
 *
 * Why a merge keeps them: values only become more; entropy is concave, so the merged group has at
 * least the mean of both; and of recursive both sides add up, for the most frequent l - 1 values of
 * the merged group have no more rows than those of its parts together. One more row of the most
 * frequent value can spoil the last two, so they absorb nothing.
 *
 * Distinct and recursive are whole numbers. Entropy is a sum of logarithms, and is compared with a
 * tolerance of 1e-9, so that l values with equal shares pass whatever their number of rows. Linear
 * in the tallies; recursive times the logarithm of the largest count. */
#include <math.h>
#include <stdio.h>

#include "privacy/privacy.h"
#include "privacy/sensitive.h"

#define TOLERANCE 1e-9

typedef enum { DISTINCT, ENTROPY, RECURSIVE } form;

typedef struct {
    form form;
    uint64_t l;
    double log_l;   /* less the tolerance */
    kan_fraction c; /* recursive */
    kan_sensitive sensitive;
} state_of;

static const kan_option_spec options[] = {
    {.name = "l",
     .argument = "N",
     .summary = "every group has at least N different sensitive values",
     .type = KAN_OPTION_COUNT,
     .least = 1},
    {.name = "l-kind",
     .argument = "KIND",
     .summary = "how they are counted, distinct, entropy or recursive: different ones; entropy at "
                "least log N; or the most frequent below c times all from the N-th on",
     .type = KAN_OPTION_CHOICE,
     .choices = "distinct|entropy|recursive",
     .fallback = "distinct"},
    {.name = "c",
     .argument = "C",
     .summary = "the c of --l-kind recursive, a decimal above 0",
     .type = KAN_OPTION_REAL,
     .least = 0},
};

static kan_status read_c(kan_run *run, const kan_options *given, state_of *made) {
    const bool has_c = kan_options_find(given, "c") != NULL;
    if (made->form != RECURSIVE) {
        if (has_c)
            kan_note(run, "--c does nothing without --l-kind recursive");
        return KAN_OK;
    }
    if (!has_c)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--l-kind recursive: the most frequent value must be below c times the "
                        "rest; say how much with --c C, such as --c 2");
    KAN_TRY(kan_fraction_read(run, given, "c", &made->c));
    if (made->c.numerator == 0)
        return kan_fail(run, KAN_BAD_INPUT, "--c: no group can keep it with 0; write one above 0");
    return KAN_OK;
}

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *given,
                         const kan_problem *problem, void **state) {
    state_of *made;
    const char *kind = kan_options_find(given, "l-kind");
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *made, &made));
    made->l = kan_options_count(given, "l", 1);
    made->log_l = log((double)made->l) - TOLERANCE;
    made->form = !kind || kind[0] == 'd' ? DISTINCT : kind[0] == 'e' ? ENTROPY : RECURSIVE;
    KAN_TRY(read_c(run, given, made));
    KAN_TRY(kan_sensitive_find(run, problem, "l", &made->sensitive));
    *state = made;
    return KAN_OK;
}

/* Each of the l values has a row. */
static uint64_t least_size(const void *state) {
    return ((const state_of *)state)->l;
}

static void flags(const void *state, bool *survives_merge, bool *absorbs_any) {
    *survives_merge = true;
    *absorbs_any = ((const state_of *)state)->form == DISTINCT;
}

static bool has_entropy(const state_of *state, const uint64_t *counts, size_t n, uint64_t n_rows) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)counts[i] * log((double)counts[i]);
    return log((double)n_rows) - sum / (double)n_rows >= state->log_l;
}

/* The rows of the l - 1 largest counts, l - 1 < n: those above a threshold, and of those at it as
 * many as are missing. No room is needed to sort in. */
static uint64_t largest_rows(const uint64_t *counts, size_t n, uint64_t n_largest, uint64_t most) {
    uint64_t low = 0, high = most; /* more than n_largest are above `low`, not so above `high` */
    uint64_t rows = 0, n_above = 0;
    while (low + 1 < high) {
        const uint64_t middle = low + (high - low) / 2;
        uint64_t above = 0;
        for (size_t i = 0; i < n; i++)
            above += counts[i] > middle;
        if (above > n_largest)
            low = middle;
        else
            high = middle;
    }
    for (size_t i = 0; i < n; i++) {
        n_above += counts[i] > high;
        rows += counts[i] > high ? counts[i] : 0;
    }
    return rows + (n_largest - n_above) * high;
}

static bool is_recursive(const state_of *state, const uint64_t *counts, size_t n, uint64_t n_rows) {
    uint64_t most = 0;
    for (size_t i = 0; i < n; i++)
        most = counts[i] > most ? counts[i] : most;
    const uint64_t rest = n_rows - largest_rows(counts, n, state->l - 1, most);
    return (kan_u128)most * state->c.denominator < (kan_u128)rest * state->c.numerator;
}

static bool values_pass(const state_of *state, const uint64_t *counts, size_t n, uint64_t n_rows) {
    if (n < state->l)
        return false;
    switch (state->form) {
    case DISTINCT:
        return true;
    case ENTROPY:
        return has_entropy(state, counts, n, n_rows);
    case RECURSIVE:
        return is_recursive(state, counts, n, n_rows);
    }
    return false;
}

static void check(const void *opaque, const kan_groups *groups, size_t first, size_t end,
                  uint8_t *ok) {
    const state_of *state = opaque;
    for (unsigned i = 0; i < state->sensitive.n; i++) {
        const kan_tally *tally = &groups->tallies[state->sensitive.tails[i]];
        for (size_t g = first; g < end; g++)
            ok[g] = ok[g] && values_pass(state, tally->count + tally->start[g],
                                         tally->start[g + 1] - tally->start[g], groups->count[g]);
    }
}

/* ---- what is possible ----------------------------------------------------------------------- */

/* The most l with which one column as a whole passes; 0 when none does. */
static uint64_t most_l(const state_of *state, const kan_problem *problem, unsigned tail) {
    const uint32_t n = kan_sensitive_column(problem, tail)->dictionary.n;
    uint64_t low = 0, high = (uint64_t)n + 1; /* passes, does not: less is asked of a lower l */
    while (low + 1 < high) {
        state_of with = *state;
        with.l = low + (high - low) / 2;
        with.log_l = log((double)with.l) - TOLERANCE;
        if (values_pass(&with, problem->tail_rows[tail], n, problem->n_rows))
            low = with.l;
        else
            high = with.l;
    }
    return low;
}

/* Where nothing is suppressed all groups together are the table, which then passes; and no group
 * has a value that the table lacks, whatever is suppressed. */
static kan_status check_possible(kan_run *run, const void *opaque, const kan_problem *problem,
                                 uint64_t limit) {
    const state_of *state = opaque;
    uint64_t most = UINT64_MAX;
    unsigned worst = 0;
    char quoted[256];
    if (limit >= problem->n_rows)
        return KAN_OK;
    for (unsigned i = 0; i < state->sensitive.n; i++) {
        const unsigned tail = state->sensitive.tails[i];
        const uint64_t here = limit == 0 ? most_l(state, problem, tail)
                                         : kan_sensitive_column(problem, tail)->dictionary.n;
        worst = here < most ? tail : worst;
        most = here < most ? here : most;
    }
    if (state->l <= most)
        return KAN_OK;
    kan_quote(kan_slice_of(kan_sensitive_column(problem, worst)->name), quoted);
    if (most == 0)
        return kan_fail(run, KAN_UNSATISFIED,
                        "--l %llu: in the whole table the most frequent value of column %s has "
                        "too many rows for any l with this --c; ask for a larger c",
                        (unsigned long long)state->l, quoted);
    return kan_fail(run, KAN_UNSATISFIED,
                    "--l %llu: the whole table does not have that in column %s; the most l that is "
                    "possible is %llu",
                    (unsigned long long)state->l, quoted, (unsigned long long)most);
}

const kan_privacy_kind kan_privacy_l_diversity = {
    .kind = {"l-diversity", "every released group has at least l sensitive values", options,
             sizeof options / sizeof *options},
    .survives_merge = true,
    .needs_tallies = true,
    .create = create,
    .flags = flags,
    .check_possible = check_possible,
    .least_size = least_size,
    .check = check,
};
