/* `check` when memory runs out or the disk is full: each allocation is made to fail once. Every run ends in
 * a clean error or in the right answer, and no job file is left. With a rule that an office wrote, and a
 * promise that is recounted. */
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

static char directory[] = "/tmp/kanon-fault-check-XXXXXX";
static char table_path[64], job_path[64], rule_path[64];

static int set_up(void **state) {
    (void)state;
    fault_reset();
    assert_non_null(mkdtemp(directory));
    snprintf(table_path, sizeof table_path, "%s/table.csv", directory);
    snprintf(job_path, sizeof job_path, "%s/job.yaml", directory);
    snprintf(rule_path, sizeof rule_path, "%s/rule.yaml", directory);
    FILE *file = fopen(table_path, "w");
    assert_non_null(file);
    assert_true(fputs("age,town,pay,born\n31,x,1.5,1980-01-02\n35,y,2,1990-03-04\n"
                      "?,x,3,2000-05-06\n38,y,1,1970-07-08\n",
                      file) >= 0);
    assert_int_equal(fclose(file), 0);
    file = fopen(rule_path, "w");
    assert_non_null(file);
    assert_true(fputs("rule: x\nby: y\ndate: 2026-03-31\ntext: z\nidentifiers: all\nqi: [town]\n"
                      "promise: {k: 1}\nkeep: [pay]\ndrop: [note]\ncaps: {age: ..90}\nleft: [w]\n",
                      file) >= 0);
    assert_int_equal(fclose(file), 0);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    fault_reset();
    unlink(table_path);
    unlink(job_path);
    unlink(rule_path);
    return rmdir(directory);
}

static kan_status check(kan_run *run) {
    kan_job *job = NULL;
    kan_result *result = NULL;
    kan_status status;
    KAN_TRY(kan_job_create(run, &job));
    KAN_TRY_DONE(kan_job_set(job, "input", table_path));
    KAN_TRY_DONE(kan_job_set(job, "rules", rule_path));
    KAN_TRY_DONE(kan_job_set(job, "release-date", "2026-03-31"));
    KAN_TRY_DONE(kan_job_set(job, "job-out", job_path));
    KAN_TRY_DONE(kan_job_set(job, "threads", "1"));
    KAN_TRY_DONE(kan_job_run(job, "check", &result));
    assert_false(kan_result_holds(result)); /* days of birth: whatever failed, never satisfied */
done:
    kan_result_destroy(result);
    kan_job_destroy(job);
    return status;
}

static void check_survives_every_failing_allocation(void **state) {
    uint64_t n = 1;
    (void)state;
    for (bool happened = true; happened; n++) {
        kan_run *run = kan_run_create();
        assert_non_null(run);
        fault_reset();
        fault_fail_allocation_at(n);
        const kan_status status = check(run);
        happened = fault_happened();
        fault_reset();
        if (status != KAN_OK && !(happened && status == KAN_FAILED && *kan_run_error(run)))
            fail_msg("allocation %lu: status %d, '%s'", (unsigned long)n, status,
                     kan_run_error(run));
        assert_int_equal(access(job_path, F_OK) == 0, status == KAN_OK);
        unlink(job_path);
        kan_run_destroy(run);
    }
    assert_true(n > 100);
}

static void a_full_disk_leaves_no_job_file(void **state) {
    kan_run *run = kan_run_create();
    (void)state;
    fault_reset();
    fault_fail_write_after(10, ENOSPC);
    assert_int_equal(check(run), KAN_FAILED);
    assert_true(fault_happened());
    fault_reset();
    assert_int_not_equal(access(job_path, F_OK), 0);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_survives_every_failing_allocation),
        cmocka_unit_test(a_full_disk_leaves_no_job_file),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
