/* analyze/classify: the area under the ROC curve against its definition, trees against every cut there is,
 * and tables whose answer is known. */
#include "analyze/classify/classify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/classify/classify_inside.h"
#include "support/workload_scene.h"

enum { MOST = 400 };

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void near(double found, double expected) {
    if (!(fabs(found - expected) <= 1e-12))
        fail_msg("%.17g is not %.17g", found, expected);
}

/* ---- ROC ------------------------------------------------------------------------------------ */

static void the_area_is_the_share_of_pairs_in_order(void **state) {
    kan_run *run = kan_run_create();
    uint64_t random = 11;
    (void)state;
    for (int round = 0; round < 300; round++) {
        const uint64_t n = 1 + next_random(&random) % 30;
        double scores[30], right = 0, pairs = 0, area;
        uint64_t units[30];
        uint8_t is_of[30];
        bool has_area;
        for (uint64_t i = 0; i < n; i++) {
            scores[i] = (double)(next_random(&random) % 7) / 7;
            units[i] = next_random(&random) % 5;
            is_of[i] = next_random(&random) % 3 == 0;
            if (next_random(&random) % 10 == 0)
                scores[i] = NAN;
        }
        for (uint64_t i = 0; i < n; i++)
            for (uint64_t j = 0; j < n; j++) {
                const double weight = (double)units[i] * (double)units[j];
                if (!is_of[i] || is_of[j] || isnan(scores[i]) || isnan(scores[j]))
                    continue;
                pairs += weight;
                right += scores[i] > scores[j] ? weight : scores[i] == scores[j] ? weight / 2 : 0;
            }
        EXPECT_OK(run, kan_roc_area(run, scores, units, is_of, n, &has_area, &area));
        assert_int_equal(has_area, pairs > 0);
        if (has_area)
            near(area, right / pairs);
    }
    kan_run_destroy(run);
}

/* ---- scenes --------------------------------------------------------------------------------- */

typedef struct {
    kan_run *run;
    kan_table *original, *released;
    kan_fidelity_column columns[SCENE_COLUMNS];
    kan_fidelity_question question;
    kan_fidelity *fidelity;
    size_t features[SCENE_COLUMNS];
    kan_classify_question asked;
} scene;

/* The last column is the class. */
static void begin(scene *s, const char *original, const char *released) {
    memset(s, 0, sizeof *s);
    s->run = kan_run_create();
    s->original = scene_table(s->run, original);
    s->released = scene_table(s->run, released);
    const size_t n = s->original->n_columns;
    for (size_t c = 0; c < n; c++)
        s->columns[c] = (kan_fidelity_column){.original = &s->original->columns[c],
                                              .released = &s->released->columns[c]};
    s->question = (kan_fidelity_question){.columns = s->columns,
                                          .n_columns = n,
                                          .n_original = s->original->n_rows,
                                          .n_released = s->released->n_rows,
                                          .release_name = "release"};
    EXPECT_OK(s->run, kan_fidelity_create(s->run, &s->question, &s->fidelity));
    for (size_t c = 0; c + 1 < n; c++)
        s->features[c] = c;
    s->asked = (kan_classify_question){.fidelity = s->fidelity,
                                       .compared = s->columns,
                                       .outcome = n - 1,
                                       .features = s->features,
                                       .n_features = n - 1,
                                       .rows_in_order = kan_fidelity_keeps_rows(s->fidelity),
                                       .original = {s->original->n_rows, {NULL, NULL}, 1},
                                       .released = {s->released->n_rows, {NULL, NULL}, 1},
                                       .formula = "class"};
}

static void end(scene *s) {
    kan_fidelity_destroy(s->fidelity);
    kan_table_destroy(s->original);
    kan_table_destroy(s->released);
    kan_run_destroy(s->run);
}

/* ---- trees ---------------------------------------------------------------------------------- */

static double gini_rest(const double counts[3]) {
    const double sum = counts[0] + counts[1] + counts[2];
    return sum > 0 ? (counts[0] * counts[0] + counts[1] * counts[1] + counts[2] * counts[2]) / sum
                   : 0;
}

/* The greatest gain of any cut: of numbers between any two, of categories of any subset. */
static double best_gain(const scene *s, const uint8_t *classes, const double *weights) {
    const uint64_t n = s->original->n_rows;
    const uint64_t least = n / 500 > 5 ? n / 500 : 5;
    double best = 0, all[3] = {0};
    for (uint64_t row = 0; row < n; row++)
        all[classes[row]] += weights[row];
    for (size_t f = 0; f < s->asked.n_features; f++) {
        const kan_column *column = &s->original->columns[f];
        const bool is_number = column->dictionary.type == KAN_TYPE_NUMBER;
        const uint32_t n_codes = column->dictionary.n;
        const uint32_t n_cuts = is_number ? n_codes : 1U << n_codes;
        for (uint32_t cut = 1; cut < n_cuts; cut++) {
            double left[3] = {0}, right[3];
            uint64_t rows = 0;
            for (uint64_t row = 0; row < n; row++) {
                const uint32_t code = kan_column_code(column, row);
                if (is_number ? code >= cut : !(cut >> code & 1))
                    continue;
                left[classes[row]] += weights[row];
                rows++;
            }
            for (int c = 0; c < 3; c++)
                right[c] = all[c] - left[c];
            if (rows < least || n - rows < least)
                continue;
            best = fmax(best, gini_rest(left) + gini_rest(right) - gini_rest(all));
        }
    }
    return best;
}

static void random_table(uint64_t *random, unsigned n, char *text) {
    static const char *const words[] = {"a", "b", "c", "d", "e"};
    text += sprintf(text, "x t c\n");
    for (unsigned row = 0; row < n; row++) {
        const uint64_t x = next_random(random) % 12, t = next_random(random) % 5;
        text += sprintf(text, "%u %s %s\n", (unsigned)x, words[t],
                        next_random(random) % 16 < x + 2 * (t % 3) ? "yes" : "no");
    }
}

static void the_first_cut_of_a_tree_is_the_best_of_all_cuts(void **state) {
    static char text[MOST * 16];
    uint64_t random = 3;
    (void)state;
    for (int round = 0; round < 60; round++) {
        const unsigned n = 12 + (unsigned)(next_random(&random) % 60);
        uint8_t classes[MOST];
        double weights[MOST], gain = 0, sides[2][3] = {{0}}, all[3] = {0};
        scene s;
        kan_features features;
        kan_tree tree;
        random_table(&random, n, text);
        begin(&s, text, text);
        for (unsigned row = 0; row < n; row++) {
            classes[row] = (uint8_t)kan_column_code(&s.original->columns[2], row);
            weights[row] = 1 + (double)(next_random(&random) % 3);
        }
        EXPECT_OK(s.run, kan_features_make(s.run, &s.asked, false, &features));
        const kan_tree_question question = {.features = &features,
                                            .n_rows = n,
                                            .classes = classes,
                                            .weights = weights,
                                            .n_classes = 2};
        EXPECT_OK(s.run, kan_tree_grow(s.run, &question, &tree));
        const double best = best_gain(&s, classes, weights);
        if (tree.nodes[0].feature != SIZE_MAX) {
            const kan_feature *feature = &features.features[tree.nodes[0].feature];
            const uint32_t *bins =
                feature->is_number ? feature->learnt.bins : feature->learnt.places;
            for (unsigned row = 0; row < n; row++) {
                const uint32_t bin = bins[kan_column_code(feature->learnt.column, row)];
                sides[tree.goes_left[tree.nodes[0].first_bin + bin]][classes[row]] += weights[row];
                all[classes[row]] += weights[row];
            }
            gain = gini_rest(sides[0]) + gini_rest(sides[1]) - gini_rest(all);
        }
        near(gain, best);
        kan_tree_destroy(&tree);
        kan_features_destroy(&features);
        end(&s);
    }
}

/* ---- tables --------------------------------------------------------------------------------- */

/* The class follows from the town, but for every tenth row. */
static void make_towns(char *text, unsigned n, const char *name, const char *other,
                       bool has_class) {
    text += sprintf(text, "town n c\n");
    for (unsigned row = 0; row < n; row++) {
        const bool is_first = row % 2 == 0;
        text += sprintf(text, "%s %u %s\n", is_first ? name : other, row % 7,
                        !has_class                    ? "*"
                        : (row % 10 == 3) == is_first ? "no"
                                                      : "yes");
    }
}

static void what_follows_from_a_column_is_learnt_from_either_table(void **state) {
    static char original[MOST * 16];
    kan_classification c;
    scene s;
    (void)state;
    make_towns(original, 200, "Ulm", "Bonn", true);
    begin(&s, original, original);
    EXPECT_OK(s.run, kan_classification_make(s.run, &s.asked, &c));
    assert_int_equal(c.n_classes, 2);
    assert_int_equal(c.n_tested, 200);
    assert_true(c.holds_out);
    near(c.before[KAN_CLASSIFY_MAJORITY].auc, 0.5);
    near(c.before[KAN_CLASSIFY_TREE].accuracy, 0.9);
    near(c.before[KAN_CLASSIFY_LOGISTIC].accuracy, 0.9);
    assert_memory_equal(c.before, c.after, sizeof c.before);
    end(&s);
}

static void a_release_that_hides_what_matters_is_no_better_than_the_majority(void **state) {
    static char original[MOST * 16], released[MOST * 16];
    kan_classification c;
    scene s;
    (void)state;
    make_towns(original, 200, "Ulm", "Bonn", true);
    make_towns(released, 200, "*", "*", true);
    begin(&s, original, released);
    EXPECT_OK(s.run, kan_classification_make(s.run, &s.asked, &c));
    near(c.before[KAN_CLASSIFY_TREE].accuracy, 0.9);
    assert_true(c.after[KAN_CLASSIFY_TREE].accuracy < 0.65);
    assert_int_equal(c.n_coarser, 0); /* hidden is not coarser */
    end(&s);
    /* without classes nothing can be learnt */
    make_towns(released, 200, "Ulm", "Bonn", false);
    begin(&s, original, released);
    EXPECT_OK(s.run, kan_classification_make(s.run, &s.asked, &c));
    assert_int_equal(c.n_unknown[1], 200);
    for (int by = 0; by < KAN_CLASSIFIERS; by++)
        assert_false(c.after[by].has_score);
    assert_true(c.before[KAN_CLASSIFY_TREE].has_score);
    end(&s);
}

/* Each row's town is its own, so that nothing can be learnt of a row that is held out, and everything of one that is
 * not. */
static void rows_that_are_held_out_are_not_learnt_from(void **state) {
    static char original[MOST * 24];
    kan_classification c;
    scene s;
    char *at = original + sprintf(original, "town c\n");
    (void)state;
    for (unsigned row = 0; row < 300; row++)
        at += sprintf(at, "t%u %s\n", row, row * 7919 % 13 < 6 ? "yes" : "no");
    begin(&s, original, original);
    EXPECT_OK(s.run, kan_classification_make(s.run, &s.asked, &c));
    const double majority = c.before[KAN_CLASSIFY_MAJORITY].accuracy;
    near(c.before[KAN_CLASSIFY_TREE].accuracy, majority);
    near(c.after[KAN_CLASSIFY_LOGISTIC].accuracy, c.before[KAN_CLASSIFY_LOGISTIC].accuracy);
    s.asked.rows_in_order = false;
    EXPECT_OK(s.run, kan_classification_make(s.run, &s.asked, &c));
    assert_false(c.holds_out);
    near(c.after[KAN_CLASSIFY_LOGISTIC].accuracy, 1);
    end(&s);
}

/* Of a release in another order, and with rows left out, each row is known by the one that it was made from. */
static void rows_are_held_out_by_those_that_they_were_made_from(void **state) {
    static char original[MOST * 24], released[MOST * 24];
    static uint64_t row_of[300];
    kan_classification c;
    scene s;
    char *at = original + sprintf(original, "town c\n"),
         *to = released + sprintf(released, "town c\n");
    uint64_t n = 0;
    (void)state;
    for (unsigned row = 0; row < 300; row++)
        at += sprintf(at, "t%u %s\n", row, row * 7919 % 13 < 6 ? "yes" : "no");
    for (unsigned row = 300; row-- > 0;)
        if (row % 5 != 2) {
            to += sprintf(to, "t%u %s\n", row, row * 7919 % 13 < 6 ? "yes" : "no");
            row_of[n++] = row;
        }
    begin(&s, original, released);
    s.asked.rows_in_order = false;
    EXPECT_OK(s.run, kan_classification_make(s.run, &s.asked, &c));
    assert_false(c.holds_out);
    assert_true(c.after[KAN_CLASSIFY_LOGISTIC].accuracy > 0.85);
    s.asked.row_of = row_of;
    EXPECT_OK(s.run, kan_classification_make(s.run, &s.asked, &c));
    assert_true(c.holds_out);
    assert_true(c.after[KAN_CLASSIFY_LOGISTIC].accuracy < 0.6);
    end(&s);
}

static void more_than_two_classes_are_told_apart(void **state) {
    static char original[MOST * 16];
    kan_classification c;
    scene s;
    char *at = original + sprintf(original, "x c\n");
    (void)state;
    for (unsigned row = 0; row < 300; row++)
        at += sprintf(at, "%u %s\n", row % 30, row % 30 < 10 ? "a" : row % 30 < 20 ? "b" : "c");
    begin(&s, original, original);
    EXPECT_OK(s.run, kan_classification_make(s.run, &s.asked, &c));
    assert_int_equal(c.n_classes, 3);
    near(c.before[KAN_CLASSIFY_TREE].accuracy, 1);
    near(c.before[KAN_CLASSIFY_TREE].auc, 1);
    end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_area_is_the_share_of_pairs_in_order),
        cmocka_unit_test(the_first_cut_of_a_tree_is_the_best_of_all_cuts),
        cmocka_unit_test(what_follows_from_a_column_is_learnt_from_either_table),
        cmocka_unit_test(a_release_that_hides_what_matters_is_no_better_than_the_majority),
        cmocka_unit_test(rows_that_are_held_out_are_not_learnt_from),
        cmocka_unit_test(rows_are_held_out_by_those_that_they_were_made_from),
        cmocka_unit_test(more_than_two_classes_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
