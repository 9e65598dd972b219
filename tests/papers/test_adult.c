/* The Adult table with the hierarchies of Incognito's Figure 9: node counts, anonymous nodes, and
 * the node that shows that with suppression the best node need not be minimal.
 * Without the data the tests are skipped (support/dataset.h). */
#include "support/adult.h"
#include "support/question.h"

#ifndef KANON_TESTS_DIR
#define KANON_TESTS_DIR "tests"
#endif

static void node_counts_and_anonymous_nodes_are_those_of_the_data(void **state) {
    (void)state;
    static const uint64_t nodes[] = {20, 60, 240, 720, 2160, 6480, 12960};
    static const uint64_t anonymous[] = {10, 22, 53, 64, 112, 156, 234};
    adult data;
    adult_read(KANON_TESTS_DIR, &data);
    kan_run *run = kan_run_create();
    kan_run_set_threads(run, 2);
    for (unsigned n = 3; n <= ADULT_COLUMNS; n++) {
        test_problem made;
        test_asked asked;
        kan_answer answer;
        adult_problem(run, &data, n, &made);
        test_ask(&made, &(test_question){.cost = &kan_cost_height, .k = 2}, &asked);
        EXPECT_OK(run, kan_search_exhaustive.search(run, &asked.question, &answer));
        assert_int_equal(answer.n_nodes, nodes[n - 3]);
        assert_int_equal(answer.n_anonymous, anonymous[n - 3]);
        kan_answer_destroy(run, &answer);
        test_asked_destroy(&asked);
        test_problem_destroy(&made);
    }
    kan_run_destroy(run);
    adult_destroy(&data);
}

static void with_suppression_the_best_node_is_not_the_minimal_one(void **state) {
    (void)state;
    adult data;
    adult_read(KANON_TESTS_DIR, &data);
    kan_run *run = kan_run_create();
    test_problem made;
    test_asked asked;
    kan_answer answer;
    adult_problem(run, &data, 3, &made);
    test_question question = {.cost = &kan_cost_discernibility, .k = 5, .limit = ADULT_ROWS / 100};
    test_ask(&made, &question, &asked);
    EXPECT_OK(run, kan_search_exhaustive.search(run, &asked.question, &answer));
    assert_int_equal(answer.n_minimal, 1);
    assert_memory_equal(answer.minimal, ((uint8_t[]){0, 0, 0}), 3);
    assert_memory_equal(answer.recoding.levels, ((unsigned[]){0, 0, 1}), 3 * sizeof(unsigned));
    kan_answer_destroy(run, &answer);
    test_asked_destroy(&asked);
    test_problem_destroy(&made);
    kan_run_destroy(run);
    adult_destroy(&data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(node_counts_and_anonymous_nodes_are_those_of_the_data),
        cmocka_unit_test(with_suppression_the_best_node_is_not_the_minimal_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
