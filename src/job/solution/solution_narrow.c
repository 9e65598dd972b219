/* Cells whose label means less than it says (Incognito, footnote 3): the label of a node, below
 * which released rows have a value that all of them show by another label. Only local recodings have
 * such cells: levels, subtrees and cuts show all values of a node alike. Of released rows alone, so
 * that it may be told. O(tuples) and a bit for each label and value, column by column;
 * analyze/recodings/narrow.c counts the same again from the release. */
#include "core/pool.h"
#include "job/solution/solution.h"

typedef struct {
    const kan_solution *solution;
    unsigned a;
    uint32_t n_leaves;
    uint64_t *bits;   /* [label * n_leaves + leaf]: a released row with the leaf shows the label */
    uint64_t *n_rows; /* by label */
    uint8_t *is_met;  /* by leaf: a released row has it */
} usage;

/* The label of a region: the first cell that is called the same. */
static uint32_t label_of(const usage *u, size_t region) {
    const kan_regions *regions = u->solution->answer.recoding.regions;
    return u->solution->by_group.names[u->a]
        .shown[regions->cell_of[region * regions->n_attributes + u->a]];
}

static void read_tuples(usage *u) {
    const kan_regions *regions = u->solution->answer.recoding.regions;
    const kan_problem *problem = u->solution->problem;
    for (size_t r = 0; r < kan_regions_released(regions); r++)
        u->n_rows[label_of(u, r)] += regions->n_rows[r];
    for (size_t t = 0; t < kan_problem_tuples(problem); t++) {
        kan_portion single;
        const kan_portion *portions;
        const size_t n = kan_regions_portions(regions, t, kan_problem_tuple_rows(problem, t),
                                              &single, &portions);
        const uint32_t leaf = kan_problem_tuple_value(problem, t, u->a);
        for (size_t i = 0; i < n; i++) {
            if (portions[i].region >= kan_regions_released(regions))
                continue;
            const size_t bit = (size_t)label_of(u, portions[i].region) * u->n_leaves + leaf;
            u->bits[bit / 64] |= UINT64_C(1) << (bit % 64);
            u->is_met[leaf] = 1;
        }
    }
}

static bool is_narrow(const usage *u, uint32_t label) {
    const kan_cells *cells = &u->solution->answer.recoding.regions->cells[u->a];
    const kan_hierarchy *h = u->solution->setup->hierarchies[u->a];
    for (uint32_t leaf = 0; leaf < u->n_leaves; leaf++) {
        const size_t bit = (size_t)label * u->n_leaves + leaf;
        if (u->is_met[leaf] && !(u->bits[bit / 64] >> (bit % 64) & 1) &&
            kan_cell_holds(cells, label, h, leaf))
            return true;
    }
    return false;
}

static kan_status count(usage *u, uint64_t *out) {
    const kan_cells *cells = &u->solution->answer.recoding.regions->cells[u->a];
    const uint8_t *level = u->solution->by_group.names[u->a].node_level;
    kan_run *run = u->solution->setup->run;
    KAN_TRY(
        kan_alloc_zero(run, (size_t)cells->n * u->n_leaves / 64 + 1, sizeof *u->bits, &u->bits));
    KAN_TRY(kan_alloc_zero(run, cells->n, sizeof *u->n_rows, &u->n_rows));
    KAN_TRY(kan_alloc_zero(run, u->n_leaves, sizeof *u->is_met, &u->is_met));
    read_tuples(u);
    for (uint32_t label = 0; label < cells->n; label++)
        if (u->n_rows[label] > 0 && level[label] > 0 && is_narrow(u, label))
            *out += u->n_rows[label];
    return KAN_OK;
}

typedef struct {
    const kan_solution *solution;
    uint64_t n[KAN_MAX_ATTRIBUTES];
} counting;

static kan_status count_attribute(void *context, size_t task, unsigned worker) {
    counting *c = context;
    const kan_setup *setup = c->solution->setup;
    usage u = {.solution = c->solution,
               .a = (unsigned)task,
               .n_leaves = setup->hierarchies[task]->n_codes};
    (void)worker;
    if (c->solution->answer.recoding.regions->cells[task].type != KAN_CELL_NODE)
        return KAN_OK;
    const kan_status status = count(&u, &c->n[task]);
    kan_free(setup->run, u.bits);
    kan_free(setup->run, u.n_rows);
    kan_free(setup->run, u.is_met);
    return status;
}

/* All attributes at once need room for each; where memory has a budget, one after the other does
 * not need more than before. */
kan_status kan_solution_count_narrow(const kan_solution *solution, uint64_t *out) {
    const unsigned n = solution->setup->n_quasi;
    kan_run *run = solution->setup->run;
    counting c = {.solution = solution};
    if (solution->answer.recoding.type == KAN_RECODING_LOCAL) {
        if (kan_run_memory_budget(run) == 0)
            KAN_TRY(kan_parallel(run, n, count_attribute, &c));
        for (unsigned a = 0; a < n && kan_run_memory_budget(run) > 0; a++)
            KAN_TRY(count_attribute(&c, a, 0));
    }
    *out = 0;
    for (unsigned a = 0; a < n; a++)
        *out += c.n[a];
    return KAN_OK;
}
