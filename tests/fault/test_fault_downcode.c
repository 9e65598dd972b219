/* `attack --knowing-method` when memory runs out: every single allocation is made to fail once. Each run ends in
 * a clean error, and never takes a probe that had no memory for one that makes another release. */
#include "fault/job_faults.h"

static const fault_file files[] = {
    {"original.csv", "town,age,ill\nBonn,31,flu\nUlm,31,gout\nKiel,31,flu\n"},
    {"release.csv", "town,age,ill\nSouth,31,flu\nSouth,31,gout\n"},
    {"town.csv", "Bonn;South;*\nUlm;South;*\nKiel;North;*\n"},
    {"job.yaml", "qi: {town: town.csv, age: suppress}\nsensitive: ill\nk: 2\nsuppress: 1\n"
                 "levels: 1,0\nthreads: 1\n"},
    {NULL, NULL}};

static kan_status measure(kan_job *job) {
    char path[128];
    KAN_TRY(fault_set(job, "input", "%s/release.csv"));
    KAN_TRY(fault_set(job, "original", "%s/original.csv"));
    KAN_TRY(kan_job_set(job, "knowing-method", NULL));
    KAN_TRY(kan_job_set(job, "probes", "1"));
    KAN_TRY(kan_job_load(job, fault_path("job.yaml", path)));
    return fault_run(job, "attack");
}

static void attack_survives_every_failing_allocation(void **state) {
    (void)state;
    fault_survive_allocations(measure, NULL, 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attack_survives_every_failing_allocation),
    };
    return FAULT_RUN_IN_FOLDER(files, tests);
}
