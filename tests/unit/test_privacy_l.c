/* privacy/l_diversity.c: distinct, entropy, recursive. */
#include "sensitive_column.h"

static const char *const letters[] = {"a", "b", "c", "d", NULL};

static void open_letters(sensitive_column *s, const char *l, const char *kind) {
    sensitive_open(s, letters, (const size_t[]){40, 30, 20, 10});
    sensitive_say(s, "l", l);
    if (kind)
        sensitive_say(s, "l-kind", kind);
}

#define PASSES(s, ...)                                                                             \
    assert_true(sensitive_passes(s, &kan_privacy_l_diversity, (uint64_t[]){__VA_ARGS__}))
#define FAILS(s, ...)                                                                              \
    assert_false(sensitive_passes(s, &kan_privacy_l_diversity, (uint64_t[]){__VA_ARGS__}))
#define EXPECT_TEXT(a, b) assert_non_null(strstr(a, b))

static void distinct_counts_values(void **state) {
    (void)state;
    sensitive_column s;
    open_letters(&s, "3", NULL);
    PASSES(&s, 100, 1, 1, 0);
    FAILS(&s, 50, 50, 0, 0);
    sensitive_close(&s);
}

static void equal_shares_have_the_entropy_of_their_number(void **state) {
    (void)state;
    sensitive_column s;
    open_letters(&s, "3", "entropy");
    for (uint64_t rows = 1; rows < 2000; rows++)
        PASSES(&s, rows, rows, 0, rows);
    FAILS(&s, 1001, 1000, 999, 0);
    PASSES(&s, 4, 3, 3, 1);
    FAILS(&s, 50, 50, 0, 0);
    sensitive_close(&s);
}

/* 9 of 10: exp of 0.325 is 1.384. Between one value and two only a decimal says something. */
static void entropy_takes_decimals(void **state) {
    (void)state;
    static const struct {
        const char *l;
        bool passes;
    } cases[] = {{"1", true},  {"1.3", true},    {"1.384", true}, {"1.385", false},
                 {"2", false}, {"1.38e0", true}, {"1.00", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sensitive_column s;
        open_letters(&s, cases[i].l, "entropy");
        if (cases[i].passes)
            PASSES(&s, 9, 1, 0, 0);
        else
            FAILS(&s, 9, 1, 0, 0);
        sensitive_close(&s);
    }
}

static void l_is_whole_where_values_are_counted(void **state) {
    (void)state;
    static const char *const kinds[] = {NULL, "distinct", "recursive"};
    static const char *const wrong[] = {"1.5", "2.0", "2e0"};
    for (size_t kind = 0; kind < 3; kind++)
        for (size_t i = 0; i < 3; i++) {
            sensitive_column s;
            open_letters(&s, wrong[i], kinds[kind]);
            EXPECT_TEXT(sensitive_refusal(&s, &kan_privacy_l_diversity, 0, KAN_BAD_INPUT),
                        "not a whole number");
            sensitive_close(&s);
        }
    sensitive_column s; /* 1, as a number of the machine */
    open_letters(&s, "0.999999999999999999", "entropy");
    EXPECT_TEXT(sensitive_refusal(&s, &kan_privacy_l_diversity, 0, KAN_BAD_INPUT), "too small");
    sensitive_close(&s);
}

static void recursive_weighs_the_most_frequent_against_the_rest(void **state) {
    (void)state;
    sensitive_column s;
    open_letters(&s, "2", "recursive");
    sensitive_say(&s, "c", "1.5");
    PASSES(&s, 4, 1, 2, 0); /* 4 < 1.5 * 3 */
    FAILS(&s, 3, 1, 1, 0);  /* 3 < 1.5 * 2 is false */
    FAILS(&s, 4, 0, 0, 0);
    sensitive_unsay(&s);
    sensitive_say(&s, "l", "3");
    sensitive_say(&s, "l-kind", "recursive");
    sensitive_say(&s, "c", "2");
    PASSES(&s, 5, 5, 2, 1); /* 5 < 2 * 3 */
    FAILS(&s, 6, 6, 2, 1);
    FAILS(&s, 5, 5, 0, 0);
    PASSES(&s, 2, 3, 5, 5); /* the same in another order: 5 < 2 * (3 + 2) */
    sensitive_close(&s);
}

static void recursive_needs_a_c(void **state) {
    (void)state;
    sensitive_column s;
    open_letters(&s, "2", "recursive");
    EXPECT_TEXT(sensitive_refusal(&s, &kan_privacy_l_diversity, 0, KAN_BAD_INPUT), "--c");
    sensitive_say(&s, "c", "0");
    EXPECT_TEXT(sensitive_refusal(&s, &kan_privacy_l_diversity, 0, KAN_BAD_INPUT), "--c");
    sensitive_close(&s);
}

static void more_than_the_table_has_is_told_at_once(void **state) {
    (void)state;
    static const struct {
        const char *l, *kind, *c, *says; /* NULL: possible */
        uint64_t limit;
    } cases[] = {
        {"4", "distinct", NULL, NULL, 0},
        {"5", "distinct", NULL, "the largest possible l is 4", 0},
        {"5", "distinct", NULL, "the largest possible l is 4", 99},
        {"5", "distinct", NULL, NULL, 100},
        {"3", "entropy", NULL, NULL, 0}, /* exp of 1.27985 is 3.5961 */
        {"3.596", "entropy", NULL, NULL, 0},
        {"4", "entropy", NULL, "the largest possible l is 3.59", 0},
        {"3.7", "entropy", NULL, NULL, 1},
        {"4.01", "entropy", NULL, "the largest possible l is 4", 1},
        {"4", "entropy", NULL, NULL, 1}, /* who is suppressed may even it out */
        {"5", "entropy", NULL, "the largest possible l is 4", 1},
        {"3", "recursive", "1.4", NULL, 0}, /* 40 < 1.4 * 30 */
        {"4", "recursive", "1.4", "the largest possible l is 3", 0},
        {"1", "recursive", "0.4", "ask for a larger c", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sensitive_column s;
        open_letters(&s, cases[i].l, cases[i].kind);
        if (cases[i].c)
            sensitive_say(&s, "c", cases[i].c);
        const char *says = sensitive_refusal(&s, &kan_privacy_l_diversity, cases[i].limit,
                                             cases[i].says ? KAN_UNSATISFIED : KAN_OK);
        EXPECT_TEXT(says, cases[i].says ? cases[i].says : "");
        sensitive_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distinct_counts_values),
        cmocka_unit_test(equal_shares_have_the_entropy_of_their_number),
        cmocka_unit_test(entropy_takes_decimals),
        cmocka_unit_test(l_is_whole_where_values_are_counted),
        cmocka_unit_test(recursive_weighs_the_most_frequent_against_the_rest),
        cmocka_unit_test(recursive_needs_a_c),
        cmocka_unit_test(more_than_the_table_has_is_told_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
