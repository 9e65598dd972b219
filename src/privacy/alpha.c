/* alpha-deassociation: no sensitive value has more than the share alpha of a group (Wong, Li, Fu,
 * Wang; alpha-k.txt). With k beside it: (alpha,k)-anonymity.
 *
 *   strict    |(E,s)| <= alpha |E|         Definition 4
 *   refined   |(E,s)| <= ceil(alpha |E|)   Definition 5
 *
 * for every value of each sensitive column (the general model, Definition 11), for the values that
 * were named, each by itself, or for those together as one value.
 *
 * alpha is a fraction, and all is counted in whole numbers: 0.1 * 30 in floating point has the
 * wrong ceiling. Merging two strict groups adds both sides of the inequality; ceilings do not add
 * up (alpha 0.5, two groups of 3 rows with 2 sensitive ones each), so refined survives no merge.
 * Linear in the tallies. */
#include <stdio.h>

#include "privacy/privacy.h"
#include "privacy/sensitive.h"

typedef struct {
    kan_fraction alpha;
    bool is_refined, is_combined;
    kan_sensitive sensitive;
    const uint8_t *is_named[KAN_MAX_TAILS]; /* by tail, then value; NULL: every value */
    uint64_t least_size;
    const char *alpha_text;
} model_state;

static const kan_option_spec options[] = {
    {.name = "alpha",
     .argument = "[NAME=]A",
     .summary = "no sensitive value has more than this share of the rows of a group, such as 0.5",
     .is_per_column = true,
     .type = KAN_OPTION_REAL,
     .traits = KAN_TRAIT_SHOWN | KAN_TRAITS_OF_VALUES,
     .least = 0,
     .most = 1,
     .words = "largest share of one value in a group, such as 0.5"},
    {.name = "alpha-value",
     .argument = "VALUE",
     .summary = "the sensitive values that must be rare; all of them unless some are named",
     .type = KAN_OPTION_TEXT,
     .traits = KAN_TRAIT_SHOWN | KAN_TRAITS_OF_VALUES,
     .repeats = true,
     .words = "only these values must be rare; empty: all"},
    {.name = "alpha-combined",
     .summary = "the values named by --alpha-value count together as one",
     .type = KAN_OPTION_SWITCH,
     .traits = KAN_TRAIT_SHOWN | KAN_TRAITS_OF_VALUES,
     .words = "these values count together as one"},
    {.name = "refined",
     .summary = "alpha times the rows of a group is rounded up, so that small groups may have one "
                "row of a rare value; searches that skip what they can infer are then refused",
     .type = KAN_OPTION_SWITCH,
     .traits = KAN_TRAIT_SHOWN | KAN_TRAITS_OF_VALUES,
     .words = "small groups may have one row of a rare value: the share is rounded up"},
};

/* ---- the named values ----------------------------------------------------------------------- */

static kan_status refuse_value(kan_run *run, const kan_problem *problem,
                               const kan_sensitive *sensitive, const char *value) {
    char quoted[256], near[256];
    unsigned least = strlen(value) < 5 ? 2 : 3;
    const char *meant = "";
    for (unsigned i = 0; i < sensitive->n; i++) {
        const kan_dictionary *dictionary =
            &kan_sensitive_column(problem, sensitive->tails[i])->dictionary;
        for (uint32_t code = 0; code < dictionary->n; code++) {
            char known[64];
            kan_slice text = kan_dictionary_value(dictionary, code);
            if (text.size >= sizeof known)
                continue;
            snprintf(known, sizeof known, "%.*s", (int)text.size, text.bytes);
            unsigned distance = kan_edit_distance(value, known);
            if (distance >= least)
                continue;
            least = distance;
            meant = kan_quote(text, near);
        }
    }
    return kan_fail(run, KAN_BAD_INPUT, "--alpha-value: no sensitive column has the value %s%s%s%s",
                    kan_quote(kan_slice_of(value), quoted), meant[0] ? "; did you mean " : "",
                    meant, meant[0] ? "?" : "; values are written as in the table");
}

/* A number that is named is meant however it is spelled. False where the tail does not have it. */
static bool name_value(const kan_dimension *tail, const char *value, uint8_t *is_named) {
    bool is_found = false;
    for (uint32_t v = 0; v < tail->n_values; v++) {
        if (!kan_alike_is_named(tail->column, kan_dimension_text(tail, v), value))
            continue;
        is_found = true;
        if (is_named)
            is_named[v] = 1;
    }
    return is_found;
}

static kan_status name_values(kan_run *run, kan_arena *arena, const kan_options *given,
                              const kan_problem *problem, model_state *made) {
    const size_t n_named = kan_options_count_of(given, "alpha-value");
    uint8_t *is_named[KAN_MAX_TAILS];
    kan_problem whole = *problem; /* a value may be one of a column that has another alpha */
    kan_sensitive all;
    if (n_named == 0)
        return KAN_OK;
    whole.passed_over = problem->left_alone;
    KAN_TRY(kan_sensitive_find(run, &whole, "alpha", &all));
    for (unsigned i = 0; i < made->sensitive.n; i++) {
        const unsigned tail = made->sensitive.tails[i];
        KAN_TRY(kan_arena_alloc(arena, kan_sensitive_values(problem, tail), 1, &is_named[tail]));
        made->is_named[tail] = is_named[tail];
    }
    for (size_t n = 0; n < n_named; n++) {
        const char *value = kan_options_at(given, "alpha-value", n);
        bool is_found = false;
        for (unsigned i = 0; i < all.n; i++) {
            const unsigned tail = all.tails[i];
            is_found |= name_value(kan_sensitive_tail(problem, tail), value,
                                   made->is_named[tail] ? is_named[tail] : NULL);
        }
        if (!is_found)
            return refuse_value(run, problem, &all, value);
    }
    return KAN_OK;
}

/* ---- the model ------------------------------------------------------------------------------ */

static kan_status create(kan_run *run, kan_arena *arena, const kan_options *given,
                         const kan_problem *problem, void **out) {
    model_state *made;
    KAN_TRY(kan_arena_alloc(arena, 1, sizeof *made, &made));
    KAN_TRY(kan_fraction_read(run, given, "alpha", &made->alpha));
    made->is_refined = kan_options_switch(given, "refined");
    made->is_combined = kan_options_switch(given, "alpha-combined");
    made->alpha_text = kan_options_find(given, "alpha");
    if (made->alpha.numerator == 0 || made->alpha.numerator > made->alpha.denominator)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--alpha: %s is not a share that a value can have; write a decimal above 0 "
                        "and not above 1",
                        made->alpha_text);
    KAN_TRY(kan_sensitive_find(run, problem, "alpha", &made->sensitive));
    KAN_TRY(name_values(run, arena, given, problem, made));
    const bool has_named = kan_options_find(given, "alpha-value") != NULL;
    if (made->is_combined && !has_named)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--alpha-combined: no value is named; name those that count together with "
                        "--alpha-value VALUE");
    if (made->is_combined && kan_problem_counts_people(problem))
        return kan_fail(run, KAN_BAD_INPUT,
                        "--alpha-combined: with --person somebody may have several of the named "
                        "values, and would count for each; leave one of the two out");
    /* Some value has a row in every group, unless only named ones count. */
    made->least_size =
        has_named || made->is_refined
            ? 1
            : (made->alpha.denominator + made->alpha.numerator - 1) / made->alpha.numerator;
    *out = made;
    return KAN_OK;
}

static uint64_t least_size(const void *state) {
    return ((const model_state *)state)->least_size;
}

static void flags(const void *state, bool *survives_merge, bool *absorbs_any) {
    *survives_merge = !((const model_state *)state)->is_refined;
    *absorbs_any = false;
}

/* Rows that a value may have in a group of n_rows. */
static uint64_t most_rows(const model_state *state, uint64_t n_rows) {
    const kan_u128 share = (kan_u128)state->alpha.numerator * n_rows;
    const uint64_t parts = state->alpha.denominator;
    const kan_u128 units = share + (state->is_refined ? parts - 1 : 0);
    /* a division of 128 bits costs ten of 64 */
    return units <= UINT64_MAX ? (uint64_t)units / parts : (uint64_t)(units / parts);
}

static bool group_passes(const model_state *state, const kan_tally *tally, const uint8_t *is_named,
                         size_t g, uint64_t most) {
    uint64_t together = 0;
    for (size_t i = tally->start[g]; i < tally->start[g + 1]; i++) {
        if (is_named && !is_named[tally->value[i]])
            continue;
        together = state->is_combined ? together + tally->count[i] : tally->count[i];
        if (together > most)
            return false;
    }
    return true;
}

/* The rows of the most frequent value that counts, or of all that count together. */
static uint64_t frequent_in(const model_state *state, const kan_tally *tally,
                            const uint8_t *is_named, size_t g) {
    uint64_t most = 0, together = 0;
    for (size_t i = tally->start[g]; i < tally->start[g + 1]; i++) {
        if (is_named && !is_named[tally->value[i]])
            continue;
        together = state->is_combined ? together + tally->count[i] : tally->count[i];
        most = together > most ? together : most;
    }
    return most;
}

static void check(const void *opaque, const kan_groups *groups, size_t first, size_t end,
                  uint8_t *ok) {
    const model_state *state = opaque;
    for (size_t g = first; g < end; g++) {
        const uint64_t most = ok[g] ? most_rows(state, groups->count[g]) : 0;
        for (unsigned i = 0; i < state->sensitive.n && ok[g]; i++) {
            const unsigned tail = state->sensitive.tails[i];
            ok[g] = group_passes(state, &groups->tallies[tail], state->is_named[tail], g, most);
        }
    }
}

/* A value with c of n rows has more than the share alpha while it has lost s rows and
 * s (1 - alpha) < c - alpha n. */
static uint64_t excess(const void *opaque, const kan_groups *groups, size_t g) {
    const model_state *state = opaque;
    const uint64_t left = state->alpha.denominator - state->alpha.numerator;
    uint64_t most = 0;
    for (unsigned i = 0; i < state->sensitive.n; i++) {
        const unsigned tail = state->sensitive.tails[i];
        const uint64_t rows = frequent_in(state, &groups->tallies[tail], state->is_named[tail], g);
        most = rows > most ? rows : most;
    }
    const kan_u128 has = (kan_u128)most * state->alpha.denominator;
    const kan_u128 may = (kan_u128)groups->count[g] * state->alpha.numerator;
    return has <= may || left == 0 ? 0 : (uint64_t)((has - may + left - 1) / left);
}

static bool limits(const void *opaque, unsigned tail, uint32_t value) {
    const model_state *state = opaque;
    for (unsigned i = 0; i < state->sensitive.n; i++)
        if (state->sensitive.tails[i] == tail)
            return !state->is_named[tail] || state->is_named[tail][value];
    return false;
}

/* ---- Lemma 1 -------------------------------------------------------------------------------- */

/* The rows of the most frequent value of a column that counts. */
static uint64_t frequent_rows(const model_state *state, const kan_problem *problem, unsigned tail) {
    const uint8_t *is_named = state->is_named[tail];
    const uint32_t n = kan_sensitive_values(problem, tail);
    uint64_t most = 0, together = 0;
    for (uint32_t code = 0; code < n; code++) {
        if (is_named && !is_named[code])
            continue;
        const uint64_t rows = problem->tail_rows[tail][code];
        together = state->is_combined ? together + rows : rows;
        most = together > most ? together : most;
    }
    return most;
}

/* All released groups together have at most the share alpha of each value. At best every row that
 * is suppressed has the value: rows - limit <= alpha (n_rows - limit). Without a limit the table as
 * one group shows that the least alpha is the share itself. */
static kan_status check_possible(kan_run *run, const void *opaque, const kan_problem *problem,
                                 uint64_t limit) {
    const model_state *state = opaque;
    uint64_t most = 0;
    unsigned worst = 0;
    if (state->is_refined || limit >= problem->n_rows)
        return KAN_OK;
    for (unsigned i = 0; i < state->sensitive.n; i++) {
        const uint64_t rows = frequent_rows(state, problem, state->sensitive.tails[i]);
        worst = rows > most ? state->sensitive.tails[i] : worst;
        most = rows > most ? rows : most;
    }
    const uint64_t left = most > limit ? most - limit : 0, released = problem->n_rows - limit;
    if ((kan_u128)left * state->alpha.denominator <= (kan_u128)state->alpha.numerator * released)
        return KAN_OK;
    char least[KAN_FRACTION_BYTES], n_rows[32], all[32], quoted[256];
    const char *name = kan_sensitive_column(problem, worst)->name;
    kan_fraction_text_up(left, released, least);
    kan_count_text(most, n_rows);
    kan_count_text(problem->n_rows, all);
    kan_quote(kan_slice_of(name), quoted);
    if (limit == 0)
        return kan_fail(run, KAN_UNSATISFIED,
                        "--alpha %s: %s of column %s %s %s of all %s rows, and some group has at "
                        "least that share; the smallest possible alpha is %s",
                        state->alpha_text, state->is_combined ? "the named values" : "a value",
                        quoted, state->is_combined ? "have" : "has", n_rows, all, least);
    return kan_fail(run, KAN_UNSATISFIED,
                    "--alpha %s: %s of column %s %s %s of all %s rows, too many even if every row "
                    "that may be suppressed were one of them; alpha must be at least %s, or more "
                    "rows suppressed",
                    state->alpha_text, state->is_combined ? "the named values" : "a value", quoted,
                    state->is_combined ? "have" : "has", n_rows, all, least);
}

const kan_privacy_kind kan_privacy_alpha = {
    .kind = {.name = "alpha",
             .summary = "no sensitive value has more than the share alpha of a released group",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Wong et al. 2006",
             .is_everyday = true},
    .title = "No secret is nearly certain",
    .words = "In a group of rows that look alike, no sensitive value may have more than this "
             "share. With 0.5, a guess is right at most half of the time.",
    .tries = {"alpha 0.8", "alpha 0.5"},
    .counts_people = true,
    .needs_tallies = true,
    .create = create,
    .flags = flags,
    .check_possible = check_possible,
    .limits = limits,
    .least_size = least_size,
    .check = check,
    .excess = excess,
};
