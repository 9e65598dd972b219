/* How far the work of each stage can be divided, for any number of threads on any machine.
 *
 * The whole job, from CSV to verified CSV, on the synthetic census with eight quasi-identifiers, by
 * the threads of virtual_threads.h. What it cannot see: threads that hinder each other in caches
 * and memory. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "bench_data.h"
#include "virtual_threads.h"

enum { MOST_COUNTS = 16, AIM_THREADS = 16, AIM = 12 };

typedef struct {
    const char *name, *about;
    const char *settings[6]; /* setting, value; NULL ends */
} question;

static const question questions[] = {
    {"levels", "one level per column, k = 5", {NULL}},
    {"l", "the same with l = 2", {"l", "2", "sensitive", "salary-class", NULL}},
    {"mondrian", "regions, k = 5", {"algorithm", "mondrian", NULL}},
    {"local", "local recoding, k = 5", {"algorithm", "progressive", NULL}},
};

static kan_job *make_job(kan_run *run, const bench_table *table, const question *q,
                         const char *output, unsigned n_threads) {
    kan_job *job = bench_job_create(run, table, "5", "1%", n_threads);
    int failed = !job || kan_job_set(job, "output", output) != KAN_OK;
    for (size_t i = 0; !failed && q->settings[i]; i += 2)
        failed = kan_job_set(job, q->settings[i], q->settings[i + 1]) != KAN_OK;
    if (!failed)
        return job;
    kan_job_destroy(job);
    return NULL;
}

static int run_job(virtual_threads *threads, const bench_table *table, const question *q,
                   const char *output, unsigned n_threads) {
    kan_run *run = kan_run_create();
    kan_job *job = run ? make_job(run, table, q, output, n_threads) : NULL;
    kan_result *result = NULL;
    int failed = 1;
    unlink(output); /* or removing it would be a part of the work */
    if (job) {
        virtual_threads_begin(threads, run, n_threads);
        failed = kan_job_run(job, "anonymize", &result) != KAN_OK;
        virtual_threads_end(threads, run);
    }
    if (failed)
        fprintf(stderr, "kanon-bench: %s\n", run ? kan_run_error(run) : "out of memory");
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_run_destroy(run);
    return failed;
}

/* ---- printing ------------------------------------------------------------------------------- */

static virtual_work total_of(const virtual_threads *threads) {
    virtual_work total = {.name = "whole"};
    for (unsigned s = 0; s < threads->n_stages; s++) {
        total.sum += threads->stages[s].sum;
        total.longest += threads->stages[s].longest;
        total.serial += threads->stages[s].serial;
        total.queued += threads->stages[s].queued;
    }
    return total;
}

static double sum_of(const virtual_threads *threads, const char *stage) {
    for (unsigned s = 0; s < threads->n_stages; s++)
        if (strcmp(threads->stages[s].name, stage) == 0)
            return threads->stages[s].sum;
    return total_of(threads).sum;
}

static void print_work(const virtual_threads *one, const virtual_work *work) {
    const double alone = sum_of(one, work->name);
    printf("  %-7s %9.1f %9.1f %9.1f %9.1f %7.1f\n", work->name, work->sum, work->longest,
           work->serial, work->queued, work->longest > 0 ? alone / work->longest : 1);
}

static void print_run(const virtual_threads *one, const virtual_threads *threads) {
    const virtual_work total = total_of(threads);
    printf("  %u thread%s: ms      all   longest    serial    queued   times\n", threads->n,
           threads->n == 1 ? " " : "s");
    for (unsigned s = 0; s < threads->n_stages; s++)
        print_work(one, &threads->stages[s]);
    print_work(one, &total);
    if (threads->n == AIM_THREADS)
        printf("  goal: %d times on %d threads: %s\n", AIM, AIM_THREADS,
               sum_of(one, "whole") >= AIM * total.longest ? "ok" : "MISSED");
    fflush(stdout);
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* Numbers with commas between them. */
static unsigned read_counts(const char *text, unsigned *counts) {
    unsigned n = 0;
    while (*text && n < MOST_COUNTS) {
        char *end;
        const unsigned long count = strtoul(text, &end, 10);
        if (end == text || count < 1 || count > VIRTUAL_MOST)
            return 0;
        counts[n++] = (unsigned)count;
        text = *end == ',' ? end + 1 : end;
    }
    return n;
}

typedef struct {
    const bench_table *table;
    unsigned counts[MOST_COUNTS], n_counts;
    bool traces;
    char output[800];
} trial;

static int run_question(const trial *t, const question *q) {
    virtual_threads one = {.traces = t->traces && t->counts[0] == 1}, many;
    printf("%s: %s\n", q->name, q->about);
    int failed = run_job(&one, t->table, q, t->output, 1);
    for (unsigned i = 0; i < t->n_counts && !failed; i++) {
        many = (virtual_threads){.traces = t->traces};
        failed = t->counts[i] > 1 && run_job(&many, t->table, q, t->output, t->counts[i]) != 0;
        if (!failed)
            print_run(&one, t->counts[i] > 1 ? &many : &one);
    }
    return failed;
}

int bench_threads(int argc, char **argv) {
    bench_option options[] = {
        {"--rows", "N rows instead of a million", "1000000"},
        {"--threads", "other numbers than 1,2,4,8,16,32,64", "1,2,4,8,16,32,64"},
        {"--question", "levels, l, mondrian or local alone", NULL},
        {"--trace", "yes: every part that takes a millisecond", NULL},
        {NULL, NULL, NULL}};
    int failed = 0;
    if (!bench_options_read(argc, argv,
                            "Of each stage: the work of all threads, of the longest one, what one "
                            "thread does alone,\nwhat threads wait for each other with, and how "
                            "many times as fast that allows it to be.",
                            options, &failed))
        return failed;
    const char *only = bench_option_value(options, "--question");
    const uint64_t rows = strtoull(bench_option_value(options, "--rows"), NULL, 10);
    bench_table table;
    trial t = {.table = &table, .traces = bench_option_value(options, "--trace") != NULL};
    t.n_counts = read_counts(bench_option_value(options, "--threads"), t.counts);
    if (rows == 0 || t.n_counts == 0) {
        fputs("kanon-bench threads: a number of rows and of threads (1 to 256) is needed\n",
              stderr);
        return 2;
    }
    if (bench_table_generate("census", rows, &table) != 0)
        return 1;
    table.n_columns = 8; /* salary-class is the sensitive one, or left out */
    snprintf(t.output, sizeof t.output, "%s/release.csv", table.dir);
    printf("synthetic census, %llu rows, eight quasi-identifiers, at most 1 %% suppressed\n",
           (unsigned long long)rows);
    for (size_t i = 0; i < sizeof questions / sizeof *questions && !failed; i++)
        if (!only || strcmp(only, questions[i].name) == 0)
            failed = run_question(&t, &questions[i]);
    unlink(t.output);
    bench_table_remove(&table);
    return failed;
}
