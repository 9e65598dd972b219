/* Where the cells of a solution stand in the user's hierarchies. Intervals, and what regions show,
 * stand at the level of the lowest node that covers them. O(groups), or O(regions), per column. */
#include <string.h>

#include "job/solution/solution.h"

static void count_intervals(const kan_solution *solution, unsigned a, uint64_t *n_cells) {
    const kan_freqset *set = &solution->quasi_set;
    const uint8_t *node_level = solution->shown[a].node_level;
    for (unsigned f = 0; f < set->layout.n_fields; f++) {
        const kan_key_field *field = &set->layout.fields[f];
        if (field->dimension != a)
            continue;
        for (size_t i = 0; i < set->n; i++)
            if (solution->groups.is_released[i])
                n_cells[node_level[kan_key_field_value(
                    field, set->keys + i * set->layout.n_words)]] += set->counts[i];
    }
}

static void count_regions(const kan_solution *solution, unsigned a, uint64_t *n_cells) {
    const kan_regions *regions = solution->answer.recoding.regions;
    const uint8_t *node_level = solution->by_group.names[a].node_level;
    for (size_t r = 0; r < kan_regions_released(regions); r++)
        n_cells[node_level[regions->cell_of[r * regions->n_attributes + a]]] += regions->n_rows[r];
}

void kan_solution_cell_levels(const kan_solution *solution, unsigned a, uint64_t *n_cells) {
    const kan_recoding *recoding = &solution->answer.recoding;
    memset(n_cells, 0, (solution->setup->hierarchies[a]->height + 1) * sizeof *n_cells);
    if (kan_recoding_has_regions(recoding))
        count_regions(solution, a, n_cells);
    else if (kan_recoding_has_cuts(recoding))
        count_intervals(solution, a, n_cells);
    else
        n_cells[recoding->levels[a]] = solution->groups.n_rows - solution->groups.n_suppressed;
}

double kan_solution_distortion(const kan_solution *solution, unsigned a) {
    const kan_groups *groups = &solution->groups;
    const double height = solution->setup->hierarchies[a]->height;
    if (height == 0)
        return 0;
    return ((double)groups->loss[a].levels + (double)groups->n_suppressed * height) /
           ((double)groups->n_rows * height);
}

uint64_t kan_solution_exact_rows(const kan_solution *solution, unsigned a) {
    const kan_regions *regions = solution->answer.recoding.regions;
    const uint8_t *node_level = solution->by_group.names[a].node_level;
    uint64_t n_rows = 0;
    for (size_t r = 0; r < kan_regions_released(regions); r++)
        if (node_level[regions->cell_of[r * regions->n_attributes + a]] == 0)
            n_rows += regions->n_rows[r];
    return n_rows;
}
