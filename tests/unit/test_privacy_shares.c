/* privacy/delta_disclosure.c and privacy/beta_likeness.c with their recounts: examples by hand, and
 * random groups at the very edge, where both must agree with each other and with the definition. */
#include "sensitive_column.h"
#include "support/random_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/models/models.h"
#include "analyze/verify/recount_model.h"

#define EXPECT_TEXT(a, b) assert_non_null(strstr(a, b))

static const kan_privacy_kind *const delta = &kan_privacy_delta_disclosure;
static const kan_privacy_kind *const beta = &kan_privacy_beta_likeness;

static bool passes(sensitive_column *s, const kan_privacy_kind *kind, const char *value,
                   const uint64_t *rows) {
    sensitive_unsay(s);
    sensitive_say(s, kind->kind.options[0].name, value);
    return sensitive_passes(s, kind, rows);
}

static bool passes_basic(sensitive_column *s, const char *value, const uint64_t *rows) {
    sensitive_unsay(s);
    sensitive_say(s, "beta", value);
    sensitive_say(s, "beta-kind", "basic");
    return sensitive_passes(s, beta, rows);
}

/* ---- the recount of one group --------------------------------------------------------------- */

/* What the recount says of a group, and what it reaches. */
static bool recounted(const char *kind, const char *option, const char *value, bool is_basic,
                      const size_t *whole, const uint64_t *rows, size_t n, double *reached) {
    kan_run *run = kan_run_create();
    kan_options options;
    kan_claim_model model = {.kind = kan_recount_find(kind)};
    kan_model_recount so_far = {.n_failing_groups = 0};
    struct kan_model_count counts[MOST_VALUES];
    uint64_t all[MOST_VALUES], n_rows = 0, n_here = 0;
    size_t index_of[MOST_VALUES], n_counts = 0;
    assert_non_null(model.kind);
    kan_options_init(&options, kan_run_arena(run));
    EXPECT_OK(run, kan_options_add(&options, option, value));
    if (is_basic)
        EXPECT_OK(run, kan_options_add(&options, "beta-kind", "basic"));
    EXPECT_OK(run, model.kind->read(run, &options, &model));
    for (size_t i = 0; i < n; i++) {
        index_of[i] = i;
        n_rows += all[i] = whole[i];
        n_here += rows[i];
        if (rows[i] > 0)
            counts[n_counts++] = (struct kan_model_count){i, rows[i]};
    }
    const kan_claim_column column = {.n_rows = n_rows, .n_values = n, .rows = all};
    const kan_model_values values = {.column = &column,
                                     .n_places = n,
                                     .n_known = n,
                                     .index_of = index_of,
                                     .rows = all,
                                     .n_rows = n_rows};
    const kan_model_tally tally = {
        .n_rows = n_here, .total = n_here, .n = n_counts, .counts = counts};
    const bool holds = model.kind->check(&model, &values, &tally, &so_far);
    assert_true(so_far.is_reached);
    if (reached)
        *reached = so_far.reached;
    kan_options_destroy(&options);
    kan_run_destroy(run);
    return holds;
}

/* ---- by hand -------------------------------------------------------------------------------- */

static const char *const abc[] = {"a", "b", "c", NULL};

/* 8 rows: a 4, b 2, c 2. In a group of 4 with a 2, b 1, c 1 all ratios are 1; with a 1, b 2, c 1
 * they are 1/2, 2 and 1. */
static void a_factor_of_two_is_a_delta_of_one_and_must_be_below_it(void **state) {
    (void)state;
    sensitive_column s;
    double reached;
    sensitive_open(&s, abc, (const size_t[]){4, 2, 2});
    assert_true(passes(&s, delta, "0.000001", (uint64_t[]){2, 1, 1}));
    assert_true(passes(&s, delta, "1e-15", (uint64_t[]){2, 1, 1}));
    assert_false(passes(&s, delta, "1", (uint64_t[]){1, 2, 1}));
    assert_true(passes(&s, delta, "1.000001", (uint64_t[]){1, 2, 1}));
    assert_false(passes(&s, delta, "0.999999", (uint64_t[]){1, 2, 1}));
    assert_true(passes(&s, delta, "2", (uint64_t[]){1, 2, 1}));
    /* of 5: a 2/5 of 1/2 is 0.8, b 2/5 of 1/4 is 1.6: log2 is 0.678071905... */
    assert_true(passes(&s, delta, "0.678072", (uint64_t[]){2, 2, 1}));
    assert_false(passes(&s, delta, "0.678071", (uint64_t[]){2, 2, 1}));
    assert_false(recounted("delta-disclosure", "delta-disclosure", "0.678071", false,
                           (const size_t[]){4, 2, 2}, (uint64_t[]){2, 2, 1}, 3, &reached));
    assert_true(fabs(reached - 0.6780719051126377) < 1e-12);
    sensitive_close(&s);
}

static void a_group_that_lacks_a_value_fails_whatever_delta_is(void **state) {
    (void)state;
    sensitive_column s;
    double reached;
    sensitive_open(&s, abc, (const size_t[]){4, 2, 2});
    assert_false(passes(&s, delta, "1000", (uint64_t[]){2, 2, 0}));
    assert_true(passes(&s, delta, "1000", (uint64_t[]){98, 1, 1}));
    assert_false(recounted("delta-disclosure", "delta-disclosure", "1000", false,
                           (const size_t[]){4, 2, 2}, (uint64_t[]){2, 2, 0}, 3, &reached));
    assert_true(isinf(reached));
    assert_true(recounted("delta-disclosure", "delta-disclosure", "1000", false,
                          (const size_t[]){4, 2, 2}, (uint64_t[]){98, 1, 1}, 3, NULL));
    sensitive_close(&s);
}

/* a has 1/2 of the table, b 1/4: twice as often is a gain of 1. */
static void a_gain_is_of_the_share_in_the_table(void **state) {
    (void)state;
    sensitive_column s;
    double reached;
    sensitive_open(&s, abc, (const size_t[]){4, 2, 2});
    assert_true(passes_basic(&s, "1", (uint64_t[]){2, 2, 0})); /* b: 1/2 of 1/4; c may be absent */
    assert_false(passes_basic(&s, "0.999999", (uint64_t[]){2, 2, 0}));
    assert_true(passes_basic(&s, "0", (uint64_t[]){2, 1, 1}));
    assert_false(passes_basic(&s, "0", (uint64_t[]){3, 1, 1}));
    assert_true(passes_basic(&s, "0.2", (uint64_t[]){3, 1, 1})); /* 3/5 of 1/2 is 1.2 */
    assert_false(passes_basic(&s, "0.19999999", (uint64_t[]){3, 1, 1}));
    assert_true(recounted("beta-likeness", "beta", "0.2", true, (const size_t[]){4, 2, 2},
                          (uint64_t[]){3, 1, 1}, 3, &reached));
    assert_true(fabs(reached - 0.2) < 1e-15);
    sensitive_close(&s);
}

/* -ln(1/2) is 0.693147...: a may have at most 0.8466 of a group, whatever beta is; -ln(1/4) is
 * 1.386294...: b at most 0.59657. */
static void enhanced_likeness_holds_down_what_is_frequent(void **state) {
    (void)state;
    sensitive_column s;
    sensitive_open(&s, abc, (const size_t[]){4, 2, 2});
    assert_true(passes_basic(&s, "1", (uint64_t[]){10, 0, 0}));
    assert_false(passes(&s, beta, "1", (uint64_t[]){10, 0, 0}));
    assert_true(passes(&s, beta, "1", (uint64_t[]){84, 8, 8}));
    assert_false(passes(&s, beta, "1", (uint64_t[]){85, 8, 7}));
    assert_true(passes(&s, beta, "9", (uint64_t[]){0, 59, 41}));
    assert_false(passes(&s, beta, "9", (uint64_t[]){0, 60, 40}));
    assert_false(passes(&s, beta, "1", (uint64_t[]){0, 59, 41}));
    sensitive_close(&s);
}

static void a_column_of_one_value_keeps_both(void **state) {
    (void)state;
    static const char *const one[] = {"a", NULL};
    sensitive_column s;
    sensitive_open(&s, one, (const size_t[]){7});
    assert_true(passes(&s, beta, "0", (uint64_t[]){3}));
    assert_true(passes(&s, delta, "0.1", (uint64_t[]){3}));
    assert_true(recounted("beta-likeness", "beta", "0", false, (const size_t[]){7}, (uint64_t[]){3},
                          1, NULL));
    sensitive_close(&s);
}

static void what_makes_no_sense_is_refused(void **state) {
    (void)state;
    sensitive_column s;
    sensitive_open(&s, abc, (const size_t[]){4, 2, 2});
    sensitive_say(&s, "delta-disclosure", "0");
    EXPECT_TEXT(sensitive_refusal(&s, delta, 0, KAN_BAD_INPUT), "less than 0");
    sensitive_unsay(&s);
    sensitive_say(&s, "beta", "0.1234567890123456789");
    EXPECT_TEXT(sensitive_refusal(&s, beta, 0, KAN_BAD_INPUT), "18 digits");
    sensitive_unsay(&s);
    sensitive_say(&s, "beta", "0.5");
    s.made.problem.n_rows = UINT64_C(1) << 62;
    EXPECT_TEXT(sensitive_refusal(&s, beta, 0, KAN_BAD_INPUT), "fewer digits");
    s.made.problem.n_rows = 8;
    sensitive_close(&s);
}

/* ---- at the edge ---------------------------------------------------------------------------- */

static size_t n_apart;

/* The number is what a group reaches, to as many digits as there are, and a bit more or less. The
 * model may fail what the recount passes, never the other way round; the recount never passes what
 * the definition does not. */
static void edges_of_one_column(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 7919;
    static char texts[MOST_VALUES][8];
    const char *words[MOST_VALUES + 1] = {NULL};
    size_t whole[MOST_VALUES], n = 2 + (size_t)kan_random_below(&random, 5), n_all = 0;
    sensitive_column s;
    (void)run;
    for (size_t i = 0; i < n; i++) {
        snprintf(texts[i], sizeof texts[i], "v%zu", i);
        words[i] = texts[i];
        n_all += whole[i] = 1 + (size_t)kan_random_below(&random, seed % 2 ? 9 : 300);
    }
    sensitive_open(&s, words, whole);
    for (unsigned turn = 0; turn < 40; turn++) {
        uint64_t here[MOST_VALUES], n_here = 0;
        long double farthest = 0, gain = 0, spare = 1;
        static const long double steps[] = {0, 1e-9L, -1e-9L, 1e-12L, -1e-12L, 1e-13L, -1e-13L};
        for (size_t i = 0; i < n; i++)
            n_here += here[i] = 1 + kan_random_below(&random, 300);
        for (size_t i = 0; i < n; i++) {
            const long double ratio =
                (long double)here[i] * (long double)n_all / (long double)(whole[i] * n_here);
            farthest = fmaxl(farthest, fabsl(log2l(ratio)));
            gain = fmaxl(gain, ratio - 1);
            if (ratio > 1)
                spare =
                    fminl(spare, logl((long double)n_all / (long double)whole[i]) - (ratio - 1));
        }
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            char text[64];
            snprintf(text, sizeof text, "%.14Lf", farthest + steps[i]);
            const long double d = strtold(text, NULL);
            if (d > 0) {
                const bool found = passes(&s, delta, text, here);
                const bool again = recounted("delta-disclosure", "delta-disclosure", text, false,
                                             whole, here, n, NULL);
                assert_true(!found || again);
                assert_true(!again || farthest < d || farthest == 0);
                assert_true(found || d - farthest < 4e-10L);
                n_apart += found != again;
            }
            snprintf(text, sizeof text, "%.14Lf", fmaxl(gain + steps[i], 0));
            const bool found = passes_basic(&s, text, here);
            assert_int_equal(found,
                             recounted("beta-likeness", "beta", text, true, whole, here, n, NULL));
            assert_true(found || gain + 1e-15L > strtold(text, NULL));
            const bool is_enhanced = passes(&s, beta, text, here);
            const bool again =
                recounted("beta-likeness", "beta", text, false, whole, here, n, NULL);
            assert_true(!is_enhanced || (again && found && spare >= 0));
            assert_true(!again || (found && spare >= 0));
            assert_true(is_enhanced || !found || spare < 1e-9L);
        }
    }
    sensitive_close(&s);
}

static void no_search_passes_what_the_recount_or_the_definition_fails(void **state) {
    (void)state;
    n_apart = 0;
    random_rounds(150, edges_of_one_column);
    print_message("%zu groups so near to the edge that the model fails what the recount passes\n",
                  n_apart);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_factor_of_two_is_a_delta_of_one_and_must_be_below_it),
        cmocka_unit_test(a_group_that_lacks_a_value_fails_whatever_delta_is),
        cmocka_unit_test(a_gain_is_of_the_share_in_the_table),
        cmocka_unit_test(enhanced_likeness_holds_down_what_is_frequent),
        cmocka_unit_test(a_column_of_one_value_keeps_both),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test_teardown(no_search_passes_what_the_recount_or_the_definition_fails,
                                  random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
