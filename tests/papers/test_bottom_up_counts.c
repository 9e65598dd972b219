/* Incognito 4.2.1 on the Adult table, k = 2, nothing suppressed: how many nodes the bottom-up
 * searches check for the first 3 to 9 columns, by each rule of marking.
 * Without the data the tests are skipped (support/dataset.h). */
#include "support/adult.h"
#include "support/question.h"

#ifndef KANON_TESTS_DIR
#define KANON_TESTS_DIR "tests"
#endif

/* Sanitizers make the two largest lattices take half a minute, and would see nothing new there. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SLOW 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SLOW 1
#endif
#ifdef IS_SLOW
#define MOST_COLUMNS 7
#else
#define MOST_COLUMNS 9
#endif

enum { LEAST_COLUMNS = 3, N_SIZES = ADULT_COLUMNS - LEAST_COLUMNS + 1 };

static void expect_count(const kan_search_kind *search, const test_problem *made,
                         const char *marking, uint64_t n_checked, uint64_t n_anonymous) {
    test_asked asked;
    kan_answer answer;
    test_ask(made, &(test_question){.cost = &kan_cost_height, .k = 2}, &asked);
    EXPECT_OK(made->run, kan_options_add(&asked.options, "marking", marking));
    EXPECT_OK(made->run, search->search(made->run, &asked.question, &answer));
    assert_int_equal(answer.n_checked, n_checked);
    assert_int_equal(answer.n_anonymous, n_anonymous);
    kan_answer_destroy(made->run, &answer);
    test_asked_destroy(&asked);
}

/* With `most` columns at most. */
static void expect_counts(const kan_search_kind *search, unsigned most) {
    static const uint64_t literal[N_SIZES] = {14, 47, 206, 680, 2090, 6380, 12807};
    static const uint64_t transitive[N_SIZES] = {12, 41, 195, 667, 2068, 6355, 12781};
    static const uint64_t anonymous[N_SIZES] = {10, 22, 53, 64, 112, 156, 234};
    adult data;
    adult_read(KANON_TESTS_DIR, &data);
    kan_run *run = kan_run_create();
    kan_run_set_threads(run, 2);
    for (unsigned n = LEAST_COLUMNS; n <= most; n++) {
        const unsigned size = n - LEAST_COLUMNS;
        test_problem made;
        adult_problem(run, &data, n, &made);
        expect_count(search, &made, "literal", literal[size], anonymous[size]);
        expect_count(search, &made, "transitive", transitive[size], anonymous[size]);
        test_problem_destroy(&made);
    }
    kan_run_destroy(run);
    adult_destroy(&data);
}

static void bottom_up_checks_as_many_nodes_as_the_data_demands(void **state) {
    (void)state;
    /* The searches share their loop; counting more columns from the base takes seconds. */
    expect_counts(&kan_search_bottom_up, 6);
}

static void bottom_up_rollup_checks_the_same_nodes(void **state) {
    (void)state;
    expect_counts(&kan_search_bottom_up_rollup, MOST_COLUMNS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bottom_up_checks_as_many_nodes_as_the_data_demands),
        cmocka_unit_test(bottom_up_rollup_checks_the_same_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
