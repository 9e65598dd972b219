/* What costs by people look at, of a solution: from its sets, or of regions from the base again.
 * O(tuples + regions). */
#include <math.h>
#include <string.h>

#include "job/solution/solution.h"

/* ---- levels and cuts ------------------------------------------------------------------------ */

static uint32_t person_at(const kan_solution *solution, const uint64_t *key) {
    const kan_layout *layout = &solution->set.layout;
    const unsigned n = solution->problem->space.n_attributes;
    unsigned f = 0;
    while (layout->fields[f].dimension != n)
        f++;
    return kan_key_field_value(&layout->fields[f], key);
}

/* As lift_to_nodes does of rows: cells of an interval stand at the level of the lowest node that
 * covers it. */
static void lift_to_nodes(kan_solution *solution) {
    const kan_freqset *set = &solution->set;
    const kan_groups *groups = &solution->groups;
    const uint64_t *weight = solution->problem->weights_of->of_row;
    const unsigned n = solution->problem->space.n_attributes;
    kan_cell_loss *loss = solution->summer.sums.loss;
    for (unsigned a = 0; a < n; a++)
        loss[a].levels = 0;
    for (size_t g = 0; g < groups->n_groups; g++) {
        const size_t end = g + 1 < groups->n_groups ? groups->first_tuple[g + 1] : set->n;
        for (size_t i = groups->first_tuple[g]; i < end && groups->is_released[g]; i++) {
            const uint64_t *key = set->keys + i * set->layout.n_words;
            const uint64_t parts = set->counts[i] * weight[person_at(solution, key)];
            for (unsigned f = 0; f < set->layout.n_fields; f++) {
                const kan_key_field *field = &set->layout.fields[f];
                if (field->dimension < n)
                    loss[field->dimension].levels +=
                        (kan_u128)parts * solution->shown[field->dimension]
                                              .node_level[kan_key_field_value(field, key)];
            }
        }
    }
}

kan_status kan_solution_sum_people(kan_solution *solution) {
    if (!solution->problem->weights_of)
        return KAN_OK;
    kan_person_summer_init(&solution->summer, solution->problem);
    KAN_TRY(kan_person_summer_groups(&solution->summer, &solution->groups));
    if (kan_recoding_has_cuts(&solution->answer.recoding))
        lift_to_nodes(solution);
    return KAN_OK;
}

/* ---- regions -------------------------------------------------------------------------------- */

static uint32_t value_of(const kan_problem *problem, size_t tuple, int tail) {
    return tail == KAN_NO_TAIL ? 0
                               : kan_problem_tuple_value(
                                     problem, tuple, problem->space.n_attributes + (unsigned)tail);
}

static kan_status sum_groups(kan_solution *solution) {
    const kan_problem *problem = solution->problem;
    kan_person_summer *summer = &solution->summer;
    kan_group_parts of = {NULL, NULL};
    kan_status status;
    KAN_TRY_DONE(kan_person_summer_begin(summer));
    KAN_TRY_DONE(kan_solution_list_parts(solution, &of));
    for (size_t g = 0; g < solution->groups.n_groups; g++) {
        if (!solution->groups.is_released[g])
            continue;
        for (size_t i = of.start[g]; i < of.start[g + 1]; i++)
            (void)kan_person_summer_take(summer, value_of(problem, of.parts[i].tuple, 0),
                                         value_of(problem, of.parts[i].tuple, problem->class_tail),
                                         of.parts[i].n_rows);
        kan_person_summer_close(summer);
    }
    kan_person_summer_end(summer);
done:
    kan_free(solution->setup->run, of.start);
    kan_free(solution->setup->run, of.parts);
    return status;
}

/* What the rows of each region weigh. */
static void weigh_regions(const kan_solution *solution, uint64_t *weight) {
    const kan_regions *regions = solution->answer.recoding.regions;
    const kan_problem *problem = solution->problem;
    const size_t n = kan_problem_tuples(problem);
    for (size_t t = 0; t < n; t++) {
        kan_portion single;
        const kan_portion *portions;
        const size_t n_portions = kan_regions_portions(
            regions, t, kan_problem_tuple_rows(problem, t), &single, &portions);
        const uint64_t of_row = problem->weights_of->of_row[value_of(problem, t, 0)];
        for (size_t i = 0; i < n_portions; i++)
            weight[portions[i].region] += portions[i].n_rows * of_row;
    }
}

/* As measure_attribute does of rows, in the same shares. */
static void measure_loss(kan_solution *solution, const uint64_t *weight) {
    const kan_regions *regions = solution->answer.recoding.regions;
    const double one = (double)solution->cost_problem.share_one;
    for (unsigned a = 0; a < regions->n_attributes; a++) {
        const kan_cell_names *names = &solution->by_group.names[a];
        kan_cell_loss *loss = &solution->summer.sums.loss[a];
        for (size_t r = 0; r < kan_regions_released(regions); r++) {
            const uint32_t cell = regions->cell_of[r * regions->n_attributes + a];
            loss->levels += (kan_u128)weight[r] * names->node_level[cell];
            loss->share += (kan_u128)weight[r] * (uint64_t)round(names->share[cell] * one);
        }
    }
}

kan_status kan_solution_sum_region_people(kan_solution *solution) {
    kan_run *run = solution->setup->run;
    uint64_t *weight;
    if (!solution->problem->weights_of)
        return KAN_OK;
    kan_person_summer_init(&solution->summer, solution->problem);
    KAN_TRY(sum_groups(solution));
    KAN_TRY(
        kan_alloc_zero(run, solution->answer.recoding.regions->n_regions, sizeof *weight, &weight));
    weigh_regions(solution, weight);
    measure_loss(solution, weight);
    kan_free(run, weight);
    solution->groups.sums = &solution->summer.sums;
    return kan_check_cancel(run);
}
