/* What `attack --knowing-method` counts, against a plain program that tries everything: random tables of a few
 * rows, each job run again for every value of every hidden cell, for every table that the labels leave open,
 * and for every two people of a group who are exchanged. It shares nothing with the command but `anonymize`:
 * rows are told apart by a column that is kept, and labels are read from a table below. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>
#include <kanon.h>

#include "support/random_problem.h"

enum {
    N_QUASI = 2,
    ILL = 2,
    WHO = 3,
    N_COLUMNS = 4,
    MOST_ROWS = 6,
    TEXT = 32,
    PATH = 64,
    PROBES = 256,
    FEW = 9
};

static const char *const names[N_COLUMNS] = {"c0", "c1", "ill", "who"};
static const char *const values[N_QUASI] = {"abcd", "xy"};
static const char *const ills[] = {"flu", "gout", "cold"};

/* What a label leaves open, a bit by value. */
static const struct {
    const char *label;
    unsigned values;
} labels[N_QUASI][7] = {
    {{"a", 1}, {"b", 2}, {"c", 4}, {"d", 8}, {"ab", 3}, {"cd", 12}, {"*", 15}},
    {{"x", 1}, {"y", 2}, {"*", 3}},
};

typedef struct {
    unsigned quasi[MOST_ROWS][N_QUASI], ill[MOST_ROWS];
} rows;

/* What each row shows; nothing where it was left out. */
typedef struct {
    bool is_made;
    char cells[MOST_ROWS][N_COLUMNS][TEXT];
} shown;

typedef struct {
    kan_run *run;
    uint64_t random;
    size_t n_rows;
    rows truth;
    char dir[PATH], hierarchy[N_QUASI][2 * PATH], job[2 * PATH], table[2 * PATH], release[2 * PATH];
    const char *settings[8][2];
    size_t n_settings;
    shown release_shown;
    unsigned open[MOST_ROWS][N_QUASI];
} world;

typedef struct {
    size_t n, n_determined;
    double open, left, bits_open, bits_left;
} counted;

static size_t n_asked, n_inside;

/* ---- making ----------------------------------------------------------------------------------- */

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void add_setting(world *w, const char *name, const char *value) {
    w->settings[w->n_settings][0] = name;
    w->settings[w->n_settings++][1] = value;
}

static void choose_settings(world *w) {
    static const char *const recodings[] = {"full-domain", "full-domain", "full-subtree",
                                            "cell-suppression", "unrestricted"};
    static const char *const searches[] = {"iterate", "top-down", "mondrian"};
    add_setting(w, "k", once_in(&w->random, 3) ? "3" : "2");
    add_setting(w, "cost", "ncp");
    if (once_in(&w->random, 2))
        add_setting(w, "recoding", recodings[between(&w->random, 0, 4)]);
    else
        add_setting(w, "algorithm", searches[between(&w->random, 0, 2)]);
    if (once_in(&w->random, 2))
        add_setting(w, "suppress", once_in(&w->random, 2) ? "1" : "50%");
    if (once_in(&w->random, 2))
        add_setting(w, "l", "2");
    if (once_in(&w->random, 3))
        add_setting(w, "shuffle", "true");
    else if (once_in(&w->random, 3))
        add_setting(w, "keep-suppressed", "true");
}

static void write_job(const world *w) {
    char text[1024];
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "qi: {c0: h0.csv, c1: h1.csv}\nsensitive: ill\nkeep: who\n");
    for (size_t i = 0; i < w->n_settings; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s: %s\n", w->settings[i][0],
                               w->settings[i][1]);
    write_file(w->job, text);
}

static void write_table(const world *w) {
    char text[1024];
    size_t at = (size_t)snprintf(text, sizeof text, "c0,c1,ill,who\n");
    for (size_t r = 0; r < w->n_rows; r++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%c,%c,%s,p%zu\n",
                               values[0][w->truth.quasi[r][0]], values[1][w->truth.quasi[r][1]],
                               ills[w->truth.ill[r]], r);
    write_file(w->table, text);
}

static void make_world(world *w) {
    strcpy(w->dir, "/tmp/kanon-downcode-XXXXXX");
    assert_non_null(mkdtemp(w->dir));
    snprintf(w->hierarchy[0], sizeof w->hierarchy[0], "%s/h0.csv", w->dir);
    snprintf(w->hierarchy[1], sizeof w->hierarchy[1], "%s/h1.csv", w->dir);
    snprintf(w->job, sizeof w->job, "%s/job.yaml", w->dir);
    snprintf(w->table, sizeof w->table, "%s/table.csv", w->dir);
    snprintf(w->release, sizeof w->release, "%s/release.csv", w->dir);
    write_file(w->hierarchy[0], "a;ab;*\nb;ab;*\nc;cd;*\nd;cd;*\n");
    write_file(w->hierarchy[1], "x;*\ny;*\n");
    w->n_rows = (size_t)between(&w->random, 3, MOST_ROWS);
    for (size_t r = 0; r < w->n_rows; r++) {
        w->truth.quasi[r][0] = (unsigned)between(&w->random, 0, 3);
        w->truth.quasi[r][1] = (unsigned)between(&w->random, 0, 1);
        w->truth.ill[r] = (unsigned)between(&w->random, 0, 2);
    }
    choose_settings(w);
    write_job(w);
    write_table(w);
}

static void remove_world(const world *w) {
    unlink(w->hierarchy[0]);
    unlink(w->hierarchy[1]);
    unlink(w->job);
    unlink(w->table);
    unlink(w->release);
    rmdir(w->dir);
}

/* ---- the plain program ------------------------------------------------------------------------ */

static void add_rows(const world *w, const rows *table, kan_table *made) {
    for (size_t r = 0; r < w->n_rows; r++) {
        char cells[N_COLUMNS][TEXT];
        const char *pointers[N_COLUMNS];
        for (size_t c = 0; c < N_QUASI; c++)
            snprintf(cells[c], TEXT, "%c", values[c][table->quasi[r][c]]);
        snprintf(cells[ILL], TEXT, "%s", ills[table->ill[r]]);
        snprintf(cells[WHO], TEXT, "p%zu", r);
        for (size_t c = 0; c < N_COLUMNS; c++)
            pointers[c] = cells[c];
        EXPECT_OK(w->run, kan_table_add_row(made, pointers));
    }
}

static void set_job(const world *w, kan_job *job) {
    for (size_t c = 0; c < N_QUASI; c++) {
        char text[3 * PATH];
        snprintf(text, sizeof text, "%s=%s", names[c], w->hierarchy[c]);
        EXPECT_OK(w->run, kan_job_set(job, "qi", text));
    }
    EXPECT_OK(w->run, kan_job_set(job, "sensitive", "ill"));
    EXPECT_OK(w->run, kan_job_set(job, "keep", "who"));
    for (size_t i = 0; i < w->n_settings; i++)
        EXPECT_OK(w->run, kan_job_set(job, w->settings[i][0], w->settings[i][1]));
}

static void read_shown(const kan_table *release, shown *out) {
    for (uint64_t i = 0; i < kan_table_n_rows(release); i++) {
        char cells[N_COLUMNS][TEXT] = {"", "", "", ""};
        for (size_t c = 0; c < N_COLUMNS; c++) {
            size_t size;
            const char *text = kan_table_value(release, i, c, &size);
            snprintf(cells[c], TEXT, "%.*s", (int)size, text);
        }
        /* a suppressed row that is kept does not show whose it is; but it stands in its place */
        const size_t r = cells[WHO][0] == 'p' ? (size_t)atoi(cells[WHO] + 1) : (size_t)i;
        assert_true(r < MOST_ROWS);
        memcpy(out->cells[r], cells, sizeof cells);
    }
}

static void make_shown(const world *w, const rows *table, shown *out) {
    kan_table *made;
    kan_job *job;
    kan_result *result = NULL;
    memset(out, 0, sizeof *out);
    EXPECT_OK(w->run, kan_table_create(w->run, N_COLUMNS, names, &made));
    add_rows(w, table, made);
    EXPECT_OK(w->run, kan_job_create(w->run, &job));
    EXPECT_OK(w->run, kan_job_use_table(job, made));
    set_job(w, job);
    out->is_made = kan_job_run(job, "anonymize", &result) == KAN_OK;
    if (out->is_made)
        read_shown(kan_result_table(result), out);
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(made);
}

static bool makes_same(const world *w, const rows *table) {
    shown other;
    make_shown(w, table, &other);
    return other.is_made && memcmp(&other, &w->release_shown, sizeof other) == 0;
}

static unsigned open_one(size_t c, const char *label, size_t size) {
    for (size_t i = 0; i < 7 && labels[c][i].label; i++)
        if (strlen(labels[c][i].label) == size && memcmp(labels[c][i].label, label, size) == 0)
            return labels[c][i].values;
    fail_msg("label %.*s", (int)size, label);
    return 0;
}

/* A label, a list of them, or nothing at all. */
static unsigned open_of(size_t c, const char *label) {
    unsigned open = 0;
    const size_t size = strlen(label);
    if (size == 0)
        return c == 0 ? 15 : 3;
    if (label[0] != '{')
        return open_one(c, label, size);
    for (size_t at = 1; at + 1 < size;) {
        size_t end = at;
        while (label[end] != ',' && end + 1 < size)
            end++;
        open |= open_one(c, label + at, end - at);
        at = end + 2;
    }
    return open;
}

static size_t n_values(unsigned open) {
    return (size_t)__builtin_popcount(open);
}

static void finish(counted *count) {
    const double n = count->n > 0 ? (double)count->n : 1;
    count->open = count->n > 0 ? count->open / n : 0;
    count->left /= n;
    count->bits_open /= n;
    count->bits_left /= n;
}

static void add_one(counted *count, size_t open, size_t left) {
    count->n++;
    count->n_determined += left == 1;
    count->open += (double)open;
    count->left += (double)left;
    count->bits_open += log2((double)open);
    count->bits_left += log2((double)left);
}

static void count_cells(const world *w, counted *out) {
    memset(out, 0, sizeof *out);
    for (size_t r = 0; r < w->n_rows; r++)
        for (size_t c = 0; c < N_QUASI; c++) {
            size_t left = 0;
            if (n_values(w->open[r][c]) < 2)
                continue;
            for (unsigned v = 0; v < 4; v++) {
                rows table = w->truth;
                if (!(w->open[r][c] >> v & 1))
                    continue;
                table.quasi[r][c] = v;
                left += makes_same(w, &table);
            }
            add_one(out, n_values(w->open[r][c]), left);
        }
    finish(out);
}

static bool is_grouped(const world *w, size_t x, size_t y) {
    const char(*a)[TEXT] = w->release_shown.cells[x], (*b)[TEXT] = w->release_shown.cells[y];
    return a[0][0] && strcmp(a[0], b[0]) == 0 && strcmp(a[1], b[1]) == 0 &&
           !(strcmp(a[ILL], "*") == 0 || strcmp(b[ILL], "*") == 0);
}

static void count_records(const world *w, counted *out) {
    memset(out, 0, sizeof *out);
    for (size_t x = 0; x < w->n_rows; x++) {
        size_t open = 1, left = 1;
        for (size_t y = 0; y < w->n_rows; y++) {
            rows table = w->truth;
            if (!is_grouped(w, x, y) || w->truth.ill[x] == w->truth.ill[y])
                continue;
            memcpy(table.quasi[x], w->truth.quasi[y], sizeof table.quasi[x]);
            memcpy(table.quasi[y], w->truth.quasi[x], sizeof table.quasi[y]);
            open++;
            left += makes_same(w, &table);
        }
        if (open > 1)
            add_one(out, open, left);
    }
    finish(out);
}

static size_t count_tables(const world *w, rows *table, size_t cell) {
    size_t n = 0;
    const size_t r = cell / N_QUASI, c = cell % N_QUASI;
    if (r == w->n_rows)
        return makes_same(w, table);
    for (unsigned v = 0; v < 4; v++)
        if (w->open[r][c] >> v & 1) {
            table->quasi[r][c] = v;
            n += count_tables(w, table, cell + 1);
        }
    return n;
}

/* ---- the command ------------------------------------------------------------------------------ */

static bool make_release(const world *w) {
    kan_job *job;
    kan_result *result = NULL;
    EXPECT_OK(w->run, kan_job_create(w->run, &job));
    EXPECT_OK(w->run, kan_job_set(job, "input", w->table));
    EXPECT_OK(w->run, kan_job_set(job, "output", w->release));
    EXPECT_OK(w->run, kan_job_load(job, w->job));
    const bool is_made = kan_job_run(job, "anonymize", &result) == KAN_OK;
    kan_result_destroy(result);
    kan_job_destroy(job);
    return is_made;
}

/* The release as a table in memory, in the order of the original's rows. */
static kan_table *make_release_table(const world *w) {
    kan_table *made;
    EXPECT_OK(w->run, kan_table_create(w->run, N_COLUMNS, names, &made));
    for (size_t r = 0; r < w->n_rows; r++) {
        const char *pointers[N_COLUMNS];
        for (size_t c = 0; c < N_COLUMNS; c++)
            pointers[c] = w->release_shown.cells[r][c];
        if (pointers[0][0])
            EXPECT_OK(w->run, kan_table_add_row(made, pointers));
    }
    return made;
}

/* Tables from files; of an even number of rows from memory. */
static json_t *attack(const world *w, const char *probes) {
    kan_job *job;
    kan_result *result;
    kan_table *release = NULL, *original = NULL;
    EXPECT_OK(w->run, kan_job_create(w->run, &job));
    if (w->n_rows % 2 == 0) {
        release = make_release_table(w);
        EXPECT_OK(w->run, kan_table_create(w->run, N_COLUMNS, names, &original));
        add_rows(w, &w->truth, original);
        EXPECT_OK(w->run, kan_job_use_table(job, release));
        EXPECT_OK(w->run, kan_job_use_table_as(job, "original", original));
    } else {
        EXPECT_OK(w->run, kan_job_set(job, "input", w->release));
        EXPECT_OK(w->run, kan_job_set(job, "original", w->table));
    }
    EXPECT_OK(w->run, kan_job_set(job, "knowing-method", NULL));
    EXPECT_OK(w->run, kan_job_set(job, "probes", probes));
    EXPECT_OK(w->run, kan_job_load(job, w->job));
    EXPECT_OK(w->run, kan_job_run(job, "attack", &result));
    json_t *json = json_loads(kan_result_json(result), 0, NULL);
    assert_non_null(json);
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(release);
    kan_table_destroy(original);
    return json;
}

static double number(const json_t *json, const char *path) {
    char key[TEXT];
    while (*path) {
        const size_t size = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)size, path);
        json = json_object_get(json, key);
        path += size + (path[size] == '.');
    }
    return json_is_number(json) ? json_number_value(json) : json_is_true(json) ? 1 : 0;
}

static void expect_near(double found, double wanted) {
    if (fabs(found - wanted) > 1e-9)
        fail_msg("%.12g, and not %.12g", found, wanted);
}

static void compare_counts(const json_t *found, const counted *wanted) {
    const double n = wanted->n > 0 ? (double)wanted->n : 1;
    expect_near(number(found, "tried"), (double)wanted->n);
    expect_near(number(found, "exact"), 1);
    expect_near(number(found, "open"), wanted->open);
    expect_near(number(found, "determined.share"), (double)wanted->n_determined / n);
    expect_near(number(found, "left.mean"), wanted->left);
    expect_near(number(found, "bits.open"), wanted->bits_open);
    expect_near(number(found, "bits.left"), wanted->bits_left);
}

static void is_inside(const json_t *object, double truth) {
    const double low = number(object, "low"), high = number(object, "high");
    n_asked++;
    n_inside += truth >= low - 1e-9 && truth <= high + 1e-9;
}

/* A few probes: what is drawn stands for the rest. */
static void compare_drawn(const world *w, const counted *cells, double bits_left) {
    char few[TEXT];
    snprintf(few, sizeof few, "%d", FEW);
    json_t *json = attack(w, few);
    const json_t *found = json_object_get(json, "knowing_method");
    const json_t *counts = json_object_get(found, "cells");
    const json_t *bits =
        json_object_get(json_object_get(json_object_get(found, "tables"), "bits"), "left");
    assert_true(number(counts, "tried") <= (double)cells->n);
    if (number(counts, "exact") == 0)
        is_inside(json_object_get(counts, "determined"),
                  (double)cells->n_determined / (double)cells->n);
    expect_near(number(counts, "open"), cells->open);
    if (number(found, "tables.exact") == 0)
        is_inside(bits, bits_left);
    json_decref(json);
}

static void compare_tables(world *w, const json_t *found, const counted *cells) {
    double bits = 0;
    rows table = w->truth;
    for (size_t r = 0; r < w->n_rows; r++)
        for (size_t c = 0; c < N_QUASI; c++)
            bits += log2((double)n_values(w->open[r][c]));
    expect_near(number(found, "tables.bits.open"), bits);
    if (bits > log2(PROBES)) {
        expect_near(number(found, "tables.exact"), 0);
        return;
    }
    const size_t n = count_tables(w, &table, 0);
    assert_true(n > 0);
    expect_near(number(found, "tables.exact"), 1);
    expect_near(number(found, "tables.same"), (double)n);
    expect_near(number(found, "tables.bits.left.at"), log2((double)n));
    compare_drawn(w, cells, log2((double)n));
}

static void one(kan_run *run, uint64_t seed) {
    world w = {.run = run, .random = seed};
    counted cells, records;
    char probes[TEXT];
    make_world(&w);
    make_shown(&w, &w.truth, &w.release_shown);
    if (w.release_shown.is_made && make_release(&w)) {
        for (size_t r = 0; r < w.n_rows; r++)
            for (size_t c = 0; c < N_QUASI; c++)
                w.open[r][c] = open_of(c, w.release_shown.cells[r][c]);
        snprintf(probes, sizeof probes, "%d", PROBES);
        json_t *json = attack(&w, probes);
        const json_t *found = json_object_get(json, "knowing_method");
        count_cells(&w, &cells);
        count_records(&w, &records);
        compare_counts(json_object_get(found, "cells"), &cells);
        compare_counts(json_object_get(found, "records"), &records);
        compare_tables(&w, found, &cells);
        json_decref(json);
    }
    remove_world(&w);
}

static void counts_are_those_of_trying_everything(void **state) {
    (void)state;
    n_asked = n_inside = 0;
    random_rounds(20, one);
    /* intervals of 95 %, of few draws */
    assert_true(n_inside >= n_asked * 85 / 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(counts_are_those_of_trying_everything, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
