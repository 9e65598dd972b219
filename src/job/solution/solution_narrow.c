/* Cells whose label means less than it says (Incognito, footnote 3): the label of a node, below
 * which released rows have a value that all of them show by another label. Only local recodings have
 * such cells: levels, subtrees and cuts show all values of a node alike. Of released rows alone, so
 * that it may be told. O(tuples) and a bit for each label and value, column by column;
 * analyze/recodings/narrow.c counts the same again from the release. */
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

kan_status kan_solution_count_narrow(const kan_solution *solution, uint64_t *out) {
    kan_run *run = solution->setup->run;
    uint64_t n = 0;
    kan_status status = KAN_OK;
    const bool is_local = solution->answer.recoding.type == KAN_RECODING_LOCAL;
    for (unsigned a = 0; is_local && a < solution->setup->n_quasi && status == KAN_OK; a++) {
        usage u = {
            .solution = solution, .a = a, .n_leaves = solution->setup->hierarchies[a]->n_codes};
        if (solution->answer.recoding.regions->cells[a].type != KAN_CELL_NODE)
            continue;
        status = count(&u, &n);
        kan_free(run, u.bits);
        kan_free(run, u.n_rows);
        kan_free(run, u.is_met);
    }
    if (status == KAN_OK)
        *out = n;
    return status;
}
