/* See tables_commands.h. */
#include "support/tables_commands.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

static json_t *run_command(kan_run *run, const char *command, const char *path, const char *input) {
    kan_job *job;
    kan_result *result = NULL;
    assert_int_equal(kan_job_create(run, &job), KAN_OK);
    if (input)
        assert_int_equal(kan_job_set(job, "input", input), KAN_OK);
    assert_int_equal(kan_job_load(job, path), KAN_OK);
    if (kan_job_run(job, command, &result) != KAN_OK)
        fail_msg("%s: %s", command, kan_run_error(run));
    assert_true(kan_result_holds(result));
    json_t *object = json_loads(kan_result_json(result), 0, NULL);
    assert_non_null(object);
    kan_result_destroy(result);
    kan_job_destroy(job);
    return object;
}

static json_t *find(json_t *object, const char *outer, const char *key) {
    json_t *value = json_object_get(outer ? json_object_get(object, outer) : object, key);
    if (!value)
        fail_msg("there is no %s", key);
    return value;
}

static void expect_equal(json_t *a, json_t *b, const char *what) {
    if (!json_equal(a, b))
        fail_msg("%s: %s, and %s", what, json_dumps(a, JSON_ENCODE_ANY),
                 json_dumps(b, JSON_ENCODE_ANY));
}

static void expect_near(json_t *a, json_t *b) {
    assert_true(fabs(json_number_value(a) - json_number_value(b)) < 1e-9);
}

static void expect_search(json_t *made, json_t *found) {
    static const char *const keys[] = {"promise",     "tables",        "people",           "cost",
                                       "cost_of_all", "bound",         "cost_of_released", "levels",
                                       "optimal",     "nodes_checked", "suppressed_people"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        expect_equal(find(made, NULL, keys[i]), find(found, NULL, keys[i]), keys[i]);
    expect_near(find(found, "metrics", json_string_value(find(found, NULL, "cost"))),
                find(found, NULL, "cost_of_all"));
}

static void expect_risk(json_t *made, json_t *search, json_t *risk) {
    json_t *after = find(risk, NULL, "risk"), *people = find(made, NULL, "people");
    expect_equal(find(after, NULL, "people"), find(people, NULL, "released"), "people");
    expect_equal(find(after, NULL, "trees"), find(people, NULL, "trees"), "trees");
    expect_equal(find(after, NULL, "smallest"), find(people, NULL, "fewest"), "fewest");
    expect_equal(find(risk, "before", "people"), find(people, NULL, "all"), "people before");
    expect_equal(find(after, "prosecutor", "people_at_risk"), find(people, NULL, "rare"), "rare");
    expect_near(find(after, "prosecutor", "highest"), find(search, "risk", "highest"));
    expect_near(find(after, "prosecutor", "average"), find(search, "risk", "average"));
}

static void expect_cell(json_t *search, json_t *compare) {
    json_t *cell = json_array_get(find(compare, NULL, "cells"), 0);
    assert_int_equal(json_array_size(find(compare, NULL, "cells")), 1);
    expect_equal(find(compare, "input", "rows"), find(search, "people", "all"), "all");
    expect_equal(find(cell, NULL, "groups"), find(search, "people", "trees"), "trees");
    expect_equal(find(cell, NULL, "smallest_group"), find(search, "people", "fewest"), "fewest");
    expect_equal(find(cell, NULL, "suppressed"), find(search, NULL, "suppressed_people"), "left");
    expect_equal(find(cell, NULL, "metrics"), find(search, NULL, "metrics"), "metrics");
    expect_equal(find(cell, NULL, "risk"), find(search, NULL, "risk"), "risk");
    expect_equal(find(cell, NULL, "bound"), find(search, NULL, "bound"), "bound");
}

void expect_commands_agree(kan_run *run, const char *job, const char *release,
                           const kan_result *made) {
    json_t *release_json = json_loads(kan_result_json(made), 0, NULL);
    json_t *search = run_command(run, "search", job, NULL);
    json_t *risk = run_command(run, "risk", job, release);
    json_t *compare = run_command(run, "compare", job, NULL);
    assert_non_null(release_json);
    expect_cell(search, compare);
    expect_search(release_json, search);
    expect_risk(release_json, search, risk);
    json_decref(release_json);
    json_decref(search);
    json_decref(risk);
    json_decref(compare);
}
