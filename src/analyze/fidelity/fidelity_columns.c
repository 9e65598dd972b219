/* A column by itself: how exact its cells are, and how far its distribution moved.
 *
 * What coarser cells add to a run of points is added at its beginning and taken away at its end; one
 * walk over the points sums it up, so that a column of many wide intervals costs no more than its
 * intervals and its values. The sums carry what rounding lost (two doubles each), and nothing of a
 * cell is left behind it. O(values + cells + runs). */
#include <math.h>

#include "analyze/fidelity/fidelity_inside.h"
#include "core/pool.h"

/* ---- sums of two doubles -------------------------------------------------------------------- */

typedef struct {
    double sum, lost;
} exact_sum;

static void add_exactly(exact_sum *to, double x) {
    const double sum = to->sum + x, of_x = sum - to->sum;
    to->lost += (to->sum - (sum - of_x)) + (x - of_x);
    to->sum = sum;
}

/* ---- spreading ------------------------------------------------------------------------------ */

typedef struct {
    const kan_fidelity_values *v;
    uint64_t *exact;         /* by point: units of cells that show it */
    uint64_t *before;        /* by point: units of the original before it; one more at the end */
    exact_sum *even, *share; /* by point: what begins here, less what has ended */
    double outside_even, outside_share; /* units on what the original does not have */
} spreading;

static void add_runs(const spreading *s, exact_sum *to, const kan_fidelity_cell *cell, double x) {
    for (size_t i = cell->first_run; i < cell->end_run; i++) {
        add_exactly(&to[s->v->runs[i].first], x);
        add_exactly(&to[s->v->runs[i].end], -x);
    }
}

static void spread(spreading *s, const kan_fidelity_cell *cell, uint64_t units) {
    double points = 0;
    uint64_t original = 0;
    for (size_t i = cell->first_run; i < cell->end_run; i++) {
        const kan_point_run *run = &s->v->runs[i];
        points += run->end - run->first;
        original += s->before[run->end] - s->before[run->first];
    }
    if (points == 1 && cell->n == 1) {
        s->exact[s->v->runs[cell->first_run].first] += units;
        return;
    }
    add_runs(s, s->even, cell, (double)units / cell->n);
    s->outside_even += (double)units * ((cell->n - points) / cell->n);
    if (original > 0)
        add_runs(s, s->share, cell, (double)units / (double)original);
    else
        s->outside_share += (double)units;
}

/* ---- distances ------------------------------------------------------------------------------ */

typedef struct {
    double differences, squares;
} distance_sums;

/* What rounding alone tells apart is the same: an unchanged distribution has a distance of 0. */
static void add_difference(distance_sums *sums, double p, double q) {
    const double root = sqrt(p) - sqrt(q);
    if (fabs(p - q) <= 1e-13 * (p + q))
        return;
    sums->differences += fabs(p - q);
    sums->squares += root * root;
}

static kan_distribution_distance end_distance(distance_sums sums, double outside) {
    add_difference(&sums, 0, outside);
    return (kan_distribution_distance){fmin(1, sums.differences / 2),
                                       sqrt(fmin(1, sums.squares / 2))};
}

static void measure_distances(const kan_fidelity *f, const spreading *s, kan_column_fidelity *out) {
    const kan_fidelity_values *v = s->v;
    const double all = (double)f->original_units, released = (double)f->released_units;
    exact_sum even = {0, 0}, share = {0, 0};
    distance_sums to_even = {0, 0}, to_share = {0, 0};
    for (uint32_t point = 0; point < v->n_points; point++) {
        const double p = (double)v->point_units[point];
        add_exactly(&even, s->even[point].sum);
        add_exactly(&even, s->even[point].lost);
        add_exactly(&share, s->share[point].sum);
        add_exactly(&share, s->share[point].lost);
        const double exact = (double)s->exact[point];
        add_difference(&to_even, p / all, (exact + fmax(0, even.sum + even.lost)) / released);
        add_difference(&to_share, p / all,
                       (exact + p * fmax(0, share.sum + share.lost)) / released);
    }
    out->even = end_distance(to_even, s->outside_even / released);
    out->by_shares = end_distance(to_share, s->outside_share / released);
}

static kan_status measure_distribution(const kan_fidelity *f, const kan_fidelity_values *v,
                                       kan_column_fidelity *out) {
    const size_t n = (size_t)v->n_points + 1;
    spreading s = {.v = v};
    kan_status status;
    KAN_TRY_DONE(kan_alloc_zero(f->run, n, sizeof *s.exact, &s.exact));
    KAN_TRY_DONE(kan_alloc_zero(f->run, n, sizeof *s.before, &s.before));
    KAN_TRY_DONE(kan_alloc_zero(f->run, n, sizeof *s.even, &s.even));
    KAN_TRY_DONE(kan_alloc_zero(f->run, n, sizeof *s.share, &s.share));
    for (uint32_t point = 0; point < v->n_points; point++)
        s.before[point + 1] = s.before[point] + v->point_units[point];
    for (uint32_t cell = 0; cell < v->n_cells; cell++)
        spread(&s, &v->cells[cell], v->cell_units[cell]);
    measure_distances(f, &s, out);
done:
    kan_free(f->run, s.exact);
    kan_free(f->run, s.before);
    kan_free(f->run, s.even);
    kan_free(f->run, s.share);
    return status;
}

/* ---- cells and numbers ---------------------------------------------------------------------- */

static void count_cells(const kan_fidelity *f, const kan_fidelity_values *v,
                        kan_column_fidelity *out) {
    uint64_t units[] = {0, 0, 0};
    const double all = (double)f->released_units;
    for (uint32_t cell = 0; cell < v->n_cells; cell++)
        units[v->cells[cell].showing] += v->cell_units[cell];
    out->exact = (double)units[KAN_SHOWS_EXACT] / all;
    out->coarser = (double)units[KAN_SHOWS_COARSER] / all;
    out->hidden = (double)units[KAN_SHOWS_HIDDEN] / all;
}

static kan_status summarize(const kan_fidelity *f, const kan_fidelity_values *v,
                            kan_column_fidelity *out) {
    kan_weighted_number *numbers;
    const size_t most = v->n_points > v->n_cells ? v->n_points : v->n_cells;
    size_t n = 0;
    KAN_TRY(kan_alloc(f->run, most, sizeof *numbers, &numbers));
    for (uint32_t point = v->has_missing; point < v->n_points; point++)
        numbers[n++] =
            (kan_weighted_number){v->numbers[point], v->point_units[point], v->point_rows[point]};
    kan_number_summarize(numbers, n, f->original_units, &out->original);
    n = 0;
    for (uint32_t cell = 0; cell < v->n_cells; cell++)
        if (!isnan(v->cells[cell].middle))
            numbers[n++] = (kan_weighted_number){v->cells[cell].middle, v->cell_units[cell],
                                                 v->cell_rows[cell]};
    kan_weighted_numbers_sort(numbers, n);
    kan_number_summarize(numbers, n, f->released_units, &out->released);
    kan_free(f->run, numbers);
    return KAN_OK;
}

/* ---- all ------------------------------------------------------------------------------------ */

typedef struct {
    const kan_fidelity *fidelity;
    kan_column_fidelity *out;
} measuring;

static kan_status measure(void *context, size_t task, unsigned worker) {
    const measuring *m = context;
    const kan_fidelity_values *v = &m->fidelity->columns[task];
    kan_column_fidelity *out = &m->out[task];
    (void)worker;
    *out = (kan_column_fidelity){.exact = 0};
    count_cells(m->fidelity, v, out);
    KAN_TRY(measure_distribution(m->fidelity, v, out));
    if (v->column->original->dictionary.type == KAN_TYPE_NUMBER)
        KAN_TRY(summarize(m->fidelity, v, out));
    return kan_check_cancel(m->fidelity->run);
}

kan_status kan_fidelity_measure_columns(kan_fidelity *fidelity, kan_column_fidelity *out) {
    measuring m = {fidelity, out};
    return kan_parallel(fidelity->run, fidelity->question->n_columns, measure, &m);
}
