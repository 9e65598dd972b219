/* The lattice: numbering, and minimal nodes. */
#include "search/judge/lattice.h"

void kan_lattice_make(const kan_space *space, kan_lattice *out) {
    kan_lattice lattice = {.n_attributes = space->n_attributes, .n_nodes = 1, .is_countable = true};
    for (unsigned a = space->n_attributes; a-- > 0;) {
        const kan_dimension *dimension = &space->dimensions[a];
        KAN_ASSERT(dimension->lowest <= dimension->highest &&
                   dimension->highest <= dimension->height);
        lattice.low[a] = dimension->lowest;
        lattice.heights[a] = dimension->highest - dimension->lowest;
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

bool kan_lattice_can_hold(const kan_run *run, const kan_lattice *lattice) {
    const uint64_t most = UINT64_C(1) << 28, left = kan_run_memory_left(run) / 4;
    return lattice->is_countable && lattice->n_nodes / 4 < (left < most ? left : most);
}

void kan_lattice_next(const kan_lattice *lattice, unsigned *levels) {
    for (unsigned a = lattice->n_attributes; a-- > 0;) {
        if (levels[a] < kan_lattice_high(lattice, a)) {
            levels[a]++;
            return;
        }
        levels[a] = lattice->low[a];
    }
}

/* The vector before; before the first the last. */
static void step_back(const kan_lattice *lattice, unsigned *levels) {
    for (unsigned a = lattice->n_attributes; a-- > 0;) {
        if (levels[a] > lattice->low[a]) {
            levels[a]--;
            return;
        }
        levels[a] = kan_lattice_high(lattice, a);
    }
}

/* Whether a node one level below (above), in any attribute, is among those reached. */
static bool has_reached_below(const kan_lattice *lattice, const uint64_t *reached, uint64_t node,
                              const unsigned *levels) {
    for (unsigned a = 0; a < lattice->n_attributes; a++)
        if (levels[a] > lattice->low[a] && kan_bit(reached, node - lattice->strides[a]))
            return true;
    return false;
}

static bool has_reached_above(const kan_lattice *lattice, const uint64_t *reached, uint64_t node,
                              const unsigned *levels) {
    for (unsigned a = 0; a < lattice->n_attributes; a++)
        if (levels[a] < kan_lattice_high(lattice, a) &&
            kan_bit(reached, node + lattice->strides[a]))
            return true;
    return false;
}

/* The nodes for which `satisfies` is `wanted` and that no such node lies beyond: below when upward,
 * above otherwise. Walks the lattice in that direction, so `reached` is known when it is asked. */
static kan_status find_extremes(kan_run *run, const kan_lattice *lattice, const uint64_t *satisfies,
                                bool wanted, bool is_upward, size_t *n_found, uint8_t **found) {
    kan_status status = KAN_OK;
    const unsigned width = lattice->n_attributes ? lattice->n_attributes : 1;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    uint64_t *reached; /* wanted, or beyond a node that is */
    uint8_t *vectors = NULL;
    size_t n = 0, room = 0;
    KAN_ASSERT(lattice->is_countable);
    KAN_TRY(kan_alloc_zero(run, lattice->n_nodes / 64 + 1, sizeof *reached, &reached));
    kan_lattice_levels(lattice, is_upward ? 0 : lattice->n_nodes - 1, levels);
    for (uint64_t i = 0; i < lattice->n_nodes; i++) {
        uint64_t node = is_upward ? i : lattice->n_nodes - 1 - i;
        bool is_beyond = is_upward ? has_reached_below(lattice, reached, node, levels)
                                   : has_reached_above(lattice, reached, node, levels);
        bool is_wanted = kan_bit(satisfies, node) == wanted;
        if (is_beyond || is_wanted)
            kan_bit_set(reached, node);
        if (is_wanted && !is_beyond) {
            KAN_TRY_DONE(kan_reserve(run, (n + 1) * width, 1, &room, &vectors));
            for (unsigned a = 0; a < lattice->n_attributes; a++)
                vectors[n * width + a] = (uint8_t)levels[a];
            n++;
        }
        if (is_upward)
            kan_lattice_next(lattice, levels);
        else
            step_back(lattice, levels);
    }
    *n_found = n;
    *found = vectors;
    vectors = NULL;
done:
    kan_free(run, vectors);
    kan_free(run, reached);
    return status;
}

kan_status kan_lattice_minimal(kan_run *run, const kan_lattice *lattice, const uint64_t *satisfies,
                               size_t *n_minimal, uint8_t **minimal) {
    return find_extremes(run, lattice, satisfies, true, true, n_minimal, minimal);
}

/* Found from the top down, so in the reverse of the order that is promised. */
kan_status kan_lattice_failing(kan_run *run, const kan_lattice *lattice, const uint64_t *satisfies,
                               size_t *n_failing, uint8_t **failing) {
    KAN_TRY(find_extremes(run, lattice, satisfies, false, false, n_failing, failing));
    const size_t width = lattice->n_attributes, n = *n_failing;
    for (size_t i = 0; i < n / 2; i++)
        for (size_t a = 0; a < width; a++) {
            uint8_t *first = *failing + i * width + a, *last = *failing + (n - 1 - i) * width + a;
            uint8_t level = *first;
            *first = *last;
            *last = level;
        }
    return KAN_OK;
}

/* Whether a neighbour on the way to the border is of the same kind. */
static bool has_neighbour(const kan_lattice *lattice, const uint64_t *satisfies, bool wanted,
                          uint64_t node, const unsigned *levels) {
    for (unsigned a = lattice->n_attributes; a-- > 0;) {
        const bool is_there =
            wanted ? levels[a] > lattice->low[a] : levels[a] < kan_lattice_high(lattice, a);
        const uint64_t step = lattice->strides[a];
        if (is_there && kan_bit(satisfies, wanted ? node - step : node + step) == wanted)
            return true;
    }
    return false;
}

kan_status kan_lattice_border(kan_run *run, const kan_lattice *lattice, const uint64_t *satisfies,
                              bool wanted, size_t *n_found, uint8_t **found) {
    kan_status status = KAN_OK;
    const unsigned width = lattice->n_attributes ? lattice->n_attributes : 1;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    uint8_t *vectors = NULL;
    size_t n = 0, room = 0;
    for (uint64_t first = 0; first < lattice->n_nodes; first += 64) {
        uint64_t bits = wanted ? satisfies[first >> 6] : ~satisfies[first >> 6];
        if (lattice->n_nodes - first < 64)
            bits &= (UINT64_C(1) << (lattice->n_nodes - first)) - 1;
        for (; bits; bits &= bits - 1) {
            const uint64_t node = first + (uint64_t)__builtin_ctzll(bits);
            kan_lattice_levels(lattice, node, levels);
            if (has_neighbour(lattice, satisfies, wanted, node, levels))
                continue;
            KAN_TRY_DONE(kan_reserve(run, (n + 1) * width, 1, &room, &vectors));
            for (unsigned a = 0; a < lattice->n_attributes; a++)
                vectors[n * width + a] = (uint8_t)levels[a];
            n++;
        }
    }
    *n_found = n;
    *found = vectors;
    vectors = NULL;
done:
    kan_free(run, vectors);
    return status;
}
