/* `profile` of several tables when memory runs out or the disk is full: each allocation is made to fail
 * once. Every run ends in a clean error, and no job file is left. */
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

static const char *const names[] = {"people", "stays", "wards"};
static const char *const tables[] = {
    "person,age\n1,31\n2,34\n3,38\n4,52\n4,58\n",
    "stay,person,ward\n10,1,A\n11,2,B\n12,9,A\n13,,B\n14,3,A\n",
    "ward,beds\nA,10\nB,20\n",
};
enum { N_TABLES = sizeof names / sizeof *names };

static char directory[] = "/tmp/kanon-fault-several-XXXXXX";
static char paths[N_TABLES][80], job_path[80];

static int set_up(void **state) {
    (void)state;
    fault_reset();
    assert_non_null(mkdtemp(directory));
    snprintf(job_path, sizeof job_path, "%s/job.yaml", directory);
    for (size_t t = 0; t < N_TABLES; t++) {
        snprintf(paths[t], sizeof paths[t], "%s/%s.csv", directory, names[t]);
        FILE *file = fopen(paths[t], "w");
        assert_non_null(file);
        assert_true(fputs(tables[t], file) >= 0);
        assert_int_equal(fclose(file), 0);
    }
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    fault_reset();
    for (size_t t = 0; t < N_TABLES; t++)
        unlink(paths[t]);
    unlink(job_path);
    return rmdir(directory);
}

static kan_status profile(kan_run *run) {
    kan_job *job = NULL;
    kan_result *result = NULL;
    kan_status status;
    KAN_TRY(kan_job_create(run, &job));
    KAN_TRY_DONE(kan_job_set(job, "input", paths[0]));
    for (size_t t = 1; t < N_TABLES; t++)
        KAN_TRY_DONE(kan_job_set(job, "beside", paths[t]));
    KAN_TRY_DONE(kan_job_set(job, "job-out", job_path));
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
        unlink(job_path);
        kan_run_destroy(run);
    }
    assert_true(n > 300);
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
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profile_survives_every_failing_allocation),
        cmocka_unit_test(a_full_disk_leaves_no_job_file),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
