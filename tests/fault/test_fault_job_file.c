/* Settings, job files and the list when memory runs out or the file cannot be read: a clean error,
 * and the job as it was. */
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
#include "job/settings/job.h"

static const char text[] = "command: search\n"
                           "input: people.csv\n"
                           "qi: {age: intervals:5,10, zip: zips.csv}\n"
                           "sensitive: [disease, salary]\n"
                           "k: 5\n";

static char path[] = "/tmp/kanon-fault-XXXXXX";

static int make_file(void **state) {
    (void)state;
    int file = mkstemp(path);
    if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text))
        return -1;
    return close(file);
}

static int remove_file(void **state) {
    (void)state;
    return unlink(path);
}

static void assert_clean(const kan_run *run, kan_status status) {
    assert_int_equal(status, KAN_FAILED);
    assert_true(strlen(kan_run_error(run)) > 0);
}

static void loading_survives_every_failed_allocation(void **state) {
    (void)state;
    bool has_failed = true;
    for (uint64_t n = 1; has_failed; n++) {
        fault_reset();
        kan_run *run = kan_run_create();
        kan_job *job;
        assert_non_null(run);
        assert_int_equal(kan_job_create(run, &job), KAN_OK);
        assert_int_equal(kan_job_set(job, "seed", "7"), KAN_OK);
        fault_fail_allocation_at(n);
        kan_status status = kan_job_load(job, path);
        has_failed = fault_happened();
        fault_reset();
        if (has_failed) {
            assert_clean(run, status);
            assert_int_equal(job->options.n, 1);
            assert_null(job->command);
        } else {
            assert_int_equal(status, KAN_OK);
            assert_string_equal(kan_job_get(job, "k", 0), "5");
        }
        kan_job_destroy(job);
        kan_run_destroy(run);
        assert_true(n < 1000);
    }
}

static void writing_survives_every_failed_allocation(void **state) {
    (void)state;
    bool has_failed = true;
    for (uint64_t n = 1; has_failed; n++) {
        fault_reset();
        kan_run *run = kan_run_create();
        kan_job *job;
        const char *written = NULL;
        assert_int_equal(kan_job_create(run, &job), KAN_OK);
        assert_int_equal(kan_job_set(job, "k", "7"), KAN_OK);
        fault_fail_allocation_at(n);
        kan_status status = kan_job_set_column(job, "qi", "a=b", "digits:5");
        if (status == KAN_OK)
            status = kan_job_write(job, &written);
        has_failed = fault_happened();
        fault_reset();
        if (has_failed)
            assert_clean(run, status);
        else
            assert_string_equal(written, "qi:\n  - \"\\\"a=b\\\"=digits:5\"\nk: 7\n");
        kan_job_destroy(job);
        kan_run_destroy(run);
    }
}

static void a_list_survives_every_failed_allocation(void **state) {
    (void)state;
    bool has_failed = true;
    for (uint64_t n = 1; has_failed; n++) {
        fault_reset();
        kan_run *run = kan_run_create();
        kan_job *job = NULL;
        assert_non_null(run);
        fault_fail_allocation_at(n);
        kan_status status = kan_job_create(run, &job);
        if (status == KAN_OK)
            status = kan_job_set(job, "qi", "a,b,c=intervals:5,10");
        has_failed = fault_happened();
        fault_reset();
        if (has_failed)
            assert_clean(run, status);
        else
            assert_int_equal(status, KAN_OK);
        assert_true(!job || job->options.n == (has_failed ? 0 : 3));
        kan_job_destroy(job);
        kan_run_destroy(run);
        assert_true(n < 1000);
    }
}

static void listing_survives_every_failed_allocation(void **state) {
    (void)state;
    for (int as_json = 0; as_json < 2; as_json++) {
        bool has_failed = true;
        for (uint64_t n = 1; has_failed; n++) {
            fault_reset();
            kan_run *run = kan_run_create();
            const char *list = NULL;
            assert_non_null(run);
            fault_fail_allocation_at(n);
            kan_status status = kan_list(run, as_json, &list);
            has_failed = fault_happened();
            fault_reset();
            if (has_failed) {
                assert_clean(run, status);
                assert_null(list);
            } else {
                assert_int_equal(status, KAN_OK);
                assert_non_null(list);
            }
            kan_run_destroy(run);
            assert_true(n < 50000);
        }
    }
}

static void a_file_that_cannot_be_opened_is_an_error(void **state) {
    (void)state;
    fault_reset();
    kan_run *run = kan_run_create();
    kan_job *job;
    assert_non_null(run);
    assert_int_equal(kan_job_create(run, &job), KAN_OK);
    fault_fail_call_at(FAULT_OPEN, 1, EIO);
    kan_status status = kan_job_load(job, path);
    assert_true(fault_happened());
    fault_reset();
    assert_clean(run, status);
    assert_non_null(strstr(kan_run_error(run), path));
    kan_job_destroy(job);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loading_survives_every_failed_allocation),
        cmocka_unit_test(writing_survives_every_failed_allocation),
        cmocka_unit_test(a_list_survives_every_failed_allocation),
        cmocka_unit_test(listing_survives_every_failed_allocation),
        cmocka_unit_test(a_file_that_cannot_be_opened_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
