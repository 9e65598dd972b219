/* The candidate graph: join, prune and edges, on the paper's example and against naive
 * constructions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "search/incognito/candidates.h"
#include "support/random_problem.h"

static kan_lattice lattice_of(unsigned n, const unsigned *heights) {
    kan_lattice whole = {.n_attributes = n, .n_nodes = UINT64_MAX, .is_countable = true}, made;
    unsigned places[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < n; a++) {
        places[a] = a;
        whole.heights[a] = heights[a];
    }
    kan_lattice_part(&whole, places, n, &made);
    return made;
}

static void give(kan_run *run, const kan_survivors *survivors, uint64_t mask, size_t n,
                 const uint64_t *nodes) {
    kan_subset_nodes *subset = kan_survivors_find(survivors, mask);
    EXPECT_OK(run, kan_alloc(run, n, sizeof *nodes, &subset->nodes));
    if (n > 0)
        memcpy(subset->nodes, nodes, n * sizeof *nodes);
    subset->n = n;
}

static bool has_edge(const kan_candidates *graph, size_t from, size_t to) {
    for (size_t e = graph->first_end[from]; e < graph->first_end[from + 1]; e++)
        if (graph->ends[e] == to)
            return true;
    return false;
}

static void expect_edges(const kan_candidates *graph, size_t n, const unsigned (*edges)[2]) {
    assert_int_equal(graph->first_end[graph->n], n);
    for (size_t i = 0; i < n; i++)
        assert_true(has_edge(graph, edges[i][0], edges[i][1]));
}

static void expect_nodes(const kan_candidates *graph, size_t n, const uint64_t *nodes) {
    assert_int_equal(graph->n, n);
    assert_memory_equal(graph->nodes, nodes, n * sizeof *nodes);
}

/* ---- small examples ------------------------------------------------------------------------- */

static void a_single_attribute_has_all_its_levels_in_a_chain(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    const kan_lattice lattice = lattice_of(2, (const unsigned[]){1, 3});
    kan_candidates graph;
    kan_candidates_init(&graph);
    EXPECT_OK(run, kan_candidates_make(run, &lattice, NULL, 2, &graph));
    expect_nodes(&graph, 4, (const uint64_t[]){0, 1, 2, 3});
    expect_edges(&graph, 3, (const unsigned[][2]){{0, 1}, {1, 2}, {2, 3}});
    assert_memory_equal(graph.is_root, ((const uint8_t[]){1, 0, 0, 0}), 4);
    kan_candidates_destroy(run, &graph);
    kan_run_destroy(run);
}

/* Birthdate, sex and zipcode have heights 1, 1 and 2; Figure 5 ends with these pairs. */
static void figure_7a_has_five_candidates_three_roots_and_four_edges(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    const kan_lattice lattice = lattice_of(3, (const unsigned[]){1, 1, 2});
    kan_survivors pairs;
    kan_candidates graph;
    kan_candidates_init(&graph);
    EXPECT_OK(run, kan_survivors_create(run, 3, 2, &pairs));
    assert_int_equal(pairs.n_subsets, 3);
    give(run, &pairs, 3, 3, (const uint64_t[]){1, 2, 3});    /* <B0,S1> <B1,S0> <B1,S1> */
    give(run, &pairs, 5, 4, (const uint64_t[]){2, 3, 4, 5}); /* <B0,Z2> <B1,Z0> <B1,Z1> <B1,Z2> */
    give(run, &pairs, 6, 4, (const uint64_t[]){2, 3, 4, 5}); /* <S0,Z2> <S1,Z0> <S1,Z1> <S1,Z2> */
    EXPECT_OK(run, kan_candidates_make(run, &lattice, &pairs, 7, &graph));
    /* <B0,S1,Z2> <B1,S0,Z2> <B1,S1,Z0> <B1,S1,Z1> <B1,S1,Z2> */
    expect_nodes(&graph, 5, (const uint64_t[]){5, 8, 9, 10, 11});
    assert_memory_equal(graph.is_root, ((const uint8_t[]){1, 1, 1, 0, 0}), 5);
    expect_edges(&graph, 4, (const unsigned[][2]){{0, 4}, {1, 4}, {2, 3}, {3, 4}});
    kan_candidates_destroy(run, &graph);
    kan_survivors_destroy(run, &pairs);
    kan_run_destroy(run);
}

static void a_candidate_without_one_of_its_parts_is_pruned(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    const kan_lattice lattice = lattice_of(3, (const unsigned[]){1, 1, 1});
    kan_survivors pairs;
    kan_candidates graph;
    kan_candidates_init(&graph);
    EXPECT_OK(run, kan_survivors_create(run, 3, 2, &pairs));
    give(run, &pairs, 3, 4, (const uint64_t[]){0, 1, 2, 3});
    give(run, &pairs, 5, 4, (const uint64_t[]){0, 1, 2, 3});
    give(run, &pairs, 6, 1, (const uint64_t[]){3}); /* the join does not look at it */
    EXPECT_OK(run, kan_candidates_make(run, &lattice, &pairs, 7, &graph));
    expect_nodes(&graph, 2, (const uint64_t[]){3, 7});
    kan_candidates_destroy(run, &graph);
    kan_survivors_destroy(run, &pairs);
    kan_run_destroy(run);
}

static void an_edge_skips_a_node_that_was_pruned_but_no_candidate(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    const kan_lattice lattice = lattice_of(2, (const unsigned[]){1, 2});
    kan_survivors single;
    kan_candidates graph;
    kan_candidates_init(&graph);
    EXPECT_OK(run, kan_survivors_create(run, 2, 1, &single));
    give(run, &single, 1, 2, (const uint64_t[]){0, 1});
    give(run, &single, 2, 2, (const uint64_t[]){0, 2}); /* its middle level is missing */
    EXPECT_OK(run, kan_candidates_make(run, &lattice, &single, 3, &graph));
    expect_nodes(&graph, 4, (const uint64_t[]){0, 2, 3, 5});
    expect_edges(&graph, 4, (const unsigned[][2]){{0, 1}, {0, 2}, {1, 3}, {2, 3}});
    kan_candidates_destroy(run, &graph);
    kan_survivors_destroy(run, &single);
    kan_run_destroy(run);
}

static void every_subset_is_found_by_its_mask(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    for (unsigned n = 1; n <= 9; n++)
        for (unsigned size = 1; size <= n; size++) {
            kan_survivors survivors;
            size_t n_found = 0;
            EXPECT_OK(run, kan_survivors_create(run, n, size, &survivors));
            for (uint64_t mask = 1; mask < UINT64_C(1) << n; mask++)
                if ((unsigned)__builtin_popcountll(mask) == size) {
                    assert_true(n_found < survivors.n_subsets);
                    assert_ptr_equal(kan_survivors_find(&survivors, mask),
                                     &survivors.subsets[n_found++]);
                }
            assert_int_equal(n_found, survivors.n_subsets);
            kan_survivors_destroy(run, &survivors);
        }
    kan_run_destroy(run);
}

/* ---- any survivors -------------------------------------------------------------------------- */

enum { MOST = 256 };

static uint64_t part_of(const kan_candidates *graph, uint64_t node, unsigned left_out) {
    unsigned levels[KAN_MAX_ATTRIBUTES];
    uint64_t part = 0;
    kan_lattice_levels(&graph->lattice, node, levels);
    for (unsigned a = 0; a < graph->lattice.n_attributes; a++)
        if (a != left_out)
            part = part * (graph->lattice.heights[a] + 1) + levels[a];
    return part;
}

static bool is_member(const kan_subset_nodes *subset, uint64_t node) {
    for (size_t i = 0; i < subset->n; i++)
        if (subset->nodes[i] == node)
            return true;
    return false;
}

static bool is_candidate(const kan_candidates *graph, const kan_survivors *fewer, uint64_t node) {
    for (unsigned a = 0; a < graph->lattice.n_attributes; a++) {
        uint64_t mask = graph->mask & ~(UINT64_C(1) << graph->attributes[a]);
        if (!is_member(kan_survivors_find(fewer, mask), part_of(graph, node, a)))
            return false;
    }
    return true;
}

static bool is_below(const kan_lattice *lattice, uint64_t low, uint64_t high) {
    unsigned a[KAN_MAX_ATTRIBUTES], b[KAN_MAX_ATTRIBUTES];
    kan_lattice_levels(lattice, low, a);
    kan_lattice_levels(lattice, high, b);
    for (unsigned i = 0; i < lattice->n_attributes; i++)
        if (a[i] > b[i])
            return false;
    return low != high;
}

/* Nodes by their definition; an edge where a candidate generalizes another with none between. */
static void expect_naive(const kan_candidates *graph, const kan_survivors *fewer) {
    size_t n = 0;
    for (uint64_t node = 0; node < graph->lattice.n_nodes; node++)
        if (is_candidate(graph, fewer, node)) {
            assert_true(n < graph->n);
            assert_int_equal(graph->nodes[n], node);
            n++;
        }
    assert_int_equal(n, graph->n);
    for (size_t i = 0; i < n; i++) {
        bool is_root = true;
        for (size_t j = 0; j < n; j++) {
            is_root &= !is_below(&graph->lattice, graph->nodes[j], graph->nodes[i]);
            bool is_edge = is_below(&graph->lattice, graph->nodes[i], graph->nodes[j]);
            for (size_t between = 0; is_edge && between < n; between++)
                is_edge = !(is_below(&graph->lattice, graph->nodes[i], graph->nodes[between]) &&
                            is_below(&graph->lattice, graph->nodes[between], graph->nodes[j]));
            assert_int_equal(has_edge(graph, i, j), is_edge);
        }
        assert_int_equal(graph->is_root[i], is_root);
    }
}

static kan_lattice random_lattice(uint64_t *random, unsigned *n) {
    unsigned heights[KAN_MAX_ATTRIBUTES];
    *n = 2 + (unsigned)kan_random_below(random, 3);
    for (unsigned a = 0; a < *n; a++)
        heights[a] = (unsigned)kan_random_below(random, 4);
    return lattice_of(*n, heights);
}

static void any_survivors(kan_run *run, uint64_t seed) {
    uint64_t random = seed, nodes[MOST];
    unsigned n;
    const kan_lattice lattice = random_lattice(&random, &n);
    const uint64_t share = 1 + kan_random_below(&random, 8);
    kan_survivors fewer;
    kan_candidates graph;
    kan_candidates_init(&graph);
    EXPECT_OK(run, kan_survivors_create(run, n, n - 1, &fewer));
    for (size_t i = 0; i < fewer.n_subsets; i++) {
        size_t n_nodes = 0;
        uint64_t size = 1;
        for (unsigned a = 0; a < n; a++)
            size *= fewer.subsets[i].mask >> a & 1 ? lattice.heights[a] + 1 : 1;
        for (uint64_t node = 0; node < size; node++)
            if (kan_random_below(&random, 9) <= share)
                nodes[n_nodes++] = node;
        give(run, &fewer, fewer.subsets[i].mask, n_nodes, nodes);
    }
    EXPECT_OK(run, kan_candidates_make(run, &lattice, &fewer, (UINT64_C(1) << n) - 1, &graph));
    expect_naive(&graph, &fewer);
    kan_candidates_destroy(run, &graph);
    kan_survivors_destroy(run, &fewer);
}

static void the_graph_is_that_of_the_definition_for_any_survivors(void **state) {
    (void)state;
    random_rounds(300, any_survivors);
}

/* ---- the queries of 3.1.2 ------------------------------------------------------------------- */

/* The paper's tables for one size: nodes with the places of their two parents, edges, survivors. */
typedef struct {
    size_t n;
    struct row {
        uint64_t mask, node;
        size_t parent1, parent2;
        bool survives;
    } rows[MOST * 4];
    bool edges[MOST * 4][MOST * 4];
} relation;

static size_t find_row(const relation *from, uint64_t mask, uint64_t node) {
    for (size_t i = 0; i < from->n; i++)
        if (from->rows[i].mask == mask && from->rows[i].node == node)
            return i;
    return SIZE_MAX;
}

/* Rows of a graph, with the parents that the join query would note. */
static void add_rows(const kan_candidates *graph, const relation *fewer, relation *out) {
    const unsigned n = graph->lattice.n_attributes;
    for (size_t i = 0; i < graph->n; i++) {
        assert_true(out->n < MOST * 4);
        struct row *row = &out->rows[out->n++];
        *row = (struct row){.mask = graph->mask, .node = graph->nodes[i]};
        if (n == 1)
            continue;
        row->parent1 = find_row(fewer, graph->mask & ~(UINT64_C(1) << graph->attributes[n - 1]),
                                part_of(graph, row->node, n - 1));
        row->parent2 = find_row(fewer, graph->mask & ~(UINT64_C(1) << graph->attributes[n - 2]),
                                part_of(graph, row->node, n - 2));
    }
}

static void edges_by_query(const relation *fewer, relation *now) {
    static bool candidate[MOST * 4][MOST * 4];
    for (size_t p = 0; p < now->n; p++)
        for (size_t q = 0; q < now->n; q++) {
            const struct row *a = &now->rows[p], *b = &now->rows[q];
            bool first = fewer->edges[a->parent1][b->parent1];
            bool second = fewer->edges[a->parent2][b->parent2];
            candidate[p][q] =
                a->mask == b->mask && ((first && second) || (first && a->parent2 == b->parent2) ||
                                       (second && a->parent1 == b->parent1));
        }
    for (size_t p = 0; p < now->n; p++)
        for (size_t q = 0; q < now->n; q++) {
            now->edges[p][q] = candidate[p][q];
            for (size_t between = 0; now->edges[p][q] && between < now->n; between++)
                now->edges[p][q] = !(candidate[p][between] && candidate[between][q]);
        }
}

/* Survivors of a graph as a monotone promise leaves them: all that lies above a few nodes. */
static void let_some_survive(kan_run *run, const kan_candidates *graph, uint64_t *random,
                             kan_survivors *now) {
    uint64_t nodes[MOST];
    size_t n = 0;
    bool is_up[MOST] = {false};
    for (size_t i = 0; i < graph->n; i++)
        is_up[i] = kan_random_below(random, 3) == 0 || i + 1 == graph->n;
    for (size_t i = 0; i < graph->n; i++) {
        for (size_t j = 0; j < i; j++)
            is_up[i] |= is_up[j] && is_below(&graph->lattice, graph->nodes[j], graph->nodes[i]);
        if (is_up[i])
            nodes[n++] = graph->nodes[i];
    }
    give(run, now, graph->mask, n, nodes);
}

static void monotone_survivors(kan_run *run, uint64_t seed) {
    static relation tables[2];
    uint64_t random = seed;
    unsigned n;
    const kan_lattice lattice = random_lattice(&random, &n);
    kan_survivors fewer = {.n_subsets = 0};
    kan_candidates graph;
    kan_candidates_init(&graph);
    for (unsigned size = 1; size <= n; size++) {
        relation *now = &tables[size % 2], *before = &tables[!(size % 2)];
        kan_survivors survivors;
        now->n = 0;
        memset(now->edges, 0, sizeof now->edges);
        EXPECT_OK(run, kan_survivors_create(run, n, size, &survivors));
        for (size_t i = 0; i < survivors.n_subsets; i++) {
            EXPECT_OK(
                run, kan_candidates_make(run, &lattice, &fewer, survivors.subsets[i].mask, &graph));
            add_rows(&graph, before, now);
            let_some_survive(run, &graph, &random, &survivors);
        }
        if (size > 1)
            edges_by_query(before, now);
        for (size_t i = 0; i < survivors.n_subsets; i++) {
            EXPECT_OK(
                run, kan_candidates_make(run, &lattice, &fewer, survivors.subsets[i].mask, &graph));
            for (size_t p = 0; p < graph.n; p++)
                for (size_t q = 0; q < graph.n; q++) {
                    size_t from = find_row(now, graph.mask, graph.nodes[p]);
                    size_t to = find_row(now, graph.mask, graph.nodes[q]);
                    if (size == 1)
                        now->edges[from][to] = has_edge(&graph, p, q);
                    else
                        assert_int_equal(has_edge(&graph, p, q), now->edges[from][to]);
                }
        }
        kan_survivors_destroy(run, &fewer);
        fewer = survivors;
    }
    kan_survivors_destroy(run, &fewer);
    kan_candidates_destroy(run, &graph);
}

static void the_edges_are_those_of_the_papers_query(void **state) {
    (void)state;
    random_rounds(40, monotone_survivors);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_single_attribute_has_all_its_levels_in_a_chain),
        cmocka_unit_test(figure_7a_has_five_candidates_three_roots_and_four_edges),
        cmocka_unit_test(a_candidate_without_one_of_its_parts_is_pruned),
        cmocka_unit_test(an_edge_skips_a_node_that_was_pruned_but_no_candidate),
        cmocka_unit_test(every_subset_is_found_by_its_mask),
        cmocka_unit_test_teardown(the_graph_is_that_of_the_definition_for_any_survivors,
                                  random_tear_down),
        cmocka_unit_test_teardown(the_edges_are_those_of_the_papers_query, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
