/* Local recoding by hand: what each rule of the two searches does to a handful of rows. Every
 * release here can be found with paper and pencil from the rules that progressive.c and top_down.c
 * state; postcodes are generalized digit by digit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kanon.h"
#include "support/plain.h"

enum { MOST_ROWS = 24, MOST_FIELDS = 5, FIELD = 16 };

/* "postcode sensitive shown" for each row, with commas between rows, or with a second postcode
 * "first second sensitive shown shown"; shown is - where the row is left out. Settings are pairs of
 * names and values. */
typedef struct {
    const char *rows;
    const char *settings[8][2];
} example;

typedef char field[FIELD];
typedef field line[MOST_FIELDS];

static size_t read_rows(const char *rows, unsigned n_fields, line *lines) {
    size_t n = 0;
    for (; *rows; n++) {
        assert_true(n < MOST_ROWS);
        for (unsigned f = 0; f < n_fields; f++) {
            int length;
            assert_int_equal(sscanf(rows, " %15[^ ,]%n", lines[n][f], &length), 1);
            rows += length;
        }
        rows += *rows == ',';
    }
    return n;
}

static void expect_shown(const kan_table *release, line *lines, size_t n, unsigned n_quasi) {
    uint64_t at = 0;
    for (size_t row = 0; row < n; row++) {
        if (strcmp(lines[row][n_quasi + 1], "-") == 0)
            continue;
        assert_true(at < kan_table_n_rows(release));
        for (unsigned a = 0; a < n_quasi; a++) {
            const char *expected = lines[row][n_quasi + 1 + a];
            size_t size;
            const char *shown = kan_table_value(release, at, a, &size);
            if (size != strlen(expected) || memcmp(shown, expected, size) != 0)
                fail_msg("row %zu, %s: shown is %.*s, not %s", row + 1, lines[row][a], (int)size,
                         shown, expected);
        }
        at++;
    }
    assert_int_equal(kan_table_n_rows(release), at);
}

static void expect_release(const char *search, unsigned n_quasi, const example *e) {
    const char *const *names = (const char *const[]){"first", "second", "sens"} + (2 - n_quasi);
    line lines[MOST_ROWS];
    const size_t n = read_rows(e->rows, 2 * n_quasi + 1, lines);
    kan_run *run = kan_run_create();
    kan_table *table;
    kan_job *job;
    kan_result *result;
    EXPECT_OK(run, kan_table_create(run, n_quasi + 1, names, &table));
    for (size_t row = 0; row < n; row++)
        EXPECT_OK(run, kan_table_add_row(
                           table, (const char *[]){lines[row][0], lines[row][1], lines[row][2]}));
    EXPECT_OK(run, kan_job_create(run, &job));
    EXPECT_OK(run, kan_job_use_table(job, table));
    EXPECT_OK(run, kan_job_set(job, "qi", "second=digits:3"));
    if (n_quasi > 1)
        EXPECT_OK(run, kan_job_set(job, "qi", "first=digits:3"));
    EXPECT_OK(run, kan_job_set(job, "sensitive", "sens"));
    EXPECT_OK(run, kan_job_set(job, "algorithm", search));
    for (size_t i = 0; e->settings[i][0]; i++)
        EXPECT_OK(run, kan_job_set(job, e->settings[i][0], e->settings[i][1]));
    EXPECT_OK(run, kan_job_run(job, "anonymize", &result));
    expect_shown(kan_result_table(result), lines, n, n_quasi);
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

static void expect_example(const char *search, const example *e) {
    expect_release(search, 1, e);
}

/* ---- progressive ---------------------------------------------------------------------------- */

/* Three leave, and the fourth would be alone: one of the three stays with it. */
static void progressive_lets_no_more_rows_leave_than_the_others_can_miss(void **state) {
    (void)state;
    expect_example("progressive",
                   &(example){"4351 n 4351, 4351 n 4351, 4351 n 435*, 4352 n 435*", {{"k", "2"}}});
}

/* Two c too many stay behind, for the n of the other postcode. */
static void progressive_takes_a_trunk_out_of_a_group_with_too_many_of_a_value(void **state) {
    (void)state;
    expect_example("progressive", &(example){"4351 c 4351, 4351 c 435*, 4351 c 435*, 4351 n 4351,"
                                             "4352 n 4352, 4352 n 4352, 4352 n 435*, 4352 n 435*",
                                             {{"k", "2"}, {"alpha", "0.5"}, {"alpha-value", "c"}}});
}

/* All six rows have three c, and one may be there; each pair has one of one. */
static void progressive_releases_groups_of_a_table_that_fails_as_a_whole(void **state) {
    (void)state;
    expect_example(
        "progressive",
        &(example){"4351 c 4351, 4351 n 4351, 4362 c 4362, 4362 n 4362, 4473 c 4473, 4473 n 4473",
                   {{"k", "2"}, {"alpha", "0.1"}, {"alpha-value", "c"}, {"refined", NULL}}});
}

/* The one row of 4353 needs another: who leaves first need not stay. */
static void progressive_picks_the_groups_that_leave_first(void **state) {
    static const char smallest[] = "4351 n 4351, 4351 n 4351, 4351 n 435*, 4352 n 4352,"
                                   "4352 n 4352, 4353 n 435*";
    static const char largest[] = "4351 n 4351, 4351 n 4351, 4351 n 4351, 4352 n 435*,"
                                  "4352 n 435*, 4353 n 435*";
    static const char first[] = "4351 n 4351, 4351 n 4351, 4352 n 4352, 4352 n 4352,"
                                "4352 n 435*, 4353 n 435*";
    (void)state;
    expect_example("progressive", &(example){smallest, {{"k", "2"}, {"pick", "smallest"}}});
    expect_example("progressive", &(example){smallest, {{"k", "2"}}});
    expect_example("progressive", &(example){largest, {{"k", "2"}, {"pick", "largest"}}});
    expect_example("progressive", &(example){largest, {{"k", "2"}, {"pick", "first"}}});
    expect_example("progressive", &(example){first, {{"k", "2"}, {"pick", "first"}}});
}

/* One row fits nowhere, and may be left out. */
static void progressive_leaves_out_what_may_be_left_out(void **state) {
    (void)state;
    expect_example("progressive", &(example){"4351 n 4351, 4351 n 4351, 4351 n 4351, 9999 n -",
                                             {{"k", "2"}, {"suppress", "1"}}});
}

/* Every value of the first column is rare, and x has seven rows of ten of the second: four x must
 * go, whatever comes first in the table. */
static void rows_are_left_out_of_the_column_that_needs_it(void **state) {
    static const char *const searches[] = {"progressive", "top-down"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        kan_run *run = kan_run_create();
        kan_table *table;
        kan_job *job;
        kan_result *result;
        EXPECT_OK(run, kan_table_create(run, 3, (const char *[]){"q", "one", "two"}, &table));
        for (unsigned row = 0; row < 10; row++) {
            const char one[] = {(char)('a' + row), '\0'};
            EXPECT_OK(run,
                      kan_table_add_row(table, (const char *[]){"1", one, row < 3 ? "y" : "x"}));
        }
        EXPECT_OK(run, kan_job_create(run, &job));
        EXPECT_OK(run, kan_job_use_table(job, table));
        EXPECT_OK(run, kan_job_set(job, "qi", "q"));
        EXPECT_OK(run, kan_job_set(job, "sensitive", "one,two"));
        EXPECT_OK(run, kan_job_set(job, "alpha", "0.5"));
        EXPECT_OK(run, kan_job_set(job, "suppress", "4"));
        EXPECT_OK(run, kan_job_set(job, "algorithm", searches[i]));
        EXPECT_OK(run, kan_job_run(job, "anonymize", &result));
        assert_int_equal(kan_table_n_rows(kan_result_table(result)), 6);
        kan_result_destroy(result);
        kan_job_destroy(job);
        kan_table_destroy(table);
        kan_run_destroy(run);
    }
}

/* ---- top-down ------------------------------------------------------------------------------- */

/* The row of 4352 needs one other row, and no more. */
static void top_down_moves_up_no_more_rows_than_are_needed(void **state) {
    (void)state;
    expect_example("top-down", &(example){"4351 n 4351, 4351 n 4351, 4351 n 4351, 4351 n 4351,"
                                          "4351 n 435*, 4352 n 435*",
                                          {{"k", "2"}}});
}

/* 4351 can spare no n, for half of its rows are c; it can spare a c. */
static void top_down_takes_only_rows_that_a_branch_can_spare(void **state) {
    (void)state;
    expect_example("top-down",
                   &(example){"4351 c 4351, 4351 c 435*, 4351 n 4351, 4351 n 4351, 4352 n 435*",
                              {{"k", "2"}, {"alpha", "0.5"}, {"alpha-value", "c"}}});
}

/* x alone needs a value that is not x. */
static void top_down_takes_values_that_are_rare_above(void **state) {
    (void)state;
    expect_example("top-down", &(example){"4351 x 4351, 4351 x 4351, 4351 y 4351, 4351 y 435*,"
                                          "4351 z 4351, 4351 z 4351, 4352 x 435*",
                                          {{"k", "2"}, {"alpha", "0.5"}}});
}

/* Three c of four are two too many: they alone go back up, to the n of 4352 that are not enough for
 * a branch that may keep them all. */
static void top_down_moves_up_only_what_is_too_much_of_a_branch(void **state) {
    (void)state;
    expect_example("top-down", &(example){"4351 c 4351, 4351 c 435*, 4351 c 435*, 4351 n 4351,"
                                          "4352 n 4352, 4352 n 4352, 4352 n 435*, 4352 n 435*",
                                          {{"k", "2"}, {"alpha", "0.5"}, {"alpha-value", "c"}}});
}

/* The same where no other branch is kept. */
static void top_down_keeps_what_is_left_of_such_a_branch(void **state) {
    (void)state;
    expect_example("top-down", &(example){"4351 c 4351, 4351 c 435*, 4351 c 435*, 4351 n 4351,"
                                          "4352 n 435*, 4353 n 435*",
                                          {{"k", "2"}, {"alpha", "0.5"}, {"alpha-value", "c"}}});
}

/* The row of 4361 needs another: that of 4352, which could not be shown at 4352 anyway. */
static void top_down_moves_up_the_rows_that_are_hardest_to_specialize(void **state) {
    (void)state;
    expect_example("top-down", &(example){"4351 n 4351, 4351 n 4351, 4351 n 4351, 4352 n 43**,"
                                          "4361 n 43**",
                                          {{"k", "2"}}});
}

/* No row of 4351 can go without one value having more than half of the others, and 4352 has just
 * two: for the row of 4353 the smaller branch is given up. */
static void top_down_gives_up_the_smallest_branch(void **state) {
    (void)state;
    expect_example("top-down", &(example){"4351 x 4351, 4351 x 4351, 4351 y 4351, 4351 y 4351,"
                                          "4352 y 435*, 4352 z 435*, 4353 x 435*",
                                          {{"k", "2"}, {"alpha", "0.5"}}});
}

/* All rows can be specialized in either column, but not in both. */
static void top_down_takes_the_column_with_the_fewest_branches(void **state) {
    (void)state;
    expect_release("top-down", 2,
                   &(example){"4351 7771 n 435* 7771, 4352 7771 n 435* 7771, 4353 7771 n 435* 7771,"
                              "4354 7771 n 435* 7771, 4351 7772 n 435* 7772, 4352 7772 n 435* 7772,"
                              "4353 7772 n 435* 7772, 4354 7772 n 435* 7772",
                              {{"k", "2"}}});
    expect_release("top-down", 2,
                   &(example){"4351 7771 n 4351 777*, 4351 7772 n 4351 777*, 4351 7773 n 4351 777*,"
                              "4351 7774 n 4351 777*, 4352 7771 n 4352 777*, 4352 7772 n 4352 777*,"
                              "4352 7773 n 4352 777*, 4352 7774 n 4352 777*, 4353 7771 n 4353 777*,"
                              "4353 7772 n 4353 777*, 4353 7773 n 4353 777*, 4353 7774 n 4353 777*",
                              {{"k", "3"}}});
}

/* Most rows can be specialized in the first column; the others go on in the second. */
static void top_down_specializes_what_moved_up_in_another_column(void **state) {
    (void)state;
    expect_release("top-down", 2,
                   &(example){"4351 7771 n 4351 777*, 4351 7772 n 4351 777*, 4351 7773 n 4351 777*,"
                              "4351 7774 n 4351 777*, 4351 7775 n 4351 777*, 4351 7776 n 4351 777*,"
                              "4352 7777 n 435* 7777, 4353 7777 n 435* 7777,"
                              "4354 7778 n 435* 7778, 4355 7778 n 435* 7778",
                              {{"k", "2"}}});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progressive_lets_no_more_rows_leave_than_the_others_can_miss),
        cmocka_unit_test(progressive_takes_a_trunk_out_of_a_group_with_too_many_of_a_value),
        cmocka_unit_test(progressive_releases_groups_of_a_table_that_fails_as_a_whole),
        cmocka_unit_test(progressive_picks_the_groups_that_leave_first),
        cmocka_unit_test(progressive_leaves_out_what_may_be_left_out),
        cmocka_unit_test(rows_are_left_out_of_the_column_that_needs_it),
        cmocka_unit_test(top_down_moves_up_no_more_rows_than_are_needed),
        cmocka_unit_test(top_down_takes_only_rows_that_a_branch_can_spare),
        cmocka_unit_test(top_down_takes_values_that_are_rare_above),
        cmocka_unit_test(top_down_moves_up_only_what_is_too_much_of_a_branch),
        cmocka_unit_test(top_down_keeps_what_is_left_of_such_a_branch),
        cmocka_unit_test(top_down_moves_up_the_rows_that_are_hardest_to_specialize),
        cmocka_unit_test(top_down_specializes_what_moved_up_in_another_column),
        cmocka_unit_test(top_down_gives_up_the_smallest_branch),
        cmocka_unit_test(top_down_takes_the_column_with_the_fewest_branches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
