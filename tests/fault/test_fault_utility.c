/* Workloads when memory runs out: every single allocation of `utility`, and of reading a workload
 * for a search, is made to fail once. Each run ends in a clean error, and leaves nothing behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fault/fault.h"
#include "job/solve/setup.h"

static char directory[] = "/tmp/kanon-fault-utility-XXXXXX";

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
    write_file("original.csv", "age,town,pay\n31,Bonn,1.5\n35,Ulm,2\n?,Kiel,3\n38,Bonn,1\n");
    write_file("release.csv", "age,age-mean,town,pay\n[31-35],33,South,1.5\n[31-35],33,South,2\n"
                              "\"{?, [35-38]}\",38,*,3\n\"{?, [35-38]}\",38,*,1\n");
    write_file("town.csv", "Bonn;South;*\nUlm;South;*\nKiel;Kiel;*\n");
    write_file("queries.txt", "COUNT WHERE age >= 32 AND age < 38 AND town IN (Bonn, 'Ulm')\n"
                              "weight 2 AVG(age) WHERE pay = 1.5\nMAX(pay)\n");
    return 0;
}

static int tear_down(void **state) {
    static const char *const names[] = {"original.csv", "release.csv", "town.csv", "queries.txt"};
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

static kan_status measure(kan_run *run, kan_job *job) {
    kan_result *result = NULL;
    (void)run;
    KAN_TRY(set(job, "input", "%s/release.csv"));
    KAN_TRY(set(job, "original", "%s/original.csv"));
    KAN_TRY(set(job, "workload", "%s/queries.txt"));
    KAN_TRY(set(job, "qi", "town=%s/town.csv"));
    KAN_TRY(kan_job_set(job, "threads", "1"));
    const kan_status status = kan_job_run(job, "utility", &result);
    kan_result_destroy(result);
    return status;
}

static kan_status read_boxes(kan_run *run, kan_job *job) {
    kan_setup setup;
    char path[128];
    (void)run;
    KAN_TRY(set(job, "input", "%s/original.csv"));
    KAN_TRY(kan_job_set(job, "qi", "age,town"));
    KAN_TRY(kan_job_set(job, "k", "1"));
    KAN_TRY(kan_job_set(job, "algorithm", "greedy"));
    KAN_TRY(kan_job_set(job, "threads", "1"));
    kan_status status = kan_setup_make(job, &setup);
    snprintf(path, sizeof path, "%s/queries.txt", directory);
    if (status == KAN_OK)
        status = kan_options_add(&job->options, "workload", path);
    if (status == KAN_OK)
        status = kan_setup_workload(&setup);
    if (status == KAN_OK)
        assert_int_equal(setup.n_queries, 2); /* Kiel stands between Bonn and Ulm */
    kan_setup_destroy(&setup);
    return status;
}

/* Fails the n-th allocation of the work for n = 1, 2, ... until none is left to fail. */
static void fail_each(kan_status (*work)(kan_run *run, kan_job *job)) {
    uint64_t n = 1;
    for (bool happened = true; happened; n++) {
        kan_run *run = kan_run_create();
        kan_job *job = NULL;
        assert_non_null(run);
        fault_reset();
        fault_fail_allocation_at(n);
        kan_status status = kan_job_create(run, &job);
        if (status == KAN_OK)
            status = work(run, job);
        happened = fault_happened();
        fault_reset();
        if (status != KAN_OK && !(happened && status == KAN_FAILED && *kan_run_error(run)))
            fail_msg("allocation %lu: status %d, '%s'", (unsigned long)n, status,
                     kan_run_error(run));
        kan_job_destroy(job);
        kan_run_destroy(run);
    }
    assert_true(n > 40);
}

static void utility_survives_every_failing_allocation(void **state) {
    (void)state;
    fail_each(measure);
}

static void reading_boxes_survives_every_failing_allocation(void **state) {
    (void)state;
    fail_each(read_boxes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utility_survives_every_failing_allocation),
        cmocka_unit_test(reading_boxes_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
