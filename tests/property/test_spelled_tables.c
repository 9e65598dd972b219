/* A table as people write it, with flags that say how, and the same table as kanon writes it: the
 * same release but for the writing, the same figures, the same certificate; and `verify` agrees.
 * Random tables, spellings, searches and promises. */
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
#include <unistd.h>

#include "core/hash.h"
#include "support/random_problem.h"

enum { ROUNDS = 60, MOST_ROWS = 60, COLUMNS = 5, CELL = 48, MOST_FILE = 1 << 16 };

static const char *const names[COLUMNS] = {"age", "weight", "born", "town", "ill"};

typedef struct {
    kan_run *run;
    uint64_t random;
    size_t n_rows;
    char plain[MOST_ROWS][COLUMNS][CELL], spelled[MOST_ROWS][COLUMNS][CELL];
    char decimal, thousands; /* 0: none */
    bool has_time;
    const char *format;
    const char *missing[2]; /* of all columns, in the order of the setting */
    char folder[32], k[8];
    const char *algorithm;
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

/* ---- the table ------------------------------------------------------------------------------ */

/* The digits of a plain number with the signs of the world, groups only where they are asked for. */
static void spell_number(const world *w, const char *plain, bool has_groups, char *out) {
    const size_t whole = strcspn(plain, ".");
    for (size_t i = 0; plain[i]; i++) {
        if (has_groups && w->thousands && i > 0 && i < whole && (whole - i) % 3 == 0 &&
            plain[i - 1] != '-')
            *out++ = w->thousands;
        *out++ = plain[i] == '.' && w->decimal ? w->decimal : plain[i];
    }
    *out = '\0';
}

static void spell_date(const world *w, const char *plain, char *out) {
    int y, m, d, hour = 0, minute = 0;
    assert_true(sscanf(plain, "%d-%d-%d %d:%d", &y, &m, &d, &hour, &minute) >= 3);
    if (strcmp(w->format, "%d.%m.%Y") == 0)
        snprintf(out, CELL, "%02d.%02d.%04d", d, m, y);
    else if (strcmp(w->format, "%m/%d/%Y") == 0)
        snprintf(out, CELL, "%02d/%02d/%04d", m, d, y);
    else if (strcmp(w->format, "%y%m%d@1930") == 0)
        snprintf(out, CELL, "%02d%02d%02d", y % 100, m, d);
    else
        snprintf(out, CELL, "%02d.%02d.%04d %02d:%02d", d, m, y, hour, minute);
}

static void make_cell(world *w, size_t row, size_t column) {
    char *plain = w->plain[row][column], *spelled = w->spelled[row][column];
    if (below(w, 8) == 0) {
        plain[0] = '\0';
        const char *missing = below(w, 3) ? w->missing[below(w, 2)] : "";
        strcpy(spelled, missing);
        return;
    }
    switch (column) {
    case 0:
        snprintf(plain, CELL, "%zu", 20 + below(w, 12));
        spell_number(w, plain, true, spelled);
        break;
    case 1:
        snprintf(plain, CELL, below(w, 2) ? "%zu.%zu" : "%zu", 990 + below(w, 25), below(w, 10));
        spell_number(w, plain, below(w, 2), spelled);
        break;
    case 2:
        snprintf(plain, CELL,
                 w->has_time ? "19%02zu-%02zu-%02zu %02zu:%02zu:00" : "19%02zu-%02zu-%02zu",
                 70 + below(w, 5), 1 + below(w, 3), 1 + below(w, 3), below(w, 24), below(w, 60));
        spell_date(w, plain, spelled);
        break;
    default:
        snprintf(plain, CELL, "%c%zu", column == 3 ? 't' : 'i', below(w, 4));
        strcpy(spelled, plain);
    }
}

static void path_of(const world *w, const char *name, char *out) {
    snprintf(out, 64, "%s/%s", w->folder, name);
}

static void write_table(const world *w, const char *name, bool is_plain) {
    char path[64];
    path_of(w, name, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t c = 0; c < COLUMNS; c++)
        fprintf(file, "%s%s", names[c], c + 1 < COLUMNS ? ";" : "\n");
    for (size_t r = 0; r < w->n_rows; r++)
        for (size_t c = 0; c < COLUMNS; c++)
            fprintf(file, "%s%s", is_plain ? w->plain[r][c] : w->spelled[r][c],
                    c + 1 < COLUMNS ? ";" : "\n");
    fclose(file);
}

static void make_world(world *w) {
    static const char *const formats[] = {"%d.%m.%Y", "%m/%d/%Y", "%y%m%d@1930", "%d.%m.%Y %H:%M"};
    static const char *const words[][2] = {{"NA", "-9"}, {"-", "NULL"}, {"n/a", "9999"}};
    static const char *const algorithms[] = {"auto",     "exhaustive", "incognito",
                                             "mondrian", "greedy",     "progressive"};
    static const char thousands[] = {0, '.', ' ', '\''};
    const size_t word = below(w, 3), format = below(w, 4);
    w->decimal = ',';
    w->thousands = thousands[below(w, 4)];
    w->format = formats[format];
    w->has_time = format == 3;
    w->missing[0] = words[word][0];
    w->missing[1] = words[word][1];
    w->algorithm = algorithms[below(w, 6)];
    w->n_rows = 10 + below(w, MOST_ROWS - 9);
    snprintf(w->k, sizeof w->k, "%zu", 1 + below(w, 4));
    for (size_t r = 0; r < w->n_rows; r++)
        for (size_t c = 0; c < COLUMNS; c++)
            make_cell(w, r, c);
    write_table(w, "plain.csv", true);
    write_table(w, "spelled.csv", false);
}

/* ---- jobs ----------------------------------------------------------------------------------- */

static void set(const world *w, kan_job *job, const char *name, const char *value) {
    EXPECT_OK(w->run, kan_job_set(job, name, value));
}

static void set_spelling(const world *w, kan_job *job) {
    char text[64];
    snprintf(text, sizeof text, "%s,%s", w->missing[0], w->missing[1]);
    set(w, job, "missing", text);
    snprintf(text, sizeof text, "%c", w->decimal);
    set(w, job, "decimal", text);
    snprintf(text, sizeof text, "%c", w->thousands);
    if (w->thousands)
        set(w, job, "thousands", text);
    set(w, job, "date-format", w->format);
}

static void set_question(const world *w, kan_job *job) {
    set(w, job, "qi", "age=intervals:2,10");
    set(w, job, "qi", "weight=intervals:5,50");
    set(w, job, "qi", "born=date:month,year");
    set(w, job, "qi", "town=suppress");
    set(w, job, "sensitive", "ill");
    set(w, job, "k", w->k);
}

/* The JSON of the release, its bytes, and its certificate where the search makes one. */
typedef struct {
    json_t *json;
    char bytes[MOST_FILE], certificate[MOST_FILE];
} released;

static void read_file(const world *w, const char *name, char *out) {
    char path[64];
    path_of(w, name, path);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t n = fread(out, 1, MOST_FILE - 1, file);
    out[n] = '\0';
    fclose(file);
}

static bool has_certificate(const world *w) {
    return strcmp(w->algorithm, "auto") == 0 || strcmp(w->algorithm, "exhaustive") == 0;
}

static void anonymize(const world *w, bool is_plain, released *out) {
    char path[64];
    kan_job *job;
    kan_result *result;
    EXPECT_OK(w->run, kan_job_create(w->run, &job));
    path_of(w, is_plain ? "plain.csv" : "spelled.csv", path);
    set(w, job, "input", path);
    path_of(w, is_plain ? "plain-out.csv" : "spelled-out.csv", path);
    set(w, job, "output", path);
    set(w, job, "force", NULL);
    set(w, job, "suppress", "all");
    set(w, job, "cost", strcmp(w->algorithm, "greedy") == 0 ? "discernibility" : "ncp");
    set(w, job, "algorithm", w->algorithm);
    path_of(w, is_plain ? "plain.cert" : "spelled.cert", path);
    if (has_certificate(w))
        set(w, job, "certificate", path);
    set_question(w, job);
    if (!is_plain)
        set_spelling(w, job);
    EXPECT_OK(w->run, kan_job_run(job, "anonymize", &result));
    assert_true(kan_result_holds(result));
    out->json = json_loads(kan_result_json(result), 0, NULL);
    assert_non_null(out->json);
    read_file(w, is_plain ? "plain-out.csv" : "spelled-out.csv", out->bytes);
    out->certificate[0] = '\0';
    if (has_certificate(w))
        read_file(w, is_plain ? "plain.cert" : "spelled.cert", out->certificate);
    kan_result_destroy(result);
    kan_job_destroy(job);
}

static void verify(const world *w) {
    char path[64];
    kan_job *job;
    kan_result *result;
    EXPECT_OK(w->run, kan_job_create(w->run, &job));
    path_of(w, "spelled-out.csv", path);
    set(w, job, "input", path);
    path_of(w, "spelled.csv", path);
    set(w, job, "original", path);
    set_question(w, job);
    set_spelling(w, job);
    EXPECT_OK(w->run, kan_job_run(job, "verify", &result));
    if (!kan_result_holds(result))
        fail_msg("%s", kan_result_summary(result));
    kan_result_destroy(result);
    kan_job_destroy(job);
}

/* ---- comparing ------------------------------------------------------------------------------ */

static bool is_number(const char *text) {
    char *end;
    return *text && strspn(text, "0123456789.-") == strlen(text) && (strtod(text, &end), !*end);
}

/* What the spelled release shows where the plain one has this. */
static void expect_cell(const world *w, size_t column, const char *plain, char *out) {
    int n = 0;
    strcpy(out, plain);
    if (column < 2 && is_number(plain))
        spell_number(w, plain, false, out);
    else if (column == 2 && plain[0] != '[' && plain[0] != '{' &&
             sscanf(plain, "%*4d-%*2d-%*2d%n", &n) == 0 && n == 10 &&
             strlen(plain) == (w->has_time ? 19u : 10u))
        spell_date(w, plain, out);
}

static size_t take_cell(const char **at, char *out, size_t room) {
    const size_t size = strcspn(*at, ";\n");
    assert_true(size < room);
    snprintf(out, room, "%.*s", (int)size, *at);
    *at += size;
    return size;
}

/* A missing value is written in one of the ways of the table, and in the same way in all rows. */
static void check_missing(const world *w, const char *cell, char *shown) {
    if (*shown == '\n')
        strcpy(shown, cell);
    assert_string_equal(cell, shown);
    assert_true(!*cell || strcmp(cell, w->missing[0]) == 0 || strcmp(cell, w->missing[1]) == 0);
}

static void compare_bytes(const world *w, const char *plain, const char *spelled) {
    char shown[COLUMNS][CELL];
    for (size_t c = 0; c < COLUMNS; c++)
        strcpy(shown[c], "\n"); /* not seen yet */
    for (size_t column = 0, row = 0; *plain && *spelled; plain++, spelled++) {
        char cell[1024], other[1024], expected[1024];
        (void)take_cell(&plain, cell, sizeof cell - 64);
        (void)take_cell(&spelled, other, sizeof other);
        if (!*cell && row > 0)
            check_missing(w, other, shown[column]);
        else {
            strcpy(expected, cell);
            if (row > 0)
                expect_cell(w, column, cell, expected);
            assert_string_equal(other, expected);
        }
        assert_int_equal(*plain, *spelled);
        row += *plain == '\n';
        column = *plain == '\n' ? 0 : column + 1;
    }
    assert_int_equal(*plain, *spelled);
}

static void compare_figures(const json_t *plain, const json_t *spelled) {
    static const char *const keys[] = {"solution", "metrics", "lattice", "optimal", "privacy"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *a = json_object_get(plain, keys[i]), *b = json_object_get(spelled, keys[i]);
        char *texts[2] = {a ? json_dumps(a, JSON_SORT_KEYS | JSON_ENCODE_ANY) : NULL,
                          b ? json_dumps(b, JSON_SORT_KEYS | JSON_ENCODE_ANY) : NULL};
        if (texts[0] && !strstr(texts[0], "-out.csv"))
            assert_string_equal(texts[0], texts[1]);
        free(texts[0]);
        free(texts[1]);
    }
}

static void flags_give_what_the_plain_table_gives(void **state) {
    static released plain, spelled;
    world *w = calloc(1, sizeof *w);
    (void)state;
    assert_non_null(w);
    w->random = 4711;
    strcpy(w->folder, "/tmp/kanon-spelled-XXXXXX");
    assert_non_null(mkdtemp(w->folder));
    for (int round = 0; round < ROUNDS; round++) {
        w->run = kan_run_create();
        make_world(w);
        anonymize(w, true, &plain);
        anonymize(w, false, &spelled);
        compare_bytes(w, plain.bytes, spelled.bytes);
        compare_figures(plain.json, spelled.json);
        assert_string_equal(plain.certificate, spelled.certificate);
        verify(w);
        json_decref(plain.json);
        json_decref(spelled.json);
        kan_run_destroy(w->run);
    }
    static const char *const files[] = {"plain.csv",       "spelled.csv", "plain-out.csv",
                                        "spelled-out.csv", "plain.cert",  "spelled.cert"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[64];
        path_of(w, files[i], path);
        unlink(path);
    }
    rmdir(w->folder);
    free(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_give_what_the_plain_table_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
