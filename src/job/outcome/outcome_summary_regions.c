/* The part of the summary that is about regions: how large they are, and what they show. Only what
 * the release shows is named, and of that the commonest: it says least about anybody. */
#include <math.h>
#include <stdlib.h>

#include "job/outcome/outcome_summary.h"

enum { N_EXAMPLES = 2, LABEL_COLUMNS = 24 };

/* What would stand at a place if they were in order; they are put into another one. Linear on
 * average: each round leaves the part that has the place. */
static uint64_t select_at(uint64_t *sizes, size_t n, size_t place) {
    size_t low = 0, high = n;
    while (high - low > 1) {
        const uint64_t middle = sizes[low + (high - low) / 2];
        size_t below = low, above = high;
        for (size_t i = low; i < above;) {
            const uint64_t size = sizes[i];
            if (size < middle) {
                sizes[i++] = sizes[below];
                sizes[below++] = size;
            } else if (size > middle) {
                sizes[i] = sizes[--above];
                sizes[above] = size;
            } else {
                i++;
            }
        }
        if (place >= below && place < above)
            return middle;
        *(place < below ? &high : &low) = place < below ? below : above;
    }
    return sizes[low];
}

static kan_status find_median(kan_run *run, const uint64_t *counts, size_t n, uint64_t *out) {
    uint64_t *sizes;
    KAN_TRY(kan_alloc(run, n, sizeof *sizes, &sizes));
    if (n > 0)
        memcpy(sizes, counts, n * sizeof *sizes);
    *out = n > 0 ? select_at(sizes, n, (n - 1) / 2) : 0;
    kan_free(run, sizes);
    return KAN_OK;
}

/* Local: the rows that kept all they had, and those that kept nothing. */
static void add_extremes(kan_text *text, const kan_solution *solution) {
    const kan_regions *regions = solution->answer.recoding.regions;
    uint64_t n_exact = 0, n_top = 0;
    char exact[32], top[32];
    for (size_t r = 0; r < kan_regions_released(regions); r++) {
        bool is_exact = true, is_top = true;
        for (unsigned a = 0; a < regions->n_attributes; a++) {
            const uint32_t cell = regions->cell_of[r * regions->n_attributes + a];
            const unsigned level = solution->by_group.names[a].node_level[cell];
            is_exact &= level == 0;
            is_top &= level == solution->setup->hierarchies[a]->height;
        }
        n_exact += is_exact ? regions->n_rows[r] : 0;
        n_top += is_top ? regions->n_rows[r] : 0;
    }
    kan_text_print(text, "  %-12s%s row%s kept every value, %s kept none\n", "",
                   kan_count_text(n_exact, exact), n_exact == 1 ? "" : "s",
                   kan_count_text(n_top, top));
    /* where a value is shown one way everywhere, whoever sees one of them can tell */
    if (solution->n_narrow > 0 && solution->setup->model->narrows_labels)
        kan_text_print(text, "  %-12s%s %s less than their labels say (docs/taxonomy.md)\n", "",
                       kan_count_text(solution->n_narrow, exact),
                       kan_plural(solution->n_narrow, "cell means", "cells mean"));
}

kan_status kan_summary_add_sizes(kan_text *text, const kan_outcome *outcome) {
    const kan_solution *solution = outcome->solution;
    const kan_groups *groups = kan_solution_groups(solution);
    const size_t n_groups = groups->n_released_groups; /* the first ones */
    const bool is_local = solution->answer.recoding.type == KAN_RECODING_LOCAL;
    const uint32_t n_regions = kan_regions_released(solution->answer.recoding.regions);
    char shown[32], smallest[32], largest[32], middle[32];
    uint64_t median;
    KAN_TRY(find_median(text->run, groups->count, n_groups, &median));
    /* a local recoding is spoken of by what it shows */
    const uint64_t n = is_local ? n_groups : n_regions;
    kan_text_print(text, "%s %s%s", kan_count_text(n, shown), is_local ? "class" : "region",
                   n == 1     ? ""
                   : is_local ? "es"
                              : "s");
    if (!is_local && n_groups != n_regions)
        kan_text_print(text, " that show %s different things", kan_count_text(n_groups, shown));
    if (n_groups > 0)
        kan_text_print(text, ": %s to %s %s, median %s, average %.1f",
                       kan_count_text(solution->smallest_group, smallest),
                       kan_count_text(solution->largest_group, largest),
                       kan_plural(solution->largest_group, "row", "rows"),
                       kan_count_text(median, middle),
                       (double)(groups->n_rows - groups->n_suppressed) / (double)n_groups);
    kan_text_print(text, "\n");
    if (is_local)
        add_extremes(text, solution);
    if (!solution->problem->is_unfolded)
        kan_text_print(text, "  %-12s", "");
    if (!solution->problem->is_unfolded)
        kan_summary_add_combinations(text, outcome);
    return KAN_OK;
}

/* More rows, or as many and the lesser label: labels stand in the order in which the search found
 * them, which depends on everybody. */
static bool comes_before(const kan_group_column *column, const uint64_t *n_rows, uint32_t a,
                         uint32_t b) {
    if (n_rows[a] != n_rows[b])
        return n_rows[a] > n_rows[b];
    return kan_slice_compare(column->labels[a], column->labels[b]) < 0;
}

/* The labels that most rows show. */
static unsigned find_commonest(const kan_group_column *column, const uint64_t *n_rows,
                               uint32_t *out) {
    unsigned n = 0;
    for (uint32_t label = 0; label < column->n_labels; label++) {
        unsigned at = n;
        if (n_rows[label] == 0)
            continue;
        while (at > 0 && comes_before(column, n_rows, label, out[at - 1])) {
            if (at < N_EXAMPLES)
                out[at] = out[at - 1];
            at--;
        }
        if (at < N_EXAMPLES)
            out[at] = label;
        n += n < N_EXAMPLES;
    }
    return n;
}

/* Rounded down to a thousandth: 1 says all. */
static double round_down(uint64_t n, uint64_t all) {
    return all > 0 ? floor(1000.0 * (double)n / (double)all) / 1000 : 0;
}

/* Rounded up, but not by what floating-point numbers add to a whole thousandth: 0 means nothing. */
static double round_up(double share) {
    return fmax(ceil(1000 * share - 1e-9) / 1000, 0);
}

double kan_summary_sse(const kan_solution *solution) {
    return round_up(solution->sse);
}

void kan_summary_add_sse(kan_text *text, const kan_solution *solution) {
    if (solution->has_sse)
        kan_text_print(text, "  %-16sat most %.1f %% of the variance of the numbers%s\n", "sse",
                       100 * kan_summary_sse(solution),
                       kan_summary_is_number(kan_setup_summary(solution->setup))
                           ? ""
                           : ", by the means of what is shown as ranges");
}

void kan_summary_shares(const kan_outcome *outcome, size_t c, kan_shown_shares *out) {
    const kan_solution *solution = outcome->solution;
    const kan_released *released = &outcome->released;
    const unsigned a = solution->by_group.attribute_of[c];
    const bool tells_all = kan_outcome_tells_all(outcome);
    const uint64_t n_released = solution->groups.n_rows - solution->groups.n_suppressed;
    *out = (kan_shown_shares){.has_exact = solution->by_group.middle[c] == KAN_MIDDLE_NONE};
    if (!out->has_exact)
        return;
    out->exact = round_down(kan_solution_exact_rows(solution, a), n_released);
    out->has_given_up = tells_all || kan_released_knows_levels(released, a);
    if (out->has_given_up)
        out->given_up = round_up(tells_all ? kan_solution_distortion(solution, a)
                                           : kan_released_given_up(released, a));
}

kan_status kan_summary_add_shown(kan_text *text, const kan_outcome *outcome, size_t c) {
    const kan_solution *solution = outcome->solution;
    const kan_group_release *release = &solution->by_group;
    const kan_group_column *column = &release->columns[c];
    kan_shown_shares shares;
    const kan_groups *groups = kan_solution_groups(solution);
    uint32_t examples[N_EXAMPLES];
    char shown[32], left[32];
    uint64_t *n_rows;
    KAN_TRY(kan_alloc_zero(text->run, column->n_labels, sizeof *n_rows, &n_rows));
    for (size_t g = 0; g < groups->n_groups; g++)
        n_rows[column->codes[g]] += groups->is_released[g] ? groups->count[g] : 0;
    const unsigned n = find_commonest(column, n_rows, examples);
    kan_free(text->run, n_rows);
    kan_text_print(text, "%7s  ", kan_count_text(release->n_shown[c], shown));
    kan_summary_shares(outcome, c, &shares);
    if (!shares.has_exact)
        kan_text_print(text, "%7s         -  ", kan_middle_plural(release->middle[c]));
    else if (shares.has_given_up)
        kan_text_print(text, "%5.1f %%  %6.1f %%  ", 100 * shares.exact, 100 * shares.given_up);
    else
        kan_text_print(text, "%5.1f %%         -  ", 100 * shares.exact);
    for (unsigned i = 0; i < n; i++) {
        if (i > 0)
            kan_text_print(text, ", ");
        (void)kan_words_add_label(text, column->labels[examples[i]], LABEL_COLUMNS);
    }
    if (release->n_shown[c] > n)
        kan_text_print(text, ", and %s more", kan_count_text(release->n_shown[c] - n, left));
    kan_text_print(text, "\n");
    return KAN_OK;
}
