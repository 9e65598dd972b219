/* A hierarchy in memory with failing allocations: each failure is a clean error that is known as one of memory, nothing
 * leaks, and the run goes on afterwards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fault/fault.h"
#include "kanon.h"

static const char *const towns[] = {"Bonn", "Ulm", "Bonn", "Ulm"};
static const char *const lines[][2] = {{"Bonn", "*"}, {"Ulm", "*"}};
static const char *const names[] = {"town", "top"};

static kan_status make_job(kan_run *run, kan_table **table, kan_table **hierarchy, kan_job **job) {
    kan_status status = kan_table_create(run, 1, names, table);
    for (size_t i = 0; i < 4 && status == KAN_OK; i++)
        status = kan_table_add_row(*table, &towns[i]);
    if (status == KAN_OK)
        status = kan_table_create(run, 2, names, hierarchy);
    for (size_t i = 0; i < 2 && status == KAN_OK; i++)
        status = kan_table_add_row(*hierarchy, lines[i]);
    if (status == KAN_OK)
        status = kan_job_create(run, job);
    if (status == KAN_OK)
        status = kan_job_use_table(*job, *table);
    if (status == KAN_OK)
        status = kan_job_use_hierarchy(*job, "qi", "town", *hierarchy);
    return status == KAN_OK ? kan_job_set(*job, "k", "4") : status;
}

static kan_status release(kan_run *run) {
    kan_table *table = NULL, *hierarchy = NULL;
    kan_job *job = NULL;
    kan_result *result = NULL;
    kan_status status = make_job(run, &table, &hierarchy, &job);
    if (status == KAN_OK)
        status = kan_job_run(job, "search", &result);
    if (status == KAN_OK) {
        const int level = kan_result_level(result, "town");
        assert_true(level == 1 ||
                    (level == -1 && fault_happened())); /* the JSON is read in memory */
    }
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(hierarchy);
    kan_table_destroy(table);
    return status;
}

static void each_allocation_may_fail(void **state) {
    (void)state;
    uint64_t n_failed = 0;
    for (uint64_t n = 1;; n++) {
        fault_reset();
        kan_run *run = kan_run_create();
        assert_non_null(run);
        fault_fail_allocation_at(n);
        const kan_status status = release(run);
        const bool has_failed = fault_happened();
        fault_reset();
        if (status != KAN_OK) {
            assert_true(has_failed);
            assert_int_equal(status, KAN_FAILED);
            if (!kan_run_is_out_of_memory(run))
                fail_msg("allocation %u: %s", (unsigned)n, kan_run_error(run));
            n_failed++;
        }
        assert_int_equal(release(run), KAN_OK); /* the same run, once more */
        kan_run_destroy(run);
        if (!has_failed)
            break;
    }
    assert_true(n_failed > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
