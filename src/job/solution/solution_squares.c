/* How far numbers are from the means or medians that are shown in their place: the sum of the
 * squares of what they are off, over that of the mean of the column, averaged over the columns: SSE
 * over SST of standardized columns, as microaggregation is compared by. Of released rows with a
 * number alone. 0: they show what they have; means are never above 1. O(tuples * columns), two
 * passes; summed in the order of the base, so that threads change nothing. */
#include "job/solution/solution.h"

typedef struct {
    const kan_solution *solution;
    size_t column; /* of the release */
    double *value; /* by leaf */
    double *shown; /* by label */
    double first;  /* the first number; sums are of what others are above it, so that the mean of
                     equal numbers is exact */
    double n_rows, sum, squares, off;
} measuring;

static bool is_known(const measuring *m, uint32_t leaf) {
    const unsigned a = m->solution->by_group.attribute_of[m->column];
    return !kan_value_is_unknown(m->solution->setup->hierarchies[a]->levels[0].label[leaf]);
}

static void add_rows(measuring *m, double n, double value, size_t group) {
    (void)group;
    if (m->n_rows == 0)
        m->first = value;
    m->n_rows += n;
    m->sum += n * (value - m->first);
}

static void add_squares(measuring *m, double n, double value, size_t group) {
    const double from_mean = value - m->first - m->sum / m->n_rows;
    const double off = value - m->shown[m->solution->by_group.columns[m->column].codes[group]];
    m->squares += n * from_mean * from_mean;
    m->off += n * off * off;
}

/* Calls for every portion of released rows that have a number, in the order of the base. */
static void walk(measuring *m, void (*one)(measuring *m, double n, double value, size_t group)) {
    const kan_regions *regions = m->solution->answer.recoding.regions;
    const kan_problem *problem = m->solution->problem;
    const kan_group_release *release = &m->solution->by_group;
    for (size_t t = 0; t < kan_problem_tuples(problem); t++) {
        const uint32_t leaf = kan_problem_tuple_value(problem, t, release->attribute_of[m->column]);
        kan_portion single;
        const kan_portion *portions;
        if (!is_known(m, leaf))
            continue;
        const size_t n = kan_regions_portions(regions, t, kan_problem_tuple_rows(problem, t),
                                              &single, &portions);
        for (size_t i = 0; i < n; i++)
            if (portions[i].region < kan_regions_released(regions))
                one(m, (double)portions[i].n_rows, m->value[leaf],
                    release->group_of_region[portions[i].region]);
    }
}

static kan_status read_numbers(kan_run *run, const kan_slice *texts, size_t n, double **out) {
    KAN_TRY(kan_alloc_zero(run, n, sizeof **out, out));
    for (size_t i = 0; i < n; i++)
        if (!kan_value_exact(KAN_TYPE_NUMBER, texts[i], &(*out)[i]))
            (*out)[i] = 0; /* unknown, or a * of rows without a number: not looked at */
    return KAN_OK;
}

static kan_status measure_column(measuring *m) {
    kan_run *run = m->solution->setup->run;
    const kan_group_column *column = &m->solution->by_group.columns[m->column];
    const unsigned a = m->solution->by_group.attribute_of[m->column];
    const kan_hierarchy *h = m->solution->setup->hierarchies[a];
    KAN_TRY(read_numbers(run, h->levels[0].label, h->n_codes, &m->value));
    KAN_TRY(read_numbers(run, column->labels, column->n_labels, &m->shown));
    walk(m, add_rows);
    walk(m, add_squares);
    return KAN_OK;
}

kan_status kan_solution_measure_squares(kan_solution *solution) {
    const kan_group_release *release = &solution->by_group;
    kan_run *run = solution->setup->run;
    double sum = 0;
    size_t n = 0;
    for (size_t c = 0; c < release->n_columns; c++) {
        measuring m = {.solution = solution, .column = c};
        if (release->middle[c] != KAN_MIDDLE_MEAN && release->middle[c] != KAN_MIDDLE_MEDIAN)
            continue;
        const kan_status status = measure_column(&m);
        kan_free(run, m.value);
        kan_free(run, m.shown);
        KAN_TRY(status);
        if (m.squares > 0) { /* where all numbers are the same there is nothing to lose */
            sum += m.off / m.squares;
            n++;
        }
    }
    solution->has_sse = n > 0;
    solution->sse = n > 0 ? sum / (double)n : 0;
    return KAN_OK;
}
