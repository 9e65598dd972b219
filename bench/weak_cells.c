/* Questions that were slow beside ARX: promises about a population, of the whole table and about shares
 * of values; a column of 100,000 postcodes; few columns with small lattices. One thread, searches alone,
 * CPU time, the best of several rounds in which every line runs once.
 *
 * ARX was measured once beside the program of then. What that program took, in units of the search by
 * discernibility with k = 5 and nothing suppressed of nine columns of Adult, was measured in one run
 * with the one of now: so `then` scales it to any machine, and ARX with it. The unit itself has become
 * quicker since, side by side 0.81 of its time. */
#include "weak_cells.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"
#include "job/registry/registry.h"
#include "job/setup/setup.h"
#include "trial.h"

#define UNIT_NOW 0.81 /* of what it took then */

enum { N_DRAWS = 4, MOST_SETTINGS = 3, N_POSTCODES = 100000 };

typedef enum { ADULT, ADULT_OCCUPATION, ADULT_POPULATION, SURVEY, POSTCODES, N_TABLES } table_name;

typedef struct {
    const char *name;
    table_name table;
    const char *k, *limit, *cost;
    struct {
        const char *name, *value;
    } settings[MOST_SETTINGS];
    double then; /* what the program of then took, in units */
    double arx;  /* times what ARX took as long; 0: the unit */
    unsigned aim;
} line;

#define NONE                                                                                       \
    {                                                                                              \
        { 0 }                                                                                      \
    }
#define ONE(n, v)                                                                                  \
    {                                                                                              \
        { n, v }                                                                                   \
    }
#define CLOSE(t)                                                                                   \
    {                                                                                              \
        {"t", t}, {                                                                                \
            "t-distance", "equal"                                                                  \
        }                                                                                          \
    }

/* The first is the unit. */
static const line lines[] = {
    {"k = 5", ADULT, "5", "0", "discernibility", NONE, 1.00, 0, 0},
    {"k-map 5", ADULT_POPULATION, "1", "0", "discernibility", ONE("k-map", "5"), 22.33, 2.2, 20},
    {"k-map 5", ADULT_POPULATION, "1", "2%", "discernibility", ONE("k-map", "5"), 207.00, 2.2, 20},
    {"k-map 5", ADULT_POPULATION, "1", "2%", "ncp", ONE("k-map", "5"), 101.55, 2.2, 20},
    {"k = 2, k-map 10", ADULT_POPULATION, "2", "2%", "ncp", ONE("k-map", "10"), 122.38, 2.2, 20},
    {"t = 0.2", ADULT_OCCUPATION, "5", "all", "ncp", CLOSE("0.2"), 532.23, 2.1, 15},
    {"t = 0.2", ADULT_OCCUPATION, "5", "10%", "ncp", CLOSE("0.2"), 41.35, 9, 15},
    {"beta 3", ADULT_OCCUPATION, "5", "all", "ncp", ONE("beta", "3"), 284.90, 3.4, 15},
    {"beta 3", ADULT_OCCUPATION, "5", "10%", "ncp", ONE("beta", "3"), 186.28, 9, 15},
    {"delta 2", ADULT_OCCUPATION, "5", "all", "ncp", ONE("delta-disclosure", "2"), 431.63, 3.4, 15},
    {"delta 2", ADULT_OCCUPATION, "5", "10%", "ncp", ONE("delta-disclosure", "2"), 2.66, 9, 15},
    {"average risk 5 %", ADULT, "2", "0", "ncp", ONE("average-risk", "0.05"), 5.26, 7, 20},
    {"average risk 5 %", ADULT, "2", "2%", "ncp", ONE("average-risk", "0.05"), 29.67, 7, 20},
    {"average risk 5 %", ADULT, "2", "2%", "discernibility", ONE("average-risk", "0.05"), 90.49, 7,
     20},
    {"k = 5", POSTCODES, "5", "2%", "average-class", NONE, 39.28, 2.5, 20},
    {"k = 5", POSTCODES, "5", "2%", "discernibility", NONE, 19.78, 7, 20},
    {"k = 2", SURVEY, "2", "2%", "precision", NONE, 0.58, 6, 15},
    {"k = 2", SURVEY, "2", "10%", "precision", NONE, 0.62, 6, 15},
    {"k = 2", SURVEY, "2", "2%", "ncp", NONE, 0.85, 6, 15},
    {"k = 2", SURVEY, "2", "10%", "ncp", NONE, 1.16, 6, 15},
};

enum { N_LINES = sizeof lines / sizeof *lines };

/* ---- tables --------------------------------------------------------------------------------- */

static bool find_survey(bench_table *out) {
    static const char *const columns[] = {"age", "sex", "race", "marital-status", "education"};
    *out = (bench_table){.name = "survey, five columns", .columns = columns, .n_columns = 5};
    return bench_data_path("ss13acs/ss13acs.csv", out->table, sizeof out->table) &&
           bench_data_path("ss13acs/hierarchies", out->hierarchies, sizeof out->hierarchies);
}

/* A digit after the other is masked, from the right. */
static int write_postcode_hierarchy(const char *path) {
    FILE *out = fopen(path, "w");
    for (unsigned code = 0; out && code < N_POSTCODES; code++) {
        char text[8];
        snprintf(text, sizeof text, "%05u", code);
        fputs(text, out);
        for (unsigned i = 5; i-- > 0;) {
            text[i] = '*';
            fprintf(out, ";%s", text);
        }
        fputc('\n', out);
    }
    return !out || fclose(out) != 0;
}

/* Few are frequent, many are rare; the same on every machine. */
static unsigned draw_postcode(uint64_t *state) {
    uint64_t code = N_POSTCODES;
    for (unsigned i = 0; i < N_DRAWS; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        code = code * (*state >> 40) >> 24;
    }
    return (unsigned)code;
}

/* Adult, and a postcode before its columns. */
static int write_postcodes(const char *adult, const char *path) {
    char text[4096];
    uint64_t state = 1;
    FILE *in = fopen(adult, "r"), *out = fopen(path, "w");
    int failed = !in || !out;
    for (uint64_t row = 0; !failed && fgets(text, sizeof text, in); row++)
        failed = row == 0 ? fprintf(out, "postcode,%s", text) < 0
                          : fprintf(out, "%05u,%s", draw_postcode(&state), text) < 0;
    if (in)
        fclose(in);
    if (out)
        failed |= fclose(out) != 0;
    return failed;
}

static int copy_file(const char *from, const char *to) {
    char bytes[4096];
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    int failed = !in || !out;
    for (size_t n; !failed && (n = fread(bytes, 1, sizeof bytes, in)) > 0;)
        failed = fwrite(bytes, 1, n, out) != n;
    if (in)
        fclose(in);
    if (out)
        failed |= fclose(out) != 0;
    return failed;
}

static int make_hierarchies(const bench_table *adult, const bench_table *out) {
    char from[1200], to[1200];
    int failed = mkdir(out->hierarchies, 0700) != 0;
    for (unsigned i = 0; i < adult->n_columns && !failed; i++) {
        snprintf(from, sizeof from, "%s/%s.csv", adult->hierarchies, adult->columns[i]);
        snprintf(to, sizeof to, "%s/%s.csv", out->hierarchies, adult->columns[i]);
        failed = copy_file(from, to);
    }
    snprintf(to, sizeof to, "%s/postcode.csv", out->hierarchies);
    return failed || write_postcode_hierarchy(to);
}

static bool make_postcodes(bench_table *out) {
    static const char *columns[10] = {"postcode"};
    bench_table adult;
    if (bench_table_adult("adult-30162.csv", "adult", &adult) != 0)
        return false;
    for (unsigned i = 0; i < adult.n_columns; i++)
        columns[1 + i] = adult.columns[i];
    *out = (bench_table){
        .name = "adult with postcodes", .columns = columns, .n_columns = 1 + adult.n_columns};
    if (bench_temporary(out->dir, sizeof out->dir) != 0)
        return false;
    const bool fits =
        snprintf(out->table, sizeof out->table, "%s/table.csv", out->dir) > 0 &&
        snprintf(out->hierarchies, sizeof out->hierarchies, "%s/hierarchies", out->dir) > 0;
    return fits && make_hierarchies(&adult, out) == 0 &&
           write_postcodes(adult.table, out->table) == 0;
}

/* What is not there has no name. */
static void remove_table(bench_table *table) {
    bench_table_remove(table);
    table->name = NULL;
}

static void find_table(table_name name, bench_table *out) {
    const bool is_there = name == SURVEY ? find_survey(out)
                          : name == POSTCODES
                              ? make_postcodes(out)
                              : bench_table_adult("adult-30162.csv", "adult", out) == 0;
    if (!is_there)
        remove_table(out);
}

/* ---- lines ---------------------------------------------------------------------------------- */

typedef struct {
    kan_run *run;
    kan_job *job;
    kan_setup setup;
    bool is_open; /* the setup was made, or tried */
    double ms, exhaustive_ms;
    kan_answer answer; /* without its vectors */
} cell;

static int fail(const line *l, const cell *c) {
    fprintf(stderr, "kanon-bench: %s, %s, %s: %s\n", l->name, l->limit, l->cost,
            c->run ? kan_run_error(c->run) : "out of memory");
    return 1;
}

static bool set_table(kan_job *job, const line *l, const bench_table *table) {
    char population[512];
    bool failed = kan_job_set(job, "input", table->table) != KAN_OK ||
                  kan_job_set(job, "hierarchies", table->hierarchies) != KAN_OK;
    if (l->table == ADULT_POPULATION)
        failed = failed || !bench_data_path("adult/adult.csv", population, sizeof population) ||
                 kan_job_set(job, "population", population) != KAN_OK;
    for (unsigned i = 0; i < table->n_columns && !failed; i++) {
        const bool is_sensitive =
            l->table == ADULT_OCCUPATION && strcmp(table->columns[i], "occupation") == 0;
        failed = kan_job_set(job, is_sensitive ? "sensitive" : "qi", table->columns[i]) != KAN_OK;
    }
    return !failed;
}

static int open_cell(const bench_table *table, const line *l, cell *out) {
    out->run = kan_run_create();
    bool failed =
        !out->run || kan_job_create(out->run, &out->job) || !set_table(out->job, l, table) ||
        kan_job_set(out->job, "k", l->k) || kan_job_set(out->job, "cost", l->cost) ||
        kan_job_set(out->job, "suppress", l->limit) || kan_job_set(out->job, "threads", "1");
    for (size_t i = 0; i < MOST_SETTINGS && l->settings[i].name && !failed; i++)
        failed = kan_job_set(out->job, l->settings[i].name, l->settings[i].value);
    out->is_open = !failed;
    return failed || kan_setup_make(out->job, &out->setup) != KAN_OK ? fail(l, out) : 0;
}

static void close_cell(cell *c) {
    if (c->is_open)
        kan_setup_destroy(&c->setup);
    kan_job_destroy(c->job);
    kan_run_destroy(c->run);
}

/* The least time so far; `best` is 0 before the first. */
static int search_once(const line *l, cell *c, const kan_search_kind *search, double *best,
                       kan_answer *out) {
    const kan_question question = {.problem = &c->setup.problem,
                                   .promise = &c->setup.promise,
                                   .objective = &c->setup.objective,
                                   .options = &c->setup.job->options,
                                   .wants_release = true};
    memset(out, 0, sizeof *out);
    const double start = bench_cpu_ms();
    const kan_status status = bench_search_once(search, c->run, &question, out);
    const double ms = bench_cpu_ms() - start;
    if (status != KAN_OK)
        return fail(l, c);
    *best = *best <= 0 || ms < *best ? ms : *best;
    kan_answer_destroy(c->run, out);
    return 0;
}

/* The same node, or neither found any. */
static bool agree(const kan_answer *a, const kan_answer *b) {
    return a->is_found == b->is_found &&
           (!a->is_found || memcmp(a->recoding.levels, b->recoding.levels,
                                   a->recoding.n_attributes * sizeof *a->recoding.levels) == 0);
}

static int compare_exhaustive(const line *l, cell *c) {
    const kan_search_kind *exhaustive =
        (const kan_search_kind *)kan_registry_find(KAN_FAMILY_SEARCH, "exhaustive");
    kan_answer answer;
    if (!exhaustive || search_once(l, c, exhaustive, &c->exhaustive_ms, &answer))
        return 1;
    if (agree(&answer, &c->answer))
        return 0;
    printf("%s, %s, %s: DIFFERS from exhaustive\n", l->name, l->limit, l->cost);
    return 1;
}

static void print_line(const line *l, const cell *c, const cell *unit, const bench_table *table) {
    printf("%-22s %-17s %4s  %-14s %9.2f ms %8.2f units %6llu nodes  %-7s", table->name, l->name,
           l->limit, l->cost, c->ms, c->ms / unit->ms, (unsigned long long)c->answer.n_checked,
           c->setup.search->kind.name);
    if (l->arx > 0) {
        const double faster = l->then * unit->ms / UNIT_NOW / c->ms, arx = l->arx * faster;
        printf("  then %5.1f times  ARX %6.1f times%s", faster, arx, arx < l->aim ? " MISSED" : "");
    }
    if (c->exhaustive_ms > 0)
        printf("  exhaustive %8.1f ms, %5.1f times", c->exhaustive_ms, c->exhaustive_ms / c->ms);
    putchar('\n');
    fflush(stdout);
}

static int measure(const weak_cells_plan *plan, const bench_table *tables, cell *cells) {
    int failed = 0;
    for (size_t i = 0; i < N_LINES && !failed; i++)
        if (tables[lines[i].table].name && (plan->only == 0 || i == 0 || i == plan->only))
            failed = open_cell(&tables[lines[i].table], &lines[i], &cells[i]);
    for (uint64_t round = 0; round < plan->n_rounds && !failed; round++)
        for (size_t i = 0; i < N_LINES && !failed; i++)
            if (cells[i].is_open)
                failed = search_once(&lines[i], &cells[i], cells[i].setup.search, &cells[i].ms,
                                     &cells[i].answer);
    for (size_t i = 0; i < N_LINES && !failed && plan->with_exhaustive; i++)
        if (cells[i].is_open)
            failed = compare_exhaustive(&lines[i], &cells[i]);
    return failed;
}

int weak_cells(const weak_cells_plan *plan) {
    static cell cells[N_LINES];
    bench_table tables[N_TABLES];
    memset(cells, 0, sizeof cells);
    memset(tables, 0, sizeof tables);
    for (size_t t = 0; t < N_TABLES; t++)
        find_table((table_name)t, &tables[t]);
    if (!tables[lines[0].table].name) {
        puts("weak cells beside ARX: skipped");
        remove_table(&tables[POSTCODES]);
        return 0;
    }
    const int failed = measure(plan, tables, cells);
    puts("weak cells, one thread, beside the program of then and ARX (scaled)");
    for (size_t i = 0; i < N_LINES && !failed; i++)
        if (cells[i].is_open)
            print_line(&lines[i], &cells[i], &cells[0], &tables[lines[i].table]);
    for (size_t i = 0; i < N_LINES; i++)
        close_cell(&cells[i]);
    remove_table(&tables[POSTCODES]);
    return failed;
}
