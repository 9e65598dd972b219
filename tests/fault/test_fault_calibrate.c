/* Calibrated weights while allocations fail, one by one. */
#include "fault/fault.h"
#include "fault/job_faults.h"

static const fault_file files[] = {
    {"trades.csv", "region,job,w\nN,cook,100\nN,cook,120\nN,smith,60\nN,baker,90\nS,cook,200\n"},
    {"calibrated.csv", "job,w\ncook,168.181818181818\ncook,201.818181818182\ncook,200\n"},
    {"release.csv", NULL},
    {NULL, NULL}};

static kan_status say(kan_job *job) {
    KAN_TRY(kan_job_set(job, "qi", "job=suppress"));
    KAN_TRY(kan_job_set(job, "k", "2"));
    KAN_TRY(kan_job_set(job, "suppress", "2"));
    KAN_TRY(kan_job_set(job, "sampling-weight", "w"));
    KAN_TRY(kan_job_set(job, "keep", "w"));
    return kan_job_set(job, "calibrate", "region");
}

static kan_status release(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/trades.csv"));
    KAN_TRY(fault_set(job, "output", "%s/release.csv"));
    KAN_TRY(kan_job_set(job, "level", "job=0"));
    KAN_TRY(say(job));
    return fault_run(job, "anonymize");
}

static kan_status verify(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/calibrated.csv"));
    KAN_TRY(fault_set(job, "original", "%s/trades.csv"));
    KAN_TRY(say(job));
    return fault_run(job, "verify");
}

static void a_release_survives_every_failing_allocation(void **state) {
    (void)state;
    fault_survive_allocations(release, "release.csv", 100);
}

static void a_verification_survives_every_failing_allocation(void **state) {
    (void)state;
    fault_survive_allocations(verify, NULL, 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_release_survives_every_failing_allocation),
        cmocka_unit_test(a_verification_survives_every_failing_allocation),
    };
    return FAULT_RUN_IN_FOLDER(files, tests);
}
