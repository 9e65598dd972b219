/* l-diversity: the sensitive values of a group are at least l, well represented (Machanavajjhala,
 * Gehrke, Kifer, Venkitasubramaniam; named in alpha-k.txt).
 *
 *   distinct    at least l different values
 *   entropy     the entropy of their shares is at least log l; l may be a decimal, such as 1.5
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
    uint64_t l;       /* as many different values at least; a decimal rounded up */
    double log_l;     /* of the l that was written, less the tolerance */
    const char *text; /* as it was written */
    kan_fraction c;   /* recursive */
    kan_sensitive sensitive;
} model_state;

static const kan_option_spec options[] = {
    {.name = "l",
     .argument = "[NAME=]L",
     .summary = "every group has at least L different sensitive values; a whole number, except "
                "with --l-kind entropy",
     .is_per_column = true,
     .type = KAN_OPTION_REAL,
     .traits = KAN_TRAIT_SHOWN | KAN_TRAIT_EVERYDAY | KAN_TRAITS_OF_VALUES,
     .least = 1,
     .words = "at least this many different values in each group"},
    {.name = "l-kind",
     .argument = "[NAME=]KIND",
     .summary = "how values are counted: distinct (different ones), entropy (at least log L) or "
                "recursive (the most frequent is below c times all from the L-th on)",
     .is_per_column = true,
     .type = KAN_OPTION_CHOICE,
     .traits = KAN_TRAIT_SHOWN | KAN_TRAITS_OF_VALUES,
     .choices = "distinct|entropy|recursive",
     .fallback = "distinct",
     .words = "how they are counted"},
    {.name = "c",
     .argument = "[NAME=]C",
     .summary = "the c of --l-kind recursive, a decimal above 0",
     .is_per_column = true,
     .type = KAN_OPTION_REAL,
     .traits = KAN_TRAIT_SHOWN | KAN_TRAITS_OF_VALUES,
     .least = 0,
     .words =
         "c, for “recursive”: the most frequent value is rarer than c times all from the l-th on"},
};

static kan_status read_c(kan_run *run, const kan_options *given, model_state *made) {
    const bool has_c = kan_options_find(given, "c") != NULL;
    if (made->form != RECURSIVE) {
        if (has_c)
            kan_note(run, "--c does nothing without --l-kind recursive");
        return KAN_OK;
    }
    if (!has_c)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--l-kind recursive: the most frequent value must be below c times the "
                        "rest; give c with --c C, such as --c 2");
    KAN_TRY(kan_fraction_read(run, given, "c", &made->c));
    if (made->c.numerator == 0)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--c: no group can keep the promise with 0; write a number above 0");
    return KAN_OK;
}

/* Entropy lies between that of one value and that of the next: there decimals say something. Of
 * values that are counted there is no half. */
static kan_status read_l(kan_run *run, const kan_options *given, model_state *made) {
    kan_fraction l = {1, 1};
    made->text = kan_options_find(given, "l");
    if (made->form != ENTROPY) {
        if (!kan_parse_count(made->text, &made->l))
            return kan_fail(run, KAN_BAD_INPUT,
                            "--l: '%s' is not a whole number, and different values are counted; "
                            "write --l 2, or --l-kind entropy, which takes decimals",
                            made->text);
        return KAN_OK;
    }
    KAN_TRY(kan_fraction_read(run, given, "l", &l));
    if (l.numerator < l.denominator)
        return kan_fail(run, KAN_BAD_INPUT, "--l: %s is too small; the minimum is 1", made->text);
    made->l = (l.numerator - 1) / l.denominator + 1;
    made->log_l = log((double)l.numerator / (double)l.denominator) - TOLERANCE;
    return KAN_OK;
}

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *given,
                         const kan_problem *problem, void **out) {
    model_state *made;
    const char *kind = kan_options_find(given, "l-kind");
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *made, &made));
    made->form = !kind || kind[0] == 'd' ? DISTINCT : kind[0] == 'e' ? ENTROPY : RECURSIVE;
    KAN_TRY(read_l(run, given, made));
    KAN_TRY(read_c(run, given, made));
    KAN_TRY(kan_sensitive_find(run, problem, "l", &made->sensitive));
    *out = made;
    return KAN_OK;
}

/* Each of the l values has a row. */
static uint64_t least_size(const void *state) {
    return ((const model_state *)state)->l;
}

static void flags(const void *state, bool *survives_merge, bool *absorbs_any) {
    *survives_merge = true;
    *absorbs_any = ((const model_state *)state)->form == DISTINCT;
}

static bool values_decide(const void *opaque, uint64_t *least) {
    const model_state *state = opaque;
    for (unsigned i = 0; i < state->sensitive.n && state->form == DISTINCT; i++) {
        uint64_t *here = &least[state->sensitive.tails[i]];
        *here = state->l > *here ? state->l : *here;
    }
    return state->form == DISTINCT;
}

static double entropy_of(const uint64_t *counts, size_t n, uint64_t n_rows) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)counts[i] * log((double)counts[i]);
    return log((double)n_rows) - sum / (double)n_rows;
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

static bool is_recursive(const model_state *state, const uint64_t *counts, size_t n,
                         uint64_t n_rows) {
    uint64_t most = 0;
    for (size_t i = 0; i < n; i++)
        most = counts[i] > most ? counts[i] : most;
    const uint64_t rest = n_rows - largest_rows(counts, n, state->l - 1, most);
    return (kan_u128)most * state->c.denominator < (kan_u128)rest * state->c.numerator;
}

static bool values_pass(const model_state *state, const uint64_t *counts, size_t n,
                        uint64_t n_rows) {
    if (n < state->l)
        return false;
    switch (state->form) {
    case DISTINCT:
        return true;
    case ENTROPY:
        return entropy_of(counts, n, n_rows) >= state->log_l;
    case RECURSIVE:
        return is_recursive(state, counts, n, n_rows);
    }
    return false;
}

static void check(const void *opaque, const kan_groups *groups, size_t first, size_t end,
                  uint8_t *ok) {
    const model_state *state = opaque;
    for (unsigned i = 0; i < state->sensitive.n; i++) {
        const kan_tally *tally = &groups->tallies[state->sensitive.tails[i]];
        for (size_t g = first; g < end; g++)
            ok[g] = ok[g] && values_pass(state, tally->count + tally->start[g],
                                         tally->start[g + 1] - tally->start[g],
                                         kan_groups_total(groups, state->sensitive.tails[i], g));
    }
}

/* Entropy is concave: a group of n rows with entropy h that loses s rows has at most n h / (n - s),
 * which is below log l while s < n (1 - h / log l); less a row, so that nothing rests on rounding.
 * The most frequent value can lose a row at a time, and what the values from the l-th on have
 * together never grows. Fewer than l values cannot become l. */
static uint64_t values_excess(const model_state *state, const uint64_t *counts, size_t n,
                              uint64_t n_rows) {
    if (values_pass(state, counts, n, n_rows))
        return 0;
    if (n < state->l || state->form == DISTINCT)
        return n_rows;
    if (state->form == ENTROPY) {
        const double kept = (double)n_rows * (entropy_of(counts, n, n_rows) / state->log_l);
        const double rows = floor((double)n_rows - kept) - 1;
        return rows > 1 ? (uint64_t)rows : 1;
    }
    uint64_t most = 0;
    for (size_t i = 0; i < n; i++)
        most = counts[i] > most ? counts[i] : most;
    const uint64_t rest = n_rows - largest_rows(counts, n, state->l - 1, most);
    /* The first that is too many for the most frequent value; one less may stay. */
    const kan_u128 bound =
        ((kan_u128)rest * state->c.numerator + state->c.denominator - 1) / state->c.denominator;
    return bound > most ? 1 : (uint64_t)(most - bound) + 1;
}

static uint64_t excess(const void *opaque, const kan_groups *groups, size_t g) {
    const model_state *state = opaque;
    uint64_t most = 0;
    for (unsigned i = 0; i < state->sensitive.n; i++) {
        const unsigned tail = state->sensitive.tails[i];
        const kan_tally *tally = &groups->tallies[tail];
        const uint64_t rows =
            values_excess(state, tally->count + tally->start[g],
                          tally->start[g + 1] - tally->start[g], kan_groups_total(groups, tail, g));
        most = rows > most ? rows : most;
    }
    return most;
}

/* ---- what is possible ----------------------------------------------------------------------- */

/* The most l with which one column as a whole passes, to four digits; 0 when none does. */
static double most_l(const model_state *state, const kan_problem *problem, unsigned tail) {
    const uint32_t n = kan_sensitive_values(problem, tail);
    const uint64_t *counts = problem->tail_rows[tail];
    uint64_t low = 0, high = (uint64_t)n + 1; /* passes, does not: less is asked of a lower l */
    if (state->form == ENTROPY)
        return fmin(n, floor(exp(entropy_of(counts, n, problem->n_rows) + TOLERANCE) * 1e4) / 1e4);
    while (low + 1 < high) {
        model_state with = *state;
        with.l = low + (high - low) / 2;
        if (values_pass(&with, counts, n, problem->n_rows))
            low = with.l;
        else
            high = with.l;
    }
    return (double)low;
}

/* Where nothing is suppressed all groups together are the table, which then passes; and no group
 * has a value that the table lacks, whatever is suppressed. */
static bool is_possible(const model_state *state, const kan_problem *problem, unsigned tail,
                        uint64_t limit) {
    const uint32_t n = kan_sensitive_values(problem, tail);
    return limit == 0 ? values_pass(state, problem->tail_rows[tail], n, problem->n_rows)
                      : n >= state->l;
}

static kan_status check_possible(kan_run *run, const void *opaque, const kan_problem *problem,
                                 uint64_t limit) {
    const model_state *state = opaque;
    double most = INFINITY;
    unsigned worst = 0;
    char quoted[256];
    if (limit >= problem->n_rows)
        return KAN_OK;
    for (unsigned i = 0; i < state->sensitive.n; i++) {
        const unsigned tail = state->sensitive.tails[i];
        if (is_possible(state, problem, tail, limit))
            continue;
        const double here =
            limit == 0 ? most_l(state, problem, tail) : kan_sensitive_values(problem, tail);
        worst = here < most ? tail : worst;
        most = here < most ? here : most;
    }
    if (isinf(most))
        return KAN_OK;
    kan_quote(kan_slice_of(kan_sensitive_column(problem, worst)->name), quoted);
    if (most == 0)
        return kan_fail(run, KAN_UNSATISFIED,
                        "--l %s: in the whole table the most frequent value of column %s has "
                        "too many rows for any l with this --c; ask for a larger c",
                        state->text, quoted);
    return kan_fail(
        run, KAN_UNSATISFIED,
        "--l %s: the whole table does not have that in column %s; the largest possible l is %.15g",
        state->text, quoted, most);
}

const kan_privacy_kind kan_privacy_l_diversity = {
    .kind = {.name = "l-diversity",
             .summary = "every released group has at least l sensitive values",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Machanavajjhala et al. 2006",
             .is_everyday = true},
    .title = "A group never agrees on a secret",
    .words =
        "Rows that look alike must differ in the sensitive column: at least l values. Otherwise "
        "somebody who only finds the group already knows the secret of everybody in it.",
    .tries = {"l 2", "l 3", "l 5"},
    .survives_merge = true,
    .counts_people = true,
    .needs_tallies = true,
    .create = create,
    .flags = flags,
    .check_possible = check_possible,
    .values_decide = values_decide,
    .least_size = least_size,
    .check = check,
    .excess = excess,
};
