/* What the paper claims: groups of a multidimensional partition are smaller than those of the best
 * recodings of whole domains. The 45,222-row Adult; full-domain optima are proven, k-optimize has
 * its time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "mondrian.h"

enum { N_KS = 6, N_RIVALS = 7, N_OURS = 2 };
static const char *const ks[N_KS] = {"2", "5", "10", "25", "50", "100"};

static const struct {
    const char *name, *algorithm, *cost, *suppress;
    /* Where it is shown. The paper's average knows no suppression, so those that may suppress are
     * not compared by it. */
    bool in_discernibility, in_average;
} rivals[N_RIVALS] = {
    {"mondrian", "mondrian", "discernibility", "0", true, true},
    {"mondrian-relaxed", "mondrian-relaxed", "discernibility", "0", true, true},
    {"full-domain", "bisect", "discernibility", "0", true, false},
    {"full-domain *", "bisect", "discernibility", "all", true, false},
    {"k-optimize *", "k-optimize", "discernibility", "all", true, false},
    {"full-domain", "bisect", "average-class", "0", false, true},
    {"k-optimize", "k-optimize", "discernibility", "0", true, true},
};

#define APPLIES    "Adult, 45,222 rows, 8 quasi-identifiers."
#define SUPPRESSES " * may suppress rows, each at the cost of the number of rows."

typedef struct {
    double discernibility[N_RIVALS][N_KS], average[N_RIVALS][N_KS];
} figures;

static int measure(const bench_table *table, const mondrian_plan *plan, unsigned r, unsigned k,
                   figures *out) {
    char budget[32];
    mondrian_case made;
    snprintf(budget, sizeof budget, "%g", plan->budget_s);
    const char *settings[] = {"algorithm", rivals[r].algorithm, "hierarchies", table->hierarchies,
                              "k", ks[k], "suppress", rivals[r].suppress,
                              /* Mondrian as it is when nobody says more: cuts of the widest. */
                              r < N_OURS ? NULL : "cost", rivals[r].cost, "time-limit", budget,
                              NULL};
    int failed = mondrian_case_make(table, mondrian_columns, MONDRIAN_COLUMNS, settings, &made);
    if (!failed) {
        kan_solution solution = {.setup = &made.setup};
        if (r >= N_OURS)
            kan_run_set_time_limit(made.run, plan->budget_s); /* from now on */
        failed = kan_solution_find(&made.setup, &(kan_solution_wants){.release = true},
                                   &solution) != KAN_OK;
        if (failed)
            fprintf(stderr, "kanon-bench: %s: %s\n", rivals[r].name, kan_run_error(made.run));
        out->discernibility[r][k] = failed ? NAN : mondrian_metric(&solution, "discernibility");
        out->average[r][k] = failed ? NAN : mondrian_metric(&solution, "average-class");
        kan_solution_destroy(&solution);
    }
    mondrian_case_destroy(&made);
    return failed;
}

/* One of the two costs: a table, and whether each of ours is below all others. */
typedef struct {
    const char *title, *label, *file;
    bool is_average;
} claim;

static bool is_shown(const claim *c, unsigned r) {
    return c->is_average ? rivals[r].in_average : rivals[r].in_discernibility;
}

static double value_of(const claim *c, const figures *f, unsigned r, unsigned k) {
    return c->is_average ? f->average[r][k] : f->discernibility[r][k];
}

static void print_claim(const claim *c, const figures *f) {
    printf("%s (45,222 rows of Adult, 8 columns)\n\n| k |", c->title);
    for (unsigned r = 0; r < N_RIVALS; r++)
        if (is_shown(c, r))
            printf(" %s |", rivals[r].name);
    printf("\n|---:|");
    for (unsigned r = 0; r < N_RIVALS; r++)
        if (is_shown(c, r))
            printf("---:|");
    putchar('\n');
    bool is_below[N_OURS] = {true, true};
    for (unsigned k = 0; k < N_KS; k++) {
        printf("| %s |", ks[k]);
        for (unsigned r = 0; r < N_RIVALS; r++) {
            const double value = value_of(c, f, r, k);
            if (!is_shown(c, r))
                continue;
            printf(c->is_average ? " %.3f |" : " %.0f |", value);
            for (unsigned ours = 0; r >= N_OURS && ours < N_OURS; ours++)
                is_below[ours] &= value_of(c, f, ours, k) < value;
        }
        putchar('\n');
    }
    printf("\n%s", c->is_average ? "" : APPLIES SUPPRESSES "\n");
    for (unsigned ours = 0; ours < N_OURS; ours++)
        printf("%s below all others: %s\n", rivals[ours].name, mondrian_verdict(is_below[ours]));
    putchar('\n');
}

static int draw_claim(const claim *c, const figures *f, const char *dir) {
    chart_series series[N_RIVALS];
    double x[N_KS], y[N_RIVALS][N_KS];
    char path[600];
    size_t n = 0;
    for (unsigned k = 0; k < N_KS; k++)
        x[k] = strtod(ks[k], NULL);
    for (unsigned r = 0; r < N_RIVALS; r++) {
        if (!is_shown(c, r))
            continue;
        for (unsigned k = 0; k < N_KS; k++)
            y[r][k] = value_of(c, f, r, k) / (c->is_average ? 1 : 1e6);
        series[n++] =
            (chart_series){.name = rivals[r].name, .look = r, .n = N_KS, .x = x, .y = y[r]};
    }
    const line_chart chart = {.title = c->title,
                              .description = "Lines of each way of recoding over k; those of "
                                             "mondrian lie below the others.",
                              .caption = c->is_average ? APPLIES : APPLIES SUPPRESSES,
                              .x = {.label = "k", .is_log = true, .n_ticks = N_KS, .ticks = x},
                              .y = {.label = c->label, .is_log = true},
                              .n_series = n,
                              .series = series};
    snprintf(path, sizeof path, "%s/%s.svg", dir, c->file);
    return !chart_save(&chart, path);
}

int mondrian_claims(const mondrian_plan *plan) {
    static const claim claims[] = {
        {"Discernibility", "discernibility, millions", "mondrian-discernibility", false},
        {"Average class size over k", "average class over k", "mondrian-average-class", true}};
    bench_table table;
    figures f;
    int failed = 0;
    if (bench_table_adult("adult.csv", "adult", &table) != 0) {
        puts("claims: skipped");
        return 0;
    }
    for (unsigned r = 0; r < N_RIVALS; r++)
        for (unsigned k = 0; k < N_KS; k++)
            failed |= measure(&table, plan, r, k, &f);
    for (unsigned i = 0; i < sizeof claims / sizeof *claims; i++) {
        print_claim(&claims[i], &f);
        if (plan->out)
            failed |= draw_claim(&claims[i], &f, plan->out);
    }
    return failed;
}
