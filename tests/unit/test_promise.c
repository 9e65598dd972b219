/* privacy/privacy.h: k-anonymity, limits, and several models at once. */
#include "support/question.h"
#include "support/random_problem.h"

#include <stdio.h>
#include <string.h>

enum { MOST_GROUPS = 5000 };

/* Groups by hand: their counts and nothing else. */
static kan_groups groups_of(const uint64_t *counts, size_t n) {
    kan_groups groups = {.n_groups = n, .count = counts, .n_released_groups = n};
    for (size_t g = 0; g < n; g++)
        groups.n_rows += counts[g];
    return groups;
}

static void make_promise(kan_run *run, kan_arena *arena, uint64_t k, uint64_t limit,
                         kan_promise *out) {
    kan_options options;
    char text[32];
    const kan_problem problem = {.n_rows = UINT64_MAX};
    kan_options_init(&options, arena);
    snprintf(text, sizeof text, "%llu", (unsigned long long)k);
    EXPECT_OK(run, kan_options_add(&options, "k", text));
    kan_promise_init(out, limit);
    EXPECT_OK(run, kan_promise_add(out, run, arena, &kan_privacy_k_anonymity, &options, &problem));
    kan_options_destroy(&options);
}

static void groups_of_k_rows_pass_and_smaller_ones_do_not(void **state) {
    kan_run *run = *state;
    static const uint64_t counts[] = {1, 2, 3, 4, 5, UINT64_C(1) << 40};
    uint8_t is_released[6];
    for (uint64_t k = 1; k <= 6; k++) {
        kan_promise promise;
        kan_groups groups = groups_of(counts, 6);
        make_promise(run, kan_run_arena(run), k, 0, &promise);
        assert_int_equal(promise.least_size, k);
        kan_promise_check(&promise, &groups, is_released);
        uint64_t n_suppressed = 0, n_released = 0;
        for (size_t g = 0; g < 6; g++) {
            assert_int_equal(is_released[g], counts[g] >= k);
            n_suppressed += counts[g] >= k ? 0 : counts[g];
            n_released += counts[g] >= k;
        }
        assert_int_equal(groups.n_suppressed, n_suppressed);
        assert_int_equal(groups.n_released_groups, n_released);
        assert_ptr_equal(groups.is_released, is_released);
    }
}

/* Whatever `enough` is: a count that stopped early is above it, one that did not is exact. So no
 * decision against a limit up to `enough` can change. */
static void stopping_early_never_changes_a_decision(void **state) {
    kan_run *run = *state;
    static uint64_t counts[MOST_GROUPS];
    uint64_t random = 1;
    for (unsigned round = 0; round < 500; round++) {
        size_t n = (size_t)kan_random_below(&random, MOST_GROUPS);
        uint64_t k = 1 + kan_random_below(&random, 8), exact = 0;
        for (size_t g = 0; g < n; g++) {
            counts[g] = 1 + kan_random_below(&random, 12);
            exact += counts[g] < k ? counts[g] : 0;
        }
        kan_promise promise;
        kan_groups groups = groups_of(counts, n);
        make_promise(run, kan_run_arena(run), k, 0, &promise);
        const uint64_t limits[] = {0,         1,         kan_random_below(&random, exact + 1),
                                   exact,     exact + 1, groups.n_rows,
                                   UINT64_MAX};
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
            uint64_t told = kan_promise_small_rows(&promise, &groups, limits[i]);
            assert_int_equal(told <= limits[i], exact <= limits[i]);
            assert_true(told <= exact);
            if (exact <= limits[i])
                assert_int_equal(told, exact);
        }
    }
}

/* ---- several models ------------------------------------------------------------------------- */

/* Passes groups of an even number of rows. */
static kan_status create_even(kan_run *run, kan_arena *arena, const kan_options *options,
                              const kan_problem *problem, void **state) {
    (void)run;
    (void)arena;
    (void)options;
    (void)problem;
    *state = NULL;
    return KAN_OK;
}

static uint64_t least_of_even(const void *state) {
    (void)state;
    return 2;
}

static void check_even(const void *state, const kan_groups *groups, size_t first, size_t end,
                       uint8_t *ok) {
    (void)state;
    for (size_t g = first; g < end; g++)
        ok[g] &= (uint8_t)(groups->count[g] % 2 == 0);
}

static const kan_privacy_kind even_kind = {.kind = {.name = "even", .summary = ""},
                                           .survives_merge = true,
                                           .needs_tallies = true,
                                           .create = create_even,
                                           .least_size = least_of_even,
                                           .check = check_even};

static void several_models_pass_only_what_all_of_them_pass(void **state) {
    kan_run *run = *state;
    static const uint64_t counts[] = {1, 2, 3, 4, 5, 6};
    static const uint8_t expected[] = {0, 0, 0, 1, 0, 1};
    uint8_t is_released[6];
    kan_promise promise;
    make_promise(run, kan_run_arena(run), 3, 0, &promise);
    assert_true(promise.size_decides && promise.absorbs_any && promise.survives_merge);
    assert_false(promise.needs_tallies);
    EXPECT_OK(run, kan_promise_add(&promise, run, kan_run_arena(run), &even_kind, NULL, NULL));
    assert_int_equal(promise.least_size, 3);
    assert_false(promise.size_decides);
    assert_false(promise.absorbs_any);
    assert_true(promise.survives_merge && promise.needs_tallies);
    kan_groups groups = groups_of(counts, 6);
    kan_promise_check(&promise, &groups, is_released);
    assert_memory_equal(is_released, expected, sizeof expected);
    assert_int_equal(groups.n_released_groups, 2);
    assert_int_equal(groups.n_suppressed, 1 + 2 + 3 + 5);
    /* a later check starts from the beginning */
    kan_promise_check(&promise, &groups, is_released);
    assert_int_equal(groups.n_suppressed, 1 + 2 + 3 + 5);
    while (promise.n_models < KAN_MAX_MODELS)
        EXPECT_OK(run, kan_promise_add(&promise, run, kan_run_arena(run), &even_kind, NULL, NULL));
    assert_int_equal(kan_promise_add(&promise, run, kan_run_arena(run), &even_kind, NULL, NULL),
                     KAN_BAD_INPUT);
}

static void k_above_the_number_of_rows_is_refused(void **state) {
    kan_run *run = *state;
    kan_options options;
    kan_promise promise;
    const kan_problem problem = {.n_rows = 7};
    kan_options_init(&options, kan_run_arena(run));
    EXPECT_OK(run, kan_options_add(&options, "k", "8"));
    kan_promise_init(&promise, 0);
    assert_int_equal(kan_promise_add(&promise, run, kan_run_arena(run), &kan_privacy_k_anonymity,
                                     &options, &problem),
                     KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(run), "only 7 rows"));
    assert_int_equal(promise.n_models, 0);
    kan_options_destroy(&options);
}

/* ---- limits --------------------------------------------------------------------------------- */

static void limits_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    plain_table plain;
    test_problem made;
    oracle truth;
    random_plain(&random_small, &random, &plain);
    test_problem_make(run, &plain, &made);
    oracle_open(&plain, &truth);
    uint64_t k = 1 + kan_random_below(&random, plain.n_rows < 9 ? plain.n_rows : 9);
    const uint64_t limits[] = {0, kan_random_below(&random, plain.n_rows + 1), plain.n_rows,
                               UINT64_MAX};
    for (unsigned i = 0; i < 4; i++) {
        test_asked asked;
        test_ask(&made, &(test_question){.cost = &kan_cost_height, .k = k, .limit = limits[i]},
                 &asked);
        oracle_judge(&truth, oracle_has_k_rows, &k, limits[i]);
        for (unsigned turn = 0; turn < 5; turn++) {
            const oracle_node *node = &truth.nodes[kan_random_below(&random, truth.n_nodes)];
            assert_int_equal(test_node_satisfies(&made, &asked, node->levels), node->satisfies);
            if (limits[i] >= plain.n_rows)
                assert_true(node->satisfies); /* even when every row would be left out */
        }
        test_asked_destroy(&asked);
    }
    oracle_close(&truth);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void a_node_satisfies_when_its_failing_rows_are_within_the_limit(void **state) {
    (void)state;
    random_rounds(150, limits_on_one_table);
}

static int set_up(void **state) {
    *state = kan_run_create();
    return *state ? 0 : -1;
}

static int tear_down(void **state) {
    kan_run_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(groups_of_k_rows_pass_and_smaller_ones_do_not, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(stopping_early_never_changes_a_decision, set_up, tear_down),
        cmocka_unit_test_setup_teardown(several_models_pass_only_what_all_of_them_pass, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(k_above_the_number_of_rows_is_refused, set_up, tear_down),
        cmocka_unit_test_teardown(a_node_satisfies_when_its_failing_rows_are_within_the_limit,
                                  random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
