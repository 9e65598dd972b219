/* Whole jobs when disks are full, writes are short, or chance is missing. */
#include <errno.h>
#include <string.h>

#include "fault/job_runs.h"

static void full_after(uint64_t bytes, int error) {
    fault_fail_write_after(bytes, error);
}

static void short_writes(uint64_t bytes, int argument) {
    (void)argument;
    fault_shorten_writes(bytes);
}

static void a_full_disk_leaves_nothing(void **state) {
    (void)state;
    static const fault_scenario *const writers[] = {&fault_anonymizes, &fault_overwrites,
                                                    &fault_shuffles,   &fault_packs,
                                                    &fault_loads,      &fault_generates};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        fault_reference reference;
        fault_take_reference(writers[i], &reference);
        uint64_t total = 0;
        for (size_t f = 0; f < reference.success.out.n; f++)
            total += reference.success.out.files[f].size;
        assert_true(total > 0);
        uint64_t step = total / 60 + 1;
        for (uint64_t bytes = 0; bytes < total;) {
            fault_trace now;
            assert_true(fault_run_once(writers[i], full_after, bytes, ENOSPC, &now));
            fault_check_failed(writers[i], bytes, &now, &reference);
            assert_non_null(strstr(now.error, "No space left"));
            fault_drop_trace(&now);
            /* Each of the first and the last bytes, and a grid between them. */
            bytes += bytes < 8 || bytes + step + 8 > total ? 1 : step;
        }
        fault_trace now;
        assert_false(fault_run_once(writers[i], full_after, total, ENOSPC, &now));
        fault_check_succeeded(writers[i], total, &now, &reference);
        fault_drop_trace(&now);
        fault_drop_reference(&reference);
    }
}

static void without_random(uint64_t n, int error) {
    fault_fail_calls_from(FAULT_RANDOM, n, error);
}

/* No order rather than one that could be guessed. */
static void rows_are_not_shuffled_without_randomness(void **state) {
    (void)state;
    fault_reference reference;
    fault_trace now;
    fault_take_reference(&fault_by_chance, &reference);
    assert_true(fault_run_once(&fault_by_chance, without_random, 1, ENOSYS, &now));
    fault_check_failed(&fault_by_chance, 1, &now, &reference);
    assert_non_null(strstr(now.error, "no random numbers"));
    fault_drop_trace(&now);
    fault_drop_reference(&reference);
}

static void short_writes_lose_no_byte(void **state) {
    (void)state;
    for (size_t i = 0; i < FAULT_SCENARIOS; i++)
        for (uint64_t most = 1; most < 40; most += 6) {
            fault_reference reference;
            fault_trace now;
            fault_take_reference(fault_scenarios[i], &reference);
            fault_run_once(fault_scenarios[i], short_writes, most, 0, &now);
            fault_check_succeeded(fault_scenarios[i], most, &now, &reference);
            fault_drop_trace(&now);
            fault_drop_reference(&reference);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_disk_leaves_nothing),
        cmocka_unit_test(rows_are_not_shuffled_without_randomness),
        cmocka_unit_test(short_writes_lose_no_byte),
    };
    return cmocka_run_group_tests_name("fault: jobs, disks", tests, fault_make_home,
                                       fault_remove_home);
}
