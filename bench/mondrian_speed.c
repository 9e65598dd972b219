/* How fast: the search alone, from a folded base to regions. Setting up, and measuring what was
 * found, are not counted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "chart.h"
#include "mondrian.h"
#include "trial.h"

typedef struct {
    double cpu_ms, wall_ms; /* the best of several runs, each for itself */
    uint32_t n_regions;
} timing;

static int run_search(const mondrian_case *made, unsigned threads, timing *out) {
    const kan_setup *setup = &made->setup;
    const kan_question question = {.problem = &setup->problem,
                                   .promise = &setup->promise,
                                   .objective = &setup->objective,
                                   .options = &made->job->options,
                                   .wants_release = true};
    double spent = 0;
    *out = (timing){.cpu_ms = INFINITY, .wall_ms = INFINITY};
    kan_run_set_threads(made->run, threads);
    for (unsigned i = 0; i < TRIAL_MOST_RUNS && (i < 3 || spent < TRIAL_ENOUGH_MS); i++) {
        kan_answer answer;
        const double wall = kan_now_ms(), cpu = bench_cpu_ms();
        const kan_status status = bench_search_once(setup->search, made->run, &question, &answer);
        const double cpu_ms = bench_cpu_ms() - cpu, wall_ms = kan_now_ms() - wall;
        if (status != KAN_OK || !answer.is_found) {
            fprintf(stderr, "kanon-bench: %s: %s\n", setup->search->kind.name,
                    status == KAN_OK ? "nothing was found" : kan_run_error(made->run));
            if (status == KAN_OK)
                kan_answer_destroy(made->run, &answer);
            return 1;
        }
        out->cpu_ms = fmin(out->cpu_ms, cpu_ms);
        out->wall_ms = fmin(out->wall_ms, wall_ms);
        out->n_regions = answer.recoding.regions->n_regions;
        spent += cpu_ms;
        kan_answer_destroy(made->run, &answer);
    }
    return 0;
}

/* ---- Adult ---------------------------------------------------------------------------------- */

static int time_adult(const bench_table *table, const char *algorithm, const char *split,
                      const char *hierarchies) {
    const char *settings[] = {
        "algorithm", algorithm, "k", "10", "split", split, hierarchies ? "hierarchies" : NULL,
        hierarchies, NULL};
    const char *with_cost[] = {
        "algorithm", algorithm, "k", "10", "cost", "ncp", hierarchies ? "hierarchies" : NULL,
        hierarchies, NULL};
    const bool is_cost = split[0] == 'c';
    mondrian_case made;
    timing time;
    int failed = mondrian_case_make(table, mondrian_columns, MONDRIAN_COLUMNS,
                                    is_cost ? with_cost : settings, &made) ||
                 run_search(&made, 1, &time);
    if (!failed)
        printf("| %s, %s%s | %s | %.1f | %u | %s |\n", algorithm, split, is_cost ? " (ncp)" : "",
               hierarchies ? "with" : "without", time.cpu_ms, time.n_regions,
               mondrian_verdict(time.cpu_ms < 10));
    mondrian_case_destroy(&made);
    return failed;
}

static int time_adults(void) {
    bench_table table;
    int failed = 0;
    if (bench_table_adult("adult-30162.csv", "adult", &table) != 0) {
        puts("speed on Adult: skipped");
        return 0;
    }
    puts("Speed: Adult, 30,162 rows, 8 columns, k = 10, one thread, CPU ms of the search; goal: "
         "below 10\n\n"
         "| search | hierarchies | ms | regions | |\n|---|---|---:|---:|---|");
    for (int has_tree = 1; has_tree >= 0; has_tree--) {
        const char *hierarchies = has_tree ? table.hierarchies : NULL;
        failed |= time_adult(&table, "mondrian", "widest", hierarchies) ||
                  time_adult(&table, "mondrian", "entropy", hierarchies) ||
                  time_adult(&table, "mondrian", "cost", hierarchies) ||
                  time_adult(&table, "mondrian-relaxed", "widest", hierarchies);
    }
    puts("| Python Mondrian | | 640 | | |\n| AIJack's C++ | | 1200 | | |\n"
         "| a Spark Mondrian, local mode | | 35000 | | |\n");
    return failed;
}

/* ---- sales ---------------------------------------------------------------------------------- */

typedef struct {
    double rows, tuples;
    timing one, all; /* one thread, and all cores */
} size_timing;

/* The sales table of that many rows; 0: as many as the paper's. */
static int time_sales(uint64_t rows, size_timing *out) {
    bench_table table;
    mondrian_case made;
    if (bench_table_generate("sales", rows, &table) != 0)
        return 1;
    const char *settings[] = {"algorithm",   "mondrian",        "k", "10",
                              "hierarchies", table.hierarchies, NULL};
    int failed = mondrian_case_make(&table, table.columns, table.n_columns, settings, &made);
    bench_table_remove(&table);
    failed = failed || run_search(&made, 1, &out->one) || run_search(&made, 0, &out->all);
    if (!failed) {
        out->rows = (double)made.setup.problem.n_rows;
        out->tuples = (double)made.setup.n_tuples;
    }
    mondrian_case_destroy(&made);
    return failed;
}

static int time_paper_size(void) {
    size_timing time;
    if (time_sales(0, &time) != 0)
        return 1;
    printf("Speed: synthetic sales, %.0f rows (%.0f tuples), 8 columns, k = 10, from folded base "
           "to %u regions: %.0f ms wall, %.0f ms CPU on all cores (one thread: %.0f ms CPU); goal "
           "1 s: %s\n\n",
           time.rows, time.tuples, time.all.n_regions, time.all.wall_ms, time.all.cpu_ms,
           time.one.cpu_ms, mondrian_verdict(time.all.wall_ms <= 1000));
    return 0;
}

static int draw_sizes(const size_timing *times, size_t n, const char *dir) {
    double x[MONDRIAN_SIZES], cpu[MONDRIAN_SIZES], wall[MONDRIAN_SIZES], model[MONDRIAN_SIZES];
    static const double ticks[] = {1e4, 1e5, 1e6, 1e7};
    char path[600];
    const size_timing *last = &times[n - 1];
    for (size_t i = 0; i < n; i++) {
        x[i] = times[i].rows;
        cpu[i] = times[i].one.cpu_ms;
        wall[i] = times[i].all.wall_ms;
        model[i] =
            last->one.cpu_ms * (x[i] * log2(x[i] / 10)) / (last->rows * log2(last->rows / 10));
    }
    const chart_series series[] = {
        {.name = "CPU, one thread", .look = 0, .n = n, .x = x, .y = cpu},
        {.name = "wall, all cores", .look = 1, .n = n, .x = x, .y = wall},
        {.name = "n log(n/k)", .look = 2, .n = n, .x = x, .y = model}};
    const line_chart chart = {
        .title = "Time of mondrian by number of rows",
        .description = "Three lines that rise together: CPU time on one thread, wall time on all "
                       "cores, and n log(n/k) through the last point.",
        .caption = "Synthetic sales, 8 quasi-identifiers, k = 10; the search alone, from folded "
                   "base to regions.",
        .x = {.label = "rows", .is_log = true, .n_ticks = 4, .ticks = ticks},
        .y = {.label = "ms", .is_log = true},
        .n_series = 3,
        .series = series};
    snprintf(path, sizeof path, "%s/mondrian-rows.svg", dir);
    return !chart_save(&chart, path);
}

static int time_sizes(const mondrian_plan *plan) {
    size_timing times[MONDRIAN_SIZES];
    size_t n = 0;
    int failed = 0;
    puts("Speed by rows: synthetic sales, 8 columns, k = 10\n\n"
         "| rows | tuples | regions | CPU ms, one thread | wall ms, all cores | ns of CPU per row "
         "and log2(n/k) |\n|---:|---:|---:|---:|---:|---:|");
    for (double exponent = 4; exponent <= (plan->goes_far ? 7.7 : 7.1) && !failed;
         exponent += exponent == 7 ? 0.6 : 0.5) {
        size_timing *time = &times[n];
        failed = time_sales((uint64_t)llround(pow(10, exponent)), time);
        if (failed)
            break;
        printf("| %.0f | %.0f | %u | %.1f | %.1f | %.2f |\n", time->rows, time->tuples,
               time->one.n_regions, time->one.cpu_ms, time->all.wall_ms,
               time->one.cpu_ms * 1e6 / (time->rows * log2(time->rows / 10)));
        fflush(stdout);
        n++;
    }
    putchar('\n');
    return failed || (plan->out && n > 1 && draw_sizes(times, n, plan->out));
}

int mondrian_speed(const mondrian_plan *plan) {
    int failed = time_adults();
    failed = failed || time_paper_size();
    return failed || time_sizes(plan);
}
