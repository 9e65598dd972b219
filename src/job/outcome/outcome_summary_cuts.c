/* The part of the summary that is about cuts: into how many intervals each column was cut, and what
 * they are called. Only what the release shows is named: the labels of intervals that hold a
 * released row. */
#include <string.h>

#include "job/outcome/outcome_summary.h"

enum { LINE_COLUMNS = 60, LABEL_COLUMNS = 24 };

/* Sets is_shown of the intervals of an attribute that a released row lies in. */
static void mark_shown(const kan_solution *solution, unsigned a, uint8_t *is_shown) {
    const kan_freqset *set = &solution->quasi_set;
    for (size_t i = 0; i < set->n; i++)
        if (kan_solution_groups(solution)->is_released[i])
            is_shown[kan_key_field_value(&set->layout.fields[a],
                                         set->keys + i * set->layout.n_words)] = 1;
}

static void add_labels(kan_text *text, const kan_level *level, const uint8_t *is_shown) {
    size_t used = 0, n_left = 0;
    for (uint32_t i = 0; i < level->n_groups; i++)
        n_left += is_shown[i];
    for (uint32_t i = 0; i < level->n_groups; i++) {
        if (!is_shown[i])
            continue;
        if (used > LINE_COLUMNS - LABEL_COLUMNS && n_left > 1) {
            kan_text_print(text, ", and %zu more", n_left);
            return;
        }
        if (used > 0)
            kan_text_print(text, ", ");
        used += 2 + kan_words_add_label(text, level->label[i], LABEL_COLUMNS);
        n_left--;
    }
}

/* How many of them are shown, in how many places: of all rows, or of released ones. */
static bool add_numbers(kan_text *text, const kan_outcome *outcome, unsigned a,
                        const uint8_t *is_shown) {
    const kan_domain *domain = outcome->setup->domains[a];
    const kan_shown *shown = &outcome->solution->shown[a];
    uint32_t n = shown->hierarchy->levels[shown->level].n_groups, n_places = domain->n_places;
    if (!kan_outcome_tells_all(outcome)) {
        const uint32_t n_groups = n;
        n = 0;
        for (uint32_t i = 0; i < n_groups; i++)
            n += is_shown[i];
        n_places = kan_released_places(&outcome->released, a);
    }
    kan_text_print(text, "%5u of %-5u  ", n, n_places);
    return n == n_places && !domain->has_bins && domain->lowest == 0;
}

kan_status kan_summary_add_intervals(kan_text *text, const kan_outcome *outcome, unsigned a) {
    const kan_solution *solution = outcome->solution;
    const kan_level *level = &solution->shown[a].hierarchy->levels[solution->shown[a].level];
    uint8_t *is_shown;
    KAN_TRY(kan_alloc_zero(text->run, level->n_groups, sizeof *is_shown, &is_shown));
    mark_shown(solution, a, is_shown);
    if (add_numbers(text, outcome, a, is_shown))
        kan_text_print(text, "unchanged");
    else
        add_labels(text, level, is_shown);
    kan_free(text->run, is_shown);
    kan_text_print(text, "\n");
    return KAN_OK;
}
