/* The recount of sensitive values when memory runs out: every single allocation of `anonymize`,
 * `search` and `verify` under all models at once is made to fail. Each run ends in a clean error,
 * hands nothing out, and leaves the account even. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "core/run.h"
#include "fault/fault.h"

enum { MOST_SETTINGS = 12 };

typedef struct {
    const char *command;
    const char *settings[MOST_SETTINGS][2];
} scenario;

static const scenario anonymizes = {"anonymize",
                                    {{"qi", "age=intervals:20,town=suppress"},
                                     {"sensitive", "ill,pay"},
                                     {"k", "2"},
                                     {"alpha", "0.7"},
                                     {"l", "2"},
                                     {"t", "0.9"},
                                     {"suppress", "3"},
                                     {"keep-suppressed", "true"},
                                     {"threads", "1"}}};
static const scenario searches = {"search",
                                  {{"qi", "age=intervals:20,town=suppress"},
                                   {"sensitive", "ill,pay"},
                                   {"alpha", "0.7"},
                                   {"alpha-value", "flu"},
                                   {"l", "2"},
                                   {"l-kind", "recursive"},
                                   {"c", "3"},
                                   {"suppress", "3"},
                                   {"threads", "1"}}};
static const scenario verifies = {"verify",
                                  {{"qi", "town"},
                                   {"sensitive", "ill,pay"},
                                   {"k", "1"},
                                   {"alpha", "0.1"},
                                   {"l", "2"},
                                   {"l-kind", "entropy"},
                                   {"t", "0.05"},
                                   {"keep-suppressed", "true"},
                                   {"threads", "1"}}};

/* Where people are counted; `pay` says whose a row is. */
static const scenario anonymizes_people = {"anonymize",
                                           {{"qi", "age=intervals:20,town=suppress"},
                                            {"sensitive", "ill"},
                                            {"person", "pay"},
                                            {"k", "2"},
                                            {"alpha", "0.9"},
                                            {"t", "0.9"},
                                            {"suppress", "3"},
                                            {"keep-suppressed", "true"},
                                            {"threads", "1"}}};
static const scenario searches_histories = {"search",
                                            {{"qi", "age=intervals:20,town=suppress"},
                                             {"person", "pay"},
                                             {"person-promise", "histories"},
                                             {"k", "2"},
                                             {"suppress", "6"},
                                             {"cost", "ncp"},
                                             {"threads", "1"}}};
static const scenario verifies_people = {"verify",
                                         {{"qi", "town"},
                                          {"sensitive", "ill"},
                                          {"person", "pay"},
                                          {"person-promise", "histories"},
                                          {"k", "1"},
                                          {"l", "1"},
                                          {"threads", "1"}}};
static const scenario risks_people = {
    "risk", {{"qi", "town"}, {"sensitive", "ill"}, {"person", "pay"}, {"threads", "1"}}};

static kan_table *people(kan_run *run) {
    static const char *const names[] = {"age", "town", "ill", "pay"};
    static const char *const rows[][4] = {
        {"31", "Bonn", "flu", "10"},  {"34", "Bonn", "cold", "20"}, {"35", "Bonn", "hiv", "30"},
        {"39", "Bonn", "flu", "40"},  {"62", "Ulm", "flu", "20"},   {"64", "Ulm", "hiv", "50"},
        {"66", "Ulm", "cold", "50"},  {"91", "Kiel", "flu", "10"},  {"92", "Kiel", "flu", "10"},
        {"5", "Trier", "hiv", "100"},
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

static void anonymize_under_all_models_survives_every_failure(void **state) {
    (void)state;
    expect_every_failure_is_clean(&anonymizes);
}

static void counting_people_survives_every_failure(void **state) {
    (void)state;
    expect_every_failure_is_clean(&anonymizes_people);
    expect_every_failure_is_clean(&searches_histories);
    expect_every_failure_is_clean(&verifies_people);
    expect_every_failure_is_clean(&risks_people);
}

static void search_under_models_survives_every_failure(void **state) {
    (void)state;
    expect_every_failure_is_clean(&searches);
}

static void verify_of_all_models_survives_every_failure(void **state) {
    (void)state;
    expect_every_failure_is_clean(&verifies);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anonymize_under_all_models_survives_every_failure),
        cmocka_unit_test(search_under_models_survives_every_failure),
        cmocka_unit_test(counting_people_survives_every_failure),
        cmocka_unit_test(verify_of_all_models_survives_every_failure),
    };
    return cmocka_run_group_tests_name("models when memory runs out", tests, NULL, NULL);
}
