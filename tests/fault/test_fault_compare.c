/* Comparisons when memory runs out: every single allocation is made to fail once. Each run ends in
 * a clean error, and what it had saved is taken by the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/run.h"
#include "fault/fault.h"

static char directory[] = "/tmp/kanon-fault-compare-XXXXXX";
static const char *const names[] = {"data.csv", "cells.jsonl", "chart.svg", "cells.csv"};

static const char *path_of(size_t i, char room[128]) {
    snprintf(room, 128, "%s/%s", directory, names[i]);
    return room;
}

static int set_up(void **state) {
    char path[128];
    (void)state;
    fault_reset();
    assert_non_null(mkdtemp(directory));
    FILE *file = fopen(path_of(0, path), "w");
    assert_non_null(file);
    assert_true(fputs("age,town\n31,Bonn\n35,Ulm\n36,Kiel\n38,Bonn\n37,Ulm\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    return 0;
}

static int tear_down(void **state) {
    char path[128];
    (void)state;
    fault_reset();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(path_of(i, path));
    return rmdir(directory);
}

static kan_status compare(kan_job *job, bool saves) {
    kan_result *result = NULL;
    char path[128];
    KAN_TRY(kan_job_set(job, "input", path_of(0, path)));
    KAN_TRY(kan_job_set(job, "chart", path_of(2, path)));
    KAN_TRY(kan_job_set(job, "output", path_of(3, path)));
    if (saves)
        KAN_TRY(kan_job_set(job, "save", path_of(1, path)));
    KAN_TRY(kan_job_set(job, "force", "true"));
    KAN_TRY(kan_job_set(job, "qi", "age=intervals:5,town"));
    KAN_TRY(kan_job_set(job, "ks", "2,9"));
    KAN_TRY(kan_job_set(job, "algorithms", "auto,mondrian"));
    KAN_TRY(kan_job_set(job, "threads", "1"));
    const kan_status status = kan_job_run(job, "compare", &result);
    kan_result_destroy(result);
    return status;
}

static kan_status compare_failing_at(uint64_t n, bool saves, bool *happened) {
    kan_run *run = kan_run_create();
    kan_job *job = NULL;
    assert_non_null(run);
    fault_reset();
    fault_fail_allocation_at(n);
    kan_status status = kan_job_create(run, &job);
    if (status == KAN_OK)
        status = compare(job, saves);
    *happened = fault_happened();
    fault_reset();
    if (status != KAN_OK && !(*happened && status == KAN_FAILED && *kan_run_error(run)))
        fail_msg("allocation %lu: status %d, '%s'", (unsigned long)n, status, kan_run_error(run));
    kan_job_destroy(job);
    kan_run_destroy(run);
    return status;
}

static void compare_survives_every_failing_allocation(void **state) {
    uint64_t n = 1;
    (void)state;
    for (bool happened = true; happened; n++)
        (void)compare_failing_at(n, false, &happened);
    assert_true(n > 100);
}

/* The file stays, and the cells in it become more: every run finds it whole. */
static void what_was_saved_outlasts_every_failing_allocation(void **state) {
    uint64_t n = 1;
    (void)state;
    for (bool happened = true; happened; n += 7)
        (void)compare_failing_at(n, true, &happened);
    assert_true(n > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compare_survives_every_failing_allocation),
        cmocka_unit_test(what_was_saved_outlasts_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
