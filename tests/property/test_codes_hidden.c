/* Whoever is left out of a release with codes must not be told by it. Random tables are released; then somebody
 * who was left out gets other codes. Where the release is the same, so must be its summary, which may be
 * shared with it. Labels in a cell stand in the order of their text, which follows from what is released. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/random_problem.h"

enum { PEOPLE = 12, CODES = 6, CELL = 64, TEXT = 4096 };

static char home[] = "/tmp/kanon-codes-XXXXXX";
static char table[64], hierarchy[64], release[64], codes[80];
static size_t n_left_out, n_same;

typedef struct {
    uint32_t n;
    char cells[PEOPLE][CELL];
    const char *k, *known, *suppress, *recoding, *cost, *effort, *codes;
} world;

typedef struct {
    kan_status status;
    char summary[TEXT], bytes[TEXT];
} outcome;

/* What they are called makes the hierarchy, where it is built; digits of different lengths do not stand in
 * the order of their masks. */
static const char *const names[CODES] = {"10", "123", "124", "18", "19", "zzzz"};

static void draw_cell(char *cell, uint64_t *random) {
    cell[0] = '\0';
    for (unsigned code = 0; code < CODES; code++)
        if (once_in(random, 3))
            sprintf(cell + strlen(cell), "%s%s", cell[0] ? ";" : "", names[code]);
}

static void draw(world *w, uint64_t *random) {
    static const char *const numbers[] = {"1", "2", "3"};
    static const char *const builders[] = {"dx", "dx=prefix:1", "dx=prefix:2", "dx=digits:1"};
    w->n = (uint32_t)between(random, 3, PEOPLE);
    for (uint32_t p = 0; p < w->n; p++) {
        draw_cell(w->cells[p], random);
        if (p > 0 && !once_in(random, 3))
            strcpy(w->cells[p], w->cells[between(random, 0, p - 1)]);
    }
    w->k = numbers[between(random, 1, 2)];
    w->known = numbers[between(random, 0, 2)];
    w->suppress = once_in(random, 2) ? "2" : "50%";
    w->recoding = once_in(random, 2) ? "full-domain" : "full-subtree";
    w->codes = once_in(random, 3) ? builders[between(random, 0, 3)] : codes;
    w->effort = once_in(random, 2) ? "all" : once_in(random, 2) ? "3" : "7";
    w->cost = once_in(random, 2) ? "ncp" : "precision";
}

static void write_table(const world *w) {
    FILE *file = fopen(table, "w");
    assert_non_null(file);
    fprintf(file, "person,dx\n");
    for (uint32_t p = 0; p < w->n; p++)
        fprintf(file, "%u,%s\n", p, w->cells[p]);
    assert_int_equal(fclose(file), 0);
}

static void read_file(const char *path, char *bytes) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, TEXT - 1, file);
    bytes[size] = '\0';
    assert_int_equal(fclose(file), 0);
}

static void anonymize(kan_run *run, const world *w, outcome *out) {
    kan_job *job = NULL;
    kan_result *result = NULL;
    write_table(w);
    assert_int_equal(kan_job_create(run, &job), KAN_OK);
    assert_int_equal(kan_job_set(job, "input", table), KAN_OK);
    assert_int_equal(kan_job_set(job, "output", release), KAN_OK);
    assert_int_equal(kan_job_set(job, "codes", w->codes), KAN_OK);
    assert_int_equal(kan_job_set(job, "k-codes", w->k), KAN_OK);
    assert_int_equal(kan_job_set(job, "known", w->known), KAN_OK);
    assert_int_equal(kan_job_set(job, "suppress", w->suppress), KAN_OK);
    assert_int_equal(kan_job_set(job, "recoding", w->recoding), KAN_OK);
    assert_int_equal(kan_job_set(job, "cost", w->cost), KAN_OK);
    assert_int_equal(kan_job_set(job, "effort", w->effort), KAN_OK);
    assert_int_equal(kan_job_set(job, "keep", "person"), KAN_OK);
    out->status = kan_job_run(job, "anonymize", &result);
    /* nothing can be built where nobody has a code */
    const bool is_empty = out->status == KAN_BAD_INPUT && strstr(kan_run_error(run), "no values");
    if (out->status != KAN_OK && out->status != KAN_UNSATISFIED && !is_empty)
        fail_msg("%s", kan_run_error(run));
    if (out->status == KAN_OK) {
        snprintf(out->summary, TEXT, "%s", kan_result_summary(result));
        read_file(release, out->bytes);
        assert_int_equal(unlink(release), 0);
    }
    kan_result_destroy(result);
    kan_job_destroy(job);
}

static bool is_released(const outcome *o, uint32_t person) {
    char line[16];
    snprintf(line, sizeof line, "\n%u,", person);
    return strstr(o->bytes, line) != NULL;
}

/* Every label of a cell is behind the one before it. */
static void check_order(const outcome *o) {
    char bytes[TEXT], *rest = NULL;
    snprintf(bytes, TEXT, "%s", o->bytes);
    for (char *line = strtok_r(bytes, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const char *last = "";
        char *labels = NULL, *cell = strchr(line, ',') + 1;
        for (char *label = strtok_r(cell, ";", &labels); label;
             label = strtok_r(NULL, ";", &labels)) {
            assert_true(strcmp(last, label) < 0);
            last = label;
        }
    }
}

static void one_table(kan_run *run, uint64_t seed) {
    static outcome first, second;
    uint64_t random = seed * 6151 + 11;
    world w;
    draw(&w, &random);
    anonymize(run, &w, &first);
    if (first.status == KAN_OK)
        check_order(&first);
    for (uint32_t p = 0; first.status == KAN_OK && p < w.n; p++) {
        if (is_released(&first, p))
            continue;
        n_left_out++;
        draw_cell(w.cells[p], &random);
        anonymize(run, &w, &second);
        if (second.status != KAN_OK || strcmp(first.bytes, second.bytes) != 0)
            break;
        n_same++;
        assert_string_equal(first.summary, second.summary);
    }
}

static void equal_releases_have_equal_summaries(void **state) {
    (void)state;
    n_left_out = n_same = 0;
    random_rounds(200, one_table);
    print_message("%zu people left out, %zu of these with other codes in the same release\n",
                  n_left_out, n_same);
    if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
        assert_true(n_same > 20);
}

static int set_up(void **state) {
    (void)state;
    assert_non_null(mkdtemp(home));
    snprintf(table, sizeof table, "%s/p.csv", home);
    snprintf(hierarchy, sizeof hierarchy, "%s/dx.csv", home);
    snprintf(release, sizeof release, "%s/out.csv", home);
    snprintf(codes, sizeof codes, "dx=%s", hierarchy);
    FILE *file = fopen(hierarchy, "w");
    assert_non_null(file);
    for (unsigned code = 0; code < CODES - 1; code++)
        fprintf(file, "%s;C%u;D%u;*\n", names[code], code / 2, code / 2);
    fprintf(file, "%s;%s;D%u;*\n", names[CODES - 1], names[CODES - 1],
            CODES - 1); /* a level that shows no less */
    return fclose(file);
}

static int tear_down(void **state) {
    (void)state;
    (void)unlink(table);
    (void)unlink(hierarchy);
    return rmdir(home);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(equal_releases_have_equal_summaries, random_tear_down),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
