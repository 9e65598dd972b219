/* Specializing a cluster in the best attribute (alpha-k.txt 4.2).
 *
 * A trial sends the rows of the cluster one level down in an attribute, and those back that may not
 * stay there; it leaves behind which rows of each bundle move up. The best trial is made true. A
 * trial is linear in the bundles of the cluster. */
#include <stdlib.h>
#include <string.h>

#include "search/local/descent.h"

/* ---- room ------------------------------------------------------------------------------------ */

static kan_status make_room(kan_descent *d, size_t n_bundles) {
    const kan_local_space *space = d->space;
    KAN_TRY(kan_local_tally_make(space, &d->above));
    KAN_TRY(kan_local_tally_make(space, &d->traded));
    KAN_TRY(kan_kind_rows_make(space, &d->counted));
    KAN_TRY(kan_kind_rows_make(space, &d->gone));
    KAN_TRY(kan_alloc(space->run, n_bundles, sizeof *d->branch, &d->branch));
    KAN_TRY(kan_alloc(space->run, n_bundles, sizeof *d->by_branch, &d->by_branch));
    return kan_alloc(space->run, n_bundles, sizeof *d->moved, &d->moved);
}

kan_status kan_descent_make(const kan_local_space *space, size_t n_bundles, kan_descent *out) {
    *out = (kan_descent){.space = space};
    return make_room(out, n_bundles);
}

void kan_descent_destroy(kan_descent *d) {
    const kan_local_space *space = d->space;
    if (!space)
        return;
    for (size_t i = 0; i < d->n; i++)
        kan_free(space->run, d->stack[i].rows.bundles);
    kan_free(space->run, d->stack);
    for (uint32_t b = 0; b < d->most_branches; b++)
        kan_local_tally_destroy(space, &d->branches[b]);
    kan_free(space->run, d->branches);
    kan_free(space->run, d->fails);
    kan_free(space->run, d->passes);
    kan_kind_rows_destroy(space, &d->counted);
    kan_kind_rows_destroy(space, &d->gone);
    kan_free(space->run, d->cells);
    kan_free(space->run, d->used);
    kan_free(space->run, d->spare);
    kan_free(space->run, d->branch);
    kan_free(space->run, d->by_branch);
    kan_free(space->run, d->first);
    kan_free(space->run, d->moved);
    kan_local_tally_destroy(space, &d->above);
    kan_local_tally_destroy(space, &d->traded);
}

/* ---- branches -------------------------------------------------------------------------------- */

static kan_status need_branches(kan_descent *d, uint32_t n) {
    kan_run *run = d->space->run;
    if (n <= d->most_branches)
        return KAN_OK;
    KAN_TRY(kan_resize(run, n, sizeof *d->fails, &d->fails));
    KAN_TRY(kan_resize(run, n, sizeof *d->passes, &d->passes));
    KAN_TRY(kan_resize(run, n, sizeof *d->used, &d->used));
    KAN_TRY(kan_resize(run, n, sizeof *d->spare, &d->spare));
    KAN_TRY(kan_resize(run, n + 2u, sizeof *d->first, &d->first));
    KAN_TRY(kan_resize(run, n, sizeof *d->branches, &d->branches));
    while (d->most_branches < n)
        KAN_TRY(kan_local_tally_make(d->space, &d->branches[d->most_branches++]));
    return KAN_OK;
}

/* One attribute tried on a cluster. */
typedef struct {
    unsigned attribute;
    uint32_t n_kept; /* branches that keep rows */
    uint64_t n_specialized;
} trial;

/* ---- trials ---------------------------------------------------------------------------------- */

/* Which branch each bundle goes to, and which branches there are. */
static void find_branches(kan_descent *d, kan_split *s, const uint32_t *group_of, uint32_t first) {
    const kan_local_space *space = d->space;
    memset(d->fails, 1, s->n_branches); /* no rows yet */
    for (size_t i = 0; i < s->rows->n; i++) {
        const uint32_t leaf = kan_local_leaves(space, s->rows->bundles[i].tuple)[s->attribute];
        const uint32_t b = group_of[leaf] - first;
        d->branch[i] = b;
        if (d->fails[b]) {
            d->fails[b] = 0;
            d->used[s->n_used++] = b;
            kan_local_tally_clear(space, &d->branches[b]);
        }
    }
}

/* The rows of each branch, and of their people as many as it takes to pass, where more never hurt:
 * of a large branch these are met soon. */
static kan_status count_until_enough(kan_descent *d, const kan_split *s) {
    const kan_local_space *space = d->space;
    const kan_bundle *bundles = s->rows->bundles;
    d->has_cells = false;
    d->is_partial = true;
    memset(d->passes, 0, s->n_branches);
    for (size_t i = 0; i < s->rows->n; i++) {
        const uint32_t b = d->branch[i];
        kan_local_tally *tally = &d->branches[b];
        if (d->passes[b]) {
            tally->n_rows += bundles[i].n_rows;
            continue;
        }
        KAN_TRY(kan_local_tally_add(space, tally, bundles[i].tuple, bundles[i].n_rows));
        d->passes[b] = kan_local_tally_passes(space, tally);
    }
    return KAN_OK;
}

kan_status kan_descent_count_people(kan_descent *d, const kan_split *s) {
    const kan_bundle *bundles = s->rows->bundles;
    for (uint32_t u = 0; u < s->n_used; u++)
        if (!d->fails[d->used[u]])
            kan_local_tally_clear(d->space, &d->branches[d->used[u]]);
    for (size_t i = 0; i < s->rows->n; i++)
        if (!d->fails[d->branch[i]])
            KAN_TRY(kan_local_tally_add(d->space, &d->branches[d->branch[i]], bundles[i].tuple,
                                        bundles[i].n_rows - d->moved[i]));
    d->is_partial = false;
    return KAN_OK;
}

/* The rows of each branch: by counters for each kind where kinds are few. */
static kan_status count_rows(kan_descent *d, const kan_split *s) {
    const kan_local_space *space = d->space;
    d->is_partial = false;
    if (space->question->promise->people_decide)
        return count_until_enough(d, s);
    const size_t n_kinds = space->n_kinds, n_cells = s->n_branches * n_kinds;
    const kan_bundle *bundles = s->rows->bundles;
    d->has_cells = n_kinds <= s->rows->n && !space->has_person;
    if (!d->has_cells) {
        for (size_t i = 0; i < s->rows->n; i++)
            KAN_TRY(kan_local_tally_add(space, &d->branches[d->branch[i]], bundles[i].tuple,
                                        bundles[i].n_rows));
        return KAN_OK;
    }
    if (n_cells > d->n_cells) {
        KAN_TRY(kan_resize(space->run, n_cells, sizeof *d->cells, &d->cells));
        memset(d->cells + d->n_cells, 0, (n_cells - d->n_cells) * sizeof *d->cells);
        d->n_cells = n_cells;
    }
    for (size_t i = 0; i < s->rows->n; i++)
        d->cells[d->branch[i] * n_kinds + space->kind[bundles[i].tuple]] += bundles[i].n_rows;
    for (uint32_t u = 0; u < s->n_used; u++) {
        const uint64_t *cells = d->cells + d->used[u] * n_kinds;
        for (uint32_t kind = 0; kind < n_kinds; kind++)
            KAN_TRY(kan_local_tally_add(space, &d->branches[d->used[u]], space->example[kind],
                                        cells[kind]));
    }
    return KAN_OK;
}

/* Lists the bundles of each branch, in their order. */
static void list_by_branch(kan_descent *d, const kan_split *s) {
    memset(d->first, 0, (s->n_branches + 2u) * sizeof *d->first);
    for (size_t i = 0; i < s->rows->n; i++)
        d->first[d->branch[i] + 2]++;
    for (uint32_t b = 2; b <= s->n_branches + 1; b++)
        d->first[b] += d->first[b - 1];
    for (size_t i = 0; i < s->rows->n; i++)
        d->by_branch[d->first[d->branch[i] + 1]++] = (uint32_t)i;
}

/* A branch that fails may have too many rows of one value: those that are too many move up, the
 * hardest to specialize first, and the others stay. Where that does not help, all move up. Its
 * tally has what stays. */
static kan_status relieve(kan_descent *d, const kan_split *s, uint32_t branch) {
    const kan_local_space *space = d->space;
    const uint64_t least = space->question->promise->least_size;
    const kan_bundle *bundles = s->rows->bundles;
    kan_local_tally *b = &d->branches[branch];
    bool passes = false;
    kan_kind_rows_clear(&d->counted);
    kan_kind_rows_clear(&d->gone);
    for (size_t j = d->first[branch]; j < d->first[branch + 1]; j++) {
        const kan_bundle *bundle = &bundles[d->by_branch[j]];
        kan_kind_rows_add(&d->counted, space->kind[bundle->tuple], bundle->n_rows);
    }
    if (b->n_rows > least)
        KAN_TRY(kan_local_thin(space, b, &d->counted, b->n_rows - least, &d->gone, &passes));
    d->fails[branch] = !passes;
    KAN_TRY(kan_local_tally_add_kinds(space, &d->above, &d->gone));
    if (!passes) { /* the others, too */
        KAN_TRY(kan_local_tally_add_kinds(space, &d->above, &d->counted));
        kan_local_tally_clear(space, b);
    }
    for (size_t j = d->first[branch]; j < d->first[branch + 1]; j++) {
        const kan_bundle *bundle = &bundles[d->by_branch[j]];
        uint64_t *left = &d->gone.rows[space->kind[bundle->tuple]];
        const uint64_t n = passes && bundle->n_rows > *left ? *left : bundle->n_rows;
        d->moved[d->by_branch[j]] = n;
        *left -= passes ? n : 0;
        if (d->has_cells)
            d->cells[(size_t)branch * space->n_kinds + space->kind[bundle->tuple]] -= n;
    }
    return KAN_OK;
}

static void forget_cells(kan_descent *d, const kan_split *s) {
    const size_t n_kinds = d->space->n_kinds;
    for (uint32_t u = 0; u < s->n_used && d->has_cells; u++)
        memset(d->cells + d->used[u] * n_kinds, 0, n_kinds * sizeof *d->cells);
}

static kan_status count_branches(kan_descent *d, const kan_split *s) {
    kan_local_tally_clear(d->space, &d->above);
    KAN_TRY(count_rows(d, s));
    memset(d->moved, 0, s->rows->n * sizeof *d->moved);
    bool is_listed = false;
    for (uint32_t u = 0; u < s->n_used; u++) {
        if (kan_local_tally_passes(d->space, &d->branches[d->used[u]]))
            continue;
        if (!is_listed)
            list_by_branch(d, s);
        is_listed = true;
        KAN_TRY(relieve(d, s, d->used[u]));
    }
    return KAN_OK;
}

/* Leaves the trial's rows in d->moved and d->branches. `must_hold`: the rows above may not fail. */
static kan_status try_attribute(kan_descent *d, const kan_bundles *rows, unsigned a, bool must_hold,
                                kan_split *s, trial *out) {
    const kan_local_attribute *attribute = &d->space->attributes[a];
    const unsigned level = attribute->level[d->nodes[a]] - 1u;
    *s = (kan_split){.rows = rows, .attribute = a, .n_branches = attribute->n_below[d->nodes[a]]};
    KAN_TRY(need_branches(d, s->n_branches));
    find_branches(d, s, attribute->hierarchy->levels[level].from_leaf,
                  attribute->below[d->nodes[a]] - attribute->first[level]);
    KAN_TRY(count_branches(d, s));
    if (must_hold && d->above.n_rows > 0 && !kan_local_tally_passes(d->space, &d->above))
        KAN_TRY(kan_descent_complete(d, s));
    forget_cells(d, s);
    *out = (trial){.attribute = a};
    for (uint32_t u = 0; u < s->n_used; u++)
        if (!d->fails[d->used[u]]) {
            out->n_kept++;
            out->n_specialized += d->branches[d->used[u]].n_rows;
        }
    return KAN_OK;
}

static bool is_better(const trial *a, const trial *b) {
    return a->n_specialized != b->n_specialized ? a->n_specialized > b->n_specialized
                                                : a->n_kept < b->n_kept;
}

/* ---- clusters -------------------------------------------------------------------------------- */

kan_status kan_descent_push(kan_descent *d, kan_bundles *rows, uint64_t excluded) {
    if (rows->n == 0) {
        kan_free(d->space->run, rows->bundles);
        return KAN_OK;
    }
    const kan_status status =
        kan_reserve(d->space->run, d->n + 1, sizeof *d->stack, &d->room, &d->stack);
    if (status == KAN_OK)
        d->stack[d->n++] = (kan_cluster_at_work){*rows, excluded};
    else
        kan_free(d->space->run, rows->bundles);
    return status;
}

/* The rows of the trial, branch by branch; those above come last on the stack. */
static kan_status divide(kan_descent *d, const kan_split *s, uint64_t excluded) {
    kan_status status = KAN_OK;
    kan_run *run = d->space->run;
    kan_bundles *bundles;
    const uint32_t n = s->n_branches;
    KAN_TRY(kan_alloc_zero(run, (size_t)n + 1, sizeof *bundles, &bundles));
    for (size_t i = 0; i < s->rows->n && status == KAN_OK; i++) {
        const kan_bundle *bundle = &s->rows->bundles[i];
        status = kan_bundles_add(d->space, &bundles[n], bundle->tuple, d->moved[i]);
        if (status == KAN_OK)
            status = kan_bundles_add(d->space, &bundles[d->branch[i]], bundle->tuple,
                                     bundle->n_rows - d->moved[i]);
    }
    for (uint32_t b = 0; b <= n; b++)
        if (status == KAN_OK)
            status = kan_descent_push(d, &bundles[b],
                                      b == n ? excluded | UINT64_C(1) << s->attribute : 0);
        else
            kan_free(run, bundles[b].bundles);
    kan_free(run, bundles);
    return status;
}

static kan_status finish_cluster(kan_descent *d, const kan_bundles *rows) {
    size_t c;
    KAN_TRY(kan_local_clusters_add(d->clusters, &c));
    for (size_t i = 0; i < rows->n; i++)
        KAN_TRY(
            kan_local_cluster_add(d->clusters, c, rows->bundles[i].tuple, rows->bundles[i].n_rows));
    return KAN_OK;
}

/* Whether the rows keep the promise as they stand; only all rows together may not. */
static kan_status rows_hold(kan_descent *d, const kan_bundles *rows, bool *out) {
    kan_local_tally_clear(d->space, &d->above);
    *out = false;
    if (d->space->question->promise->people_decide) {
        for (size_t i = 0; i < rows->n && !*out; i++) {
            KAN_TRY(kan_local_tally_add(d->space, &d->above, rows->bundles[i].tuple,
                                        rows->bundles[i].n_rows));
            *out = kan_local_tally_passes(d->space, &d->above);
        }
        return KAN_OK;
    }
    kan_kind_rows_clear(&d->counted);
    for (size_t i = 0; i < rows->n; i++)
        kan_kind_rows_add(&d->counted, d->space->kind[rows->bundles[i].tuple],
                          rows->bundles[i].n_rows);
    KAN_TRY(kan_local_tally_add_kinds(d->space, &d->above, &d->counted));
    *out = kan_local_tally_passes(d->space, &d->above);
    return KAN_OK;
}

/* The attributes that can be specialized, those with the fewest branches first. */
static unsigned list_attributes(const kan_descent *d, uint64_t excluded, unsigned *out) {
    const kan_local_space *space = d->space;
    unsigned n = 0;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const uint32_t n_below = space->attributes[a].n_below[d->nodes[a]];
        unsigned at = n;
        if (n_below == 0 || excluded >> a & 1)
            continue;
        for (; at > 0 && space->attributes[out[at - 1]].n_below[d->nodes[out[at - 1]]] > n_below;
             at--)
            out[at] = out[at - 1];
        out[at] = a;
        n++;
    }
    return n;
}

kan_status kan_descent_specialize(kan_descent *d, const kan_cluster_at_work *work) {
    const kan_local_space *space = d->space;
    kan_split s;
    trial best = {.n_specialized = 0}, tried = best;
    bool must_hold;
    unsigned order[KAN_MAX_ATTRIBUTES];
    uint64_t n_rows = 0;
    for (size_t i = 0; i < work->rows.n; i++)
        n_rows += work->rows.bundles[i].n_rows;
    KAN_TRY(rows_hold(d, &work->rows, &must_hold));
    /* it divides into two clusters at least, which both must be large enough */
    if (must_hold && n_rows < 2 * space->question->promise->least_size)
        return finish_cluster(d, &work->rows);
    kan_bundles_cover(space, &work->rows, d->nodes);
    const unsigned n = list_attributes(d, work->excluded, order);
    /* two branches with all rows: there is nothing better */
    for (unsigned i = 0; i < n && !(best.n_kept == 2 && best.n_specialized == n_rows); i++) {
        KAN_TRY(try_attribute(d, &work->rows, order[i], must_hold, &s, &tried));
        if (is_better(&tried, &best))
            best = tried;
    }
    if (best.n_specialized == 0)
        return finish_cluster(d, &work->rows);
    if (tried.attribute != best.attribute)
        KAN_TRY(try_attribute(d, &work->rows, best.attribute, must_hold, &s, &best));
    return divide(d, &s, work->excluded);
}
