/* Incognito and its variants with failing allocations: each failure is a clean error, nothing leaks
 * (the suite runs under the address sanitizer too), and the account is even afterwards. */
#include "fault/search_faults.h"
#include "support/question.h"
#include "support/random_problem.h"

static int reset(void **state) {
    (void)state;
    fault_reset();
    return 0;
}

/* A table on which nodes fail, so that sets are kept. */
static void make_problem(kan_run *run, test_problem *out) {
    static const random_spec spec = {.least_attributes = 4,
                                     .most_attributes = 4,
                                     .least_rows = 60,
                                     .most_rows = 60,
                                     .most_leaves = 6,
                                     .most_height = 2};
    uint64_t random = 7;
    plain_table plain;
    random_plain(&spec, &random, &plain);
    test_problem_make(run, &plain, out);
    plain_destroy(&plain);
}

static void expect_clean(const kan_search_kind *search, const char *materialize, uint64_t k,
                         unsigned n_threads) {
    kan_run *run = kan_run_create();
    test_problem made;
    test_asked asked;
    kan_run_set_threads(run, n_threads);
    make_problem(run, &made);
    test_ask(&made, &(test_question){.cost = &kan_cost_height, .k = k}, &asked);
    if (materialize)
        EXPECT_OK(run, kan_options_add(&asked.options, "materialize", materialize));
    expect_every_failure_is_clean(run, search, &asked.question);
    test_asked_destroy(&asked);
    test_problem_destroy(&made);
    kan_run_destroy(run);
}

static void every_failing_allocation_is_a_clean_error(void **state) {
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 2; n_threads++) {
        expect_clean(&kan_search_incognito, NULL, 3, n_threads);
        expect_clean(&kan_search_incognito_superroots, NULL, 3, n_threads);
        expect_clean(&kan_search_incognito_cube, NULL, 3, n_threads);
        expect_clean(&kan_search_incognito_cube, "4K", 3, n_threads);
    }
}

/* Rows are fewer than two groups need: nothing but the top is left. */
static void so_it_is_where_only_the_top_is_left(void **state) {
    (void)state;
    expect_clean(&kan_search_incognito, NULL, 60, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_failing_allocation_is_a_clean_error, reset),
        cmocka_unit_test_teardown(so_it_is_where_only_the_top_is_left, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
