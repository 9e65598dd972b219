/* kanon-bench mondrian: greedy multidimensional partitioning, its quality, the paper's claims, its
 * speed. See mondrian.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"
#include "mondrian.h"

const char *const mondrian_columns[MONDRIAN_COLUMNS] = {
    "age",        "work-class", "education", "marital-status",
    "occupation", "race",       "gender",    "native-country"};

const char *mondrian_verdict(bool is_met) {
    return is_met ? "ok" : "MISSED";
}

int mondrian_case_make(const bench_table *table, const char *const *columns, unsigned n_columns,
                       const char *const *settings, mondrian_case *out) {
    *out = (mondrian_case){.run = kan_run_create()};
    int failed = !out->run || kan_job_create(out->run, &out->job) ||
                 kan_job_set(out->job, "input", table->table);
    for (unsigned i = 0; i < n_columns && !failed; i++)
        failed = kan_job_set(out->job, "qi", columns[i]) != KAN_OK;
    for (; *settings && !failed; settings += 2)
        failed = kan_job_set(out->job, settings[0], settings[1]) != KAN_OK;
    failed = failed || kan_job_prepare_run(out->job) != KAN_OK;
    if (!failed) {
        out->has_setup = true;
        failed = kan_setup_make(out->job, &out->setup) != KAN_OK;
    }
    if (failed)
        fprintf(stderr, "kanon-bench: %s\n", out->run ? kan_run_error(out->run) : "out of memory");
    return failed;
}

void mondrian_case_destroy(mondrian_case *made) {
    if (made->has_setup)
        kan_setup_destroy(&made->setup);
    kan_job_destroy(made->job);
    kan_run_destroy(made->run);
}

double mondrian_metric(const kan_solution *solution, const char *name) {
    for (size_t i = 0; i < solution->n_metrics; i++)
        if (solution->metrics[i].is_known && strcmp(solution->metrics[i].name, name) == 0)
            return solution->metrics[i].score.real;
    return NAN;
}

int bench_mondrian(int argc, char **argv) {
    bench_option options[] = {
        {"--part", "quality, claims or speed (default all)", NULL},
        {"--budget", "seconds that k-optimize may take for each k (default 10)", "10"},
        {"--most", "yes: rows up to 10^7.6, which takes some 3 GB of disk and 4 of memory", "no"},
        {"--out", "draw the figures as SVG files in this directory", NULL},
        {NULL, NULL, NULL}};
    static const struct {
        const char *name;
        int (*run)(const mondrian_plan *plan);
    } parts[] = {
        {"quality", mondrian_quality}, {"claims", mondrian_claims}, {"speed", mondrian_speed}};
    int status, failed = 0;
    if (!bench_options_read(argc, argv,
                            "Mondrian: quality beside other programs, the paper's claims, speed.",
                            options, &status))
        return status;
    const char *part = bench_option_value(options, "--part");
    const char *budget = bench_option_value(options, "--budget");
    mondrian_plan plan = {.out = bench_option_value(options, "--out"),
                          .goes_far = strcmp(bench_option_value(options, "--most"), "yes") == 0};
    if (!kan_parse_real(budget, strlen(budget), &plan.budget_s) || plan.budget_s <= 0) {
        fputs("kanon-bench mondrian: --budget is a number of seconds\n", stderr);
        return 2;
    }
    if (plan.out)
        (void)mkdir(plan.out, 0777); /* when it is there already, all the better */
    bool is_known = part == NULL;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!part || strcmp(part, parts[i].name) == 0) {
            failed |= parts[i].run(&plan);
            is_known = true;
        }
    if (!is_known) {
        fprintf(stderr, "kanon-bench mondrian: --part %s: it is quality, claims or speed\n", part);
        return 2;
    }
    return failed;
}
