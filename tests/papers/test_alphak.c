/* alpha-k.txt: the worked tables by full-domain search, Lemmas 2 and 3, and the definition for
 * which they do not hold.
 *
 * The rows of Tables 1, 5 and 8(a) and what the paper says of them are written out here; the
 * release of Table 1 must be Table 4, row by row. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "kanon.h"
#include "support/question.h"
#include "support/random_problem.h"

enum { COLUMNS = 4, MOST_ROWS = 8 };

typedef struct {
    const char *names[COLUMNS];
    size_t n_rows;
    const char *rows[MOST_ROWS][COLUMNS];
    const char *quasi; /* with hierarchies */
} table;

/* Job and Birth are suppressed as a whole, Postcode digit by digit. */
static const table table_1 = {{"job", "birth", "postcode", "illness"},
                              6,
                              {{"Cat1", "1975", "4350", "HIV"},
                               {"Cat1", "1955", "4350", "HIV"},
                               {"Cat1", "1955", "5432", "flu"},
                               {"Cat1", "1955", "5432", "fever"},
                               {"Cat2", "1975", "4350", "flu"},
                               {"Cat2", "1975", "4350", "fever"}},
                              "job=suppress,birth=suppress,postcode=digits:3"};

static const char *const table_4[][COLUMNS] = {
    {"*", "*", "4350", "HIV"},   {"*", "*", "4350", "HIV"}, {"*", "*", "5432", "flu"},
    {"*", "*", "5432", "fever"}, {"*", "*", "4350", "flu"}, {"*", "*", "4350", "fever"}};

typedef struct {
    kan_run *run;
    kan_table *table;
    kan_job *job;
} scene;

static void set(scene *s, const char *name, const char *value) {
    EXPECT_OK(s->run, kan_job_set(s->job, name, value));
}

static void scene_open(scene *s, const table *from, const char *command) {
    s->run = kan_run_create();
    assert_non_null(s->run);
    EXPECT_OK(s->run, kan_table_create(s->run, COLUMNS, from->names, &s->table));
    for (size_t row = 0; row < from->n_rows; row++)
        EXPECT_OK(s->run, kan_table_add_row(s->table, from->rows[row]));
    EXPECT_OK(s->run, kan_job_create(s->run, &s->job));
    EXPECT_OK(s->run, kan_job_use_table(s->job, s->table));
    set(s, "qi", from->quasi);
    set(s, "sensitive", "illness");
    if (strcmp(command, "search") == 0)
        set(s, "cost", "distortion");
    set(s, "k", "2");
}

static void scene_close(scene *s) {
    kan_job_destroy(s->job);
    kan_table_destroy(s->table);
    kan_run_destroy(s->run);
}

/* Every full-domain search that claims to find all of them. */
static void expect_minimal(const table *from, const char *alpha, const char *expected,
                           const char *best) {
    static const char *const searches[] = {
        "auto",           "exhaustive", "incognito",        "incognito-superroots",
        "incognito-cube", "bottom-up",  "bottom-up-rollup", "hash-minimal"};
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
        scene s;
        kan_result *result;
        json_error_t error;
        json_t *json, *minimal, *levels;
        scene_open(&s, from, "search");
        set(&s, "algorithm", searches[i]);
        if (alpha) {
            set(&s, "alpha", alpha);
            set(&s, "alpha-value", "HIV");
        }
        EXPECT_OK(s.run, kan_job_run(s.job, "search", &result));
        json = json_loads(kan_result_json(result), 0, &error);
        assert_int_equal(json_unpack(json, "{s:{s:o}, s:{s:o}}", "lattice", "minimal", &minimal,
                                     "solution", "levels", &levels),
                         0);
        char *text = json_dumps(minimal, JSON_COMPACT), *found = json_dumps(levels, JSON_COMPACT);
        assert_string_equal(text, expected);
        assert_string_equal(found, best);
        free(text);
        free(found);
        json_decref(json);
        kan_result_destroy(result);
        scene_close(&s);
    }
}

static void table_1_has_the_minimal_generalizations_that_were_enumerated(void **state) {
    (void)state;
    expect_minimal(&table_1, "0.5", "[[0,1,4],[1,0,4],[1,1,0]]", "[1,1,0]");
    expect_minimal(&table_1, NULL, "[[0,1,0],[1,0,4]]", "[0,1,0]");
}

static void the_best_release_of_table_1_is_table_4(void **state) {
    (void)state;
    scene s;
    kan_result *result;
    scene_open(&s, &table_1, "search");
    set(&s, "alpha", "0.5");
    set(&s, "alpha-value", "HIV");
    EXPECT_OK(s.run, kan_job_run(s.job, "anonymize", &result));
    const kan_table *release = kan_result_table(result);
    assert_int_equal(kan_table_n_rows(release), table_1.n_rows);
    for (size_t row = 0; row < table_1.n_rows; row++)
        for (size_t c = 0; c < COLUMNS; c++) {
            size_t size;
            const char *value = kan_table_value(release, row, c, &size);
            assert_int_equal(size, strlen(table_4[row][c]));
            assert_memory_equal(value, table_4[row][c], size);
        }
    kan_result_destroy(result);
    scene_close(&s);
}

/* What a release is worth is recounted by somebody else: Table 2 is 2-anonymous, and both rows of
 * its first class are HIV; Table 3 keeps alpha 0.5 for all values. */
static void expect_verified(const table *from, bool holds, const char *value) {
    scene s;
    kan_result *result;
    scene_open(&s, from, "verify");
    set(&s, "alpha", "0.5");
    if (value)
        set(&s, "alpha-value", value);
    EXPECT_OK(s.run, kan_job_run(s.job, "verify", &result));
    assert_int_equal(kan_result_holds(result), holds);
    kan_result_destroy(result);
    scene_close(&s);
}

static void table_3_keeps_alpha_and_table_2_does_not(void **state) {
    (void)state;
    static const table table_2 = {{"job", "birth", "postcode", "illness"},
                                  6,
                                  {{"Cat1", "*", "4350", "HIV"},
                                   {"Cat1", "*", "4350", "HIV"},
                                   {"Cat1", "1955", "5432", "flu"},
                                   {"Cat1", "1955", "5432", "fever"},
                                   {"Cat2", "1975", "4350", "flu"},
                                   {"Cat2", "1975", "4350", "fever"}},
                                  "job,birth,postcode"};
    static const table table_3 = {{"job", "birth", "postcode", "illness"},
                                  6,
                                  {{"*", "1975", "4350", "HIV"},
                                   {"*", "*", "4350", "HIV"},
                                   {"Cat1", "1955", "5432", "flu"},
                                   {"Cat1", "1955", "5432", "fever"},
                                   {"*", "*", "4350", "flu"},
                                   {"*", "1975", "4350", "fever"}},
                                  "job,birth,postcode"};
    expect_verified(&table_2, false, "HIV");
    expect_verified(&table_3, true, "HIV");
    expect_verified(&table_3, true, NULL);
}

/* Trap: with the ceiling, two groups of 3 with 2 sensitive rows each satisfy Definition 5, their
 * union does not. Only the most detailed node holds, and who would leave nodes out is refused. */
static void the_ceiling_is_searched_node_by_node(void **state) {
    (void)state;
    static const table halves = {{"job", "birth", "postcode", "illness"},
                                 6,
                                 {{"Cat1", "1975", "4350", "HIV"},
                                  {"Cat1", "1975", "4350", "HIV"},
                                  {"Cat1", "1975", "4350", "flu"},
                                  {"Cat2", "1975", "4350", "HIV"},
                                  {"Cat2", "1975", "4350", "HIV"},
                                  {"Cat2", "1975", "4350", "flu"}},
                                 "job=suppress"};
    static const char *const pruning[] = {"bisect",         "incognito",   "incognito-superroots",
                                          "incognito-cube", "bottom-up",   "bottom-up-rollup",
                                          "samarati",       "hash-minimal"};
    scene s;
    kan_result *result;
    scene_open(&s, &halves, "search");
    set(&s, "alpha", "0.5");
    set(&s, "alpha-value", "HIV");
    set(&s, "refined", "true");
    EXPECT_OK(s.run, kan_job_run(s.job, "search", &result));
    assert_non_null(strstr(kan_result_json(result), "\"algorithm\": \"screen\""));
    assert_non_null(strstr(kan_result_json(result), "\"anonymous\": 1, \"minimal\": [[0]]"));
    kan_result_destroy(result);
    for (size_t i = 0; i < sizeof pruning / sizeof *pruning; i++) {
        set(&s, "algorithm", pruning[i]);
        assert_int_equal(kan_job_run(s.job, "search", &result), KAN_BAD_INPUT);
        assert_non_null(strstr(kan_run_error(s.run), "exhaustive"));
    }
    scene_close(&s);
    /* strictly, 4 of 6 rows are too many for any generalization, and that is told at once */
    scene_open(&s, &halves, "search");
    set(&s, "alpha", "0.5");
    set(&s, "alpha-value", "HIV");
    assert_int_equal(kan_job_run(s.job, "search", &result), KAN_UNSATISFIED);
    assert_non_null(strstr(kan_run_error(s.run), "0.666667"));
    scene_close(&s);
}

/* ---- Lemmas 2 and 3 ------------------------------------------------------------------------- */

static const random_spec small = {.least_attributes = 2,
                                  .most_attributes = 3,
                                  .least_rows = 4,
                                  .most_rows = 40,
                                  .most_leaves = 6,
                                  .most_height = 2,
                                  .most_tails = 2,
                                  .most_nodes = 40};

/* The same rows with one attribute left out. */
static void drop_attribute(const plain_table *from, unsigned dropped, plain_table *out) {
    plain_init(out);
    for (unsigned a = 0; a < from->n_attributes; a++) {
        const plain_attribute *old = &from->attributes[a];
        if (a == dropped)
            continue;
        plain_attribute *made = plain_add_attribute(out, old->n_leaves, old->height);
        memcpy(made->leaves, old->leaves, old->n_leaves * sizeof *old->leaves);
    }
    out->n_tails = from->n_tails;
    out->class_tail = from->class_tail;
    plain_add_rows(out, from->n_rows);
    for (size_t row = 0; row < from->n_rows; row++)
        for (unsigned c = 0, to = 0; c < from->n_attributes + from->n_tails; c++)
            if (c != dropped)
                strcpy(plain_cell(out, row, to++), plain_cell(from, row, c));
}

static size_t n_satisfying;

/* Lemma 2: what generalizes a table that satisfies strict alpha and k satisfies them. Lemma 3: so
 * does every subset of the quasi-identifier at the same levels. */
static void lemmas_on_one_table(kan_run *run, uint64_t seed) {
    uint64_t random = seed * 7919;
    plain_table plain;
    test_problem made;
    random_plain(&small, &random, &plain);
    if (!plain_is_sensitive(&plain)) {
        plain_destroy(&plain);
        return;
    }
    test_problem_make(run, &plain, &made);
    const uint64_t k = 1 + kan_random_below(&random, 3), alpha = 6 + kan_random_below(&random, 15);
    const unsigned dropped = (unsigned)kan_random_below(&random, plain.n_attributes);
    plain_table fewer;
    test_problem made_fewer;
    plain_privacy models, same;
    oracle truth;
    drop_attribute(&plain, dropped, &fewer);
    test_problem_make(run, &fewer, &made_fewer);
    plain_privacy_init(&models, &plain);
    plain_privacy_init(&same, &fewer);
    models.k = same.k = k;
    models.alpha = same.alpha = alpha;
    models.alpha_parts = same.alpha_parts = 20;
    oracle_open(&plain, &truth);
    oracle_judge(&truth, plain_privacy_passes, &models, 0);
    const test_question question = {.models = &models, .cost = &kan_cost_height, .k = k};
    const test_question subset = {.models = &same, .cost = &kan_cost_height, .k = k};
    test_asked asked, asked_subset;
    test_ask(&made, &question, &asked);
    test_ask(&made_fewer, &subset, &asked_subset);
    for (size_t i = 0; i < truth.n_nodes; i++) {
        const oracle_node *node = &truth.nodes[i];
        unsigned levels[ORACLE_ATTRIBUTES];
        assert_int_equal(test_node_satisfies(&made, &asked, node->levels), node->satisfies);
        if (!node->satisfies)
            continue;
        n_satisfying++;
        for (unsigned a = 0; a < plain.n_attributes; a++) {
            memcpy(levels, node->levels, sizeof levels);
            if (++levels[a] <= plain.attributes[a].height)
                assert_true(test_node_satisfies(&made, &asked, levels));
        }
        for (unsigned a = 0, to = 0; a < plain.n_attributes; a++)
            if (a != dropped)
                levels[to++] = node->levels[a];
        assert_true(test_node_satisfies(&made_fewer, &asked_subset, levels));
    }
    test_asked_destroy(&asked);
    test_asked_destroy(&asked_subset);
    oracle_close(&truth);
    plain_privacy_destroy(&models, &made);
    plain_privacy_destroy(&same, &made_fewer);
    test_problem_destroy(&made_fewer);
    plain_destroy(&fewer);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void strict_alpha_survives_generalization_and_subsets(void **state) {
    (void)state;
    n_satisfying = 0;
    random_rounds(200, lemmas_on_one_table);
    if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
        assert_true(n_satisfying > 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_1_has_the_minimal_generalizations_that_were_enumerated),
        cmocka_unit_test(the_best_release_of_table_1_is_table_4),
        cmocka_unit_test(table_3_keeps_alpha_and_table_2_does_not),
        cmocka_unit_test(the_ceiling_is_searched_node_by_node),
        cmocka_unit_test_teardown(strict_alpha_survives_generalization_and_subsets,
                                  random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
