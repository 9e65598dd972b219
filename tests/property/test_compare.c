/* Comparisons of random tables: every cell says what separate runs of `search` and `anonymize` with
 * its settings say, its figures are those of the released rows counted one by one, and a comparison
 * that goes on from a file gives the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/hash.h"
#include "core/run.h"
#include "support/random_problem.h"

enum { ROWS = 48, COLUMNS = 4, TEXT = 12 };

static const char *const names[COLUMNS] = {"age", "zip", "town", "ill"};

static kan_table *random_table(kan_run *run, uint64_t *random) {
    kan_table *table;
    assert_int_equal(kan_table_create(run, COLUMNS, names, &table), KAN_OK);
    const uint64_t n = 6 + kan_random_below(random, ROWS - 6);
    for (uint64_t row = 0; row < n; row++) {
        char cells[COLUMNS][TEXT];
        const char *values[COLUMNS] = {cells[0], cells[1], cells[2], cells[3]};
        snprintf(cells[0], TEXT, "%d", (int)(20 + kan_random_below(random, 12)));
        snprintf(cells[1], TEXT, "%02d", (int)kan_random_below(random, 25));
        snprintf(cells[2], TEXT, "%c", (int)('a' + kan_random_below(random, 3)));
        snprintf(cells[3], TEXT, "%c", (int)('p' + kan_random_below(random, 4)));
        assert_int_equal(kan_table_add_row(table, values), KAN_OK);
    }
    return table;
}

typedef struct {
    const char *name, *value;
} pair;

/* The settings that all cells share, and some more up to a pair without a name. */
static kan_job *make_job(kan_run *run, kan_table *table, const pair *more) {
    kan_job *job;
    assert_int_equal(kan_job_create(run, &job), KAN_OK);
    assert_int_equal(kan_job_use_table(job, table), KAN_OK);
    assert_int_equal(kan_job_set(job, "qi", "age=intervals:2,4,zip=digits:2,town"), KAN_OK);
    assert_int_equal(kan_job_set(job, "class", "ill"), KAN_OK);
    assert_int_equal(kan_job_set(job, "threads", "1"), KAN_OK);
    for (; more->name; more++)
        assert_int_equal(kan_job_set(job, more->name, more->value), KAN_OK);
    return job;
}

static json_t *parse(const kan_result *result) {
    json_t *json = json_loads(kan_result_json(result), 0, NULL);
    assert_non_null(json);
    return json;
}

/* NULL: nothing was found. */
static json_t *run_job(kan_job *job, const char *command, kan_result **out) {
    kan_result *result = NULL;
    const kan_status status = kan_job_run(job, command, &result);
    assert_true(status == KAN_OK || status == KAN_UNSATISFIED || status == KAN_BAD_INPUT);
    json_t *json = status == KAN_OK ? parse(result) : NULL;
    if (out)
        *out = result;
    else
        kan_result_destroy(result);
    return json;
}

static bool same_at(const json_t *a, const char *key, const json_t *b, const char *outer,
                    const char *inner) {
    return json_equal(json_object_get(a, key), json_object_get(json_object_get(b, outer), inner));
}

static bool same_row(const kan_table *table, uint64_t a, uint64_t b) {
    for (size_t c = 0; c < 3; c++) {
        size_t a_size, b_size;
        const char *x = kan_table_value(table, a, c, &a_size);
        const char *y = kan_table_value(table, b, c, &b_size);
        if (a_size != b_size || memcmp(x, y, a_size) != 0)
            return false;
    }
    return true;
}

/* Row by row: one over the size of its group is the risk of a row. */
static void recount(const json_t *cell, const kan_table *release) {
    const uint64_t n = kan_table_n_rows(release);
    uint64_t smallest = UINT64_MAX;
    double sum = 0, highest = 0;
    for (uint64_t row = 0; row < n; row++) {
        uint64_t size = 0;
        for (uint64_t other = 0; other < n; other++)
            size += same_row(release, row, other);
        smallest = size < smallest ? size : smallest;
        sum += 1 / (double)size;
        highest = fmax(highest, 1 / (double)size);
    }
    const json_t *risk = json_object_get(cell, "risk");
    assert_int_equal(json_integer_value(json_object_get(cell, "groups")), lround(sum));
    assert_int_equal(json_integer_value(json_object_get(cell, "smallest_group")), smallest);
    assert_true(fabs(json_real_value(json_object_get(risk, "highest")) - highest) < 1e-9);
    assert_true(fabs(json_real_value(json_object_get(risk, "average")) - sum / (double)n) < 1e-9);
}

static void check_cell(kan_run *run, kan_table *table, const json_t *cell) {
    char k[24];
    kan_result *result = NULL;
    snprintf(k, sizeof k, "%d", (int)json_integer_value(json_object_get(cell, "k")));
    const pair settings[] = {{"k", k},
                             {"suppress", json_string_value(json_object_get(cell, "suppress"))},
                             {"algorithm", json_string_value(json_object_get(cell, "algorithm"))},
                             {"cost", json_string_value(json_object_get(cell, "cost"))},
                             {NULL, NULL}};
    kan_job *job = make_job(run, table, settings), *again = make_job(run, table, settings);
    json_t *released = run_job(job, "anonymize", &result);
    json_t *searched = run_job(again, "search", NULL);
    const json_int_t status = json_integer_value(json_object_get(cell, "status"));
    assert_int_equal(status == 0, released != NULL);
    assert_int_equal(json_is_string(json_object_get(cell, "error")), status != 0);
    if (released) {
        assert_true(json_is_true(json_object_get(cell, "verified")));
        assert_true(
            json_equal(json_object_get(cell, "metrics"), json_object_get(released, "metrics")));
        assert_true(same_at(cell, "groups", released, "solution", "groups"));
        assert_true(same_at(cell, "suppressed", released, "suppression", "rows"));
        recount(cell, kan_result_table(result));
    }
    /* A search may also suppress every row, which is not a release. */
    const json_t *solution = json_object_get(searched, "solution");
    if (json_integer_value(json_object_get(solution, "groups")) > 0)
        assert_true(
            json_equal(json_object_get(cell, "metrics"), json_object_get(searched, "metrics")));
    json_decref(released);
    json_decref(searched);
    kan_result_destroy(result);
    kan_job_destroy(again);
    kan_job_destroy(job);
}

static void cells_of_one(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    kan_table *table = random_table(run, &random);
    const pair settings[] = {{"ks", "2,5"},
                             {"suppressions", "0,10%"},
                             {"algorithms", "auto,datafly,mondrian,hill-climb"},
                             {"costs", "discernibility,classification"},
                             {NULL, NULL}};
    kan_job *job = make_job(run, table, settings);
    json_t *compared = run_job(job, "compare", NULL);
    assert_non_null(compared);
    const json_t *cells = json_object_get(compared, "cells");
    assert_int_equal(json_array_size(cells), 32);
    for (size_t i = 0; i < json_array_size(cells); i++)
        check_cell(run, table, json_array_get(cells, i));
    json_decref(compared);
    kan_job_destroy(job);
    kan_table_destroy(table);
}

static void every_cell_is_what_separate_runs_say(void **state) {
    (void)state;
    random_rounds(8, cells_of_one);
}

/* ---- going on from a file ------------------------------------------------------------------- */

/* Cells without what may differ from run to run: times, and where they come from. */
static json_t *lasting_cells(kan_run *run, kan_table *table, const char *path, const char *ks,
                             size_t n_resumed) {
    const pair settings[] = {
        {"ks", ks}, {"suppressions", "0,2"}, {path ? "save" : NULL, path}, {NULL, NULL}};
    kan_job *job = make_job(run, table, settings);
    json_t *compared = run_job(job, "compare", NULL);
    assert_non_null(compared);
    json_t *cells = json_incref(json_object_get(compared, "cells"));
    for (size_t i = 0; i < json_array_size(cells); i++) {
        json_t *cell = json_array_get(cells, i);
        n_resumed -= json_is_true(json_object_get(cell, "resumed"));
        assert_int_equal(json_object_del(cell, "resumed"), 0);
        assert_int_equal(json_object_del(cell, "time_ms"), 0);
    }
    assert_int_equal(n_resumed, 0);
    json_decref(compared);
    kan_job_destroy(job);
    return cells;
}

static void resume_one(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    char path[] = "/tmp/kanon-compare-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    kan_table *table = random_table(run, &random);
    json_t *plain = lasting_cells(run, table, NULL, "2,3,4", 0);
    json_decref(lasting_cells(run, table, path, "3", 0));
    json_t *resumed = lasting_cells(run, table, path, "2,3,4", 4);
    assert_true(json_equal(plain, resumed));
    json_decref(resumed);
    /* However a line was cut short, the cells before it are taken and the others made again. */
    FILE *opened = fdopen(file, "r+");
    assert_non_null(opened);
    assert_int_equal(fseek(opened, 0, SEEK_END), 0);
    const long cut = 1 + (long)kan_random_below(&random, 40);
    assert_int_equal(ftruncate(file, ftell(opened) - cut), 0);
    resumed = lasting_cells(run, table, path, "2,3,4", 11);
    assert_true(json_equal(plain, resumed));
    json_decref(resumed);
    json_decref(plain);
    kan_table_destroy(table);
    fclose(opened);
    unlink(path);
}

static void a_comparison_that_goes_on_says_the_same(void **state) {
    (void)state;
    random_rounds(6, resume_one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_cell_is_what_separate_runs_say, random_tear_down),
        cmocka_unit_test_teardown(a_comparison_that_goes_on_says_the_same, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
