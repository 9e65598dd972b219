/* Workloads when memory runs out: every single allocation of `utility`, with a workload and without, and of reading one
 * for a search, is made to fail once. Each run ends in a clean error, and leaves nothing behind. */
#include "fault/job_faults.h"
#include "job/setup/setup.h"

static const fault_file files[] = {
    {"original.csv", "age,town,pay\n31,Bonn,1.5\n35,Ulm,2\n?,Kiel,3\n38,Bonn,1\n"},
    {"release.csv", "age,age-mean,town,pay\n[31-35],33,South,1.5\n[31-35],33,South,2\n"
                    "\"{?, [35-38]}\",38,*,3\n\"{?, [35-38]}\",38,*,1\n"},
    {"town.csv", "Bonn;South;*\nUlm;South;*\nKiel;Kiel;*\n"},
    {"queries.txt", "COUNT WHERE age >= 32 AND age < 38 AND town IN (Bonn, 'Ulm')\n"
                    "weight 2 AVG(age) WHERE pay = 1.5\nMAX(pay)\n"},
    {"picture.svg", NULL},
    {NULL, NULL}};

static kan_status measure(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/release.csv"));
    KAN_TRY(fault_set(job, "original", "%s/original.csv"));
    KAN_TRY(fault_set(job, "workload", "%s/queries.txt"));
    KAN_TRY(fault_set(job, "qi", "town=%s/town.csv"));
    return fault_run(job, "utility");
}

static kan_status compare_columns(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/release.csv"));
    KAN_TRY(fault_set(job, "original", "%s/original.csv"));
    KAN_TRY(fault_set(job, "qi", "town=%s/town.csv"));
    KAN_TRY(kan_job_set(job, "sampling-weight", "pay"));
    KAN_TRY(fault_set(job, "picture", "%s/picture.svg"));
    KAN_TRY(kan_job_set(job, "force", "true"));
    return fault_run(job, "utility");
}

static kan_status fit_models(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/release.csv"));
    KAN_TRY(fault_set(job, "original", "%s/original.csv"));
    KAN_TRY(fault_set(job, "qi", "town=%s/town.csv"));
    KAN_TRY(kan_job_set(job, "sampling-weight", "pay"));
    KAN_TRY(kan_job_set(job, "as", "categories"));
    KAN_TRY(kan_job_set(job, "regress", "age ~ town"));
    KAN_TRY(kan_job_set(job, "classify", "town"));
    return fault_run(job, "utility");
}

static kan_status read_boxes(kan_job *job) {
    kan_setup setup;
    char path[128];
    KAN_TRY(fault_set(job, "input", "%s/original.csv"));
    KAN_TRY(kan_job_set(job, "qi", "age,town"));
    KAN_TRY(kan_job_set(job, "k", "1"));
    KAN_TRY(kan_job_set(job, "algorithm", "greedy"));
    KAN_TRY(kan_job_set(job, "threads", "1"));
    kan_status status = kan_setup_make(job, &setup);
    if (status == KAN_OK)
        status = kan_options_add(&job->options, "workload", fault_path("queries.txt", path));
    if (status == KAN_OK)
        status = kan_setup_workload(&setup);
    if (status == KAN_OK)
        assert_int_equal(setup.n_queries, 2); /* Kiel stands between Bonn and Ulm */
    kan_setup_destroy(&setup);
    return status;
}

static void utility_survives_every_failing_allocation(void **state) {
    (void)state;
    fault_survive_allocations(measure, NULL, 40);
}

static void comparing_columns_survives_every_failing_allocation(void **state) {
    (void)state;
    fault_survive_allocations(compare_columns, NULL, 40);
}

static void fitting_models_survives_every_failing_allocation(void **state) {
    (void)state;
    fault_survive_allocations(fit_models, NULL, 40);
}

static void reading_boxes_survives_every_failing_allocation(void **state) {
    (void)state;
    fault_survive_allocations(read_boxes, NULL, 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utility_survives_every_failing_allocation),
        cmocka_unit_test(comparing_columns_survives_every_failing_allocation),
        cmocka_unit_test(fitting_models_survives_every_failing_allocation),
        cmocka_unit_test(reading_boxes_survives_every_failing_allocation),
    };
    return FAULT_RUN_IN_FOLDER(files, tests);
}
