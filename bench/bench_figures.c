/* The figures of Incognito's section 4 with our searches: Figure 10, time by number of columns;
 * Figure 11, time by k; Figure 12, building the cube against searching with it. As tables, as
 * pictures (--out DIR), and in words.
 *
 * All searches are asked for the whole solution space, nothing suppressed, with the node of least
 * height in it as the best; those that are complete must agree on it, or the command fails. The
 * table is folded once for each prefix of its columns, and the times are those of the searches
 * alone: where the paper's scans read the table, ours read the folded base. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "chart.h"
#include "figures.h"

const char *const figures_searches[FIGURES_SEARCHES] = {
    "bottom-up",      "bottom-up-rollup", "samarati",     "incognito", "incognito-superroots",
    "incognito-cube", "bisect",           "hash-minimal", "datafly",   "exhaustive"};
const char *const figures_ks[FIGURES_KS] = {"2", "5", "10", "25", "50"};

const trial_result *figures_find(const figure_data *figures, unsigned size, unsigned k,
                                 const char *search) {
    unsigned s = 0;
    while (s + 1 < FIGURES_SEARCHES && strcmp(figures_searches[s], search) != 0)
        s++;
    return &figures->results[size][k][s];
}

/* ---- measuring ------------------------------------------------------------------------------ */

/* A search that a smaller prefix took over the budget is not tried on a larger one; the k that are
 * measured at one size alone go by the first. */
static bool is_hopeless(const figure_data *figures, unsigned size, unsigned k, unsigned search) {
    for (unsigned smaller = 0; smaller < size; smaller++)
        if (figures->results[smaller][k == FIGURES_K10 ? k : FIGURES_K2][search].state ==
            TRIAL_OVER)
            return true;
    return false;
}

static trial_question question_of(const figure_data *figures, unsigned k) {
    return (trial_question){.k = figures_ks[k],
                            .limit = "0",
                            .cost = "height",
                            .wants_all = true,
                            .budget_s = figures->budget_s};
}

static void measure_k(figure_data *figures, const trial_fold *fold, unsigned size, unsigned k) {
    const trial_question question = question_of(figures, k);
    for (unsigned s = 0; s < FIGURES_SEARCHES; s++) {
        const kan_search_kind *search = trial_search_find(figures_searches[s]);
        if (!search || is_hopeless(figures, size, k, s))
            continue;
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\r%s, %u columns, k = %s: %-24s", figures->data, FIGURES_FIRST + size,
                    figures_ks[k], figures_searches[s]);
        figures->results[size][k][s] = trial_run(fold, search, &question);
    }
}

static int measure(const trial_rows *rows, figure_data *figures) {
    int failed = 0;
    for (unsigned size = 0; size < figures->n_sizes && !failed; size++) {
        trial_fold fold;
        const unsigned n_columns = FIGURES_FIRST + size;
        failed = trial_fold_make(rows, n_columns, &fold);
        if (!failed) {
            const trial_question question = question_of(figures, FIGURES_K2);
            figures->n_tuples[size] = fold.setup.problem.base.n;
            for (unsigned k = 0; k < FIGURES_KS; k++)
                if (k == FIGURES_K2 || k == FIGURES_K10 || n_columns == figures->fixed_size)
                    measure_k(figures, &fold, size, k);
            figures->cube_ms[size] = trial_cube_ms(&fold, &question);
        }
        trial_fold_destroy(&fold);
    }
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%70s\r", "");
    return failed;
}

/* Whether all searches that found every anonymous node found the same number of them and of minimal
 * ones, and an equally good best. */
static bool do_agree(const figure_data *figures, unsigned size, unsigned k) {
    const kan_answer *first = NULL;
    bool is_same = true;
    for (unsigned s = 0; s < FIGURES_SEARCHES; s++) {
        const trial_result *result = &figures->results[size][k][s];
        const kan_answer *answer = &result->answer;
        if (result->state != TRIAL_DONE || !answer->is_complete)
            continue;
        if (first &&
            (answer->n_anonymous != first->n_anonymous || answer->n_minimal != first->n_minimal ||
             kan_score_compare(&answer->score, &first->score) != 0)) {
            printf("DIFFERS: %u columns, k = %s: %s finds %" PRIu64 " anonymous and %zu minimal "
                   "nodes, not %" PRIu64 " and %zu\n",
                   FIGURES_FIRST + size, figures_ks[k], figures_searches[s], answer->n_anonymous,
                   answer->n_minimal, first->n_anonymous, first->n_minimal);
            is_same = false;
        }
        first = first ? first : answer;
    }
    return is_same;
}

static int check_agreement(const figure_data *figures) {
    int failed = 0;
    for (unsigned size = 0; size < figures->n_sizes; size++)
        for (unsigned k = 0; k < FIGURES_KS; k++)
            failed |= !do_agree(figures, size, k);
    if (!failed)
        puts("\nAll complete searches agree on the numbers of anonymous and minimal nodes.");
    return failed;
}

/* ---- tables --------------------------------------------------------------------------------- */

static void print_ms(double ms) {
    printf(" %9.*f", ms < 1 ? 3 : ms < 100 ? 2 : 0, ms);
}

static void print_cell(const trial_result *result, double budget_s) {
    char over[32];
    snprintf(over, sizeof over, "> %g s", budget_s);
    if (result->state == TRIAL_DONE)
        print_ms(result->ms);
    else
        printf(" %9s", result->state == TRIAL_OVER      ? over
                       : result->state == TRIAL_REFUSED ? "refused"
                                                        : "-");
}

static void print_columns(const figure_data *figures) {
    printf("  %-22s", "columns");
    for (unsigned size = 0; size < figures->n_sizes; size++)
        printf(" %9u", FIGURES_FIRST + size);
    printf("\n  %-22s", "tuples of the base");
    for (unsigned size = 0; size < figures->n_sizes; size++)
        printf(" %9zu", figures->n_tuples[size]);
    putchar('\n');
}

static bool is_missing(const char *search) {
    if (trial_search_find(search))
        return false;
    printf("  %-22s missing: there is no search of that name\n", search);
    return true;
}

static void print_figure_10(const figure_data *figures, unsigned k) {
    printf("\nFigure 10, %s, k = %s: CPU time of the search, one thread, ms\n", figures->data,
           figures_ks[k]);
    print_columns(figures);
    for (unsigned s = 0; s < FIGURES_SEARCHES; s++) {
        if (is_missing(figures_searches[s]))
            continue;
        printf("  %-22s", figures_searches[s]);
        for (unsigned size = 0; size < figures->n_sizes; size++)
            print_cell(&figures->results[size][k][s], figures->budget_s);
        putchar('\n');
    }
}

static void print_figure_11(const figure_data *figures) {
    printf("\nFigure 11, %s, %u columns: CPU time of the search by k, ms\n  %-22s", figures->data,
           figures->fixed_size, "k");
    for (unsigned k = 0; k < FIGURES_KS; k++)
        printf(" %9s", figures_ks[k]);
    putchar('\n');
    for (unsigned s = 0; s < FIGURES_SEARCHES; s++) {
        if (is_missing(figures_searches[s]))
            continue;
        printf("  %-22s", figures_searches[s]);
        for (unsigned k = 0; k < FIGURES_KS; k++)
            print_cell(&figures->results[figures->fixed_size - FIGURES_FIRST][k][s],
                       figures->budget_s);
        putchar('\n');
    }
}

/* What is left of incognito-cube without the building; NAN where that is not known. */
static double after_building(const figure_data *figures, unsigned size, unsigned k) {
    const trial_result *cube = figures_find(figures, size, k, "incognito-cube");
    if (cube->state != TRIAL_DONE || figures->cube_ms[size] < 0)
        return NAN;
    double rest = cube->ms - figures->cube_ms[size];
    return rest > 0 ? rest : 0;
}

static void print_figure_12(const figure_data *figures) {
    printf("\nFigure 12, %s, k = 2: building the cube and searching with it, CPU time, ms\n",
           figures->data);
    print_columns(figures);
    printf("  %-22s", "building");
    for (unsigned size = 0; size < figures->n_sizes; size++)
        if (figures->cube_ms[size] < 0)
            printf(" %9s", "failed");
        else
            print_ms(figures->cube_ms[size]);
    putchar('\n');
    if (!is_missing("incognito-cube")) {
        printf("  %-22s", "incognito-cube");
        for (unsigned size = 0; size < figures->n_sizes; size++)
            print_cell(figures_find(figures, size, FIGURES_K2, "incognito-cube"),
                       figures->budget_s);
        printf("\n  %-22s", "  less the building");
        for (unsigned size = 0; size < figures->n_sizes; size++) {
            double rest = after_building(figures, size, FIGURES_K2);
            if (isnan(rest))
                printf(" %9s", "-");
            else
                print_ms(rest);
        }
        putchar('\n');
    }
    if (!is_missing("incognito")) {
        printf("  %-22s", "incognito (basic)");
        for (unsigned size = 0; size < figures->n_sizes; size++)
            print_cell(figures_find(figures, size, FIGURES_K2, "incognito"), figures->budget_s);
        putchar('\n');
    }
}

/* ---- pictures ------------------------------------------------------------------------------- */

typedef double points[FIGURES_SIZES];

/* The picture DIR/figure-NAME.svg of the series that have a point. 0 on success. */
static int save(const char *dir, const char *name, line_chart *chart) {
    char path[1024];
    snprintf(path, sizeof path, "%s/figure-%s.svg", dir, name);
    if (chart->n_series == 0) {
        printf("not drawn, no search finished in time: %s\n", path);
        return 0;
    }
    if (!chart_save(chart, path))
        return 1;
    printf("wrote %s\n", path);
    return 0;
}

static double point(const trial_result *result) {
    return result->state == TRIAL_DONE ? result->ms : NAN;
}

/* One series per registered search, of the n results that `at` picks. */
static size_t search_series(const figure_data *figures, unsigned n, bool is_by_k, unsigned fixed,
                            const double *x, points *y, chart_series *series) {
    size_t n_series = 0;
    for (unsigned s = 0; s < FIGURES_SEARCHES; s++) {
        bool is_drawn = false;
        for (unsigned i = 0; i < n; i++) {
            y[n_series][i] =
                point(is_by_k ? &figures->results[fixed][i][s] : &figures->results[i][fixed][s]);
            is_drawn |= isfinite(y[n_series][i]);
        }
        if (!is_drawn)
            continue;
        series[n_series] = (chart_series){
            .name = figures_searches[s], .look = s, .n = n, .x = x, .y = y[n_series]};
        n_series++;
    }
    return n_series;
}

static int draw_figure_10(const figure_data *figures, const char *dir, unsigned k) {
    char title[128], name[64], caption[256];
    double x[FIGURES_SIZES];
    points y[FIGURES_SEARCHES];
    chart_series series[FIGURES_SEARCHES];
    for (unsigned i = 0; i < figures->n_sizes; i++)
        x[i] = FIGURES_FIRST + i;
    snprintf(title, sizeof title, "Figure 10: %s, k = %s, by number of quasi-identifiers",
             figures->data, figures_ks[k]);
    snprintf(name, sizeof name, "10-%s-k%s", figures->data, figures_ks[k]);
    snprintf(caption, sizeof caption,
             "%" PRIu64 " rows, folded before; CPU time of the search alone, one thread. Searches "
             "that took longer than %g s have no point.",
             figures->n_rows, figures->budget_s);
    line_chart chart = {
        .title = title,
        .description = "Time of each full-domain search for growing prefixes of "
                       "the columns; the numbers stand in the table that "
                       "kanon-bench figures prints.",
        .caption = caption,
        .x = {.label = "quasi-identifiers", .n_ticks = figures->n_sizes, .ticks = x},
        .y = {.label = "CPU time, ms", .is_log = true},
        .series = series};
    chart.n_series = search_series(figures, figures->n_sizes, false, k, x, y, series);
    return save(dir, name, &chart);
}

static int draw_figure_11(const figure_data *figures, const char *dir) {
    char title[128], name[64];
    double x[FIGURES_KS];
    points y[FIGURES_SEARCHES];
    chart_series series[FIGURES_SEARCHES];
    for (unsigned k = 0; k < FIGURES_KS; k++)
        x[k] = strtod(figures_ks[k], NULL);
    snprintf(title, sizeof title, "Figure 11: %s, %u quasi-identifiers, by k", figures->data,
             figures->fixed_size);
    snprintf(name, sizeof name, "11-%s", figures->data);
    line_chart chart = {
        .title = title,
        .description = "Time of each full-domain search for growing k; the numbers "
                       "stand in the table that kanon-bench figures prints.",
        .caption = "CPU time of the search alone, one thread.",
        .x = {.label = "k (logarithmic)", .is_log = true, .n_ticks = FIGURES_KS, .ticks = x},
        .y = {.label = "CPU time, ms", .is_log = true},
        .series = series};
    chart.n_series =
        search_series(figures, FIGURES_KS, true, figures->fixed_size - FIGURES_FIRST, x, y, series);
    return save(dir, name, &chart);
}

static int draw_figure_12(const figure_data *figures, const char *dir) {
    static const char *const names[] = {"building the cube", "searching with it",
                                        "both: incognito-cube", "incognito (basic)"};
    enum { N = sizeof names / sizeof *names };
    char title[128], name[64];
    double x[FIGURES_SIZES];
    points y[N];
    chart_series series[N];
    for (unsigned i = 0; i < figures->n_sizes; i++) {
        x[i] = FIGURES_FIRST + i;
        y[0][i] = figures->cube_ms[i] < 0 ? NAN : figures->cube_ms[i];
        y[1][i] = after_building(figures, i, FIGURES_K2);
        y[2][i] = point(figures_find(figures, i, FIGURES_K2, "incognito-cube"));
        y[3][i] = point(figures_find(figures, i, FIGURES_K2, "incognito"));
    }
    for (unsigned s = 0; s < N; s++)
        series[s] =
            (chart_series){.name = names[s], .look = s, .n = figures->n_sizes, .x = x, .y = y[s]};
    snprintf(title, sizeof title, "Figure 12: %s, k = 2, what the cube costs", figures->data);
    snprintf(name, sizeof name, "12-%s", figures->data);
    line_chart chart = {
        .title = title,
        .description = "Time of building the zero-generalization frequency sets of "
                       "all subsets, of searching with them, and of the basic "
                       "search without them.",
        .caption = "CPU time, one thread.",
        .x = {.label = "quasi-identifiers", .n_ticks = figures->n_sizes, .ticks = x},
        .y = {.label = "CPU time, ms", .is_log = true},
        .n_series = N,
        .series = series};
    return save(dir, name, &chart);
}

static int draw(const figure_data *figures, const char *dir) {
    (void)mkdir(dir, 0777); /* when it is there already, all the better */
    return draw_figure_10(figures, dir, FIGURES_K2) | draw_figure_10(figures, dir, FIGURES_K10) |
           draw_figure_11(figures, dir) | draw_figure_12(figures, dir);
}

/* ---- the command ---------------------------------------------------------------------------- */

static int measure_and_print(const bench_table *table, const bench_option *options,
                             figure_data *figures) {
    trial_rows rows;
    const char *dir = bench_option_value(options, "--out");
    uint64_t memory = 0;
    int failed = trial_rows_read(table, &rows);
    if (!failed) {
        /* The sets of a large cube must not push the machine into its swap. */
        if (!kan_parse_bytes(bench_option_value(options, "--memory"), &memory))
            memory = 0;
        kan_run_set_memory(rows.run, memory);
        figures->n_rows = kan_table_n_rows(rows.table);
        printf("%s, %" PRIu64 " rows; at most %g s for each search\n", table->name, figures->n_rows,
               figures->budget_s);
        failed = measure(&rows, figures);
    }
    if (!failed) {
        print_figure_10(figures, FIGURES_K2);
        print_figure_10(figures, FIGURES_K10);
        print_figure_11(figures);
        print_figure_12(figures);
        failed = check_agreement(figures);
        failed |= dir ? draw(figures, dir) : 0;
        figures_print_findings(figures);
    }
    trial_rows_close(&rows);
    return failed;
}

int bench_figures(int argc, char **argv) {
    char half[32];
    snprintf(half, sizeof half, "%ldM",
             sysconf(_SC_PHYS_PAGES) / 2048 * sysconf(_SC_PAGESIZE) / 1024);
    bench_option options[] = {
        {"--data", "adult (default) or sales, the synthetic Lands End table", "adult"},
        {"--rows", "rows of the sales table (default 4,591,581)", "0"},
        {"--out", "draw the figures as SVG files in this directory", NULL},
        {"--budget", "seconds that each search may take (default 60)", "60"},
        {"--memory", "memory budget (default half of the machine's)", half},
        {NULL, NULL, NULL}};
    int status;
    if (!bench_options_read(argc, argv,
                            "Times of every full-domain search: Figures 10, 11 and 12 of the "
                            "Incognito paper.",
                            options, &status))
        return status;
    const bool is_sales = strcmp(bench_option_value(options, "--data"), "sales") == 0;
    if (!is_sales && strcmp(bench_option_value(options, "--data"), "adult") != 0) {
        fputs("kanon-bench figures: --data is adult or sales\n", stderr);
        return 2;
    }
    bench_table table;
    uint64_t rows = strtoull(bench_option_value(options, "--rows"), NULL, 10);
    if (is_sales ? bench_table_generate("sales", rows, &table)
                 : bench_table_adult("adult.csv", "adult", &table))
        return 1;
    figure_data *made = calloc(1, sizeof *made);
    int failed = 1;
    if (made) {
        made->data = is_sales ? "sales" : "adult";
        made->n_sizes = table.n_columns - FIGURES_FIRST + 1;
        made->fixed_size = is_sales ? 6 : 8; /* the paper's choice */
        made->budget_s = strtod(bench_option_value(options, "--budget"), NULL);
        failed = measure_and_print(&table, options, made);
    }
    free(made);
    bench_table_remove(&table);
    return failed;
}
