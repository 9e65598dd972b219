/* A promise about a population when memory runs out: every single allocation of `anonymize` and of
 * `verify` is made to fail once. Each run ends in a clean error, and leaves no release behind. */
#include "fault/job_faults.h"

static const fault_file files[] = {
    {"table.csv", "age,town\n31,Bonn\n35,Ulm\n36,Bonn\n38,Bonn\n"},
    {"people.csv", "age,town\n31,Bonn\n35,Ulm\n36,Bonn\n38,Bonn\n37,Ulm\n33,Kiel\n"},
    {"town.csv", "Bonn;South;*\nUlm;South;*\nKiel;North;*\n"},
    {"release.csv", "age,town\n30-39,South\n30-39,South\n30-39,South\n30-39,South\n"},
    {"made.csv", NULL},
    {NULL, NULL}};

static kan_status run_command(kan_job *job, const char *command) {
    KAN_TRY(kan_job_set(job, "qi", "age=intervals:10"));
    KAN_TRY(fault_set(job, "qi", "town=%s/town.csv"));
    KAN_TRY(fault_set(job, "population", "%s/people.csv"));
    KAN_TRY(kan_job_set(job, "k-map", "2"));
    KAN_TRY(kan_job_set(job, "presence", "..0.9"));
    KAN_TRY(kan_job_set(job, "average-risk", "0.9"));
    return fault_run(job, command);
}

static kan_status anonymize(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/table.csv"));
    KAN_TRY(fault_set(job, "output", "%s/made.csv"));
    KAN_TRY(kan_job_set(job, "suppress", "1"));
    return run_command(job, "anonymize");
}

static kan_status verify(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/release.csv"));
    return run_command(job, "verify");
}

static void a_release_survives_every_failing_allocation(void **state) {
    (void)state;
    fault_survive_allocations(anonymize, "made.csv", 100);
}

/* The population is rounded and capped as the table is. */
static kan_status anonymize_treated(kan_job *job) {
    KAN_TRY(kan_job_set(job, "round", "age=2"));
    KAN_TRY(kan_job_set(job, "cap", "age=..36"));
    return anonymize(job);
}

static void a_treated_population_survives_every_failing_allocation(void **state) {
    (void)state;
    fault_survive_allocations(anonymize_treated, "made.csv", 100);
}

static void a_check_survives_every_failing_allocation(void **state) {
    (void)state;
    fault_survive_allocations(verify, NULL, 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_release_survives_every_failing_allocation),
        cmocka_unit_test(a_treated_population_survives_every_failing_allocation),
        cmocka_unit_test(a_check_survives_every_failing_allocation),
    };
    return FAULT_RUN_IN_FOLDER(files, tests);
}
