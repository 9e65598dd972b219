/* From trials to lines of a chart: one for each method and limit, over all values of k. */
#include <stdio.h>
#include <stdlib.h>

#include "job/compare/compare_inside.h"
#include "report/k_chart.h"

/* All costs are measured in every trial, so lines of different objectives can be compared by one. */
static const char *shown_cost(const kan_compare *compare) {
    const char *metric = kan_options_at(&compare->job->options, "metrics", 0);
    return metric ? metric : compare->costs.values[0];
}

static size_t count_lines(const kan_compare *compare) {
    return compare->n_trials / (compare->ks.n ? compare->ks.n : 1);
}

kan_status kan_compare_check_chart(const kan_compare *compare) {
    if (!kan_options_find(&compare->job->options, "chart"))
        return KAN_OK;
    if (compare->ks.n == 0)
        return kan_fail(compare->run, KAN_BAD_INPUT,
                        "--chart draws costs against k, and no k is asked for; write --ks 2,5,10 "
                        "as well");
    if (count_lines(compare) > KAN_CURVE_MOST_LINES)
        return kan_fail(compare->run, KAN_BAD_INPUT,
                        "--chart would have %zu lines, and more than %d cannot be told apart; "
                        "compare fewer searches, limits or costs at a time",
                        count_lines(compare), (int)KAN_CURVE_MOST_LINES);
    return KAN_OK;
}

typedef struct {
    double k;
    size_t index; /* among compare->ks */
} ordered_k;

static int by_k(const void *a, const void *b) {
    const double x = ((const ordered_k *)a)->k, y = ((const ordered_k *)b)->k;
    return x < y ? -1 : x > y;
}

static kan_status name_line(const kan_compare *compare, const kan_compare_trial *trial,
                            const char **out) {
    kan_text text;
    kan_text_init(&text, compare->run);
    kan_text_print(&text, "%s", trial->recoding ? trial->recoding : trial->algorithm);
    if (trial->recoding && compare->algorithms.n > 1)
        kan_text_print(&text, ", %s", trial->algorithm);
    if (compare->costs.n > 1)
        kan_text_print(&text, ", least %s", trial->cost);
    if (compare->suppressions.n > 1)
        kan_text_print(&text, ", %s left out at most", trial->suppress);
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        status = kan_arena_copy(&compare->job->arena, text.bytes, text.size, out);
    kan_text_destroy(&text);
    return status;
}

/* Trials stand k by k: the trials of one k are the lines. */
static kan_status fill(const kan_compare *compare, const ordered_k *ks, kan_curve_line *lines,
                       double *figures) {
    const size_t n_lines = count_lines(compare), n_ks = compare->ks.n;
    char path[64];
    snprintf(path, sizeof path, "metrics.%s", shown_cost(compare));
    for (size_t l = 0; l < n_lines; l++) {
        double *cost = figures + 2 * l * n_ks, *risk = cost + n_ks;
        for (size_t i = 0; i < n_ks; i++) {
            const kan_compare_trial *trial = &compare->trials[ks[i].index * n_lines + l];
            cost[i] = kan_compare_number(trial, path);
            risk[i] = kan_compare_number(trial, "risk.average");
        }
        lines[l] = (kan_curve_line){.cost = cost, .risk = risk};
        KAN_TRY(name_line(compare, &compare->trials[l], &lines[l].name));
    }
    return KAN_OK;
}

static kan_status draw(const kan_compare *compare, kan_text *text) {
    kan_arena *arena = &compare->job->arena;
    const size_t n_lines = count_lines(compare), n_ks = compare->ks.n;
    ordered_k *order;
    kan_curve_line *lines;
    double *ks, *figures;
    KAN_TRY(kan_arena_alloc(arena, n_ks, sizeof *order, &order));
    KAN_TRY(kan_arena_alloc(arena, n_ks, sizeof *ks, &ks));
    KAN_TRY(kan_arena_alloc(arena, n_lines, sizeof *lines, &lines));
    KAN_TRY(kan_arena_alloc(arena, 2 * n_lines * n_ks, sizeof *figures, &figures));
    for (size_t i = 0; i < n_ks; i++) {
        uint64_t k = 1;
        (void)kan_parse_count(compare->ks.values[i], &k); /* checked when it was set */
        order[i] = (ordered_k){(double)k, i};
    }
    qsort(order, n_ks, sizeof *order, by_k);
    for (size_t i = 0; i < n_ks; i++)
        ks[i] = order[i].k;
    KAN_TRY(fill(compare, order, lines, figures));
    /* costs of releases that nobody gets depend on everybody in the table */
    return kan_curve_print(&(kan_curve){.title = "What privacy costs: releases by k. Private: for "
                                                 "those who may see the table",
                                        .cost = shown_cost(compare),
                                        .n_ks = n_ks,
                                        .n_lines = n_lines,
                                        .ks = ks,
                                        .lines = lines},
                           text);
}

kan_status kan_compare_write_chart(const kan_compare *compare) {
    const char *path = kan_options_find(&compare->job->options, "chart");
    kan_text text;
    if (!path)
        return KAN_OK;
    kan_text_init(&text, compare->run);
    kan_status status = draw(compare, &text);
    if (status == KAN_OK)
        status = kan_compare_write_text(compare, path, &text);
    kan_text_destroy(&text);
    return status;
}
