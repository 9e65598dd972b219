/* Comparisons when memory runs out: every single allocation is made to fail once. Each run ends in
 * a clean error, and what it had saved is taken by the next. */
#include <errno.h>

#include "fault/job_faults.h"

static const fault_file files[] = {
    {"data.csv", "age,town\n31,Bonn\n35,Ulm\n36,Kiel\n38,Bonn\n37,Ulm\n"},
    {"cells.jsonl", NULL},
    {"chart.svg", NULL},
    {"cells.csv", NULL},
    {NULL, NULL}};

static kan_status compare(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/data.csv"));
    KAN_TRY(fault_set(job, "chart", "%s/chart.svg"));
    KAN_TRY(fault_set(job, "output", "%s/cells.csv"));
    KAN_TRY(kan_job_set(job, "force", "true"));
    KAN_TRY(kan_job_set(job, "qi", "age=intervals:5,town"));
    KAN_TRY(kan_job_set(job, "ks", "2,9"));
    KAN_TRY(kan_job_set(job, "algorithms", "auto,mondrian"));
    return fault_run(job, "compare");
}

static kan_status compare_models(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/data.csv"));
    KAN_TRY(fault_set(job, "output", "%s/cells.csv"));
    KAN_TRY(kan_job_set(job, "force", "true"));
    KAN_TRY(kan_job_set(job, "qi", "age=intervals:5,town"));
    KAN_TRY(kan_job_set(job, "k", "2"));
    KAN_TRY(kan_job_set(job, "recodings", "full-domain,attribute-suppression,cell-suppression"));
    return fault_run(job, "compare");
}

static kan_status compare_utility(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/data.csv"));
    KAN_TRY(kan_job_set(job, "qi", "age=intervals:5,town"));
    KAN_TRY(kan_job_set(job, "k", "2"));
    KAN_TRY(kan_job_set(job, "algorithms", "mondrian"));
    KAN_TRY(kan_job_set(job, "utility", "true"));
    return fault_run(job, "compare");
}

static kan_status compare_by_models(kan_job *job) {
    KAN_TRY(fault_set(job, "input", "%s/data.csv"));
    KAN_TRY(fault_set(job, "output", "%s/cells.csv"));
    KAN_TRY(kan_job_set(job, "force", "true"));
    KAN_TRY(kan_job_set(job, "qi", "age=intervals:5,town"));
    KAN_TRY(kan_job_set(job, "k", "2"));
    KAN_TRY(kan_job_set(job, "algorithms", "mondrian"));
    KAN_TRY(kan_job_set(job, "regress", "age ~ town"));
    KAN_TRY(kan_job_set(job, "classify", "town ~ age"));
    KAN_TRY(kan_job_set(job, "as", "categories"));
    return fault_run(job, "compare");
}

static kan_status compare_and_save(kan_job *job) {
    KAN_TRY(fault_set(job, "save", "%s/cells.jsonl"));
    return compare(job);
}

static void compare_survives_every_failing_allocation(void **state) {
    (void)state;
    fault_survive_allocations(compare, NULL, 100);
    fault_survive_allocations(compare_models, NULL, 100);
    fault_survive_allocations(compare_utility, NULL, 100);
    fault_survive_allocations(compare_by_models, NULL, 100);
}

/* The file stays, and the cells in it become more: every run finds it whole. */
static void what_was_saved_outlasts_every_failing_allocation(void **state) {
    uint64_t n = 1;
    (void)state;
    for (bool happened = true; happened; n += 3)
        (void)fault_work_once(compare_and_save, FAULT_ALLOCATE, n, ENOMEM, &happened);
    assert_true(n > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compare_survives_every_failing_allocation),
        cmocka_unit_test(what_was_saved_outlasts_every_failing_allocation),
    };
    return FAULT_RUN_IN_FOLDER(files, tests);
}
