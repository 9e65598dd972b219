/* search/levels/exhaustive.c against the oracle: on random tables everything that it answers must
 * be what brute force on rows and texts finds. */
#include "support/models.h"
#include "support/question.h"
#include "support/random_problem.h"

#include <math.h>
#include <string.h>

static const kan_cost_kind *const costs[] = {&kan_cost_height,
                                             &kan_cost_discernibility,
                                             &kan_cost_average_class,
                                             &kan_cost_classification,
                                             &kan_cost_precision,
                                             &kan_cost_distortion,
                                             &kan_cost_ncp};
enum { N_COSTS = sizeof costs / sizeof *costs };

/* A random table with everything that is made from it. */
typedef struct {
    plain_table plain;
    test_problem made;
    oracle oracle;
    uint64_t random;
} scene;

static void scene_make(kan_run *run, uint64_t seed, scene *out) {
    out->random = seed;
    random_plain(&random_small, &out->random, &out->plain);
    test_problem_make(run, &out->plain, &out->made);
    oracle_open(&out->plain, &out->oracle);
}

static void scene_destroy(scene *here) {
    oracle_close(&here->oracle);
    test_problem_destroy(&here->made);
    plain_destroy(&here->plain);
}

static uint64_t random_k(scene *here) {
    uint64_t n_rows = here->plain.n_rows;
    uint64_t choices[] = {1, 2, 3, 5, 1 + n_rows / 2, n_rows};
    uint64_t k = choices[kan_random_below(&here->random, 6)];
    return k < n_rows ? k : n_rows;
}

static uint64_t random_limit(scene *here) {
    uint64_t n_rows = here->plain.n_rows;
    uint64_t choices[] = {
        0, 0, 1, n_rows / 20, kan_random_below(&here->random, n_rows + 1), n_rows, UINT64_MAX};
    return choices[kan_random_below(&here->random, 7)];
}

static void every_cost_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    scene_make(run, seed, &here);
    for (unsigned turn = 0; turn < 2; turn++) {
        test_question question = {.k = random_k(&here),
                                  .limit = random_limit(&here),
                                  .wants_release = kan_random_below(&here.random, 2)};
        oracle_judge(&here.oracle, oracle_has_k_rows, &question.k, question.limit);
        for (unsigned c = 0; c < N_COSTS; c++) {
            question.cost = costs[c];
            if (question.cost->needs_class && here.plain.class_tail == KAN_NO_TAIL)
                continue;
            expect_search_is_right(&kan_search_exhaustive, &here.made, &here.oracle, &question);
        }
    }
    scene_destroy(&here);
}

static void exhaustive_equals_brute_force_on_random_tables(void **state) {
    (void)state;
    random_rounds(520, every_cost_on_one_table);
}

static void any_threads_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    scene_make(run, seed, &here);
    test_question question = {.k = random_k(&here), .limit = random_limit(&here)};
    oracle_judge(&here.oracle, oracle_has_k_rows, &question.k, question.limit);
    kan_score scores[3];
    question.cost = costs[kan_random_below(&here.random, N_COSTS)];
    if (question.cost->needs_class && here.plain.class_tail == KAN_NO_TAIL)
        question.cost = &kan_cost_ncp;
    for (unsigned threads = 1; threads <= 3; threads++) {
        kan_run_set_threads(run, threads);
        expect_search_is_right(&kan_search_exhaustive, &here.made, &here.oracle, &question);
        test_asked asked;
        kan_answer answer;
        test_ask(&here.made, &question, &asked);
        EXPECT_OK(run, kan_search_exhaustive.search(run, &asked.question, &answer));
        scores[threads - 1] = answer.score;
        kan_answer_destroy(run, &answer);
        test_asked_destroy(&asked);
    }
    /* to the last bit, not nearly */
    assert_true(memcmp(&scores[0].real, &scores[1].real, sizeof(double)) == 0);
    assert_true(memcmp(&scores[0].real, &scores[2].real, sizeof(double)) == 0);
    scene_destroy(&here);
}

static void any_number_of_threads_gives_the_same_answer(void **state) {
    (void)state;
    random_rounds(100, any_threads_on_one_table);
}

/* ---- promises that are not k-anonymity ------------------------------------------------------ */

/* Multiples of k: size does not decide, and often nothing satisfies. */
static void odd_promise_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    scene_make(run, seed, &here);
    for (unsigned turn = 0; turn < 4; turn++) {
        test_question question = {.privacy = &model_multiples,
                                  .cost = turn % 2 ? &kan_cost_ncp : &kan_cost_discernibility,
                                  .k = 2 + kan_random_below(&here.random, 8),
                                  .limit = random_limit(&here),
                                  .wants_release = kan_random_below(&here.random, 2)};
        oracle_judge(&here.oracle, model_passes_multiples, &question.k, question.limit);
        expect_search_is_right(&kan_search_exhaustive, &here.made, &here.oracle, &question);
    }
    scene_destroy(&here);
}

static void a_promise_that_no_merge_respects_is_searched_rightly(void **state) {
    (void)state;
    random_rounds(120, odd_promise_on_one_table);
}

static void values_promise_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    scene_make(run, seed, &here);
    for (unsigned c = 0; c < N_COSTS && here.plain.n_tails > 0; c++) {
        if (here.plain.class_tail == (costs[c]->needs_class ? KAN_NO_TAIL : 0))
            continue;
        test_question question = {.privacy = &model_values,
                                  .cost = costs[c],
                                  .k = 1 + kan_random_below(&here.random, 5),
                                  .limit = random_limit(&here),
                                  .wants_release = kan_random_below(&here.random, 2)};
        oracle_judge(&here.oracle, model_passes_values, &question.k, question.limit);
        expect_search_is_right(&kan_search_exhaustive, &here.made, &here.oracle, &question);
    }
    scene_destroy(&here);
}

static void a_promise_on_sensitive_values_is_searched_rightly(void **state) {
    (void)state;
    random_rounds(120, values_promise_on_one_table);
}

/* ---- edges ---------------------------------------------------------------------------------- */

static void always_found_on_one_table(kan_run *run, uint64_t seed) {
    scene here;
    scene_make(run, seed, &here);
    test_question question = {
        .cost = &kan_cost_height, .k = here.plain.n_rows, .wants_release = true};
    test_asked asked;
    kan_answer answer;
    test_ask(&here.made, &question, &asked);
    EXPECT_OK(run, kan_search_exhaustive.search(run, &asked.question, &answer));
    assert_true(answer.is_found && answer.is_optimal && answer.is_complete);
    assert_true(answer.n_anonymous > 0 && answer.n_minimal > 0);
    kan_answer_destroy(run, &answer);
    test_asked_destroy(&asked);
    scene_destroy(&here);
}

static void the_top_always_satisfies_k_up_to_the_number_of_rows(void **state) {
    (void)state;
    random_rounds(50, always_found_on_one_table);
}

static void too_many_nodes_are_refused(void **state) {
    (void)state;
    const random_spec wide = {.least_attributes = 30,
                              .most_attributes = 30,
                              .least_rows = 5,
                              .most_rows = 5,
                              .most_leaves = 3,
                              .most_height = 4};
    kan_run *run = kan_run_create();
    plain_table plain;
    test_problem made;
    uint64_t random = 1;
    random_plain(&wide, &random, &plain);
    test_problem_make(run, &plain, &made);
    test_question question = {.cost = &kan_cost_height, .k = 1};
    test_asked asked;
    kan_answer answer = {.n_nodes = 77};
    test_ask(&made, &question, &asked);
    assert_int_equal(kan_search_exhaustive.search(run, &asked.question, &answer), KAN_UNSATISFIED);
    assert_non_null(strstr(kan_run_error(run), "too many to look at each"));
    assert_int_equal(answer.n_nodes, 77);
    test_asked_destroy(&asked);
    test_problem_destroy(&made);
    plain_destroy(&plain);
    kan_run_destroy(run);
}

static void a_cancelled_search_ends_without_an_answer(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        kan_run *run = kan_run_create();
        scene here;
        kan_run_set_threads(run, threads);
        scene_make(run, 3, &here);
        test_question question = {.cost = &kan_cost_height, .k = 1};
        test_asked asked;
        kan_answer answer;
        test_ask(&here.made, &question, &asked);
        kan_run_cancel(run);
        assert_int_equal(kan_search_exhaustive.search(run, &asked.question, &answer),
                         KAN_CANCELLED);
        test_asked_destroy(&asked);
        scene_destroy(&here);
        kan_run_destroy(run);
    }
}

static void no_room_is_an_error_and_not_an_answer(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    scene here;
    scene_make(run, 5, &here);
    test_question question = {.cost = &kan_cost_discernibility, .k = 1};
    test_asked asked;
    test_ask(&here.made, &question, &asked);
    kan_answer answer;
    bool was_refused = false;
    uint64_t budget = kan_run_peak_memory(run) / 2;
    kan_status status = KAN_FAILED;
    for (unsigned tries = 0; status != KAN_OK && tries < 20; tries++, budget *= 2) {
        kan_run_set_memory(run, budget);
        status = kan_search_exhaustive.search(run, &asked.question, &answer);
        assert_true(status == KAN_OK || status == KAN_FAILED);
        was_refused |= status == KAN_FAILED;
    }
    assert_int_equal(status, KAN_OK);
    assert_true(was_refused);
    assert_int_equal(answer.n_nodes, here.oracle.n_nodes);
    kan_answer_destroy(run, &answer);
    test_asked_destroy(&asked);
    scene_destroy(&here);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(exhaustive_equals_brute_force_on_random_tables, random_tear_down),
        cmocka_unit_test_teardown(any_number_of_threads_gives_the_same_answer, random_tear_down),
        cmocka_unit_test_teardown(a_promise_that_no_merge_respects_is_searched_rightly,
                                  random_tear_down),
        cmocka_unit_test_teardown(a_promise_on_sensitive_values_is_searched_rightly,
                                  random_tear_down),
        cmocka_unit_test_teardown(the_top_always_satisfies_k_up_to_the_number_of_rows,
                                  random_tear_down),
        cmocka_unit_test(too_many_nodes_are_refused),
        cmocka_unit_test(a_cancelled_search_ends_without_an_answer),
        cmocka_unit_test(no_room_is_an_error_and_not_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
