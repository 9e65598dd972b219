/* Whole jobs when memory runs out. */
#include "fault/job_runs.h"

static void one_allocation(uint64_t n, int argument) {
    (void)argument;
    fault_fail_allocation_at(n);
}

static void all_allocations(uint64_t n, int argument) {
    (void)argument;
    fault_fail_allocations_from(n);
}

static void every_failing_allocation_ends_a_job_cleanly(void **state) {
    (void)state;
    for (size_t i = 0; i < FAULT_SCENARIOS; i++) {
        uint64_t n = fault_fail_each(fault_scenarios[i], one_allocation, 0, true);
        print_message("%-32s %llu allocations\n", fault_scenarios[i]->title, (unsigned long long)n);
        assert_true(n > 20);
    }
}

static void memory_that_stays_out_ends_a_job_cleanly(void **state) {
    (void)state;
    for (size_t i = 0; i < FAULT_SCENARIOS; i++)
        /* Only syncing the folder afterwards can be left out, which generate does. */
        assert_true(fault_fail_each(fault_scenarios[i], all_allocations, 0,
                                    fault_scenarios[i] == &fault_generates) > 20);
}

static void failing_allocations_of_two_threads_end_a_job_cleanly(void **state) {
    (void)state;
    fault_fail_each(&fault_on_two_threads, one_allocation, 0, true);
    fault_fail_each(&fault_on_two_threads, all_allocations, 0, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failing_allocation_ends_a_job_cleanly),
        cmocka_unit_test(memory_that_stays_out_ends_a_job_cleanly),
        cmocka_unit_test(failing_allocations_of_two_threads_end_a_job_cleanly),
    };
    return cmocka_run_group_tests_name("fault: jobs, memory", tests, fault_make_home,
                                       fault_remove_home);
}
