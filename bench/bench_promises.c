/* What each promise costs: the time of its default search, as a multiple of k-anonymity alone in
 * the same run.
 *
 * Adult, 30,162 rows, k = 5, at most 2 % suppressed, cost as by default. Promises about a sensitive
 * column have the other eight columns as quasi-identifiers and `occupation` as the sensitive one,
 * and are measured against k alone on these eight; the others have all nine. CPU time of one
 * thread, from the folded table to the measured solution, the best of some runs. A promise that
 * this build does not have is left out. The population is the file of 45,222 rows, which holds all
 * of the table.
 *
 * `--person`: a synthetic census in which each person has ten rows, from table to release, by its
 * first eight columns and by all nine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "bench_data.h"
#include "job/solution/solution.h"
#include "promise_peers.h"
#include "weak_cells.h"

enum { MOST_SETTINGS = 4, MOST_RUNS = 9, ENOUGH_MS = 2000, AIM = 20 };

typedef struct {
    const char *name;
    bool has_sensitive;
    bool has_population;
    struct {
        const char *name, *value;
    } settings[MOST_SETTINGS];
} promise;

/* k = 5 is part of all of them. */
static const promise promises[] = {
    {"k, nine columns", false, false, {{0}}},
    {"average-risk 0.05", false, false, {{"average-risk", "0.05"}}},
    {"at-risk 5 % below 10", false, false, {{"at-risk", "0.05"}, {"below", "10"}}},
    {"k-map 10", false, true, {{"k-map", "10"}}},
    {"presence 0.1..0.9", false, true, {{"presence", "0.1..0.9"}}},
    {"k, eight columns", true, false, {{0}}},
    {"alpha 0.5", true, false, {{"alpha", "0.5"}}},
    {"l 3, distinct", true, false, {{"l", "3"}}},
    {"l 3, entropy", true, false, {{"l", "3"}, {"l-kind", "entropy"}}},
    {"l 3, recursive, c 3", true, false, {{"l", "3"}, {"l-kind", "recursive"}, {"c", "3"}}},
    {"t 0.4", true, false, {{"t", "0.4"}}},
    {"t 0.2", true, false, {{"t", "0.2"}}},
    {"delta-disclosure 2", true, false, {{"delta-disclosure", "2"}}},
    {"beta 3", true, false, {{"beta", "3"}}},
    {"beta 3, enhanced", true, false, {{"beta", "3"}, {"beta-kind", "enhanced"}}},
};

enum { N_PROMISES = sizeof promises / sizeof *promises };

typedef struct {
    bool is_there, is_found;
    double ms;
    uint64_t n_checked;
    char effort[64];
} measured;

static bool is_known(const promise *p) {
    for (size_t i = 0; i < MOST_SETTINGS && p->settings[i].name; i++)
        if (!kan_setting_find(p->settings[i].name))
            return false;
    return true;
}

/* The columns of the table, the last but one of which is the sensitive one. */
static bool set_columns(kan_job *job, const bench_table *table, bool has_sensitive) {
    bool failed = false;
    for (unsigned i = 0; i < table->n_columns; i++) {
        const bool is_sensitive = has_sensitive && strcmp(table->columns[i], "occupation") == 0;
        failed |= kan_job_set(job, is_sensitive ? "sensitive" : "qi", table->columns[i]) != KAN_OK;
    }
    return !failed;
}

static kan_job *make_job(kan_run *run, const bench_table *table, const char *population,
                         const promise *p) {
    kan_job *job = NULL;
    bool failed = kan_job_create(run, &job) || kan_job_set(job, "input", table->table) ||
                  kan_job_set(job, "hierarchies", table->hierarchies) ||
                  kan_job_set(job, "k", "5") || kan_job_set(job, "suppress", "2%") ||
                  kan_job_set(job, "threads", "1");
    failed = failed || !set_columns(job, table, p->has_sensitive);
    if (p->has_population)
        failed = failed || kan_job_set(job, "population", population);
    for (size_t i = 0; i < MOST_SETTINGS && p->settings[i].name; i++)
        failed = failed || kan_job_set(job, p->settings[i].name, p->settings[i].value);
    if (!failed)
        return job;
    fprintf(stderr, "kanon-bench: %s: %s\n", p->name, kan_run_error(run));
    kan_job_destroy(job);
    return NULL;
}

/* Once, from the folded table. 0 unless it failed otherwise than by finding nothing. */
static int search_once(kan_setup *setup, measured *out) {
    static const kan_solution_wants wants = {.release = true};
    kan_solution solution;
    const double start = bench_cpu_ms();
    const kan_status status = kan_solution_find(setup, &wants, &solution);
    const double ms = bench_cpu_ms() - start;
    out->ms = !out->is_there || ms < out->ms ? ms : out->ms;
    out->is_there = true;
    out->is_found = status == KAN_OK;
    if (status == KAN_OK) {
        out->n_checked = solution.answer.n_checked;
        snprintf(out->effort, sizeof out->effort, "%s", setup->search->kind.name);
    }
    kan_solution_destroy(&solution);
    return status != KAN_OK && status != KAN_UNSATISFIED;
}

static int measure(const bench_table *table, const char *population, const promise *p,
                   measured *out) {
    kan_setup setup;
    double spent = 0;
    int failed = 1;
    kan_run *run = kan_run_create();
    kan_job *job = run ? make_job(run, table, population, p) : NULL;
    if (!job) {
        kan_run_destroy(run);
        return 1;
    }
    if (kan_setup_make(job, &setup) == KAN_OK) {
        failed = 0;
        for (int i = 0; i < MOST_RUNS && spent < ENOUGH_MS && !failed; i++) {
            failed = search_once(&setup, out);
            spent += out->ms;
        }
    }
    if (failed)
        fprintf(stderr, "kanon-bench: %s: %s\n", p->name, kan_run_error(run));
    kan_setup_destroy(&setup);
    kan_job_destroy(job);
    kan_run_destroy(run);
    return failed;
}

static void print_one(const promise *p, const measured *m, const measured *base) {
    const double ratio = m->ms / base->ms;
    if (!m->is_there) {
        printf("%-24s not in this build\n", p->name);
        return;
    }
    printf("%-24s %9.1f ms %7.1f times   %-12s %7llu nodes  %s%s\n", p->name, m->ms, ratio,
           m->is_found ? m->effort : "-", (unsigned long long)m->n_checked,
           m->is_found ? "found" : "nothing keeps it",
           m != base && ratio > AIM ? "  ABOVE 20" : "");
}

static int measure_all(const bench_table *table, const char *population) {
    const measured *base = NULL;
    static measured all[N_PROMISES];
    int failed = 0;
    for (size_t i = 0; i < N_PROMISES; i++) {
        const promise *p = &promises[i];
        const bool is_base = !p->settings[0].name;
        if ((p->has_population && !population) || !is_known(p)) {
            print_one(p, &all[i], base);
            continue;
        }
        failed |= measure(table, population, p, &all[i]);
        if (is_base)
            base = &all[i];
        if (!failed)
            print_one(p, &all[i], base);
        fflush(stdout);
    }
    return failed;
}

/* ---- people --------------------------------------------------------------------------------- */

/* Writes the table with a column `person` in front: row i is of person i mod n. */
static int add_people(const char *from, const char *to, uint64_t n_people) {
    char line[4096];
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    int failed = !in || !out;
    for (uint64_t row = 0; !failed && fgets(line, sizeof line, in); row++) {
        if (row == 0)
            failed = fprintf(out, "person,%s", line) < 0;
        else
            failed = fprintf(out, "p%llu,%s", (unsigned long long)((row - 1) % n_people), line) < 0;
    }
    if (in)
        fclose(in);
    if (out)
        failed |= fclose(out) != 0;
    return failed;
}

typedef enum { BY_ROWS, BY_PERSON, BY_PERSON_AND_VALUES } people_how;

/* The first columns are quasi-identifiers, the others are left out; where values are asked for, the
 * next one is sensitive. */
static int run_people(const bench_table *table, const char *path, unsigned n_columns,
                      people_how how) {
    static const char *const names[] = {"k by rows,", "k by --person,", "k and l by it,"};
    char release[640];
    kan_run *run = kan_run_create();
    kan_job *job = NULL;
    kan_result *result = NULL;
    const double start = bench_cpu_ms(), wall = kan_now_ms();
    snprintf(release, sizeof release, "%s.release", path);
    int failed = !run || kan_job_create(run, &job) || kan_job_set(job, "input", path) ||
                 kan_job_set(job, "output", release) ||
                 kan_job_set(job, "hierarchies", table->hierarchies) ||
                 kan_job_set(job, "k", "5") || kan_job_set(job, "suppress", "2%") ||
                 kan_job_set(job, how != BY_ROWS ? "person" : "drop", "person") ||
                 (how == BY_PERSON_AND_VALUES && kan_job_set(job, "l", "2"));
    for (unsigned i = 0; i < table->n_columns && !failed; i++)
        failed = kan_job_set(job,
                             i < n_columns                                   ? "qi"
                             : how == BY_PERSON_AND_VALUES && i == n_columns ? "sensitive"
                                                                             : "drop",
                             table->columns[i]) != KAN_OK;
    failed = failed || kan_job_run(job, "anonymize", &result);
    if (failed)
        fprintf(stderr, "kanon-bench: %s\n", run ? kan_run_error(run) : "out of memory");
    else
        printf("%-15s %u columns %9.1f ms CPU, %.1f ms wall\n", names[how], n_columns,
               bench_cpu_ms() - start, kan_now_ms() - wall);
    fflush(stdout);
    unlink(release);
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_run_destroy(run);
    return failed;
}

static int measure_people(uint64_t rows) {
    bench_table table;
    char path[600];
    if (!kan_setting_find("person")) {
        puts("--person                 not in this build");
        return 0;
    }
    if (bench_table_generate("census", rows, &table) != 0)
        return 1;
    snprintf(path, sizeof path, "%s/people.csv", table.dir);
    int failed = add_people(table.table, path, rows / 10 ? rows / 10 : 1);
    printf("%s, %llu rows of %llu people, from table to release, all cores\n", table.name,
           (unsigned long long)rows, (unsigned long long)(rows / 10));
    for (unsigned n = table.n_columns - 1; n <= table.n_columns && !failed; n++)
        failed = run_people(&table, path, n, BY_ROWS) || run_people(&table, path, n, BY_PERSON) ||
                 (n < table.n_columns && run_people(&table, path, n, BY_PERSON_AND_VALUES));
    unlink(path);
    bench_table_remove(&table);
    return failed;
}

int bench_promises(int argc, char **argv) {
    bench_option options[] = {
        {"--people", "rows of the table for --person (default 1,000,000; 0: none)", "1000000"},
        {"--rounds", "how often each line beside ARX runs (default 5; 0: none do)", "5"},
        {"--cells", "how often each weak cell runs (default 5; 0: none do)", "5"},
        {"--cell", "only that weak cell, and the unit", "0"},
        {"--line", "only that line beside ARX, and the unit", "0"},
        {"--exhaustive", "yes: `exhaustive` beside each line, too, once", "no"},
        {NULL, NULL, NULL}};
    bench_table table;
    char population[512];
    uint64_t rows;
    int status;
    if (!bench_options_read(argc, argv,
                            "The time of each promise's default search, as a multiple of "
                            "k-anonymity alone.",
                            options, &status))
        return status;
    weak_cells_plan cells = {.with_exhaustive =
                                 strcmp(bench_option_value(options, "--exhaustive"), "yes") == 0};
    promise_peers_plan plan = {.with_exhaustive =
                                   strcmp(bench_option_value(options, "--exhaustive"), "yes") == 0};
    if (!kan_parse_count(bench_option_value(options, "--people"), &rows) ||
        !kan_parse_count(bench_option_value(options, "--cells"), &cells.n_rounds) ||
        !kan_parse_count(bench_option_value(options, "--cell"), &cells.only) ||
        !kan_parse_count(bench_option_value(options, "--rounds"), &plan.n_rounds) ||
        !kan_parse_count(bench_option_value(options, "--line"), &plan.only)) {
        fputs("kanon-bench promises: --people, --rounds, --line, --cells and --cell are whole "
              "numbers\n",
              stderr);
        return 2;
    }
    if (cells.n_rounds > 0 && weak_cells(&cells) != 0)
        return 1;
    if (cells.only > 0)
        return 0;
    if (plan.n_rounds > 0 && promise_peers(&plan) != 0)
        return 1;
    if (plan.only > 0)
        return 0;
    if (bench_table_find(0, &table) != 0)
        return 1;
    printf("%s, k = 5, at most 2 %% suppressed, one thread\n", table.name);
    const bool has_population =
        !table.dir[0] && bench_data_path("adult/adult.csv", population, sizeof population);
    int failed = measure_all(&table, has_population ? population : NULL);
    bench_table_remove(&table);
    return failed || (rows > 0 && measure_people(rows));
}
