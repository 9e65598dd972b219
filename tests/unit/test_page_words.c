/* What kinds tell pages is true: an estimate can be asked for, and an ending is written by its kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "job/input/table_output.h"
#include "job/settings/job.h"
#include "privacy/privacy.h"

static int set_up(void **state) {
    *state = kan_run_create();
    return *state ? 0 : -1;
}

static int tear_down(void **state) {
    kan_run_destroy(*state);
    return 0;
}

/* "at-risk 0.05 below 10" */
static void set_all(kan_job *job, const char *flags) {
    char name[64], value[64];
    for (int used = 0; sscanf(flags, "%63s %63s%n", name, value, &used) == 2; flags += used)
        assert_int_equal(kan_job_set(job, name, value), KAN_OK);
    assert_int_equal(strspn(flags, " "), strlen(flags));
}

static void what_is_worth_a_try_turns_its_model_on(void **state) {
    for (size_t m = 0; m < kan_registry_count(KAN_FAMILY_PRIVACY); m++) {
        const kan_privacy_kind *model =
            (const kan_privacy_kind *)kan_registry_at(KAN_FAMILY_PRIVACY, m);
        for (size_t i = 0; i < KAN_PRIVACY_TRIES && model->tries[i]; i++) {
            kan_job *job;
            assert_int_equal(kan_job_create(*state, &job), KAN_OK);
            set_all(job, model->tries[i]);
            assert_true(kan_registry_wants(&model->kind, &job->options));
            kan_job_destroy(job);
        }
    }
}

static void what_people_can_choose_is_written_by_its_kind(void **state) {
    (void)state;
    for (size_t s = 0; s < kan_registry_count(KAN_FAMILY_SINK); s++) {
        const kan_sink_kind *sink = (const kan_sink_kind *)kan_registry_at(KAN_FAMILY_SINK, s);
        assert_non_null(sink->files[0].ending);
        for (size_t i = 0; i < KAN_SINK_FILES && sink->files[i].ending; i++) {
            char path[64];
            snprintf(path, sizeof path, "release.%s", sink->files[i].ending);
            assert_ptr_equal(kan_output_kind_of(path), sink);
            assert_true(strlen(sink->files[i].words) > 0);
        }
    }
}

static void a_path_tells_its_format(void **state) {
    static const char *const known[][2] = {
        {"a.csv", "CSV"},     {"a.tsv.gz", "CSV"},   {"a.sav", "SPSS"},      {"A.ZSAV", "SPSS"},
        {"a.por", "SPSS"},    {"a.dta", "Stata"},    {"a.xpt", "SAS"},       {"a.sas7bdat", "SAS"},
        {"a.pq", "Parquet"},  {"a.json.gz", "JSON"}, {"a.xlsm", "workbook"}, {"a", "CSV"},
        {"a.sav.gz", "SPSS"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_string_equal(kan_path_format(known[i][0]), known[i][1]);
    assert_string_equal(kan_path_format("postgres://host/base?table=t"), "PostgreSQL");
    assert_string_equal(kan_path_format(NULL), "CSV");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(what_is_worth_a_try_turns_its_model_on),
        TEST(what_people_can_choose_is_written_by_its_kind),
        TEST(a_path_tells_its_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
