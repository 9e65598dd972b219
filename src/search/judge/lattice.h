/* The lattice of full-domain recodings: one node per vector of levels that may be chosen.
 *
 * Levels are those of the user's hierarchies everywhere. Where some of them are ruled out, the
 * lattice is the box of vectors between the lowest and the highest levels, and nothing outside of
 * it is ever looked at.
 *
 * A node is also a number, its vector read as digits with the first attribute most significant; a
 * digit counts levels from the lowest on. Numbers are in the lexicographic order of vectors, and
 * every generalization of a node has a higher number. */
#ifndef KANON_SEARCH_JUDGE_LATTICE_H
#define KANON_SEARCH_JUDGE_LATTICE_H

#include "group/problem.h"

typedef struct kan_lattice {
    unsigned n_attributes;
    unsigned low[KAN_MAX_ATTRIBUTES];     /* the lowest level of each attribute */
    unsigned heights[KAN_MAX_ATTRIBUTES]; /* how many levels may be chosen above it */
    uint64_t strides[KAN_MAX_ATTRIBUTES]; /* what one level of the attribute adds to the number */
    uint64_t n_nodes;                     /* UINT64_MAX when it does not fit: see is_countable */
    bool is_countable;
    unsigned height; /* of the top node above the bottom one */
} kan_lattice;

void kan_lattice_make(const kan_space *space, kan_lattice *out);

static inline uint64_t kan_lattice_node(const kan_lattice *lattice, const unsigned *levels) {
    uint64_t node = 0;
    KAN_ASSERT(lattice->is_countable);
    for (unsigned a = 0; a < lattice->n_attributes; a++)
        node += (levels[a] - lattice->low[a]) * lattice->strides[a];
    KAN_ASSERT(node < lattice->n_nodes);
    return node;
}

static inline void kan_lattice_levels(const kan_lattice *lattice, uint64_t node, unsigned *levels) {
    KAN_ASSERT(lattice->is_countable && node < lattice->n_nodes);
    for (unsigned a = 0; a < lattice->n_attributes; a++)
        levels[a] =
            lattice->low[a] + (unsigned)(node / lattice->strides[a] % (lattice->heights[a] + 1));
}

/* The highest level of an attribute. */
static inline unsigned kan_lattice_high(const kan_lattice *lattice, unsigned attribute) {
    return lattice->low[attribute] + lattice->heights[attribute];
}

static inline bool kan_bit(const uint64_t *bits, uint64_t at) {
    return bits[at >> 6] >> (at & 63) & 1;
}

static inline void kan_bit_set(uint64_t *bits, uint64_t at) {
    bits[at >> 6] |= UINT64_C(1) << (at & 63);
}

/* Whether there is room to tell all nodes apart: a bit each for those that satisfy, and one while the
 * minimal ones are found. */
bool kan_lattice_can_hold(const kan_run *run, const kan_lattice *lattice);

/* The next vector in lexicographic order, which is the next number; after the last the first. */
void kan_lattice_next(const kan_lattice *lattice, unsigned *levels);

/* Given the set of satisfying nodes (a bit per node), finds those with no satisfying node below
 * them: n level vectors of n_attributes bytes, in order. One pass over the lattice; no monotonicity
 * is assumed. */
KAN_MUST_USE kan_status kan_lattice_minimal(kan_run *run, const kan_lattice *lattice,
                                            const uint64_t *satisfies, size_t *n_minimal,
                                            uint8_t **minimal);
/* The same from above: nodes that do not satisfy, with no such node above them. */
KAN_MUST_USE kan_status kan_lattice_failing(kan_run *run, const kan_lattice *lattice,
                                            const uint64_t *satisfies, size_t *n_failing,
                                            uint8_t **failing);

/* Both for a promise that is monotone, where the neighbours of a node tell: the satisfying nodes
 * with none below them when `wanted`, else the failing nodes with none above them. Needs no memory
 * beside the result, and little time where few nodes satisfy. */
KAN_MUST_USE kan_status kan_lattice_border(kan_run *run, const kan_lattice *lattice,
                                           const uint64_t *satisfies, bool wanted, size_t *n_found,
                                           uint8_t **found);

#endif
