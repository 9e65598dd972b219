/* job/settings/setting_choices.c: what completion and forms offer is what a job takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "kanon.h"

static void every_choice_that_is_offered_is_taken(void **state) {
    size_t n = 0;
    (void)state;
    for (size_t i = 0; i < kan_setting_count(); i++) {
        const kan_setting *setting = kan_setting_at(i);
        for (const char *at = kan_setting_choices(setting); at && *at;) {
            const size_t size = strcspn(at, "|");
            kan_run *run = kan_run_create();
            kan_job *job;
            char value[128];
            snprintf(value, sizeof value, "%.*s", (int)size, at);
            assert_int_equal(kan_job_create(run, &job), KAN_OK);
            if (kan_job_set(job, setting->name, value) != KAN_OK)
                fail_msg("%s: %s", setting->name, kan_run_error(run));
            kan_job_destroy(job);
            kan_run_destroy(run);
            at += size + (at[size] == '|');
            n++;
        }
    }
    assert_true(n > 20);
}

static void choices_and_paths_are_told_apart(void **state) {
    (void)state;
    assert_string_equal(kan_setting_choices(kan_setting_find("l-kind")),
                        "distinct|entropy|recursive");
    assert_int_equal(strncmp(kan_setting_choices(kan_setting_find("algorithm")), "auto|", 5), 0);
    assert_non_null(strstr(kan_setting_choices(kan_setting_find("cost")), "discernibility"));
    assert_null(kan_setting_choices(kan_setting_find("k")));
    assert_null(kan_setting_choices(kan_setting_find("force")));
    assert_true(kan_setting_takes_path(kan_setting_find("output")));
    assert_true(kan_setting_takes_path(kan_setting_find("hierarchies")));
    assert_false(kan_setting_takes_path(kan_setting_find("qi")));
    for (const char *const *name = (const char *const[]){"qi", "sensitive", "class", "id", "keep",
                                                         "drop", "weight", NULL};
         *name; name++)
        assert_true(kan_setting_takes_columns(kan_setting_find(*name)));
    assert_false(kan_setting_takes_columns(kan_setting_find("output")));
    assert_false(kan_setting_takes_columns(kan_setting_find("k")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_choice_that_is_offered_is_taken),
        cmocka_unit_test(choices_and_paths_are_told_apart),
    };
    return cmocka_run_group_tests_name("setting_choices", tests, NULL, NULL);
}
