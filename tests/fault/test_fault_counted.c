/* Counted tables when memory runs out: every single allocation of a search and of a release over
 * regions is made to fail once, rows that are divided and columns that are treated among them. */
#include "data/table.h"
#include "fault/job_faults.h"
#include "job/settings/job.h"

static const fault_file files[] = {{NULL, NULL}};

static const char *const names[] = {"number", "word", "ill"};
static const char *const rows[][3] = {
    {"20", "a", "x"}, {"20", "b", "y"}, {"21", "a", "y"}, {"34", "b", "x"}, {"35", "a", "x"}};
static const uint64_t times[] = {9, 1, 1, 6, 2};
enum { N_ROWS = 5 };

static kan_status fill(kan_run *run, kan_table *table) {
    uint64_t *counts;
    for (size_t i = 0; i < N_ROWS; i++)
        KAN_TRY(kan_table_add_row(table, rows[i]));
    KAN_TRY(kan_table_seal(table));
    KAN_TRY(kan_alloc(run, N_ROWS, sizeof *counts, &counts));
    memcpy(counts, times, sizeof times);
    return kan_table_take_counts(table, counts);
}

static kan_status run_counted(kan_job *job, const char *command, const char *algorithm) {
    kan_table *table;
    KAN_TRY(kan_table_create(job->run, 3, names, &table));
    kan_status status = fill(job->run, table);
    if (status == KAN_OK)
        status = kan_job_use_table(job, table);
    if (status == KAN_OK)
        status = kan_job_set(job, "qi", "number,word");
    if (status == KAN_OK)
        status = kan_job_set(job, "sensitive", "ill");
    if (status == KAN_OK)
        status = kan_job_set(job, "k", "2");
    if (status == KAN_OK)
        status = kan_job_set(job, "suppress", "2");
    if (status == KAN_OK)
        status = kan_job_set(job, "cap", "number=..35");
    if (status == KAN_OK)
        status = kan_job_set(job, "algorithm", algorithm);
    if (status == KAN_OK)
        status = fault_run(job, command);
    kan_table_destroy(table);
    return status;
}

static kan_status release_regions(kan_job *job) {
    return run_counted(job, "anonymize", "mondrian-relaxed");
}

static kan_status search_levels(kan_job *job) {
    return run_counted(job, "search", "bisect");
}

static void releases_of_counts_survive_every_failing_allocation(void **state) {
    (void)state;
    fault_survive_allocations(release_regions, NULL, 100);
}

static void searches_on_counts_survive_every_failing_allocation(void **state) {
    (void)state;
    fault_survive_allocations(search_levels, NULL, 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(releases_of_counts_survive_every_failing_allocation),
        cmocka_unit_test(searches_on_counts_survive_every_failing_allocation),
    };
    return FAULT_RUN_IN_FOLDER(files, tests);
}
