/* Risk when memory runs out: every single allocation of `risk` is made to fail once. Each run ends
 * in a clean error, and leaves nothing behind. So does one whose file of rows cannot be written. */
#include <errno.h>

#include "fault/job_faults.h"

static const fault_file files[] = {
    {"original.csv", "age,town,ill\n31,Bonn,a\n35,Ulm,b\n36,Kiel,a\n38,Bonn,c\n37,Ulm,a\n"},
    {"release.csv", "age,age-mean,town,ill\n[31-35],33,South,a\n[31-35],33,South,b\n"
                    "*,*,*,a\n[36-38],37.5,South,c\n[36-38],37.5,South,a\n"},
    {"people.csv", "age,town\n31,Bonn\n35,Ulm\n36,Kiel\n38,Bonn\n37,Ulm\n33,Bonn\n"},
    {"town.csv", "Bonn;South;*\nUlm;South;*\nKiel;Kiel;*\n"},
    {"homes.csv", "age,home,w\n31,a,10.5\n31,b,3\n*,b,4\n36,c,1\n"},
    {"pay.csv", "pay,age,job\n10,30,a\n11,31,b\n20,40,c\n21,41,d\n"},
    {"means.csv", "pay,age,job\n10.5,30.5,a\n10.5,30.5,b\n20.5,40.5,c\n20.5,40.5,d\n"},
    {"rows.csv", NULL},
    {NULL, NULL}};

/* Nothing is left to be estimated: that takes no memory, only time. */
static kan_status measure(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/release.csv"));
    KAN_TRY(fault_set(job, "original", "%s/original.csv"));
    KAN_TRY(fault_set(job, "population", "%s/people.csv"));
    KAN_TRY(fault_set(job, "qi", "age,town=%s/town.csv"));
    KAN_TRY(kan_job_set(job, "sensitive", "ill"));
    KAN_TRY(kan_job_set(job, "c", "1.5"));
    KAN_TRY(kan_job_set(job, "population-size", "5"));
    return fault_run(job, "risk");
}

/* Rows by themselves: half of them match anything. */
static kan_status measure_rows(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/release.csv"));
    KAN_TRY(fault_set(job, "population", "%s/people.csv"));
    KAN_TRY(fault_set(job, "qi", "age,town=%s/town.csv"));
    KAN_TRY(kan_job_set(job, "missing-matches", NULL));
    KAN_TRY(kan_job_set(job, "sampling-fraction", "0.5"));
    KAN_TRY(fault_set(job, "rows", "%s/rows.csv"));
    return fault_run(job, "risk");
}

/* The same with plain values. */
static kan_status measure_sets(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/original.csv"));
    KAN_TRY(kan_job_set(job, "qi", "age,town,ill"));
    KAN_TRY(fault_set(job, "rows", "%s/rows.csv"));
    return fault_run(job, "risk");
}

/* Weights and households. */
static kan_status measure_homes(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/homes.csv"));
    KAN_TRY(kan_job_set(job, "qi", "age"));
    KAN_TRY(kan_job_set(job, "sampling-weight", "w"));
    KAN_TRY(kan_job_set(job, "household", "home"));
    KAN_TRY(kan_job_set(job, "missing-matches", NULL));
    KAN_TRY(kan_job_set(job, "tolerated-risk", "0.1"));
    KAN_TRY(fault_set(job, "rows", "%s/rows.csv"));
    return fault_run(job, "risk");
}

/* Numbers near those before, and rows that are linked by them. */
static kan_status measure_near(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/means.csv"));
    KAN_TRY(fault_set(job, "original", "%s/pay.csv"));
    KAN_TRY(kan_job_set(job, "qi", "pay,age"));
    KAN_TRY(kan_job_set(job, "near", "10"));
    return fault_run(job, "risk");
}

static void risk_survives_every_failing_allocation(void **state) {
    (void)state;
    fault_survive_allocations(measure, NULL, 100);
    fault_survive_allocations(measure_near, NULL, 100);
}

static void rows_that_cannot_be_held_leave_no_file(void **state) {
    (void)state;
    fault_survive_allocations(measure_rows, "rows.csv", 100);
    fault_survive_allocations(measure_sets, "rows.csv", 100);
    fault_survive_allocations(measure_homes, "rows.csv", 100);
}

static void rows_that_cannot_be_written_leave_no_file(void **state) {
    static const struct {
        fault_call call;
        int error;
    } faults[] = {{FAULT_WRITE, ENOSPC}, {FAULT_SYNC, EIO}, {FAULT_RENAME, EIO}};
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        kan_run *run = kan_run_create();
        kan_job *job = NULL;
        assert_non_null(run);
        assert_int_equal(kan_job_create(run, &job), KAN_OK);
        fault_reset();
        fault_fail_calls_from(faults[i].call, 1, faults[i].error);
        const kan_status status = measure_sets(job);
        assert_true(fault_happened());
        fault_reset();
        assert_int_equal(status, KAN_FAILED);
        assert_true(*kan_run_error(run));
        assert_false(fault_take_file("rows.csv"));
        kan_job_destroy(job);
        kan_run_destroy(run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(risk_survives_every_failing_allocation),
        cmocka_unit_test(rows_that_cannot_be_held_leave_no_file),
        cmocka_unit_test(rows_that_cannot_be_written_leave_no_file),
    };
    return FAULT_RUN_IN_FOLDER(files, tests);
}
