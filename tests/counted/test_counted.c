/* A table that was counted where it is gives what its rows give: the same solution, the same
 * figures, field by field, and the same released rows.
 *
 * Random tables are written as CSV files and read twice: row by row, and by a source that counts
 * (source_counted.c). Over all searches, costs, limits and models. Rows stand in any order in the
 * file, for a database has none. Tables and runs are made in world.c, large ones in large.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "world.h"

static char home[] = "/tmp/kanon-counted-XXXXXX";

static void compare_runs(const char *command, bool is_in_memory, size_t n) {
    memset(&world_seen, 0, sizeof world_seen);
    for (uint64_t seed = 1; seed <= world_n_rounds(n); seed++) {
        world w = {.random = seed * 7919};
        outcome plain, counted;
        (void)kan_random(&w.random);
        world_make_tuples(&w);
        world_choose_settings(&w);
        world_write(&w, "people.csv");
        world_run(&w, command, "people.csv", false, is_in_memory, &plain);
        world_run(&w, command, "people.csv", true, is_in_memory, &counted);
        world_expect_same(&w, seed, command, &plain, &counted);
        outcome_destroy(&plain);
        outcome_destroy(&counted);
    }
    print_message("%s: %zu the same, %zu of them with suppressed rows, %zu by regions; %zu without "
                  "a solution, %zu refused\n",
                  command, world_seen.n_same, world_seen.n_suppressed, world_seen.n_regions,
                  world_seen.n_unsatisfied, world_seen.n_refused);
    assert_true(world_seen.n_same > world_n_rounds(n) / 4);
}

static void a_search_on_counts_is_one_on_rows(void **state) {
    (void)state;
    compare_runs("search", false, 200);
}

static void a_release_of_counts_is_one_of_rows(void **state) {
    (void)state;
    compare_runs("anonymize", true, 200);
}

static char *take_file(const char *path) {
    struct stat info;
    FILE *file = fopen(path, "r");
    if (!file)
        return strdup("none");
    assert_int_equal(fstat(fileno(file), &info), 0);
    char *text = calloc(1, (size_t)info.st_size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)info.st_size, file), info.st_size);
    fclose(file);
    return text;
}

/* Also from another order of the rows. */
static void certificates_are_the_same_bytes(void **state) {
    size_t n_made = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= world_n_rounds(120); seed++) {
        world w = {.random = seed * 104729};
        outcome plain, counted;
        (void)kan_random(&w.random);
        world_make_tuples(&w);
        world_add(&w, "qi", world_below(&w, 2) ? "number=intervals:5,10" : "number=frequency:3");
        world_add(&w, "qi", "word=digits:2");
        ADD_ONE(&w, "algorithm", "bisect", "exhaustive", "incognito");
        ADD_ONE(&w, "k", "2", "2", "3", "5");
        if (world_below(&w, 2) == 0)
            ADD_ONE(&w, "suppress", "2", "20%", "50%", "all");
        if (world_below(&w, 3) == 0)
            ADD_ONE(&w, "cost", "ncp", "average-class", "precision");
        world_add(&w, "certificate", "proof.json");
        world_add(&w, "force", "true");
        world_write(&w, "people.csv");
        unlink("proof.json");
        world_run(&w, "search", "people.csv", false, false, &plain);
        char *rows = take_file("proof.json");
        world_write(&w, "people.csv");
        unlink("proof.json");
        world_run(&w, "search", "people.csv", true, false, &counted);
        char *counts = take_file("proof.json");
        world_expect_same(&w, seed, "search", &plain, &counted);
        if (strcmp(rows, counts) != 0) {
            world_tell(&w, seed, "search");
            fail_msg("another certificate:\n%s\n%s", rows, counts);
        }
        if (plain.status == KAN_OK) {
            outcome checked[2];
            n_made++;
            for (int i = 0; i < 2; i++) {
                world_run(&w, "verify", "people.csv", i == 1, false, &checked[i]);
                assert_int_equal(checked[i].status, KAN_OK);
                assert_non_null(strstr(checked[i].json, "\"status\": \"verified\""));
            }
            assert_string_equal(checked[0].json, checked[1].json);
            outcome_destroy(&checked[0]);
            outcome_destroy(&checked[1]);
        }
        free(rows);
        free(counts);
        outcome_destroy(&plain);
        outcome_destroy(&counted);
    }
    print_message("%zu certificates\n", n_made);
    assert_true(n_made > world_n_rounds(120) / 2);
}

/* ---- verify --------------------------------------------------------------------------------- */

/* Changes a cell of the release now and then, takes a row out, puts one in twice. */
static void tamper(world *w, const char *from, const char *to) {
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    char line[1024];
    assert_non_null(in);
    assert_non_null(out);
    for (size_t i = 0; fgets(line, sizeof line, in); i++) {
        const size_t what = i == 0 ? 99 : world_below(w, 30);
        if (what == 1)
            continue;
        if (what == 2 && line[0] >= '1' && line[0] < '9')
            line[0]++;
        fputs(line, out);
        if (what == 3)
            fputs(line, out);
    }
    fclose(in);
    fclose(out);
}

static void drop_key(char **json, const char *outer, const char *inner) {
    json_error_t where;
    json_t *all = json_loads(*json, 0, &where);
    json_object_del(json_object_get(all, outer), inner);
    free(*json);
    *json = json_dumps(all, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17) | JSON_INDENT(1));
    json_decref(all);
}

static void verify_on_counts_says_what_it_says_of_rows(void **state) {
    size_t n_verified = 0, n_failed = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= world_n_rounds(120); seed++) {
        world w = {.random = seed * 15485863};
        outcome made, said[2];
        (void)kan_random(&w.random);
        world_make_tuples(&w);
        world_choose_settings(&w);
        world_write(&w, "people.csv");
        const size_t n_set = w.n_set;
        world_add(&w, "output", "whole.csv");
        world_add(&w, "force", "true");
        world_run(&w, "anonymize", "people.csv", false, false, &made);
        const kan_status status = made.status;
        outcome_destroy(&made);
        if (status != KAN_OK)
            continue;
        w.n_set = n_set;
        if (world_below(&w, 2) == 0)
            tamper(&w, "whole.csv", "release.csv");
        else
            assert_int_equal(rename("whole.csv", "release.csv"), 0);
        if (world_below(&w, 5) > 0)
            world_add(&w, "original", "people.csv");
        for (size_t i = 0; i < w.n_set; i++)
            if (strcmp(w.set[i].name, "k") == 0 && world_below(&w, 4) == 0)
                w.set[i].value[0]++;
        for (int i = 0; i < 2; i++) {
            world_run(&w, "verify", "release.csv", i == 1, false, &said[i]);
            if (said[i].json)
                drop_key(&said[i].json, "original", "in_order");
        }
        world_expect_same(&w, seed, "verify", &said[0], &said[1]);
        if (said[0].json)
            *(strstr(said[0].json, "\"verified\": true") ? &n_verified : &n_failed) += 1;
        outcome_destroy(&said[0]);
        outcome_destroy(&said[1]);
    }
    print_message("%zu verified, %zu not\n", n_verified, n_failed);
    assert_true(n_verified > world_n_rounds(120) / 8 && n_failed > world_n_rounds(120) / 8);
}

/* ---- risk ----------------------------------------------------------------------------------- */

/* Of tables as they are, and of releases with rows of nothing but *, whose other columns are looked
 * at only to find these. */
static void risk_of_counts_is_that_of_rows(void **state) {
    size_t n_blank = 0, n_seen = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= world_n_rounds(120); seed++) {
        world w = {.random = seed * 32452843};
        outcome said[2];
        (void)kan_random(&w.random);
        world_make_tuples(&w);
        if (world_below(&w, 2) == 0) /* suppressed ones; some of them show something, */
            for (size_t t = 0; t < w.n_tuples; t++)
                for (size_t c = 0; c < N_COLUMNS && t % 4 == 0; c++)
                    if (c < ILL || world_below(&w, 4) > 0)
                        snprintf(w.cells[t][c], TEXT, "*");
        world_write(&w, "people.csv");
        for (size_t t = 0; t < w.n_tuples; t++)
            for (size_t c = 0; c < N_COLUMNS; c++)
                if (world_below(&w, 2) == 0)
                    world_put_value(&w, c, w.cells[t][c]);
        world_add(&w, "qi", "number");
        if (world_below(&w, 3) > 0)
            world_add(&w, "qi", "word");
        if (world_below(&w, 3) == 0)
            world_add(&w, "sensitive", world_below(&w, 2) ? "ill" : "ill,wage");
        if (world_below(&w, 3) == 0)
            world_add(&w, "suda-columns", "3");
        if (world_below(&w, 3) == 0)
            world_add(&w, "missing-matches", "true");
        if (world_below(&w, 3) == 0)
            world_add(&w, "population-size", "5000");
        if (world_below(&w, 3) == 0) {
            world_write(&w, "before.csv");
            world_add(&w, "original", "before.csv");
        } else if (world_below(&w, 3) == 0 && !world_has(&w, "missing-matches", "true")) {
            world_add(&w, "population", "people.csv");
        }
        for (int i = 0; i < 2; i++)
            world_run(&w, "risk", "people.csv", i == 1, false, &said[i]);
        world_expect_same(&w, seed, "risk", &said[0], &said[1]);
        if (said[0].status == KAN_OK) {
            n_seen++;
            n_blank += strstr(said[0].json, "\"suppressed\": 0") == NULL;
        }
        outcome_destroy(&said[0]);
        outcome_destroy(&said[1]);
    }
    print_message("%zu of the same risk, %zu with rows of nothing but *\n", n_seen, n_blank);
    assert_true(n_seen > world_n_rounds(120) / 2 && n_blank > world_n_rounds(120) / 20);
}

/* ---- profile and compare --------------------------------------------------------------------- */

static void profile_of_counts_is_that_of_rows(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= world_n_rounds(40); seed++) {
        world w = {.random = seed * 49979687};
        outcome said[2];
        (void)kan_random(&w.random);
        world_make_tuples(&w);
        world_write(&w, "people.csv");
        if (world_below(&w, 3) == 0)
            world_add(&w, "subsets", "5");
        for (int i = 0; i < 2; i++)
            world_run(&w, "profile", "people.csv", i == 1, false, &said[i]);
        world_expect_same(&w, seed, "profile", &said[0], &said[1]);
        assert_int_equal(said[0].status, KAN_OK);
        outcome_destroy(&said[0]);
        outcome_destroy(&said[1]);
    }
}

static void comparisons_of_counts_are_those_of_rows(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= world_n_rounds(12); seed++) {
        world w = {.random = seed * 86028121};
        outcome said[2];
        (void)kan_random(&w.random);
        world_make_tuples(&w);
        world_write(&w, "people.csv");
        world_add(&w, "qi", "number=intervals:5,10");
        world_add(&w, "qi", "word=digits:2");
        world_add(&w, "ks", "2,3");
        world_add(&w, "suppressions", "0,20%");
        world_add(&w, "algorithms", "auto,mondrian,mondrian-relaxed,k-optimize,progressive");
        world_add(&w, "output", "cells.csv");
        world_add(&w, "force", "true");
        for (int i = 0; i < 2; i++)
            world_run(&w, "compare", "people.csv", i == 1, false, &said[i]);
        for (int i = 0; i < 2; i++) /* a command says how its input is read */
            for (char *at = said[i].json; at && (at = strstr(at, " --format counted"));)
                memmove(at, at + strlen(" --format counted"),
                        strlen(at + strlen(" --format counted")) + 1);
        world_expect_same(&w, seed, "compare", &said[0], &said[1]);
        outcome_destroy(&said[0]);
        outcome_destroy(&said[1]);
    }
    assert_true(world_seen.n_same > 5);
}

static int make_home(void **state) {
    (void)state;
    return mkdtemp(home) && chdir(home) == 0 ? 0 : -1;
}

static int remove_home(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", home);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_on_counts_is_one_on_rows),
        cmocka_unit_test(a_release_of_counts_is_one_of_rows),
        cmocka_unit_test(certificates_are_the_same_bytes),
        cmocka_unit_test(verify_on_counts_says_what_it_says_of_rows),
        cmocka_unit_test(risk_of_counts_is_that_of_rows),
        cmocka_unit_test(profile_of_counts_is_that_of_rows),
        cmocka_unit_test(comparisons_of_counts_are_those_of_rows),
        cmocka_unit_test(five_billion_rows_are_counted_right),
        cmocka_unit_test(large_counts_change_nothing_but_their_size),
    };
    return cmocka_run_group_tests_name("property: counted tables", tests, make_home, remove_home);
}
