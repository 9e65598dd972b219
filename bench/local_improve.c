/* What improving a local recoding is worth: the distortion of the settings of the figures before,
 * and after some seconds of it. */
#include <math.h>
#include <stdio.h>

#include "chart.h"
#include "local.h"

enum { N_SEARCHES = 2, MOST_LINES = N_SEARCHES * (LOCAL_MOST_BUDGETS + 1) };
static const char *const searches[N_SEARCHES] = {"progressive", "top-down"};

/* Distortion by search, budget (0: none) and point. */
typedef struct {
    double x[LOCAL_POINTS];
    double distortion[N_SEARCHES][LOCAL_MOST_BUDGETS + 1][LOCAL_POINTS];
    double wall_ms[N_SEARCHES][LOCAL_MOST_BUDGETS + 1][LOCAL_POINTS];
} gains;

static const char *budget_of(const local_plan *plan, size_t b) {
    return b == 0 ? NULL : plan->budgets[b - 1];
}

static int measure(const bench_table *table, const local_plan *plan, unsigned k, local_axis axis,
                   gains *out) {
    for (unsigned i = 0; i < LOCAL_POINTS; i++) {
        const local_point point = local_point_of(k, axis, i);
        out->x[i] = point.x;
        for (unsigned s = 0; s < N_SEARCHES; s++)
            for (size_t b = 0; b <= plan->n_budgets; b++) {
                local_result result;
                if (local_measure_point(table, &point, searches[s], budget_of(plan, b), 0,
                                        &result) != 0)
                    return 1;
                out->distortion[s][b][i] = result.distortion;
                out->wall_ms[s][b][i] = result.wall_ms;
            }
    }
    return 0;
}

static void print_table(const local_plan *plan, const gains *g, unsigned k, local_axis axis) {
    printf(
        "Improvement, k = %s, by %s: distortion ratio (and what it is over that without; seconds "
        "of wall time in all)\n\n| %s |",
        local_ks[k], local_axis_name(axis), local_axis_name(axis));
    for (unsigned s = 0; s < N_SEARCHES; s++)
        for (size_t b = 0; b <= plan->n_budgets; b++)
            printf(" %s%s%s |", searches[s], b == 0 ? "" : " --improve ",
                   b == 0 ? "" : budget_of(plan, b));
    fputs("\n|---:|", stdout);
    for (size_t c = 0; c < N_SEARCHES * (plan->n_budgets + 1); c++)
        fputs("---:|", stdout);
    putchar('\n');
    for (unsigned i = 0; i < LOCAL_POINTS; i++) {
        printf("| %g |", g->x[i]);
        for (unsigned s = 0; s < N_SEARCHES; s++)
            for (size_t b = 0; b <= plan->n_budgets; b++) {
                const double before = g->distortion[s][0][i], after = g->distortion[s][b][i];
                printf(" %.4f", after);
                if (b > 0 && before > 0)
                    printf(" (%.3f; %.1f s)", after / before, g->wall_ms[s][b][i] / 1e3);
                fputs(" |", stdout);
            }
        putchar('\n');
    }
    putchar('\n');
    fflush(stdout);
}

/* Improving never makes it worse. */
static int check(const local_plan *plan, const gains *g, unsigned k, local_axis axis) {
    int failed = 0;
    for (unsigned s = 0; s < N_SEARCHES; s++)
        for (size_t b = 1; b <= plan->n_budgets; b++)
            for (unsigned i = 0; i < LOCAL_POINTS; i++)
                if (g->distortion[s][b][i] > g->distortion[s][0][i] + 1e-12) {
                    printf("WORSE: %s, k = %s, %s %g, --improve %s: %.6f, not %.6f\n", searches[s],
                           local_ks[k], local_axis_name(axis), g->x[i], budget_of(plan, b),
                           g->distortion[s][b][i], g->distortion[s][0][i]);
                    failed = 1;
                }
    return failed;
}

static int draw(const local_plan *plan, const gains *g, unsigned k, local_axis axis) {
    chart_series series[MOST_LINES];
    char names[MOST_LINES][48], title[120], path[600];
    size_t n = 0;
    for (unsigned s = 0; s < N_SEARCHES; s++)
        for (size_t b = 0; b <= plan->n_budgets; b++) {
            snprintf(names[n], sizeof names[n], "%s%s%s%s", searches[s], b == 0 ? "" : ", ",
                     b == 0 ? "" : budget_of(plan, b), b == 0 ? "" : " s");
            /* without improvement as in the paper's figures */
            series[n] = (chart_series){.name = names[n],
                                       .look = 2 + s + N_SEARCHES * b,
                                       .n = LOCAL_POINTS,
                                       .x = g->x,
                                       .y = g->distortion[s][b]};
            n++;
        }
    snprintf(title, sizeof title, "Distortion ratio before and after improving, by %s, k = %s",
             local_axis_name(axis), local_ks[k]);
    const line_chart chart = {
        .title = title,
        .description = "Lines of the distortion ratio of both local recodings, and of each after "
                       "some seconds of improvement, which lie lower.",
        .caption = axis == LOCAL_BY_ALPHA
                       ? "Adult, 45,222 rows; salary-class sensitive, >50K; 8 quasi-identifiers."
                       : "Adult, 45,222 rows; salary-class sensitive, >50K; alpha = 0.5.",
        .x = {.label = local_axis_name(axis), .n_ticks = LOCAL_POINTS, .ticks = g->x},
        .y = {.label = "distortion ratio"},
        .n_series = n,
        .series = series};
    snprintf(path, sizeof path, "%s/alpha-k-improve-k%s-%s.svg", plan->out, local_ks[k],
             axis == LOCAL_BY_ALPHA ? "alpha" : "size");
    return !chart_save(&chart, path);
}

int local_improve(const local_plan *plan) {
    bench_table table;
    int failed = 0;
    if (local_table_find(&table) != 0) {
        puts("improve: skipped");
        return 0;
    }
    for (unsigned k = 0; k < LOCAL_KS && !failed; k++)
        for (local_axis axis = 0; axis < LOCAL_AXES && plan->has_k[k] && !failed; axis++) {
            gains g;
            failed = measure(&table, plan, k, axis, &g);
            if (failed)
                break;
            print_table(plan, &g, k, axis);
            failed |= check(plan, &g, k, axis);
            if (plan->out)
                failed |= draw(plan, &g, k, axis);
        }
    return failed;
}
