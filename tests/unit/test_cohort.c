/* Expressions that choose rows: how they are read, what is wrong with others, and what a test says of a value. Whole
 * tables are tried by oracle.where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "data/cohort/cohort.h"

static int set_up(void **state) {
    *state = kan_run_create();
    return *state ? 0 : -1;
}

static int tear_down(void **state) {
    kan_run_destroy(*state);
    return 0;
}

/* Joints as letters, behind what they join: "ab&" is a and b; an upper case letter is a negated test. */
static void expect_form(kan_run *run, const char *text, const char *form) {
    kan_cohort *cohort = NULL;
    char shown[KAN_COHORT_STEPS + 1] = "";
    assert_int_equal(kan_cohort_parse(run, kan_run_arena(run), text, &cohort), KAN_OK);
    for (size_t i = 0; i < cohort->n_steps; i++) {
        const kan_cohort_step step = cohort->steps[i];
        const kan_cohort_test *test = &cohort->tests[step.joint == KAN_COHORT_TEST ? step.left : 0];
        shown[i] = step.joint == KAN_COHORT_AND  ? '&'
                   : step.joint == KAN_COHORT_OR ? '|'
                   : test->is_negated            ? (char)(test->column.bytes[0] - 32)
                                                 : test->column.bytes[0];
        assert_true(step.joint == KAN_COHORT_TEST || (step.left < i && step.right < i));
    }
    assert_string_equal(shown, form);
}

static void and_binds_closer_than_or(void **state) {
    expect_form(*state, "a=1 or b=1 and c=1", "abc&|");
    expect_form(*state, "(a=1 or b=1) and c=1", "ab|c&");
    expect_form(*state, "a=1 and b=1 and c=1", "ab&c&");
    expect_form(*state, "a=1 AND b=1 Or c=1", "ab&c|");
}

static void not_moves_down_to_the_tests(void **state) {
    expect_form(*state, "not a=1", "A");
    expect_form(*state, "not not a=1", "a");
    expect_form(*state, "not (a=1 and b=1)", "AB|");
    expect_form(*state, "not (a=1 or not b!=1)", "AB&");
    expect_form(*state, "not a=1 and b=1", "Ab&");
    expect_form(*state, "a not in (1, 2)", "A");
    expect_form(*state, "not a not in (1, 2)", "a");
    expect_form(*state, "a is missing or a is not missing", "aA|");
    expect_form(*state, "a > 1 and b >= 1 and c < 1 and d <= 1 and e <> 1", "AB&c&d&E&");
}

static void names_and_texts_stand_in_either_quotes(void **state) {
    kan_run *run = *state;
    kan_cohort *cohort = NULL;
    assert_int_equal(
        kan_cohort_parse(run, kan_run_arena(run),
                         "\"hours \"\"a\"\" week\" = 'it''s' and native-country = \"\\\"", &cohort),
        KAN_OK);
    assert_true(kan_slice_is(cohort->tests[0].column, "hours \"a\" week"));
    assert_true(kan_slice_is(cohort->tests[0].values[0], "it's"));
    assert_true(kan_slice_is(cohort->tests[1].column, "native-country"));
    assert_true(kan_slice_is(cohort->tests[1].values[0], "\\"));
}

static void expect_refused(kan_run *run, const char *text, const char *where, const char *reason) {
    kan_cohort *cohort = NULL;
    assert_int_equal(kan_cohort_parse(run, kan_run_arena(run), text, &cohort), KAN_BAD_INPUT);
    assert_null(cohort);
    if (!strstr(kan_run_error(run), where) || !strstr(kan_run_error(run), reason))
        fail_msg("%s: %s", text, kan_run_error(run));
}

static void what_is_wrong_is_told_with_its_place_and_a_remedy(void **state) {
    expect_refused(*state, "", "character 1:", "name of a column");
    expect_refused(*state, "age", "character 4:", "comparison");
    expect_refused(*state, "age => 18", "character 6:", "value is wanted");
    expect_refused(*state, "age >= 18 region = 'x'", "character 11:", "and, or or the end");
    expect_refused(*state, "region = North", "character 10:", "\"North\"");
    expect_refused(*state, "region < 'North'", "character 10:", "no order");
    expect_refused(*state, "income > 70,5", "character 12:", "point before its decimals");
    expect_refused(*state, "born > 2001-02-30", "character 8:", "neither a number");
    expect_refused(*state, "age > 18x", "character 7:", "neither a number");
    expect_refused(*state, "(age > 18", "character 10:", "open since character 1");
    expect_refused(*state, "age > 18)", "character 9:", "and, or or the end");
    expect_refused(*state, "region = 'x", "character 10:", "does not end");
    expect_refused(*state, "region = ''", "character 10:", "is missing");
    expect_refused(*state, "region = \"?\"", "character 10:", "is missing");
    expect_refused(*state, "region in ('x', 5)", "character 17:", "all numbers");
    expect_refused(*state, "region in ()", "character 12:", "value is wanted");
    expect_refused(*state, "region in 'x'", "character 11:", "parentheses");
    expect_refused(*state, "region is 'x'", "character 11:", "missing");
    expect_refused(*state, "and = 1", "character 1:", "in quotes");
    expect_refused(*state, "age > 1; DROP TABLE x", "character 8:", "means nothing");
    expect_refused(*state, "\xc3\xa4ge > 1 ! x", "character 9:", "means nothing");
}

static void limits_are_told(void **state) {
    kan_run *run = *state;
    char deep[400] = "", *many;
    memset(deep, '(', 65);
    strcpy(deep + 65, "a=1");
    expect_refused(run, deep, "character 65:", "parentheses");
    assert_int_equal(kan_alloc(run, 6000, 1, &many), KAN_OK);
    for (size_t i = 0; i < 257; i++)
        (void)sprintf(many + 7 * i, "%s", i < 256 ? "a=1 or " : "a=1");
    expect_refused(run, many, "", "more than 256 tests");
    many[7 * 256 - 4] = '\0';
    kan_cohort *cohort = NULL;
    assert_int_equal(kan_cohort_parse(run, kan_run_arena(run), many, &cohort), KAN_OK);
    assert_int_equal(cohort->n_steps, 511);
    kan_free(run, many);
}

static void expect_answer(kan_run *run, const char *text, const char *value,
                          kan_cohort_answer answer) {
    kan_cohort *cohort = NULL;
    assert_int_equal(kan_cohort_parse(run, kan_run_arena(run), text, &cohort), KAN_OK);
    if (kan_cohort_ask(&cohort->tests[0], kan_slice_of(value)) != answer)
        fail_msg("%s of '%s'", text, value);
}

static void values_are_compared_as_the_expression_says(void **state) {
    expect_answer(*state, "a = 18", "18.0", KAN_COHORT_YES);
    expect_answer(*state, "a = 18", "018", KAN_COHORT_YES);
    expect_answer(*state, "a = '18'", "18.0", KAN_COHORT_NO);
    expect_answer(*state, "a = '18'", "18", KAN_COHORT_YES);
    expect_answer(*state, "a > 0.1", "0.10000000000000000001", KAN_COHORT_YES);
    expect_answer(*state, "a <= 0.1", "0.10000000000000000001", KAN_COHORT_NO);
    expect_answer(*state, "a < 10", "9", KAN_COHORT_YES);
    expect_answer(*state, "a = 'x'", "X", KAN_COHORT_NO);
    expect_answer(*state, "a = 'x'", "x ", KAN_COHORT_NO);
    expect_answer(*state, "a in (3, 1, 2)", "2.00", KAN_COHORT_YES);
    expect_answer(*state, "a not in (3, 1, 2)", "4", KAN_COHORT_YES);
    expect_answer(*state, "a <= 2020-01-31", "2020-01-31", KAN_COHORT_YES);
    expect_answer(*state, "a <= 2020-01-31", "2020-01-31 13:45:00", KAN_COHORT_NO);
    expect_answer(*state, "a < 2020-02-01", "2020-01-31 13:45:00", KAN_COHORT_YES);
}

static void what_does_not_fit_is_no_answer(void **state) {
    expect_answer(*state, "a = 18", "x", KAN_COHORT_MISFIT);
    expect_answer(*state, "a != 18", "NaN", KAN_COHORT_MISFIT);
    expect_answer(*state, "a > 18", "2020-01-31", KAN_COHORT_MISFIT);
    expect_answer(*state, "a > 2020-01-31", "18", KAN_COHORT_MISFIT);
}

static void a_missing_value_answers_nothing_but_is_missing(void **state) {
    static const char *const tests[] = {
        "a = 1",   "a != 1",   "not a = 1",    "a < 1",        "a >= 1",         "a in (1, 2)",
        "a = 'x'", "a != 'x'", "a not in (1)", "not a != 'x'", "a <= 2001-01-01"};
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        expect_answer(*state, tests[i], "", KAN_COHORT_NO);
        expect_answer(*state, tests[i], "?", KAN_COHORT_NO);
    }
    expect_answer(*state, "a is missing", "", KAN_COHORT_YES);
    expect_answer(*state, "a is missing", "?", KAN_COHORT_YES);
    expect_answer(*state, "a is missing", "x", KAN_COHORT_NO);
    expect_answer(*state, "a is not missing", "", KAN_COHORT_NO);
    expect_answer(*state, "not a is missing", "x", KAN_COHORT_YES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(and_binds_closer_than_or, set_up, tear_down),
        cmocka_unit_test_setup_teardown(not_moves_down_to_the_tests, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_and_texts_stand_in_either_quotes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_told_with_its_place_and_a_remedy, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(limits_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(values_are_compared_as_the_expression_says, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_does_not_fit_is_no_answer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_missing_value_answers_nothing_but_is_missing, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
