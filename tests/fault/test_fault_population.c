/* A promise about a population when memory runs out: every single allocation of `anonymize` and of
 * `verify` is made to fail once. Each run ends in a clean error, and leaves no release behind. */
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

static char directory[] = "/tmp/kanon-fault-population-XXXXXX";
static const char *const names[] = {"table.csv", "people.csv", "town.csv", "release.csv",
                                    "made.csv"};

static const char *path_of(const char *name, char room[128]) {
    snprintf(room, 128, "%s/%s", directory, name);
    return room;
}

static void write_file(const char *name, const char *text) {
    char path[128];
    FILE *file = fopen(path_of(name, path), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state) {
    (void)state;
    fault_reset();
    assert_non_null(mkdtemp(directory));
    write_file("table.csv", "age,town\n31,Bonn\n35,Ulm\n36,Bonn\n38,Bonn\n");
    write_file("people.csv", "age,town\n31,Bonn\n35,Ulm\n36,Bonn\n38,Bonn\n37,Ulm\n33,Kiel\n");
    write_file("town.csv", "Bonn;South;*\nUlm;South;*\nKiel;North;*\n");
    write_file("release.csv", "age,town\n30-39,South\n30-39,South\n30-39,South\n30-39,South\n");
    return 0;
}

static int tear_down(void **state) {
    char path[128];
    (void)state;
    fault_reset();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(path_of(names[i], path));
    return rmdir(directory);
}

static kan_status set(kan_job *job, const char *name, const char *format) {
    char value[256];
    snprintf(value, sizeof value, format, directory);
    return kan_job_set(job, name, value);
}

static kan_status run_command(kan_job *job, const char *command) {
    kan_result *result = NULL;
    KAN_TRY(kan_job_set(job, "qi", "age=intervals:10"));
    KAN_TRY(set(job, "qi", "town=%s/town.csv"));
    KAN_TRY(set(job, "population", "%s/people.csv"));
    KAN_TRY(kan_job_set(job, "k-map", "2"));
    KAN_TRY(kan_job_set(job, "presence", "..0.9"));
    KAN_TRY(kan_job_set(job, "average-risk", "0.9"));
    KAN_TRY(kan_job_set(job, "threads", "1"));
    const kan_status status = kan_job_run(job, command, &result);
    kan_result_destroy(result);
    return status;
}

static kan_status anonymize(kan_job *job) {
    KAN_TRY(set(job, "input", "%s/table.csv"));
    KAN_TRY(set(job, "output", "%s/made.csv"));
    KAN_TRY(kan_job_set(job, "suppress", "1"));
    return run_command(job, "anonymize");
}

static kan_status verify(kan_job *job) {
    KAN_TRY(set(job, "input", "%s/release.csv"));
    return run_command(job, "verify");
}

static void survive_allocations(kan_status (*command)(kan_job *job), bool makes) {
    uint64_t n = 1;
    char path[128];
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
        assert_int_equal(unlink(path_of("made.csv", path)) == 0, makes && status == KAN_OK);
        kan_job_destroy(job);
        kan_run_destroy(run);
    }
    assert_true(n > 100);
}

static void a_release_survives_every_failing_allocation(void **state) {
    (void)state;
    survive_allocations(anonymize, true);
}

static void a_check_survives_every_failing_allocation(void **state) {
    (void)state;
    survive_allocations(verify, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_release_survives_every_failing_allocation),
        cmocka_unit_test(a_check_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
