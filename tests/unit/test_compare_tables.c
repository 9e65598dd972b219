/* A comparison of rows in memory: each cell has all tables of the job, and reads values as it does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <string.h>

#include "support/plain.h"

static kan_table *make_table(kan_run *run, const char *towns) {
    static const char *const names[] = {"town"};
    kan_table *table;
    EXPECT_OK(run, kan_table_create(run, 1, names, &table));
    for (; *towns; towns++)
        EXPECT_OK(run,
                  kan_table_add_row(table, (const char *const[]){*towns == 'B' ? "Bonn" : "Ulm"}));
    return table;
}

/* Two of each town in the table and three of each in the population: k-map 3 holds as it is. */
static void a_cell_sees_the_population_in_memory(void **state) {
    kan_run *run = kan_run_create();
    kan_table *table = make_table(run, "BBUU"), *people = make_table(run, "BBBUUU");
    kan_job *job;
    kan_result *result;
    (void)state;
    EXPECT_OK(run, kan_job_create(run, &job));
    EXPECT_OK(run, kan_job_use_table(job, table));
    EXPECT_OK(run, kan_job_use_table_as(job, "population", people));
    EXPECT_OK(run, kan_job_set(job, "qi", "town=suppress"));
    EXPECT_OK(run, kan_job_set(job, "k-map", "3"));
    EXPECT_OK(run, kan_job_set(job, "algorithms", "exhaustive"));
    EXPECT_OK(run, kan_job_run(job, "compare", &result));
    json_t *json = json_loads(kan_result_json(result), 0, NULL);
    const json_t *cell = json_array_get(json_object_get(json, "cells"), 0);
    assert_true(json_is_true(json_object_get(cell, "verified")));
    assert_int_equal(json_integer_value(json_object_get(cell, "groups")), 2);
    json_decref(json);
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(people);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

/* Values in memory are kanon's own: nothing was read by these settings. */
static void signs_of_a_file_are_refused_of_rows_in_memory(void **state) {
    kan_run *run = kan_run_create();
    kan_table *table = make_table(run, "BBUU");
    kan_job *job;
    kan_result *result;
    (void)state;
    EXPECT_OK(run, kan_job_create(run, &job));
    EXPECT_OK(run, kan_job_use_table(job, table));
    EXPECT_OK(run, kan_job_set(job, "qi", "town=suppress"));
    EXPECT_OK(run, kan_job_set(job, "missing", "Ulm"));
    assert_int_equal(kan_job_run(job, "compare", &result), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(run), "are about tables in files"));
    kan_job_destroy(job);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_sees_the_population_in_memory),
        cmocka_unit_test(signs_of_a_file_are_refused_of_rows_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
