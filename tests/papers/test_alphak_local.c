/* alpha-k.txt, section 4: the worked tables by local recoding, and the entropies of 4.1.
 *
 * The rows of Tables 8(a), 10(a) and 11(a) and the releases that the paper shows for them (Tables
 * 9(c), 10 as its text ends it, and 11(b)) are written out here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kanon.h"
#include "search/local/local_inside.h"
#include "support/question.h"

enum { COLUMNS = 4, MOST_ROWS = 6 };

typedef struct {
    size_t n_rows;
    const char *rows[MOST_ROWS][COLUMNS];
} table;

static const char *const names[COLUMNS] = {"gender", "birth", "postcode", "sens"};

static const table table_8a = {4,
                               {{"male", "May 1965", "4351", "n"},
                                {"male", "Jun 1965", "4351", "c"},
                                {"male", "Jul 1965", "4351", "n"},
                                {"male", "Aug 1965", "4352", "n"}}};
static const table table_9c = {4,
                               {{"male", "1965", "4351", "n"},
                                {"male", "1965", "4351", "c"},
                                {"male", "1965", "435*", "n"},
                                {"male", "1965", "435*", "n"}}};
static const table table_10a = {6,
                                {{"male", "1965", "4351", "n"},
                                 {"male", "1965", "4351", "c"},
                                 {"male", "1965", "4351", "n"},
                                 {"male", "1965", "4352", "n"},
                                 {"male", "1965", "4363", "n"},
                                 {"male", "1965", "4374", "c"}}};
/* The text's end: t5 and t6 are generalized further, and satisfy the promise at 43**. */
static const table table_10_end = {6,
                                   {{"male", "1965", "4351", "n"},
                                    {"male", "1965", "4351", "c"},
                                    {"male", "1965", "435*", "n"},
                                    {"male", "1965", "435*", "n"},
                                    {"male", "1965", "43**", "n"},
                                    {"male", "1965", "43**", "c"}}};
/* Its other columns are not quasi-identifiers. */
static const table table_11a = {4,
                                {{"1", "", "4351", "n"},
                                 {"2", "", "4351", "c"},
                                 {"3", "", "4351", "n"},
                                 {"4", "", "4352", "n"}}};
static const table table_11b = {4,
                                {{"1", "", "4351", "n"},
                                 {"2", "", "4351", "c"},
                                 {"3", "", "435*", "n"},
                                 {"4", "", "435*", "n"}}};

/* ---- releases ------------------------------------------------------------------------------- */

typedef struct {
    kan_run *run;
    kan_table *table;
    kan_job *job;
} scene;

static void set(scene *s, const char *name, const char *value) {
    EXPECT_OK(s->run, kan_job_set(s->job, name, value));
}

static void scene_open(scene *s, const table *from, const char *quasi, const char *search,
                       const char *alpha) {
    s->run = kan_run_create();
    assert_non_null(s->run);
    EXPECT_OK(s->run, kan_table_create(s->run, COLUMNS, names, &s->table));
    for (size_t row = 0; row < from->n_rows; row++)
        EXPECT_OK(s->run, kan_table_add_row(s->table, from->rows[row]));
    EXPECT_OK(s->run, kan_job_create(s->run, &s->job));
    EXPECT_OK(s->run, kan_job_use_table(s->job, s->table));
    set(s, "qi", quasi);
    set(s, "others", "keep"); /* the tables of the paper show every column */
    set(s, "sensitive", "sens");
    set(s, "k", "2");
    set(s, "alpha", alpha);
    set(s, "alpha-value", "c");
    set(s, "algorithm", search);
}

static void scene_close(scene *s) {
    kan_job_destroy(s->job);
    kan_table_destroy(s->table);
    kan_run_destroy(s->run);
}

static void expect_release(const table *from, const char *quasi, const char *search,
                           const table *expected) {
    scene s;
    kan_result *result;
    scene_open(&s, from, quasi, search, "0.5");
    EXPECT_OK(s.run, kan_job_run(s.job, "anonymize", &result));
    const kan_table *release = kan_result_table(result);
    assert_int_equal(kan_table_n_rows(release), expected->n_rows);
    for (size_t row = 0; row < expected->n_rows; row++)
        for (size_t c = 0; c < COLUMNS; c++) {
            size_t size;
            const char *value = kan_table_value(release, row, c, &size);
            const kan_slice is = {value, size}, should_be = kan_slice_of(expected->rows[row][c]);
            if (!kan_slice_equal(is, should_be))
                fail_msg("%s, row %zu: %s is %.*s, not %s", search, row + 1, names[c], (int)size,
                         value, expected->rows[row][c]);
        }
    kan_result_destroy(result);
    scene_close(&s);
}

/* A month is generalized to its year, a year to *. */
static void progressive_makes_table_9c_of_table_8a(void **state) {
    char path[] = "/tmp/kanon-births-XXXXXX", quasi[128];
    FILE *file = fdopen(mkstemp(path), "w");
    (void)state;
    assert_non_null(file);
    for (size_t row = 0; row < table_8a.n_rows; row++)
        fprintf(file, "%s;1965;*\n", table_8a.rows[row][1]);
    assert_int_equal(fclose(file), 0);
    snprintf(quasi, sizeof quasi, "gender=suppress,birth=%s,postcode=digits:3", path);
    expect_release(&table_8a, quasi, "progressive", &table_9c);
    unlink(path);
}

static void progressive_ends_table_10_as_its_text_does(void **state) {
    (void)state;
    expect_release(&table_10a, "gender=suppress,birth=suppress,postcode=digits:3", "progressive",
                   &table_10_end);
    expect_release(&table_10a, "postcode=digits:3", "progressive", &table_10_end);
}

static void both_searches_make_table_11b_of_table_11a(void **state) {
    (void)state;
    expect_release(&table_11a, "postcode=digits:3", "top-down", &table_11b);
    expect_release(&table_11a, "postcode=digits:3", "progressive", &table_11b);
}

/* Two of six rows are c: no alpha below a third is possible, and that is told before any search. */
static void an_alpha_that_is_too_small_is_told_with_the_least(void **state) {
    static const char *const searches[] = {"progressive", "top-down"};
    static const char says[] = "the smallest possible alpha is ";
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        scene s;
        kan_result *result;
        scene_open(&s, &table_10a, "postcode=digits:3", searches[i], "0.333");
        assert_int_equal(kan_job_run(s.job, "anonymize", &result), KAN_UNSATISFIED);
        const char *told = strstr(kan_run_error(s.run), says);
        assert_non_null(told);
        char *least = strdup(told + strlen(says));
        assert_true(atof(least) >= 1.0 / 3 && atof(least) < 0.33334);
        scene_close(&s);
        scene_open(&s, &table_10a, "postcode=digits:3", searches[i], least);
        free(least);
        EXPECT_OK(s.run, kan_job_run(s.job, "anonymize", &result));
        kan_result_destroy(result);
        scene_close(&s);
    }
}

/* ---- entropies ------------------------------------------------------------------------------ */

enum { TEN = 10 };

/* The attribute that a step takes first, of two that ten rows have so: 0 or 1. */
static unsigned first_step(const size_t *value_of_first, const size_t *value_of_other) {
    kan_run *run = kan_run_create();
    plain_table plain;
    test_problem made;
    test_asked asked;
    kan_local_space space;
    bool is_there;
    kan_local_chain chain;
    const size_t *values[2] = {value_of_first, value_of_other};
    plain_init(&plain);
    for (unsigned a = 0; a < 2; a++) {
        plain_attribute *attribute = plain_add_attribute(&plain, 16, 1);
        for (size_t leaf = 0; leaf < 16; leaf++) {
            attribute->leaves[leaf].at[0][0] = (char)('a' + leaf);
            attribute->leaves[leaf].at[1][0] = '*';
        }
    }
    plain_add_rows(&plain, TEN);
    for (size_t row = 0; row < TEN; row++)
        for (unsigned a = 0; a < 2; a++)
            plain_cell(&plain, row, a)[0] = (char)('a' + values[a][row]);
    test_problem_make(run, &plain, &made);
    test_ask(&made, &(test_question){.cost = &kan_cost_discernibility, .k = 2}, &asked);
    EXPECT_OK(run, kan_local_space_make(run, &asked.question, &space));
    EXPECT_OK(run, kan_local_chain_make(&space, space.rows, &chain));
    assert_int_equal(kan_local_chain_step(&chain, &is_there), KAN_OK);
    assert_true(is_there);
    assert_int_equal(chain.level[0] + chain.level[1], 1);
    const unsigned taken = chain.level[1];
    kan_local_chain_destroy(&chain);
    kan_local_space_destroy(&space);
    test_asked_destroy(&asked);
    test_problem_destroy(&made);
    plain_destroy(&plain);
    kan_run_destroy(run);
    return taken;
}

/* The paper's three, and others between them. */
static void the_attribute_of_the_greatest_entropy_is_generalized(void **state) {
    (void)state;
    static const size_t ten_even[TEN] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}; /* 3.32 */
    static const size_t nine[TEN] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 8};     /* 3.12 */
    static const size_t two_even[TEN] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1}; /* 1 */
    static const size_t eight[TEN] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1};    /* 0.722 */
    static const size_t seven[TEN] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1};    /* 0.881 */
    static const size_t three[TEN] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 2};    /* 0.922, of 3 values */
    static const size_t one[TEN] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};      /* 0 */
    static const size_t *const all[] =                                  /* growing */
        {one, eight, seven, three, two_even, nine, ten_even};
    for (unsigned i = 0; i < 7; i++)
        for (unsigned j = 0; j < 7; j++)
            assert_int_equal(first_step(all[i], all[j]), j > i);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progressive_makes_table_9c_of_table_8a),
        cmocka_unit_test(progressive_ends_table_10_as_its_text_does),
        cmocka_unit_test(both_searches_make_table_11b_of_table_11a),
        cmocka_unit_test(an_alpha_that_is_too_small_is_told_with_the_least),
        cmocka_unit_test(the_attribute_of_the_greatest_entropy_is_generalized),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
