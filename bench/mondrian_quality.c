/* How good the groups are: the 30,162-row Adult, strict, by ncp, beside the best figures that were
 * measured from other programs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "mondrian.h"

static const struct {
    const char *k;
    double goal; /* tight NCP, percent: below */
} goals[] = {{"5", 4.0}, {"10", 6.6}, {"50", 15.8}, {"100", 22.0}};
enum { N_GOALS = sizeof goals / sizeof *goals, K10 = 1 };
#define GOAL_DISCERNIBILITY 529000.0
#define GOAL_AVERAGE        1.54

static bool print_row(const kan_solution *solution, const mondrian_count *count, unsigned k,
                      const char *how) {
    const double least = strtod(goals[k].k, NULL), average = count->average / least;
    bool is_met = 100 * count->tight_ncp < goals[k].goal && (double)count->smallest >= least;
    printf("| %s | %s | %.2f %% | %.2f %% | < %.1f %% | %.0f%s | %.3f%s | %" PRIu64 " |",
           goals[k].k, how, 100 * mondrian_metric(solution, "ncp"), 100 * count->tight_ncp,
           goals[k].goal, count->discernibility, k == K10 ? " (529,000)" : "", average,
           k == K10 ? " (1.54)" : "", count->n_groups);
    if (k == K10)
        is_met = is_met && count->discernibility <= GOAL_DISCERNIBILITY && average <= GOAL_AVERAGE;
    printf(" %s |\n", mondrian_verdict(is_met));
    return is_met;
}

static int look(mondrian_case *made, unsigned k, const char *how, bool *is_met) {
    kan_solution solution = {.setup = &made->setup};
    kan_setup *setup = &made->setup;
    const kan_column *columns[KAN_MAX_ATTRIBUTES];
    mondrian_count count;
    int failed = 1;
    for (unsigned a = 0; a < setup->n_quasi; a++)
        columns[a] = &setup->table->columns[setup->quasi[a]];
    if (kan_solution_find(setup, &(kan_solution_wants){.release = true}, &solution) != KAN_OK ||
        kan_solution_find_rows(&solution) != KAN_OK)
        fprintf(stderr, "kanon-bench: %s\n", kan_run_error(made->run));
    else if (!mondrian_count_make(columns, setup->n_quasi, setup->table->n_rows,
                                  solution.by_group.group_of_row, solution.by_group.n_groups,
                                  &count))
        fputs("kanon-bench: out of memory\n", stderr);
    else
        failed = 0;
    if (!failed)
        *is_met &= print_row(&solution, &count, k, how);
    kan_solution_destroy(&solution);
    return failed;
}

int mondrian_quality(const mondrian_plan *plan) {
    bench_table table;
    bool is_met = true;
    int failed = 0;
    (void)plan;
    if (bench_table_adult("adult-30162.csv", "adult", &table) != 0) {
        puts("quality: skipped");
        return 0;
    }
    puts("Quality: Adult, 30,162 rows, 8 columns, mondrian --cost ncp\n\n"
         "| k | hierarchies | ncp | tight NCP | goal | C_DM (goal) | C_AVG (goal) | groups | |\n"
         "|---:|---|---:|---:|---:|---:|---:|---:|---|");
    for (int has_tree = 1; has_tree >= 0; has_tree--)
        for (unsigned k = 0; k < N_GOALS && !failed; k++) {
            const char *settings[] = {"algorithm",
                                      "mondrian",
                                      "cost",
                                      "ncp",
                                      "k",
                                      goals[k].k,
                                      has_tree ? "hierarchies" : NULL,
                                      table.hierarchies,
                                      NULL};
            mondrian_case made;
            failed =
                mondrian_case_make(&table, mondrian_columns, MONDRIAN_COLUMNS, settings, &made) ||
                look(&made, k, has_tree ? "with" : "without", &is_met);
            mondrian_case_destroy(&made);
        }
    if (!failed)
        printf("\nBelow every figure that was measured from other programs: %s\n\n",
               mondrian_verdict(is_met));
    return failed;
}
