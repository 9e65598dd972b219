/* Whole jobs when calls of the system fail. */
#include <errno.h>

#include "fault/job_runs.h"

static fault_call armed_call;

static void one_call(uint64_t n, int error) {
    fault_fail_call_at(armed_call, n, error);
}

static void all_calls(uint64_t n, int error) {
    fault_fail_calls_from(armed_call, n, error);
}

static void every_failing_call_of_the_system_ends_a_job_cleanly(void **state) {
    (void)state;
    static const struct {
        fault_call call;
        int error;
    } faults[] = {{FAULT_OPEN, EIO},      {FAULT_OPEN, EMFILE},  {FAULT_READ, EIO},
                  {FAULT_WRITE, EIO},     {FAULT_WRITE, EDQUOT}, {FAULT_SYNC, EIO},
                  {FAULT_SYNC, ENOSPC},   {FAULT_RENAME, EIO},   {FAULT_RENAME, ENOSPC},
                  {FAULT_RENAME, EPERM},  {FAULT_RESIZE, EIO},   {FAULT_MAP, ENOMEM},
                  {FAULT_THREAD, EAGAIN}, {FAULT_CLOSE, EIO}};
    for (size_t i = 0; i < FAULT_SCENARIOS; i++)
        for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
            armed_call = faults[f].call;
            fault_fail_each(fault_scenarios[i], one_call, faults[f].error, true);
            fault_fail_each(fault_scenarios[i], all_calls, faults[f].error, true);
        }
}

static void every_write_sync_name_and_read_is_needed(void **state) {
    (void)state;
    static const fault_call calls[] = {FAULT_WRITE, FAULT_SYNC, FAULT_RENAME, FAULT_READ};
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        armed_call = calls[c];
        assert_true(fault_fail_each(&fault_anonymizes, one_call, EIO, false) > 0);
    }
}

static void an_interrupted_call_is_made_again(void **state) {
    (void)state;
    static const fault_call calls[] = {FAULT_WRITE, FAULT_SYNC, FAULT_READ};
    for (size_t i = 0; i < FAULT_SCENARIOS; i++)
        for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
            fault_reference reference;
            bool has_happened = true;
            fault_take_reference(fault_scenarios[i], &reference);
            armed_call = calls[c];
            for (uint64_t n = 1; has_happened; n++) {
                fault_trace now;
                has_happened = fault_run_once(fault_scenarios[i], one_call, n, EINTR, &now);
                fault_check_succeeded(fault_scenarios[i], n, &now, &reference);
                fault_drop_trace(&now);
            }
            fault_drop_reference(&reference);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failing_call_of_the_system_ends_a_job_cleanly),
        cmocka_unit_test(every_write_sync_name_and_read_is_needed),
        cmocka_unit_test(an_interrupted_call_is_made_again),
    };
    return cmocka_run_group_tests_name("fault: jobs, calls", tests, fault_make_home,
                                       fault_remove_home);
}
