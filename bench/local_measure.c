/* The settings of the paper's figures, and measuring one of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "local.h"
#include "mondrian.h"
#include "trial.h"

const char *const local_ks[LOCAL_KS] = {"2", "10"};

/* From above the share of >50K, 0.248, on: below it there is no solution. */
static const char *const alphas[LOCAL_POINTS] = {"0.3", "0.4", "0.5", "0.6",
                                                 "0.7", "0.8", "0.9", "1"};
#define DEFAULT_ALPHA "0.5"

local_point local_point_of(unsigned k, local_axis axis, unsigned i) {
    if (axis == LOCAL_BY_ALPHA)
        return (local_point){local_ks[k], alphas[i], LOCAL_POINTS, strtod(alphas[i], NULL)};
    return (local_point){local_ks[k], DEFAULT_ALPHA, i + 1, i + 1.0};
}

const char *local_axis_name(local_axis axis) {
    return axis == LOCAL_BY_ALPHA ? "alpha" : "quasi-identifiers";
}

int local_table_find(bench_table *out) {
    if (bench_table_adult("adult.csv", "adult", out) != 0)
        return 1;
    if (bench_data_path("adult/hierarchies-ak", out->hierarchies, sizeof out->hierarchies))
        return 0;
    fputs("kanon-bench: no adult/hierarchies-ak in $KANON_DATA or ../shared/data\n", stderr);
    return 1;
}

/* ---- one question --------------------------------------------------------------------------- */

static int compare_reals(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static kan_status time_search(const mondrian_case *made, unsigned n_runs, double *times) {
    const kan_setup *setup = &made->setup;
    const kan_question question = {.problem = &setup->problem,
                                   .promise = &setup->promise,
                                   .objective = &setup->objective,
                                   .options = &made->job->options,
                                   .wants_release = true};
    for (unsigned i = 0; i < n_runs; i++) {
        kan_answer answer;
        const double start = bench_cpu_ms();
        KAN_TRY(bench_search_once(setup->search, made->run, &question, &answer));
        times[i] = bench_cpu_ms() - start;
        kan_answer_destroy(made->run, &answer);
    }
    return KAN_OK;
}

static double median_of(double *times, unsigned n) {
    if (n == 0)
        return NAN;
    qsort(times, n, sizeof *times, compare_reals);
    return n % 2 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2;
}

static kan_status measure(mondrian_case *made, unsigned n_runs, double *times, local_result *out) {
    kan_solution solution = {.setup = &made->setup};
    kan_status status = time_search(made, n_runs, times);
    if (status != KAN_OK)
        return status;
    status = kan_solution_find(&made->setup, &(kan_solution_wants){.release = true}, &solution);
    if (status == KAN_OK)
        *out = (local_result){.cpu_ms = median_of(times, n_runs),
                              .wall_ms = solution.search_ms,
                              .distortion = mondrian_metric(&solution, "distortion"),
                              .precision = mondrian_metric(&solution, "precision"),
                              .ncp = mondrian_metric(&solution, "ncp"),
                              .discernibility = mondrian_metric(&solution, "discernibility"),
                              .n_groups = solution.groups.n_groups};
    kan_solution_destroy(&solution);
    return status;
}

int local_measure_columns(const bench_table *table, const char *const *columns, unsigned n_columns,
                          const char *const *settings, unsigned n_runs, local_result *out) {
    mondrian_case made;
    double *times = calloc(n_runs + 1, sizeof *times);
    int failed = mondrian_case_make(table, columns, n_columns, settings, &made);
    if (!failed) {
        kan_run_set_threads(made.run, 1);
        failed = !times || measure(&made, n_runs, times, out) != KAN_OK;
        if (failed)
            fprintf(stderr, "kanon-bench: %s: %s\n", made.setup.search->kind.name,
                    times ? kan_run_error(made.run) : "out of memory");
    }
    mondrian_case_destroy(&made);
    free(times);
    return failed;
}

int local_measure(const bench_table *table, unsigned n_columns, const char *const *settings,
                  unsigned n_runs, local_result *out) {
    return local_measure_columns(table, mondrian_columns, n_columns, settings, n_runs, out);
}

/* Searches over levels look for the least distortion. Those of the paper need not be told: what they
 * make is improved by it, where it is. */
int local_measure_point(const bench_table *table, const local_point *point, const char *algorithm,
                        const char *improve, unsigned n_runs, local_result *out) {
    const bool is_local =
        strcmp(algorithm, "progressive") == 0 || strcmp(algorithm, "top-down") == 0;
    const char *settings[] = {"algorithm",
                              algorithm,
                              "hierarchies",
                              table->hierarchies,
                              "k",
                              point->k,
                              "sensitive",
                              "salary-class",
                              "alpha",
                              point->alpha,
                              "alpha-value",
                              ">50K",
                              improve    ? "improve"
                              : is_local ? NULL
                                         : "cost",
                              improve ? improve : "distortion",
                              NULL};
    return local_measure(table, point->n_columns, settings, n_runs, out);
}
