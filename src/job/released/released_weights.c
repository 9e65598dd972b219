/* Costs by people over released rows: each weighs 1 / the released rows of its person, as if nobody had
 * ever had others (docs/papers/people.md, Costs by people). O(tuples * attributes). */
#include "job/released/released.h"

typedef struct {
    const kan_solution *solution;
    uint64_t *rows;   /* by tuple: those that are released */
    uint64_t *n_rows; /* by person: the same */
} counted;

static uint32_t person_of(const kan_problem *problem, size_t tuple) {
    return kan_problem_tuple_value(problem, tuple, problem->space.n_attributes);
}

static void weigh_leaves(const counted *c, unsigned a, double *weights) {
    const kan_problem *problem = c->solution->problem;
    for (size_t t = 0; t < kan_problem_tuples(problem); t++)
        if (c->rows[t] > 0)
            weights[kan_problem_tuple_value(problem, t, a)] +=
                (double)c->rows[t] / (double)c->n_rows[person_of(problem, t)];
}

static void weigh_regions(const counted *c, double *weights) {
    const kan_regions *regions = c->solution->answer.recoding.regions;
    const kan_problem *problem = c->solution->problem;
    for (size_t t = 0; t < kan_problem_tuples(problem); t++) {
        kan_portion single;
        const kan_portion *portions;
        const size_t n = kan_regions_portions(regions, t, kan_problem_tuple_rows(problem, t),
                                              &single, &portions);
        for (size_t i = 0; i < n; i++)
            if (portions[i].region < kan_regions_released(regions))
                weights[portions[i].region] +=
                    (double)portions[i].n_rows / (double)c->n_rows[person_of(problem, t)];
    }
}

static kan_status weigh(const counted *c, kan_released *out) {
    const kan_setup *setup = c->solution->setup;
    const kan_problem *problem = c->solution->problem;
    const bool has_regions = kan_recoding_has_regions(&c->solution->answer.recoding);
    const size_t n_regions = has_regions ? c->solution->answer.recoding.regions->n_regions : 0;
    size_t n = n_regions;
    for (unsigned a = 0; a < setup->n_quasi; a++)
        n += setup->hierarchies[a]->n_codes;
    KAN_TRY(kan_alloc_zero(setup->run, n, sizeof *out->weights, &out->weights));
    for (size_t t = 0; t < kan_problem_tuples(problem); t++)
        c->n_rows[person_of(problem, t)] += c->rows[t];
    double *weights = out->weights;
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        out->leaf_weights[a] = weights;
        weigh_leaves(c, a, weights);
        weights += setup->hierarchies[a]->n_codes;
    }
    out->region_weights = weights;
    if (has_regions)
        weigh_regions(c, weights);
    return KAN_OK;
}

kan_status kan_released_weigh(const kan_solution *solution, kan_released *out) {
    kan_run *run = solution->setup->run;
    counted c = {.solution = solution};
    kan_status status;
    KAN_TRY_DONE(kan_alloc(run, kan_problem_tuples(solution->problem), sizeof *c.rows, &c.rows));
    KAN_TRY_DONE(
        kan_alloc_zero(run, (size_t)solution->problem->n_people, sizeof *c.n_rows, &c.n_rows));
    KAN_TRY_DONE(kan_solution_tuple_rows(solution, c.rows));
    status = weigh(&c, out);
done:
    kan_free(run, c.rows);
    kan_free(run, c.n_rows);
    return status;
}

/* ---- levels --------------------------------------------------------------------------------- */

static double lower(unsigned level, double height) {
    return level < height ? level : height;
}

double kan_released_levels_of_people(const kan_released *released, unsigned a) {
    const kan_solution *solution = released->solution;
    const kan_recoding *recoding = &solution->answer.recoding;
    const double height = kan_released_height(released, a);
    double sum = 0;
    if (kan_recoding_has_regions(recoding)) {
        const kan_regions *regions = recoding->regions;
        for (size_t r = 0; r < kan_regions_released(regions); r++)
            sum += released->region_weights[r] *
                   lower(solution->by_group.names[a]
                             .node_level[regions->cell_of[r * regions->n_attributes + a]],
                         height);
        return sum;
    }
    const kan_shown *shown = &solution->shown[a];
    const uint32_t *group_of = shown->hierarchy->levels[shown->level].from_leaf;
    for (uint32_t leaf = 0; leaf < solution->setup->hierarchies[a]->n_codes; leaf++) {
        const unsigned level = kan_recoding_has_cuts(recoding) ? shown->node_level[group_of[leaf]]
                                                               : recoding->levels[a];
        sum += released->leaf_weights[a][leaf] * lower(level, height);
    }
    return sum;
}
