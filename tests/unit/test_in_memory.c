/* What programs that bring their own tables ask of the library: hierarchies that are on no disk, figures without
 * JSON, runs that go on after a cancel, and which failure was one of memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kanon.h"

static kan_run *run;

static int begin(void **state) {
    (void)state;
    run = kan_run_create();
    return run ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    kan_run_destroy(run);
    return 0;
}

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != KAN_OK)                                                                      \
            fail_msg("%s: %s", #call, kan_run_error(run));                                         \
    } while (0)

/* Values that a file could not hold without quotes, and what they become. */
enum { N_VALUES = 6 };
static const char *const lines_of[N_VALUES][3] = {
    {"plain", "a;b", "*"},
    {"with \"quotes\"", "a;b", "*"},
    {"two\nlines", "\xef\xbb\xbfmarked", "*"},
    {"", "\xef\xbb\xbfmarked", "*"},
    {" blank", " c", "*"},
    {"a\rb", " c", "*"},
};

static kan_table *table_of(size_t n_columns, size_t n_rows, const char *const *cells) {
    const char *const names[] = {"town", "label", "top"};
    kan_table *table;
    OK(kan_table_create(run, n_columns, names, &table));
    for (size_t row = 0; row < n_rows; row++)
        OK(kan_table_add_row(table, cells + row * n_columns));
    return table;
}

static kan_table *people(void) {
    const char *cells[2 * N_VALUES];
    for (size_t i = 0; i < 2 * (size_t)N_VALUES; i++)
        cells[i] = lines_of[i < 8 ? i % 4 : i % 3 + 3][0];
    return table_of(1, 2 * (size_t)N_VALUES, cells);
}

static kan_job *job_of(kan_table *table, const char *k) {
    kan_job *job;
    OK(kan_job_create(run, &job));
    OK(kan_job_use_table(job, table));
    OK(kan_job_set(job, "k", k));
    return job;
}

/* The rows of a release, one cell a line. */
static void expect_same_rows(const kan_table *a, const kan_table *b) {
    assert_non_null(a);
    assert_int_equal(kan_table_n_rows(a), kan_table_n_rows(b));
    for (uint64_t row = 0; row < kan_table_n_rows(a); row++) {
        size_t size, other_size;
        const char *value = kan_table_value(a, row, 0, &size);
        const char *other = kan_table_value(b, row, 0, &other_size);
        assert_int_equal(size, other_size);
        assert_memory_equal(value, other, size);
    }
}

static void write_quoted(FILE *file, const char *value, char after) {
    fputc('"', file);
    for (; *value; value++) {
        if (*value == '"')
            fputc('"', file);
        fputc(*value, file);
    }
    fprintf(file, "\"%c", after);
}

static void a_hierarchy_in_memory_does_what_a_file_of_it_does(void **state) {
    (void)state;
    char path[] = "/tmp/kanon-in-memory-XXXXXX";
    const int made = mkstemp(path);
    FILE *file = fdopen(made, "w");
    assert_non_null(file);
    for (size_t i = 0; i < N_VALUES; i++)
        for (size_t level = 0; level < 3; level++)
            write_quoted(file, lines_of[i][level], level < 2 ? ';' : '\n');
    assert_int_equal(fclose(file), 0);
    kan_table *table = people(), *lines = table_of(3, N_VALUES, &lines_of[0][0]);
    for (unsigned k = 1; k <= 2 * N_VALUES; k++) {
        char number[16];
        snprintf(number, sizeof number, "%u", k);
        kan_job *by_file = job_of(table, number), *by_memory = job_of(table, number);
        kan_result *a, *b;
        OK(kan_job_set_column(by_file, "qi", "town", path));
        OK(kan_job_use_hierarchy(by_memory, "qi", "town", lines));
        assert_string_equal(kan_job_get(by_memory, "qi", 0), "town=memory:town.csv");
        OK(kan_job_run(by_file, "anonymize", &a));
        OK(kan_job_run(by_memory, "anonymize", &b));
        expect_same_rows(kan_result_table(a), kan_result_table(b));
        assert_int_equal(kan_result_level(a, "town"), kan_result_level(b, "town"));
        kan_result_destroy(a);
        kan_result_destroy(b);
        kan_job_destroy(by_file);
        kan_job_destroy(by_memory);
    }
    kan_table_destroy(lines);
    kan_table_destroy(table);
    unlink(path);
}

static void each_job_of_a_run_has_its_own(void **state) {
    (void)state;
    const char *const rough[][3] = {
        {"1", "*", "*"}, {"2", "*", "*"}, {"3", "*", "*"}, {"4", "*", "*"}};
    const char *const fine[][3] = {
        {"1", "low", "*"}, {"2", "low", "*"}, {"3", "high", "*"}, {"4", "high", "*"}};
    const char *const cells[] = {"1", "2", "3", "4"};
    kan_table *table = table_of(1, 4, cells);
    kan_table *roughly = table_of(3, 4, &rough[0][0]), *finely = table_of(3, 4, &fine[0][0]);
    kan_job *first = job_of(table, "2"), *second = job_of(table, "2");
    kan_result *result;
    size_t size;
    OK(kan_job_use_hierarchy(first, "qi", "town", finely));
    OK(kan_job_use_hierarchy(second, "qi", "town", roughly));
    kan_table_destroy(roughly); /* they were copied */
    kan_table_destroy(finely);
    OK(kan_job_run(first, "anonymize", &result));
    assert_memory_equal(kan_table_value(kan_result_table(result), 0, 0, &size), "low", 3);
    kan_result_destroy(result);
    OK(kan_job_run(second, "anonymize", &result));
    assert_memory_equal(kan_table_value(kan_result_table(result), 0, 0, &size), "*", 1);
    kan_result_destroy(result);
    kan_job_destroy(second);
    kan_job_destroy(first);
    /* Also where the command makes jobs of its own. */
    OK(kan_job_create(run, &first));
    finely = table_of(3, 4, &fine[0][0]);
    OK(kan_job_use_table(first, table));
    OK(kan_job_use_hierarchy(first, "qi", "town", finely));
    OK(kan_job_set(first, "ks", "2,4"));
    OK(kan_job_run(first, "compare", &result));
    assert_null(strstr(kan_result_json(result), "\"error\": \""));
    kan_result_destroy(result);
    kan_job_destroy(first);
    kan_table_destroy(finely);
    kan_table_destroy(table);
}

static void what_is_not_in_memory_is_not_found(void **state) {
    (void)state;
    const char *const cells[] = {"1", "1"};
    kan_table *table = table_of(1, 2, cells);
    kan_job *job = job_of(table, "2");
    kan_result *result;
    OK(kan_job_set_column(job, "qi", "town", "memory:town.csv"));
    assert_int_equal(kan_job_run(job, "anonymize", &result), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(run), "handed over no such file"));
    assert_int_equal(kan_job_use_hierarchy(job, "order", "town", table), KAN_BAD_INPUT);
    kan_job_destroy(job);
    kan_table_destroy(table);
}

static void a_wrong_line_is_told_by_its_place(void **state) {
    (void)state;
    const char *const cells[] = {"1", "2"}, *const wrong[] = {"1", "a", "*", "1", "b", "*"};
    kan_table *table = table_of(1, 2, cells), *lines = table_of(3, 2, wrong);
    kan_job *job = job_of(table, "2");
    kan_result *result;
    OK(kan_job_use_hierarchy(job, "qi", "town", lines));
    assert_int_equal(kan_job_run(job, "anonymize", &result), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(run), "memory:town.csv:2"));
    kan_job_destroy(job);
    kan_table_destroy(lines);
    kan_table_destroy(table);
}

static void a_run_goes_on_after_a_cancel(void **state) {
    (void)state;
    kan_table *table = people();
    kan_job *job = job_of(table, "2");
    kan_result *result;
    OK(kan_job_set(job, "qi", "town"));
    kan_run_cancel(run);
    assert_int_equal(kan_job_run(job, "anonymize", &result), KAN_CANCELLED);
    kan_run_resume(run);
    assert_false(kan_run_is_cancelled(run));
    OK(kan_job_run(job, "anonymize", &result));
    kan_result_destroy(result);
    kan_run_interrupt(run); /* nothing is at work: as good as a cancel */
    assert_int_equal(kan_job_run(job, "anonymize", &result), KAN_CANCELLED);
    kan_run_resume(run);
    OK(kan_job_run(job, "anonymize", &result));
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(table);
}

static void want_of_memory_is_known_from_other_failures(void **state) {
    (void)state;
    kan_table *table = people();
    kan_job *job = job_of(table, "2"), *other;
    kan_result *result;
    OK(kan_job_set(job, "qi", "town"));
    OK(kan_job_set(job, "memory", "1K"));
    assert_false(kan_run_is_out_of_memory(run));
    assert_int_equal(kan_job_run(job, "anonymize", &result), KAN_FAILED);
    assert_true(kan_run_is_out_of_memory(run));
    kan_job_destroy(job);
    other = job_of(table, "2");
    OK(kan_job_set(other, "qi", "out of memory"));
    assert_int_equal(kan_job_run(other, "anonymize", &result), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(run), "out of memory"));
    assert_false(kan_run_is_out_of_memory(run));
    kan_job_destroy(other);
    kan_table_destroy(table);
}

static void getters_say_what_the_json_says(void **state) {
    (void)state;
    const char *const cells[] = {"1", "1", "2", "2"};
    kan_table *table = table_of(1, 4, cells);
    kan_job *job = job_of(table, "4");
    kan_result *result;
    double value = -1;
    OK(kan_job_set(job, "qi", "town"));
    OK(kan_job_run(job, "search", &result));
    assert_non_null(strstr(kan_result_json(result), "\"levels\": [1]"));
    assert_int_equal(kan_result_level(result, "town"), 1);
    assert_int_equal(kan_result_level(result, "towns"), -1);
    assert_int_equal(kan_result_level(result, NULL), -1);
    assert_true(kan_result_metric(result, "discernibility", &value));
    assert_true(value > 15.5 && value < 16.5);                         /* one group of four */
    assert_false(kan_result_metric(result, "classification", &value)); /* null: there is no class */
    assert_false(kan_result_metric(result, "nonsense", &value));
    assert_false(kan_result_metric(result, NULL, &value));
    assert_false(kan_result_metric(result, "ncp", NULL));
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(table);
}

static void the_number_of_the_version_is_its_text(void **state) {
    (void)state;
    char text[32];
    const int number = kan_version_number();
    snprintf(text, sizeof text, "%d.%d.%d", number / 10000, number / 100 % 100, number % 100);
    assert_string_equal(text, kan_version());
    assert_int_equal(number, KANON_VERSION_NUMBER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_hierarchy_in_memory_does_what_a_file_of_it_does, begin,
                                        end),
        cmocka_unit_test_setup_teardown(each_job_of_a_run_has_its_own, begin, end),
        cmocka_unit_test_setup_teardown(what_is_not_in_memory_is_not_found, begin, end),
        cmocka_unit_test_setup_teardown(a_wrong_line_is_told_by_its_place, begin, end),
        cmocka_unit_test_setup_teardown(a_run_goes_on_after_a_cancel, begin, end),
        cmocka_unit_test_setup_teardown(want_of_memory_is_known_from_other_failures, begin, end),
        cmocka_unit_test_setup_teardown(getters_say_what_the_json_says, begin, end),
        cmocka_unit_test_setup_teardown(the_number_of_the_version_is_its_text, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
