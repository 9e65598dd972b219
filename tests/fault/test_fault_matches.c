/* Hidden cells that match anything, when memory runs out: every single allocation is made to fail once,
 * of a release and of its verification. Each run ends in a clean error, and leaves no release. */
#include "fault/job_faults.h"

static const fault_file files[] = {
    {"people.csv", "sex,town,job\nf,Ulm,nurse\nf,Ulm,cook\nm,Ulm,cook\nm,Bonn,cook\n"
                   ",Bonn,nurse\nf,Kiel,cook\n"},
    {"holes.csv", "sex,town,job\nf,Ulm,*\nf,Ulm,*\nm,*,cook\nm,*,cook\n*,*,*\n*,*,*\n"},
    {"release.csv", NULL},
    {NULL, NULL}};

static kan_status say(kan_job *job) {
    KAN_TRY(kan_job_set(job, "qi", "sex,town,job"));
    KAN_TRY(kan_job_set(job, "k", "2"));
    return kan_job_set(job, "missing-matches", NULL);
}

static kan_status release(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/people.csv"));
    KAN_TRY(fault_set(job, "output", "%s/release.csv"));
    KAN_TRY(kan_job_set(job, "recoding", "cell-suppression"));
    KAN_TRY(say(job));
    return fault_run(job, "anonymize");
}

static kan_status verify(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/holes.csv"));
    KAN_TRY(fault_set(job, "original", "%s/people.csv"));
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
