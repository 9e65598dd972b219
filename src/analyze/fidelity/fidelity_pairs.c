/* Two columns together: their contingency tables, and how strongly they go together.
 *
 * The table of a release is made in two steps: what each profile of the first column has in each class
 * of the second, row by row; then the profiles are spread over their classes. */
#include <math.h>
#include <stdlib.h>

#include "analyze/fidelity/fidelity_inside.h"
#include "core/pool.h"

typedef struct {
    kan_fidelity *fidelity;
    kan_number_scale *before, *after; /* by column; of text they are empty */
    kan_pair_fidelity *out;
} pairs;

typedef struct {
    double share[KAN_MOST_CLASSES * KAN_MOST_CLASSES];
} contingency;

/* ---- contingency tables --------------------------------------------------------------------- */

static void count_original(const kan_fidelity *f, const kan_pair_fidelity *pair, contingency *out) {
    const kan_fidelity_values *a = &f->columns[pair->a], *b = &f->columns[pair->b];
    const kan_fidelity_classes *of_a = &f->classes[pair->a], *of_b = &f->classes[pair->b];
    for (uint64_t row = 0; row < f->question->n_original; row++) {
        const uint32_t i = of_a->of_point[a->point_of[kan_column_code(a->column->original, row)]];
        const uint32_t j = of_b->of_point[b->point_of[kan_column_code(b->column->original, row)]];
        out->share[i * of_b->n + j] += (double)kan_fidelity_units(&f->original, row);
    }
    for (size_t i = 0; i < of_a->n * of_b->n; i++)
        out->share[i] /= (double)f->original_units;
}

/* `sums` has n classes of the second column for each profile of the first. */
static void add_rows(const kan_fidelity *f, const kan_pair_fidelity *pair, double *sums) {
    const kan_column *a = f->columns[pair->a].column->released;
    const kan_column *b = f->columns[pair->b].column->released;
    const kan_fidelity_classes *of_a = &f->classes[pair->a], *of_b = &f->classes[pair->b];
    for (uint64_t row = 0; row < f->question->n_released; row++) {
        const double units = (double)kan_fidelity_units(&f->released, row);
        const uint32_t profile = of_b->of_cell[kan_column_code(b, row)];
        double *to = &sums[of_a->of_cell[kan_column_code(a, row)] * of_b->n];
        if (profile < of_b->n) {
            to[profile] += units;
            continue;
        }
        for (size_t s = of_b->first_share[profile]; s < of_b->first_share[profile + 1]; s++)
            to[of_b->shares[s].which] += units * of_b->shares[s].share;
    }
}

static kan_status count_released(const kan_fidelity *f, const kan_pair_fidelity *pair,
                                 contingency *out) {
    const kan_fidelity_classes *of_a = &f->classes[pair->a], *of_b = &f->classes[pair->b];
    const size_t n = of_b->n;
    double *sums;
    KAN_TRY(kan_alloc_zero(f->run, of_a->n_profiles * n, sizeof *sums, &sums));
    add_rows(f, pair, sums);
    for (size_t profile = 0; profile < of_a->n_profiles; profile++)
        for (size_t s = of_a->first_share[profile]; s < of_a->first_share[profile + 1]; s++)
            for (size_t j = 0; j < n; j++)
                out->share[of_a->shares[s].which * n + j] +=
                    of_a->shares[s].share * sums[profile * n + j];
    for (size_t i = 0; i < of_a->n * n; i++)
        out->share[i] /= (double)f->released_units;
    kan_free(f->run, sums);
    return KAN_OK;
}

/* ---- figures of a table --------------------------------------------------------------------- */

static size_t count_full(const double *margin, size_t n) {
    size_t full = 0;
    for (size_t i = 0; i < n; i++)
        full += margin[i] > 0;
    return full;
}

/* Cramer's V: the root of chi-square over rows times (the lesser number of classes - 1); classes that
 * no row is in do not count. */
static bool find_v(const contingency *table, size_t n_a, size_t n_b, double *out) {
    double of_a[KAN_MOST_CLASSES] = {0}, of_b[KAN_MOST_CLASSES] = {0}, sum = 0;
    for (size_t i = 0; i < n_a; i++)
        for (size_t j = 0; j < n_b; j++) {
            of_a[i] += table->share[i * n_b + j];
            of_b[j] += table->share[i * n_b + j];
        }
    const size_t full_a = count_full(of_a, n_a), full_b = count_full(of_b, n_b);
    const size_t least = full_a < full_b ? full_a : full_b;
    if (least < 2)
        return false;
    for (size_t i = 0; i < n_a; i++)
        for (size_t j = 0; j < n_b; j++) {
            const double expected = of_a[i] * of_b[j];
            const double from = table->share[i * n_b + j] - expected;
            sum += expected > 0 ? from * from / expected : 0;
        }
    *out = sqrt(sum / (double)(least - 1));
    *out = *out < 1 ? *out : 1;
    return true;
}

static void compare_tables(const contingency *before, const contingency *after, size_t n_a,
                           size_t n_b, kan_pair_fidelity *out) {
    double most = -1;
    for (size_t i = 0; i < n_a * n_b; i++) {
        const double p = before->share[i], q = after->share[i];
        const double moved = fabs(p - q) <= 1e-13 * (p + q) ? 0 : fabs(p - q);
        out->variation += moved / 2;
        if (moved > most) {
            most = moved;
            out->class_a = i / n_b;
            out->class_b = i % n_b;
            out->share = (kan_before_after){true, true, p, q};
        }
    }
    out->v.has_before = find_v(before, n_a, n_b, &out->v.before);
    out->v.has_after = find_v(after, n_a, n_b, &out->v.after);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static kan_status make_before(kan_run *run, const kan_fidelity_values *v, kan_number_scale *out) {
    KAN_TRY(kan_alloc(run, v->n_points, sizeof *out->step_of, &out->step_of));
    KAN_TRY(kan_alloc(run, v->n_points, sizeof *out->numbers, &out->numbers));
    for (uint32_t point = 0; point < v->n_points; point++) {
        out->step_of[point] = isnan(v->numbers[point]) ? KAN_NO_STEP : out->n;
        if (!isnan(v->numbers[point]))
            out->numbers[out->n++] = v->numbers[point];
    }
    return KAN_OK;
}

static int compare_numbers(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static kan_status make_after(kan_run *run, const kan_fidelity_values *v, kan_number_scale *out) {
    uint32_t n = 0;
    KAN_TRY(kan_alloc(run, v->n_cells, sizeof *out->step_of, &out->step_of));
    KAN_TRY(kan_alloc(run, v->n_cells, sizeof *out->numbers, &out->numbers));
    for (uint32_t cell = 0; cell < v->n_cells; cell++)
        if (!isnan(v->cells[cell].middle))
            out->numbers[n++] = v->cells[cell].middle;
    qsort(out->numbers, n, sizeof *out->numbers, compare_numbers);
    for (uint32_t i = 0; i < n; i++)
        if (out->n == 0 || out->numbers[i] != out->numbers[out->n - 1])
            out->numbers[out->n++] = out->numbers[i];
    for (uint32_t cell = 0; cell < v->n_cells; cell++) {
        const double *at =
            bsearch(&v->cells[cell].middle, out->numbers, isnan(v->cells[cell].middle) ? 0 : out->n,
                    sizeof *out->numbers, compare_numbers);
        out->step_of[cell] = at ? (uint32_t)(at - out->numbers) : KAN_NO_STEP;
    }
    return KAN_OK;
}

static kan_status correlate(const pairs *p, kan_pair_fidelity *out) {
    const kan_fidelity *f = p->fidelity;
    const size_t at[] = {out->a, out->b};
    kan_number_rows before[2], after[2];
    kan_correlations found[2];
    for (size_t i = 0; i < 2; i++) {
        const kan_fidelity_values *v = &f->columns[at[i]];
        before[i] = (kan_number_rows){v->column->original, v->point_of, &p->before[at[i]]};
        after[i] = (kan_number_rows){v->column->released, NULL, &p->after[at[i]]};
    }
    KAN_TRY(kan_correlate(f->run, &before[0], &before[1], &f->original, &found[0]));
    KAN_TRY(kan_correlate(f->run, &after[0], &after[1], &f->released, &found[1]));
    out->correlation = (kan_before_after){found[0].is_defined, found[1].is_defined,
                                          found[0].correlation, found[1].correlation};
    out->rank_correlation =
        (kan_before_after){found[0].is_defined, found[1].is_defined, found[0].rank_correlation,
                           found[1].rank_correlation};
    out->covariance = (kan_before_after){found[0].has_covariance, found[1].has_covariance,
                                         found[0].covariance, found[1].covariance};
    return KAN_OK;
}

/* ---- all ------------------------------------------------------------------------------------ */

static kan_status prepare(void *context, size_t task, unsigned worker) {
    const pairs *p = context;
    kan_fidelity *f = p->fidelity;
    const kan_fidelity_values *v = &f->columns[task];
    (void)worker;
    KAN_TRY(kan_fidelity_classes_make(f->run, v, &f->classes[task]));
    if (!v->numbers)
        return KAN_OK;
    KAN_TRY(make_before(f->run, v, &p->before[task]));
    return make_after(f->run, v, &p->after[task]);
}

static kan_status measure(void *context, size_t task, unsigned worker) {
    const pairs *p = context;
    const kan_fidelity *f = p->fidelity;
    kan_pair_fidelity *out = &p->out[task];
    contingency before = {{0}}, after = {{0}};
    (void)worker;
    KAN_TRY(kan_check_cancel(f->run));
    count_original(f, out, &before);
    KAN_TRY(count_released(f, out, &after));
    compare_tables(&before, &after, f->classes[out->a].n, f->classes[out->b].n, out);
    return f->columns[out->a].numbers && f->columns[out->b].numbers ? correlate(p, out) : KAN_OK;
}

kan_status kan_fidelity_measure_pairs(kan_fidelity *fidelity, kan_pair_fidelity *out) {
    const size_t n = fidelity->question->n_columns;
    pairs p = {.fidelity = fidelity, .out = out};
    kan_status status;
    size_t at = 0;
    KAN_ASSERT(!fidelity->classes);
    for (size_t a = 0; a < n; a++)
        for (size_t b = a + 1; b < n; b++)
            out[at++] = (kan_pair_fidelity){.a = a, .b = b};
    KAN_TRY_DONE(kan_alloc_zero(fidelity->run, n, sizeof *fidelity->classes, &fidelity->classes));
    KAN_TRY_DONE(kan_alloc_zero(fidelity->run, n, sizeof *p.before, &p.before));
    KAN_TRY_DONE(kan_alloc_zero(fidelity->run, n, sizeof *p.after, &p.after));
    KAN_TRY_DONE(kan_parallel(fidelity->run, n, prepare, &p));
    status = kan_parallel(fidelity->run, at, measure, &p);
done:
    for (size_t c = 0; c < n; c++) {
        kan_number_scale *scales[] = {p.before ? &p.before[c] : NULL, p.after ? &p.after[c] : NULL};
        for (size_t i = 0; i < 2 && scales[i]; i++) {
            kan_free(fidelity->run, scales[i]->step_of);
            kan_free(fidelity->run, scales[i]->numbers);
        }
    }
    kan_free(fidelity->run, p.before);
    kan_free(fidelity->run, p.after);
    return status;
}
