/* kanon-bench taxonomy: every recoding model of Incognito's section 5 side by side, on Adult (30,162
 * rows, eight quasi-identifiers), by the search that auto takes for it: what it costs by ncp,
 * discernibility and classification error, asked for each of them, and the CPU time of the search
 * with measuring its answer, on one thread.
 *
 * A search that does not take a cost is measured by it all the same: what it found for
 * discernibility, or by itself, is told in brackets. A model that contains another is never worse at
 * its best; where searches are, it is printed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"
#include "chart.h"
#include "job/settings/settings.h"
#include "mondrian.h"
#include "search/k_optimize/k_optimize.h"

enum { MOST_MODELS = CHART_MOST_SERIES, MOST_KS = 8, N_COSTS = 3 };

/* Discernibility is asked for first: what it finds stands in for costs that are refused. */
static const char *const costs[N_COSTS] = {"discernibility", "ncp", "classification"};
/* The order of telling. */
static const unsigned told[N_COSTS] = {1, 0, 2};

typedef struct {
    bool is_found, is_borrowed;
    double values[N_COSTS]; /* of every cost */
    double cpu_ms;
    char why[160]; /* is_found is false: the error */
} answer;

typedef struct {
    bench_table table;
    size_t n_models, n_ks;
    const kan_recoding_kind *models[MOST_MODELS];
    char searches[MOST_MODELS][32];
    double ks[MOST_KS];
    const char *suppress, *seconds;
    const char *cost; /* the only one that is asked for; NULL: all */
    answer answers[N_COSTS][MOST_MODELS][MOST_KS];
} taxonomy;

/* ---- asking --------------------------------------------------------------------------------- */

static void keep_reason(answer *out, const char *error) {
    snprintf(out->why, sizeof out->why, "%.*s", (int)strcspn(error, "\n"), error);
}

/* Cuts are searched until they are proven, or the time is up; all other searches end by themselves,
 * and a limit would only tell how busy the machine is. */
static const char *seconds_for(const taxonomy *t, size_t m) {
    return kan_search_makes(&kan_search_k_optimize, t->models[m]) ? t->seconds : "0";
}

/* `cost` NULL: none is named, and the search has its own way. */
static int ask(taxonomy *t, size_t m, size_t k, const char *cost, answer *out) {
    char k_text[32];
    snprintf(k_text, sizeof k_text, "%g", t->ks[k]);
    const char *settings[] = {"hierarchies",
                              t->table.hierarchies,
                              "class",
                              "salary-class",
                              "k",
                              k_text,
                              "suppress",
                              t->suppress,
                              "time-limit",
                              seconds_for(t, m),
                              "recoding",
                              t->models[m]->kind.name,
                              "threads",
                              "1",
                              cost ? "cost" : NULL,
                              cost,
                              NULL};
    mondrian_case made;
    kan_solution solution;
    *out = (answer){.is_found = false};
    if (mondrian_case_make(&t->table, t->table.columns, MONDRIAN_COLUMNS, settings, &made) != 0) {
        if (made.run)
            keep_reason(out, kan_run_error(made.run));
        mondrian_case_destroy(&made);
        return 0;
    }
    const double start = bench_cpu_ms();
    const kan_status status =
        kan_solution_find(&made.setup, &(kan_solution_wants){.release = true}, &solution);
    out->cpu_ms = bench_cpu_ms() - start;
    out->is_found = status == KAN_OK;
    if (status == KAN_OK)
        for (unsigned c = 0; c < N_COSTS; c++)
            out->values[c] = mondrian_metric(&solution, costs[c]);
    else
        keep_reason(out, kan_run_error(made.run));
    snprintf(t->searches[m], sizeof t->searches[m], "%s", made.setup.search->kind.name);
    kan_solution_destroy(&solution);
    mondrian_case_destroy(&made);
    return status == KAN_FAILED;
}

static int ask_all(taxonomy *t) {
    int failed = 0;
    for (size_t m = 0; m < t->n_models; m++)
        for (size_t k = 0; k < t->n_ks; k++)
            for (unsigned c = 0; c < N_COSTS && !failed; c++) {
                answer *here = &t->answers[c][m][k];
                if (t->cost && strcmp(t->cost, costs[c]) != 0)
                    continue;
                failed = ask(t, m, k, costs[c], here);
                if (!here->is_found && c == 0 && !failed)
                    failed = ask(t, m, k, NULL, here);
                if (!here->is_found && c > 0 && t->answers[0][m][k].is_found) {
                    *here = t->answers[0][m][k];
                    here->is_borrowed = true;
                }
                fprintf(stderr, "%s, k = %g, %s: ", t->models[m]->kind.name, t->ks[k], costs[c]);
                if (here->is_found)
                    fprintf(stderr, "%.6g, %.2f s\n", here->values[c], here->cpu_ms / 1e3);
                else
                    fprintf(stderr, "%s\n", here->why);
            }
    return failed;
}

/* ---- telling -------------------------------------------------------------------------------- */

static void print_head(const taxonomy *t, const char *what) {
    printf("%s\n\n| model | search |", what);
    for (size_t k = 0; k < t->n_ks; k++)
        printf(" k = %g |", t->ks[k]);
    printf("\n|---|---|");
    for (size_t k = 0; k < t->n_ks; k++)
        printf("---:|");
    putchar('\n');
}

static void print_cost(const taxonomy *t, unsigned c) {
    char what[160];
    snprintf(what, sizeof what, "%s, asked for it; in brackets what the search found without",
             costs[c]);
    print_head(t, what);
    for (size_t m = 0; m < t->n_models; m++) {
        printf("| %s | %s |", t->models[m]->kind.name, t->searches[m]);
        for (size_t k = 0; k < t->n_ks; k++) {
            const answer *a = &t->answers[c][m][k];
            char value[48];
            snprintf(value, sizeof value, strcmp(costs[c], "ncp") == 0 ? "%.4f" : "%.0f",
                     a->values[c]);
            if (!a->is_found)
                printf(" - |");
            else
                printf(a->is_borrowed ? " (%s) |" : " %s |", value);
        }
        putchar('\n');
    }
    putchar('\n');
}

/* The slowest of the costs that were asked for. */
static void print_times(const taxonomy *t) {
    print_head(t, "CPU seconds of the search, one thread, the slowest of the three costs");
    for (size_t m = 0; m < t->n_models; m++) {
        printf("| %s | %s |", t->models[m]->kind.name, t->searches[m]);
        for (size_t k = 0; k < t->n_ks; k++) {
            double most = NAN;
            for (unsigned c = 0; c < N_COSTS; c++)
                if (t->answers[c][m][k].is_found && !t->answers[c][m][k].is_borrowed)
                    most = fmax(isnan(most) ? 0 : most, t->answers[c][m][k].cpu_ms / 1e3);
            if (isnan(most))
                printf(" - |");
            else
                printf(" %.2f |", most);
        }
        putchar('\n');
    }
    putchar('\n');
}

static void print_breaks(const taxonomy *t) {
    size_t n = 0, n_pairs = 0;
    printf("Where a model costs more than one that it contains:\n\n");
    for (unsigned i = 0; i < N_COSTS; i++)
        for (size_t o = 0; o < t->n_models; o++)
            for (size_t m = 0; m < t->n_models; m++)
                for (size_t k = 0; k < t->n_ks; k++) {
                    const unsigned c = told[i];
                    const answer *outer = &t->answers[c][o][k], *inner = &t->answers[c][m][k];
                    if (o == m || !kan_model_contains(t->models[o], t->models[m]) ||
                        !outer->is_found || !inner->is_found)
                        continue;
                    n_pairs++;
                    if (outer->values[c] <= inner->values[c] * (1 + 1e-12))
                        continue;
                    n++;
                    printf("- k = %g, %s: %s%s %.6g, %s %.6g\n", t->ks[k], costs[c],
                           t->models[o]->kind.name, outer->is_borrowed ? " (not asked for it)" : "",
                           outer->values[c], t->models[m]->kind.name, inner->values[c]);
                }
    printf("\n%zu of %zu comparisons.\n", n, n_pairs);
    for (size_t m = 0; m < t->n_models; m++)
        for (size_t k = 0; k < t->n_ks; k++)
            if (!t->answers[0][m][k].is_found)
                printf("\n%s, k = %g: %s\n", t->models[m]->kind.name, t->ks[k],
                       t->answers[0][m][k].why);
}

static int draw(const taxonomy *t, const char *dir) {
    static double ys[MOST_MODELS][MOST_KS];
    chart_series series[MOST_MODELS];
    char path[600];
    for (size_t m = 0; m < t->n_models; m++) {
        for (size_t k = 0; k < t->n_ks; k++)
            ys[m][k] = t->answers[1][m][k].is_found ? t->answers[1][m][k].values[1] : NAN;
        series[m] = (chart_series){
            .name = t->models[m]->kind.name, .look = m, .n = t->n_ks, .x = t->ks, .y = ys[m]};
    }
    const line_chart chart = {
        .title = "What freedom buys: loss (ncp) of each recoding model by k",
        .description = "Lines of the loss of each recoding model, by k; the lower, the more of the "
                       "values is kept.",
        .caption =
            "Adult, 30,162 rows, eight quasi-identifiers. Searches over cuts take no ncp: theirs "
            "is that of the least discernibility.",
        .x = {.label = "k", .is_log = true, .n_ticks = t->n_ks, .ticks = t->ks},
        .y = {.label = "ncp: 0 unchanged, 1 nothing left"},
        .n_series = t->n_models,
        .series = series};
    (void)mkdir(dir, 0777);
    snprintf(path, sizeof path, "%s/taxonomy.svg", dir);
    return !chart_save(&chart, path);
}

/* ---- the benchmark -------------------------------------------------------------------------- */

static bool take_ks(const char *said, taxonomy *t) {
    while (*said && t->n_ks < MOST_KS) {
        char *end;
        const double k = strtod(said, &end);
        if (end == said || k < 1 || (*end && *end != ','))
            return false;
        t->ks[t->n_ks++] = k;
        said = *end ? end + 1 : end;
    }
    return t->n_ks > 0 && !*said;
}

/* Those that some search makes, or the ones that are named. */
static void take_models(const char *said, taxonomy *t) {
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_RECODING); i++) {
        const kan_recoding_kind *model =
            (const kan_recoding_kind *)kan_registry_at(KAN_FAMILY_RECODING, i);
        bool is_made = false;
        for (size_t j = 0; j < kan_registry_count(KAN_FAMILY_SEARCH); j++)
            is_made |= kan_search_makes(
                (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, j), model);
        if (is_made && t->n_models < MOST_MODELS && (!said || strcmp(said, model->kind.name) == 0))
            t->models[t->n_models++] = model;
    }
}

int bench_taxonomy(int argc, char **argv) {
    static taxonomy t;
    bench_option options[] = {
        {"--ks", "values of k (default 2,5,10,25,50,100)", "2,5,10,25,50,100"},
        {"--model", "one recoding model alone", NULL},
        {"--cost", "one cost alone", NULL},
        {"--seconds",
         "that a search over cuts may take; k-optimize then cuts (default: hill-climb)", "0"},
        {"--suppress", "rows that may be left out (default 0)", "0"},
        {"--out", "draw the chart as an SVG file in this directory", NULL},
        {NULL, NULL, NULL}};
    int status;
    if (!bench_options_read(argc, argv,
                            "Every recoding model side by side: costs, times, containment.",
                            options, &status))
        return status;
    memset(&t, 0, sizeof t);
    t.seconds = bench_option_value(options, "--seconds");
    t.cost = bench_option_value(options, "--cost");
    t.suppress = bench_option_value(options, "--suppress");
    take_models(bench_option_value(options, "--model"), &t);
    if (!take_ks(bench_option_value(options, "--ks"), &t) || t.n_models == 0) {
        fputs("kanon-bench taxonomy: --ks is a list such as 2,5,10; --model one that some search "
              "makes\n",
              stderr);
        return 2;
    }
    if (bench_table_find(0, &t.table) != 0)
        return 1;
    int failed = ask_all(&t);
    printf("%s, %d quasi-identifiers, at most %s rows left out", t.table.name,
           (int)MONDRIAN_COLUMNS, t.suppress);
    printf(strcmp(t.seconds, "0") == 0 ? "\n\n" : ", %s s for each search over cuts\n\n",
           t.seconds);
    for (unsigned i = 0; i < N_COSTS && !failed; i++)
        print_cost(&t, told[i]);
    if (!failed) {
        print_times(&t);
        print_breaks(&t);
    }
    if (!failed && bench_option_value(options, "--out"))
        failed = draw(&t, bench_option_value(options, "--out"));
    bench_table_remove(&t.table);
    return failed;
}
