/* The hierarchy commands when memory runs out or a disk is full: every single allocation, and every
 * write, sync and rename, is made to fail once. Each run ends in a clean error, and leaves no file
 * behind. */
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

static char directory[] = "/tmp/kanon-fault-hierarchy-XXXXXX";

static void write_file(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void remove_file(const char *name) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    unlink(path);
}

static bool has_file(const char *name) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return access(path, F_OK) == 0;
}

static int set_up(void **state) {
    (void)state;
    fault_reset();
    assert_non_null(mkdtemp(directory));
    write_file("data.csv", "age,town\n31,Bonn\n35,Ulm\n?,Kiel\n38,Bonn\n31,Ulm\n");
    write_file("town.txt", "# places\n*\n  South\n    Ulm\n    \"Bo\\x6en\"\n  Kiel\n  Rome\n");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    fault_reset();
    remove_file("data.csv");
    remove_file("town.txt");
    /* nothing else is there */
    return rmdir(directory);
}

static kan_status set(kan_job *job, const char *name, const char *format) {
    char value[256];
    snprintf(value, sizeof value, format, directory);
    return kan_job_set(job, name, value);
}

static kan_status finish(kan_job *job, const char *command) {
    kan_result *result = NULL;
    KAN_TRY(kan_job_set(job, "threads", "1"));
    const kan_status status = kan_job_run(job, command, &result);
    kan_result_destroy(result);
    return status;
}

static kan_status build(kan_job *job) {
    KAN_TRY(set(job, "input", "%s/data.csv"));
    KAN_TRY(kan_job_set(job, "column", "age=quantiles:3,2,town=frequency:2"));
    KAN_TRY(set(job, "output", "%s/out/"));
    return finish(job, "hierarchy-build");
}

static kan_status check(kan_job *job) {
    KAN_TRY(set(job, "input", "%s/data.csv"));
    KAN_TRY(set(job, "hierarchy", "%s"));
    return finish(job, "hierarchy-check");
}

static kan_status show(kan_job *job) {
    KAN_TRY(set(job, "input", "%s/data.csv"));
    KAN_TRY(set(job, "hierarchy", "%s/town.txt"));
    KAN_TRY(kan_job_set(job, "depth", "2"));
    KAN_TRY(kan_job_set(job, "list", "3"));
    return finish(job, "hierarchy-show");
}

static kan_status convert(kan_job *job) {
    KAN_TRY(set(job, "hierarchy", "%s/town.txt"));
    KAN_TRY(set(job, "output", "%s/new.csv"));
    return finish(job, "hierarchy-convert");
}

static const char *const made[] = {"out/age.csv", "out/town.csv", "new.csv"};

/* Files are there when the work succeeded, and only then; they make room for the next round. */
static void check_files(kan_status status, bool is_before_naming) {
    for (size_t i = 0; i < 3; i++) {
        /* a whole file may have its name when that could not be written down, or the second fails
         * to get one */
        if (status != KAN_OK && is_before_naming)
            assert_false(has_file(made[i]));
        remove_file(made[i]);
    }
    char path[128];
    snprintf(path, sizeof path, "%s/out", directory);
    if (access(path, F_OK) == 0)
        assert_int_equal(rmdir(path), 0);
}

/* Fails the n-th call for n = 1, 2, ... until none is left to fail. */
static void fail_each(fault_call call, int error, kan_status (*work)(kan_job *job),
                      uint64_t least) {
    uint64_t n = 1;
    for (bool happened = true; happened; n++) {
        kan_run *run = kan_run_create();
        kan_job *job = NULL;
        assert_non_null(run);
        fault_reset();
        fault_fail_call_at(call, n, error);
        kan_status status = kan_job_create(run, &job);
        if (status == KAN_OK)
            status = work(job);
        happened = fault_happened();
        fault_reset();
        const bool is_clean =
            happened && (status == KAN_FAILED || status == KAN_BAD_INPUT) && *kan_run_error(run);
        if (status != KAN_OK && !is_clean)
            fail_msg("call %lu: status %d, '%s'", (unsigned long)n, status, kan_run_error(run));
        check_files(status, call == FAULT_ALLOCATE || call == FAULT_WRITE);
        kan_job_destroy(job);
        kan_run_destroy(run);
    }
    assert_true(n > least);
}

static void hierarchies_survive_every_failing_allocation(void **state) {
    (void)state;
    fail_each(FAULT_ALLOCATE, ENOMEM, build, 60);
    fail_each(FAULT_ALLOCATE, ENOMEM, check, 40);
    fail_each(FAULT_ALLOCATE, ENOMEM, show, 40);
    fail_each(FAULT_ALLOCATE, ENOMEM, convert, 20);
}

static void nothing_is_left_when_a_write_fails(void **state) {
    (void)state;
    fail_each(FAULT_WRITE, ENOSPC, build, 2);
    fail_each(FAULT_WRITE, ENOSPC, convert, 1);
    fail_each(FAULT_SYNC, EIO, build, 2);
    fail_each(FAULT_SYNC, EIO, convert, 1);
    fail_each(FAULT_RENAME, EIO, build, 2);
    fail_each(FAULT_RENAME, EIO, convert, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hierarchies_survive_every_failing_allocation),
        cmocka_unit_test(nothing_is_left_when_a_write_fails),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
