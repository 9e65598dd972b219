/* Breadth-first search of one graph: see graph_search.h.
 *
 * All nodes of one height are independent of each other: whatever can mark them, fail them out of
 * the queue or supply their sets is lower. So they are checked in any order, and settled one by one
 * in a fixed order: the result, and the effort, do not depend on threads. */
#include "search/incognito/graph_search.h"

#include <stdatomic.h>
#include <string.h>

#include "search/incognito/subset_search.h"

#define NO_SOURCE UINT32_MAX

enum { MOST_HEIGHT = KAN_MAX_ATTRIBUTES * KAN_HEIGHT_MOST };

/* A node in hand. */
typedef struct kan_graph_check {
    uint32_t node;
    kan_origin origin;
    const kan_freqset *from;
    bool is_taken;  /* `from` is the node's own set */
    bool is_wanted; /* should it fail, its set is of use */
    bool satisfies;
} kan_graph_check;

static void levels_of(const kan_graph_walk *walk, uint32_t node, unsigned *levels) {
    kan_lattice_levels(&walk->graph.lattice, walk->graph.nodes[node], levels);
}

static void show(const kan_subset_search *search, const kan_graph_walk *walk, kan_sight sight,
                 uint32_t node, kan_origin origin) {
    if (!search->observer)
        return;
    const unsigned n = walk->graph.lattice.n_attributes;
    unsigned levels[KAN_MAX_ATTRIBUTES], attributes[KAN_MAX_ATTRIBUTES];
    levels_of(walk, node, levels);
    for (unsigned i = 0; i < n; i++)
        attributes[i] = search->order[walk->graph.attributes[i]];
    search->observer->see(search->observer->context, sight, n, attributes, levels, origin);
}

/* ---- sets that are kept --------------------------------------------------------------------- */

static void drop_set(kan_run *run, kan_graph_walk *walk, kan_walk_node *node) {
    if (node->set && !node->is_borrowed) {
        KAN_ASSERT(walk->kept_bytes >= kan_freqset_bytes(node->set));
        walk->kept_bytes -= kan_freqset_bytes(node->set);
        kan_free(run, node->set);
    }
    node->set = NULL;
}

/* The node needs its source no longer. */
static void let_source_go(kan_run *run, kan_graph_walk *walk, kan_walk_node *node) {
    if (node->source == NO_SOURCE)
        return;
    kan_walk_node *source = &walk->nodes[node->source];
    KAN_ASSERT(source->n_users > 0 && source->set);
    node->source = NO_SOURCE;
    if (--source->n_users == 0)
        drop_set(run, walk, source);
}

static bool wants_set(const kan_graph_walk *walk, const kan_walk_node *node, size_t n_tuples) {
    return !node->is_marked &&
           (node->source == NO_SOURCE || walk->nodes[node->source].set->n > n_tuples);
}

/* Keeps the set of a node that failed, if it is the smallest yet for one of its generalizations,
 * and if there is room: they are scanned from the base otherwise. */
static kan_status keep_set(kan_subset_search *search, kan_graph_walk *walk,
                           const kan_graph_check *check, const kan_freqset *made) {
    const kan_candidates *graph = &walk->graph;
    kan_walk_node *node = &walk->nodes[check->node];
    const size_t first = graph->first_end[check->node], end = graph->first_end[check->node + 1];
    const kan_freqset *set = check->is_taken ? check->from : made;
    unsigned n_wanting = 0;
    for (size_t e = first; e < end; e++)
        n_wanting += wants_set(walk, &walk->nodes[graph->ends[e]], set->n);
    if (n_wanting == 0)
        return KAN_OK;
    if (check->is_taken) {
        node->set = (kan_freqset *)(uintptr_t)set; /* only read, and never freed: is_borrowed */
        node->is_borrowed = true;
    } else {
        const uint64_t bytes = kan_freqset_bytes(set);
        if (walk->kept_bytes + bytes > search->keep_bytes)
            return KAN_OK;
        KAN_TRY(kan_freqset_keep(search->run, set, &node->set));
        walk->kept_bytes += bytes;
    }
    for (size_t e = first; e < end; e++) {
        kan_walk_node *above = &walk->nodes[graph->ends[e]];
        if (!wants_set(walk, above, node->set->n))
            continue;
        let_source_go(search->run, walk, above);
        above->source = check->node;
        node->n_users++;
    }
    return KAN_OK;
}

/* ---- one node ------------------------------------------------------------------------------- */

/* The smallest set that the node can come from. Between equals one that is there anyway. */
static void choose_source(kan_subset_search *search, kan_subset_worker *worker,
                          kan_graph_check *check) {
    const kan_graph_walk *walk = &worker->walk;
    const kan_supply *supply = search->supply;
    const kan_walk_node *node = &walk->nodes[check->node];
    check->from = &search->base;
    check->origin = KAN_FROM_BASE;
    if (supply->find) {
        unsigned levels[KAN_MAX_ATTRIBUTES];
        kan_origin origin;
        levels_of(walk, check->node, levels);
        const kan_freqset *found = supply->find(supply->context, worker->index, &walk->graph,
                                                check->node, levels, &origin);
        if (found) {
            check->from = found;
            check->origin = origin;
        }
    }
    const kan_freqset *parent = node->source == NO_SOURCE ? NULL : walk->nodes[node->source].set;
    /* the base itself can be the set of a parent: then rolling up is what is meant */
    if (parent && (parent->n < check->from->n || check->origin == KAN_FROM_BASE)) {
        check->from = parent;
        check->origin = KAN_FROM_SET;
    }
}

static bool is_same_layout(const kan_layout *a, const kan_layout *b) {
    if (a->n_fields != b->n_fields)
        return false;
    for (unsigned i = 0; i < a->n_fields; i++)
        if (a->fields[i].dimension != b->fields[i].dimension ||
            a->fields[i].level != b->fields[i].level)
            return false;
    return true;
}

/* Few possible groups: a counter each tells their sizes quicker than a set does. */
enum { FEW_GROUPS = 1 << 18 };

static bool sizes_are_quicker(const kan_subset_search *search, const kan_layout *layout) {
    uint64_t most = 1;
    if (!search->question->promise->size_decides || search->n_tails > 0)
        return false;
    for (unsigned f = 0; f < layout->n_fields && most <= FEW_GROUPS; f++)
        most *= kan_dimension_groups(&search->space->dimensions[layout->fields[f].dimension],
                                     layout->fields[f].level);
    return most <= FEW_GROUPS;
}

/* The check by the sizes of the groups, where they decide. */
static kan_status check_sizes(const kan_subset_search *search, kan_subset_worker *worker,
                              const kan_layout *layout, kan_graph_check *check) {
    const kan_promise *promise = search->question->promise;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < search->space->n_attributes; a++) /* not in the subset: one group */
        levels[a] = search->space->dimensions[a].height;
    for (unsigned f = 0; f < layout->n_fields; f++)
        levels[layout->fields[f].dimension] = layout->fields[f].level;
    KAN_TRY(kan_sizes_count(&worker->sizes, check->from, levels, worker->workspace));
    kan_groups groups = {.n_groups = worker->sizes.n, .count = worker->sizes.counts};
    kan_groups_borrow(&groups, &worker->sizes.edition);
    check->satisfies = kan_promise_small_rows(promise, &groups, promise->limit) <= promise->limit;
    return KAN_OK;
}

/* Checks a node of the graph in `walk`, with what belongs to `worker`. Its set is in `made`
 * afterwards if it failed, is wanted, and is not taken from somewhere. */
static kan_status check_node(kan_subset_search *search, kan_subset_worker *worker,
                             const kan_graph_walk *walk, kan_graph_check *check,
                             kan_freqset *made) {
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_layout layout;
    if (kan_should_stop(search->run))
        return kan_check_cancel(search->run);
    levels_of(walk, check->node, levels);
    kan_subset_layout(search, walk->graph.lattice.n_attributes, walk->graph.attributes, levels,
                      &layout);
    worker->n_checked++;
    kan_subset_count(worker, check->from, check->origin);
    check->is_taken = is_same_layout(&layout, &check->from->layout);
    if (check->is_taken)
        return kan_judge_subset(&worker->judge, check->from, &check->satisfies);
    const bool uses_sizes = sizes_are_quicker(search, &layout);
    if (uses_sizes) {
        KAN_TRY(check_sizes(search, worker, &layout, check));
        if (check->satisfies || !check->is_wanted)
            return KAN_OK;
        worker->effort.n_tuples += check->from->n; /* a second look */
    }
    KAN_TRY(kan_freqset_regroup(search->space, check->from, &layout, KAN_KERNEL_AUTO,
                                worker->workspace, made));
    return uses_sizes ? KAN_OK : kan_judge_subset(&worker->judge, made, &check->satisfies);
}

static void mark_above(kan_subset_search *search, kan_graph_walk *walk, uint32_t node) {
    const kan_candidates *graph = &walk->graph;
    for (size_t e = graph->first_end[node]; e < graph->first_end[node + 1]; e++) {
        kan_walk_node *above = &walk->nodes[graph->ends[e]];
        if (above->is_marked)
            continue;
        above->is_marked = true;
        let_source_go(search->run, walk, above);
        show(search, walk, KAN_SEEN_MARK, graph->ends[e], KAN_FROM_SET);
    }
}

static kan_status settle(kan_subset_search *search, kan_graph_walk *walk,
                         const kan_graph_check *check, const kan_freqset *made) {
    const kan_candidates *graph = &walk->graph;
    kan_walk_node *node = &walk->nodes[check->node];
    show(search, walk, check->satisfies ? KAN_SEEN_PASS : KAN_SEEN_FAIL, check->node,
         check->origin);
    if (check->satisfies) {
        mark_above(search, walk, check->node);
    } else {
        node->has_failed = true;
        for (size_t e = graph->first_end[check->node]; e < graph->first_end[check->node + 1]; e++)
            walk->nodes[graph->ends[e]].is_queued = true;
        if (check->is_wanted)
            KAN_TRY(keep_set(search, walk, check, made));
    }
    let_source_go(search->run, walk, node);
    return KAN_OK;
}

/* ---- all nodes of one height ---------------------------------------------------------------- */

typedef struct {
    kan_subset_search *search;
    kan_graph_walk *walk;
    kan_graph_check *checks;
} check_batch;

static kan_status check_task(void *context, size_t task, unsigned index) {
    check_batch *batch = context;
    return check_node(batch->search, &batch->search->workers[index], batch->walk,
                      &batch->checks[task], &batch->walk->made[task]);
}

static kan_status check_all(kan_subset_search *search, kan_subset_worker *worker, bool is_alone,
                            size_t n_checks) {
    kan_graph_walk *walk = &worker->walk;
    size_t together = is_alone ? 4 * (size_t)search->n_workers : 1;
    together = together > KAN_MOST_TOGETHER ? KAN_MOST_TOGETHER : together;
    for (size_t first = 0; first < n_checks; first += together) {
        const size_t n = n_checks - first < together ? n_checks - first : together;
        check_batch batch = {search, walk, walk->checks + first};
        if (n == 1)
            KAN_TRY(check_node(search, worker, walk, batch.checks, &walk->made[0]));
        else
            KAN_TRY(kan_subset_parallel(search, n, check_task, &batch));
        for (size_t i = 0; i < n; i++)
            KAN_TRY(settle(search, walk, &batch.checks[i], &walk->made[i]));
    }
    return KAN_OK;
}

/* Whether a generalization may have to be checked. Asked before any node of this height is settled,
 * so that the answer is the same however many are checked together. */
static bool has_open_above(const kan_graph_walk *walk, uint32_t node) {
    const kan_candidates *graph = &walk->graph;
    for (size_t e = graph->first_end[node]; e < graph->first_end[node + 1]; e++)
        if (!walk->nodes[graph->ends[e]].is_marked)
            return true;
    return false;
}

/* What is to be checked among the nodes by_height[first .. end-1]. */
static kan_status queue_checks(kan_subset_search *search, kan_subset_worker *worker, size_t first,
                               size_t end, size_t *n_checks) {
    kan_graph_walk *walk = &worker->walk;
    size_t n = 0;
    KAN_TRY(kan_reserve(search->run, end - first, sizeof *walk->checks, &walk->check_room,
                        &walk->checks));
    for (size_t i = first; i < end; i++) {
        const uint32_t at = walk->by_height[i];
        const kan_walk_node *node = &walk->nodes[at];
        if (node->is_marked) {
            if (!search->is_literal)
                mark_above(search, walk, at);
        } else if (node->is_queued) {
            walk->checks[n] = (kan_graph_check){.node = at, .is_wanted = has_open_above(walk, at)};
            choose_source(search, worker, &walk->checks[n++]);
        }
    }
    *n_checks = n;
    return KAN_OK;
}

/* ---- the graph ------------------------------------------------------------------------------ */

/* Sorts nodes by height. Among equals the highest number comes first: the order in which the paper
 * walks its example. */
static kan_status order_nodes(kan_run *run, kan_graph_walk *walk) {
    const kan_candidates *graph = &walk->graph;
    const kan_lattice *lattice = &graph->lattice;
    size_t starts[MOST_HEIGHT + 2];
    memset(starts, 0, (lattice->height + 2) * sizeof *starts);
    KAN_TRY(kan_reserve(run, graph->n, sizeof *walk->nodes, &walk->node_room, &walk->nodes));
    KAN_TRY(
        kan_reserve(run, graph->n, sizeof *walk->by_height, &walk->order_room, &walk->by_height));
    for (size_t i = 0; i < graph->n; i++) {
        unsigned height = 0;
        uint64_t rest = graph->nodes[i];
        for (unsigned a = 0; a < lattice->n_attributes; a++) {
            const uint64_t level = rest / lattice->strides[a];
            rest -= level * lattice->strides[a];
            height += (unsigned)level;
        }
        walk->nodes[i] = (kan_walk_node){
            .source = NO_SOURCE, .height = (uint16_t)height, .is_queued = graph->is_root[i]};
        KAN_ASSERT(rest == 0 && height <= lattice->height);
        KAN_ASSERT(i == 0 || graph->nodes[i - 1] < graph->nodes[i]);
        starts[height + 1]++;
    }
    for (unsigned h = 1; h <= lattice->height; h++)
        starts[h] += starts[h - 1];
    for (size_t i = graph->n; i-- > 0;)
        walk->by_height[starts[walk->nodes[i].height]++] = (uint32_t)i;
    return KAN_OK;
}

static kan_status write_survivors(kan_run *run, const kan_graph_walk *walk,
                                  kan_subset_nodes *survivors) {
    const kan_candidates *graph = &walk->graph;
    size_t n = 0;
    for (size_t i = 0; i < graph->n; i++)
        n += !walk->nodes[i].has_failed;
    KAN_TRY(kan_alloc(run, n, sizeof *survivors->nodes, &survivors->nodes));
    for (size_t i = 0; i < graph->n; i++)
        if (!walk->nodes[i].has_failed)
            survivors->nodes[survivors->n++] = graph->nodes[i];
    return KAN_OK;
}

static kan_status sweep(kan_subset_search *search, kan_subset_worker *worker, bool is_alone) {
    kan_graph_walk *walk = &worker->walk;
    for (size_t first = 0, end; first < walk->graph.n; first = end) {
        const uint16_t height = walk->nodes[walk->by_height[first]].height;
        size_t n_checks;
        for (end = first; end < walk->graph.n; end++)
            if (walk->nodes[walk->by_height[end]].height != height)
                break;
        KAN_TRY(queue_checks(search, worker, first, end, &n_checks));
        KAN_TRY(check_all(search, worker, is_alone, n_checks));
        kan_report_units(search->run, "search", "nodes",
                         atomic_fetch_add(&search->n_done, end - first) + end - first,
                         search->n_known);
    }
    return KAN_OK;
}

kan_status kan_graph_search(kan_subset_search *search, kan_subset_worker *worker, bool is_alone,
                            kan_subset_nodes *out) {
    kan_graph_walk *walk = &worker->walk;
    kan_status status;
    KAN_TRY(order_nodes(search->run, walk));
    atomic_fetch_add(&search->n_done, walk->graph.lattice.n_nodes - walk->graph.n);
    status = sweep(search, worker, is_alone);
    for (size_t i = 0; i < walk->graph.n; i++) /* after a failure some are left */
        drop_set(search->run, walk, &walk->nodes[i]);
    KAN_TRY(status);
    return write_survivors(search->run, walk, out);
}

void kan_graph_walk_destroy(kan_run *run, kan_graph_walk *walk) {
    kan_candidates_destroy(run, &walk->graph);
    kan_free(run, walk->nodes);
    kan_free(run, walk->by_height);
    kan_free(run, walk->checks);
    for (unsigned i = 0; i < KAN_MOST_TOGETHER; i++)
        kan_freqset_destroy(run, &walk->made[i]);
    *walk = (kan_graph_walk){.nodes = NULL};
}
