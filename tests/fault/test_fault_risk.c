/* Risk when memory runs out: every single allocation of `risk` is made to fail once. Each run ends
 * in a clean error, and leaves nothing behind. So does one whose file of rows cannot be written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/run.h"
#include "fault/fault.h"

static char directory[] = "/tmp/kanon-fault-risk-XXXXXX";

static void write_file(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state) {
    (void)state;
    fault_reset();
    assert_non_null(mkdtemp(directory));
    write_file("original.csv",
               "age,town,ill\n31,Bonn,a\n35,Ulm,b\n36,Kiel,a\n38,Bonn,c\n37,Ulm,a\n");
    write_file("release.csv", "age,age-mean,town,ill\n[31-35],33,South,a\n[31-35],33,South,b\n"
                              "*,*,*,a\n[36-38],37.5,South,c\n[36-38],37.5,South,a\n");
    write_file("people.csv", "age,town\n31,Bonn\n35,Ulm\n36,Kiel\n38,Bonn\n37,Ulm\n33,Bonn\n");
    write_file("town.csv", "Bonn;South;*\nUlm;South;*\nKiel;Kiel;*\n");
    return 0;
}

static int tear_down(void **state) {
    static const char *const names[] = {"original.csv", "release.csv", "people.csv", "town.csv",
                                        "rows.csv"};
    (void)state;
    fault_reset();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        unlink(path);
    }
    return rmdir(directory);
}

static kan_status set(kan_job *job, const char *name, const char *format) {
    char value[256];
    snprintf(value, sizeof value, format, directory);
    return kan_job_set(job, name, value);
}

/* Nothing is left to be estimated: that takes no memory, only time. */
static kan_status measure(kan_job *job) {
    kan_result *result = NULL;
    KAN_TRY(set(job, "input", "%s/release.csv"));
    KAN_TRY(set(job, "original", "%s/original.csv"));
    KAN_TRY(set(job, "population", "%s/people.csv"));
    KAN_TRY(set(job, "qi", "age,town=%s/town.csv"));
    KAN_TRY(kan_job_set(job, "sensitive", "ill"));
    KAN_TRY(kan_job_set(job, "c", "1.5"));
    KAN_TRY(kan_job_set(job, "population-size", "5"));
    KAN_TRY(kan_job_set(job, "threads", "1"));
    const kan_status status = kan_job_run(job, "risk", &result);
    kan_result_destroy(result);
    return status;
}

/* Rows by themselves: half of them match anything. */
static kan_status measure_rows(kan_job *job) {
    kan_result *result = NULL;
    KAN_TRY(set(job, "input", "%s/release.csv"));
    KAN_TRY(set(job, "population", "%s/people.csv"));
    KAN_TRY(set(job, "qi", "age,town=%s/town.csv"));
    KAN_TRY(kan_job_set(job, "missing-matches", NULL));
    KAN_TRY(kan_job_set(job, "sampling-fraction", "0.5"));
    KAN_TRY(set(job, "rows", "%s/rows.csv"));
    KAN_TRY(kan_job_set(job, "threads", "1"));
    const kan_status status = kan_job_run(job, "risk", &result);
    kan_result_destroy(result);
    return status;
}

/* The same with plain values. */
static kan_status measure_sets(kan_job *job) {
    kan_result *result = NULL;
    KAN_TRY(set(job, "input", "%s/original.csv"));
    KAN_TRY(kan_job_set(job, "qi", "age,town,ill"));
    KAN_TRY(set(job, "rows", "%s/rows.csv"));
    KAN_TRY(kan_job_set(job, "threads", "1"));
    const kan_status status = kan_job_run(job, "risk", &result);
    kan_result_destroy(result);
    return status;
}

/* Takes the file away; whether it was there. */
static bool take_rows(void) {
    char path[128];
    snprintf(path, sizeof path, "%s/rows.csv", directory);
    return unlink(path) == 0;
}

static void survive_allocations(kan_status (*command)(kan_job *job), bool has_rows) {
    uint64_t n = 1;
    for (bool happened = true; happened; n++) {
        kan_run *run = kan_run_create();
        kan_job *job = NULL;
        assert_non_null(run);
        fault_reset();
        fault_fail_allocation_at(n);
        kan_status status = kan_job_create(run, &job);
        if (status == KAN_OK)
            status = command(job);
        happened = fault_happened();
        fault_reset();
        if (status != KAN_OK && !(happened && status == KAN_FAILED && *kan_run_error(run)))
            fail_msg("allocation %lu: status %d, '%s'", (unsigned long)n, status,
                     kan_run_error(run));
        assert_int_equal(take_rows(), has_rows && status == KAN_OK);
        kan_job_destroy(job);
        kan_run_destroy(run);
    }
    assert_true(n > 100);
}

static void risk_survives_every_failing_allocation(void **state) {
    (void)state;
    survive_allocations(measure, false);
}

static void rows_that_cannot_be_held_leave_no_file(void **state) {
    (void)state;
    survive_allocations(measure_rows, true);
    survive_allocations(measure_sets, true);
}

static void rows_that_cannot_be_written_leave_no_file(void **state) {
    static const struct {
        fault_call call;
        int error;
    } faults[] = {{FAULT_WRITE, ENOSPC}, {FAULT_SYNC, EIO}, {FAULT_RENAME, EIO}};
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        kan_run *run = kan_run_create();
        kan_job *job = NULL;
        assert_non_null(run);
        assert_int_equal(kan_job_create(run, &job), KAN_OK);
        fault_reset();
        fault_fail_calls_from(faults[i].call, 1, faults[i].error);
        const kan_status status = measure_sets(job);
        assert_true(fault_happened());
        fault_reset();
        assert_int_equal(status, KAN_FAILED);
        assert_true(*kan_run_error(run));
        assert_false(take_rows());
        kan_job_destroy(job);
        kan_run_destroy(run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(risk_survives_every_failing_allocation),
        cmocka_unit_test(rows_that_cannot_be_held_leave_no_file),
        cmocka_unit_test(rows_that_cannot_be_written_leave_no_file),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
