/* Hidden cells that match anything, when memory runs out: every single allocation is made to fail once,
 * of a release and of its verification. Each run ends in a clean error, and leaves no release. */
#include "fault/job_faults.h"

static const fault_file files[] = {
    {"people.csv", "sex,town,job\nf,Ulm,nurse\nf,Ulm,cook\nm,Ulm,cook\nm,Bonn,cook\n"
                   ",Bonn,nurse\nf,Kiel,cook\n"},
    {"holes.csv", "sex,town,job\nf,Ulm,*\nf,Ulm,*\nm,*,cook\nm,*,cook\n*,*,*\n*,*,*\n"},
    {"before.csv",
     "sex,town,job\nf,Ulm,nurse\nf,Ulm,cook\nf,Ulm,nurse\nm,Bonn,cook\nm,Bonn,cook\n"},
    {"open.csv", "sex,town,job\nf,Ulm,*\nf,Ulm,nurse\nm,Bonn,cook\nm,Bonn,cook\n"},
    {"turned.csv", "sex,town,job\nm,Bonn,cook\nf,Ulm,nurse\nm,Bonn,cook\nf,Ulm,*\n"},
    {"regions.csv",
     "sex,town,job,region\nf,Ulm,nurse,n\nf,Ulm,cook,n\nm,Ulm,cook,n\nm,Bonn,cook,s\n"
     ",Bonn,nurse,s\nf,Kiel,cook,s\n"},
    {"release.csv", NULL},
    {"report.html", NULL},
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

static kan_status report(kan_job *job) {
    KAN_TRY(fault_set(job, "report", "%s/report.html"));
    KAN_TRY(kan_job_set(job, "suppress", "1"));
    return release(job);
}

static kan_status verify_open(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/open.csv"));
    KAN_TRY(fault_set(job, "original", "%s/before.csv"));
    KAN_TRY(say(job));
    return fault_run(job, "verify");
}

static kan_status verify_turned(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/turned.csv"));
    KAN_TRY(fault_set(job, "original", "%s/before.csv"));
    KAN_TRY(say(job));
    return fault_run(job, "verify");
}

static kan_status verify(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/holes.csv"));
    KAN_TRY(fault_set(job, "original", "%s/people.csv"));
    KAN_TRY(say(job));
    return fault_run(job, "verify");
}

/* By pairs of columns, by importance, within strata that are not released. */
static kan_status release_wants(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/regions.csv"));
    KAN_TRY(fault_set(job, "output", "%s/release.csv"));
    KAN_TRY(kan_job_set(job, "recoding", "cell-suppression"));
    KAN_TRY(kan_job_set(job, "subsets", "2"));
    KAN_TRY(kan_job_set(job, "importance", "job,sex"));
    KAN_TRY(kan_job_set(job, "strata", "region"));
    KAN_TRY(say(job));
    return fault_run(job, "anonymize");
}

static void so_does_one_by_sets_within_strata(void **state) {
    (void)state;
    fault_survive_allocations(release_wants, "release.csv", 100);
}

static void a_release_survives_every_failing_allocation(void **state) {
    (void)state;
    fault_survive_allocations(release, "release.csv", 100);
}

static void a_verification_survives_every_failing_allocation(void **state) {
    (void)state;
    fault_survive_allocations(verify, NULL, 50);
}

/* A report is there when its release is. */
static kan_status release_and_report(kan_job *job) {
    const kan_status status = report(job);
    assert_int_equal(fault_take_file("report.html"), status == KAN_OK);
    return status;
}

static void so_does_a_report(void **state) {
    (void)state;
    fault_survive_allocations(release_and_report, "release.csv", 100);
}

static void so_do_verifications_where_somebody_was_left_out(void **state) {
    (void)state;
    fault_survive_allocations(verify_open, NULL, 50);
    fault_survive_allocations(verify_turned, NULL, 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_release_survives_every_failing_allocation),
        cmocka_unit_test(a_verification_survives_every_failing_allocation),
        cmocka_unit_test(so_does_one_by_sets_within_strata),
        cmocka_unit_test(so_does_a_report),
        cmocka_unit_test(so_do_verifications_where_somebody_was_left_out),
    };
    return FAULT_RUN_IN_FOLDER(files, tests);
}
