/* Suppressed rows that are kept: they show nothing, or keep the promise as a group. Random tables,
 * searches and promises; what `anonymize` releases is asked of `verify` and `risk`, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <kanon.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "support/random_problem.h"

enum { MOST_ROWS = 40, COLUMNS = 4, TEXT = 24 };

static const char *const names[COLUMNS] = {"age", "town", "ill", "row"};

typedef struct {
    kan_run *run;
    uint64_t random;
    size_t n_rows;
    char cells[MOST_ROWS][COLUMNS][TEXT];
    char k[TEXT];
    bool has_model, shows;
    json_int_t n_suppressed;
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

/* Most people are of a few kinds, some are alone. */
static kan_table *make_table(world *w) {
    kan_table *table;
    w->n_rows = 8 + below(w, MOST_ROWS - 7);
    EXPECT_OK(w->run, kan_table_create(w->run, COLUMNS, names, &table));
    for (size_t r = 0; r < w->n_rows; r++) {
        const bool is_rare = below(w, 5) == 0;
        const char *row[COLUMNS];
        snprintf(w->cells[r][0], TEXT, "%zu", is_rare ? 60 + below(w, 40) : 30 + below(w, 4));
        snprintf(w->cells[r][1], TEXT, "t%zu", is_rare ? below(w, 9) : below(w, 2));
        snprintf(w->cells[r][2], TEXT, "i%zu", below(w, 3));
        snprintf(w->cells[r][3], TEXT, "r%zu", r);
        for (size_t c = 0; c < COLUMNS; c++)
            row[c] = w->cells[r][c];
        EXPECT_OK(w->run, kan_table_add_row(table, row));
    }
    return table;
}

static void set(world *w, kan_job *job, const char *name, const char *value) {
    EXPECT_OK(w->run, kan_job_set(job, name, value));
}

static void set_promise(world *w, kan_job *job) {
    set(w, job, "qi", "age=intervals:5,20");
    set(w, job, "qi", "town=suppress");
    set(w, job, "sensitive", "ill");
    set(w, job, "k", w->k);
    if (w->has_model)
        set(w, job, "l", "2");
}

static json_t *result_json(const kan_result *result) {
    json_t *json = json_loads(kan_result_json(result), 0, NULL);
    assert_non_null(json);
    return json;
}

static bool is_star(const kan_table *table, uint64_t row, size_t column) {
    size_t size;
    const char *value = kan_table_value(table, row, column, &size);
    return size == 1 && *value == '*';
}

/* As many rows as were suppressed show nothing; no other shows a * beyond its quasi-identifiers. */
static void expect_blank(const world *w, const kan_table *release) {
    json_int_t n_blank = 0;
    assert_int_equal(kan_table_n_rows(release), w->n_rows);
    for (uint64_t r = 0; r < kan_table_n_rows(release); r++) {
        const bool hides = is_star(release, r, 3);
        n_blank += hides;
        assert_int_equal(is_star(release, r, 2), hides);
        assert_true(!hides || (is_star(release, r, 0) && is_star(release, r, 1)));
    }
    assert_int_equal(n_blank, w->shows ? 0 : w->n_suppressed);
}

/* A table that others made: the rows of the release, in memory. */
static kan_table *copy_of(world *w, const kan_table *release) {
    kan_table *copy;
    EXPECT_OK(w->run, kan_table_create(w->run, COLUMNS, names, &copy));
    for (uint64_t r = 0; r < kan_table_n_rows(release); r++) {
        char cells[COLUMNS][64];
        const char *row[COLUMNS];
        for (size_t c = 0; c < COLUMNS; c++) {
            size_t size;
            const char *value = kan_table_value(release, r, c, &size);
            snprintf(cells[c], sizeof cells[c], "%.*s", (int)size, value);
            row[c] = cells[c];
        }
        EXPECT_OK(w->run, kan_table_add_row(copy, row));
    }
    return copy;
}

/* verify agrees; risk counts what shows nothing apart, and finds no group of fewer than k. */
static void expect_agreement(world *w, const kan_table *release) {
    static const char *const commands[] = {"verify", "risk"};
    for (int i = 0; i < 2; i++) {
        kan_table *copy = copy_of(w, release);
        kan_job *job;
        kan_result *result;
        EXPECT_OK(w->run, kan_job_create(w->run, &job));
        EXPECT_OK(w->run, kan_job_use_table(job, copy));
        set(w, job, "qi", "age,town");
        set(w, job, "sensitive", "ill");
        set(w, job, "k", w->k);
        if (i == 0 && w->has_model)
            set(w, job, "l", "2");
        if (i == 0 && !w->shows)
            set(w, job, "keep-suppressed", NULL);
        EXPECT_OK(w->run, kan_job_run(job, commands[i], &result));
        assert_true(kan_result_holds(result));
        json_t *json = result_json(result);
        if (i == 1) {
            const json_t *risk = json_object_get(json, "risk");
            const json_t *prosecutor = json_object_get(risk, "prosecutor");
            assert_int_equal(json_integer_value(json_object_get(risk, "suppressed")),
                             w->shows ? 0 : w->n_suppressed);
            assert_int_equal(json_integer_value(json_object_get(prosecutor, "rows_at_risk")), 0);
        }
        json_decref(json);
        kan_result_destroy(result);
        kan_job_destroy(job);
        kan_table_destroy(copy);
    }
}

static void make_job(world *w, kan_table *table, kan_job **job) {
    static const char *const searches[] = {"auto", "exhaustive", "progressive", "top-down",
                                           "greedy"};
    static const char *const limits[] = {"1", "3", "20%", "all"};
    const char *search = searches[below(w, 5)];
    snprintf(w->k, sizeof w->k, "%zu", 2 + below(w, 3));
    w->has_model = strcmp(search, "greedy") != 0 && strcmp(search, "auto") != 0 && below(w, 2);
    EXPECT_OK(w->run, kan_job_create(w->run, job));
    EXPECT_OK(w->run, kan_job_use_table(*job, table));
    set_promise(w, *job);
    set(w, *job, "keep", "row");
    set(w, *job, "algorithm", search);
    set(w, *job, "suppress", limits[below(w, 4)]);
    set(w, *job, "threads", "1");
    set(w, *job, "keep-suppressed", NULL);
    w->shows = below(w, 2);
    if (w->shows)
        set(w, *job, "show-suppressed", NULL);
}

static void one_release(kan_run *run, uint64_t seed) {
    world w = {.run = run, .random = seed};
    kan_table *table = make_table(&w);
    kan_job *job;
    kan_result *result = NULL;
    make_job(&w, table, &job);
    const kan_status status = kan_job_run(job, "anonymize", &result);
    if (status == KAN_OK) {
        json_t *json = result_json(result);
        const json_t *suppression = json_object_get(json, "suppression");
        w.n_suppressed = json_integer_value(json_object_get(suppression, "rows"));
        json_decref(json);
        expect_blank(&w, kan_result_table(result));
        expect_agreement(&w, kan_result_table(result));
    } else if (status != KAN_UNSATISFIED) {
        fail_msg("%s", kan_run_error(run));
    }
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(table);
}

static void kept_rows_show_nothing_or_keep_the_promise_as_a_group(void **state) {
    (void)state;
    random_rounds(600, one_release);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(
        kept_rows_show_nothing_or_keep_the_promise_as_a_group, random_tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
