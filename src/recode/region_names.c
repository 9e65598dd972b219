/* What cells are called. An interval of the domain is named as one of a recoding by cuts is
 * (interval.h), by what released rows have of it; what is not an interval is the list of its
 * values, which are all released.
 *
 * There are as many cells as regions at worst: each is named by itself, in the time that its label
 * takes to be written, and a hash table finds those that are shown alike. They must hold the same:
 * forms leave no other case, and a release is not where to learn that they did. */
#include <math.h>

#include "core/hash.h"
#include "recode/interval.h"
#include "recode/regions.h"

typedef struct {
    kan_run *run;
    const kan_cells *cells;
    const kan_domain *domain;
    const kan_hierarchy *hierarchy;
    kan_seen seen;          /* what released rows have; all there is unless rows are left out */
    uint32_t *rank;         /* leaf -> how many before it are seen; n_codes + 1 of them */
    const uint8_t *is_used; /* by cell; NULL: all are */
    kan_labeller labeller;
    bool star_is_all; /* * means the whole domain, and no value */
    kan_cell_names *names;
} naming;

/* What a cell holds of what is seen: leaves[first] .. leaves[end - 1], or, where that is too much,
 * the n of `set`. */
typedef struct {
    uint32_t first, end;
    const uint32_t *set; /* NULL: an interval */
    uint32_t n;
    uint32_t unknown; /* bits: leaves before an interval, and not next to it */
} extent;

/* ---- what cells hold ------------------------------------------------------------------------ */

static bool set_is_right(const uint32_t *set, const kan_cell *cell, uint32_t n_leaves) {
    if (cell->a >= cell->b || set[cell->b - 1] >= n_leaves)
        return false;
    for (uint32_t i = cell->a + 1; i < cell->b; i++)
        if (set[i - 1] >= set[i])
            return false;
    return true;
}

/* Whether these are unknown values before numbers, or dates, that are known. */
static bool unknown_is_right(const naming *n, const kan_cell *cell, uint32_t unknown) {
    const uint32_t *place_of = n->domain->place_of;
    if (!n->domain->is_by_value || place_of[cell->a] < n->domain->n_unknown)
        return false;
    for (uint32_t leaf = 0; leaf < 32; leaf++)
        if (unknown >> leaf & 1 && (leaf >= cell->a || place_of[leaf] >= n->domain->n_unknown))
            return false;
    return true;
}

/* Unknown values that nothing seen divides from what follows them are part of an interval. */
static void join_unknown(const naming *n, extent *e) {
    const uint32_t first = e->unknown != 0 ? (uint32_t)__builtin_ctz(e->unknown) : e->first;
    if (n->rank[e->first] - n->rank[first] != (uint32_t)__builtin_popcount(e->unknown))
        return;
    e->first = first;
    e->unknown = 0;
}

/* False when the cell is none. A bin is shown as a whole, whatever a cell holds of it. */
static bool find_extent(const naming *n, uint32_t cell, extent *out) {
    const kan_cell *c = &n->cells->cells[cell];
    const kan_hierarchy *h = n->hierarchy;
    const uint32_t unknown = kan_cell_unknown(n->cells, cell);
    extent e = {.set = NULL};
    switch (n->cells->type) {
    case KAN_CELL_RANGE:
        if (c->a > c->b || c->b >= h->n_codes || (unknown != 0 && !unknown_is_right(n, c, unknown)))
            return false;
        e = (extent){.first = c->a, .end = c->b + 1, .unknown = unknown};
        break;
    case KAN_CELL_SET:
        if (!set_is_right(n->cells->set, c, h->n_codes))
            return false;
        e = (extent){.first = n->cells->set[c->a], .end = n->cells->set[c->b - 1] + 1};
        if (n->rank[e.end] - n->rank[e.first] != c->b - c->a)
            e.set = n->cells->set + c->a;
        break;
    case KAN_CELL_NODE:
        if (c->a > h->height || c->b >= h->levels[c->a].n_groups)
            return false;
        e.first = kan_hierarchy_first_leaf(h, c->a, c->b);
        e.end = kan_hierarchy_first_leaf(h, c->a, c->b + 1);
        break;
    }
    if (!e.set && n->domain->has_bins) {
        e.first = n->domain->first_leaf[n->domain->place_of[e.first]];
        e.end = n->domain->first_leaf[n->domain->place_of[e.end - 1] + 1];
    }
    join_unknown(n, &e);
    e.first = n->rank[e.first];
    e.end = n->rank[e.end];
    e.n = e.set ? c->b - c->a : e.end - e.first;
    *out = e;
    return e.n > 0;
}

static bool extents_are_same(const extent *a, const extent *b) {
    return a->first == b->first && a->end == b->end && a->n == b->n && a->unknown == b->unknown &&
           (!a->set || memcmp(a->set, b->set, a->n * sizeof *a->set) == 0);
}

/* ---- names ---------------------------------------------------------------------------------- */

static kan_interval interval_of(const naming *n, const extent *e) {
    const bool is_all = e->first == 0 && e->end == n->seen.n;
    return (kan_interval){e->first, e->end, is_all && n->star_is_all};
}

/* The label of a node where nobody can take it for something else. A node that has the label of
 * the one below it, and its values, says no more than that one. */
static bool name_by_node(const naming *n, uint32_t cell, const extent *e) {
    const kan_hierarchy *h = n->hierarchy;
    const kan_interval interval = interval_of(n, e);
    unsigned level = n->cells->cells[cell].a;
    uint32_t group = n->cells->cells[cell].b;
    const kan_slice label = h->levels[level].label[group];
    if (n->domain->has_bins || (kan_slice_is(label, "*") && level > 0 && !interval.is_whole) ||
        !kan_labeller_is_free(&n->labeller, label, &interval))
        return false;
    while (level > 0) {
        const kan_level *below = &h->levels[level - 1];
        const uint32_t lower = below->from_leaf[n->seen.leaves[e->first]];
        if (below->from_leaf[n->seen.leaves[e->end - 1]] != lower ||
            !kan_slice_equal(below->label[lower], label))
            break;
        level--;
        group = lower;
    }
    n->names->label[cell] = label;
    n->names->share[cell] = h->levels[level].share[group];
    n->names->node_level[cell] = (uint8_t)level;
    return true;
}

/* A range of known values with unknown ones. */
static kan_status name_mixed(naming *n, uint32_t cell, const extent *e) {
    const kan_interval interval = {e->first, e->end, false};
    const kan_interval around = {n->rank[__builtin_ctz(e->unknown)], e->end, false};
    const uint32_t all = n->hierarchy->n_leaves;
    uint32_t n_unknown = 0;
    for (uint32_t leaf = 0; leaf < 32; leaf++)
        n_unknown += e->unknown >> leaf & 1;
    const double by_count = all > 1 ? (double)(e->n + n_unknown - 1) / (double)(all - 1) : 0;
    n->names->node_level[cell] = (uint8_t)kan_interval_cover(&n->seen, &around).level;
    n->names->share[cell] = fmax(kan_interval_share(&n->seen, &interval), fmin(by_count, 1));
    return kan_labeller_mix(&n->labeller, e->unknown, &interval, &n->names->label[cell]);
}

static kan_status name_cell(naming *n, uint32_t cell, const extent *e) {
    const kan_interval interval = interval_of(n, e);
    const uint32_t all = n->hierarchy->n_leaves;
    if (e->unknown != 0)
        return name_mixed(n, cell, e);
    if (n->cells->type == KAN_CELL_NODE && name_by_node(n, cell, e))
        return KAN_OK;
    n->names->node_level[cell] = (uint8_t)kan_interval_cover(&n->seen, &interval).level;
    if (e->set) {
        n->names->share[cell] = all > 1 ? (double)(e->n - 1) / (double)(all - 1) : 0;
        return kan_labeller_list(&n->labeller, e->set, e->n, &n->names->label[cell]);
    }
    n->names->share[cell] = kan_interval_share(&n->seen, &interval);
    return kan_labeller_name(&n->labeller, &interval, &n->names->label[cell]);
}

static kan_status fail_cell(const naming *n, const char *what) {
    return kan_fail(n->run, KAN_FAILED,
                    "internal error: %s of column '%s'; nothing is released; please report this",
                    what, n->domain->column->name);
}

/* Finds the first cell of each label. */
static kan_status find_shown(const naming *n) {
    const kan_cell_names *names = n->names;
    kan_status status = KAN_OK;
    size_t n_slots = 8;
    uint32_t *slots; /* cell + 1; 0 is free */
    extent here, there;
    while (n_slots < 2 * (size_t)n->cells->n)
        n_slots *= 2;
    KAN_TRY(kan_alloc_zero(n->run, n_slots, sizeof *slots, &slots));
    for (uint32_t cell = 0; cell < n->cells->n && status == KAN_OK; cell++) {
        const kan_slice label = names->label[cell];
        if (n->is_used && !n->is_used[cell])
            continue;
        size_t at = (size_t)kan_hash_bytes(label.bytes, label.size) & (n_slots - 1);
        while (slots[at] != 0 && !kan_slice_equal(names->label[slots[at] - 1], label))
            at = (at + 1) & (n_slots - 1);
        if (slots[at] == 0)
            slots[at] = cell + 1;
        names->shown[cell] = slots[at] - 1;
        if (names->shown[cell] != cell &&
            !(find_extent(n, cell, &here) && find_extent(n, names->shown[cell], &there) &&
              extents_are_same(&here, &there)))
            status = fail_cell(n, "two sets of values have one label: those");
    }
    kan_free(n->run, slots);
    return status;
}

/* What nothing is shown as. */
static void leave_unnamed(const naming *n, uint32_t cell) {
    n->names->label[cell] = kan_slice_of("*");
    n->names->shown[cell] = cell;
    n->names->share[cell] = 1;
    n->names->node_level[cell] = (uint8_t)n->hierarchy->height;
}

static kan_status name_all(naming *n) {
    const kan_interval all = {0, n->seen.n, true};
    extent e;
    KAN_TRY(kan_labeller_init(&n->labeller, &n->seen, &n->names->arena));
    n->star_is_all = kan_labeller_is_free(&n->labeller, kan_slice_of("*"), &all);
    for (uint32_t cell = 0; cell < n->cells->n; cell++) {
        if (n->is_used && !n->is_used[cell]) {
            leave_unnamed(n, cell);
            continue;
        }
        if (!find_extent(n, cell, &e))
            return fail_cell(n, "the search shows what is not a cell");
        KAN_TRY(name_cell(n, cell, &e));
    }
    return find_shown(n);
}

/* Which leaves are seen, and where each stands among them. */
static kan_status find_seen(naming *n, const uint8_t *has_leaf) {
    const uint32_t n_leaves = n->hierarchy->n_codes;
    n->seen = (kan_seen){.domain = n->domain};
    KAN_TRY(kan_alloc(n->run, n_leaves, sizeof *n->seen.leaves, &n->seen.leaves));
    KAN_TRY(kan_alloc(n->run, (size_t)n_leaves + 1, sizeof *n->rank, &n->rank));
    for (uint32_t leaf = 0; leaf < n_leaves; leaf++) {
        n->rank[leaf] = n->seen.n;
        if (!has_leaf || has_leaf[leaf])
            n->seen.leaves[n->seen.n++] = leaf;
    }
    n->rank[n_leaves] = n->seen.n;
    return KAN_OK;
}

static kan_status make_names(naming *n, const uint8_t *has_leaf, kan_cell_names *names) {
    const uint32_t n_cells = n->cells->n;
    KAN_TRY(kan_arena_alloc(&names->arena, n_cells, sizeof *names->label, &names->label));
    KAN_TRY(kan_arena_alloc(&names->arena, n_cells, sizeof *names->shown, &names->shown));
    KAN_TRY(kan_arena_alloc(&names->arena, n_cells, sizeof *names->share, &names->share));
    KAN_TRY(kan_arena_alloc(&names->arena, n_cells, sizeof *names->node_level, &names->node_level));
    if (has_leaf && n->cells->type == KAN_CELL_NODE && n->domain->has_bins)
        return fail_cell(n, "rows are left out of nodes of bins");
    n->names = names;
    kan_status status = find_seen(n, has_leaf);
    if (status == KAN_OK) {
        status = name_all(n);
        kan_labeller_destroy(&n->labeller);
    }
    kan_free(n->run, n->seen.leaves);
    kan_free(n->run, n->rank);
    return status;
}

kan_status kan_cell_names_make_released(kan_run *run, const kan_cells *cells,
                                        const kan_domain *domain, const uint8_t *has_leaf,
                                        const uint8_t *is_used, kan_cell_names *out) {
    naming n = {.run = run,
                .cells = cells,
                .domain = domain,
                .hierarchy = domain->hierarchy,
                .is_used = is_used};
    kan_cell_names names = {.label = NULL};
    kan_arena_init(&names.arena, run);
    const kan_status status = make_names(&n, has_leaf, &names);
    if (status == KAN_OK)
        *out = names;
    else
        kan_arena_destroy(&names.arena);
    return status;
}

kan_status kan_cell_names_make(kan_run *run, const kan_cells *cells, const kan_domain *domain,
                               kan_cell_names *out) {
    return kan_cell_names_make_released(run, cells, domain, NULL, NULL, out);
}

void kan_cell_names_destroy(kan_cell_names *names) {
    if (names->arena.run)
        kan_arena_destroy(&names->arena);
    *names = (kan_cell_names){.label = NULL};
}
