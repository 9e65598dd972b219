/* include/kanon.h, kanon_arrow.h: no call crashes where it is given NULL; it fails, or answers with nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "kanon_arrow.h"

static kan_run *run;
static kan_job *job;

static int begin(void **state) {
    (void)state;
    run = kan_run_create();
    return run && kan_job_create(run, &job) == KAN_OK ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    kan_job_destroy(job);
    kan_run_destroy(run);
    return 0;
}

/* Refused, and the text says why. */
#define REFUSED(call)                                                                              \
    do {                                                                                           \
        assert_int_equal(call, KAN_BAD_INPUT);                                                     \
        assert_non_null(strstr(kan_run_error(run), "is NULL"));                                    \
    } while (0)
/* Without a run there is no text. */
#define REFUSED_SILENTLY(call) assert_int_equal(call, KAN_BAD_INPUT)

static void a_run_that_is_not_there_does_nothing(void **state) {
    (void)state;
    kan_run_destroy(NULL);
    assert_non_null(kan_run_error(NULL));
    kan_run_on_progress(NULL, NULL, NULL);
    kan_run_on_note(NULL, NULL, NULL);
    kan_run_on_progress(run, NULL, NULL);
    kan_run_on_note(run, NULL, NULL);
    kan_run_cancel(NULL);
    kan_run_interrupt(NULL);
    kan_run_resume(NULL);
    assert_false(kan_run_is_out_of_memory(NULL));
    assert_false(kan_run_is_cancelled(NULL));
    assert_int_equal(kan_run_peak_memory(NULL), 0);
}

static void tables_refuse_what_they_need(void **state) {
    (void)state;
    const char *const names[] = {"a", NULL}, *const good[] = {"a", "b"};
    kan_table *table = NULL;
    size_t size = 1;
    REFUSED_SILENTLY(kan_table_create(NULL, 2, good, &table));
    REFUSED(kan_table_create(run, 2, NULL, &table));
    REFUSED(kan_table_create(run, 2, names, &table));
    REFUSED(kan_table_create(run, 2, good, NULL));
    assert_null(table);
    assert_int_equal(kan_table_create(run, 2, good, &table), KAN_OK);
    REFUSED_SILENTLY(kan_table_add_row(NULL, good));
    REFUSED(kan_table_add_row(table, NULL));
    assert_int_equal(kan_table_n_rows(table), 0);
    assert_int_equal(kan_table_add_row(table, names), KAN_OK); /* NULL is the empty value */
    assert_non_null(kan_table_value(table, 0, 0, NULL));
    assert_null(kan_table_value(table, 1, 0, &size));
    assert_int_equal(size, 0);
    assert_null(kan_table_value(table, 0, 2, &size));
    assert_null(kan_table_column_name(table, 2));
    kan_table_destroy(table);
    kan_table_destroy(NULL);
    assert_int_equal(kan_table_n_rows(NULL), 0);
    assert_int_equal(kan_table_n_columns(NULL), 0);
    assert_null(kan_table_column_name(NULL, 0));
    assert_null(kan_table_value(NULL, 0, 0, &size));
}

static void questions_about_nothing_are_answered_with_nothing(void **state) {
    (void)state;
    const char *const names[] = {NULL, "age"};
    assert_null(kan_command_at(SIZE_MAX));
    assert_null(kan_command_find(NULL));
    assert_false(kan_command_needs(NULL, "k"));
    (void)kan_command_needs(kan_command_at(0), NULL); /* a promise */
    assert_null(kan_setting_at(SIZE_MAX));
    assert_null(kan_setting_find(NULL));
    assert_false(kan_setting_is_for(NULL, "verify"));
    assert_false(kan_setting_is_for(kan_setting_at(0), NULL));
    assert_false(kan_setting_takes_lists(NULL));
    assert_null(kan_setting_choices(NULL));
    assert_false(kan_setting_takes_path(NULL));
    assert_false(kan_path_is_address(NULL));
    assert_false(kan_setting_takes_columns(NULL));
    assert_null(kan_setting_nearest(NULL, NULL));
    assert_null(kan_setting_nearest(NULL, "verify"));
    assert_string_equal(kan_setting_nearest("supress", NULL), "suppress");
    assert_null(kan_nearest(NULL, names, 2));
    assert_null(kan_nearest("age", NULL, 2));
    assert_string_equal(kan_nearest("agee", names, 2), "age");
    assert_non_null(kan_page_style());
    assert_non_null(kan_version());
}

static void jobs_refuse_what_they_need(void **state) {
    (void)state;
    kan_job *none = NULL;
    kan_result *result = NULL;
    const char *text = NULL;
    REFUSED_SILENTLY(kan_job_create(NULL, &none));
    REFUSED(kan_job_create(run, NULL));
    kan_job_destroy(NULL);
    REFUSED_SILENTLY(kan_job_set(NULL, "k", "2"));
    REFUSED(kan_job_set(job, NULL, "2"));
    REFUSED(kan_job_set(job, NULL, NULL));
    assert_int_equal(kan_job_set(job, "k", NULL), KAN_BAD_INPUT); /* it needs a value */
    assert_int_equal(kan_job_set(job, "force", NULL), KAN_OK);    /* a switch */
    REFUSED_SILENTLY(kan_job_set_column(NULL, "qi", "age", NULL));
    REFUSED(kan_job_set_column(job, NULL, "age", NULL));
    REFUSED(kan_job_set_column(job, "qi", NULL, NULL));
    assert_int_equal(kan_job_set_column(job, "qi", "age", NULL), KAN_OK);
    REFUSED_SILENTLY(kan_job_add(NULL, "k", "2"));
    REFUSED(kan_job_add(job, NULL, "2"));
    REFUSED(kan_job_add(job, "k", NULL));
    assert_null(kan_job_get(NULL, "k", 0));
    assert_null(kan_job_get(job, NULL, 0));
    REFUSED_SILENTLY(kan_job_load(NULL, "job.yaml"));
    REFUSED(kan_job_load(job, NULL));
    REFUSED_SILENTLY(kan_job_write(NULL, &text));
    REFUSED(kan_job_write(job, NULL));
    REFUSED_SILENTLY(kan_job_use_table(NULL, NULL));
    REFUSED(kan_job_use_table(job, NULL));
    REFUSED_SILENTLY(kan_job_use_table_as(NULL, "original", NULL));
    REFUSED(kan_job_use_table_as(job, NULL, NULL));
    REFUSED(kan_job_use_table_as(job, "original", NULL));
    kan_table *lines;
    const char *const names[] = {"value", "label"};
    assert_int_equal(kan_table_create(run, 2, names, &lines), KAN_OK);
    REFUSED_SILENTLY(kan_job_use_hierarchy(NULL, "qi", "age", lines));
    REFUSED(kan_job_use_hierarchy(job, NULL, "age", lines));
    REFUSED(kan_job_use_hierarchy(job, "qi", NULL, lines));
    REFUSED(kan_job_use_hierarchy(job, "qi", "age", NULL));
    kan_table_destroy(lines);
    kan_job_want_figures(NULL);
    REFUSED_SILENTLY(kan_job_columns(NULL, &text));
    REFUSED(kan_job_columns(job, NULL));
    REFUSED_SILENTLY(kan_job_run(NULL, "verify", &result));
    REFUSED(kan_job_run(job, NULL, &result));
    REFUSED(kan_job_run(job, "verify", NULL));
    REFUSED_SILENTLY(kan_list(NULL, true, &text));
    REFUSED(kan_list(run, true, NULL));
    REFUSED_SILENTLY(kan_list_everyday(NULL, &text));
    REFUSED(kan_list_everyday(run, NULL));
}

static void a_result_that_is_not_there_holds_nothing(void **state) {
    (void)state;
    kan_result_destroy(NULL);
    assert_false(kan_result_holds(NULL));
    assert_null(kan_result_unchecked(NULL));
    assert_string_equal(kan_result_json(NULL), "");
    assert_string_equal(kan_result_summary(NULL), "");
    assert_null(kan_result_table(NULL));
    double value;
    assert_int_equal(kan_result_level(NULL, "age"), -1);
    assert_false(kan_result_metric(NULL, "ncp", &value));
}

static bool is_released;

static void release(struct ArrowArrayStream *stream) {
    is_released = true;
    stream->release = NULL;
}

static void streams_are_released_whatever_is_missing(void **state) {
    (void)state;
    kan_table *table = NULL;
    struct ArrowArrayStream stream = {.release = release};
    assert_int_equal(kan_table_from_arrow(run, NULL, &table), KAN_BAD_INPUT);
    REFUSED(kan_table_from_arrow(run, &stream, NULL));
    assert_true(is_released);
    is_released = false;
    stream.release = release;
    REFUSED_SILENTLY(kan_table_from_arrow(NULL, &stream, &table));
    assert_true(is_released);
    kan_job_want_arrow(NULL);
    REFUSED_SILENTLY(kan_result_to_arrow(NULL, &stream));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_run_that_is_not_there_does_nothing, begin, end),
        cmocka_unit_test_setup_teardown(tables_refuse_what_they_need, begin, end),
        cmocka_unit_test_setup_teardown(questions_about_nothing_are_answered_with_nothing, begin,
                                        end),
        cmocka_unit_test_setup_teardown(jobs_refuse_what_they_need, begin, end),
        cmocka_unit_test_setup_teardown(a_result_that_is_not_there_holds_nothing, begin, end),
        cmocka_unit_test_setup_teardown(streams_are_released_whatever_is_missing, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
