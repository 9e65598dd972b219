/* job/setup/setup_workload.c: queries as boxes of places, for searches over regions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job/setup/setup.h"
#include "support/workload_scene.h"

typedef struct {
    kan_run *run;
    kan_table *table;
    kan_job *job;
    kan_setup setup;
    char path[40];
    char notes[512];
} scene;

static void take_note(void *user, const char *note) {
    scene *s = user;
    snprintf(s->notes, sizeof s->notes, "%s", note);
}

static kan_status read_boxes_of(scene *s, const char *table, const char *queries,
                                const char *bins) {
    *s = (scene){.run = kan_run_create()};
    kan_run_on_note(s->run, take_note, s);
    s->table = scene_table(s->run, table);
    snprintf(s->path, sizeof s->path, "/tmp/kanon-boxes-XXXXXX");
    const int file = mkstemp(s->path);
    assert_true(file >= 0);
    assert_int_equal(write(file, queries, strlen(queries)), strlen(queries));
    close(file);
    EXPECT_OK(s->run, kan_job_create(s->run, &s->job));
    EXPECT_OK(s->run, kan_job_use_table(s->job, s->table));
    EXPECT_OK(s->run, kan_job_set(s->job, "qi", "age,town"));
    EXPECT_OK(s->run, kan_job_set(s->job, "k", "1"));
    EXPECT_OK(s->run, kan_job_set(s->job, "algorithm", "k-optimize"));
    if (bins)
        EXPECT_OK(s->run, kan_job_set(s->job, "bins", bins));
    EXPECT_OK(s->run, kan_setup_make(s->job, &s->setup));
    s->notes[0] = '\0';
    EXPECT_OK(s->run, kan_options_add(&s->job->options, "workload", s->path));
    return kan_setup_workload(&s->setup);
}

/* Ages 20 .. 24 and ?, three towns in the order of their bytes; pay is not a quasi-identifier. */
static kan_status read_boxes(scene *s, const char *queries, const char *bins) {
    return read_boxes_of(s, "age town pay\n20 A 1\n21 B 2\n22 C 3\n23 A 4\n24 B 5\n? C 6\n",
                         queries, bins);
}

static void finish(scene *s) {
    unlink(s->path);
    kan_setup_destroy(&s->setup);
    kan_job_destroy(s->job);
    kan_table_destroy(s->table);
    kan_run_destroy(s->run);
}

/* "weight:first-last,first-last" of each box; ages first. ? is place 0, 20 is place 1. */
static void expect_boxes(const char *queries, const char *bins, const char *expected) {
    scene s;
    char text[1024] = "";
    size_t used = 0;
    EXPECT_OK(s.run, read_boxes(&s, queries, bins));
    for (size_t i = 0; i < s.setup.n_queries; i++) {
        const kan_query_box *box = &s.setup.queries[i];
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%g:%u-%u,%u-%u", i ? " " : "",
                             box->weight, box->first[0], box->last[0], box->first[1], box->last[1]);
    }
    assert_string_equal(text, expected);
    finish(&s);
}

static void a_range_is_one_run_of_places(void **state) {
    (void)state;
    expect_boxes("COUNT WHERE age BETWEEN 21 AND 23\n", NULL, "1:2-4,0-2");
    expect_boxes("COUNT WHERE age < 22.5\n", NULL, "1:1-3,0-2");
    expect_boxes("weight 3 COUNT WHERE age >= 22 AND age < 24 AND town = B\n", NULL, "3:3-4,1-1");
    expect_boxes("COUNT WHERE age = ?\n", NULL, "1:0-0,0-2");
}

static void values_that_do_not_stand_together_share_the_weight(void **state) {
    (void)state;
    expect_boxes("COUNT WHERE town IN (A, B)\n", NULL, "1:0-5,0-1");
    expect_boxes("weight 2 COUNT WHERE town IN (A, C)\n", NULL, "1:0-5,0-0 1:0-5,2-2");
    expect_boxes("COUNT WHERE town IN (C, A) AND age IN (20, 22)\n", NULL,
                 "0.25:1-1,0-0 0.25:3-3,0-0 0.25:1-1,2-2 0.25:3-3,2-2");
}

static void too_many_boxes_become_fewer_and_wider_ones(void **state) {
    (void)state;
    scene s;
    char table[2048] = "age town\n", queries[1024] = "COUNT WHERE age IN (";
    /* ages 0 .. 49 and towns 100 .. 149, every other of them asked for: 25 * 20 boxes */
    for (int i = 0; i < 50; i++)
        snprintf(table + strlen(table), sizeof table - strlen(table), "%d %d\n", i, 100 + i);
    for (int i = 0; i < 25; i++)
        snprintf(queries + strlen(queries), sizeof queries - strlen(queries), "%s%d", i ? ", " : "",
                 2 * i);
    strcat(queries, ") AND town IN (");
    for (int i = 0; i < 20; i++)
        snprintf(queries + strlen(queries), sizeof queries - strlen(queries), "%s%d", i ? ", " : "",
                 100 + 2 * i);
    strcat(queries, ")\n");
    EXPECT_OK(s.run, read_boxes_of(&s, table, queries, NULL));
    assert_int_equal(s.setup.n_queries, 20);
    for (uint32_t i = 0; i < 20; i++) {
        const kan_query_box *box = &s.setup.queries[i];
        assert_true(fabs(box->weight - 1 / 20.0) < 1e-12);
        assert_int_equal(box->first[0], 0);
        assert_int_equal(box->last[0], 48);
        assert_int_equal(box->first[1], 2 * i);
        assert_int_equal(box->last[1], 2 * i);
    }
    finish(&s);
}

static void a_bin_is_selected_when_one_of_its_values_is(void **state) {
    (void)state;
    /* ?, 20-21, 22-23, 24-25 */
    expect_boxes("COUNT WHERE age BETWEEN 21 AND 22\n", "age=2", "1:1-2,0-2");
}

static void queries_without_bounds_are_left_out(void **state) {
    (void)state;
    scene s;
    expect_boxes("COUNT\nAVG(age)\nCOUNT WHERE pay > 3\nCOUNT WHERE town IN (A, B, C)\n"
                 "COUNT WHERE age > 99\nCOUNT WHERE town = Z\nCOUNT WHERE age = 20 AND pay = 1\n",
                 NULL, "1:1-1,0-2");
    EXPECT_OK(s.run, read_boxes(&s, "COUNT WHERE pay > 3\n", NULL));
    assert_int_equal(s.setup.n_queries, 0);
    assert_non_null(strstr(s.notes, "the release is that of --split widest"));
    finish(&s);
}

static void without_a_workload_there_are_no_boxes(void **state) {
    (void)state;
    scene s;
    EXPECT_OK(s.run, read_boxes(&s, "COUNT WHERE age > 22\n", NULL));
    assert_int_equal(s.setup.n_queries, 1);
    s.setup.n_queries = 0;
    s.setup.queries = NULL;
    s.job->options.n--; /* what was said last */
    EXPECT_OK(s.run, kan_setup_workload(&s.setup));
    assert_int_equal(s.setup.n_queries, 0);
    finish(&s);
}

static void what_cannot_be_asked_is_told(void **state) {
    (void)state;
    scene s;
    assert_int_equal(
        read_boxes(&s, "COUNT WHERE agee > 22\nCOUNT WHERE town < B\nAVG(town)\n", NULL),
        KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(s.run), ":1:13: the table has no column 'agee'; did you "
                                                 "mean 'age'?"));
    assert_non_null(strstr(kan_run_error(s.run), ":2:13: column 'town' holds text"));
    assert_non_null(strstr(kan_run_error(s.run), ":3:5: AVG needs numbers"));
    finish(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_range_is_one_run_of_places),
        cmocka_unit_test(values_that_do_not_stand_together_share_the_weight),
        cmocka_unit_test(too_many_boxes_become_fewer_and_wider_ones),
        cmocka_unit_test(a_bin_is_selected_when_one_of_its_values_is),
        cmocka_unit_test(queries_without_bounds_are_left_out),
        cmocka_unit_test(without_a_workload_there_are_no_boxes),
        cmocka_unit_test(what_cannot_be_asked_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
