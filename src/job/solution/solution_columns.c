/* --per-column: the promise of a search that groups each column by itself, held against what its groups
 * show. O(groups * columns). */
#include "job/solution/solution.h"

static kan_status check_column(const kan_solution *solution, size_t c) {
    const kan_group_release *release = &solution->by_group;
    const kan_group_column *column = &release->columns[c];
    kan_run *run = solution->setup->run;
    uint64_t *n_rows;
    bool holds = true;
    KAN_TRY(kan_alloc_zero(run, column->n_labels, sizeof *n_rows, &n_rows));
    for (size_t g = 0; g < release->n_groups; g++)
        n_rows[column->codes[g]] += solution->groups.count[g];
    for (size_t i = 0; i < column->n_labels; i++)
        holds &= n_rows[i] == 0 || n_rows[i] >= solution->setup->promise.least_size;
    kan_free(run, n_rows);
    return holds ? KAN_OK
                 : kan_solution_fail_region(solution, "a column does not keep the promise");
}

kan_status kan_solution_check_columns(const kan_solution *solution) {
    if (!solution->setup->is_per_column)
        return KAN_OK;
    if (solution->answer.recoding.regions->has_lost)
        return kan_solution_fail_region(solution, "rows are left out of columns");
    for (size_t c = 0; c < solution->by_group.n_columns; c++)
        KAN_TRY(check_column(solution, c));
    return KAN_OK;
}
