/* Medians and modes of regions: what --summary median shows of numbers, and --modes of text.
 *
 * The median of n numbers is the one that stands at place n / 2, rounded up: the lower of two in
 * the middle, so that it is always a number of the table, as it is written there. Unknown values do
 * not count; where there is no number it is *. Two regions with the same median have it together,
 * too: fewer than half of the numbers of either, rounded up, are below it.
 *
 * The mode is the value that most rows have, of several the first by its bytes. Two regions with
 * the same mode have it together, too: no other value has more rows in either, and none that stands
 * before it as many. So groups may be formed of regions by what they show. Sorting the values of
 * each region is all that takes time. */
#include <stdlib.h>
#include <string.h>

#include "job/solution/solution.h"

/* Rows of a region that have one value. */
typedef struct {
    uint32_t leaf;
    uint64_t n_rows;
} valued;

typedef struct {
    kan_solution *solution;
    unsigned attribute;
    kan_middle middle;
    size_t *start;      /* by region: the first of its values; two more entries */
    valued *values;     /* region by region */
    uint32_t *label_of; /* by leaf: its label + 1; one more entry, for no value at all */
    uint32_t star;      /* what shows no value at all: one more than the leaves, or that of * */
    kan_slice *labels;
    uint32_t n_labels;
} finding;

/* Calls for every portion of rows that have a value, in the order of the base. */
static void walk(finding *f, void (*one)(finding *f, uint32_t region, uint32_t leaf, uint64_t n)) {
    const kan_regions *regions = f->solution->answer.recoding.regions;
    const kan_problem *problem = f->solution->problem;
    const kan_slice *values = f->solution->setup->hierarchies[f->attribute]->levels[0].label;
    for (size_t t = 0; t < kan_problem_tuples(problem); t++) {
        const uint32_t leaf = kan_problem_tuple_value(problem, t, f->attribute);
        kan_portion single;
        const kan_portion *portions;
        if (kan_value_is_unknown(values[leaf]))
            continue;
        const size_t n = kan_regions_portions(regions, t, kan_problem_tuple_rows(problem, t),
                                              &single, &portions);
        for (size_t i = 0; i < n; i++)
            one(f, kan_solution_pile(f->solution, portions[i].region, f->attribute), leaf,
                portions[i].n_rows);
    }
}

/* Two places further on, so that filling in leaves each start in its own place. */
static void count_one(finding *f, uint32_t region, uint32_t leaf, uint64_t n) {
    (void)leaf;
    (void)n;
    f->start[region + 2]++;
}

static void place_one(finding *f, uint32_t region, uint32_t leaf, uint64_t n) {
    f->values[f->start[region + 1]++] = (valued){leaf, n};
}

static kan_status list_values(finding *f) {
    kan_run *run = f->solution->setup->run;
    const size_t n_regions = f->solution->answer.recoding.regions->n_regions;
    KAN_TRY(kan_alloc_zero(run, n_regions + 2, sizeof *f->start, &f->start));
    walk(f, count_one);
    for (size_t r = 0; r < n_regions; r++)
        f->start[r + 2] += f->start[r + 1];
    KAN_TRY(kan_alloc(run, f->start[n_regions + 1], sizeof *f->values, &f->values));
    walk(f, place_one);
    return KAN_OK;
}

static int compare_leaves(const void *a, const void *b) {
    const uint32_t x = ((const valued *)a)->leaf, y = ((const valued *)b)->leaf;
    return x < y ? -1 : x > y;
}

/* The leaf of the median of n > 0 values. Leaves stand by value. */
static uint32_t find_median(const valued *values, size_t n) {
    uint64_t n_rows = 0, before = 0;
    size_t i = 0;
    for (size_t j = 0; j < n; j++)
        n_rows += values[j].n_rows;
    while (before + values[i].n_rows < n_rows / 2 + n_rows % 2)
        before += values[i++].n_rows;
    return values[i].leaf;
}

/* The leaf of the mode of n > 0 values. Leaves of text stand as the hierarchy has them. */
static uint32_t find_mode(const valued *values, size_t n, const kan_slice *labels) {
    uint64_t most = 0;
    uint32_t mode = 0;
    for (size_t i = 0; i < n;) {
        const uint32_t leaf = values[i].leaf;
        uint64_t n_rows = 0;
        for (; i < n && values[i].leaf == leaf; i++)
            n_rows += values[i].n_rows;
        if (n_rows > most ||
            (n_rows == most && kan_slice_compare(labels[leaf], labels[mode]) < 0)) {
            most = n_rows;
            mode = leaf;
        }
    }
    return mode;
}

static uint32_t find_middle(const finding *f, size_t region) {
    const size_t n = f->start[region + 1] - f->start[region];
    valued *values = f->values + f->start[region];
    if (n == 0)
        return f->star;
    qsort(values, n, sizeof *values, compare_leaves);
    return f->middle == KAN_MIDDLE_MEDIAN
               ? find_median(values, n)
               : find_mode(values, n,
                           f->solution->setup->hierarchies[f->attribute]->levels[0].label);
}

/* A text that holds * shows the same where it is the mode as where there is none. */
static void find_star(finding *f) {
    const kan_hierarchy *h = f->solution->setup->hierarchies[f->attribute];
    for (f->star = 0; f->star < h->n_codes; f->star++)
        if (kan_slice_is(h->levels[0].label[f->star], "*"))
            return;
}

static void label_regions(finding *f, uint32_t *codes) {
    const kan_hierarchy *h = f->solution->setup->hierarchies[f->attribute];
    const size_t n_regions = f->solution->answer.recoding.regions->n_regions;
    find_star(f);
    for (size_t r = 0; r < n_regions; r++) {
        const uint32_t leaf = find_middle(f, kan_solution_pile(f->solution, r, f->attribute));
        if (f->label_of[leaf] == 0) {
            f->labels[f->n_labels] =
                leaf < h->n_codes ? h->levels[0].label[leaf] : kan_slice_of("*");
            f->label_of[leaf] = ++f->n_labels;
        }
        codes[r] = f->label_of[leaf] - 1;
    }
}

kan_status kan_solution_middles(kan_solution *solution, unsigned a, kan_middle middle,
                                kan_group_column *column, uint32_t *codes) {
    kan_run *run = solution->setup->run;
    const uint32_t n_codes = solution->setup->hierarchies[a]->n_codes;
    finding f = {.solution = solution, .attribute = a, .middle = middle};
    kan_status status;
    KAN_TRY_DONE(list_values(&f));
    KAN_TRY_DONE(kan_alloc_zero(run, (size_t)n_codes + 1, sizeof *f.label_of, &f.label_of));
    KAN_TRY_DONE(kan_arena_alloc(&solution->by_group.arena, (size_t)n_codes + 1, sizeof *f.labels,
                                 &f.labels));
    label_regions(&f, codes);
    column->labels = f.labels;
    column->n_labels = f.n_labels;
done:
    kan_free(run, f.start);
    kan_free(run, f.values);
    kan_free(run, f.label_of);
    return status;
}
