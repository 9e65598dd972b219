/* The summary for people: what was promised and kept, what it cost, an example per column. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "job/outcome/outcome_json.h"
#include "job/outcome/outcome_ledger.h"
#include "job/outcome/outcome_summary.h"

enum { NAME_COLUMNS = 40 };

static void add_padded(kan_text *text, const char *bytes, size_t size, size_t width) {
    kan_text_add(text, bytes, size);
    for (size_t n = kan_text_columns(bytes, size); n < width; n++)
        kan_text_add(text, " ", 1);
}

static void add_line(kan_text *text, const char *name) {
    kan_text_print(text, "  %-12s", name);
}

/* Whether how many rows were suppressed is not told. */
static bool hides_rows(const kan_outcome *outcome) {
    return outcome->released.hides_rows && !kan_outcome_tells_all(outcome);
}

static void add_limit(kan_text *text, const kan_outcome *outcome) {
    const char *given = kan_options_find(&outcome->setup->job->options, "suppress");
    char limit[32];
    if (outcome->setup->promise.limit == 0)
        return;
    /* a share of rows that are not told is told as it was given */
    const bool is_given = hides_rows(outcome) && !kan_setup_leaves_people(outcome->setup) && given;
    kan_text_print(text, "; the limit is %s",
                   is_given ? given : kan_count_text(outcome->setup->promise.limit, limit));
}

static void add_rows(kan_text *text, const kan_outcome *outcome) {
    const kan_solution *solution = outcome->solution;
    uint64_t n_rows = outcome->setup->problem.n_rows, n_suppressed = solution->groups.n_suppressed;
    char read[32], kept[32], lost[32];
    add_line(text, "rows");
    if (!hides_rows(outcome))
        kan_text_print(text, "%s read, ", kan_count_text(n_rows, read));
    kan_text_print(text, "%s %s", kan_count_text(n_rows - n_suppressed, kept),
                   strcmp(outcome->command, "search") == 0 ? "would be released" : "released");
    if (n_suppressed > 0)
        kan_text_print(text, ", %s suppressed%s",
                       hides_rows(outcome) ? "others" : kan_count_text(n_suppressed, lost),
                       outcome->shows_suppressed   ? " and kept, with * in the quasi-identifiers"
                       : outcome->keeps_suppressed ? " and kept as rows of *"
                                                   : "");
    if (n_suppressed > 0 && !hides_rows(outcome))
        kan_text_print(text, " (%.2f %%)", 100.0 * (double)n_suppressed / (double)n_rows);
    if (!kan_setup_leaves_people(outcome->setup))
        add_limit(text, outcome);
    kan_text_print(text, "\n");
}

/* Where a person may have several rows. By row, who has only suppressed ones is not told of. */
static void add_people(kan_text *text, const kan_outcome *outcome) {
    const kan_setup *setup = outcome->setup;
    const bool by_person = setup->promise.by_person;
    const uint64_t n = setup->problem.n_people, n_gone = outcome->solution->groups.n_left_out;
    char all[32], lost[32], fewest[32];
    if (!setup->person || setup->household)
        return;
    add_line(text, "people");
    if (hides_rows(outcome) && !by_person)
        kan_text_print(text, "%s with released rows",
                       kan_count_text(outcome->released.n_people, all));
    else
        kan_text_print(text, "%s", kan_count_text(n, all));
    if (by_person && n_gone > 0)
        kan_text_print(text, ", %s of them suppressed with all rows (%.2f %%)",
                       kan_count_text(n_gone, lost), 100.0 * (double)n_gone / (double)n);
    if (by_person)
        add_limit(text, outcome);
    kan_text_print(text, "; the smallest group has rows of %s\n",
                   kan_count_text(outcome->solution->fewest_people, fewest));
}

/* Households that are released whole, or not at all. */
static void add_households(kan_text *text, const kan_outcome *outcome) {
    const kan_setup *setup = outcome->setup;
    const uint64_t n_gone = outcome->solution->groups.n_left_out;
    char all[32], lost[32];
    if (!kan_setup_leaves_households(setup))
        return;
    const uint64_t n = kan_setup_units(setup);
    add_line(text, "households");
    kan_text_print(text, "%s", kan_count_text(n, all));
    if (n_gone > 0)
        kan_text_print(text, ", %s of them suppressed with all rows (%.2f %%)",
                       kan_count_text(n_gone, lost), 100.0 * (double)n_gone / (double)n);
    else
        kan_text_print(text, ", all released");
    add_limit(text, outcome);
    kan_text_print(text, "\n");
}

/* --missing-matches: what it is, and what it is not. */
static void add_matches(kan_text *text, const kan_outcome *outcome, const char *how) {
    kan_matches_add_promised(&outcome->claim, text);
    kan_text_print(text, ": holds, %s\n", how);
    if (!outcome->is_recounted)
        return;
    add_line(text, "");
    kan_matches_add(&outcome->recounted, text);
    kan_text_print(text, "\n");
}

/* --per-column: the same. */
static void add_by_column(kan_text *text, const kan_outcome *outcome, const char *how) {
    kan_text_print(text,
                   "each value of each column, by itself, is shown by k=%" PRIu64
                   " rows or more: holds, %s\n",
                   outcome->claim.by_column, how);
    add_line(text, "");
    kan_by_column_add(&outcome->recounted, text);
    kan_text_print(text, "\n");
}

/* --subsets: what it is not, or what was promised beyond it. */
static void add_subsets(kan_text *text, const kan_outcome *outcome) {
    const uint64_t smallest = outcome->recounted.groups.smallest_group;
    char rows[32];
    if (kan_setup_asks_more(outcome->setup)) {
        add_line(text, "");
        kan_text_print(text,
                       "kept by groups of %s rows by all columns, which imply it: nothing less "
                       "can be searched for here\n",
                       kan_count_text(kan_column_sets_most_k(&outcome->setup->subsets), rows));
    } else if (outcome->is_recounted && smallest > 0 &&
               smallest < kan_column_sets_most_k(&outcome->setup->subsets)) {
        add_line(text, "");
        kan_text_print(text,
                       "weaker than groups by all columns: the smallest of these has %s %s, which "
                       "who knows more of somebody may find\n",
                       kan_count_text(smallest, rows), kan_plural(smallest, "row", "rows"));
    }
}

/* One line per model: what was promised, and what the recount found. */
static void add_promise(kan_text *text, const kan_outcome *outcome) {
    kan_recounted recounted = kan_outcome_recounted(outcome);
    const char *how = strcmp(outcome->command, "search") == 0 ? "recounted; nothing was written"
                      : kan_output_is_script(outcome->setup->job)
                          ? "in what the statements should make, which they recount"
                          : "recounted from the released values";
    recounted.hides_distances = !kan_outcome_tells_all(outcome);
    add_line(text, "promise");
    if (kan_recounted_has_k(&recounted)) {
        kan_text_print(text, "k-anonymity k=%" PRIu64 "%s: holds, %s\n", outcome->claim.k,
                       outcome->claim.histories && outcome->claim.household
                           ? " by compositions of households"
                       : outcome->claim.histories ? " by histories of people"
                       : outcome->claim.person    ? " by people"
                                                  : "",
                       how);
        how = NULL;
    }
    if (outcome->claim.fits > 0)
        add_matches(text, outcome, how);
    if (outcome->claim.by_column > 0)
        add_by_column(text, outcome, how);
    for (size_t m = 0; m < outcome->claim.n_models; m++) {
        if (!how)
            add_line(text, "");
        kan_recounted_add_promised(&recounted, m, text);
        kan_text_print(text, ": holds");
        kan_recounted_add_reached(&recounted, m, text);
        kan_text_print(text, ", %s\n", how ? how : "recounted");
        how = NULL;
    }
    if (outcome->claim.subsets.n > 0 && outcome->claim.fits == 0)
        add_subsets(text, outcome);
    kan_ledger_add(outcome->setup, "              ", text);
}

/* "nothing is promised about a, b and 3 more", the sensitive columns that no model looks at. Returns
 * whether there are any. */
static bool add_unprotected(kan_text *text, const kan_outcome *outcome) {
    enum { MOST_NAMED = 3 };
    const kan_table *table = outcome->setup->table;
    size_t n = 0;
    for (size_t i = 0; i < table->n_columns; i++) {
        if (!kan_outcome_is_unprotected(outcome, i) || ++n > MOST_NAMED)
            continue;
        if (n == 1)
            add_line(text, "open");
        kan_text_print(text, n == 1 ? "nothing is promised about " : ", ");
        (void)kan_words_add_label(text, kan_slice_of(table->columns[i].name), NAME_COLUMNS);
    }
    if (n > MOST_NAMED)
        kan_text_print(text, " and %zu more", n - MOST_NAMED);
    if (n > 0)
        kan_text_print(text, outcome->setup->is_per_column ? "\n" : ": --l, --alpha or --t does\n");
    return n > 0;
}

/* What holds is not all that somebody has to know who answers for the release. */
static void add_open(kan_text *text, const kan_outcome *outcome) {
    const kan_column_findings *found = &outcome->columns;
    char alone[32], rows[32];
    const char *lead = add_unprotected(text, outcome) ? "" : "open";
    if (!kan_columns_are_open(found))
        return;
    add_line(text, lead);
    if (found->n_together == KAN_NOT_COUNTED)
        kan_text_print(text, "whom kept columns single out was not counted\n");
    else
        kan_text_print(text,
                       "%s of %s rows are unique by what is kept besides the quasi-identifiers\n",
                       kan_count_text(found->n_together - found->n_alone, alone),
                       kan_count_text(found->n_released, rows));
}

/* Of suppressed rows nothing is told. */
void kan_summary_add_combinations(kan_text *text, const kan_outcome *outcome) {
    const bool tells_all = kan_outcome_tells_all(outcome);
    char tuples[32];
    if (outcome->setup->is_at_levels) {
        kan_text_print(text, "combinations below the lowest levels were not counted\n");
        return;
    }
    const uint64_t n = tells_all ? outcome->setup->n_tuples : outcome->released.n_sizes;
    kan_text_print(text, "%s %s distinct %s\n", tells_all ? "before:" : "released rows had",
                   kan_count_text(n, tuples), kan_plural(n, "combination", "combinations"));
}

static kan_status add_groups(kan_text *text, const kan_outcome *outcome) {
    const kan_solution *solution = outcome->solution;
    char groups[32], smallest[32];
    add_line(text, "groups");
    if (kan_recoding_has_regions(&solution->answer.recoding))
        return kan_summary_add_sizes(text, outcome);
    kan_text_print(text, "%s, the smallest has %s %s; ",
                   kan_count_text(solution->groups.n_released_groups, groups),
                   kan_count_text(solution->smallest_group, smallest),
                   kan_plural(solution->smallest_group, "row", "rows"));
    kan_summary_add_combinations(text, outcome);
    return KAN_OK;
}

/* Columns of which nothing is left, whatever the recoding: somebody should notice. */
static void add_lost(kan_text *text, const kan_outcome *outcome) {
    const kan_setup *setup = outcome->setup;
    unsigned n = 0;
    if (outcome->solution->groups.n_released_groups == 0)
        return;
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        if (kan_released_became(&outcome->released, a) != KAN_RELEASED_STAR)
            continue;
        if (n++ == 0)
            add_line(text, "lost");
        else
            kan_text_print(text, ", ");
        (void)kan_words_add_label(text, kan_slice_of(setup->table->columns[setup->quasi[a]].name),
                                  NAME_COLUMNS);
    }
    if (n > 0)
        kan_text_print(text, ": * in every row\n");
}

static void add_score(kan_text *text, const kan_score *score) {
    char whole[32];
    if (score->is_whole && score->whole <= UINT64_MAX)
        kan_text_print(text, "%s", kan_count_text((uint64_t)score->whole, whole));
    else if (isfinite(score->real))
        kan_text_print(text, "%.6g", score->real);
    else
        kan_text_print(text, "-");
}

/* The most by which another answer could be better. */
static void add_bound(kan_text *text, const kan_outcome *outcome) {
    const kan_answer *answer = &outcome->solution->answer;
    if (answer->is_optimal || !(answer->bound > 0 && isfinite(answer->bound)) ||
        !kan_outcome_tells_all(outcome))
        return;
    kan_score bound = answer->score.is_whole && answer->bound < 0x1p63
                          ? kan_score_whole((kan_u128)answer->bound)
                          : kan_score_real(answer->bound);
    add_line(text, "");
    kan_text_print(text, "%s ", outcome->setup->cost->kind.name);
    add_score(text, &answer->score);
    kan_text_print(text, "; less than ");
    add_score(text, &bound);
    kan_text_print(text, " is impossible\n");
}

/* The same of sums of squares; up to the next power of ten, as it follows from all values. */
static void add_squares(kan_text *text, const kan_outcome *outcome) {
    const kan_answer *answer = &outcome->solution->answer;
    if (!answer->has_squares)
        return;
    add_line(text, "");
    if (outcome->setup->is_per_column)
        kan_text_print(text, "in each column ");
    if (answer->squares_gap > 0)
        kan_text_print(text, "the least sum of squares, but for at most %.0e of it: proven\n",
                       pow(10, ceil(log10(answer->squares_gap))));
    else
        kan_text_print(text, "the least sum of squares of all groups of k or more: "
                             "proven\n");
}

/* --importance: the hidden cells of each column, those in which they matter most first. That one of them has as
 * many as are needed is proven as long as those before it have. */
static void add_ranks(kan_text *text, const kan_outcome *outcome) {
    enum { MOST_TOLD = 8 };
    const kan_setup *setup = outcome->setup;
    const kan_fits_found *found = &outcome->solution->fits;
    bool is_least = found->has_least;
    char hidden[32], least[32];
    add_line(text, "");
    for (unsigned r = 0; r < setup->n_ranks && r < MOST_TOLD; r++) {
        const char *name = kan_outcome_ranked(setup, r);
        kan_text_print(text, r == 0 ? "hidden by importance: " : ", ");
        if (name)
            (void)kan_words_add_label(text, kan_slice_of(name), NAME_COLUMNS);
        else
            kan_text_print(text, "all others");
        kan_text_print(text, " %s", kan_count_text(found->hidden_by[r], hidden));
        if (!is_least)
            continue;
        kan_text_print(text, " (fewer than %s is impossible%s)",
                       kan_count_text(found->least_by[r], least), r > 0 ? " then" : "");
        is_least = found->hidden_by[r] == found->least_by[r];
    }
    kan_text_print(text, setup->n_ranks > MOST_TOLD ? ", ...\n" : "\n");
}

/* How many cells are hidden, beside what groups would hide, and what is possible. */
static void add_hidden(kan_text *text, const kan_outcome *outcome) {
    const kan_fits_found *found = &outcome->solution->fits;
    char hidden[32], before[32], least[32];
    if (!found->is_known || !kan_outcome_tells_all(outcome))
        return;
    add_line(text, "");
    kan_text_print(text, "%s %s hidden, where its groups would hide %s",
                   kan_count_text(found->n_hidden, hidden),
                   kan_plural(found->n_hidden, "cell", "cells"),
                   kan_count_text(found->n_before, before));
    if (found->has_least && outcome->setup->n_ranks == 0)
        kan_text_print(text, "; fewer than %s is impossible", kan_count_text(found->least, least));
    kan_text_print(text, "\n");
    if (outcome->setup->n_ranks > 0)
        add_ranks(text, outcome);
}

/* Cut sets are too many to be counted out. */
static void add_states(kan_text *text, const kan_answer *answer) {
    char states[32];
    add_line(text, "");
    /* nodes of a hierarchy are cut only below nodes that are: not every set is a way */
    kan_text_print(text, "%s2^%u %s to cut, %s %s of the search",
                   answer->recoding.type == KAN_RECODING_SUBTREES ? "up to " : "", answer->n_cuts,
                   answer->n_cuts == 0 ? "way" : "ways", kan_count_text(answer->n_checked, states),
                   kan_plural(answer->n_checked, "state", "states"));
    if (!answer->is_optimal && answer->bound > 0)
        kan_text_print(text, "; the gap is %.3g %%", 100 * kan_result_gap(answer));
    kan_text_print(text, "\n");
}

static void add_nodes(kan_text *text, const kan_outcome *outcome) {
    const kan_answer *answer = &outcome->solution->answer;
    char nodes[32], first[32], minimal[32];
    if (!kan_outcome_tells_all(outcome))
        return; /* what was looked at, and what keeps the promise, depends on everybody */
    if (kan_recoding_has_cuts(&answer->recoding)) {
        add_states(text, answer);
        return;
    }
    if (kan_recoding_has_regions(&answer->recoding))
        return; /* ways to cut a table are beyond counting */
    add_line(text, "");
    if (answer->n_nodes < UINT64_MAX)
        kan_text_print(text, "%s %s, ", kan_count_text(answer->n_nodes, nodes),
                       kan_plural(answer->n_nodes, "generalization", "generalizations"));
    else
        kan_text_print(text, "%.3g generalizations, ", kan_result_nodes(outcome->solution));
    if (answer->is_complete)
        kan_text_print(text, "%s satisf%s the promise, %s of them minimal\n",
                       kan_count_text(answer->n_anonymous, first),
                       answer->n_anonymous == 1 ? "ies" : "y",
                       kan_count_text(answer->n_minimal, minimal));
    else
        kan_text_print(text, "%s of them looked at\n", kan_count_text(answer->n_checked, first));
}

/* The levels that were given; what lies outside was not looked at. */
static void add_within(kan_text *text, const kan_setup *setup) {
    if (!kan_setup_has_bounds(setup))
        return;
    kan_text_print(text, " within ");
    kan_setup_add_bounds(setup, text);
}

/* --for, and what it did. */
static void add_purpose(kan_text *text, const kan_setup *setup) {
    enum { MOST = 100 };
    if (!kan_setup_has_purpose(setup))
        return;
    add_line(text, "made for");
    (void)kan_words_add_label(text, kan_slice_of(setup->purpose->text), MOST);
    kan_text_print(text, setup->purpose->is_followed
                             ? ": cuts are where the outcome differs\n"
                             : ": what it does not use became coarse first\n");
}

/* Nothing was searched. */
static void add_given(kan_text *text, const kan_setup *setup) {
    add_line(text, "search");
    if (setup->given_path)
        kan_text_print(text, "none: the solution is that of %s\n", setup->given_path);
    else
        kan_text_print(text, "none: the levels were given\n");
}

static bool is_minimal(const kan_answer *answer, const uint8_t *node, unsigned n) {
    for (size_t i = 0; i < answer->n_minimal; i++)
        if (memcmp(answer->minimal + i * n, node, n) == 0)
            return true;
    return false;
}

/* All that satisfy, as --levels takes them. */
static void add_satisfying(kan_text *text, const kan_outcome *outcome) {
    enum { MOST_SHOWN = 20 };
    const kan_answer *answer = &outcome->solution->answer;
    const unsigned n = outcome->setup->n_quasi;
    char left[32];
    for (size_t i = 0; i < answer->n_satisfying && i < MOST_SHOWN; i++) {
        add_line(text, "");
        kan_text_print(text, "--levels ");
        for (unsigned a = 0; a < n; a++)
            kan_text_print(text, "%s%u", a ? "," : "", answer->satisfying[i * n + a]);
        kan_text_print(text, "%s\n",
                       is_minimal(answer, answer->satisfying + i * n, n) ? "  minimal" : "");
    }
    if (answer->n_satisfying > 0 && answer->n_anonymous > MOST_SHOWN) {
        add_line(text, "");
        kan_text_print(text, "and %s more: --json lists them\n",
                       kan_count_text(answer->n_anonymous - MOST_SHOWN, left));
    }
}

static const char *what_ended(const kan_solution *solution) {
    return solution->is_best_of_more          ? "among groups by all columns"
           : solution->is_interrupted         ? "when it was interrupted"
           : solution->answer.is_out_of_steps ? "when its effort was used up"
                                              : "when time was up";
}

static void add_search(kan_text *text, const kan_outcome *outcome) {
    const kan_search_kind *search = outcome->setup->search;
    if (outcome->setup->has_given) {
        add_given(text, outcome->setup);
        return;
    }
    const bool is_optimal = outcome->solution->answer.is_optimal;
    /* that a search happened to prove something tells of everybody; that it always does, of nobody
     */
    const bool tells_proof = search->finds_best || kan_outcome_tells_all(outcome);
    add_line(text, "search");
    kan_text_print(text, "%s%s%s%s", search->kind.name,
                   tells_proof && (is_optimal || search->finds_best) ? ", best by "
                   : tells_proof ? ": one answer, not proven best by "
                                 : ": one answer, by ",
                   outcome->setup->n_ranks > 0 ? "importance" : outcome->setup->cost->kind.name,
                   outcome->setup->cost->of_rows ? " (by people)" : "");
    add_within(text, outcome->setup);
    if (tells_proof && is_optimal)
        kan_text_print(text, ": proven, nothing better exists");
    else if (search->finds_best)
        kan_text_print(text, " %s: not proven", what_ended(outcome->solution));
    kan_text_print(text, "\n");
    add_purpose(text, outcome->setup);
    add_squares(text, outcome);
    add_bound(text, outcome);
    add_hidden(text, outcome);
    add_nodes(text, outcome);
    add_satisfying(text, outcome);
}

static kan_slice label_at(const kan_hierarchy *h, unsigned level, uint32_t leaf) {
    return level == 0 ? h->levels[0].label[leaf]
                      : h->levels[level].label[h->levels[level].from_leaf[leaf]];
}

/* What becomes of the values of an attribute at a level. Only released rows count. */
typedef struct {
    uint32_t leaf;    /* of those that change, the commonest: it says least about anybody */
    bool has_changed; /* there is one */
    uint64_t n_same;  /* rows whose value stays as it is */
    uint64_t n_changed;
} effect;

static effect effect_of(const kan_outcome *outcome, unsigned a, unsigned level) {
    const kan_hierarchy *h = outcome->setup->hierarchies[a];
    const uint64_t *rows = outcome->released.leaf_rows[a];
    effect e = {0};
    for (uint32_t leaf = 0; leaf < h->n_codes; leaf++) {
        if (rows[leaf] == 0)
            continue;
        if (kan_slice_equal(label_at(h, 0, leaf), label_at(h, level, leaf))) {
            e.n_same += rows[leaf];
            continue;
        }
        e.n_changed += rows[leaf];
        if (!e.has_changed || kan_released_have(&outcome->released, a, leaf) >
                                  kan_released_have(&outcome->released, a, e.leaf))
            e.leaf = leaf;
        e.has_changed = true;
    }
    return e;
}

static void add_value(kan_text *text, kan_slice value) {
    enum { MOST = 40 };
    (void)kan_words_add_label(text, value, MOST);
}

/* An example that shows something: a value that changed. Where fewer rows, or people, have it than a
 * group must, it says too much, and only what became of it is told. */
static void add_example(kan_text *text, const kan_outcome *outcome, unsigned a, unsigned level) {
    const kan_hierarchy *hierarchy = outcome->setup->hierarchies[a];
    const effect e = effect_of(outcome, a, level);
    if (level == 0 || !e.has_changed) {
        kan_text_print(text, "unchanged\n");
        return;
    }
    if (e.n_same > e.n_changed)
        kan_text_print(text, "unchanged for most; ");
    if (kan_released_have(&outcome->released, a, e.leaf) >= kan_setup_least_told(outcome->setup))
        add_value(text, hierarchy->levels[0].label[e.leaf]);
    else
        kan_text_print(text, "rare values");
    kan_text_print(text, " → ");
    add_value(text, label_at(hierarchy, level, e.leaf));
    kan_text_print(text, "\n");
}

static void add_level(kan_text *text, const kan_outcome *outcome, unsigned a) {
    static const char *const words[] = {
        [KAN_RELEASED_SAME] = "none", [KAN_RELEASED_COARSER] = "some", [KAN_RELEASED_STAR] = "top"};
    const kan_hierarchy *hierarchy = outcome->setup->hierarchies[a];
    const kan_released *released = &outcome->released;
    unsigned level = outcome->solution->answer.recoding.levels[a];
    if (strcmp(outcome->command, "search") == 0)
        kan_text_print(text, "%2u of %-2u  ", level, hierarchy->height);
    else if (kan_released_knows_levels(released, a))
        kan_text_print(text, "%2u of %-2u  ", kan_released_level(released, a),
                       kan_released_height(released, a));
    else
        kan_text_print(text, "%-8s  ", words[kan_released_became(released, a)]);
    add_example(text, outcome, a, level);
}

static void begin_column(kan_text *text, const char *name, size_t width) {
    kan_text_print(text, "  ");
    for (size_t n = kan_words_add_label(text, kan_slice_of(name), NAME_COLUMNS); n < width; n++)
        kan_text_print(text, " ");
    kan_text_print(text, "  ");
}

static size_t wider(size_t width, const char *name) {
    const size_t columns = kan_text_columns(name, strlen(name));
    return columns > NAME_COLUMNS ? NAME_COLUMNS : columns > width ? columns : width;
}

static kan_status add_group_columns(kan_text *text, const kan_outcome *outcome) {
    const kan_group_release *release = &outcome->solution->by_group;
    size_t width = 9;
    for (size_t c = 0; c < release->n_columns; c++)
        width = wider(width, release->columns[c].name);
    kan_text_print(text, "\n  ");
    add_padded(text, "column", 6, width);
    kan_text_print(text, "   values    exact  given up  most common\n");
    for (size_t c = 0; c < release->n_columns; c++) {
        begin_column(text, release->columns[c].name, width);
        KAN_TRY(kan_summary_add_shown(text, outcome, c));
    }
    return KAN_OK;
}

static kan_status add_attributes(kan_text *text, const kan_outcome *outcome) {
    const bool has_cuts = kan_recoding_has_cuts(&outcome->solution->answer.recoding);
    size_t width = 9;
    if (kan_recoding_has_regions(&outcome->solution->answer.recoding))
        return add_group_columns(text, outcome);
    for (unsigned a = 0; a < outcome->setup->n_quasi; a++)
        width = wider(width, outcome->setup->table->columns[outcome->setup->quasi[a]].name);
    kan_text_print(text, "\n  ");
    add_padded(text, "column", 6, width);
    kan_text_print(text, has_cuts ? "  intervals       shown as\n" : "  level     example\n");
    for (unsigned a = 0; a < outcome->setup->n_quasi; a++) {
        begin_column(text, outcome->setup->table->columns[outcome->setup->quasi[a]].name, width);
        if (has_cuts)
            KAN_TRY(kan_summary_add_intervals(text, outcome, a));
        else
            add_level(text, outcome, a);
    }
    return KAN_OK;
}

static kan_status add_costs(kan_text *text, const kan_outcome *outcome) {
    const kan_solution *solution = outcome->solution;
    kan_text_print(text, "\n");
    for (size_t i = 0; i < solution->n_metrics; i++) {
        bool is_told = solution->metrics[i].is_known;
        kan_score score = solution->metrics[i].score;
        if (!kan_outcome_tells_all(outcome))
            KAN_TRY(kan_released_metric(&outcome->released, i, &is_told, &score));
        if (!is_told)
            continue;
        kan_text_print(text, "  %-16s", solution->metrics[i].name);
        add_score(text, &score);
        kan_text_print(text, solution->setup->costs[i]->of_rows ? "  by people\n" : "\n");
    }
    kan_summary_add_sse(text, solution);
    return KAN_OK;
}

static void add_times(kan_text *text, const kan_outcome *outcome) {
    const kan_setup *setup = outcome->setup;
    char memory[32];
    kan_text_print(text, "\n  %.3f s: read %.0f ms, fold %.0f, search %.0f",
                   outcome->total_ms / 1e3, setup->read_ms,
                   setup->fold_ms + outcome->solution->values_ms, outcome->solution->search_ms);
    if (strcmp(outcome->command, "search") != 0)
        kan_text_print(text, ", apply %.0f, write %.0f", outcome->apply_ms, outcome->write_ms);
    kan_text_print(text, ", verify %.0f", outcome->verify_ms);
    if (kan_outcome_tells_all(outcome)) /* it grows with what suppressed rows have, too */
        kan_text_print(text, "; %s of memory",
                       kan_bytes_text(kan_run_peak_memory(setup->run), memory));
    else
        kan_text_print(text, ";");
    kan_text_print(text, "%s%u thread%s\n", kan_outcome_tells_all(outcome) ? ", " : " ",
                   kan_run_threads(setup->run), kan_run_threads(setup->run) == 1 ? "" : "s");
}

kan_status kan_summary_write(const kan_outcome *outcome, kan_result *out) {
    kan_text *text = &out->summary;
    const char *from = outcome->setup->input.is_file ? outcome->setup->input.name : "table";
    if (outcome->output)
        kan_text_print(text, "%s → %s\n\n", from,
                       strcmp(outcome->output, "-") == 0 ? "standard output" : outcome->output);
    else
        kan_text_print(text, "%s\n\n", from);
    add_rows(text, outcome);
    add_people(text, outcome);
    add_households(text, outcome);
    add_promise(text, outcome);
    add_open(text, outcome);
    KAN_TRY(add_groups(text, outcome));
    add_lost(text, outcome);
    add_search(text, outcome);
    KAN_TRY(add_attributes(text, outcome));
    if (strcmp(outcome->command, "search") != 0)
        kan_columns_add(text, outcome->setup, &outcome->columns);
    KAN_TRY(add_costs(text, outcome));
    add_times(text, outcome);
    return kan_text_status(text);
}
