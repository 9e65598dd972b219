/* Columns of integer codes that --text calls text, and the same table whose codes begin with a
 * letter: the same release but for the letter, by every search; and `verify` agrees. Random tables,
 * hierarchies, costs and promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <jansson.h>
#include <kanon.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/hash.h"
#include "job/registry/registry.h"
#include "support/random_problem.h"

enum { ROUNDS = 4, MOST_ROWS = 32, COLUMNS = 4, CODES = 9, MOST_FILE = 1 << 16 };

/* Their order as numbers is another one than as texts. */
static const int codes[CODES] = {1, 2, 9, 10, 11, 100, 101, 200, 1000};

typedef struct {
    kan_run *run;
    uint64_t random;
    size_t n_rows;
    int cells[MOST_ROWS][COLUMNS]; /* area, job, age, ill; below 0: missing */
    bool has_order;
    const char *cost, *model, *value;
    char folder[32], k[8];
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

static FILE *open_file(const world *w, const char *name, bool is_lettered) {
    char path[80];
    snprintf(path, sizeof path, "%s/%s%s", w->folder, is_lettered ? "x" : "", name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    return file;
}

static void write_table(const world *w, bool is_lettered) {
    const char *letter = is_lettered ? "x" : "";
    FILE *file = open_file(w, "table.csv", is_lettered);
    fputs("area;job;age;ill\n", file);
    for (size_t r = 0; r < w->n_rows; r++)
        for (size_t c = 0; c < COLUMNS; c++) {
            if (w->cells[r][c] >= 0)
                fprintf(file, "%s%d", c == 2 ? "" : letter, w->cells[r][c]);
            fputc(c + 1 < COLUMNS ? ';' : '\n', file);
        }
    fclose(file);
}

/* The labels of some codes are codes as well. */
static void write_hierarchy(const world *w, bool is_lettered) {
    const char *letter = is_lettered ? "x" : "";
    FILE *file = open_file(w, "area.csv", is_lettered);
    fputs(";none;*\n", file);
    for (size_t i = 0; i < CODES; i++)
        if (i % 4 == 3)
            fprintf(file, "%s%d;%s%d;*\n", letter, codes[i], letter, codes[i]);
        else
            fprintf(file, "%s%d;group %c;*\n", letter, codes[i], "ABC"[i % 3]);
    fclose(file);
}

static void write_order(const world *w, bool is_lettered) {
    FILE *file = open_file(w, "order.txt", is_lettered);
    for (size_t i = CODES; i-- > 0;)
        fprintf(file, "%s%d\n", is_lettered ? "x" : "", codes[i]);
    fputs("\"\"\n", file);
    fclose(file);
}

static void make_world(world *w) {
    static const char *const costs[] = {"ncp", "discernibility", "precision", "average-class"};
    static const char *const models[][2] = {{NULL, NULL}, {"l", "2"}, {"t", "0.6"}};
    const size_t model = below(w, 3);
    w->cost = costs[below(w, 4)];
    w->model = models[model][0];
    w->value = models[model][1];
    w->has_order = below(w, 2);
    w->n_rows = 12 + below(w, MOST_ROWS - 11);
    snprintf(w->k, sizeof w->k, "%zu", 2 + below(w, 3));
    for (size_t r = 0; r < w->n_rows; r++)
        for (size_t c = 0; c < COLUMNS; c++)
            w->cells[r][c] = c == 2              ? 20 + (int)below(w, 20)
                             : below(w, 12) == 0 ? -1
                                                 : codes[below(w, c == 1 ? 4 : CODES)];
    for (int is_lettered = 0; is_lettered < 2; is_lettered++) {
        write_table(w, is_lettered);
        write_hierarchy(w, is_lettered);
        write_order(w, is_lettered);
    }
}

/* ---- jobs ----------------------------------------------------------------------------------- */

static void set(const world *w, kan_job *job, const char *name, const char *value) {
    EXPECT_OK(w->run, kan_job_set(job, name, value));
}

static void set_path(const world *w, kan_job *job, const char *setting, const char *before,
                     const char *name, bool is_lettered) {
    char text[128];
    snprintf(text, sizeof text, "%s%s/%s%s", before, w->folder, is_lettered ? "x" : "", name);
    set(w, job, setting, text);
}

static kan_job *new_job(const world *w, bool is_lettered) {
    kan_job *job;
    EXPECT_OK(w->run, kan_job_create(w->run, &job));
    set_path(w, job, "qi", "area=", "area.csv", is_lettered);
    set(w, job, "qi", "job=suppress");
    set(w, job, "qi", "age=intervals:5,20");
    set(w, job, "sensitive", "ill");
    set(w, job, "k", w->k);
    if (w->model)
        set(w, job, w->model, w->value);
    if (!is_lettered) {
        set(w, job, "text", "area,j*");
        set(w, job, "text", "ill");
    }
    return job;
}

static kan_status anonymize(const world *w, const char *search, bool is_lettered, char *bytes) {
    kan_job *job = new_job(w, is_lettered);
    kan_result *result = NULL;
    set_path(w, job, "input", "", "table.csv", is_lettered);
    set_path(w, job, "output", "", "out.csv", is_lettered);
    set(w, job, "force", NULL);
    set(w, job, "suppress", "all");
    set(w, job, "algorithm", search);
    set(w, job, "cost", w->cost);
    if (w->has_order)
        set_path(w, job, "order", "area=", "order.txt", is_lettered);
    const kan_status status = kan_job_run(job, "anonymize", &result);
    bytes[0] = '\0';
    if (status == KAN_OK) {
        char path[80];
        snprintf(path, sizeof path, "%s/%sout.csv", w->folder, is_lettered ? "x" : "");
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        bytes[fread(bytes, 1, MOST_FILE - 1, file)] = '\0';
        fclose(file);
    }
    kan_result_destroy(result);
    kan_job_destroy(job);
    return status;
}

static void verify(const world *w) {
    kan_job *job = new_job(w, false);
    kan_result *result;
    set_path(w, job, "input", "", "out.csv", false);
    set_path(w, job, "original", "", "table.csv", false);
    EXPECT_OK(w->run, kan_job_run(job, "verify", &result));
    if (!kan_result_holds(result))
        fail_msg("%s", kan_result_summary(result));
    kan_result_destroy(result);
    kan_job_destroy(job);
}

/* Without the letter of codes; no label of the test has an x before a digit. */
static void take_letters(char *text) {
    char *out = text;
    for (const char *at = text; *at; at++)
        if (!(*at == 'x' && isdigit((unsigned char)at[1])))
            *out++ = *at;
    *out = '\0';
}

static size_t compare(const world *w, const char *search) {
    static char coded[MOST_FILE], lettered[MOST_FILE];
    const kan_status status = anonymize(w, search, false, coded);
    if (status != anonymize(w, search, true, lettered))
        fail_msg("%s, %s: %s", search, w->cost, kan_run_error(w->run));
    take_letters(lettered);
    if (strcmp(coded, lettered) != 0)
        fail_msg("%s by %s, k=%s, %s:\n%s\n--\n%s", search, w->cost, w->k,
                 w->model ? w->model : "-", coded, lettered);
    if (status == KAN_OK)
        verify(w);
    return status == KAN_OK;
}

static void codes_that_are_called_text_are_released_as_words_are(void **state) {
    world *w = calloc(1, sizeof *w);
    const size_t n_searches = kan_registry_count(KAN_FAMILY_SEARCH);
    size_t *n_done = calloc(n_searches, sizeof *n_done);
    (void)state;
    assert_non_null(w);
    assert_non_null(n_done);
    w->random = 20071;
    strcpy(w->folder, "/tmp/kanon-text-XXXXXX");
    assert_non_null(mkdtemp(w->folder));
    for (int round = 0; round < ROUNDS; round++) {
        w->run = kan_run_create();
        make_world(w);
        for (size_t i = 0; i < n_searches; i++)
            n_done[i] += compare(w, kan_registry_at(KAN_FAMILY_SEARCH, i)->name);
        kan_run_destroy(w->run);
    }
    size_t n_tried = 0;
    for (size_t i = 0; i < n_searches; i++)
        n_tried += n_done[i] > 0;
    assert_true(n_tried > n_searches / 2);
    static const char *const files[] = {"table.csv", "area.csv", "order.txt", "out.csv"};
    for (size_t i = 0; i < 2 * sizeof files / sizeof *files; i++) {
        char path[80];
        snprintf(path, sizeof path, "%s/%s%s", w->folder, i % 2 ? "x" : "", files[i / 2]);
        unlink(path);
    }
    rmdir(w->folder);
    free(n_done);
    free(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_that_are_called_text_are_released_as_words_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
