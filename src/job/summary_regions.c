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

kan_status kan_summary_add_sizes(kan_text *text, const kan_solution *solution) {
    const kan_groups *groups = &solution->groups;
    const uint32_t n_regions = solution->answer.recoding.regions->n_regions;
    char regions[32], shown[32], smallest[32], largest[32], middle[32], tuples[32];
    uint64_t *sizes;
    KAN_TRY(kan_alloc(text->run, groups->n_groups, sizeof *sizes, &sizes));
    memcpy(sizes, groups->count, groups->n_groups * sizeof *sizes);
    qsort(sizes, groups->n_groups, sizeof *sizes, compare_counts);
    const uint64_t median = sizes[(groups->n_groups - 1) / 2];
    kan_free(text->run, sizes);
    kan_text_print(text, "%s region%s", kan_count_text(n_regions, regions),
                   n_regions == 1 ? "" : "s");
    if (groups->n_groups != n_regions)
        kan_text_print(text, " that show %s different things",
                       kan_count_text(groups->n_groups, shown));
    kan_text_print(text, ": %s to %s rows, median %s, average %.1f\n",
                   kan_count_text(solution->smallest_group, smallest),
                   kan_count_text(solution->largest_group, largest), kan_count_text(median, middle),
                   (double)groups->n_rows / (double)groups->n_groups);
    if (!solution->problem->is_unfolded)
        kan_text_print(text, "  %-12sbefore: %s distinct combinations\n", "",
                       kan_count_text(solution->setup->n_tuples, tuples));
    return KAN_OK;
}

/* The labels that most rows show, the first of equals. */
static unsigned find_commonest(const kan_group_column *column, const uint64_t *n_rows,
                               uint32_t *out) {
    unsigned n = 0;
    for (uint32_t label = 0; label < column->n_labels; label++) {
        unsigned at = n;
        if (n_rows[label] == 0)
            continue;
        while (at > 0 && n_rows[out[at - 1]] < n_rows[label]) {
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
    for (size_t r = 0; r < regions->n_regions; r++)
        if (node_level[regions->cell_of[r * regions->n_attributes + a]] == 0)
            n_rows += regions->n_rows[r];
    return n_rows;
}

kan_status kan_summary_add_shown(kan_text *text, const kan_solution *solution, size_t c) {
    const kan_group_release *release = &solution->by_group;
    const kan_group_column *column = &release->columns[c];
    const kan_groups *groups = &solution->groups;
    uint32_t examples[N_EXAMPLES];
    char shown[32], left[32];
    uint64_t *n_rows;
    KAN_TRY(kan_alloc_zero(text->run, column->n_labels, sizeof *n_rows, &n_rows));
    for (size_t g = 0; g < groups->n_groups; g++)
        n_rows[column->codes[g]] += groups->count[g];
    const unsigned n = find_commonest(column, n_rows, examples);
    kan_free(text->run, n_rows);
    kan_text_print(text, "%7s  ", kan_count_text(release->n_shown[c], shown));
    if (release->is_mean[c])
        kan_text_print(text, "  means  ");
    else
        /* rounded down: 100 % says all */
        kan_text_print(text, "%5.1f %%  ",
                       floor(1000.0 * (double)count_exact(solution, release->attribute_of[c]) /
                             (double)groups->n_rows) /
                           10);
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
