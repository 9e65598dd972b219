/* Formulas as people write them, and those that are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "data/formula/formula.h"

static void expect(const char *text, const char *outcome, const char *terms) {
    kan_formula formula;
    const char *why;
    char joined[512] = "";
    assert_true(kan_formula_parse(text, &formula, &why));
    assert_true(kan_slice_is(formula.outcome, outcome));
    assert_int_equal(formula.uses_all, terms == NULL);
    for (size_t i = 0; i < formula.n_terms; i++)
        snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "[%.*s]",
                 (int)formula.terms[i].size, formula.terms[i].bytes);
    assert_string_equal(joined, terms ? terms : "");
}

static void names_are_read(void **state) {
    (void)state;
    expect("income", "income", NULL);
    expect(" income ~ . ", "income", NULL);
    expect("income ~ age", "income", "[age]");
    expect("income~age+sex", "income", "[age][sex]");
    expect("salary-class ~ age + marital-status", "salary-class", "[age][marital-status]");
    expect("net income ~ age of  mother + sex", "net income", "[age of  mother][sex]");
    expect("`a+b` ~ `c ~ d`+ ` e ` + f", "a+b", "[c ~ d][ e ][f]");
    expect("x ~ .hidden", "x", "[.hidden]");
}

static void expect_refused(const char *text, const char *reason) {
    kan_formula formula = {.n_terms = 7};
    const char *why = NULL;
    assert_false(kan_formula_parse(text, &formula, &why));
    assert_non_null(strstr(why, reason));
    assert_int_equal(formula.n_terms, 7);
}

static void what_is_no_formula_is_refused(void **state) {
    char many[1024] = "y ~ x0";
    (void)state;
    expect_refused("", "column to be predicted");
    expect_refused("~ age", "column to be predicted");
    expect_refused("income ~", "column to be predicted");
    expect_refused("income ~ age +", "column to be predicted");
    expect_refused("income ~ + age", "column to be predicted");
    expect_refused("income + age", "joined by +");
    expect_refused("income ~ age ~ sex", "joined by +");
    expect_refused("income ~ age * sex", "interactions");
    expect_refused("income ~ log(age)", "functions");
    expect_refused("income ~ `age` sex", "joined by +");
    expect_refused("`income ~ age", "backtick");
    expect_refused("`` ~ age", "backtick");
    expect_refused("income ~ age + age", "twice");
    expect_refused("income ~ age + `income`", "twice");
    expect_refused("income ~ . + age + .", "twice");
    for (int i = 1; i <= KAN_FORMULA_TERMS; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), "+x%d", i);
    expect_refused(many, "more than 64");
}

static void a_column_is_used_or_not(void **state) {
    kan_formula some, all;
    const char *why;
    (void)state;
    assert_true(kan_formula_parse("income ~ age + sex", &some, &why));
    assert_true(kan_formula_parse("income", &all, &why));
    assert_true(kan_formula_uses(&some, kan_slice_of("sex")));
    assert_false(kan_formula_uses(&some, kan_slice_of("zip")));
    assert_false(kan_formula_uses(&some, kan_slice_of("income")));
    assert_true(kan_formula_uses(&all, kan_slice_of("zip")));
    assert_false(kan_formula_uses(&all, kan_slice_of("income")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_read),
        cmocka_unit_test(what_is_no_formula_is_refused),
        cmocka_unit_test(a_column_is_used_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
