/* search/judge/lattice.h: the numbering of nodes, and minimal ones. */
#include "support/plain.h"

#include <string.h>

#include "search/judge/lattice.h"

/* A space of heights alone: nothing more is asked of it here. */
static void lattice_of(const unsigned *heights, unsigned n, kan_lattice *out) {
    static kan_space space;
    space.n_attributes = n;
    for (unsigned a = 0; a < n; a++)
        space.dimensions[a].height = space.dimensions[a].highest = heights[a];
    kan_lattice_make(&space, out);
}

static void random_heights(uint64_t *random, unsigned *heights, unsigned *n) {
    *n = 1 + (unsigned)kan_random_below(random, 5);
    for (unsigned a = 0; a < *n; a++)
        heights[a] = (unsigned)kan_random_below(random, 5);
}

static void numbers_are_in_the_order_of_vectors(void **state) {
    (void)state;
    uint64_t random = 1;
    for (unsigned round = 0; round < 200; round++) {
        unsigned heights[8], n, before[KAN_MAX_ATTRIBUTES], levels[KAN_MAX_ATTRIBUTES];
        kan_lattice lattice;
        uint64_t n_nodes = 1;
        unsigned height = 0;
        random_heights(&random, heights, &n);
        lattice_of(heights, n, &lattice);
        for (unsigned a = 0; a < n; a++) {
            n_nodes *= heights[a] + 1;
            height += heights[a];
        }
        assert_true(lattice.is_countable);
        assert_int_equal(lattice.n_nodes, n_nodes);
        assert_int_equal(lattice.height, height);
        for (uint64_t node = 0; node < n_nodes; node++) {
            kan_lattice_levels(&lattice, node, levels);
            assert_int_equal(kan_lattice_node(&lattice, levels), node);
            unsigned a = 0;
            for (unsigned i = 0; i < n; i++)
                assert_true(levels[i] <= heights[i]);
            while (node > 0 && levels[a] == before[a])
                assert_true(++a < n);
            assert_true(node == 0 || before[a] < levels[a]);
            for (unsigned i = 0; i < n; i++)
                if (levels[i] < heights[i]) /* a generalization has a higher number */
                    assert_true(node + lattice.strides[i] > node &&
                                node + lattice.strides[i] < n_nodes);
            memcpy(before, levels, sizeof before);
        }
    }
}

static bool is_below(const kan_lattice *lattice, uint64_t a, uint64_t b) {
    unsigned x[KAN_MAX_ATTRIBUTES], y[KAN_MAX_ATTRIBUTES];
    kan_lattice_levels(lattice, a, x);
    kan_lattice_levels(lattice, b, y);
    for (unsigned i = 0; i < lattice->n_attributes; i++)
        if (x[i] > y[i])
            return false;
    return a != b;
}

static bool has_bit(const uint64_t *bits, uint64_t at) {
    return bits[at / 64] >> at % 64 & 1;
}

static void minimal_nodes_have_no_satisfying_node_below_whatever_the_set(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    uint64_t random = 2;
    for (unsigned round = 0; round < 300; round++) {
        unsigned heights[8], n, levels[KAN_MAX_ATTRIBUTES];
        kan_lattice lattice;
        uint64_t satisfies[3125 / 64 + 1] = {0}, density = 1 + kan_random_below(&random, 60);
        random_heights(&random, heights, &n);
        lattice_of(heights, n, &lattice);
        for (uint64_t node = 0; node < lattice.n_nodes; node++)
            if (kan_random_below(&random, density) == 0)
                satisfies[node / 64] |= UINT64_C(1) << node % 64;
        size_t n_minimal, at = 0;
        uint8_t *minimal;
        EXPECT_OK(run, kan_lattice_minimal(run, &lattice, satisfies, &n_minimal, &minimal));
        for (uint64_t node = 0; node < lattice.n_nodes; node++) {
            bool is_minimal = has_bit(satisfies, node);
            for (uint64_t other = 0; other < node && is_minimal; other++)
                is_minimal = !has_bit(satisfies, other) || !is_below(&lattice, other, node);
            if (!is_minimal)
                continue;
            assert_true(at < n_minimal);
            kan_lattice_levels(&lattice, node, levels);
            for (unsigned a = 0; a < n; a++)
                assert_int_equal(minimal[at * n + a], levels[a]);
            at++;
        }
        assert_int_equal(at, n_minimal);
        kan_free(run, minimal);
    }
    kan_run_destroy(run);
}

static void a_lattice_that_no_number_can_count_says_so(void **state) {
    (void)state;
    unsigned heights[KAN_MAX_ATTRIBUTES];
    kan_lattice lattice;
    for (unsigned a = 0; a < KAN_MAX_ATTRIBUTES; a++)
        heights[a] = 1;
    lattice_of(heights, 63, &lattice);
    assert_true(lattice.is_countable);
    assert_true(lattice.n_nodes == UINT64_C(1) << 63);
    lattice_of(heights, 64, &lattice);
    assert_false(lattice.is_countable);
    assert_true(lattice.n_nodes == UINT64_MAX);
    assert_int_equal(lattice.height, 64);
    heights[0] = 0; /* one level more or less before the overflow */
    lattice_of(heights, 64, &lattice);
    assert_true(lattice.is_countable);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_in_the_order_of_vectors),
        cmocka_unit_test(minimal_nodes_have_no_satisfying_node_below_whatever_the_set),
        cmocka_unit_test(a_lattice_that_no_number_can_count_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
