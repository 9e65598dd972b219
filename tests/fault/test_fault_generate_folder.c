/* `generate` of several tables when memory, the disk or the names run out, or somebody interrupts: the
 * folder is there with all that belongs into it, or it is not there at all. */
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

static const char *const files[] = {"patients.csv",          "stays.csv",
                                    "diagnoses.csv",         "hospital.yaml",
                                    "hierarchies/birth.csv", "hierarchies/sex.csv",
                                    "hierarchies/zip.csv",   "hierarchies/admitted.csv",
                                    "hierarchies/ward.csv",  "hierarchies/code.csv"};
enum { N_FILES = sizeof files / sizeof *files };

static char home[] = "/tmp/kanon-fault-folder-XXXXXX";
static char folder[64];

static int set_up(void **state) {
    (void)state;
    fault_reset();
    assert_non_null(mkdtemp(home));
    snprintf(folder, sizeof folder, "%s/made", home);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    fault_reset();
    return rmdir(home);
}

static kan_status generate(kan_run *run) {
    kan_job *job = NULL;
    kan_result *result = NULL;
    kan_status status;
    KAN_TRY(kan_job_create(run, &job));
    KAN_TRY_DONE(kan_job_set(job, "generator", "hospital"));
    KAN_TRY_DONE(kan_job_set(job, "output", folder));
    KAN_TRY_DONE(kan_job_set(job, "rows", "40"));
    KAN_TRY_DONE(kan_job_run(job, "generate", &result));
done:
    kan_result_destroy(result);
    kan_job_destroy(job);
    return status;
}

/* Removes what a run made. After one that failed there is nothing to remove. */
static void assert_all_or_nothing(const char *what, uint64_t n, bool is_made) {
    char path[160];
    if (!is_made) {
        if (access(folder, F_OK) == 0)
            fail_msg("%s %lu: the folder is still there", what, (unsigned long)n);
        return;
    }
    for (unsigned i = 0; i < N_FILES; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        assert_int_equal(unlink(path), 0);
    }
    snprintf(path, sizeof path, "%s/hierarchies", folder);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* Each call of a kind fails once; returns how many there were. */
static uint64_t fail_each(fault_call call, const char *what, int error) {
    uint64_t n = 1;
    for (bool happened = true; happened; n++) {
        kan_run *run = kan_run_create();
        assert_non_null(run);
        fault_reset();
        fault_fail_call_at(call, n, error);
        const kan_status status = generate(run);
        happened = fault_happened();
        fault_reset();
        if (status != KAN_OK && !(happened && status == KAN_FAILED && *kan_run_error(run)))
            fail_msg("%s %lu: status %d, '%s'", what, (unsigned long)n, status, kan_run_error(run));
        assert_all_or_nothing(what, n, status == KAN_OK);
        kan_run_destroy(run);
    }
    return n;
}

static void every_failing_call_leaves_all_or_nothing(void **state) {
    (void)state;
    assert_true(fail_each(FAULT_ALLOCATE, "allocation", ENOMEM) > 50);
    assert_true(fail_each(FAULT_OPEN, "open", EACCES) > N_FILES);
    assert_true(fail_each(FAULT_WRITE, "write", EIO) > N_FILES);
    assert_true(fail_each(FAULT_SYNC, "sync", EIO) > N_FILES);
    assert_true(fail_each(FAULT_RENAME, "name", EIO) > N_FILES);
    assert_true(fail_each(FAULT_CLOSE, "close", EIO) > N_FILES);
}

static void a_full_disk_leaves_nothing(void **state) {
    (void)state;
    for (uint64_t bytes = 0; bytes < 30000; bytes = 2 * bytes + 1) {
        kan_run *run = kan_run_create();
        fault_reset();
        fault_fail_write_after(bytes, ENOSPC);
        assert_int_equal(generate(run), KAN_FAILED);
        assert_true(fault_happened());
        fault_reset();
        assert_all_or_nothing("byte", bytes, false);
        kan_run_destroy(run);
    }
}

static void stop(void *user, const kan_progress *progress) {
    (void)progress;
    kan_run_interrupt(user);
}

static void an_interrupt_leaves_nothing(void **state) {
    kan_run *run = kan_run_create();
    (void)state;
    fault_reset();
    kan_run_on_progress(run, stop, run);
    assert_int_equal(generate(run), KAN_CANCELLED);
    assert_all_or_nothing("interrupt", 1, false);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failing_call_leaves_all_or_nothing),
        cmocka_unit_test(a_full_disk_leaves_nothing),
        cmocka_unit_test(an_interrupt_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
