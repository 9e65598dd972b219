/* Risk by hand: sizes of any magnitude, bands, and the command on rows in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "analyze/risk/risk.h"
#include "support/plain.h"

static void sizes_beyond_the_small_ones_are_counted_in_order(void **state) {
    static const uint64_t sizes[] = {70000, 1, UINT64_C(5000000000), 65535, 1, 65536, 70000};
    kan_run *run = kan_run_create();
    kan_group_sizes made;
    kan_risk risk;
    (void)state;
    EXPECT_OK(run, kan_group_sizes_make(run, sizes, 7, 9, &made));
    assert_int_equal(made.n, 5);
    assert_int_equal(made.counts[0].n_groups, 2);
    assert_int_equal(made.counts[1].size, 65535);
    assert_int_equal(made.counts[2].size, 65536);
    assert_int_equal(made.counts[3].n_groups, 2);
    assert_int_equal(made.counts[4].size, UINT64_C(5000000000));
    kan_risk_measure(&made, 0, &risk);
    assert_int_equal(risk.threshold, 1);
    assert_int_equal(risk.n_rows_at_risk, 0);
    assert_int_equal(risk.n_suppressed, 9);
    assert_int_equal(risk.median_size, UINT64_C(5000000000));
    kan_group_sizes_destroy(&made);
    kan_run_destroy(run);
}

static void bands_grow_and_begin_at_the_threshold(void **state) {
    static const uint64_t sizes[] = {2, 7, 8, 120, UINT64_C(1) << 60};
    static const uint64_t least[] = {2, 3, 5, 8, 10, 20, 50, 100, 200, 500, 1000};
    kan_run *run = kan_run_create();
    kan_group_sizes made;
    kan_size_band bands[KAN_SIZE_BANDS];
    (void)state;
    EXPECT_OK(run, kan_group_sizes_make(run, sizes, 5, 0, &made));
    const size_t n = kan_size_bands(&made, 8, bands);
    for (size_t i = 0; i < sizeof least / sizeof *least; i++)
        assert_int_equal(bands[i].least, least[i]);
    assert_int_equal(bands[2].n_groups, 1);
    assert_int_equal(bands[3].n_groups, 1);
    assert_int_equal(bands[3].most, 9);
    assert_int_equal(bands[7].n_rows, 120);
    assert_true(n < KAN_SIZE_BANDS && bands[n - 1].n_rows == UINT64_C(1) << 60);
    kan_group_sizes_destroy(&made);
    kan_run_destroy(run);
}

static double number_at(const json_t *object, const char *a, const char *b) {
    const json_t *found = json_object_get(object, a);
    found = b ? json_object_get(found, b) : found;
    assert_true(json_is_number(found));
    return json_number_value(found);
}

static void the_command_works_on_rows_in_memory(void **state) {
    static const char *const names[] = {"age", "town", "ill"};
    static const char *const rows[][3] = {
        {"30", "Bonn", "a"}, {"30", "Bonn", "a"}, {"30", "Ulm", "b"}, {"*", "*", "*"}};
    kan_run *run = kan_run_create();
    kan_table *table;
    kan_job *job;
    kan_result *result;
    (void)state;
    EXPECT_OK(run, kan_table_create(run, 3, names, &table));
    for (size_t i = 0; i < 4; i++)
        EXPECT_OK(run, kan_table_add_row(table, rows[i]));
    EXPECT_OK(run, kan_job_create(run, &job));
    EXPECT_OK(run, kan_job_use_table(job, table));
    EXPECT_OK(run, kan_job_set(job, "qi", "age,town"));
    EXPECT_OK(run, kan_job_set(job, "sensitive", "ill"));
    EXPECT_OK(run, kan_job_set(job, "k", "2"));
    EXPECT_OK(run, kan_job_run(job, "risk", &result));
    json_t *json = json_loads(kan_result_json(result), 0, NULL);
    const json_t *risk = json_object_get(json, "risk");
    assert_true(number_at(risk, "rows", NULL) == 3);
    assert_true(number_at(risk, "suppressed", NULL) == 1);
    assert_true(number_at(risk, "threshold", NULL) == 2);
    assert_true(number_at(risk, "prosecutor", "highest") == 1);
    assert_true(number_at(risk, "prosecutor", "rows_at_risk") == 1);
    assert_true(fabs(number_at(risk, "marketer", "average") - 2.0 / 3) < 1e-12);
    assert_true(json_is_null(json_object_get(json, "before")));
    assert_true(json_is_null(json_object_get(risk, "journalist")));
    const json_t *ill = json_array_get(json_object_get(risk, "sensitive"), 0);
    assert_true(number_at(ill, "alpha", NULL) == 1 && number_at(ill, "l", NULL) == 1);
    assert_int_equal(json_array_size(json_object_get(ill, "values")), 2);
    assert_non_null(strstr(kan_result_summary(result), "the table: risk by age, town"));
    assert_null(strstr(kan_result_summary(result), "next:"));
    json_decref(json);
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_beyond_the_small_ones_are_counted_in_order),
        cmocka_unit_test(bands_grow_and_begin_at_the_threshold),
        cmocka_unit_test(the_command_works_on_rows_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
