/* k-optimize against all sets there are: the best cost, proven, on any number of threads, from any
 * seed; and when it is stopped, a bound that holds. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support/cut_problem.h"

/* What is asked besides the question. */
typedef struct {
    bool has_seed_cost, is_unseeded;
    uint64_t seed_cost;
    unsigned threads;
    double time_limit; /* 0: none */
} asking;

static kan_status ask(const cut_problem *problem, const cut_question *question, const asking *how,
                      kan_answer *out) {
    kan_run *run = problem->made.run;
    test_asked asked;
    char text[32];
    cut_ask(problem, question, &asked);
    if (how->has_seed_cost) {
        snprintf(text, sizeof text, "%" PRIu64, how->seed_cost);
        EXPECT_OK(run, kan_options_add(&asked.options, "seed-cost", text));
    }
    if (how->is_unseeded)
        EXPECT_OK(run, kan_options_add(&asked.options, "unseeded", "true"));
    kan_run_set_threads(run, how->threads);
    kan_run_set_time_limit(run, how->time_limit);
    const kan_status status = kan_search_k_optimize.search(run, &asked.question, out);
    kan_run_set_time_limit(run, 0);
    test_asked_destroy(&asked);
    return status;
}

static void draw(kan_run *run, uint64_t *random, unsigned most_choices, cut_problem *problem,
                 cut_question *question) {
    const bool is_subtree = kan_random_below(random, 2) != 0;
    if (kan_random_below(random, 3) == 0)
        random_skewed_cut_problem(run, random, most_choices, !is_subtree, problem);
    else
        random_cut_problem(run, random, most_choices, !is_subtree, problem);
    *question = random_cut_question(problem, random, is_subtree);
    if (kan_random_below(random, 12) == 0)
        question->k = 1 + kan_random_below(random, problem->plain.n_rows);
}

/* The answer is right, whether or not it is the best. Which of several best sets it is, is the same
 * on every run, but not promised: cuts are not compared. */
static void expect_right(const cut_problem *problem, const cut_question *question,
                         const cut_truth *truth, const kan_answer *answer) {
    kan_answer unproven = *answer;
    unproven.is_optimal = false;
    expect_cuts_are_right(problem, question, &unproven, truth, true);
    if (!answer->is_optimal)
        return;
    assert_true(truth->is_found && answer->score.whole == truth->cost);
    assert_true(answer->bound == (double)truth->cost);
}

static void expect_best(const cut_problem *problem, const cut_question *question,
                        const cut_truth *truth, const kan_answer *answer) {
    expect_right(problem, question, truth, answer);
    assert_int_equal(answer->is_optimal, truth->is_found);
}

/* ---- threads -------------------------------------------------------------------------------- */

static void expect_same(const kan_answer *a, const kan_answer *b) {
    assert_int_equal(a->is_found, b->is_found);
    assert_int_equal(a->is_optimal, b->is_optimal);
    assert_int_equal(a->n_checked, b->n_checked);
    assert_int_equal(a->n_moments, b->n_moments);
    for (size_t i = 0; i < a->n_moments; i++)
        assert_true(a->moments[i].cost == b->moments[i].cost &&
                    a->moments[i].bound == b->moments[i].bound &&
                    a->moments[i].n_states == b->moments[i].n_states);
    if (!a->is_found)
        return;
    assert_true(a->score.whole == b->score.whole && a->bound == b->bound);
    assert_memory_equal(a->recoding.first_cut, b->recoding.first_cut, sizeof a->recoding.first_cut);
    const size_t n = a->recoding.first_cut[a->recoding.n_attributes];
    if (n > 0)
        assert_memory_equal(a->recoding.cuts, b->recoding.cuts, n * sizeof *a->recoding.cuts);
}

static void one_table(kan_run *run, uint64_t seed) {
    static const unsigned threads[] = {1, 2, 5};
    uint64_t random = seed;
    cut_problem problem;
    cut_question question;
    cut_truth truth;
    kan_answer answers[3];
    draw(run, &random, 11, &problem, &question);
    const bool is_unseeded = kan_random_below(&random, 2) != 0;
    cut_brute(&problem, &question, &truth);
    for (unsigned i = 0; i < 3; i++) {
        const asking how = {.is_unseeded = is_unseeded, .threads = threads[i]};
        EXPECT_OK(run, ask(&problem, &question, &how, &answers[i]));
        expect_best(&problem, &question, &truth, &answers[i]);
        expect_same(&answers[i], &answers[0]);
    }
    for (unsigned i = 0; i < 3; i++)
        kan_answer_destroy(run, &answers[i]);
    cut_problem_destroy(&problem);
}

static void k_optimize_equals_brute_force_on_any_number_of_threads(void **state) {
    (void)state;
    random_rounds(300, one_table);
}

/* Too many sets to try, enough for several waves: seeded or not, the same cost and bytes. */
static void one_larger_table(kan_run *run, uint64_t seed) {
    static const unsigned threads[] = {1, 2, 5};
    uint64_t random = seed + 4000000;
    cut_problem problem;
    cut_question question;
    kan_answer answers[4];
    draw(run, &random, 30, &problem, &question);
    for (unsigned i = 0; i < 4; i++) {
        const asking how = {.is_unseeded = i > 0, .threads = threads[i % 3]};
        EXPECT_OK(run, ask(&problem, &question, &how, &answers[i]));
        assert_int_equal(answers[i].is_optimal, answers[i].is_found);
        assert_int_equal(answers[i].is_found, answers[0].is_found);
        if (answers[i].is_found)
            assert_true(answers[i].score.whole == answers[0].score.whole);
        if (i > 0)
            expect_same(&answers[i], &answers[1]);
    }
    for (unsigned i = 0; i < 4; i++)
        kan_answer_destroy(run, &answers[i]);
    cut_problem_destroy(&problem);
}

static void larger_tables_have_one_answer_however_they_are_searched(void **state) {
    (void)state;
    random_rounds(40, one_larger_table);
}

/* ---- seeds ---------------------------------------------------------------------------------- */

/* A cost that some set has, or more, is a help; less than any is said to be so. */
static void expect_seeded(const cut_problem *problem, const cut_question *question,
                          const cut_truth *truth, const asking *how) {
    kan_run *run = problem->made.run;
    kan_answer answer;
    const kan_status status = ask(problem, question, how, &answer);
    if (truth->is_found && how->seed_cost >= truth->cost) {
        assert_int_equal(status, KAN_OK);
        expect_best(problem, question, truth, &answer);
    } else if (status != KAN_OK) {
        assert_int_equal(status, KAN_UNSATISFIED);
        assert_non_null(strstr(kan_run_error(run), "or less"));
        return;
    } else { /* nothing so cheap; what it has instead is not called the best unless it is */
        expect_right(problem, question, truth, &answer);
    }
    kan_answer_destroy(run, &answer);
}

static void one_seeded_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed + 1000000;
    cut_problem problem;
    cut_question question;
    cut_truth truth;
    draw(run, &random, 10, &problem, &question);
    cut_brute(&problem, &question, &truth);
    const uint64_t cost = truth.is_found ? truth.cost : 100;
    const uint64_t seeds[] = {cost,
                              cost + 1,
                              cost + kan_random_below(&random, 50),
                              cost > 0 ? cost - 1 : 0,
                              kan_random_below(&random, cost + 1),
                              UINT64_MAX - 1,
                              UINT64_MAX};
    for (unsigned i = 0; i < 7; i++) {
        const asking how = {
            .has_seed_cost = true, .seed_cost = seeds[i], .is_unseeded = i % 2, .threads = 1};
        expect_seeded(&problem, &question, &truth, &how);
    }
    cut_problem_destroy(&problem);
}

static void a_seed_cost_helps_or_is_said_to_be_too_low(void **state) {
    (void)state;
    random_rounds(200, one_seeded_table);
}

/* ---- stopping ------------------------------------------------------------------------------- */

static void one_stopped_table(kan_run *run, uint64_t seed) {
    static const double limits[] = {1e-9, 1e-6, 2e-5, 1e-4, 5e-4};
    uint64_t random = seed + 2000000;
    cut_problem problem;
    cut_question question;
    cut_truth truth;
    kan_answer answer;
    draw(run, &random, 11, &problem, &question);
    cut_brute(&problem, &question, &truth);
    for (unsigned i = 0; i < 5; i++) {
        const asking how = {.is_unseeded = kan_random_below(&random, 2) != 0,
                            .threads = 1 + i % 2,
                            .time_limit = limits[i]};
        const kan_status status = ask(&problem, &question, &how, &answer);
        if (status == KAN_UNSATISFIED && !truth.is_found)
            continue; /* out of time, with nothing to show */
        EXPECT_OK(run, status);
        expect_right(&problem, &question, &truth, &answer);
        for (size_t m = 0; m < answer.n_moments; m++)
            assert_true(answer.moments[m].cost >= (double)truth.cost &&
                        answer.moments[m].bound <= (double)truth.cost);
        kan_answer_destroy(run, &answer);
    }
    cut_problem_destroy(&problem);
}

static void a_stopped_search_has_a_bound_that_holds(void **state) {
    (void)state;
    random_rounds(200, one_stopped_table);
}

/* ---- releases ------------------------------------------------------------------------------- */

/* k is the number of rows: any cut that divides them suppresses all, which may be no release. */
static void one_indivisible_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed + 3000000;
    cut_problem problem;
    cut_question question;
    cut_truth truth;
    kan_answer answer;
    draw(run, &random, 9, &problem, &question);
    const uint64_t n = problem.plain.n_rows;
    question.k = n;
    for (unsigned i = 0; i < 4; i++) {
        const asking how = {.is_unseeded = i % 2, .threads = 1};
        question.wants_release = i / 2;
        question.limit = kan_random_below(&random, 2) ? n : UINT64_MAX;
        cut_brute(&problem, &question, &truth);
        EXPECT_OK(run, ask(&problem, &question, &how, &answer));
        expect_best(&problem, &question, &truth, &answer);
        kan_answer_destroy(run, &answer);
    }
    cut_problem_destroy(&problem);
}

static void a_release_is_found_where_any_cut_suppresses_all(void **state) {
    (void)state;
    random_rounds(60, one_indivisible_table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(k_optimize_equals_brute_force_on_any_number_of_threads,
                                  random_tear_down),
        cmocka_unit_test_teardown(larger_tables_have_one_answer_however_they_are_searched,
                                  random_tear_down),
        cmocka_unit_test_teardown(a_seed_cost_helps_or_is_said_to_be_too_low, random_tear_down),
        cmocka_unit_test_teardown(a_stopped_search_has_a_bound_that_holds, random_tear_down),
        cmocka_unit_test_teardown(a_release_is_found_where_any_cut_suppresses_all,
                                  random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
