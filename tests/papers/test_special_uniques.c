/* Numbers that others publish.
 *
 * SUDA: the example of "Statistical Disclosure Control: A Practice Guide" (Benschop, Machingauta,
 * Welch), section on calculating SUDA scores: ten people, four columns, sets of up to three. Its
 * scores are ours. Its DIS-SUDA stands beside them, but follows from sdcMicro's older scores: sets
 * of k of n columns count (2^(n-k) - 1) k! (n-k)! / n!. The formula is tried with both.
 *
 * Matches: the three tables of ARX's test of wildcards (TestWildcardMatching), with how many rows
 * each row matches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "analyze/risk/risk.h"
#include "support/plain.h"

typedef struct {
    kan_run *run;
    kan_table *table;
    kan_risk_tuples tuples;
} scene;

static void scene_make(scene *s, size_t n_columns, size_t n_rows, const char *const *cells) {
    static const char *const names[] = {"a", "b", "c", "d"};
    static const size_t columns[] = {0, 1, 2, 3};
    s->run = kan_run_create();
    EXPECT_OK(s->run, kan_table_create(s->run, n_columns, names, &s->table));
    for (size_t r = 0; r < n_rows; r++)
        EXPECT_OK(s->run, kan_table_add_row(s->table, cells + r * n_columns));
    EXPECT_OK(s->run, kan_table_seal(s->table));
    EXPECT_OK(s->run, kan_risk_tuples_make(s->run, s->table, columns, n_columns, &s->tuples));
}

static void scene_destroy(scene *s) {
    kan_risk_tuples_destroy(&s->tuples);
    kan_table_destroy(s->table);
    kan_run_destroy(s->run);
}

/* ---- SUDA ----------------------------------------------------------------------------------- */

static const char *const guide[10][4] = {
    {"Urban", "Female", "Secondary incomplete", "Employed"},
    {"Urban", "Female", "Secondary incomplete", "Employed"},
    {"Urban", "Female", "Primary incomplete", "Non-LF"},
    {"Urban", "Male", "Secondary complete", "Employed"},
    {"Rural", "Female", "Secondary complete", "Unemployed"},
    {"Urban", "Male", "Secondary complete", "Employed"},
    {"Urban", "Female", "Primary complete", "Non-LF"},
    {"Urban", "Male", "Post-secondary", "Unemployed"},
    {"Urban", "Female", "Secondary incomplete", "Non-LF"},
    {"Urban", "Female", "Secondary incomplete", "Non-LF"},
};

static void scores_are_those_of_the_practice_guide(void **state) {
    static const uint64_t scores[] = {0, 0, 6, 0, 12, 0, 6, 10, 0, 0};
    scene s;
    (void)state;
    scene_make(&s, 4, 10, guide[0]);
    for (unsigned most = 3; most <= 4; most++) { /* nobody needs four columns */
        kan_suda suda;
        const kan_suda_question question = {.tuples = &s.tuples, .most = most};
        EXPECT_OK(s.run, kan_suda_find(&question, &suda));
        assert_int_equal(suda.n_unique, 4);
        for (size_t r = 0; r < 10; r++) {
            const uint32_t unique = suda.unique_of_tuple[s.tuples.tuple_of_row[r]];
            const uint64_t score = unique == UINT32_MAX ? 0 : kan_suda_score(&suda, unique);
            assert_int_equal(score, scores[r]);
        }
        kan_suda_destroy(&suda);
    }
    scene_destroy(&s);
}

static bool is_told_as(double number, double told) {
    return fabs(number - told) < 0.00005 + 1e-12;
}

/* The formula as the guide's tool has it, with its own weights. */
static double spread(double dis, double n_unique, double power, double score, double sum) {
    return 1 / (1 + (n_unique / dis - n_unique) / (pow(score, power) * sum));
}

static void dis_suda_is_that_of_the_practice_guide(void **state) {
    static const double scores[] = {1.75, 3.25, 1.75, 2.75},
                        told[] = {0.0051, 0.0107, 0.0051, 0.0088};
    static const double ours[] = {6, 12, 6, 10};
    scene s;
    kan_suda suda;
    double dis_suda[4], old_sum = 0, sum = 0;
    (void)state;
    scene_make(&s, 4, 10, guide[0]);
    const kan_suda_question question = {.tuples = &s.tuples, .most = 4};
    EXPECT_OK(s.run, kan_suda_find(&question, &suda));
    /* Four are unique, six are in pairs, and one in a hundred is in the table. */
    const double dis = kan_suda_dis(4, 6, 0.01);
    assert_true(fabs(dis - 0.04 / 5.98) < 1e-12);
    for (size_t i = 0; i < 4; i++) {
        old_sum += pow(scores[i], -1.2);
        sum += pow(ours[i], -1.2);
    }
    kan_suda_spread(&suda, dis, dis_suda);
    for (size_t i = 0; i < 4; i++) {
        assert_true(is_told_as(spread(dis, 4, 1.2, scores[i], old_sum), told[i]));
        assert_true(fabs(dis_suda[i] - spread(dis, 4, 1.2, ours[i], sum)) < 1e-12);
    }
    kan_suda_destroy(&suda);
    scene_destroy(&s);
}

/* The two in a thousand of a table that is all of its population: every match is right. */
static void with_the_whole_population_every_unique_match_is_right(void **state) {
    (void)state;
    assert_true(kan_suda_dis(2, 998, 1) == 1);
    assert_true(kan_suda_dis(0, 10, 0.5) == 0);
}

static void weights_are_products_down_to_the_largest_set(void **state) {
    (void)state;
    assert_int_equal(kan_suda_weight(4, 3, 1), 6);
    assert_int_equal(kan_suda_weight(4, 3, 2), 2);
    assert_int_equal(kan_suda_weight(4, 3, 3), 1);
    assert_int_equal(kan_suda_weight(9, 4, 1), 8 * 7 * 6 * 5);
    assert_int_equal(kan_suda_weight(9, 4, 4), 5);
    assert_int_equal(kan_suda_weight(4, 4, 4), 1); /* nothing is left to multiply */
    assert_int_equal(kan_suda_weight(1, 1, 1), 1);
}

/* ---- matches -------------------------------------------------------------------------------- */

static void check_matches(size_t n_columns, size_t n_rows, const char *const *cells,
                          const uint64_t *expected) {
    scene s;
    kan_matching *matching;
    uint64_t matches[16];
    scene_make(&s, n_columns, n_rows, cells);
    EXPECT_OK(s.run, kan_matching_create(&s.tuples, &matching));
    EXPECT_OK(s.run, kan_matching_count(matching, matches));
    for (size_t r = 0; r < n_rows; r++)
        assert_int_equal(matches[s.tuples.tuple_of_row[r]], expected[r]);
    kan_matching_destroy(matching);
    scene_destroy(&s);
}

static void matches_are_those_of_arx(void **state) {
    static const char *const first[8][2] = {{"M", "4711"}, {"M", "4711"}, {"M", "4711"},
                                            {"*", "4711"}, {"*", "4711"}, {"F", "4712"},
                                            {"F", "*"},    {"M", "*"}};
    static const uint64_t in_first[] = {6, 6, 6, 7, 7, 2, 4, 6};
    static const char *const second[10][3] = {
        {"*", "F", "North"},  {"68", "F", "North"}, {"68", "*", "North"}, {"*", "*", "North"},
        {"*", "*", "North"},  {"*", "*", "North"},  {"68", "F", "*"},     {"68", "*", "South"},
        {"68", "F", "South"}, {"68", "F", "South"}};
    static const uint64_t in_second[] = {7, 7, 7, 7, 7, 7, 10, 4, 4, 4};
    static const char *const third[10][2] = {
        {"73", "C18.7"}, {"73", "C18.7"}, {"*", "C18.7"},  {"*", "C18.7"},  {"*", "C18.2"},
        {"67", "C18.2"}, {"67", "C18.2"}, {"67", "C18.7"}, {"67", "C18.7"}, {"67", "C18.7"}};
    static const uint64_t in_third[] = {4, 4, 7, 7, 3, 3, 3, 5, 5, 5};
    (void)state;
    check_matches(2, 8, first[0], in_first);
    check_matches(3, 10, second[0], in_second);
    check_matches(2, 10, third[0], in_third);
}

/* (1,*) matches both others, which do not match each other. */
static void matching_is_not_transitive(void **state) {
    static const char *const rows[3][2] = {{"1", "*"}, {"1", "2"}, {"1", "3"}};
    static const uint64_t expected[] = {3, 2, 2};
    (void)state;
    check_matches(2, 3, rows[0], expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_those_of_the_practice_guide),
        cmocka_unit_test(dis_suda_is_that_of_the_practice_guide),
        cmocka_unit_test(with_the_whole_population_every_unique_match_is_right),
        cmocka_unit_test(weights_are_products_down_to_the_largest_set),
        cmocka_unit_test(matches_are_those_of_arx),
        cmocka_unit_test(matching_is_not_transitive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
