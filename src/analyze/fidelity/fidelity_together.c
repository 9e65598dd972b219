/* All columns of numbers together: how far cells moved, and how far the eigenvalues of their
 * correlations did (IL1s and eigen, as sdcMicro defines them).
 *
 * Eigenvalues are found by Jacobi's rotations, which are plain operations and roots: the same on every
 * machine. Columns are few. */
#include <math.h>
#include <stdlib.h>

#include "analyze/fidelity/fidelity_inside.h"

/* ---- IL1s ----------------------------------------------------------------------------------- */

typedef struct {
    double sum, compared, all;
} moved_cells;

static void add_cells(const kan_fidelity *f, const kan_fidelity_values *v, double deviation,
                      moved_cells *to) {
    const kan_column *original = v->column->original, *released = v->column->released;
    const uint64_t *row_of = f->question->row_of;
    double sum = 0;
    for (uint64_t row = 0; row < f->question->n_released; row++) {
        const uint64_t from = row_of ? row_of[row] : row;
        const double before = v->numbers[v->point_of[kan_column_code(original, from)]];
        const double after = v->cells[kan_column_code(released, row)].middle;
        const double units = (double)kan_fidelity_units(&f->original, from);
        if (isnan(before) || isnan(after))
            continue;
        to->compared += units;
        sum += units * fabs(before - after);
    }
    to->all += (double)f->original_units;
    to->sum += sum / (sqrt(2) * deviation);
}

static bool varies(const kan_number_summary *numbers) {
    return numbers->has_deviation && numbers->deviation > 0;
}

static bool is_number(const kan_fidelity *f, size_t column) {
    return f->columns[column].column->original->dictionary.type == KAN_TYPE_NUMBER;
}

static kan_status measure_il1s(const kan_fidelity *f, const kan_column_fidelity *columns,
                               kan_numbers_fidelity *out) {
    moved_cells moved = {0, 0, 0};
    for (size_t c = 0; c < f->question->n_columns; c++) {
        if (!is_number(f, c) || !varies(&columns[c].original))
            continue;
        out->n_il1s++;
        KAN_TRY(kan_check_cancel(f->run));
        if (f->keeps_rows || f->question->row_of)
            add_cells(f, &f->columns[c], columns[c].original.deviation, &moved);
    }
    out->no_il1s = out->n_il1s == 0                         ? KAN_ABSENT_NUMBERS
                   : !f->keeps_rows && !f->question->row_of ? KAN_ABSENT_ROWS
                                                            : KAN_ABSENT_NOT;
    if (out->no_il1s == KAN_ABSENT_NOT && moved.compared == 0)
        out->no_il1s = KAN_ABSENT_HIDDEN;
    if (out->no_il1s == KAN_ABSENT_NOT) {
        out->il1s = moved.sum / moved.all;
        out->compared = moved.compared / moved.all;
    }
    return KAN_OK;
}

/* ---- eigenvalues ---------------------------------------------------------------------------- */

/* Makes the entry at p, q of a symmetric matrix of n rows 0. */
static void rotate(double *m, size_t n, size_t p, size_t q) {
    const double theta = (m[q * n + q] - m[p * n + p]) / (2 * m[p * n + q]);
    const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (size_t i = 0; i < n; i++) {
        const double ip = m[i * n + p], iq = m[i * n + q];
        m[i * n + p] = c * ip - s * iq;
        m[i * n + q] = s * ip + c * iq;
    }
    for (size_t i = 0; i < n; i++) {
        const double pi = m[p * n + i], qi = m[q * n + i];
        m[p * n + i] = c * pi - s * qi;
        m[q * n + i] = s * pi + c * qi;
    }
}

static int compare_descending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Into values[0 .. n - 1], from the greatest on; the matrix is used up. Rotations converge
 * quadratically: a dozen sweeps are plenty for any matrix. */
static void find_eigenvalues(double *m, size_t n, double *values) {
    enum { MOST_SWEEPS = 60 };
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        bool is_done = true;
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++)
                if (fabs(m[p * n + q]) > 1e-16 * (fabs(m[p * n + p]) + fabs(m[q * n + q]))) {
                    is_done = false;
                    rotate(m, n, p, q);
                }
        if (is_done)
            break;
    }
    for (size_t i = 0; i < n; i++)
        values[i] = m[i * n + i];
    qsort(values, n, sizeof *values, compare_descending);
}

/* ---- the difference ------------------------------------------------------------------------- */

typedef struct {
    size_t n;
    size_t *at; /* columns */
    double *matrix, *before, *after;
} eigen_work;

/* False: some two columns have no rows in common. */
static bool fill(const kan_fidelity *f, const kan_column_fidelity *columns,
                 const kan_pair_fidelity *pairs, bool is_after, const eigen_work *work) {
    const size_t n = work->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++) {
            const size_t a = work->at[i], b = work->at[j];
            double correlation = 1;
            if (i != j) {
                const kan_before_after *found =
                    &pairs[kan_pair_at(f->question->n_columns, a, b)].covariance;
                if (!(is_after ? found->has_after : found->has_before))
                    return false;
                correlation = is_after ? found->after / columns[a].released.deviation /
                                             columns[b].released.deviation
                                       : found->before / columns[a].original.deviation /
                                             columns[b].original.deviation;
            }
            work->matrix[i * n + j] = work->matrix[j * n + i] = correlation;
        }
    return true;
}

static kan_absence compare_eigenvalues(const kan_fidelity *f, const kan_column_fidelity *columns,
                                       const kan_pair_fidelity *pairs, const eigen_work *work,
                                       double *out) {
    double sum = 0;
    if (!fill(f, columns, pairs, false, work))
        return KAN_ABSENT_NUMBERS;
    find_eigenvalues(work->matrix, work->n, work->before);
    if (!fill(f, columns, pairs, true, work))
        return KAN_ABSENT_NUMBERS;
    find_eigenvalues(work->matrix, work->n, work->after);
    for (size_t i = 0; i < work->n; i++) {
        const double e = work->before[i], moved = fabs(e - work->after[i]);
        if (fabs(e) <= 1e-10 * work->before[0]) /* nothing but rounding */
            return KAN_ABSENT_TIED;
        sum += moved <= 1e-12 * work->before[0] ? 0 : moved / e;
    }
    *out = sum;
    return KAN_ABSENT_NOT;
}

static kan_status measure_eigen(const kan_fidelity *f, const kan_column_fidelity *columns,
                                const kan_pair_fidelity *pairs, kan_numbers_fidelity *out) {
    eigen_work work = {.n = 0};
    kan_status status;
    KAN_TRY_DONE(kan_alloc(f->run, f->question->n_columns, sizeof *work.at, &work.at));
    for (size_t c = 0; c < f->question->n_columns; c++)
        if (is_number(f, c) && varies(&columns[c].original) && varies(&columns[c].released))
            work.at[work.n++] = c;
    out->n_eigen = work.n;
    out->no_eigen = KAN_ABSENT_NUMBERS;
    if (work.n >= 2) {
        KAN_TRY_DONE(kan_alloc(f->run, work.n * work.n, sizeof *work.matrix, &work.matrix));
        KAN_TRY_DONE(kan_alloc(f->run, work.n, sizeof *work.before, &work.before));
        KAN_TRY_DONE(kan_alloc(f->run, work.n, sizeof *work.after, &work.after));
        out->no_eigen = compare_eigenvalues(f, columns, pairs, &work, &out->eigen);
    }
    status = kan_check_cancel(f->run);
done:
    kan_free(f->run, work.at);
    kan_free(f->run, work.matrix);
    kan_free(f->run, work.before);
    kan_free(f->run, work.after);
    return status;
}

kan_status kan_fidelity_measure_numbers(const kan_fidelity *fidelity,
                                        const kan_column_fidelity *columns,
                                        const kan_pair_fidelity *pairs, kan_numbers_fidelity *out) {
    *out = (kan_numbers_fidelity){.n_il1s = 0};
    KAN_TRY(measure_il1s(fidelity, columns, out));
    return measure_eigen(fidelity, columns, pairs, out);
}
