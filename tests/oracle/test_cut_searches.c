/* Searches over cut sets against all sets there are: nobody beats the truth, nobody lies about what
 * it found, and everybody finds the same on any number of threads. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "job/registry/registry.h"
#include "support/cut_problem.h"

/* Short enough for many small tables. */
static const struct {
    const kan_search_kind *kind;
    const char *options[4]; /* names and values */
} searches[] = {
    {&kan_search_greedy, {NULL}},
    {&kan_search_hill_climb, {"restarts", "10"}},
    {&kan_search_hill_climb, {"restarts", "40", "restart-kind", "perturb"}},
    {&kan_search_anneal, {"steps", "3000"}},
    {&kan_search_genetic, {"generations", "15", "individuals", "20"}},
};
enum { N_SEARCHES = sizeof searches / sizeof *searches };

static void ask(const cut_problem *problem, const cut_question *question, size_t search,
                test_asked *asked) {
    cut_ask(problem, question, asked);
    for (unsigned i = 0; i < 4 && searches[search].options[i]; i += 2)
        EXPECT_OK(problem->made.run, kan_options_add(&asked->options, searches[search].options[i],
                                                     searches[search].options[i + 1]));
}

static void expect_moments(const kan_answer *answer) {
    assert_true(answer->n_moments > 0);
    for (size_t i = 0; i < answer->n_moments; i++) {
        const kan_moment *moment = &answer->moments[i];
        assert_true(moment->is_found && moment->cost >= answer->score.real);
        assert_true(moment->bound <= moment->cost && moment->n_states <= answer->n_checked);
        assert_true(i == 0 ||
                    (moment->cost < moment[-1].cost && moment->seconds >= moment[-1].seconds &&
                     moment->n_states >= moment[-1].n_states));
    }
    assert_true(answer->moments[answer->n_moments - 1].cost == answer->score.real);
}

static void one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    const bool is_subtree = kan_random_below(&random, 2) != 0;
    cut_problem problem;
    random_cut_problem(run, &random, 9, !is_subtree, &problem);
    const cut_question question = random_cut_question(&problem, &random, is_subtree);
    cut_truth truth;
    cut_brute(&problem, &question, &truth);
    for (size_t i = 0; i < N_SEARCHES; i++) {
        test_asked asked;
        kan_answer answer;
        ask(&problem, &question, i, &asked);
        EXPECT_OK(run, searches[i].kind->search(run, &asked.question, &answer));
        expect_cuts_are_right(&problem, &question, &answer, &truth, true);
        assert_false(answer.is_optimal);
        if (answer.is_found)
            expect_moments(&answer);
        kan_answer_destroy(run, &answer);
        test_asked_destroy(&asked);
    }
    cut_problem_destroy(&problem);
}

static void no_search_beats_the_best_of_all_cut_sets(void **state) {
    (void)state;
    random_rounds(300, one_table);
}

/* The same over the registry, as users meet them: without options. */
static void one_table_for_all(kan_run *run, uint64_t seed) {
    uint64_t random = seed + 2000000;
    const bool is_subtree = kan_random_below(&random, 2) != 0;
    cut_problem problem;
    random_cut_problem(run, &random, 8, !is_subtree, &problem);
    const cut_question question = random_cut_question(&problem, &random, is_subtree);
    cut_truth truth;
    test_asked asked;
    cut_brute(&problem, &question, &truth);
    cut_ask(&problem, &question, &asked);
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SEARCH); i++) {
        const kan_search_kind *search =
            (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, i);
        kan_answer answer;
        if (!search->cuts)
            continue;
        EXPECT_OK(run, search->search(run, &asked.question, &answer));
        expect_cuts_are_right(&problem, &question, &answer, &truth, true);
        assert_true(answer.is_optimal || !search->finds_best || !answer.is_found);
        kan_answer_destroy(run, &answer);
    }
    test_asked_destroy(&asked);
    cut_problem_destroy(&problem);
}

static void every_registered_search_that_cuts_is_held_to_the_truth(void **state) {
    (void)state;
    random_rounds(4, one_table_for_all);
}

/* ---- how often the best is found ------------------------------------------------------------ */

static struct { unsigned n_tables, n_best[N_SEARCHES]; } tried;

static void try_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed + 1000000;
    cut_problem problem;
    random_cut_problem(run, &random, 9, false, &problem);
    const cut_question question = random_cut_question(&problem, &random, false);
    cut_truth truth;
    cut_brute(&problem, &question, &truth);
    tried.n_tables++;
    for (size_t i = 0; i < N_SEARCHES; i++) {
        test_asked asked;
        kan_answer answer;
        ask(&problem, &question, i, &asked);
        EXPECT_OK(run, searches[i].kind->search(run, &asked.question, &answer));
        tried.n_best[i] += answer.is_found == truth.is_found &&
                           (!truth.is_found || answer.score.whole == truth.cost);
        kan_answer_destroy(run, &answer);
        test_asked_destroy(&asked);
    }
    cut_problem_destroy(&problem);
}

/* All but greedy have so many tries on so few cuts that they find the best nearly always: one that
 * does not has lost a kind of step. */
static void searches_with_many_tries_find_the_best_of_small_tables(void **state) {
    (void)state;
    memset(&tried, 0, sizeof tried);
    random_rounds(100, try_table);
    if (tried.n_tables < 50)
        return; /* one case is repeated */
    for (size_t i = 0; i < N_SEARCHES; i++)
        if (searches[i].kind != &kan_search_greedy && tried.n_best[i] * 100 < tried.n_tables * 95)
            fail_msg("%s (%zu) found the best of %u tables out of %u", searches[i].kind->kind.name,
                     i, tried.n_best[i], tried.n_tables);
}

/* ---- threads and seeds ---------------------------------------------------------------------- */

static void expect_same_answer(const kan_answer *a, const kan_answer *b) {
    assert_int_equal(a->is_found, b->is_found);
    assert_int_equal(a->n_checked, b->n_checked);
    assert_int_equal(a->n_moments, b->n_moments);
    if (!a->is_found)
        return;
    assert_true(a->score.whole == b->score.whole);
    assert_memory_equal(a->recoding.first_cut, b->recoding.first_cut, sizeof a->recoding.first_cut);
    const size_t n = a->recoding.first_cut[a->recoding.n_attributes];
    if (n > 0)
        assert_memory_equal(a->recoding.cuts, b->recoding.cuts, n * sizeof *a->recoding.cuts);
}

static void search_with_threads(kan_run *run, uint64_t seed, unsigned threads, size_t search,
                                kan_answer *out) {
    uint64_t random = seed;
    cut_problem problem;
    test_asked asked;
    kan_run_set_threads(run, threads);
    kan_run_set_seed(run, seed);
    random_cut_problem(run, &random, 24, true, &problem);
    const cut_question question = random_cut_question(&problem, &random, false);
    ask(&problem, &question, search, &asked);
    EXPECT_OK(run, searches[search].kind->search(run, &asked.question, out));
    test_asked_destroy(&asked);
    cut_problem_destroy(&problem);
}

static void one_pair_of_runs(kan_run *run, uint64_t seed) {
    kan_run *other = kan_run_create();
    assert_non_null(other);
    for (size_t i = 0; i < N_SEARCHES; i++) {
        kan_answer one, several;
        search_with_threads(run, seed, 1, i, &one);
        search_with_threads(other, seed, 3, i, &several);
        expect_same_answer(&one, &several);
        kan_answer_destroy(run, &one);
        kan_answer_destroy(other, &several);
    }
    kan_run_destroy(other);
}

static void answers_are_the_same_on_any_number_of_threads(void **state) {
    (void)state;
    random_rounds(25, one_pair_of_runs);
}

static void a_stopped_search_returns_the_best_so_far(void **state) {
    (void)state;
    for (size_t i = 0; i < N_SEARCHES; i++) {
        uint64_t random = 7;
        kan_run *run = kan_run_create();
        cut_problem problem;
        test_asked asked;
        kan_answer answer;
        random_cut_problem(run, &random, 24, false, &problem);
        const cut_question question = {.cost = &kan_cost_discernibility, .k = 1};
        ask(&problem, &question, i, &asked);
        kan_run_set_time_limit(run, 1e-9); /* is over before it begins */
        EXPECT_OK(run, searches[i].kind->search(run, &asked.question, &answer));
        assert_true(answer.is_found);
        assert_false(answer.is_optimal);
        kan_answer_destroy(run, &answer);
        kan_run_set_time_limit(run, 0);
        kan_run_cancel(run);
        assert_int_equal(searches[i].kind->search(run, &asked.question, &answer), KAN_CANCELLED);
        test_asked_destroy(&asked);
        cut_problem_destroy(&problem);
        kan_run_destroy(run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(no_search_beats_the_best_of_all_cut_sets, random_tear_down),
        cmocka_unit_test_teardown(every_registered_search_that_cuts_is_held_to_the_truth,
                                  random_tear_down),
        cmocka_unit_test_teardown(searches_with_many_tries_find_the_best_of_small_tables,
                                  random_tear_down),
        cmocka_unit_test_teardown(answers_are_the_same_on_any_number_of_threads, random_tear_down),
        cmocka_unit_test(a_stopped_search_returns_the_best_so_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
