/* The hierarchy commands when memory runs out or a disk is full: every single allocation, and every
 * write, sync and rename, is made to fail once. Each run ends in a clean error, and leaves no file
 * behind. */
#include <errno.h>
#include <unistd.h>

#include "fault/job_faults.h"

static const fault_file files[] = {
    {"data.csv", "age,town\n31,Bonn\n35,Ulm\n?,Kiel\n38,Bonn\n31,Ulm\n"},
    {"town.txt", "# places\n*\n  South\n    Ulm\n    \"Bo\\x6en\"\n  Kiel\n  Rome\n"},
    {NULL, NULL}};

static kan_status build(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/data.csv"));
    KAN_TRY(kan_job_set(job, "column", "age=quantiles:3,2,town=frequency:2"));
    KAN_TRY(fault_set(job, "output", "%s/out/"));
    return fault_run(job, "hierarchy-build");
}

static kan_status check(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/data.csv"));
    KAN_TRY(fault_set(job, "hierarchy", "%s"));
    return fault_run(job, "hierarchy-check");
}

static kan_status show(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/data.csv"));
    KAN_TRY(fault_set(job, "hierarchy", "%s/town.txt"));
    KAN_TRY(kan_job_set(job, "depth", "2"));
    KAN_TRY(kan_job_set(job, "list", "3"));
    return fault_run(job, "hierarchy-show");
}

static kan_status convert(kan_job *job) {
    KAN_TRY(fault_set(job, "hierarchy", "%s/town.txt"));
    KAN_TRY(fault_set(job, "output", "%s/new.csv"));
    return fault_run(job, "hierarchy-convert");
}

static const char *const made[] = {"out/age.csv", "out/town.csv", "new.csv"};

/* Files are there when the work succeeded, and only then; they make room for the next round. */
static void check_files(kan_status status, bool is_before_naming) {
    for (size_t i = 0; i < 3; i++) {
        /* a whole file may have its name when that could not be written down, or the second fails
         * to get one */
        if (status != KAN_OK && is_before_naming)
            assert_false(fault_has_file(made[i]));
        (void)fault_take_file(made[i]);
    }
    char path[128];
    if (fault_has_file("out"))
        assert_int_equal(rmdir(fault_path("out", path)), 0);
}

/* Fails the n-th call for n = 1, 2, ... until none is left to fail. */
static void fail_each(fault_call call, int error, fault_work work, uint64_t least) {
    uint64_t n = 1;
    for (bool happened = true; happened; n++) {
        const kan_status status = fault_work_once(work, call, n, error, &happened);
        check_files(status, call == FAULT_ALLOCATE || call == FAULT_WRITE);
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
    return FAULT_RUN_IN_FOLDER(files, tests);
}
