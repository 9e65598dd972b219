/* Pictures with failing calls: each failure is a clean error, nothing leaks, and there is no
 * picture under its name. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fault/fault.h"
#include "job/outcome/picture.h"

static int reset(void **state) {
    (void)state;
    fault_reset();
    return 0;
}

typedef struct {
    kan_run *run;
    kan_table *table;
    kan_job *job;
    kan_setup setup;
    kan_solution solution;
    kan_released released;
    char dir[64], path[96];
} scene;

static void add_rows(kan_table *table) {
    static const char *const jobs[] = {"clerk", "cook", "nurse", "smith", "tailor"};
    for (unsigned i = 0; i < 60; i++) {
        char age[16], day[16];
        snprintf(age, sizeof age, i % 17 == 0 ? "?" : "%u", 20 + i * 7 % 41);
        snprintf(day, sizeof day, "2003-%02u-%02u", 1 + i % 12, 1 + i % 28);
        const char *values[] = {age, jobs[i * i % 5], day};
        assert_int_equal(kan_table_add_row(table, values), KAN_OK);
    }
}

static void scene_begin(scene *s) {
    static const char *const settings[][2] = {{"qi", "age"},   {"qi", "job"},
                                              {"qi", "day"},   {"k", "3"},
                                              {"cost", "ncp"}, {"algorithm", "mondrian"}};
    *s = (scene){.run = kan_run_create(), .dir = "/tmp/kanon-picture-XXXXXX"};
    assert_non_null(mkdtemp(s->dir));
    snprintf(s->path, sizeof s->path, "%s/a.svg", s->dir);
    kan_run_set_threads(s->run, 1);
    assert_int_equal(
        kan_table_create(s->run, 3, (const char *const[]){"age", "job", "day"}, &s->table), KAN_OK);
    add_rows(s->table);
    assert_int_equal(kan_job_create(s->run, &s->job), KAN_OK);
    assert_int_equal(kan_job_use_table(s->job, s->table), KAN_OK);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        assert_int_equal(kan_job_set(s->job, settings[i][0], settings[i][1]), KAN_OK);
    assert_int_equal(kan_options_add(&s->job->options, "picture", s->path), KAN_OK);
    assert_int_equal(kan_setup_make(s->job, &s->setup), KAN_OK);
    s->solution.setup = &s->setup;
    assert_int_equal(
        kan_solution_find(&s->setup, &(kan_solution_wants){.release = true}, &s->solution), KAN_OK);
    assert_int_equal(kan_released_make(&s->solution, &s->released), KAN_OK);
}

static void scene_end(scene *s) {
    kan_released_destroy(&s->released);
    kan_solution_destroy(&s->solution);
    kan_setup_destroy(&s->setup);
    kan_job_destroy(s->job);
    kan_table_destroy(s->table);
    kan_run_destroy(s->run);
    assert_int_equal(rmdir(s->dir), 0); /* nothing is left beside it either */
}

static void expect_clean(fault_call call, int error) {
    scene s;
    scene_begin(&s);
    unsigned n = 1;
    for (;; n++) {
        fault_reset();
        fault_fail_call_at(call, n, error);
        const kan_status status = kan_picture_write(&s.setup, &s.released);
        const bool happened = fault_happened();
        fault_reset();
        if (!happened) {
            assert_int_equal(status, KAN_OK);
            assert_int_equal(unlink(s.path), 0);
            break;
        }
        /* What could be done without the call was done: then the picture is there, and whole. */
        if (status == KAN_OK) {
            assert_int_equal(unlink(s.path), 0);
            continue;
        }
        assert_string_not_equal(kan_run_error(s.run), "");
        if (strstr(kan_run_error(s.run), "the file was written"))
            assert_int_equal(unlink(s.path), 0); /* it says so: only its name may not last */
        assert_int_equal(access(s.path, F_OK), -1);
    }
    assert_true(n > 1);
    scene_end(&s);
}

static void every_failing_allocation_is_a_clean_error(void **state) {
    (void)state;
    expect_clean(FAULT_ALLOCATE, ENOMEM);
}

static void a_disk_that_fails_leaves_no_picture(void **state) {
    (void)state;
    expect_clean(FAULT_WRITE, ENOSPC);
    expect_clean(FAULT_SYNC, EIO);
    expect_clean(FAULT_OPEN, EACCES);
    expect_clean(FAULT_RENAME, EIO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_failing_allocation_is_a_clean_error, reset),
        cmocka_unit_test_teardown(a_disk_that_fails_leaves_no_picture, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
