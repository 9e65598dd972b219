/* Incognito 4.2.1 on the Adult table, k = 2, nothing suppressed: how many nodes of all subsets are
 * checked for the first 3 to 9 columns, by each rule of marking, and how many nodes are anonymous.
 * The counts are those of our hierarchies, enumerated by a program of its own; for the first four
 * sizes they are also those that the paper prints. */
#include "support/adult.h"
#include "support/question.h"

#ifndef KANON_TESTS_DIR
#define KANON_TESTS_DIR "tests"
#endif

/* Sanitizers would see nothing new in the largest lattices. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MOST_COLUMNS 6
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MOST_COLUMNS 6
#endif
#ifndef MOST_COLUMNS
#define MOST_COLUMNS 9
#endif

static void expect_count(const kan_search_kind *search, const test_problem *made,
                         const char *marking, const char *materialize, unsigned n) {
    static const uint64_t anonymous[] = {10, 22, 53, 64, 112, 156, 234};
    static const uint64_t literal[] = {14, 35, 103, 246, 669, 1779, 4652};
    static const uint64_t transitive[] = {13, 33, 97, 237, 654, 1763, 4631};
    test_asked asked;
    kan_answer answer;
    test_ask(made, &(test_question){.cost = &kan_cost_height, .k = 2}, &asked);
    EXPECT_OK(made->run, kan_options_add(&asked.options, "marking", marking));
    if (materialize)
        EXPECT_OK(made->run, kan_options_add(&asked.options, "materialize", materialize));
    EXPECT_OK(made->run, search->search(made->run, &asked.question, &answer));
    assert_int_equal(answer.n_checked, (marking[0] == 'l' ? literal : transitive)[n - 3]);
    assert_int_equal(answer.n_anonymous, anonymous[n - 3]);
    kan_answer_destroy(made->run, &answer);
    test_asked_destroy(&asked);
}

static void expect_counts(const kan_search_kind *search, const char *materialize, unsigned most) {
    adult data;
    adult_read(KANON_TESTS_DIR, &data);
    kan_run *run = kan_run_create();
    kan_run_set_threads(run, 2);
    for (unsigned n = 3; n <= most && n <= MOST_COLUMNS; n++) {
        test_problem made;
        adult_problem(run, &data, n, &made);
        expect_count(search, &made, "literal", materialize, n);
        expect_count(search, &made, "transitive", materialize, n);
        test_problem_destroy(&made);
    }
    kan_run_destroy(run);
    adult_destroy(&data);
}

static void incognito_checks_as_many_nodes_as_the_data_demands(void **state) {
    (void)state;
    expect_counts(&kan_search_incognito, NULL, 9);
}

static void super_roots_check_the_same_nodes(void **state) {
    (void)state;
    expect_counts(&kan_search_incognito_superroots, NULL, 8);
}

static void the_cube_checks_the_same_nodes(void **state) {
    (void)state;
    expect_counts(&kan_search_incognito_cube, NULL, 7);
}

static void materialized_sets_check_the_same_nodes(void **state) {
    (void)state;
    expect_counts(&kan_search_incognito_cube, "1M", 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(incognito_checks_as_many_nodes_as_the_data_demands),
        cmocka_unit_test(super_roots_check_the_same_nodes),
        cmocka_unit_test(the_cube_checks_the_same_nodes),
        cmocka_unit_test(materialized_sets_check_the_same_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
