/* Local recoding beside other ways of recoding: the 30,162-row Adult, k = 5, eight
 * quasi-identifiers, no sensitive column. docs/benchmarks/local-recoding.md has the figures of
 * other programs. */
#include <math.h>
#include <stdio.h>

#include "local.h"
#include "mondrian.h"

enum {
    ITERATE,
    PROGRESSIVE,
    TOP_DOWN,
    PROGRESSIVE_IMPROVED,
    TOP_DOWN_IMPROVED,
    MONDRIAN,
    BISECT,
    N_RIVALS
};
static const struct {
    const char *name, *algorithm;
    bool is_improved; /* with the first of the budgets */
} rivals[N_RIVALS] = {{"iterate", "iterate", false},
                      {"progressive", "progressive", false},
                      {"top-down", "top-down", false},
                      {"progressive", "progressive", true},
                      {"top-down", "top-down", true},
                      {"mondrian", "mondrian", false},
                      {"bisect (full-domain)", "bisect", false}};

static int measure(const bench_table *table, const local_plan *plan, unsigned r,
                   local_result *out) {
    const bool is_improved = rivals[r].is_improved;
    const bool is_paper = r == PROGRESSIVE || r == TOP_DOWN;
    const char *settings[] = {
        "algorithm", rivals[r].algorithm, "hierarchies", table->hierarchies, "k", "5",
        /* without one, the searches of the paper do what they do */
        is_paper ? NULL : "cost", "ncp", is_improved ? "improve" : NULL, plan->budgets[0], NULL};
    return local_measure(table, MONDRIAN_COLUMNS, settings, is_improved ? 1 : plan->n_runs, out);
}

static void print_cost(const char *format, double value) {
    if (isnan(value))
        fputs(" - |", stdout);
    else
        printf(format, value);
}

static void print_row(const local_plan *plan, unsigned r, const local_result *result) {
    printf("| %s", rivals[r].name);
    if (rivals[r].is_improved)
        printf(" --improve %s", plan->budgets[0]);
    printf(" | %llu |", (unsigned long long)result->n_groups);
    print_cost(" %.0f |", result->discernibility);
    print_cost(" %.4f |", result->ncp);
    print_cost(" %.4f |", result->precision);
    print_cost(" %.4f |", result->distortion);
    printf(" %.1f |\n", result->cpu_ms);
    fflush(stdout);
}

int local_peers(const local_plan *plan) {
    bench_table table;
    local_result results[N_RIVALS];
    if (bench_table_adult("adult-30162.csv", "adult", &table) != 0) {
        puts("peers: skipped");
        return 0;
    }
    puts("Peers: Adult, 30,162 rows, 8 columns, hierarchies, k = 5, no sensitive column, --cost "
         "ncp; CPU ms of the search, one thread\n\n"
         "| recoding | groups | C_DM | ncp | precision | distortion | ms |\n"
         "|---|---:|---:|---:|---:|---:|---:|");
    for (unsigned r = 0; r < N_RIVALS; r++) {
        if (rivals[r].is_improved && plan->n_budgets == 0)
            continue;
        if (measure(&table, plan, r, &results[r]) != 0)
            return 1;
        print_row(plan, r, &results[r]);
    }
    putchar('\n');
    return 0;
}
