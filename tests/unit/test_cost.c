/* cost/cost.h: every cost against its definition, summed cell by cell from rows. */
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

static kan_score measure(const test_problem *made, const test_question *question,
                         const unsigned *levels) {
    test_asked asked;
    test_node node;
    test_ask(made, question, &asked);
    test_node_make(made, &asked, levels, &node);
    kan_score score = question->cost->measure(asked.objective.state, &node.groups);
    test_node_destroy(made, &node);
    test_asked_destroy(&asked);
    return score;
}

static void costs_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    plain_table plain;
    test_problem made;
    oracle truth;
    random_plain(&random_small, &random, &plain);
    test_problem_make(run, &plain, &made);
    oracle_open(&plain, &truth);
    for (unsigned turn = 0; turn < 4; turn++) {
        test_question question = {
            .k = 1 + kan_random_below(&random, plain.n_rows < 6 ? plain.n_rows : 6)};
        oracle_judge(&truth, oracle_has_k_rows, &question.k, 0);
        const oracle_node *node = &truth.nodes[kan_random_below(&random, truth.n_nodes)];
        for (unsigned c = 0; c < N_COSTS; c++) {
            question.cost = costs[c];
            if (costs[c]->needs_class && plain.class_tail == KAN_NO_TAIL)
                continue;
            kan_score score = measure(&made, &question, node->levels);
            double expected = oracle_cost(&truth, node, costs[c]->kind.name, question.k);
            if (oracle_is_less(score.real, expected) || oracle_is_less(expected, score.real))
                fail_msg("%s: %.17g, by definition %.17g", costs[c]->kind.name, score.real,
                         expected);
            if (score.is_whole)
                assert_true(score.whole == (kan_u128)expected);
        }
    }
    oracle_close(&truth);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void every_cost_equals_its_definition(void **state) {
    (void)state;
    random_rounds(200, costs_on_one_table);
}

/* Scores order nodes as the definitions do, and are equal where these are: 1/3 + 1/3 of a level is
 * as much as 2/3. */
static void order_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    plain_table plain;
    test_problem made;
    oracle truth;
    random_plain(&random_small, &random, &plain);
    test_problem_make(run, &plain, &made);
    oracle_open(&plain, &truth);
    test_question question = {.k = 1 +
                                   kan_random_below(&random, plain.n_rows < 4 ? plain.n_rows : 4)};
    oracle_judge(&truth, oracle_has_k_rows, &question.k, UINT64_MAX);
    for (unsigned turn = 0; turn < 12; turn++) {
        const oracle_node *a = &truth.nodes[kan_random_below(&random, truth.n_nodes)];
        const oracle_node *b = &truth.nodes[kan_random_below(&random, truth.n_nodes)];
        question.cost = costs[kan_random_below(&random, N_COSTS)];
        if (question.cost->needs_class && plain.class_tail == KAN_NO_TAIL)
            continue;
        kan_score x = measure(&made, &question, a->levels),
                  y = measure(&made, &question, b->levels);
        double u = oracle_cost(&truth, a, question.cost->kind.name, question.k);
        double v = oracle_cost(&truth, b, question.cost->kind.name, question.k);
        assert_int_equal(kan_score_compare(&x, &y), oracle_is_less(v, u) - oracle_is_less(u, v));
        assert_int_equal(kan_score_compare(&y, &x), -kan_score_compare(&x, &y));
    }
    oracle_close(&truth);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void scores_tie_exactly_when_costs_are_equal(void **state) {
    (void)state;
    random_rounds(150, order_on_one_table);
}

/* ---- large numbers -------------------------------------------------------------------------- */

static void discernibility_is_exact_beyond_64_bits(void **state) {
    (void)state;
    const uint64_t counts[] = {(UINT64_C(1) << 33) + 1, UINT64_C(1) << 40, 3, UINT64_C(1) << 35};
    const uint8_t is_released[] = {1, 1, 0, 0};
    kan_groups groups = {.n_groups = 4, .count = counts, .n_released_groups = 4};
    for (unsigned g = 0; g < 4; g++)
        groups.n_rows += counts[g];
    kan_u128 squares = 0;
    for (unsigned g = 0; g < 4; g++)
        squares += (kan_u128)counts[g] * counts[g];
    kan_score all = kan_cost_discernibility.measure(NULL, &groups);
    assert_true(all.is_whole && all.whole == squares);
    assert_true(all.whole >> 64 != 0);

    groups.is_released = is_released;
    groups.n_suppressed = counts[2] + counts[3];
    groups.n_released_groups = 2;
    kan_u128 expected = (kan_u128)counts[0] * counts[0] + (kan_u128)counts[1] * counts[1] +
                        (kan_u128)groups.n_suppressed * groups.n_rows;
    kan_score some = kan_cost_discernibility.measure(NULL, &groups);
    assert_true(some.is_whole && some.whole == expected);

    /* one apart, far beyond what a double tells apart */
    kan_score more = kan_score_whole(expected + 1);
    assert_int_equal(kan_score_compare(&some, &more), -1);
    assert_int_equal(kan_score_compare(&more, &some), 1);
    assert_int_equal(kan_score_compare(&more, &more), 0);
    assert_true(some.real == more.real);
}

/* At the border between the quick sum and the wide one. */
static void discernibility_of_one_group_is_its_square_at_the_border_of_32_bits(void **state) {
    (void)state;
    for (uint64_t n = UINT32_MAX - UINT64_C(2); n <= UINT32_MAX + UINT64_C(2); n++) {
        kan_groups groups = {.n_groups = 1, .count = &n, .n_rows = n, .n_released_groups = 1};
        assert_true(kan_cost_discernibility.measure(NULL, &groups).whole == (kan_u128)n * n);
        const uint8_t none = 0;
        groups.is_released = &none;
        groups.n_suppressed = n;
        groups.n_released_groups = 0;
        assert_true(kan_cost_discernibility.measure(NULL, &groups).whole == (kan_u128)n * n);
    }
}

/* ---- by hand -------------------------------------------------------------------------------- */

static const char *const two_columns = "a,x\na,y\nb,x\nb,x\nc,y\nc,z\n";
static const char *const two_hierarchies[] = {"a;ab;*\nb;ab;*\nc;c;*\nd;c;*\n", "x;*\ny;*\nz;*\n"};

static void make_by_hand(kan_run *run, const double *weights, test_problem *out) {
    plain_table plain;
    plain_parse(two_columns, 2, (const unsigned[]){0, 1}, two_hierarchies, &plain);
    for (unsigned a = 0; weights && a < 2; a++) {
        plain.is_weighted = true;
        plain.attributes[a].weight = weights[a];
    }
    test_problem_make(run, &plain, out);
    plain_destroy(&plain);
}

static void expect_real(const test_problem *made, const kan_cost_kind *cost, uint64_t k,
                        const unsigned *levels, double expected) {
    kan_score score = measure(made, &(test_question){.cost = cost, .k = k}, levels);
    if (fabs(score.real - expected) > 1e-12)
        fail_msg("%s: %.17g instead of %.17g", cost->kind.name, score.real, expected);
}

/* Levels {1, 0}: groups ab,x (3 rows) ab,y c,y c,z; with k = 2 three rows are suppressed. */
static void costs_of_a_table_worked_out_by_hand(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    test_problem made;
    const unsigned levels[] = {1, 0};
    make_by_hand(run, NULL, &made);
    expect_real(&made, &kan_cost_height, 1, levels, 1);
    expect_real(&made, &kan_cost_discernibility, 1, levels, 9 + 1 + 1 + 1);
    expect_real(&made, &kan_cost_discernibility, 2, levels, 9 + 3 * 6);
    expect_real(&made, &kan_cost_average_class, 1, levels, 6 / 4.0);
    /* the three suppressed rows are one class beside the one that is released */
    expect_real(&made, &kan_cost_average_class, 2, levels, 6 / 2.0 / 2);
    expect_real(&made, &kan_cost_precision, 1, levels, (6 * 0.5 + 0) / 12);
    expect_real(&made, &kan_cost_precision, 2, levels, (3 * 0.5 + 3 * 2) / 12);
    expect_real(&made, &kan_cost_distortion, 1, levels, 6 / 18.0);
    expect_real(&made, &kan_cost_distortion, 2, levels, (3 + 3 * 3) / 18.0);
    /* two of four leaves: a third of the domain, the absent leaf counted */
    expect_real(&made, &kan_cost_ncp, 1, levels, 6 * (1 / 3.0) / 12);
    expect_real(&made, &kan_cost_ncp, 2, levels, (3 * (1 / 3.0) + 3 * 2) / 12);
    /* nothing is released: the worst of each */
    expect_real(&made, &kan_cost_discernibility, 6, levels, 36);
    expect_real(&made, &kan_cost_precision, 6, levels, 1);
    expect_real(&made, &kan_cost_distortion, 6, levels, 1);
    expect_real(&made, &kan_cost_ncp, 6, levels, 1);
    expect_real(&made, &kan_cost_average_class, 6, levels, 6 / 1.0 / 6);
    test_problem_destroy(&made);
    kan_run_destroy(run);
}

static void weights_count_attributes_more_or_less(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    test_problem made;
    const unsigned levels[] = {1, 1};
    make_by_hand(run, (const double[]){3, 0.5}, &made);
    expect_real(&made, &kan_cost_height, 1, levels, 3.5);
    expect_real(&made, &kan_cost_precision, 1, levels, (3 * 0.5 + 0.5 * 1) / 3.5);
    expect_real(&made, &kan_cost_distortion, 1, levels, (3 * 1 + 0.5 * 1) / (3 * 2 + 0.5 * 1));
    expect_real(&made, &kan_cost_ncp, 1, levels, (3 * (1 / 3.0) + 0.5 * 1) / 3.5);
    expect_real(&made, &kan_cost_discernibility, 1, levels, 16 + 4); /* knows no weights */
    test_problem_destroy(&made);
    /* weights of nothing leave nothing to lose */
    make_by_hand(run, (const double[]){0, 0}, &made);
    for (unsigned c = 4; c < N_COSTS; c++)
        expect_real(&made, costs[c], 1, levels, 0);
    test_problem_destroy(&made);
    kan_run_destroy(run);
}

static void weights_finer_than_a_millionth_are_compared_as_real_numbers(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    test_problem made;
    make_by_hand(run, (const double[]){1e-9, 2e-9}, &made);
    const test_question question = {.cost = &kan_cost_precision, .k = 1};
    kan_score low = measure(&made, &question, (const unsigned[]){1, 0});
    kan_score high = measure(&made, &question, (const unsigned[]){0, 1});
    assert_int_equal(kan_score_compare(&low, &high), -1);
    expect_real(&made, &kan_cost_precision, 1, (const unsigned[]){0, 1}, 2 / 3.0);
    test_problem_destroy(&made);
    kan_run_destroy(run);
}

static void a_cost_of_classes_without_a_class_column_is_refused(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    test_problem made;
    kan_objective objective = {NULL, NULL};
    kan_options options;
    make_by_hand(run, NULL, &made);
    kan_options_init(&options, kan_run_arena(run));
    assert_int_equal(kan_objective_create(run, kan_run_arena(run), &kan_cost_classification,
                                          &options, 1, &made.problem, &objective),
                     KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(run), "--class"));
    assert_null(objective.kind);
    kan_options_destroy(&options);
    test_problem_destroy(&made);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_cost_equals_its_definition, random_tear_down),
        cmocka_unit_test_teardown(scores_tie_exactly_when_costs_are_equal, random_tear_down),
        cmocka_unit_test(discernibility_is_exact_beyond_64_bits),
        cmocka_unit_test(discernibility_of_one_group_is_its_square_at_the_border_of_32_bits),
        cmocka_unit_test(costs_of_a_table_worked_out_by_hand),
        cmocka_unit_test(weights_count_attributes_more_or_less),
        cmocka_unit_test(weights_finer_than_a_millionth_are_compared_as_real_numbers),
        cmocka_unit_test(a_cost_of_classes_without_a_class_column_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
