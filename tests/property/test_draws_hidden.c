/* Nothing that goes with a release of drawn rows depends on rows that are left out. The numbers of the system
 * are replaced by fixed ones in this program, so that rows are drawn alike from a table and from its neighbour,
 * which has one row more, or another one, that no released group can have: release, result, summary, report
 * and notes have the same bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "support/random_problem.h"

enum { ROWS = 300, TEXT = 1 << 16, CELL = 24 };

static uint64_t fixed;

/* In place of the C library's. */
ssize_t getrandom(void *buffer, size_t size, unsigned flags) {
    uint8_t *bytes = buffer;
    (void)flags;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(fixed >> (i % 8 * 8));
    return (ssize_t)size;
}

static char home[] = "/tmp/kanon-draws-XXXXXX";
static char table[64], release[64], page[64], places[64], place_spec[96];

typedef struct {
    size_t n;
    char age[ROWS][CELL], place[ROWS][CELL], note[ROWS][CELL];
} world;

typedef struct {
    char release[TEXT], page[TEXT], json[TEXT], summary[TEXT], notes[TEXT];
} outcome;

/* Ages of few groups, so that some have enough; and rare rows. */
static const char *const odd_ages[] = {"34.5", "-3",  "x",   "",       "?",
                                       "1e3",  "034", "<20", "999999", " 34"};
static const char *const odd_places[] = {"Atlantis", "", "?", "*", "\xe4", "a\"b", "=1+1", "ulm"};

static void rare_row(world *w, size_t i, uint64_t *random) {
    strcpy(w->age[i], odd_ages[between(random, 0, 9)]);
    strcpy(w->place[i], odd_places[between(random, 0, 7)]);
    snprintf(w->note[i], CELL, "odd %u", (unsigned)between(random, 0, 1000000));
}

static void draw_world(world *w, uint64_t *random) {
    static const char *const known[] = {"Ulm", "Bonn", "Kiel"};
    w->n = (size_t)between(random, 0, ROWS - 1);
    for (size_t i = 0; i < w->n; i++) {
        snprintf(w->age[i], CELL, "%u", (unsigned)between(random, 30, 39));
        strcpy(w->place[i], known[between(random, 0, once_in(random, 3) ? 2 : 0)]);
        strcpy(w->note[i], once_in(random, 5) ? "b" : "a");
        if (once_in(random, 20))
            rare_row(w, i, random);
    }
}

static void write_cell(FILE *file, const char *cell, char behind) {
    fputc('"', file);
    for (; *cell; cell++) {
        fputc(*cell, file);
        if (*cell == '"')
            fputc('"', file);
    }
    fputc('"', file);
    fputc(behind, file);
}

static void write_table(const world *w) {
    FILE *file = fopen(table, "w");
    assert_non_null(file);
    fputs("age,place,note,left\n", file);
    for (size_t i = 0; i < w->n; i++) {
        write_cell(file, w->age[i], ',');
        write_cell(file, w->place[i], ',');
        write_cell(file, w->note[i], ',');
        write_cell(file, w->note[i], '\n');
    }
    assert_int_equal(fclose(file), 0);
}

static void read_file(const char *path, char *bytes) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, TEXT - 1, file);
    bytes[size] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_int_equal(unlink(path), 0);
}

static void add_note(void *user, const char *text) {
    char *notes = user;
    /* that text is not UTF-8 is told whoever runs it, and stands nowhere */
    if (!strstr(text, "UTF-8"))
        strncat(notes, text, TEXT - strlen(notes) - 1);
}

static void anonymize(kan_run *run, const world *w, const char *age, const char *levels,
                      outcome *out) {
    kan_job *job = NULL;
    kan_result *result = NULL;
    memset(out, 0, sizeof *out);
    write_table(w);
    kan_run_on_note(run, add_note, out->notes);
    assert_int_equal(kan_job_create(run, &job), KAN_OK);
    const char *const settings[][2] = {{"input", table},   {"output", release}, {"report", page},
                                       {"qi", age},        {"qi", place_spec},  {"keep", "note"},
                                       {"levels", levels}, {"epsilon", "1.5"},  {"delta", "0.001"}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        assert_int_equal(kan_job_set(job, settings[i][0], settings[i][1]), KAN_OK);
    if (kan_job_run(job, "anonymize", &result) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    snprintf(out->summary, TEXT, "%s", kan_result_summary(result));
    snprintf(out->json, TEXT, "%s", kan_result_json(result));
    assert_true(kan_result_holds(result));
    read_file(release, out->release);
    read_file(page, out->page);
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_run_on_note(run, NULL, NULL);
}

static size_t n_with_rows;

static void one_table(kan_run *run, uint64_t seed) {
    static outcome first, second;
    static world w;
    static const char *const ages[] = {"age=intervals:10", "age=digits:1", "age=prefix:1", "age"};
    uint64_t random = seed * 7919 + 5;
    const char *age = ages[between(&random, 0, 3)];
    const char *levels = once_in(&random, 2) ? "1,1" : once_in(&random, 2) ? "1,0" : "1,2";
    fixed = seed * 0x9e3779b97f4a7c15u;
    draw_world(&w, &random);
    anonymize(run, &w, age, levels, &first);
    n_with_rows += strchr(first.release, '\n')[1] != '\0';
    /* one row more, at the end: the others are drawn as before */
    rare_row(&w, w.n++, &random);
    anonymize(run, &w, age, levels, &second);
    assert_memory_equal(&first, &second, sizeof first);
    /* and another one in its place */
    rare_row(&w, w.n - 1, &random);
    anonymize(run, &w, age, levels, &second);
    assert_memory_equal(&first, &second, sizeof first);
}

static void rows_that_are_left_out_change_nothing(void **state) {
    (void)state;
    random_rounds(60, one_table);
    assert_true(n_with_rows > 0);
}

static int set_up(void **state) {
    FILE *file;
    (void)state;
    assert_non_null(mkdtemp(home));
    snprintf(table, sizeof table, "%s/table.csv", home);
    snprintf(release, sizeof release, "%s/release.csv", home);
    snprintf(page, sizeof page, "%s/page.html", home);
    snprintf(places, sizeof places, "%s/places.csv", home);
    snprintf(place_spec, sizeof place_spec, "place=%s", places);
    file = fopen(places, "w");
    assert_non_null(file);
    fputs("Ulm;south;*\nBonn;west;*\nKiel;north;*\nJena;east;*\n", file);
    return fclose(file);
}

static int tear_down(void **state) {
    (void)unlink(table);
    (void)unlink(places);
    (void)rmdir(home);
    return random_tear_down(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_that_are_left_out_change_nothing)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
