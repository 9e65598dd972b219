/* Groups by sets of columns, against brute force: at every node the greatest set of groups that keeps the
 * promise, by trying every set of them; the searches over levels, by every cost, with other models and
 * without (docs/papers/subsets.md). As jobs all searches are asked by
 * oracle.every_question. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/registry/registry.h"
#include "job/settings/job.h"
#include "oracle/ask.h"
#include "oracle/subsets.h"
#include "support/random_problem.h"

static ask_seen seen;

static bool is_large(const void *context, const oracle_group *group) {
    return group->n_rows >= ((const subsets_promise *)context)->least_group;
}

/* ---- searches over levels ------------------------------------------------------------------- */

static const random_spec few_nodes = {.least_attributes = 1,
                                      .most_attributes = 5,
                                      .least_rows = 1,
                                      .most_rows = 25,
                                      .most_leaves = 5,
                                      .most_height = 2,
                                      .most_tails = 1,
                                      .most_nodes = 60};

static void searches_on_one_table(kan_run *run, uint64_t seed) {
    static const kan_privacy_kind *const with_k[] = {&kan_privacy_k_anonymity, NULL};
    uint64_t random = seed * 7919;
    plain_table plain;
    test_problem made;
    oracle truth;
    subsets_promise promise;
    kan_run_set_threads(run, 1 + (unsigned)(seed % 3));
    random_plain(&few_nodes, &random, &plain);
    test_problem_make(run, &plain, &made);
    oracle_open(&plain, &truth);
    truth.settle = subsets_settle;
    for (unsigned turn = 0; turn < 4; turn++) {
        subsets_draw(&random, plain.n_attributes, 8, &promise.sets);
        const bool has_more = once_in(&random, 4);
        promise.least_group =
            has_more ? between(&random, 1, plain.n_rows < 3 ? plain.n_rows : 3) : 1;
        const test_question question = {.subsets = &promise.sets,
                                        .more = has_more ? with_k : NULL,
                                        .cost = ask_random_cost(&plain, &random),
                                        .k = promise.least_group,
                                        .limit = turn == 0 ? 0
                                                 : turn == 3
                                                     ? UINT64_MAX
                                                     : kan_random_below(&random, plain.n_rows + 1),
                                        .wants_release = kan_random_below(&random, 2),
                                        .wants_best_alone = once_in(&random, 3)};
        oracle_judge(&truth, is_large, &promise, question.limit);
        ask_every_search(&made, &truth, &question, &seen);
    }
    oracle_close(&truth);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void every_search_over_levels_finds_what_brute_force_finds(void **state) {
    (void)state;
    memset(&seen, 0, sizeof seen);
    subsets_seen = (subsets_counts){0};
    random_rounds(300, searches_on_one_table);
    print_message(
        "%zu promises, %zu satisfiable, %zu searches; %zu nodes that leave out some; of %zu "
        "every set of groups was tried, %zu groups left, %zu times for others\n",
        seen.n_questions, seen.n_satisfied, seen.n_searches, seen.n_left, subsets_seen.n_tried,
        subsets_seen.n_leaving, subsets_seen.n_chains);
    if (getenv("KANON_TEST_SEED") || getenv("KANON_TEST_ROUNDS"))
        return;
    assert_int_equal(seen.n_monotone, seen.n_questions);
    assert_true(seen.n_satisfied > 100 && seen.n_satisfied + 100 < seen.n_questions);
    assert_true(seen.n_left > 1000 && subsets_seen.n_chains > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_search_over_levels_finds_what_brute_force_finds,
                                  random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
