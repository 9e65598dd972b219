/* Solutions that are given: --apply and --levels on random tables.
 *
 * What a run found, applied to the table of the run, is the same release. Applied to another table
 * it keeps the promise, recounted here from the cells, or is refused with the status for that. A
 * file that was damaged never ends in anything but a plain refusal or a release that keeps the
 * promise. And levels that are given are released whenever the group sizes allow it, counted here.
 */
#include <jansson.h>
#include <kanon.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/random_problem.h"

enum { MOST_ROWS = 60, N_COLUMNS = 3, CELL = 256 };

typedef struct {
    kan_run *run;
    uint64_t random;
    size_t n_rows;
    int spread, k, limit;
    const char *search, *recoding;
    char levels[2][32]; /* what --level says, or nothing */
    char path[64];      /* of the result */
} world;

static int below(world *w, int bound) {
    return (int)kan_random_below(&w->random, (uint64_t)bound);
}

/* Numbers, dates and text; `shift` moves their ranges, so that other values come up. */
static kan_table *random_table(world *w, int shift) {
    static const char *const names[] = {"n", "d", "t"};
    kan_table *table;
    w->n_rows = 5 + (size_t)below(w, MOST_ROWS - 5);
    EXPECT_OK(w->run, kan_table_create(w->run, N_COLUMNS, names, &table));
    for (size_t row = 0; row < w->n_rows; row++) {
        char cells[N_COLUMNS][32];
        const char *texts[N_COLUMNS];
        snprintf(cells[0], sizeof cells[0], "%d", shift * 3 + below(w, w->spread) * 2);
        snprintf(cells[1], sizeof cells[1], "%d-0%d-15", 1980 + shift + below(w, w->spread),
                 1 + below(w, 9));
        snprintf(cells[2], sizeof cells[2], "t%d", below(w, w->spread + shift));
        for (int c = 0; c < N_COLUMNS; c++)
            texts[c] = cells[c];
        EXPECT_OK(w->run, kan_table_add_row(table, texts));
    }
    return table;
}

static void set(world *w, kan_job *job, const char *name, const char *value) {
    EXPECT_OK(w->run, kan_job_set(job, name, value));
}

static void set_number(world *w, kan_job *job, const char *name, int number) {
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    set(w, job, name, text);
}

/* Runs with one more setting: the search, or what is given. */
static kan_status run_job(world *w, const char *command, kan_table *table, const char *name,
                          const char *value, kan_result **out) {
    kan_job *job;
    EXPECT_OK(w->run, kan_job_create(w->run, &job));
    EXPECT_OK(w->run, kan_job_use_table(job, table));
    set(w, job, "qi", "n=intervals:4,8,16,d=date:month,year,decade,t");
    set_number(w, job, "k", w->k);
    set_number(w, job, "suppress", w->limit);
    set(w, job, name, value);
    if (w->recoding && strcmp(name, "algorithm") == 0)
        set(w, job, "recoding", w->recoding);
    for (int i = 0; i < 2 && strcmp(name, "algorithm") == 0; i++)
        if (w->levels[i][0])
            set(w, job, "level", w->levels[i]);
    const kan_status status = kan_job_run(job, command, out);
    kan_job_destroy(job);
    return status;
}

static void put_file(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void expect_same_cells(const kan_table *a, const kan_table *b) {
    assert_int_equal(kan_table_n_rows(a), kan_table_n_rows(b));
    assert_int_equal(kan_table_n_columns(a), kan_table_n_columns(b));
    for (uint64_t row = 0; row < kan_table_n_rows(a); row++)
        for (size_t c = 0; c < kan_table_n_columns(a); c++) {
            size_t size, other_size;
            const char *cell = kan_table_value(a, row, c, &size);
            const char *other = kan_table_value(b, row, c, &other_size);
            assert_int_equal(size, other_size);
            assert_memory_equal(cell, other, size);
        }
}

static bool is_alike(const kan_table *table, uint64_t row, uint64_t other) {
    for (size_t c = 0; c < N_COLUMNS; c++) {
        size_t size, other_size;
        const char *cell = kan_table_value(table, row, c, &size);
        const char *there = kan_table_value(table, other, c, &other_size);
        if (size != other_size || memcmp(cell, there, size) != 0)
            return false;
    }
    return true;
}

/* Every released row looks like at least k - 1 others, and few enough are missing. */
static void expect_promise(const world *w, const kan_table *released, size_t n_rows) {
    const uint64_t n = kan_table_n_rows(released);
    assert_true(n > 0 && n_rows - n <= (size_t)w->limit);
    for (uint64_t row = 0; row < n; row++) {
        int n_alike = 0;
        for (uint64_t other = 0; other < n; other++)
            n_alike += is_alike(released, row, other);
        assert_true(n_alike >= w->k);
    }
}

static void make_world(world *w, kan_run *run, uint64_t seed) {
    static const char *const searches[][2] = {{"bisect", NULL},     {"exhaustive", NULL},
                                              {"datafly", NULL},    {"greedy", NULL},
                                              {"hill-climb", NULL}, {"greedy", "full-subtree"}};
    const size_t at = (size_t)kan_random_below(&seed, 6);
    *w =
        (world){.run = run, .random = seed, .search = searches[at][0], .recoding = searches[at][1]};
    w->spread = 2 + below(w, 8);
    w->k = 2 + below(w, 3);
    w->limit = below(w, 2) ? 0 : below(w, 9);
    /* intervals show values: they have no lowest level */
    const bool has_low = at < 3 || w->recoding;
    for (int i = 0; i < 2 && below(w, 2); i++) {
        const int low = has_low ? below(w, 3) : 0;
        snprintf(w->levels[i], sizeof w->levels[i], "%s=%d..%d", i ? "d" : "n", low,
                 low + below(w, 5 - low));
    }
    strcpy(w->path, "/tmp/kanon-apply-XXXXXX");
    const int file = mkstemp(w->path);
    assert_true(file >= 0);
    close(file);
}

/* ---- the table of the run, and another ------------------------------------------------------- */

static void apply_on_one_table(kan_run *run, uint64_t seed) {
    world w;
    kan_result *found, *applied;
    make_world(&w, run, seed);
    kan_table *table = random_table(&w, 0);
    size_t n_rows = w.n_rows;
    if (run_job(&w, "anonymize", table, "algorithm", w.search, &found) == KAN_OK) {
        const char *json = kan_result_json(found);
        put_file(w.path, json, strlen(json));
        EXPECT_OK(run, run_job(&w, "anonymize", table, "apply", w.path, &applied));
        expect_same_cells(kan_result_table(found), kan_result_table(applied));
        expect_promise(&w, kan_result_table(applied), n_rows);
        kan_result_destroy(applied);

        kan_table *next = random_table(&w, 1 + below(&w, 4));
        const kan_status status = run_job(&w, "anonymize", next, "apply", w.path, &applied);
        if (status == KAN_OK) {
            expect_promise(&w, kan_result_table(applied), w.n_rows);
            kan_result_destroy(applied);
        } else { /* too few rows look alike, or text that the order does not have */
            assert_true(status == KAN_UNSATISFIED || status == KAN_BAD_INPUT);
        }
        kan_table_destroy(next);
        kan_result_destroy(found);
    }
    kan_table_destroy(table);
    unlink(w.path);
}

static void what_was_found_is_applied_as_it_was(void **state) {
    (void)state;
    random_rounds(300, apply_on_one_table);
}

/* ---- damaged files --------------------------------------------------------------------------- */

static void damage(world *w, char *bytes, size_t *size) {
    static const char *const words[] = {"null", "-1", "1e999", "\"x\"", "[]",  "{}",
                                        "99",   "{",  "]",     "1.5",   "true"};
    if (below(w, 4) == 0) {
        *size = (size_t)below(w, (int)*size);
        return;
    }
    char *solution = strstr(bytes, "\"solution\"");
    const size_t from = solution && below(w, 3) ? (size_t)(solution - bytes) : 0;
    const size_t at = from + (size_t)below(w, (int)(*size - from < 300 ? *size - from : 300));
    const char *word = words[below(w, sizeof words / sizeof *words)];
    for (size_t i = 0; word[i] && at + i < *size; i++)
        bytes[at + i] = word[i];
}

static void damage_one_result(kan_run *run, uint64_t seed) {
    world w;
    kan_result *found, *applied;
    make_world(&w, run, seed);
    kan_table *table = random_table(&w, 0);
    if (run_job(&w, "search", table, "algorithm", w.search, &found) == KAN_OK) {
        const size_t whole = strlen(kan_result_json(found));
        char *bytes = malloc(whole + 1);
        assert_non_null(bytes);
        for (int turn = 0; turn < 10; turn++) {
            size_t size = whole;
            strcpy(bytes, kan_result_json(found));
            damage(&w, bytes, &size);
            put_file(w.path, bytes, size);
            const kan_status status = run_job(&w, "anonymize", table, "apply", w.path, &applied);
            assert_true(status == KAN_OK || status == KAN_BAD_INPUT || status == KAN_UNSATISFIED);
            if (status != KAN_OK) {
                assert_true(strlen(kan_run_error(run)) > 0);
                continue;
            }
            expect_promise(&w, kan_result_table(applied), w.n_rows);
            kan_result_destroy(applied);
        }
        free(bytes);
        kan_result_destroy(found);
    }
    kan_table_destroy(table);
    unlink(w.path);
}

static void a_damaged_result_is_refused_or_keeps_the_promise(void **state) {
    (void)state;
    random_rounds(150, damage_one_result);
}

/* ---- levels ---------------------------------------------------------------------------------- */

static void text_of(const json_t *vector, char *out) {
    out[0] = '\0';
    for (size_t a = 0; a < json_array_size(vector); a++)
        sprintf(out + strlen(out), "%s%d", a ? "," : "",
                (int)json_integer_value(json_array_get(vector, a)));
}

static bool has_vector(const json_t *list, const json_t *vector) {
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_equal(json_array_get(list, i), vector))
            return true;
    return false;
}

/* Each node of the lattice is released when the search lists it, and is refused when not. */
static void levels_on_one_table(kan_run *run, uint64_t seed) {
    world w;
    kan_result *found, *given;
    kan_job *job;
    make_world(&w, run, seed);
    kan_table *table = random_table(&w, 0);
    EXPECT_OK(run, kan_job_create(run, &job));
    EXPECT_OK(run, kan_job_use_table(job, table));
    set(&w, job, "qi", "n=intervals:4,8,16,d=date:month,year,decade,t");
    set_number(&w, job, "k", w.k);
    set_number(&w, job, "suppress", w.limit);
    set(&w, job, "all-nodes", NULL);
    if (kan_job_run(job, "search", &found) == KAN_OK) {
        json_t *root = json_loads(kan_result_json(found), 0, NULL);
        const json_t *lattice = json_object_get(root, "lattice");
        const json_t *listed = json_object_get(lattice, "satisfying");
        assert_int_equal(json_array_size(listed),
                         json_integer_value(json_object_get(lattice, "anonymous")));
        for (int turn = 0; turn < 8; turn++) {
            json_t *vector = json_pack("[i,i,i]", below(&w, 5), below(&w, 5), below(&w, 2));
            char levels[32];
            text_of(vector, levels);
            const kan_status status = run_job(&w, "search", table, "levels", levels, &given);
            assert_int_equal(status == KAN_OK, has_vector(listed, vector));
            assert_true(status == KAN_OK || status == KAN_UNSATISFIED);
            if (status == KAN_OK)
                kan_result_destroy(given);
            json_decref(vector);
        }
        json_decref(root);
        kan_result_destroy(found);
    }
    kan_job_destroy(job);
    kan_table_destroy(table);
    unlink(w.path);
}

static void levels_are_taken_when_they_are_among_those_that_satisfy(void **state) {
    (void)state;
    random_rounds(60, levels_on_one_table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_was_found_is_applied_as_it_was, random_tear_down),
        cmocka_unit_test_teardown(a_damaged_result_is_refused_or_keeps_the_promise,
                                  random_tear_down),
        cmocka_unit_test_teardown(levels_are_taken_when_they_are_among_those_that_satisfy,
                                  random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
