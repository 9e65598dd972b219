/* How far numbers are from the means or medians that are shown in their place: the sum of the
 * squares of what they are off, over that of the mean of the column, averaged over the columns: SSE
 * over SST of standardized columns, as microaggregation is compared by. Where it shows ranges, from
 * the means that would be shown. Of released rows with a number alone. 0: they show what they have; means are never above 1. O(tuples * columns), two
 * passes; summed in the order of the base, so that threads change nothing. */
#include "job/solution/solution.h"

typedef struct {
    const kan_solution *solution;
    size_t column; /* of the release */
    double *value; /* by leaf */
    double *shown; /* by label; NULL: ranges are, and the mean of a pile counts */
    struct {       /* by pile: its first number, and what others are above it */
        double first, sum, n_rows;
    } * piles;
    double first; /* the first number; sums are of what others are above it, so that the mean of
                     equal numbers is exact */
    double n_rows, sum, squares, off;
} measuring;

static bool is_known(const measuring *m, uint32_t leaf) {
    const unsigned a = m->solution->by_group.attribute_of[m->column];
    return !kan_value_is_unknown(m->solution->setup->hierarchies[a]->levels[0].label[leaf]);
}

/* What has one mean: a group, or where columns are grouped by themselves what the column shows. */
static size_t pile_of(const measuring *m, size_t group) {
    return m->solution->setup->is_per_column ? m->solution->by_group.columns[m->column].codes[group]
                                             : group;
}

static void add_to_pile(measuring *m, double n, double value, size_t pile) {
    if (m->piles[pile].n_rows == 0)
        m->piles[pile].first = value;
    m->piles[pile].n_rows += n;
    m->piles[pile].sum += n * (value - m->piles[pile].first);
}

static double shown_for(const measuring *m, size_t group) {
    if (m->shown)
        return m->shown[m->solution->by_group.columns[m->column].codes[group]];
    const size_t pile = pile_of(m, group);
    return m->piles[pile].first + m->piles[pile].sum / m->piles[pile].n_rows;
}

static void add_rows(measuring *m, double n, double value, size_t group) {
    if (m->n_rows == 0)
        m->first = value;
    m->n_rows += n;
    m->sum += n * (value - m->first);
    if (!m->shown)
        add_to_pile(m, n, value, pile_of(m, group));
}

static void add_squares(measuring *m, double n, double value, size_t group) {
    const double from_mean = value - m->first - m->sum / m->n_rows;
    const double off = value - shown_for(m, group);
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

static bool is_range(const kan_solution *solution, size_t c) {
    return solution->by_group.middle[c] != KAN_MIDDLE_MEAN &&
           solution->by_group.middle[c] != KAN_MIDDLE_MEDIAN;
}

/* Numbers that are shown by a mean, or a median; or by ranges of groups that are made for their means. */
static bool is_measured(const kan_solution *solution, size_t c) {
    const kan_setup *setup = solution->setup;
    return !is_range(solution, c) ||
           (setup->model && setup->model->lowers_squares &&
            kan_setup_summary(setup) == KAN_SUMMARY_RANGE &&
            kan_setup_has_mean(setup, solution->by_group.attribute_of[c]));
}

static kan_status measure_column(measuring *m) {
    kan_run *run = m->solution->setup->run;
    const kan_group_column *column = &m->solution->by_group.columns[m->column];
    const unsigned a = m->solution->by_group.attribute_of[m->column];
    const kan_hierarchy *h = m->solution->setup->hierarchies[a];
    KAN_TRY(read_numbers(run, h->levels[0].label, h->n_codes, &m->value));
    if (is_range(m->solution, m->column)) {
        const size_t n_groups = m->solution->by_group.n_groups;
        const size_t n = column->n_labels > n_groups ? column->n_labels : n_groups;
        KAN_TRY(kan_alloc_zero(run, n, sizeof *m->piles, &m->piles));
    } else {
        KAN_TRY(read_numbers(run, column->labels, column->n_labels, &m->shown));
    }
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
        if (!is_measured(solution, c))
            continue;
        const kan_status status = measure_column(&m);
        kan_free(run, m.value);
        kan_free(run, m.shown);
        kan_free(run, m.piles);
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
