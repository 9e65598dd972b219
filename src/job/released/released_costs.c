/* Costs of a release over released rows and their values.
 *
 * Costs that look at the groups of the release alone are told as they are. What is measured in
 * levels is told where the heights of hierarchies do not depend on suppressed rows; shares of the
 * domain are measured again with the values of released rows as the domain. O(values * levels) per column. */
#include <math.h>

#include "job/released/released.h"
#include "job/settings/settings.h"

/* What is measured: the release; without those who were left out, where how many rows they have is
 * not told. */
static kan_groups measured(const kan_released *released) {
    kan_groups groups = *kan_solution_groups(released->solution);
    if (released->hides_rows) {
        groups.n_rows -= groups.n_suppressed;
        groups.n_suppressed = groups.n_left_out = 0;
    }
    return groups;
}

/* ---- levels --------------------------------------------------------------------------------- */

/* The sum over the cells of released rows of the level that each stands at. */
static double sum_levels(const kan_released *released, unsigned a, unsigned height) {
    uint64_t n_cells[UINT8_MAX + 1];
    double sum = 0;
    kan_solution_cell_levels(released->solution, a, n_cells);
    for (unsigned level = 0; level <= released->solution->setup->hierarchies[a]->height; level++)
        sum += (double)n_cells[level] * (level < height ? level : height);
    return sum;
}

double kan_released_given_up(const kan_released *released, unsigned a) {
    const kan_groups groups = measured(released);
    const double height = kan_released_height(released, a);
    if (released->is_all)
        return kan_solution_distortion(released->solution, a);
    return height > 0 ? (sum_levels(released, a, (unsigned)height) +
                         (double)groups.n_suppressed * height) /
                            ((double)groups.n_rows * height)
                      : 0;
}

/* ---- shares of the domain ------------------------------------------------------------------- */

/* Some of the values that released rows have. */
typedef struct {
    uint32_t n, n_known; /* known: those with a number */
    double lo, hi;
} extent;

static const extent nothing = {.lo = INFINITY, .hi = -INFINITY};

static void add_leaf(extent *e, const kan_hierarchy *h, const uint64_t *leaf_rows, kan_type type,
                     uint32_t leaf) {
    double number;
    if (leaf_rows[leaf] == 0)
        return;
    e->n++;
    if (!kan_value_number(type, h->levels[0].label[leaf], &number))
        return;
    e->n_known++;
    e->lo = fmin(e->lo, number);
    e->hi = fmax(e->hi, number);
}

static extent measure_leaves(const kan_hierarchy *h, const uint64_t *leaf_rows, kan_type type,
                             uint32_t first, uint32_t end) {
    extent e = nothing;
    for (uint32_t leaf = first; leaf < end; leaf++)
        add_leaf(&e, h, leaf_rows, type, leaf);
    return e;
}

/* What a cell of regions holds: a node, a list, or a range with unknown values before it. */
static extent measure_cell(const kan_cells *cells, uint32_t cell, const kan_hierarchy *h,
                           const uint64_t *leaf_rows, kan_type type) {
    const kan_cell *c = &cells->cells[cell];
    extent e = nothing;
    if (cells->type == KAN_CELL_NODE)
        return measure_leaves(h, leaf_rows, type, kan_hierarchy_first_leaf(h, c->a, c->b),
                              kan_hierarchy_first_leaf(h, c->a, c->b + 1));
    for (uint32_t i = c->a; cells->type == KAN_CELL_SET && i < c->b; i++)
        add_leaf(&e, h, leaf_rows, type, cells->set[i]);
    if (cells->type == KAN_CELL_SET)
        return e;
    e = measure_leaves(h, leaf_rows, type, c->a, c->b + 1);
    for (uint32_t leaf = 0; leaf < 32; leaf++)
        if (kan_cell_unknown(cells, cell) >> leaf & 1)
            add_leaf(&e, h, leaf_rows, type, leaf);
    return e;
}

/* As kan_level.share, with the values of released rows for leaves. */
static double share_of(kan_type type, const extent *part, const extent *domain) {
    const double by_count =
        domain->n > 1 && part->n > 1 ? (double)(part->n - 1) / (double)(domain->n - 1) : 0;
    double by_length = 0;
    if (type == KAN_TYPE_TEXT)
        return by_count;
    if (part->n_known > 0 && domain->hi > domain->lo) /* halves, so that no length is infinite */
        by_length = (part->hi * 0.5 - part->lo * 0.5) / (domain->hi * 0.5 - domain->lo * 0.5);
    return part->n_known == part->n ? by_length : fmax(by_length, by_count);
}

/* By the order of leaves of one hierarchy, and the groups of another's level (cuts). weights: what rows of
 * each leaf weigh; NULL: each of them 1. */
static double sum_groups(const kan_hierarchy *h, const uint64_t *leaf_rows, const double *weights,
                         kan_type type, const uint32_t *group_of) {
    const extent domain = measure_leaves(h, leaf_rows, type, 0, h->n_codes);
    double sum = 0;
    for (uint32_t first = 0, end; first < h->n_codes; first = end) {
        uint64_t n_rows = 0;
        double weight = 0;
        for (end = first; end < h->n_codes && group_of[end] == group_of[first]; end++) {
            n_rows += leaf_rows[end];
            weight += weights ? weights[end] : 0;
        }
        const extent part = measure_leaves(h, leaf_rows, type, first, end);
        if (n_rows > 0)
            sum += (weights ? weight : (double)n_rows) * share_of(type, &part, &domain);
    }
    return sum;
}

double kan_released_column_shares(const kan_released_column *c) {
    if (c->level == 0)
        return 0;
    return sum_groups(c->hierarchy, c->leaf_rows, NULL, kan_released_column_type(c),
                      c->hierarchy->levels[c->level].from_leaf);
}

/* Levels and cuts: the cells of all released rows. */
static double sum_shown(const kan_released *released, unsigned a, bool by_people) {
    const kan_shown *shown = &released->solution->shown[a];
    if (shown->level == 0)
        return 0;
    return sum_groups(released->solution->setup->hierarchies[a], released->leaf_rows[a],
                      by_people ? released->leaf_weights[a] : NULL, kan_released_type(released, a),
                      shown->hierarchy->levels[shown->level].from_leaf);
}

/* What each cell that released regions show is of: rows, or what they weigh. */
static kan_status count_cells(const kan_released *released, unsigned a, bool by_people,
                              double **out) {
    const kan_solution *solution = released->solution;
    const kan_regions *regions = solution->answer.recoding.regions;
    double *of_cell;
    KAN_TRY(kan_alloc_zero(solution->setup->run, regions->cells[a].n, sizeof *of_cell, &of_cell));
    for (size_t r = 0; r < kan_regions_released(regions); r++)
        of_cell[regions->cell_of[r * regions->n_attributes + a]] +=
            by_people ? released->region_weights[r] : (double)regions->n_rows[r];
    *out = of_cell;
    return KAN_OK;
}

static kan_status sum_cells(const kan_released *released, unsigned a, bool by_people, double *out) {
    const kan_solution *solution = released->solution;
    const kan_cells *cells = &solution->answer.recoding.regions->cells[a];
    const kan_hierarchy *h = solution->setup->hierarchies[a];
    const kan_type type = kan_released_type(released, a);
    const uint64_t *leaf_rows = released->leaf_rows[a];
    const extent domain = measure_leaves(h, leaf_rows, type, 0, h->n_codes);
    double *of_cell;
    KAN_TRY(count_cells(released, a, by_people, &of_cell));
    *out = 0;
    for (uint32_t c = 0; c < cells->n; c++) {
        if (!(of_cell[c] > 0))
            continue;
        const extent part = measure_cell(cells, c, h, leaf_rows, type);
        *out += of_cell[c] * share_of(type, &part, &domain);
    }
    kan_free(solution->setup->run, of_cell);
    return KAN_OK;
}

/* ---- costs ---------------------------------------------------------------------------------- */

static kan_status measure_shares(const kan_released *released, const kan_cell_price *price,
                                 bool by_people, kan_score *out) {
    const kan_solution *solution = released->solution;
    const kan_groups groups = measured(released);
    const double n_rows = (double)(by_people ? released->n_people : groups.n_rows);
    const double *weights = solution->setup->problem.weights;
    double lost = 0, all = 0;
    for (unsigned a = 0; a < solution->setup->n_quasi; a++) {
        double cells;
        if (kan_recoding_has_regions(&solution->answer.recoding))
            KAN_TRY(sum_cells(released, a, by_people, &cells));
        else
            cells = sum_shown(released, a, by_people);
        const double weight = price->suppressed(kan_released_height(released, a), weights[a]);
        lost += weight * ((cells + (double)groups.n_suppressed) / n_rows);
        all += weight;
    }
    *out = kan_score_real(all > 0 ? lost / all : 0);
    return KAN_OK;
}

/* The mean of what each column gave up, weighted by what a suppressed cell of it does. */
static kan_score measure_levels(const kan_released *released, const kan_cell_price *price,
                                bool by_people) {
    const double *weights = released->solution->setup->problem.weights;
    const kan_groups groups = measured(released);
    double lost = 0, all = 0;
    for (unsigned a = 0; a < released->solution->setup->n_quasi; a++) {
        const double height = kan_released_height(released, a);
        const double weight = price->suppressed(height, weights[a]);
        /* what has no height loses nothing but its suppressed rows */
        if (by_people)
            lost += height > 0 ? weight * kan_released_levels_of_people(released, a) / height /
                                     (double)released->n_people
                               : 0;
        else
            lost += weight * (height > 0 ? kan_released_given_up(released, a)
                                         : (double)groups.n_suppressed / (double)groups.n_rows);
        all += weight;
    }
    return kan_score_real(all > 0 ? lost / all : 0);
}

static bool knows_all_levels(const kan_released *released) {
    for (unsigned a = 0; a < released->solution->setup->n_quasi; a++)
        if (!kan_released_knows_levels(released, a))
            return false;
    return true;
}

static kan_status measure_again(const kan_released *released, const kan_cost_kind *kind,
                                const kan_groups *groups, kan_score *out) {
    const kan_setup *setup = released->solution->setup;
    kan_objective objective;
    KAN_TRY(kan_objective_create(setup->run, &setup->job->arena, kind, &setup->job->options,
                                 setup->promise.k, released->solution->problem, &objective));
    *out = kan_objective_measure(&objective, groups);
    return KAN_OK;
}

static kan_status measure_height(const kan_released *released, const kan_cost_kind *kind,
                                 kan_score *out) {
    kan_groups groups = measured(released);
    unsigned levels[KAN_MAX_ATTRIBUTES] = {0};
    for (unsigned a = 0; a < released->solution->setup->n_quasi; a++)
        levels[a] = kan_released_level(released, a);
    groups.levels = levels;
    return measure_again(released, kind, &groups, out);
}

static kan_status measure_groups(const kan_released *released, const kan_cost_kind *kind,
                                 kan_score *out) {
    const kan_groups groups = measured(released);
    if (!released->hides_rows)
        return KAN_OK; /* it was measured so */
    return measure_again(released, kind, &groups, out);
}

/* Groups, of the people who are left. What rows of a class weigh is not told: it is counted in parts that
 * the rows of everybody divide. */
static kan_status measure_group_people(const kan_released *released, const kan_cost_kind *kind,
                                       bool *is_told, kan_score *out) {
    kan_groups groups = *kan_solution_groups(released->solution);
    kan_person_sums sums = *groups.sums;
    sums.n_people = released->n_people;
    sums.n_left = 0;
    groups.sums = &sums;
    *is_told = kind->of_rows->shape != KAN_SHAPE_CLASSES;
    return *is_told ? measure_again(released, kind, &groups, out) : KAN_OK;
}

/* Of the people who are left, as if there had never been others, nor other rows of theirs. */
static kan_status measure_people(const kan_released *released, const kan_cost_kind *kind,
                                 bool *is_told, kan_score *out) {
    const kan_cost_kind *of_rows = kind->of_rows;
    if (of_rows->shape != KAN_SHAPE_CELLS)
        return measure_group_people(released, kind, is_told, out);
    if (of_rows->price->is_by_share)
        return measure_shares(released, of_rows->price, true, out);
    *is_told = knows_all_levels(released);
    if (*is_told)
        *out = measure_levels(released, of_rows->price, true);
    return KAN_OK;
}

kan_status kan_released_metric(const kan_released *released, size_t metric, bool *is_told,
                               kan_score *out) {
    const kan_solution *solution = released->solution;
    const kan_cost_kind *kind = solution->setup->costs[metric];
    *is_told = solution->metrics[metric].is_known;
    *out = solution->metrics[metric].score;
    if (released->hides_rows && released->n_people == 0)
        *is_told = false; /* of no row */
    if (!*is_told || released->is_all)
        return KAN_OK;
    if (kind->of_rows)
        return measure_people(released, kind, is_told, out);
    if (kind->is_by_groups)
        return measure_groups(released, kind, out);
    if (kind->shape == KAN_SHAPE_CELLS && kind->price->is_by_share)
        return measure_shares(released, kind->price, false, out);
    *is_told = knows_all_levels(released);
    if (*is_told && kind->shape == KAN_SHAPE_LEVELS)
        return measure_height(released, kind, out);
    if (*is_told && kind->shape == KAN_SHAPE_CELLS)
        *out = measure_levels(released, kind->price, false);
    else
        *is_told = false; /* of a cost of another form nothing is known */
    return KAN_OK;
}
