/* group/margins.h: each margin against the projection of the base to its attribute and the tail. */
#include <stdlib.h>

#include "support/random_problem.h"
#include "support/sets.h"

#include "group/margins.h"

static const random_spec with_tails = {.least_attributes = 1,
                                       .most_attributes = 6,
                                       .least_rows = 1,
                                       .most_rows = 1500,
                                       .most_leaves = 20,
                                       .most_height = 4,
                                       .most_tails = 2};
/* Keys of several words. */
static const random_spec wide_keys = {.least_attributes = 20,
                                      .most_attributes = 40,
                                      .least_rows = 20,
                                      .most_rows = 200,
                                      .most_leaves = 30,
                                      .most_height = 3,
                                      .most_tails = 1};

static size_t n_made, n_refused;

static void expect_margin(const kan_problem *problem, const kan_margins *margins, unsigned a,
                          kan_workspace *workspace, kan_freqset *expected) {
    const unsigned order[] = {a, problem->space.n_attributes};
    EXPECT_OK(problem->run,
              kan_freqset_project(&problem->space, &problem->base, order, 2, workspace, expected));
    expect_same_set(&margins->sets[a], expected);
}

static void margins_of_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    plain_table plain;
    test_problem made;
    kan_margins margins;
    kan_workspace *workspace;
    kan_freqset expected;
    bool fits;
    random_plain(seed % 5 ? &with_tails : &wide_keys, &random, &plain);
    test_problem_make(run, &plain, &made);
    EXPECT_OK(run, kan_workspace_create(run, &workspace));
    kan_freqset_init(&expected);
    EXPECT_OK(run, kan_margins_make(&margins, &made.problem, &fits));
    assert_true(!fits || made.problem.space.n_tails == 1);
    n_made += fits;
    n_refused += !fits;
    for (unsigned a = 0; fits && a < made.problem.space.n_attributes; a++)
        expect_margin(&made.problem, &margins, a, workspace, &expected);
    kan_margins_destroy(&margins);
    kan_freqset_destroy(run, &expected);
    kan_workspace_destroy(workspace);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void margins_are_projections_of_the_base(void **state) {
    (void)state;
    random_rounds(300, margins_of_one_table);
    if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
        assert_true(n_made > 50 && n_refused > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(margins_are_projections_of_the_base, random_tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
