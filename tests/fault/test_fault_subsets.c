/* Sets of columns, when memory runs out: every single allocation is made to fail once, of a release over levels,
 * of one whose cells are shown again, and of a verification. Each run ends in a clean error, and leaves no
 * release. */
#include "fault/job_faults.h"

static const fault_file files[] = {
    {"homes.csv", "roof,wall,water\ntin,mud,well\ntin,mud,tap\ntin,brick,well\ntin,brick,tap\n"
                  "straw,mud,well\nstraw,mud,tap\nstraw,brick,well\nstraw,brick,tap\n"
                  "tin,stone,river\n"},
    {"release.csv", NULL},
    {NULL, NULL}};

static kan_status say(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/homes.csv"));
    KAN_TRY(kan_job_set(job, "qi", "roof,wall,water"));
    return kan_job_set(job, "subsets", "1:3,2:2");
}

static kan_status release(kan_job *job) {
    KAN_TRY(say(job));
    KAN_TRY(fault_set(job, "output", "%s/release.csv"));
    KAN_TRY(kan_job_set(job, "suppress", "1"));
    return fault_run(job, "anonymize");
}

static kan_status release_cells(kan_job *job) {
    KAN_TRY(kan_job_set(job, "recoding", "cell-suppression"));
    return release(job);
}

static kan_status verify(kan_job *job) {
    KAN_TRY(say(job));
    return fault_run(job, "verify");
}

static void a_release_survives_every_failing_allocation(void **state) {
    (void)state;
    fault_survive_allocations(release, "release.csv", 100);
}

static void so_does_one_whose_cells_are_shown_again(void **state) {
    (void)state;
    fault_survive_allocations(release_cells, "release.csv", 100);
}

static void a_verification_survives_every_failing_allocation(void **state) {
    (void)state;
    fault_survive_allocations(verify, NULL, 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_release_survives_every_failing_allocation),
        cmocka_unit_test(so_does_one_whose_cells_are_shown_again),
        cmocka_unit_test(a_verification_survives_every_failing_allocation),
    };
    return FAULT_RUN_IN_FOLDER(files, tests);
}
