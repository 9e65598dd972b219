/* privacy/alpha.c: shares of values, exactly. */
#include "sensitive_column.h"

static const char *const illnesses[] = {"HIV", "fever", "flu", NULL};

static void open_illnesses(sensitive_column *s, const char *alpha) {
    sensitive_open(s, illnesses, (const size_t[]){10, 45, 45});
    sensitive_say(s, "alpha", alpha);
}

#define PASSES(s, ...)                                                                             \
    assert_true(sensitive_passes(s, &kan_privacy_alpha, (uint64_t[]){__VA_ARGS__}))
#define FAILS(s, ...)                                                                              \
    assert_false(sensitive_passes(s, &kan_privacy_alpha, (uint64_t[]){__VA_ARGS__}))
#define EXPECT_TEXT(a, b) assert_non_null(strstr(a, b))

static void alpha_holds_at_its_very_share(void **state) {
    (void)state;
    sensitive_column s;
    open_illnesses(&s, "0.1");
    sensitive_say(&s, "alpha-value", "HIV");
    PASSES(&s, 3, 27, 0); /* 0.1 * 30 is below 3 in binary fractions */
    FAILS(&s, 4, 27, 5);
    PASSES(&s, 0, 27, 0);
    FAILS(&s, 1, 8, 0);
    PASSES(&s, 1, 9, 0);
    sensitive_close(&s);
}

static void refined_rounds_up(void **state) {
    (void)state;
    sensitive_column s;
    open_illnesses(&s, "0.1");
    sensitive_say(&s, "alpha-value", "HIV");
    sensitive_say(&s, "refined", "true");
    PASSES(&s, 1, 1, 0);
    PASSES(&s, 3, 27, 0);
    FAILS(&s, 4, 26, 0); /* 30 rows: the ceiling of 3 is 3 */
    PASSES(&s, 4, 27, 0);
    FAILS(&s, 5, 27, 0);
    sensitive_close(&s);
}

/* Trap: each of two groups satisfies Definition 5, their union does not. */
static void refined_does_not_survive_a_merge(void **state) {
    (void)state;
    sensitive_column s;
    open_illnesses(&s, "0.5");
    sensitive_say(&s, "alpha-value", "HIV");
    sensitive_say(&s, "refined", "true");
    PASSES(&s, 2, 1, 0);
    FAILS(&s, 4, 2, 0);
    sensitive_close(&s);
}

static void all_values_count_unless_some_are_named(void **state) {
    (void)state;
    sensitive_column s;
    open_illnesses(&s, "0.5");
    FAILS(&s, 1, 3, 1);
    PASSES(&s, 1, 2, 1);
    sensitive_say(&s, "alpha-value", "HIV");
    PASSES(&s, 1, 3, 1);
    sensitive_say(&s, "alpha-value", "flu");
    FAILS(&s, 1, 1, 3);
    PASSES(&s, 2, 0, 2); /* each by itself */
    sensitive_say(&s, "alpha-combined", "true");
    FAILS(&s, 2, 1, 1);
    PASSES(&s, 1, 2, 1);
    sensitive_close(&s);
}

static void large_groups_do_not_overflow(void **state) {
    (void)state;
    sensitive_column s;
    const uint64_t large = UINT64_C(1) << 40;
    open_illnesses(&s, "0.333333333333333333");
    sensitive_say(&s, "alpha-value", "HIV");
    PASSES(&s, large - 1, large, large);
    FAILS(&s, large, large, large);
    sensitive_close(&s);
}

static void a_share_that_is_no_share_is_refused(void **state) {
    (void)state;
    sensitive_column s;
    static const char *const wrong[] = {"0", "0.0", "1.5", "0.1234567890123456789"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        open_illnesses(&s, wrong[i]);
        EXPECT_TEXT(sensitive_refusal(&s, &kan_privacy_alpha, 0, KAN_BAD_INPUT), "--alpha");
        sensitive_close(&s);
    }
}

static void a_value_that_nobody_has_is_refused_with_the_nearest(void **state) {
    (void)state;
    sensitive_column s;
    open_illnesses(&s, "0.5");
    sensitive_say(&s, "alpha-value", "fewer");
    EXPECT_TEXT(sensitive_refusal(&s, &kan_privacy_alpha, 0, KAN_BAD_INPUT),
                "did you mean 'fever'?");
    sensitive_close(&s);
}

static void combining_nothing_is_refused(void **state) {
    (void)state;
    sensitive_column s;
    open_illnesses(&s, "0.5");
    sensitive_say(&s, "alpha-combined", "true");
    EXPECT_TEXT(sensitive_refusal(&s, &kan_privacy_alpha, 0, KAN_BAD_INPUT), "--alpha-value");
    sensitive_close(&s);
}

/* Lemma 1: 45 of 100 rows have a value. */
static void alpha_below_the_share_of_the_table_is_told_at_once(void **state) {
    (void)state;
    sensitive_column s;
    open_illnesses(&s, "0.449");
    EXPECT_TEXT(sensitive_refusal(&s, &kan_privacy_alpha, 0, KAN_UNSATISFIED),
                "the smallest possible alpha is 0.45");
    /* (45 - 1) / (100 - 1) is 0.4444: one suppressed row may be enough for one value */
    sensitive_refusal(&s, &kan_privacy_alpha, 1, KAN_OK);
    sensitive_refusal(&s, &kan_privacy_alpha, 100, KAN_OK);
    sensitive_unsay(&s);
    sensitive_say(&s, "alpha", "0.44");
    EXPECT_TEXT(sensitive_refusal(&s, &kan_privacy_alpha, 1, KAN_UNSATISFIED), "0.444445");
    sensitive_unsay(&s);
    sensitive_say(&s, "alpha", "0.45");
    sensitive_refusal(&s, &kan_privacy_alpha, 0, KAN_OK);
    sensitive_unsay(&s);
    sensitive_say(&s, "alpha", "0.1");
    sensitive_say(&s, "alpha-value", "HIV");
    sensitive_refusal(&s, &kan_privacy_alpha, 0, KAN_OK);
    sensitive_say(&s, "alpha-value", "flu");
    sensitive_say(&s, "alpha-combined", "true");
    EXPECT_TEXT(sensitive_refusal(&s, &kan_privacy_alpha, 0, KAN_UNSATISFIED), "is 0.55");
    sensitive_say(&s, "refined", "true");
    sensitive_refusal(&s, &kan_privacy_alpha, 0, KAN_OK); /* the lemma is not one of Definition 5 */
    sensitive_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alpha_holds_at_its_very_share),
        cmocka_unit_test(refined_rounds_up),
        cmocka_unit_test(refined_does_not_survive_a_merge),
        cmocka_unit_test(all_values_count_unless_some_are_named),
        cmocka_unit_test(large_groups_do_not_overflow),
        cmocka_unit_test(a_share_that_is_no_share_is_refused),
        cmocka_unit_test(a_value_that_nobody_has_is_refused_with_the_nearest),
        cmocka_unit_test(combining_nothing_is_refused),
        cmocka_unit_test(alpha_below_the_share_of_the_table_is_told_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
