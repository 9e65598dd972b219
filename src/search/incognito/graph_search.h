/* The breadth-first search of one candidate graph (incognito.txt 3.1.1).
 *
 * Nodes are taken in the order of their heights: first the roots, then what generalizes a node that
 * failed. A node that satisfies the promise marks its generalizations, which are not checked. The
 * frequency set of a node that failed stays while one of its generalizations is going to be rolled
 * up from it, which is when it is the smallest of those that the generalization could come from. */
#ifndef KANON_SEARCH_INCOGNITO_GRAPH_SEARCH_H
#define KANON_SEARCH_INCOGNITO_GRAPH_SEARCH_H

#include "core/pool.h"
#include "search/incognito/candidates.h"

struct kan_subset_search;
struct kan_subset_worker;

/* Nodes of one height that are checked together when the graph has all threads to itself. */
enum { KAN_MOST_TOGETHER = 64 };

/* What the search knows of a node. */
typedef struct kan_walk_node {
    kan_freqset *set; /* kept, or NULL */
    uint32_t source;  /* the parent whose set is the smallest */
    uint32_t n_users; /* generalizations whose source this is */
    uint16_t height;
    bool is_borrowed; /* the set belongs to somebody else */
    bool is_queued, is_marked, has_failed;
} kan_walk_node;

/* Scratch, kept from graph to graph. */
typedef struct kan_graph_walk {
    kan_candidates graph;
    kan_walk_node *nodes;
    uint32_t *by_height; /* places of nodes */
    struct kan_graph_check *checks;
    size_t node_room, order_room, check_room;
    uint64_t kept_bytes;
    kan_freqset made[KAN_MOST_TOGETHER]; /* sets of the nodes in hand */
} kan_graph_walk;

void kan_graph_walk_destroy(kan_run *run, kan_graph_walk *walk);

/* Searches the graph in worker->walk, and writes its survivors. `is_alone`: no other graph is being
 * searched, and all workers may help. */
KAN_MUST_USE kan_status kan_graph_search(struct kan_subset_search *search,
                                         struct kan_subset_worker *worker, bool is_alone,
                                         kan_subset_nodes *out);

#endif
