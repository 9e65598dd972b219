/* Incognito by a counter: see tally_graph.h. */
#include "search/counted/tally_graph.h"

#include <string.h>

#include "search/counted/tally_cube.h"

#define NO_SOURCE UINT32_MAX

enum { MOST_HEIGHT = KAN_MAX_ATTRIBUTES * KAN_HEIGHT_MOST };

/* What is known of a node. */
typedef struct {
    kan_tally_set set; /* kept; number 0: not */
    bool is_borrowed;  /* it is the supply's */
    uint32_t source;   /* the parent whose set is the smallest */
    uint32_t n_users;  /* generalizations whose source this is */
    uint16_t height;
    bool is_queued, is_marked, has_failed;
} walk_node;

typedef struct {
    kan_tally_run *tally;
    kan_search_counting supply;
    kan_tally_cube cube;
    bool is_literal; /* search/judge/marking.h */
    kan_candidates graph;
    walk_node *nodes;
    uint32_t *by_height;
    size_t node_room, order_room;
    /* Of the graph in hand: a set that lies below all candidates, and its levels. */
    kan_tally_set below;
    unsigned below_levels[KAN_MAX_ATTRIBUTES];
    uint64_t n_done, n_known;
} walk;

static void levels_of(const walk *w, uint32_t node, unsigned *levels) {
    kan_lattice_levels(&w->graph.lattice, w->graph.nodes[node], levels);
}

static kan_count_order order_of(const walk *w, const unsigned *levels, uint32_t from, bool keeps) {
    return (kan_count_order){.n = w->graph.lattice.n_attributes,
                             .attributes = w->graph.attributes,
                             .levels = levels,
                             .least_size = w->tally->question->promise->least_size,
                             .from = from,
                             .keeps = keeps};
}

/* ---- sets that are kept --------------------------------------------------------------------- */

static kan_status drop_set(walk *w, walk_node *node) {
    const uint32_t set = node->is_borrowed ? KAN_COUNTER_BASE : node->set.number;
    node->set.number = KAN_COUNTER_BASE;
    node->is_borrowed = false;
    return kan_tally_drop(w->tally, set);
}

/* The node needs its source no longer. */
static kan_status let_source_go(walk *w, walk_node *node) {
    if (node->source == NO_SOURCE)
        return KAN_OK;
    walk_node *source = &w->nodes[node->source];
    KAN_ASSERT(source->n_users > 0);
    node->source = NO_SOURCE;
    return --source->n_users == 0 ? drop_set(w, source) : KAN_OK;
}

static bool wants_set(const walk *w, const walk_node *node, uint64_t n_groups) {
    return !node->is_marked &&
           (node->source == NO_SOURCE || w->nodes[node->source].set.n_groups > n_groups);
}

/* The set of a node that failed goes to those generalizations for which it is the smallest yet. */
static kan_status hand_on(walk *w, uint32_t at) {
    walk_node *node = &w->nodes[at];
    const kan_candidates *graph = &w->graph;
    for (size_t e = graph->first_end[at]; e < graph->first_end[at + 1]; e++) {
        walk_node *above = &w->nodes[graph->ends[e]];
        if (!wants_set(w, above, node->set.n_groups))
            continue;
        KAN_TRY(let_source_go(w, above));
        above->source = at;
        node->n_users++;
    }
    return node->n_users == 0 ? drop_set(w, node) : KAN_OK;
}

/* ---- one node ------------------------------------------------------------------------------- */

/* The smallest set that the node can come from; between equals one that is there anyway. */
static kan_tally_set choose_source(const walk *w, const walk_node *node) {
    const kan_tally_set *parent = node->source == NO_SOURCE ? NULL : &w->nodes[node->source].set;
    if (parent && (w->below.number == KAN_COUNTER_BASE || parent->n_groups < w->below.n_groups))
        return *parent;
    return w->below;
}

static bool has_open_above(const walk *w, uint32_t node) {
    const kan_candidates *graph = &w->graph;
    for (size_t e = graph->first_end[node]; e < graph->first_end[node + 1]; e++)
        if (!w->nodes[graph->ends[e]].is_marked)
            return true;
    return false;
}

static kan_status mark_above(walk *w, uint32_t node) {
    const kan_candidates *graph = &w->graph;
    for (size_t e = graph->first_end[node]; e < graph->first_end[node + 1]; e++) {
        walk_node *above = &w->nodes[graph->ends[e]];
        if (above->is_marked)
            continue;
        above->is_marked = true;
        KAN_TRY(let_source_go(w, above));
    }
    return KAN_OK;
}

static kan_status settle_failed(walk *w, uint32_t at) {
    const kan_candidates *graph = &w->graph;
    w->nodes[at].has_failed = true;
    for (size_t e = graph->first_end[at]; e < graph->first_end[at + 1]; e++)
        w->nodes[graph->ends[e]].is_queued = true;
    return w->nodes[at].set.number == KAN_COUNTER_BASE ? KAN_OK : hand_on(w, at);
}

static kan_status check_node(walk *w, uint32_t at) {
    walk_node *node = &w->nodes[at];
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_counted counted;
    levels_of(w, at, levels);
    const kan_tally_set from = choose_source(w, node);
    const unsigned n = w->graph.lattice.n_attributes;
    const bool is_taken = kan_tally_is_base(w->tally, n, levels) ||
                          (from.number != KAN_COUNTER_BASE && from.number == w->below.number &&
                           memcmp(levels, w->below_levels, n * sizeof *levels) == 0);
    const bool is_wanted = has_open_above(w, at);
    const kan_count_order order = order_of(w, levels, from.number, is_wanted && !is_taken);
    KAN_TRY(kan_tally_count(w->tally, &order, &counted));
    if (w->supply == KAN_COUNTING_CUBE && from.number != KAN_COUNTER_BASE &&
        from.number == w->below.number)
        kan_tally_is_of_cube(w->tally);
    const bool satisfies = counted.n_small_rows <= w->tally->question->promise->limit;
    if (order.keeps)
        node->set = (kan_tally_set){counted.set, counted.n_groups};
    else if (is_taken && is_wanted) {
        node->set = from;
        node->is_borrowed = true;
    }
    if (satisfies) {
        KAN_TRY(drop_set(w, node));
        KAN_TRY(mark_above(w, at));
    } else {
        KAN_TRY(settle_failed(w, at));
    }
    return let_source_go(w, node);
}

/* ---- the graph ------------------------------------------------------------------------------ */

/* Sorts nodes by height. */
static kan_status order_nodes(walk *w) {
    const kan_candidates *graph = &w->graph;
    kan_run *run = w->tally->run;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    size_t starts[MOST_HEIGHT + 2];
    memset(starts, 0, (graph->lattice.height + 2) * sizeof *starts);
    KAN_TRY(kan_reserve(run, graph->n, sizeof *w->nodes, &w->node_room, &w->nodes));
    KAN_TRY(kan_reserve(run, graph->n, sizeof *w->by_height, &w->order_room, &w->by_height));
    for (size_t i = 0; i < graph->n; i++) {
        unsigned height = 0;
        levels_of(w, (uint32_t)i, levels);
        for (unsigned a = 0; a < graph->lattice.n_attributes; a++)
            height += levels[a] - graph->lattice.low[a];
        w->nodes[i] = (walk_node){
            .source = NO_SOURCE, .height = (uint16_t)height, .is_queued = graph->is_root[i]};
        starts[height + 1]++;
    }
    for (unsigned h = 1; h <= graph->lattice.height; h++)
        starts[h] += starts[h - 1];
    for (size_t i = 0; i < graph->n; i++)
        w->by_height[starts[w->nodes[i].height]++] = (uint32_t)i;
    return KAN_OK;
}

/* The least level of each attribute among the roots; returns how many roots there are. */
static size_t find_super_root(const walk *w, unsigned *levels) {
    size_t n_roots = 0;
    for (size_t node = 0; node < w->graph.n; node++) {
        unsigned here[KAN_MAX_ATTRIBUTES];
        if (!w->graph.is_root[node])
            continue;
        levels_of(w, (uint32_t)node, here);
        for (unsigned a = 0; a < w->graph.lattice.n_attributes; a++)
            levels[a] = n_roots == 0 || here[a] < levels[a] ? here[a] : levels[a];
        n_roots++;
    }
    return n_roots;
}

/* The set that lies below all candidates of the graph, if the supply has one beside the base. */
static kan_status begin_graph(walk *w) {
    kan_counted counted;
    w->below = (kan_tally_set){.number = KAN_COUNTER_BASE};
    if (w->supply == KAN_COUNTING_CUBE) {
        w->below = kan_tally_cube_find(&w->cube, w->graph.mask);
        memcpy(w->below_levels, w->graph.lattice.low, sizeof w->below_levels);
    } else if (w->supply == KAN_COUNTING_SUPERROOTS && find_super_root(w, w->below_levels) > 1) {
        const kan_count_order order = order_of(w, w->below_levels, KAN_COUNTER_BASE, true);
        KAN_TRY(kan_tally_count(w->tally, &order, &counted));
        w->tally->n_checked--; /* it is no check */
        w->below = (kan_tally_set){counted.set, counted.n_groups};
    }
    return KAN_OK;
}

static kan_status end_graph(walk *w) {
    return w->supply == KAN_COUNTING_SUPERROOTS ? kan_tally_drop(w->tally, w->below.number)
                                                : KAN_OK;
}

static kan_status write_survivors(const walk *w, kan_subset_nodes *survivors) {
    size_t n = 0;
    for (size_t i = 0; i < w->graph.n; i++)
        n += !w->nodes[i].has_failed;
    KAN_TRY(kan_alloc(w->tally->run, n, sizeof *survivors->nodes, &survivors->nodes));
    for (size_t i = 0; i < w->graph.n; i++)
        if (!w->nodes[i].has_failed)
            survivors->nodes[survivors->n++] = w->graph.nodes[i];
    return KAN_OK;
}

static kan_status search_graph(walk *w, const kan_survivors *fewer, kan_subset_nodes *out) {
    kan_tally_run *tally = w->tally;
    KAN_TRY(kan_candidates_make(tally->run, &tally->lattice, fewer, out->mask, &w->graph));
    KAN_TRY(order_nodes(w));
    if (w->graph.n > 0)
        KAN_TRY(begin_graph(w));
    for (size_t i = 0; i < w->graph.n; i++) {
        const uint32_t at = w->by_height[i];
        if (kan_should_stop(tally->run))
            return kan_check_cancel(tally->run);
        if (w->nodes[at].is_marked && !w->is_literal)
            KAN_TRY(mark_above(w, at));
        else if (!w->nodes[at].is_marked && w->nodes[at].is_queued)
            KAN_TRY(check_node(w, at));
        kan_report_units(tally->run, "search", "nodes", w->n_done + i, w->n_known);
    }
    w->n_done += w->graph.lattice.n_nodes;
    if (w->graph.n > 0)
        KAN_TRY(end_graph(w));
    return write_survivors(w, out);
}

/* ---- all subsets ---------------------------------------------------------------------------- */

static kan_status search_sizes(walk *w, kan_survivors *out) {
    kan_run *run = w->tally->run;
    const unsigned n = w->tally->lattice.n_attributes;
    kan_survivors fewer = {.n_subsets = 0}, now = {.n_subsets = 0};
    kan_status status = KAN_OK;
    for (unsigned size = 1; size <= n; size++) {
        KAN_TRY_DONE(kan_survivors_create(run, n, size, &now));
        for (size_t i = 0; i < now.n_subsets; i++)
            KAN_TRY_DONE(search_graph(w, &fewer, &now.subsets[i]));
        kan_survivors_destroy(run, &fewer);
        fewer = now;
        now = (kan_survivors){.n_subsets = 0};
    }
    *out = fewer;
    fewer = now;
done:
    kan_survivors_destroy(run, &fewer);
    kan_survivors_destroy(run, &now);
    return status;
}

static void count_known(walk *w) {
    w->n_known = 1;
    for (unsigned a = 0; a < w->tally->lattice.n_attributes; a++)
        w->n_known *= w->tally->lattice.heights[a] + 2u; /* its levels, or not in the subset */
    w->n_known--;
}

kan_status kan_tally_graph_search(kan_tally_run *tally, kan_search_counting supply,
                                  uint64_t *satisfies) {
    walk w = {.tally = tally,
              .supply = supply,
              .is_literal = kan_marking_is_literal(tally->question->options)};
    kan_survivors survivors = {.n_subsets = 0};
    kan_status status;
    kan_candidates_init(&w.graph);
    count_known(&w);
    if (supply == KAN_COUNTING_CUBE)
        KAN_TRY_DONE(kan_tally_cube_build(tally, &w.cube));
    KAN_TRY_DONE(search_sizes(&w, &survivors));
    for (size_t i = 0; i < survivors.subsets[0].n; i++)
        kan_bit_set(satisfies, survivors.subsets[0].nodes[i]);
    KAN_TRY_DONE(kan_tally_cube_drop(tally, &w.cube));
done:
    kan_survivors_destroy(tally->run, &survivors);
    kan_candidates_destroy(tally->run, &w.graph);
    kan_free(tally->run, w.nodes);
    kan_free(tally->run, w.by_height);
    kan_free(tally->run, w.cube.sets);
    return status;
}
