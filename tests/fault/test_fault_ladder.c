/* The search that is good at every moment, with failing allocations: in boxes, in walks, between them and in
 * the blocks that bound the cost. Each failure is a clean error, nothing leaks (the suite runs under the
 * address sanitizer too), and the account is even afterwards. */
#include "fault/search_faults.h"
#include "search/boxes/ladder.h"
#include "support/models.h"
#include "support/random_problem.h"

static int reset(void **state) {
    (void)state;
    fault_reset();
    return 0;
}

static const random_spec spec = {.least_attributes = 4,
                                 .most_attributes = 4,
                                 .least_rows = 60,
                                 .most_rows = 80,
                                 .most_leaves = 6,
                                 .most_height = 3,
                                 .most_tails = 2,
                                 .most_nodes = 256};

/* So slow that every kind of item is met. */
static kan_status search_slowly(kan_run *run, const kan_question *question, kan_answer *out) {
    const kan_ladder_pace pace = {.first_boxes = 2,
                                  .first_walks = 9,
                                  .walks_per_box = 4,
                                  .block_nodes = 16,
                                  .block_checked = 20,
                                  .most_steps = 320};
    (void)run;
    return kan_ladder_search(question, &pace, out);
}

static const kan_search_kind slow = {.kind = {.name = "slow"}, .search = search_slowly};

static void expect_clean(const test_problem *made, const test_question *question) {
    test_asked asked;
    test_ask(made, question, &asked);
    expect_failures_are_clean(made->run, &slow, &asked.question, 40);
    test_asked_destroy(&asked);
}

static void every_failing_allocation_is_a_clean_error(void **state) {
    (void)state;
    for (unsigned n_threads = 1; n_threads <= 2; n_threads++) {
        kan_run *run = kan_run_create();
        uint64_t random = 7;
        plain_table plain;
        test_problem made;
        kan_run_set_threads(run, n_threads);
        random_plain(&spec, &random, &plain);
        while (plain.n_tails == 0 || plain.class_tail != KAN_NO_TAIL) {
            plain_destroy(&plain);
            random_plain(&spec, &random, &plain);
        }
        test_problem_make(run, &plain, &made);
        const test_question questions[] = {
            {.cost = &kan_cost_ncp, .k = 3, .limit = 12, .wants_best_alone = true},
            {.cost = &kan_cost_height, .k = 2, .limit = 3, .wants_best_alone = true},
            {.cost = &kan_cost_discernibility,
             .privacy = &model_values,
             .k = 2,
             .limit = plain.n_rows,
             .wants_best_alone = true}};
        for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
            expect_clean(&made, &questions[i]);
        test_problem_destroy(&made);
        plain_destroy(&plain);
        kan_run_destroy(run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_failing_allocation_is_a_clean_error, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
