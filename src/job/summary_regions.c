/* The part of the summary that is about regions: how large they are, and what they show. Only what
 * the release shows is named, and of that the commonest: it says least about anybody. */
#include <math.h>
#include <stdlib.h>

#include "job/summary.h"

enum { N_EXAMPLES = 2, LABEL_COLUMNS = 24 };

static int compare_counts(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static kan_status find_median(kan_run *run, const uint64_t *counts, size_t n, uint64_t *out) {
    uint64_t *sizes;
    KAN_TRY(kan_alloc(run, n, sizeof *sizes, &sizes));
    if (n > 0)
        memcpy(sizes, counts, n * sizeof *sizes);
    qsort(sizes, n, sizeof *sizes, compare_counts);
    *out = n > 0 ? sizes[(n - 1) / 2] : 0;
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
}

kan_status kan_summary_add_sizes(kan_text *text, const kan_outcome *outcome) {
    const kan_solution *solution = outcome->solution;
    const kan_groups *groups = &solution->groups;
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
        kan_text_print(text, ": %s to %s rows, median %s, average %.1f",
                       kan_count_text(solution->smallest_group, smallest),
                       kan_count_text(solution->largest_group, largest),
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
 * them, which hangs on everybody. */
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

/* Rows that show the value that they have. */
static uint64_t count_exact(const kan_solution *solution, unsigned a) {
    const kan_regions *regions = solution->answer.recoding.regions;
    const uint8_t *node_level = solution->by_group.names[a].node_level;
    uint64_t n_rows = 0;
    for (size_t r = 0; r < kan_regions_released(regions); r++)
        if (node_level[regions->cell_of[r * regions->n_attributes + a]] == 0)
            n_rows += regions->n_rows[r];
    return n_rows;
}

/* In percent, rounded down to a tenth. */
static double share_down(uint64_t n, uint64_t all) {
    return all > 0 ? floor(1000.0 * (double)n / (double)all) / 10 : 0;
}

/* In percent, rounded up to a tenth; what is a tenth but for the rounding of numbers stays one. */
static double share_up(double share) {
    return fmax(ceil(1000 * share - 1e-9) / 10, 0);
}

kan_status kan_summary_add_shown(kan_text *text, const kan_outcome *outcome, size_t c) {
    const kan_solution *solution = outcome->solution;
    const kan_released *released = &outcome->released;
    const kan_group_release *release = &solution->by_group;
    const kan_group_column *column = &release->columns[c];
    const kan_groups *groups = &solution->groups;
    uint32_t examples[N_EXAMPLES];
    char shown[32], left[32];
    uint64_t *n_rows;
    KAN_TRY(kan_alloc_zero(text->run, column->n_labels, sizeof *n_rows, &n_rows));
    const uint64_t n_released = groups->n_rows - groups->n_suppressed;
    for (size_t g = 0; g < groups->n_groups; g++)
        n_rows[column->codes[g]] += groups->is_released[g] ? groups->count[g] : 0;
    const unsigned n = find_commonest(column, n_rows, examples);
    kan_free(text->run, n_rows);
    kan_text_print(text, "%7s  ", kan_count_text(release->n_shown[c], shown));
    if (release->is_mean[c])
        kan_text_print(text, "  means         -  ");
    else
        /* rounded down, and up: 100 % says all, and 0 % nothing */
        kan_text_print(text, "%5.1f %%  ",
                       share_down(count_exact(solution, release->attribute_of[c]), n_released));
    if (!release->is_mean[c] && !kan_outcome_tells_all(outcome) &&
        !kan_released_knows_levels(released, release->attribute_of[c]))
        kan_text_print(text, "       -  ");
    else if (!release->is_mean[c])
        kan_text_print(text, "%6.1f %%  ",
                       share_up(kan_outcome_tells_all(outcome)
                                    ? kan_solution_distortion(solution, release->attribute_of[c])
                                    : kan_released_given_up(released, release->attribute_of[c])));
    for (unsigned i = 0; i < n; i++) {
        if (i > 0)
            kan_text_print(text, ", ");
        (void)kan_summary_add_label(text, column->labels[examples[i]], LABEL_COLUMNS);
    }
    if (release->n_shown[c] > n)
        kan_text_print(text, ", and %s more", kan_count_text(release->n_shown[c] - n, left));
    kan_text_print(text, "\n");
    return KAN_OK;
}
