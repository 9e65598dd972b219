/* Claims about small tables: see example.h. */
#include "support/example.h"

#include <string.h>

#include "search/judge/lattice.h"

static void make_example(kan_run *run, const char *rows, const char *const *hierarchies,
                         unsigned n_attributes, const unsigned *columns, test_problem *out) {
    const char *chosen[EXAMPLE_ATTRIBUTES];
    plain_table plain;
    for (unsigned a = 0; a < n_attributes; a++)
        chosen[a] = hierarchies[columns[a]];
    plain_parse(rows, n_attributes, columns, chosen, &plain);
    test_problem_make(run, &plain, out);
    plain_destroy(&plain);
}

static bool is_listed(const unsigned list[][EXAMPLE_ATTRIBUTES], const unsigned *levels,
                      unsigned n) {
    for (unsigned i = 0; list[i][0] != EXAMPLE_END; i++)
        if (memcmp(list[i], levels, n * sizeof *levels) == 0)
            return true;
    return false;
}

static bool is_above_listed(const unsigned list[][EXAMPLE_ATTRIBUTES], const unsigned *levels,
                            unsigned n) {
    for (unsigned i = 0; list[i][0] != EXAMPLE_END; i++) {
        bool is_above = true;
        for (unsigned a = 0; a < n; a++)
            is_above &= levels[a] >= list[i][a];
        if (is_above)
            return true;
    }
    return false;
}

static void expect_answer(const kan_answer *answer, const example_claim *claim) {
    unsigned n_minimal = 0, n_anonymous = 0;
    while (claim->minimal[n_minimal][0] != EXAMPLE_END)
        n_minimal++;
    while (claim->anonymous[n_anonymous][0] != EXAMPLE_END)
        n_anonymous++;
    assert_int_equal(answer->n_nodes, claim->n_nodes);
    assert_int_equal(answer->n_minimal, n_minimal);
    for (unsigned i = 0; i < n_minimal; i++) {
        unsigned levels[EXAMPLE_ATTRIBUTES];
        for (unsigned a = 0; a < claim->n_attributes; a++)
            levels[a] = answer->minimal[i * claim->n_attributes + a];
        assert_true(is_listed(claim->minimal, levels, claim->n_attributes));
    }
    if (n_anonymous > 0)
        assert_int_equal(answer->n_anonymous, n_anonymous);
}

void expect_example(const char *rows, const char *const *hierarchies, const example_claim *claim) {
    kan_run *run = kan_run_create();
    test_problem made;
    test_asked asked;
    kan_answer answer;
    make_example(run, rows, hierarchies, claim->n_attributes, claim->columns, &made);
    test_ask(&made, &(test_question){.cost = &kan_cost_height, .k = claim->k}, &asked);
    EXPECT_OK(run, kan_search_exhaustive.search(run, &asked.question, &answer));
    expect_answer(&answer, claim);
    kan_lattice lattice;
    kan_lattice_make(&made.problem.space, &lattice);
    for (uint64_t node = 0; node < lattice.n_nodes; node++) {
        unsigned levels[KAN_MAX_ATTRIBUTES];
        kan_lattice_levels(&lattice, node, levels);
        bool satisfies = test_node_satisfies(&made, &asked, levels);
        assert_int_equal(satisfies, is_above_listed(claim->minimal, levels, claim->n_attributes));
        if (claim->anonymous[0][0] != EXAMPLE_END)
            assert_int_equal(satisfies, is_listed(claim->anonymous, levels, claim->n_attributes));
    }
    kan_answer_destroy(run, &answer);
    test_asked_destroy(&asked);
    test_problem_destroy(&made);
    kan_run_destroy(run);
}

uint64_t example_largest_k(const char *rows, const char *const *hierarchies, unsigned n_attributes,
                           const unsigned *columns, const unsigned *levels) {
    kan_run *run = kan_run_create();
    test_problem made;
    make_example(run, rows, hierarchies, n_attributes, columns, &made);
    uint64_t largest = 0;
    for (uint64_t k = 1; k <= made.problem.n_rows; k++) {
        test_asked asked;
        test_ask(&made, &(test_question){.cost = &kan_cost_height, .k = k}, &asked);
        if (test_node_satisfies(&made, &asked, levels)) {
            assert_int_equal(largest, k - 1); /* anonymous for k: anonymous for all below */
            largest = k;
        }
        test_asked_destroy(&asked);
    }
    test_problem_destroy(&made);
    kan_run_destroy(run);
    return largest;
}
