/* Searches over cut sets with failing allocations: each failure is a clean error, nothing leaks
 * (the suite runs under the address sanitizer too), and the account is even afterwards. */
#include "fault/search_faults.h"
#include "support/cut_problem.h"

static int reset(void **state) {
    (void)state;
    fault_reset();
    return 0;
}

/* Every cut there is: a set that either recoding allows. */
static void cut_all(const cut_problem *problem, kan_recoding *out, uint32_t *room) {
    size_t n = 0;
    *out = (kan_recoding){
        .type = KAN_RECODING_CUTS, .n_attributes = problem->plain.n_attributes, .cuts = room};
    for (unsigned a = 0; a < problem->plain.n_attributes; a++) {
        for (uint32_t place = 1; place < problem->n_places[a]; place++)
            room[n++] = place;
        out->first_cut[a + 1] = n;
    }
}

static void expect_clean(const kan_search_kind *search, const char *const *options, bool is_subtree,
                         unsigned n_threads) {
    kan_run *run = kan_run_create();
    uint64_t random = 11;
    cut_problem problem;
    test_asked asked;
    kan_run_set_threads(run, n_threads);
    do {
        random_cut_problem(run, &random, 12, false, &problem);
        if (problem.classes && problem.plain.n_rows > 10)
            break;
        cut_problem_destroy(&problem);
    } while (true);
    const cut_question question = {
        .cost = &kan_cost_classification, .k = 2, .limit = 3, .is_subtree = is_subtree};
    cut_ask(&problem, &question, &asked);
    uint32_t room[CUT_CHOICES];
    kan_recoding seed;
    cut_all(&problem, &seed, room);
    asked.question.seed = &seed;
    for (; *options; options += 2)
        EXPECT_OK(run, kan_options_add(&asked.options, options[0], options[1]));
    expect_every_failure_is_clean(run, search, &asked.question);
    test_asked_destroy(&asked);
    cut_problem_destroy(&problem);
    kan_run_destroy(run);
}

static void every_failing_allocation_is_a_clean_error(void **state) {
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        const bool is_subtree = i % 2;
        const unsigned n_threads = 1 + i / 2;
        expect_clean(&kan_search_k_optimize, (const char *[]){NULL}, is_subtree, n_threads);
        expect_clean(&kan_search_k_optimize, (const char *[]){"unseeded", "true", NULL}, is_subtree,
                     n_threads);
        expect_clean(&kan_search_greedy, (const char *[]){NULL}, is_subtree, n_threads);
        expect_clean(&kan_search_k_optimize_paper, (const char *[]){NULL}, is_subtree, n_threads);
        expect_clean(&kan_search_hill_climb, (const char *[]){"restarts", "6", NULL}, is_subtree,
                     n_threads);
        expect_clean(&kan_search_hill_climb,
                     (const char *[]){"restarts", "12", "restart-kind", "perturb", NULL},
                     is_subtree, n_threads);
        expect_clean(&kan_search_anneal, (const char *[]){"steps", "500", NULL}, is_subtree,
                     n_threads);
        expect_clean(&kan_search_genetic,
                     (const char *[]){"generations", "3", "population", "6", NULL}, is_subtree,
                     n_threads);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_failing_allocation_is_a_clean_error, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
