/* Rows of a release by regions: the group of each, and the values of sensitive and class columns in
 * each group. The rows of a tuple are alike in these columns, too, so that they are counted from
 * the base; which rows of a tuple go where is decided by their order in the table. A row of a
 * counted table that stands for rows of several groups becomes several. */
#include <stdlib.h>

#include "core/pool.h"
#include "core/spill.h"
#include "group/freqsets/freqsets.h"
#include "job/solution/solution.h"

enum { TASK_ROWS = 1 << 18 };

/* ---- the groups of rows --------------------------------------------------------------------- */

/* Without splits: from tuples to groups in place. */
static kan_status group_task(void *context, size_t task, unsigned worker) {
    const kan_solution *solution = context;
    const kan_group_release *release = &solution->by_group;
    const uint32_t *region_of = solution->answer.recoding.regions->region_of;
    const uint64_t n_rows = solution->setup->table->n_rows;
    uint64_t row = (uint64_t)task * TASK_ROWS;
    const uint64_t end = n_rows - row < TASK_ROWS ? n_rows : row + TASK_ROWS;
    const uint64_t first = row;
    (void)worker;
    for (; row < end; row++) {
        const uint64_t tuple = solution->problem->is_unfolded ? row : release->group_of_row[row];
        release->group_of_row[row] = release->group_of_region[region_of[tuple]];
    }
    kan_spill_done(solution->setup->run, release->group_of_row + first,
                   (size_t)(end - first) * sizeof *release->group_of_row);
    if (solution->problem->is_unfolded)
        kan_spill_done(solution->setup->run, region_of + first,
                       (size_t)(end - first) * sizeof *region_of);
    return KAN_OK;
}

/* With splits: portions are used up one after the other, in the order of the rows. */
static kan_status hand_out(const kan_solution *solution) {
    const kan_regions *regions = solution->answer.recoding.regions;
    const kan_group_release *release = &solution->by_group;
    kan_run *run = solution->setup->run;
    kan_status status;
    size_t *next = NULL;   /* by split: the portion in use */
    uint64_t *used = NULL; /* by split: rows of it that are gone */
    KAN_TRY_DONE(kan_alloc(run, regions->n_splits, sizeof *next, &next));
    KAN_TRY_DONE(kan_alloc_zero(run, regions->n_splits, sizeof *used, &used));
    for (size_t s = 0; s < regions->n_splits; s++)
        next[s] = regions->split_start[s];
    for (uint64_t row = 0; row < solution->setup->table->n_rows; row++) {
        uint32_t region = regions->region_of[release->group_of_row[row]];
        if (region & KAN_REGION_SPLIT) {
            const uint32_t s = region & ~KAN_REGION_SPLIT;
            if (used[s] == regions->portions[next[s]].n_rows) {
                next[s]++;
                used[s] = 0;
            }
            used[s]++;
            region = regions->portions[next[s]].region;
        }
        release->group_of_row[row] = release->group_of_region[region];
    }
done:
    kan_free(run, next);
    kan_free(run, used);
    return status;
}

/* ---- the rows of a counted table ------------------------------------------------------------ */

/* Rows of a table as it will be: what each was, how many of the input's it is, and its group. */
typedef struct {
    kan_run *run;
    size_t n, row_room, count_room, group_room;
    uint64_t *row_of, *counts;
    uint32_t *group_of;
} pieces;

static kan_status add_piece(pieces *p, uint64_t row, uint64_t count, uint32_t group) {
    if (p->n > 0 && p->row_of[p->n - 1] == row && p->group_of[p->n - 1] == group) {
        p->counts[p->n - 1] += count; /* two regions that show the same */
        return KAN_OK;
    }
    KAN_TRY(kan_reserve(p->run, p->n + 1, sizeof *p->row_of, &p->row_room, &p->row_of));
    KAN_TRY(kan_reserve(p->run, p->n + 1, sizeof *p->counts, &p->count_room, &p->counts));
    KAN_TRY(kan_reserve(p->run, p->n + 1, sizeof *p->group_of, &p->group_room, &p->group_of));
    p->row_of[p->n] = row;
    p->counts[p->n] = count;
    p->group_of[p->n++] = group;
    return KAN_OK;
}

/* Portions are used up one after the other, in the order of the rows; a row that reaches over the
 * end of one is divided there. */
static kan_status cut_rows(const kan_solution *solution, const uint32_t *tuple_of, pieces *out) {
    const kan_regions *regions = solution->answer.recoding.regions;
    const kan_table *table = solution->setup->table;
    const uint32_t *group_of = solution->by_group.group_of_region;
    kan_run *run = solution->setup->run;
    kan_status status;
    size_t *next = NULL;   /* by split: the portion in use */
    uint64_t *used = NULL; /* by split: rows of it that are gone */
    KAN_TRY_DONE(kan_alloc(run, regions->n_splits, sizeof *next, &next));
    KAN_TRY_DONE(kan_alloc_zero(run, regions->n_splits, sizeof *used, &used));
    for (size_t s = 0; s < regions->n_splits; s++)
        next[s] = regions->split_start[s];
    for (uint64_t row = 0; row < table->n_rows; row++) {
        const uint32_t region = regions->region_of[tuple_of[row]];
        const uint32_t s = region & ~KAN_REGION_SPLIT;
        uint64_t left = kan_table_count(table, row);
        if (!(region & KAN_REGION_SPLIT)) {
            KAN_TRY_DONE(add_piece(out, row, left, group_of[region]));
            continue;
        }
        while (left > 0) {
            KAN_ASSERT(next[s] < regions->split_start[s + 1]);
            const kan_portion *portion = &regions->portions[next[s]];
            const uint64_t unused = portion->n_rows - used[s], here = left < unused ? left : unused;
            if (here > 0)
                KAN_TRY_DONE(add_piece(out, row, here, group_of[portion->region]));
            used[s] += here;
            left -= here;
            if (left > 0) {
                next[s]++;
                used[s] = 0;
            }
        }
    }
done:
    kan_free(run, next);
    kan_free(run, used);
    return status;
}

/* Divides the rows of the table, and gives each its group. */
static kan_status divide_rows(kan_solution *solution) {
    kan_group_release *release = &solution->by_group;
    pieces made = {.run = solution->setup->run};
    kan_status status;
    KAN_TRY_DONE(cut_rows(solution, release->group_of_row, &made));
    kan_free(made.run, release->group_of_row);
    release->group_of_row = NULL;
    KAN_TRY_DONE(
        kan_spill_alloc(made.run, made.n, sizeof *release->group_of_row, &release->group_of_row));
    for (uint64_t row = 0; row < made.n; row++)
        release->group_of_row[row] = made.group_of[row];
    uint64_t *counts = made.counts;
    made.counts = NULL;
    KAN_TRY_DONE(kan_input_divide(&solution->setup->input, made.row_of, made.n, counts));
done:
    kan_free(made.run, made.row_of);
    kan_free(made.run, made.counts);
    kan_free(made.run, made.group_of);
    return status;
}

kan_status kan_solution_find_rows(kan_solution *solution) {
    kan_group_release *release = &solution->by_group;
    const bool is_counted = solution->setup->table->counts != NULL;
    const uint64_t n_rows = solution->setup->table->n_rows;
    kan_run *run = solution->setup->run;
    if (release->group_of_row)
        return KAN_OK;
    KAN_TRY(kan_spill_alloc(run, n_rows, sizeof *release->group_of_row, &release->group_of_row));
    kan_status status =
        solution->problem->is_unfolded
            ? KAN_OK
            : kan_freqset_find_rows(&solution->problem->space, &solution->problem->base, n_rows,
                                    release->group_of_row);
    if (status == KAN_OK)
        status = solution->answer.recoding.regions->n_splits > 0
                     ? (is_counted ? divide_rows(solution) : hand_out(solution))
                     : kan_parallel(run, (size_t)((n_rows + TASK_ROWS - 1) / TASK_ROWS), group_task,
                                    solution);
    if (status != KAN_OK) {
        kan_free(run, release->group_of_row);
        release->group_of_row = NULL;
    }
    return status;
}

/* ---- tallies -------------------------------------------------------------------------------- */

/* Counts stand two places further on at first, so that filling in leaves each start in its own
 * place. */
kan_status kan_solution_list_parts(const kan_solution *solution, kan_group_parts *out) {
    const kan_regions *regions = solution->answer.recoding.regions;
    const kan_problem *problem = solution->problem;
    const uint32_t *group_of = solution->by_group.group_of_region;
    const size_t n_groups = solution->by_group.n_groups;
    kan_run *run = solution->setup->run;
    kan_portion single;
    const kan_portion *portions;
    size_t n_parts = 0;
    KAN_TRY(kan_alloc_zero(run, n_groups + 2, sizeof *out->start, &out->start));
    for (size_t t = 0; t < kan_problem_tuples(problem); t++) {
        const size_t n = kan_regions_portions(regions, t, kan_problem_tuple_rows(problem, t),
                                              &single, &portions);
        for (size_t i = 0; i < n; i++)
            out->start[group_of[portions[i].region] + 2]++;
        n_parts += n;
    }
    KAN_TRY(kan_spill_alloc(run, n_parts, sizeof *out->parts, &out->parts));
    for (size_t g = 0; g < n_groups; g++)
        out->start[g + 2] += out->start[g + 1];
    for (size_t t = 0; t < kan_problem_tuples(problem); t++) {
        const size_t n = kan_regions_portions(regions, t, kan_problem_tuple_rows(problem, t),
                                              &single, &portions);
        for (size_t i = 0; i < n; i++)
            out->parts[out->start[group_of[portions[i].region] + 1]++] =
                (kan_group_part){t, portions[i].n_rows};
    }
    return KAN_OK;
}

static int compare_values(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static kan_status tally_tail(kan_solution *solution, const kan_group_parts *of, unsigned tail,
                             uint64_t *dense) {
    kan_viewer *viewer = &solution->viewer;
    const kan_problem *problem = solution->problem;
    kan_run *run = solution->setup->run;
    const size_t n_groups = solution->by_group.n_groups;
    size_t n = 0, value_room = 0, count_room = 0;
    KAN_TRY(kan_alloc(run, n_groups + 1, sizeof(size_t), &viewer->tails[tail].start));
    for (size_t g = 0; g < n_groups; g++) {
        const size_t first = n, most = of->start[g + 1] - of->start[g];
        KAN_TRY(
            kan_reserve(run, n + most, sizeof(uint32_t), &value_room, &viewer->tails[tail].value));
        KAN_TRY(
            kan_reserve(run, n + most, sizeof(uint64_t), &count_room, &viewer->tails[tail].count));
        uint32_t *value = viewer->tails[tail].value;
        viewer->tails[tail].start[g] = first;
        for (size_t i = of->start[g]; i < of->start[g + 1]; i++) {
            const uint32_t v = kan_problem_tuple_value(problem, of->parts[i].tuple,
                                                       problem->space.n_attributes + tail);
            if (dense[v] == 0)
                value[n++] = v;
            dense[v] += of->parts[i].n_rows;
        }
        qsort(value + first, n - first, sizeof *value, compare_values);
        for (size_t i = first; i < n; i++) {
            viewer->tails[tail].count[i] = dense[value[i]];
            dense[value[i]] = 0;
        }
    }
    viewer->tails[tail].start[n_groups] = n;
    viewer->tallies[tail] = (kan_tally){viewer->tails[tail].start, viewer->tails[tail].value,
                                        viewer->tails[tail].count};
    return KAN_OK;
}

kan_status kan_solution_tally(kan_solution *solution) {
    const kan_space *space = &solution->problem->space;
    kan_run *run = solution->setup->run;
    kan_status status;
    kan_group_parts of = {NULL, NULL};
    uint64_t *dense = NULL;
    size_t most = 0;
    for (unsigned t = 0; t < space->n_tails; t++) {
        const size_t n = kan_dimension_groups(&space->dimensions[space->n_attributes + t], 0);
        most = n > most ? n : most;
    }
    KAN_TRY_DONE(kan_solution_list_parts(solution, &of));
    KAN_TRY_DONE(kan_alloc_zero(run, most, sizeof *dense, &dense));
    for (unsigned t = 0; t < space->n_tails; t++)
        KAN_TRY_DONE(tally_tail(solution, &of, t, dense));
done:
    kan_free(run, of.start);
    kan_free(run, of.parts);
    kan_free(run, dense);
    return status;
}
