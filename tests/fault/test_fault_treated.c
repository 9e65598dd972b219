/* Treated columns when memory runs out: every single allocation of `anonymize`, `search` and
 * `verify` with rounded, capped, shifted and pseudonymous columns is made to fail. Each run ends in
 * a clean error, hands nothing out, and leaves the account even. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/run.h"
#include "fault/fault.h"

enum { MOST_SETTINGS = 14 };

typedef struct {
    const char *command;
    const char *settings[MOST_SETTINGS][2];
} scenario;

static char key_path[] = "/tmp/kanon-fault-key-XXXXXX";

static const scenario anonymizes = {"anonymize",
                                    {{"qi", "age=intervals:20"},
                                     {"sensitive", "pay"},
                                     {"keep", "day"},
                                     {"k", "2"},
                                     {"suppress", "all"},
                                     {"cap", "age=20..60,day=2001-01-01.."},
                                     {"round", "pay=20"},
                                     {"pseudonym", "name"},
                                     {"shift-dates", "day"},
                                     {"by", "name"},
                                     {"within", "30"},
                                     {"key", key_path},
                                     {"threads", "1"}}};
static const scenario searches = {"search",
                                  {{"qi", "age,day"},
                                   {"algorithm", "mondrian"},
                                   {"k", "2"},
                                   {"cap", "age=20..60"},
                                   {"shift-dates", "day"},
                                   {"by", "name"},
                                   {"within", "30"},
                                   {"key", key_path},
                                   {"threads", "1"}}};
static const scenario verifies = {
    "verify",
    {{"qi", "age"}, {"k", "1"}, {"cap", "age=20..200"}, {"round", "pay=10"}, {"threads", "1"}}};

static kan_table *people(kan_run *run) {
    static const char *const names[] = {"name", "age", "pay", "day"};
    static const char *const rows[][4] = {
        {"Ann", "31", "10", "2003-01-07"}, {"Bob", "34", "20", "2003-02-09"},
        {"Ann", "35", "30", "2000-03-01"}, {"Cem", "39", "40", ""},
        {"Dan", "62", "20", "2004-02-29"}, {"Eva", "64", "50", "2003-12-31"},
        {"Eva", "66", "50", "1999-01-01"}, {"Fay", "91", "10", "2003-06-06"},
        {"Gus", "92", "10", "2003-07-07"}, {"Hal", "25", "100", "2003-08-08"},
    };
    kan_table *table;
    assert_int_equal(kan_table_create(run, 4, names, &table), KAN_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(kan_table_add_row(table, rows[i]), KAN_OK);
    return table;
}

static kan_status attempt(kan_run *run, kan_table *table, const scenario *what) {
    kan_job *job = NULL;
    kan_result *result = NULL;
    kan_status status = kan_job_create(run, &job);
    for (size_t i = 0; status == KAN_OK && i < MOST_SETTINGS && what->settings[i][0]; i++)
        status = kan_job_set(job, what->settings[i][0], what->settings[i][1]);
    if (status == KAN_OK)
        status = kan_job_use_table(job, table);
    if (status == KAN_OK)
        status = kan_job_run(job, what->command, &result);
    if (status != KAN_OK)
        assert_null(result);
    kan_result_destroy(result);
    kan_job_destroy(job);
    return status;
}

static void expect_every_failure_is_clean(const scenario *what) {
    kan_run *run = kan_run_create();
    kan_table *table = people(run);
    if (attempt(run, table, what) != KAN_OK) /* the threads are there now */
        fail_msg("%s: %s", what->command, kan_run_error(run));
    kan_run_set_memory(run, UINT64_C(1) << 30);
    const uint64_t left = kan_run_memory_left(run);
    uint64_t n = 0;
    for (bool is_done = false; !is_done;) {
        kan_run_set_memory(run, UINT64_C(1) << 30);
        fault_reset();
        fault_fail_allocation_at(++n);
        const kan_status status = attempt(run, table, what);
        is_done = !fault_happened();
        fault_reset();
        kan_run_set_memory(run, UINT64_C(1) << 30);
        if (status != KAN_OK) {
            assert_false(is_done);
            assert_int_equal(status, KAN_FAILED);
            assert_non_null(strstr(kan_run_error(run), "out of memory"));
        }
        assert_int_equal(kan_run_memory_left(run), left);
    }
    assert_true(n > 60);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

static void anonymize_with_treated_columns_survives_every_failure(void **state) {
    (void)state;
    expect_every_failure_is_clean(&anonymizes);
}

static void search_with_treated_columns_survives_every_failure(void **state) {
    (void)state;
    expect_every_failure_is_clean(&searches);
}

static void verify_of_treated_columns_survives_every_failure(void **state) {
    (void)state;
    expect_every_failure_is_clean(&verifies);
}

static int make_key(void **state) {
    (void)state;
    const int file = mkstemp(key_path);
    const bool is_made = file >= 0 && write(file, "a key that nobody guesses", 25) == 25;
    return is_made && close(file) == 0 ? 0 : -1;
}

static int remove_key(void **state) {
    (void)state;
    return unlink(key_path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anonymize_with_treated_columns_survives_every_failure),
        cmocka_unit_test(search_with_treated_columns_survives_every_failure),
        cmocka_unit_test(verify_of_treated_columns_survives_every_failure),
    };
    return cmocka_run_group_tests_name("treated columns when memory runs out", tests, make_key,
                                       remove_key);
}
