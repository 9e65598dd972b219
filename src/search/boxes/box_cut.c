/* Choosing a cut: see box_cut.h. */
#include "search/boxes/box_cut.h"

#include <math.h>

/* ---- by prices ------------------------------------------------------------------------------ */

/* What each level of each attribute adds to the cost when all others are at their lowest: a guess
 * at what it adds elsewhere, by which cuts are chosen. */
kan_status kan_box_cut_price(kan_box_plan *p, const kan_box_explorer *e) {
    unsigned levels[KAN_MAX_ATTRIBUTES];
    const kan_lattice *lattice = p->boxes->lattice;
    memcpy(levels, lattice->low, sizeof levels);
    const kan_groups low = {.n_rows = e->probe.question->problem->n_rows, .levels = levels};
    kan_score nothing, price;
    if (!p->is_by_levels || !kan_probe_bound(&e->probe, &low, 0, &nothing))
        return KAN_OK;
    for (unsigned a = 0; a < p->n_attributes; a++) {
        const unsigned high = kan_lattice_high(lattice, a);
        KAN_TRY(kan_alloc(e->probe.run, high + 1, sizeof *p->dearer[a], &p->dearer[a]));
        for (levels[a] = lattice->low[a]; levels[a] <= high; levels[a]++) {
            (void)kan_probe_bound(&e->probe, &low, 0, &price);
            p->dearer[a][levels[a]] = price.real - nothing.real;
        }
        levels[a] = lattice->low[a];
    }
    p->has_prices = true;
    return KAN_OK;
}

/* What settles both halves soonest. A lower half gets a high corner with more groups, and so more rows
 * that are lost; an upper one a low corner that is dearer. */
static kan_box_cut choose_dear(const kan_box_explorer *e, const kan_box *b) {
    kan_box_cut best = {e->plan->n_attributes, 0};
    double most = 0;
    for (unsigned a = 0; a < e->plan->n_attributes; a++) {
        const kan_dimension *dimension = &e->probe.space->dimensions[a];
        const double *dearer = e->plan->dearer[a];
        const double n_high = kan_dimension_groups(dimension, b->high[a]);
        for (unsigned middle = b->low[a]; middle < b->high[a]; middle++) {
            const double worth = (dearer[middle + 1] - dearer[b->low[a]]) *
                                 log2(kan_dimension_groups(dimension, middle) / n_high);
            if (best.attribute == e->plan->n_attributes || worth > most) {
                best = (kan_box_cut){a, middle};
                most = worth;
            }
        }
    }
    return best;
}

/* ---- by groups ------------------------------------------------------------------------------ */

static uint32_t in_units(double bits) {
    return (uint32_t)(bits * 1024 + 0.5);
}

/* `rows` has room for a counter per group. */
static kan_level_width find_width(const kan_problem *problem, unsigned attribute, unsigned level,
                                  uint64_t *rows) {
    const kan_hierarchy *hierarchy = problem->space.dimensions[attribute].hierarchy;
    const uint64_t *leaf_rows = problem->leaf_rows[attribute];
    const uint32_t n_groups = hierarchy->levels[level].n_groups;
    double sum = 0; /* of n log n: the entropy is log N - sum / N */
    memset(rows, 0, n_groups * sizeof *rows);
    for (uint32_t leaf = 0; leaf < hierarchy->levels[0].n_groups; leaf++)
        rows[hierarchy->levels[level].from_leaf[leaf]] += leaf_rows[leaf];
    for (uint32_t g = 0; g < n_groups; g++)
        sum += rows[g] > 1 ? (double)rows[g] * log2((double)rows[g]) : 0;
    const double n = (double)problem->n_rows;
    const double entropy = n > 0 ? log2(n) - sum / n : 0;
    return (kan_level_width){in_units(log2(n_groups)), in_units(entropy > 0 ? entropy : 0)};
}

kan_status kan_box_cut_spread(kan_box_plan *p, const kan_box_explorer *e, const kan_box *root) {
    kan_status status = KAN_OK;
    const kan_problem *problem = e->probe.question->problem;
    uint64_t *rows = NULL;
    size_t room = 0;
    for (unsigned a = 0; a < p->n_attributes && !p->has_prices; a++) {
        const uint32_t n = kan_dimension_groups(&problem->space.dimensions[a], 0);
        KAN_TRY_DONE(kan_reserve(e->probe.run, n, sizeof *rows, &room, &rows));
        KAN_TRY_DONE(
            kan_alloc(e->probe.run, root->high[a] + 1u, sizeof *p->widths[a], &p->widths[a]));
        for (unsigned level = root->high[a] + 1u; level-- > root->low[a];) {
            kan_level_width *width = &p->widths[a][level];
            *width = find_width(problem, a, level, rows);
            /* Whatever was rounded, no level has less than the one above it. */
            if (level < root->high[a] && width->spread < width[1].spread)
                width->spread = width[1].spread;
        }
    }
done:
    kan_free(e->probe.run, rows);
    return status;
}

/* What settles both halves soonest. An upper half gets a low corner with larger groups, which bounds its
 * cost; a lower one a high corner with more groups, of which rare ones are lost first. */
static kan_box_cut choose_wide(const kan_box_explorer *e, const kan_box *b) {
    kan_box_cut best = {e->plan->n_attributes, 0};
    uint64_t most = 0;
    for (unsigned a = 0; a < e->plan->n_attributes; a++) {
        const kan_level_width *widths = e->plan->widths[a];
        for (unsigned middle = b->low[a]; middle < b->high[a]; middle++) {
            const uint64_t worth =
                (uint64_t)(widths[b->low[a]].spread - widths[middle + 1].spread) *
                (widths[middle].number - widths[b->high[a]].number);
            if (best.attribute == e->plan->n_attributes || worth > most) {
                best = (kan_box_cut){a, middle};
                most = worth;
            }
        }
    }
    return best;
}

kan_box_cut kan_box_cut_choose(const kan_box_explorer *e, const kan_box *b) {
    return e->plan->has_prices ? choose_dear(e, b) : choose_wide(e, b);
}
