/* analyze/fidelity on tables small enough to count: closed forms, and what must be exactly 0.
 * tests/check/fidelity.py recomputes every figure of random tables. */
#include "analyze/fidelity/fidelity.h"

#include <math.h>
#include <stdio.h>

#include "support/workload_scene.h"

typedef struct {
    kan_run *run;
    kan_table *original, *released;
    kan_fidelity_column columns[SCENE_COLUMNS];
    kan_fidelity_question question;
    kan_fidelity *fidelity;
    kan_column_fidelity found[SCENE_COLUMNS];
    kan_pair_fidelity pairs[SCENE_COLUMNS * SCENE_COLUMNS];
} fidelity_scene;

static void begin(fidelity_scene *s, const char *original, const char *released) {
    const kan_fidelity_weights none = {.column = NULL};
    memset(s, 0, sizeof *s);
    s->run = kan_run_create();
    assert_non_null(s->run);
    s->original = scene_table(s->run, original);
    s->released = scene_table(s->run, released);
    for (size_t c = 0; c < s->original->n_columns; c++)
        s->columns[c] = (kan_fidelity_column){.original = &s->original->columns[c],
                                              .released = &s->released->columns[c]};
    s->question = (kan_fidelity_question){.columns = s->columns,
                                          .n_columns = s->original->n_columns,
                                          .n_original = s->original->n_rows,
                                          .n_released = s->released->n_rows,
                                          .release_name = "release"};
    EXPECT_OK(s->run, kan_fidelity_create(s->run, &s->question, &s->fidelity));
    EXPECT_OK(s->run, kan_fidelity_weigh(s->fidelity, &none, &none));
    EXPECT_OK(s->run, kan_fidelity_measure_columns(s->fidelity, s->found));
    EXPECT_OK(s->run, kan_fidelity_measure_pairs(s->fidelity, s->pairs));
}

static void end(fidelity_scene *s) {
    kan_fidelity_destroy(s->fidelity);
    kan_table_destroy(s->original);
    kan_table_destroy(s->released);
    kan_run_destroy(s->run);
}

static void near(double found, double expected) {
    if (!(fabs(found - expected) <= 1e-12))
        fail_msg("%.17g is not %.17g", found, expected);
}

#define EXPECT_SAME(a, b) assert_true((a) == (b))

static const char plain[] = "n t\n1 a\n2 a\n2 b\n5 c\n_ _\n";

static void an_unchanged_table_has_distances_of_exactly_0(void **state) {
    fidelity_scene s;
    (void)state;
    begin(&s, plain, "n t\n5 c\n_ _\n2 b\n1 a\n2 a\n");
    assert_false(kan_fidelity_keeps_rows(s.fidelity));
    for (size_t c = 0; c < 2; c++) {
        EXPECT_SAME(s.found[c].exact, 1);
        EXPECT_SAME(s.found[c].even.variation, 0);
        EXPECT_SAME(s.found[c].even.hellinger, 0);
        EXPECT_SAME(s.found[c].by_shares.variation, 0);
        EXPECT_SAME(s.found[c].by_shares.hellinger, 0);
    }
    EXPECT_SAME(s.found[0].original.mean, s.found[0].released.mean);
    EXPECT_SAME(s.found[0].original.deviation, s.found[0].released.deviation);
    end(&s);
}

/* 1, 2, 2, 5 and a missing one: the mean is 2.5, the squares add up to 9. */
static void numbers_are_those_of_the_textbook(void **state) {
    fidelity_scene s;
    (void)state;
    begin(&s, plain, plain);
    const kan_number_summary *n = &s.found[0].original;
    near(n->known, 0.8);
    near(n->mean, 2.5);
    near(n->deviation, sqrt(3));
    EXPECT_SAME(n->quantiles[0], 1);
    EXPECT_SAME(n->quantiles[2], 1); /* a quarter of the weight is not above 1 */
    EXPECT_SAME(n->quantiles[3], 2);
    EXPECT_SAME(n->quantiles[4], 2);
    EXPECT_SAME(n->quantiles[6], 5);
    end(&s);
}

/* Everything is hidden: evenly spread over 1, 2, 5 and missing, where the original has fifths. */
static void hidden_cells_stand_for_all_values_and_are_no_numbers(void **state) {
    fidelity_scene s;
    (void)state;
    begin(&s, plain, "n t\n* *\n* *\n* *\n* *\n* *\n");
    assert_true(kan_fidelity_keeps_rows(s.fidelity));
    const kan_column_fidelity *n = &s.found[0];
    EXPECT_SAME(n->hidden, 1);
    near(n->even.variation, 0.15); /* half of 3 * 1/20 + 3/20 */
    EXPECT_SAME(n->by_shares.variation, 0);
    EXPECT_SAME(n->released.known, 0);
    assert_false(n->released.has_mean);
    end(&s);
}

/* [1-4] stands for 1, 2, 3 and 4, of which the original has two: half of each row is elsewhere. */
static void a_range_stands_for_each_of_its_steps(void **state) {
    fidelity_scene s;
    (void)state;
    begin(&s, "n\n1\n2\n", "n\n[1-4]\n[1-4]\n");
    near(s.found[0].even.variation, 0.5);
    near(s.found[0].even.hellinger, sqrt((2 * (sqrt(0.5) - 0.5) * (sqrt(0.5) - 0.5) + 0.5) / 2));
    EXPECT_SAME(s.found[0].by_shares.variation, 0);
    EXPECT_SAME(s.found[0].coarser, 1);
    near(s.found[0].released.mean, 2.5);
    EXPECT_SAME(s.found[0].released.deviation, 0);
    end(&s);
}

static void what_the_original_does_not_have_has_nothing_in_common(void **state) {
    fidelity_scene s;
    (void)state;
    begin(&s, "n\n1\n2\n", "n\n7\n[8-9]\n");
    EXPECT_SAME(s.found[0].even.variation, 1);
    EXPECT_SAME(s.found[0].even.hellinger, 1);
    EXPECT_SAME(s.found[0].by_shares.variation, 1);
    EXPECT_SAME(s.found[0].coarser, 1); /* 7 must be a mean */
    near(s.found[0].released.mean, 7.75);
    end(&s);
}

static void two_spellings_of_a_number_are_one_value(void **state) {
    fidelity_scene s;
    (void)state;
    begin(&s, "n\n7\n07\n8\n", "n\n7.0\n7\n08\n");
    EXPECT_SAME(s.found[0].exact, 1);
    EXPECT_SAME(s.found[0].even.variation, 0);
    assert_true(kan_fidelity_keeps_rows(s.fidelity));
    end(&s);
}

static void a_row_that_cannot_be_the_one_before_it_is_seen(void **state) {
    fidelity_scene s;
    (void)state;
    begin(&s, "n t\n1 a\n2 b\n", "n t\n[1-2] a\n[2-3] b\n");
    assert_true(kan_fidelity_keeps_rows(s.fidelity));
    end(&s);
    begin(&s, "n t\n1 a\n2 b\n", "n t\n[2-3] b\n[1-2] a\n");
    assert_false(kan_fidelity_keeps_rows(s.fidelity));
    end(&s);
    begin(&s, "n t\n1 a\n2 b\n", "n t\n1 a\n");
    assert_false(kan_fidelity_keeps_rows(s.fidelity));
    end(&s);
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/* Four rows a x, a x, b y, b x: chi-square is 4 (2 * 1 - 0 * 1)^2 / (2 * 2 * 3 * 1) = 4 / 3. */
static void cramers_v_is_that_of_the_textbook(void **state) {
    fidelity_scene s;
    (void)state;
    begin(&s, "s t\na x\na x\nb y\nb x\n", "s t\na x\n* x\nb y\nb x\n");
    const kan_pair_fidelity *pair = &s.pairs[0];
    near(pair->v.before, sqrt(1.0 / 3));
    near(pair->v.after, sqrt(0.2)); /* (1.5 + 1.5 x) (1.5 x, 1 y): a x 1.5, b x 1.5, b y 1 */
    near(pair->variation, 0.125);   /* half a row of four moved */
    assert_int_equal(pair->class_a, 0);
    assert_int_equal(pair->class_b, 0);
    near(pair->share.before, 0.5);
    near(pair->share.after, 0.375);
    end(&s);
}

static void a_column_of_one_value_goes_with_none(void **state) {
    fidelity_scene s;
    (void)state;
    begin(&s, "s n\na 1\na 2\n", "s n\na 1\na 1\n");
    assert_false(s.pairs[0].v.has_before || s.pairs[0].v.has_after);
    near(s.pairs[0].variation, 0.5);
    end(&s);
}

/* Ranks of 1, 4, 9, 16 and 2, 3, 5, 4: 1 2 3 4 and 1 2 4 3, of which Spearman's is 0.8. A row without
 * one of the two does not count. */
static void correlations_are_those_of_the_textbook(void **state) {
    fidelity_scene s;
    (void)state;
    begin(&s, "n m\n1 2\n4 3\n9 5\n16 4\n_ 9\n", "n m\n1 10\n4 8\n[8-10] 0\n16 *\n_ 9\n");
    const kan_pair_fidelity *pair = &s.pairs[0];
    near(pair->rank_correlation.before, 0.8);
    near(pair->correlation.before, 18 / sqrt(129.0 * 5));
    near(pair->covariance.before, 6);
    near(pair->rank_correlation.after, -1);
    near(pair->correlation.after, -42 / sqrt(98 / 3.0 * 56));
    end(&s);
}

/* Twenty-one numbers of 22 rows are tenths: 10, which is there twice, and 11 begin within the first. */
static void many_numbers_are_cut_into_tenths_and_many_texts_into_the_frequent_ones(void **state) {
    char lines[1024] = "n t\n", *at = lines + 4;
    fidelity_scene s;
    kan_text name;
    (void)state;
    for (int i = 0; i < 21; i++)
        at += sprintf(at, "%d v%02d\n", i + 10, i);
    at += sprintf(at, "10 v20\n");
    begin(&s, lines, lines);
    EXPECT_SAME(s.pairs[0].variation, 0);
    kan_text_init(&name, s.run);
    kan_fidelity_add_class(s.fidelity, 0, 0, &name);
    kan_text_add(&name, "|", 1);
    kan_fidelity_add_class(s.fidelity, 0, 9, &name);
    kan_text_add(&name, "|", 1);
    kan_fidelity_add_class(s.fidelity, 1, 18, &name);
    kan_text_add(&name, "|", 1);
    kan_fidelity_add_class(s.fidelity, 1, 19, &name);
    assert_string_equal(name.bytes, "10 to 11|29 to 30|v20|2 others");
    kan_text_destroy(&name);
    end(&s);
}

/* One text of two values: the guess is the share of released rows among those that have the value. */
static void the_propensity_of_one_column_is_a_share(void **state) {
    fidelity_scene s;
    kan_propensity found;
    (void)state;
    begin(&s, "t\na\na\na\na\na\na\nb\nb\nb\nb\n", "t\na\na\na\nb\nb\nb\nb\nb\n");
    EXPECT_OK(s.run, kan_fidelity_measure_propensity(s.fidelity, &found));
    assert_int_equal(found.absent, KAN_ABSENT_NOT);
    assert_int_equal(found.n_parameters, 2);
    near(found.pmse, 1 / 81.0);
    near(found.expected, (10 / 18.0) * (10 / 18.0) * (8 / 18.0) / 18);
    near(found.ratio, found.pmse / found.expected);
    near(found.least, 1 / 3.0);
    near(found.greatest, 5 / 9.0);
    near(found.original[0], 0.6);
    near(found.released[KAN_PROPENSITY_BINS - 1], 0.625);
    end(&s);
}

/* What a label covers is spread evenly, so that a label tells nothing by itself. */
static void a_label_does_not_tell_the_tables_apart(void **state) {
    fidelity_scene s;
    kan_propensity found;
    (void)state;
    begin(&s, "t u\na x\na y\nb x\nb y\n", "t u\n* x\n* y\na x\nb y\n* *\n");
    EXPECT_OK(s.run, kan_fidelity_measure_propensity(s.fidelity, &found));
    EXPECT_SAME(found.pmse, 0);
    near(found.least, 5 / 9.0);
    EXPECT_SAME(found.least, found.greatest);
    end(&s);
    begin(&s, plain, "n t\n5 c\n_ _\n2 b\n1 a\n2 a\n");
    EXPECT_OK(s.run, kan_fidelity_measure_propensity(s.fidelity, &found));
    EXPECT_SAME(found.pmse, 0);
    end(&s);
}

/* A value of one table alone is told apart without an error. */
static void a_value_that_is_lost_is_guessed_in_the_limit(void **state) {
    fidelity_scene s;
    kan_propensity found;
    (void)state;
    begin(&s, "t\na\na\na\na\na\nb\nb\nb\nb\nb\n", "t\na\na\na\na\na\n");
    EXPECT_OK(s.run, kan_fidelity_measure_propensity(s.fidelity, &found));
    assert_int_equal(found.n_separated, 1);
    if (!(fabs(found.pmse - 1 / 18.0) < 1e-9))
        fail_msg("%.17g", found.pmse);
    end(&s);
    begin(&s, "t n\na 1\nb 2\n", "t n\n* *\n* *\n");
    EXPECT_OK(s.run, kan_fidelity_measure_propensity(s.fidelity, &found));
    EXPECT_SAME(found.pmse, 0); /* what is hidden everywhere is spread over all, in its middle */
    end(&s);
}

/* Four texts of four values make 256 combinations, of which 64 are drawn: each text evenly. */
static void rows_of_many_combinations_are_drawn_evenly(void **state) {
    char original[1024] = "a b c d\n", released[1024];
    fidelity_scene s;
    kan_propensity found;
    (void)state;
    strcpy(released, original);
    for (int i = 0; i < 4; i++) {
        char line[32];
        snprintf(line, sizeof line, "%c %c %c %c\n", "wxyz"[i], "xywz"[i], "zyxw"[i], "zwyx"[i]);
        strcat(original, line);
        strcat(released, line);
    }
    for (int i = 0; i < 8; i++)
        strcat(released, "* * * *\n");
    begin(&s, original, released);
    EXPECT_OK(s.run, kan_fidelity_measure_propensity(s.fidelity, &found));
    assert_true(found.pmse <= 1e-20); /* 16 of 64 rows have each value */
    end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unchanged_table_has_distances_of_exactly_0),
        cmocka_unit_test(numbers_are_those_of_the_textbook),
        cmocka_unit_test(hidden_cells_stand_for_all_values_and_are_no_numbers),
        cmocka_unit_test(a_range_stands_for_each_of_its_steps),
        cmocka_unit_test(what_the_original_does_not_have_has_nothing_in_common),
        cmocka_unit_test(two_spellings_of_a_number_are_one_value),
        cmocka_unit_test(a_row_that_cannot_be_the_one_before_it_is_seen),
        cmocka_unit_test(cramers_v_is_that_of_the_textbook),
        cmocka_unit_test(a_column_of_one_value_goes_with_none),
        cmocka_unit_test(correlations_are_those_of_the_textbook),
        cmocka_unit_test(many_numbers_are_cut_into_tenths_and_many_texts_into_the_frequent_ones),
        cmocka_unit_test(the_propensity_of_one_column_is_a_share),
        cmocka_unit_test(a_label_does_not_tell_the_tables_apart),
        cmocka_unit_test(a_value_that_is_lost_is_guessed_in_the_limit),
        cmocka_unit_test(rows_of_many_combinations_are_drawn_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
