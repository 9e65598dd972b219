/* analyze/workload/workload.h: answers on the original, answers on a release, and the errors of
 * these. The two queries of section 2.4 of the Mondrian paper are here, with its Tables 2, 3 and 4.
 */
#include "analyze/workload/workload.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/workload_scene.h"

static void near(double value, double expected, const char *what, size_t query) {
    if (fabs(value - expected) > 1e-9 * fmax(1, fabs(expected)))
        fail_msg("query %zu: %s is %.12g, not %.12g", query + 1, what, value, expected);
}

#define NONE (-12345.0)

typedef struct {
    double truth, estimate;
    bool matches;
} expected_answer;

/* Answers of the scene's workload, in order. */
static void expect_answers(workload_scene *scene, const expected_answer *expected) {
    EXPECT_OK(scene->run, scene_measure(scene));
    for (size_t i = 0; i < scene->workload->n_queries; i++) {
        const kan_query_result *result = &scene->utility.results[i];
        assert_int_equal(result->has_truth, expected[i].truth != NONE);
        assert_int_equal(result->has_estimate, expected[i].estimate != NONE);
        if (result->has_truth)
            near(result->truth, expected[i].truth, "the truth", i);
        if (result->has_estimate)
            near(result->estimate, expected[i].estimate, "the estimate", i);
        assert_int_equal(result->matches, expected[i].matches);
    }
}

#define EXPECT_ANSWERS(original, released, queries, ...)                                           \
    do {                                                                                           \
        workload_scene scene_;                                                                     \
        scene_init(&scene_, original, released, queries);                                          \
        expect_answers(&scene_, (const expected_answer[]){__VA_ARGS__});                           \
        scene_destroy(&scene_);                                                                    \
    } while (0)

/* ---- the paper ------------------------------------------------------------------------------ */

static const char patients[] = "age sex zipcode\n"
                               "35 Male 53711\n35 Female 53712\n36 Male 53711\n"
                               "37 Male 53710\n37 Female 53712\n38 Male 53711\n";
static const char table_3[] = "age sex zipcode\n"
                              "[35-36] Male 53711\n[35-37] Female 53712\n[35-36] Male 53711\n"
                              "[37-38] Male [53710-53711]\n[35-37] Female 53712\n"
                              "[37-38] Male [53710-53711]\n";
static const char table_2[] = "age sex zipcode\n"
                              "[35-38] Male [53710-53711]\n[35-38] Female 53712\n"
                              "[35-38] Male [53710-53711]\n[35-38] Male [53710-53711]\n"
                              "[35-38] Female 53712\n[35-38] Male [53710-53711]\n";
/* Table 4, its sixth row added and its mean of 37 and 38 put right. */
static const char table_4[] = "age age-mean sex zipcode\n"
                              "[35-36] 35.5 Male 53711\n[35-37] 36 Female 53712\n"
                              "[35-36] 35.5 Male 53711\n[37-38] 37.5 Male [53710-53711]\n"
                              "[35-37] 36 Female 53712\n[37-38] 37.5 Male [53710-53711]\n";
static const char two_queries[] = "AVG(age) WHERE sex = 'Male'\n"
                                  "COUNT WHERE sex = 'Male' AND age <= 36\n";

static void the_papers_queries_are_exact_on_its_multidimensional_release(void **state) {
    (void)state;
    EXPECT_ANSWERS(patients, table_3, two_queries, {36.5, 36.5, true}, {2, 2, true});
    EXPECT_ANSWERS(patients, table_4, two_queries, {36.5, 36.5, true}, {2, 2, true});
}

/* The paper says of Table 2 that the second query cannot be answered precisely: its predicate cuts
 * every group of males. Where the ages are not as even as the paper's four, the number shows it. */
static void the_papers_second_query_cuts_its_single_dimensional_release(void **state) {
    static const char uneven[] = "age sex zipcode\n"
                                 "35 Male 53711\n35 Female 53712\n35 Male 53711\n"
                                 "35 Male 53710\n37 Female 53712\n38 Male 53711\n";
    workload_scene scene;
    (void)state;
    EXPECT_ANSWERS(patients, table_2, two_queries, {36.5, 36.5, true}, {2, 2, false});
    EXPECT_ANSWERS(uneven, table_2, two_queries, {35.75, 36.5, true}, {3, 2, false});
    scene_init(&scene, patients, table_2, two_queries);
    EXPECT_OK(scene.run, scene_measure(&scene));
    assert_int_equal(scene.utility.n_matching, 1);
    assert_int_equal(scene.utility.n_predicates, 3);
    assert_int_equal(scene.utility.n_matching_predicates, 2); /* sex = Male, twice */
    scene_destroy(&scene);
}

/* ---- what released values stand for --------------------------------------------------------- */

static void a_range_stands_for_every_whole_number_in_it(void **state) {
    (void)state;
    EXPECT_ANSWERS("a\n10\n19\n", "a\n[10-19]\n[10-19]\n",
                   "COUNT WHERE a <= 12\nCOUNT WHERE a < 12\nCOUNT WHERE a > 12.5\n"
                   "COUNT WHERE a = 15\nCOUNT WHERE a = 15.5\nCOUNT WHERE a IN (11, 12, 30)\n"
                   "SUM(a)\nAVG(a) WHERE a >= 18\nMIN(a) WHERE a > 12.5\nMAX(a) WHERE a < 12.5\n",
                   {1, 0.6, false}, {1, 0.4, false}, {1, 1.4, false}, {0, 0.2, false}, {0, 0, true},
                   {0, 0.4, false}, {29, 29, true}, {19, 18.5, false}, {19, 13, false},
                   {10, 12, false});
}

static void the_unit_of_fractions_is_their_last_decimal(void **state) {
    (void)state;
    EXPECT_ANSWERS("a\n0.5\n1\n0.29\n", "a\n[0.29-0.5]\n1\n[0.29-0.5]\n",
                   "COUNT WHERE a = 0.29\nCOUNT WHERE a < 0.3\nCOUNT WHERE a <= 0.5\nAVG(a)\n",
                   {1, 2 / 22.0, false}, {1, 2 / 22.0, false}, {2, 2, true},
                   {1.79 / 3, (2 * 0.395 + 1) / 3, true});
}

static void the_unit_of_dates_is_a_day(void **state) {
    (void)state;
    EXPECT_ANSWERS("d\n2003-01-30\n2003-02-02\n", "d\n[2003-01-30..2003-02-02]\n",
                   "COUNT WHERE d < 2003-02-01\nCOUNT WHERE d BETWEEN 2003-02-01 AND 2003-02-09\n",
                   {1, 0.5, false}, {1, 0.5, false});
}

static void half_open_ranges_leave_out_their_end(void **state) {
    (void)state;
    EXPECT_ANSWERS("a\n10\n14\n", "a\n[10,_15)\n[10,_15)\n", "COUNT WHERE a < 12\nMAX(a)\n",
                   {1, 0.8, false}, {14, 14, true});
}

static void a_list_stands_for_its_values(void **state) {
    (void)state;
    EXPECT_ANSWERS("a b\nx 1\ny 2\nz ?\n", "a b\n{x,_y} {1,_2}\n{x,_y} {1,_2}\nz {?,_[1-2]}\n",
                   "COUNT WHERE a = x\nCOUNT WHERE a IN (x, y)\nCOUNT WHERE a = z AND b = ?\n"
                   "SUM(b)\nAVG(b) WHERE a = z\nCOUNT WHERE b <= 1\n",
                   {1, 1, false}, {2, 2, true}, {1, 1 / 3.0, false}, {3, 4, true},
                   {NONE, 1.5, true}, {1, 4 / 3.0, false});
}

static void a_star_stands_for_every_original_value(void **state) {
    (void)state;
    EXPECT_ANSWERS("a b\nx 1\ny 2\nz 9\n", "a b\n* *\n* *\n* *\n",
                   "COUNT WHERE a = x\nCOUNT WHERE a = x AND b <= 2\nSUM(b)\nMAX(b) WHERE b < 9\n"
                   "COUNT WHERE a IN (x, y, z)\n",
                   {1, 1, false}, {1, 2 / 3.0, false}, {12, 12, true}, {2, 2, false}, {3, 3, true});
}

static void a_label_stands_for_the_values_below_it(void **state) {
    (void)state;
    workload_scene scene;
    scene_init(&scene, "town age\nBonn 21\nUlm 29\nKiel 35\n",
               "town age\nSouth 20-29\nSouth 20-29\n"
               "Kiel 30-39\n",
               "COUNT WHERE town = Bonn\nCOUNT WHERE age < 25\nCOUNT WHERE age < 30\nAVG(age)\n"
               "COUNT WHERE town IN (Bonn, Ulm) AND age BETWEEN 20 AND 29\n");
    scene_bind(&scene, "town", "Bonn;South;*\nUlm;South;*\nKiel;Kiel;*\nRom;Rom;*\n");
    scene_bind(&scene, "age", "intervals:10@0");
    expect_answers(
        &scene,
        (const expected_answer[]){
            {1, 1, false}, {1, 1, false}, {2, 2, true}, {85 / 3.0, 85 / 3.0, true}, {2, 2, true}});
    scene_destroy(&scene);
}

static void what_is_a_value_is_that_value_however_it_looks(void **state) {
    (void)state;
    EXPECT_ANSWERS("a\n{x,_y}\nx\ny\n", "a\n{x,_y}\nx\ny\n",
                   "COUNT WHERE a = x\nCOUNT WHERE a = \"{x, y}\"\n", {1, 1, true}, {1, 1, true});
}

static void what_cannot_be_read_is_named_with_the_remedy(void **state) {
    (void)state;
    workload_scene scene;
    scene_init(&scene, "age town\n21 Bonn\n29 Ulm\n", "age town\n20-29 South\n20-29 North\n",
               "COUNT WHERE age < 25 AND town = Bonn\n");
    assert_int_equal(scene_measure(&scene), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(scene.run), "release: column 'age' shows '20-29', which"));
    assert_non_null(strstr(kan_run_error(scene.run),
                           "column 'town' shows 'North' (and others like it), which"));
    assert_non_null(strstr(kan_run_error(scene.run), "--qi town=HIERARCHY"));
    scene_destroy(&scene);
}

/* ---- means ---------------------------------------------------------------------------------- */

static void a_released_mean_is_taken_where_no_predicate_cuts(void **state) {
    (void)state;
    EXPECT_ANSWERS("a\n1\n2\n9\n", "a a-mean\n[1-9] 4\n[1-9] 4\n[1-9] 4\n",
                   "SUM(a)\nAVG(a) WHERE a >= 1\nAVG(a) WHERE a <= 2\nMAX(a)\n", {12, 12, true},
                   {4, 4, true}, {1.5, 1.5, false}, {9, 9, true});
    /* a row that is unknown has no part in the mean */
    EXPECT_ANSWERS("a\n1\n3\n?\n", "a a-mean\n{?,_1,_3} 2.5\n",
                   "SUM(a)\nAVG(a)\nSUM(a) WHERE a > 0\n", {4, 2.5 * 2 / 3, true}, {2, 2.5, true},
                   {4, 2.5 * 2 / 3, false});
    /* where there is none, the cell says it */
    EXPECT_ANSWERS("a\n1\n3\n", "a a-mean\n[1-3] *\n[1-3] *\n", "AVG(a)\n", {2, 2, true});
}

static void a_column_of_means_matches_no_predicate(void **state) {
    (void)state;
    EXPECT_ANSWERS("a\n1\n2\n5\n6\n", "a\n1.5\n1.5\n5.5\n5.5\n",
                   "COUNT WHERE a <= 2\nAVG(a)\nCOUNT WHERE a <= 1\n", {2, 2, false},
                   {3.5, 3.5, true}, {1, 0, false});
}

/* ---- unknown values, no rows ---------------------------------------------------------------- */

static void unknown_values_count_and_have_no_part_in_sums(void **state) {
    (void)state;
    EXPECT_ANSWERS("a\n?\n4\n6\n_\n", "a\n?\n4\n6\n_\n",
                   "COUNT\nSUM(a)\nAVG(a)\nMIN(a)\nCOUNT WHERE a >= 0\nCOUNT WHERE a = ?\n"
                   "COUNT WHERE a IN (\"\", ?, 4)\nCOUNT WHERE a = ? AND a < 5\n",
                   {4, 4, true}, {10, 10, true}, {5, 5, true}, {4, 4, true}, {2, 2, true},
                   {1, 1, true}, {3, 3, true}, {0, 0, true});
}

static void aggregates_of_no_row_have_no_answer(void **state) {
    (void)state;
    workload_scene scene;
    scene_init(&scene, "a\n1\n2\n", "a\n[1-2]\n[1-2]\n",
               "AVG(a) WHERE a > 5\nMIN(a) WHERE a > 5\nMAX(a) WHERE a > 5\nSUM(a) WHERE a > 5\n"
               "COUNT WHERE a > 5\n");
    expect_answers(&scene, (const expected_answer[]){{NONE, NONE, true},
                                                     {NONE, NONE, true},
                                                     {NONE, NONE, true},
                                                     {0, 0, true},
                                                     {0, 0, true}});
    near(scene.utility.largest, 0, "the largest error", 0);
    scene_destroy(&scene);
    /* one of both has an answer: the error is 1 */
    scene_init(&scene, "a\n1\n9\n", "a\n[1-9]\n[1-9]\n", "AVG(a) WHERE a = 5\n");
    expect_answers(&scene, (const expected_answer[]){{NONE, 5, false}});
    near(scene.utility.results[0].error, 1, "the error", 0);
    scene_destroy(&scene);
}

static void what_is_too_large_to_be_added_up_is_told_and_not_answered(void **state) {
    static const char *const queries[] = {"SUM(pay)", "AVG(pay) WHERE pay < 0",
                                          "COUNT WHERE pay > 5"};
    workload_scene scene;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        scene_init(&scene, "pay\n-1.7e308\n1.7e308\n1.7e308\n0\n",
                   "pay\n[-1.7e308..1.7e308]\n[-1.7e308..1.7e308]\n[0-1.7e308]\n[0-1.7e308]\n",
                   queries[i]);
        assert_int_equal(scene_measure(&scene), KAN_BAD_INPUT);
        assert_non_null(strstr(kan_run_error(scene.run), "too large to be added up"));
        scene_destroy(&scene);
    }
    /* what needs no sum is answered */
    EXPECT_ANSWERS("pay\n-1e100\n7\n", "pay\n[-1e100..7]\n[-1e100..7]\n", "MAX(pay)\nMIN(pay)\n",
                   {7, 7, true}, {-1e100, -1e100, true});
}

static void suppressed_rows_that_were_left_out_are_missed(void **state) {
    (void)state;
    EXPECT_ANSWERS("a\n1\n2\n9\n", "a\n[1-2]\n[1-2]\n", "COUNT\nMAX(a)\n", {3, 2, true},
                   {9, 2, true});
}

/* ---- several predicates --------------------------------------------------------------------- */

static void predicates_on_one_column_are_one_range(void **state) {
    (void)state;
    EXPECT_ANSWERS(
        "a\n1\n4\n8\n", "a\n[1-8]\n[1-8]\n[1-8]\n",
        "COUNT WHERE a >= 3 AND a < 5\nCOUNT WHERE a IN (3, 4, 8) AND a < 8\n"
        "COUNT WHERE a < 8 AND a IN (3, 4, 8) AND a IN (4, 8)\nCOUNT WHERE a > 5 AND a < 4\n",
        {1, 3 * 2 / 8.0, false}, {1, 3 * 2 / 8.0, false}, {1, 3 / 8.0, false}, {0, 0, true});
}

static void numbers_are_compared_by_value(void **state) {
    (void)state;
    EXPECT_ANSWERS("a\n1\n1.0\n01\n2\n", "a\n1\n1.0\n01\n2\n",
                   "COUNT WHERE a = 1\nCOUNT WHERE a IN (1.00, 2e0)\n", {3, 3, true}, {4, 4, true});
}

/* ---- errors --------------------------------------------------------------------------------- */

static void errors_are_relative_to_the_truth_or_to_a_floor(void **state) {
    (void)state;
    workload_scene scene;
    /* mean of |a| is 6 */
    scene_init(&scene, "a b\n0 x\n8 x\n10 y\n", "a b\n[0-10] *\n[0-10] *\n[0-10] *\n",
               "COUNT WHERE a <= 4\nCOUNT WHERE a = 5\nSUM(a) WHERE a = 5\nMIN(a) WHERE a >= 1\n"
               "MAX(a) WHERE a < 8\n");
    expect_answers(&scene, (const expected_answer[]){{1, 15 / 11.0, false},
                                                     {0, 3 / 11.0, false},
                                                     {0, 15 / 11.0, false},
                                                     {8, 1, false},
                                                     {0, 7, false}});
    near(scene.utility.results[0].error, 4 / 11.0, "the error", 0);
    near(scene.utility.results[1].error, 3 / 11.0, "the error", 1);
    near(scene.utility.results[2].error, 15 / 11.0 / 6, "the error", 2);
    near(scene.utility.results[3].error, 7 / 8.0, "the error", 3);
    near(scene.utility.results[4].error, 7 / 0.06, "the error", 4);
    scene_destroy(&scene);
}

static void percentiles_have_the_weight_of_the_queries(void **state) {
    (void)state;
    workload_scene scene;
    /* errors 0, 1/2 and 1/4, in that order */
    scene_init(&scene, "a\n1\n2\n3\n4\n", "a\n[1-4]\n[1-4]\n[1-4]\n4\n",
               "weight 6 COUNT\nCOUNT WHERE a = 4\nweight 3 COUNT WHERE a = 3\n");
    EXPECT_OK(scene.run, scene_measure(&scene));
    near(scene.utility.results[1].error, 0.75, "the error", 1);
    near(scene.utility.results[2].error, 0.25, "the error", 2);
    near(scene.utility.mean, (0.75 + 3 * 0.25) / 10, "the mean", 0);
    near(scene.utility.median, 0, "the median", 0);
    near(scene.utility.percentile_90, 0.25, "the percentile", 0);
    near(scene.utility.largest, 0.75, "the largest", 0);
    assert_int_equal(scene.utility.n_matching, 1);
    scene_destroy(&scene);
}

static void what_a_column_cannot_answer_is_told_with_its_place(void **state) {
    (void)state;
    static const char *const parts[] = {
        ":1:5: AVG needs numbers, and column 't' holds text",
        ":2:13: column 't' holds text, and < compares numbers or dates",
        ":3:17: 'x' is not a number, and column 'n' holds numbers",
        ":4:27: nothing lies between the two",
        ":5:17: '2003' is not a date, and column 'd' holds dates; write year-month-day",
        ":6:5: MAX needs numbers, and column 'd' holds dates",
        ":7:17: '?' is not a number"};
    workload_scene scene;
    scene_init(&scene, "n t d\n1 a 2003-01-01\n", "n t d\n1 a 2003-01-01\n",
               "AVG(t)\nCOUNT WHERE t < b\nCOUNT WHERE n = x\nCOUNT WHERE  n   BETWEEN  9 AND 3\n"
               "COUNT WHERE d > 2003\nMAX(d)\nCOUNT WHERE n < ?\nCOUNT WHERE n = ?\n");
    assert_int_equal(scene_measure(&scene), KAN_BAD_INPUT);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(kan_run_error(scene.run), parts[i]))
            fail_msg("expected <%s> in <%s>", parts[i], kan_run_error(scene.run));
    scene_destroy(&scene);
}

static void measuring_that_finds_no_room_is_an_error_and_leaves_nothing(void **state) {
    (void)state;
    workload_scene scene;
    kan_status status = KAN_FAILED;
    size_t n_refused = 0;
    scene_init(&scene, "a b\n1 x\n4 y\n?  x\n", "a b a-mean\n[1-4] {x,_y} 2.5\n{?,_[1-4]} * 2.5\n",
               "COUNT WHERE a >= 3 AND a < 5 AND b = x\nAVG(a) WHERE a IN (1, 4)\n");
    scene_bind(&scene, "b", "suppress");
    kan_run_set_memory(scene.run, UINT64_C(1) << 40);
    const uint64_t used = (UINT64_C(1) << 40) - kan_run_memory_left(scene.run);
    for (uint64_t more = 8; status != KAN_OK; more += 8) {
        kan_run_set_memory(scene.run, used + more);
        status = scene_measure(&scene);
        n_refused += status != KAN_OK;
        if (status != KAN_OK)
            assert_int_equal(kan_run_memory_left(scene.run), more);
    }
    assert_true(n_refused > 1);
    scene_destroy(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_papers_queries_are_exact_on_its_multidimensional_release),
        cmocka_unit_test(the_papers_second_query_cuts_its_single_dimensional_release),
        cmocka_unit_test(a_range_stands_for_every_whole_number_in_it),
        cmocka_unit_test(the_unit_of_fractions_is_their_last_decimal),
        cmocka_unit_test(the_unit_of_dates_is_a_day),
        cmocka_unit_test(half_open_ranges_leave_out_their_end),
        cmocka_unit_test(a_list_stands_for_its_values),
        cmocka_unit_test(a_star_stands_for_every_original_value),
        cmocka_unit_test(a_label_stands_for_the_values_below_it),
        cmocka_unit_test(what_is_a_value_is_that_value_however_it_looks),
        cmocka_unit_test(what_cannot_be_read_is_named_with_the_remedy),
        cmocka_unit_test(a_released_mean_is_taken_where_no_predicate_cuts),
        cmocka_unit_test(a_column_of_means_matches_no_predicate),
        cmocka_unit_test(unknown_values_count_and_have_no_part_in_sums),
        cmocka_unit_test(aggregates_of_no_row_have_no_answer),
        cmocka_unit_test(what_is_too_large_to_be_added_up_is_told_and_not_answered),
        cmocka_unit_test(suppressed_rows_that_were_left_out_are_missed),
        cmocka_unit_test(predicates_on_one_column_are_one_range),
        cmocka_unit_test(numbers_are_compared_by_value),
        cmocka_unit_test(errors_are_relative_to_the_truth_or_to_a_floor),
        cmocka_unit_test(percentiles_have_the_weight_of_the_queries),
        cmocka_unit_test(what_a_column_cannot_answer_is_told_with_its_place),
        cmocka_unit_test(measuring_that_finds_no_room_is_an_error_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
