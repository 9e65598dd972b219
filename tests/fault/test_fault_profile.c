/* `profile` when memory runs out or the disk is full: each allocation is made to fail once. Every
 * run ends in a clean error, and neither a job file nor one of all rows is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/run.h"
#include "fault/fault.h"

static char directory[] = "/tmp/kanon-fault-profile-XXXXXX";
static char table_path[64], job_path[64], rows_path[64];

static int set_up(void **state) {
    (void)state;
    fault_reset();
    assert_non_null(mkdtemp(directory));
    snprintf(table_path, sizeof table_path, "%s/table.csv", directory);
    snprintf(job_path, sizeof job_path, "%s/job.yaml", directory);
    snprintf(rows_path, sizeof rows_path, "%s/rows.txt", directory);
    FILE *file = fopen(table_path, "w");
    assert_non_null(file);
    assert_true(fputs("age,town,pay,born\n31,Bonn,1.5,1980-01-02\n35,Ulm,2,1990-03-04\n"
                      "?,Kiel,3,2000-05-06\n38,Bonn,1,1970-07-08\n",
                      file) >= 0);
    assert_int_equal(fclose(file), 0);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    fault_reset();
    unlink(table_path);
    unlink(job_path);
    unlink(rows_path);
    return rmdir(directory);
}

static kan_status profile(kan_run *run) {
    kan_job *job = NULL;
    kan_result *result = NULL;
    kan_status status;
    KAN_TRY(kan_job_create(run, &job));
    KAN_TRY_DONE(kan_job_set(job, "input", table_path));
    KAN_TRY_DONE(kan_job_set(job, "job-out", job_path));
    KAN_TRY_DONE(kan_job_set(job, "sample", "3"));
    KAN_TRY_DONE(kan_job_set(job, "first-rows", "2"));
    KAN_TRY_DONE(kan_job_set(job, "all-rows", rows_path));
    KAN_TRY_DONE(kan_job_set(job, "threads", "1"));
    KAN_TRY_DONE(kan_job_run(job, "profile", &result));
done:
    kan_result_destroy(result);
    kan_job_destroy(job);
    return status;
}

static void profile_survives_every_failing_allocation(void **state) {
    uint64_t n = 1;
    (void)state;
    for (bool happened = true; happened; n++) {
        kan_run *run = kan_run_create();
        assert_non_null(run);
        fault_reset();
        fault_fail_allocation_at(n);
        const kan_status status = profile(run);
        happened = fault_happened();
        fault_reset();
        if (status != KAN_OK && !(happened && status == KAN_FAILED && *kan_run_error(run)))
            fail_msg("allocation %lu: status %d, '%s'", (unsigned long)n, status,
                     kan_run_error(run));
        assert_int_equal(access(job_path, F_OK) == 0, status == KAN_OK);
        assert_int_equal(access(rows_path, F_OK) == 0, status == KAN_OK);
        unlink(job_path);
        unlink(rows_path);
        kan_run_destroy(run);
    }
    assert_true(n > 100);
}

static void a_full_disk_leaves_no_job_file(void **state) {
    kan_run *run = kan_run_create();
    (void)state;
    fault_reset();
    fault_fail_write_after(10, ENOSPC);
    assert_int_equal(profile(run), KAN_FAILED);
    assert_true(fault_happened());
    fault_reset();
    assert_int_not_equal(access(job_path, F_OK), 0);
    assert_int_not_equal(access(rows_path, F_OK), 0);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profile_survives_every_failing_allocation),
        cmocka_unit_test(a_full_disk_leaves_no_job_file),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
