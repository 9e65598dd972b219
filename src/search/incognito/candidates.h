/* Candidates: the graph of generalizations that Incognito searches for one subset of the attributes
 * (incognito.txt 3.1.2).
 *
 * Nodes are joined and pruned from the survivors of all subsets with one attribute less; an edge
 * goes from each candidate to its direct generalizations among the candidates. The paper keeps one
 * graph per size of subset; no edge leaves a subset, so ours has a graph per subset, made when it
 * is searched and forgotten afterwards. What stays is its survivors.
 *
 * Attributes are numbered by their place in a lattice, which the caller chooses; a subset is a mask
 * of them. A node is a number of the subset's own lattice: its levels as digits, the first
 * attribute most significant. So a generalization has a higher number than what it generalizes.
 *
 * Cost: a few nanoseconds per candidate and attribute. Memory: 8 bytes per survivor; of the graph
 * in hand about 20 bytes per candidate and 4 per edge. */
#ifndef KANON_SEARCH_INCOGNITO_CANDIDATES_H
#define KANON_SEARCH_INCOGNITO_CANDIDATES_H

#include "search/levels/levels.h"

/* A subset of the attributes, and which of its nodes satisfy the promise. */
typedef struct kan_subset_nodes {
    uint64_t mask;
    size_t n;
    uint64_t *nodes; /* ascending */
} kan_subset_nodes;

/* All subsets of one size, in the order of their masks. */
typedef struct kan_survivors {
    unsigned n_attributes, size;
    size_t n_subsets;
    kan_subset_nodes *subsets;
} kan_survivors;

/* The next mask with as many bits, in ascending order. */
static inline uint64_t kan_mask_next(uint64_t mask) {
    uint64_t lowest = mask & -mask, ripple = mask + lowest;
    return ripple | ((mask ^ ripple) >> 2) / lowest;
}

/* Subsets without nodes. `size` is 1 .. n_attributes. */
KAN_MUST_USE kan_status kan_survivors_create(kan_run *run, unsigned n_attributes, unsigned size,
                                             kan_survivors *out);
void kan_survivors_destroy(kan_run *run, kan_survivors *survivors);
/* The one with that mask. */
kan_subset_nodes *kan_survivors_find(const kan_survivors *survivors, uint64_t mask);

typedef struct kan_candidates {
    uint64_t mask;
    unsigned attributes[KAN_MAX_ATTRIBUTES]; /* of the mask, ascending */
    kan_lattice lattice;                     /* of these attributes, in that order */
    size_t n;
    uint64_t *nodes;   /* ascending */
    uint8_t *is_root;  /* no edge leads to it */
    size_t *first_end; /* n + 1: the edges of node v are ends[first_end[v] .. first_end[v+1]-1] */
    uint32_t *ends;    /* places of nodes, ascending for each */
    size_t node_room, root_room, first_room, end_room;
} kan_candidates;

static inline void kan_candidates_init(kan_candidates *graph) {
    *graph = (kan_candidates){.n = 0};
}
void kan_candidates_destroy(kan_run *run, kan_candidates *graph);

/* Refuses, with a text, more attributes or nodes than can be looked at. */
KAN_MUST_USE kan_status kan_candidates_check(kan_run *run, const kan_lattice *lattice);

/* The lattice of some attributes of another, in the order in which they are named. */
void kan_lattice_part(const kan_lattice *whole, const unsigned *attributes, unsigned n,
                      kan_lattice *out);

/* `out` (initialised; its room is reused) becomes that of a subset of `whole`. A single attribute
 * has all its levels as candidates, and `fewer` is not looked at; otherwise `fewer` are the
 * survivors of all subsets with one attribute less. */
KAN_MUST_USE kan_status kan_candidates_make(kan_run *run, const kan_lattice *whole,
                                            const kan_survivors *fewer, uint64_t mask,
                                            kan_candidates *out);

#endif
