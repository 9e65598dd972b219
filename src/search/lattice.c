/* The lattice: numbering, and minimal nodes. */
#include "search/lattice.h"

void kan_lattice_make(const kan_space *space, kan_lattice *out) {
    kan_lattice lattice = {.n_attributes = space->n_attributes, .n_nodes = 1, .is_countable = true};
    for (unsigned a = space->n_attributes; a-- > 0;) {
        lattice.heights[a] = space->dimensions[a].height;
        lattice.height += lattice.heights[a];
        lattice.strides[a] = lattice.n_nodes;
        if (lattice.is_countable &&
            __builtin_mul_overflow(lattice.n_nodes, lattice.heights[a] + 1u, &lattice.n_nodes)) {
            lattice.is_countable = false;
            lattice.n_nodes = UINT64_MAX;
        }
    }
    *out = lattice;
}

static bool has_bit(const uint64_t *bits, uint64_t at) {
    return bits[at >> 6] >> (at & 63) & 1;
}

/* Whether a node one level below, in any attribute, satisfies or has one below it that does. */
static bool has_satisfying_below(const kan_lattice *lattice, const uint64_t *reached, uint64_t node,
                                 const unsigned *levels) {
    for (unsigned a = 0; a < lattice->n_attributes; a++)
        if (levels[a] > 0 && has_bit(reached, node - lattice->strides[a]))
            return true;
    return false;
}

/* The next vector in lexicographic order. */
static void count_up(const kan_lattice *lattice, unsigned *levels) {
    for (unsigned a = lattice->n_attributes; a-- > 0;) {
        if (levels[a] < lattice->heights[a]) {
            levels[a]++;
            return;
        }
        levels[a] = 0;
    }
}

kan_status kan_lattice_minimal(kan_run *run, const kan_lattice *lattice, const uint64_t *satisfies,
                               size_t *n_minimal, uint8_t **minimal) {
    kan_status status = KAN_OK;
    const unsigned width = lattice->n_attributes ? lattice->n_attributes : 1;
    unsigned levels[KAN_MAX_ATTRIBUTES] = {0};
    uint64_t *reached; /* satisfies, or lies above a node that does */
    uint8_t *vectors = NULL;
    size_t n = 0, room = 0;
    KAN_TRY(kan_alloc_zero(run, lattice->n_nodes / 64 + 1, sizeof *reached, &reached));
    for (uint64_t node = 0; node < lattice->n_nodes; node++, count_up(lattice, levels)) {
        bool is_above = has_satisfying_below(lattice, reached, node, levels);
        bool is_satisfying = has_bit(satisfies, node);
        if (is_above || is_satisfying)
            reached[node >> 6] |= UINT64_C(1) << (node & 63);
        if (!is_satisfying || is_above)
            continue;
        KAN_TRY_DONE(kan_reserve(run, (n + 1) * width, 1, &room, &vectors));
        for (unsigned a = 0; a < lattice->n_attributes; a++)
            vectors[n * width + a] = (uint8_t)levels[a];
        n++;
    }
    *n_minimal = n;
    *minimal = vectors;
    vectors = NULL;
done:
    kan_free(run, vectors);
    kan_free(run, reached);
    return status;
}
