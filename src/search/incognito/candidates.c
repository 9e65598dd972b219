/* Candidates: join, prune and edges. See candidates.h.
 *
 * What satisfies a monotone promise is closed upwards, and so are the candidates then: each is in
 * company of all nodes above it, and its edges lead one level up in one attribute. The general
 * case, in which a node between two candidates was pruned and an edge has to skip it, is kept: the
 * graph is right for any survivors. */
#include "search/incognito/candidates.h"

#include "core/text.h"

#define MOST_NODES (UINT64_C(1) << 34)
/* Sixteen million subsets, each with a check of its own, take hours. */
enum { MOST_ATTRIBUTES = 24 };

kan_status kan_candidates_check(kan_run *run, const kan_lattice *lattice) {
    char nodes[32];
    if (lattice->n_nodes > MOST_NODES)
        return kan_fail(run, KAN_UNSATISFIED,
                        "the lattice has %s nodes or more, too many to keep track of each; use "
                        "--algorithm bisect, which does not have to",
                        kan_count_text(lattice->n_nodes, nodes));
    if (lattice->n_attributes > MOST_ATTRIBUTES)
        return kan_fail(run, KAN_UNSATISFIED,
                        "%u quasi-identifiers have more subsets than can be searched, one by one, "
                        "in any reasonable time; the maximum is %d; use --algorithm bisect, which "
                        "looks at no subsets",
                        lattice->n_attributes, MOST_ATTRIBUTES);
    return KAN_OK;
}

/* ---- subsets -------------------------------------------------------------------------------- */

/* n over k, capped at what a list of subsets could hold anyway. */
static uint64_t binomial(unsigned n, unsigned k) {
    const uint64_t most = UINT64_C(1) << 40;
    uint64_t result = 1;
    for (unsigned i = 1; i <= k && i <= n; i++) {
        result = result * (n - k + i) / i;
        if (result > most)
            return most;
    }
    return k > n ? 0 : result;
}

/* The place of a mask among those with as many bits, in ascending order. */
static size_t rank_of(uint64_t mask) {
    uint64_t rank = 0;
    for (unsigned i = 1; mask; i++, mask &= mask - 1)
        rank += binomial((unsigned)__builtin_ctzll(mask), i);
    return (size_t)rank;
}

kan_status kan_survivors_create(kan_run *run, unsigned n_attributes, unsigned size,
                                kan_survivors *out) {
    KAN_ASSERT(size >= 1 && size <= n_attributes);
    kan_survivors survivors = {.n_attributes = n_attributes, .size = size};
    survivors.n_subsets = (size_t)binomial(n_attributes, size);
    KAN_TRY(
        kan_alloc_zero(run, survivors.n_subsets, sizeof *survivors.subsets, &survivors.subsets));
    uint64_t mask = ~UINT64_C(0) >> (64 - size);
    for (size_t i = 0; i < survivors.n_subsets; i++, mask = size < 64 ? kan_mask_next(mask) : 0)
        survivors.subsets[i].mask = mask;
    *out = survivors;
    return KAN_OK;
}

void kan_survivors_destroy(kan_run *run, kan_survivors *survivors) {
    for (size_t i = 0; survivors->subsets && i < survivors->n_subsets; i++)
        kan_free(run, survivors->subsets[i].nodes);
    kan_free(run, survivors->subsets);
    *survivors = (kan_survivors){.n_subsets = 0};
}

kan_subset_nodes *kan_survivors_find(const kan_survivors *survivors, uint64_t mask) {
    kan_subset_nodes *subset = &survivors->subsets[rank_of(mask)];
    KAN_ASSERT(subset->mask == mask);
    return subset;
}

void kan_lattice_part(const kan_lattice *whole, const unsigned *attributes, unsigned n,
                      kan_lattice *out) {
    kan_lattice part = {.n_attributes = n, .n_nodes = 1, .is_countable = true};
    for (unsigned i = n; i-- > 0;) {
        part.low[i] = whole->low[attributes[i]];
        part.heights[i] = whole->heights[attributes[i]];
        part.height += part.heights[i];
        part.strides[i] = part.n_nodes;
        part.n_nodes *= part.heights[i] + 1u;
    }
    KAN_ASSERT(whole->is_countable && part.n_nodes <= whole->n_nodes);
    *out = part;
}

/* ---- join and prune ------------------------------------------------------------------------- */

static kan_status reserve_nodes(kan_run *run, kan_candidates *graph, size_t n) {
    if (n >= UINT32_MAX)
        return kan_fail(run, KAN_UNSATISFIED,
                        "more than %u candidates in one subset of the quasi-identifiers; use "
                        "--algorithm bisect, which does not list them",
                        UINT32_MAX);
    return kan_reserve(run, n, sizeof *graph->nodes, &graph->node_room, &graph->nodes);
}

/* Looking up projections of ascending candidates. They ascend, too, until the attribute that they
 * leave out changes: the place of the last one is a good start. */
typedef struct {
    const kan_subset_nodes *subset; /* without one attribute */
    uint64_t stride, span;          /* of that attribute: one level, all its levels */
    size_t at;
} prune_cursor;

static bool survives(prune_cursor *cursor, uint64_t node) {
    const uint64_t *nodes = cursor->subset->nodes;
    const size_t n = cursor->subset->n;
    uint64_t wanted = node / cursor->span * cursor->stride + node % cursor->stride;
    size_t at = cursor->at;
    if (at >= n || nodes[at] > wanted) { /* back: the first that is not below */
        size_t low = 0, high = at < n ? at : n;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (nodes[middle] < wanted)
                low = middle + 1;
            else
                high = middle;
        }
        at = low;
    }
    while (at < n && nodes[at] < wanted)
        at++;
    cursor->at = at;
    return at < n && nodes[at] == wanted;
}

/* The two subsets that are joined leave out the last attribute and the one before; these are the
 * others. */
static unsigned make_cursors(const kan_survivors *fewer, const kan_candidates *graph,
                             prune_cursor *cursors) {
    const kan_lattice *lattice = &graph->lattice;
    unsigned n = 0;
    for (unsigned i = 0; i + 2 < lattice->n_attributes; i++)
        cursors[n++] =
            (prune_cursor){.subset = kan_survivors_find(
                               fewer, graph->mask & ~(UINT64_C(1) << graph->attributes[i])),
                           .stride = lattice->strides[i],
                           .span = lattice->strides[i] * (lattice->heights[i] + 1u)};
    return n;
}

/* Survivors that agree in all but their last attribute make a candidate, unless another part of it
 * did not survive. Both lists are sorted, so the join is a merge, and what it makes is sorted. */
static kan_status join(kan_run *run, const kan_survivors *fewer, kan_candidates *graph) {
    const unsigned n = graph->lattice.n_attributes;
    const unsigned last = graph->attributes[n - 1], before = graph->attributes[n - 2];
    const uint64_t last_levels = graph->lattice.heights[n - 1] + 1u;
    const uint64_t before_levels = graph->lattice.heights[n - 2] + 1u;
    const kan_subset_nodes *first = kan_survivors_find(fewer, graph->mask & ~(UINT64_C(1) << last));
    const kan_subset_nodes *second =
        kan_survivors_find(fewer, graph->mask & ~(UINT64_C(1) << before));
    prune_cursor cursors[KAN_MAX_ATTRIBUTES];
    const unsigned n_cursors = make_cursors(fewer, graph, cursors);
    size_t start = 0;
    for (size_t i = 0; i < first->n; i++) {
        const uint64_t prefix = first->nodes[i] / before_levels;
        while (start < second->n && second->nodes[start] / last_levels < prefix)
            start++;
        KAN_TRY(reserve_nodes(run, graph, graph->n + (size_t)last_levels));
        for (size_t j = start; j < second->n && second->nodes[j] / last_levels == prefix; j++) {
            uint64_t node = first->nodes[i] * last_levels + second->nodes[j] % last_levels;
            bool is_candidate = true;
            for (unsigned c = 0; is_candidate && c < n_cursors; c++)
                is_candidate = survives(&cursors[c], node);
            if (is_candidate)
                graph->nodes[graph->n++] = node;
        }
    }
    return KAN_OK;
}

static kan_status take_all_levels(kan_run *run, kan_candidates *graph) {
    KAN_TRY(reserve_nodes(run, graph, (size_t)graph->lattice.n_nodes));
    for (uint64_t level = 0; level < graph->lattice.n_nodes; level++)
        graph->nodes[graph->n++] = level;
    return KAN_OK;
}

/* ---- edges ---------------------------------------------------------------------------------- */

static bool generalizes(const kan_lattice *lattice, uint64_t general, uint64_t node) {
    for (unsigned a = 0; a < lattice->n_attributes; a++)
        if (general / lattice->strides[a] % (lattice->heights[a] + 1) <
            node / lattice->strides[a] % (lattice->heights[a] + 1))
            return false;
    return true;
}

static kan_status reserve_edges(kan_run *run, kan_candidates *graph, size_t n) {
    return kan_reserve(run, n, sizeof *graph->ends, &graph->end_room, &graph->ends);
}

/* Where a node just above was pruned, edges may have to skip it. An edge is implied, and left out,
 * only when it leads through a candidate that is there. Numbers ascend with generality, so whatever
 * could imply an edge comes before it. */
static kan_status add_distant_edges(kan_run *run, kan_candidates *graph, size_t node,
                                    size_t *n_ends) {
    const size_t first = graph->first_end[node];
    for (size_t other = node + 1; other < graph->n; other++) {
        if (!generalizes(&graph->lattice, graph->nodes[other], graph->nodes[node]))
            continue;
        bool is_implied = false;
        for (size_t e = first; !is_implied && e < *n_ends; e++)
            is_implied =
                generalizes(&graph->lattice, graph->nodes[other], graph->nodes[graph->ends[e]]);
        if (is_implied)
            continue;
        KAN_TRY(reserve_edges(run, graph, *n_ends + 1));
        graph->ends[(*n_ends)++] = (uint32_t)other;
    }
    return KAN_OK;
}

/* One level up in each attribute: where all of these are candidates they are the edges, because
 * every other generalization lies above one of them. Their numbers ascend from node to node, so one
 * place per attribute moves along. */
static kan_status add_edges(kan_run *run, kan_candidates *graph) {
    const kan_lattice *lattice = &graph->lattice;
    size_t at[KAN_MAX_ATTRIBUTES] = {0}, n_ends = 0;
    for (size_t node = 0; node < graph->n; node++) {
        const uint64_t number = graph->nodes[node];
        bool is_complete = true;
        graph->first_end[node] = n_ends;
        KAN_TRY(reserve_edges(run, graph, n_ends + lattice->n_attributes));
        for (unsigned a = lattice->n_attributes; a-- > 0;) { /* small strides first: ascending */
            if (number / lattice->strides[a] % (lattice->heights[a] + 1) == lattice->heights[a])
                continue;
            const uint64_t above = number + lattice->strides[a];
            while (at[a] < graph->n && graph->nodes[at[a]] < above)
                at[a]++;
            if (at[a] < graph->n && graph->nodes[at[a]] == above)
                graph->ends[n_ends++] = (uint32_t)at[a];
            else
                is_complete = false;
        }
        if (!is_complete) {
            n_ends = graph->first_end[node];
            KAN_TRY(add_distant_edges(run, graph, node, &n_ends));
        }
        for (size_t e = graph->first_end[node]; e < n_ends; e++)
            graph->is_root[graph->ends[e]] = 0;
    }
    graph->first_end[graph->n] = n_ends;
    return KAN_OK;
}

/* ---- the whole ------------------------------------------------------------------------------ */

kan_status kan_candidates_make(kan_run *run, const kan_lattice *whole, const kan_survivors *fewer,
                               uint64_t mask, kan_candidates *out) {
    unsigned n = 0;
    out->mask = mask;
    for (uint64_t left = mask; left; left &= left - 1)
        out->attributes[n++] = (unsigned)__builtin_ctzll(left);
    kan_lattice_part(whole, out->attributes, n, &out->lattice);
    out->n = 0;
    KAN_TRY(n == 1 ? take_all_levels(run, out) : join(run, fewer, out));
    KAN_TRY(kan_reserve(run, out->n, sizeof *out->is_root, &out->root_room, &out->is_root));
    KAN_TRY(
        kan_reserve(run, out->n + 1, sizeof *out->first_end, &out->first_room, &out->first_end));
    for (size_t node = 0; node < out->n; node++)
        out->is_root[node] = 1;
    return add_edges(run, out);
}

void kan_candidates_destroy(kan_run *run, kan_candidates *graph) {
    kan_free(run, graph->nodes);
    kan_free(run, graph->is_root);
    kan_free(run, graph->first_end);
    kan_free(run, graph->ends);
    kan_candidates_init(graph);
}
