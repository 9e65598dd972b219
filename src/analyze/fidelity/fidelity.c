/* Reading all columns, holding row against row, and weighing. */
#include <math.h>

#include "analyze/fidelity/fidelity_inside.h"
#include "core/pool.h"

enum { ROWS_BETWEEN_CHECKS = 1 << 16 };

/* ---- row against row ------------------------------------------------------------------------ */

/* Whether a column shows means. Then a number that the original has may be one as well. */
static bool shows_means(const kan_fidelity_values *v) {
    for (uint32_t cell = 0; cell < v->n_cells; cell++)
        if (v->cells[cell].is_mean)
            return true;
    return false;
}

static bool may_be_mean(const kan_fidelity_cell *cell) {
    return cell->is_mean || (cell->showing == KAN_SHOWS_EXACT && !isnan(cell->middle));
}

static bool keeps_rows_of(const kan_fidelity_values *v, bool has_means, uint64_t first,
                          uint64_t end) {
    const kan_column *original = v->column->original, *released = v->column->released;
    for (uint64_t row = first; row < end; row++) {
        const kan_fidelity_cell *cell = &v->cells[kan_column_code(released, row)];
        if (!(has_means && may_be_mean(cell)) &&
            !kan_fidelity_cell_covers(v, cell, v->point_of[kan_column_code(original, row)]))
            return false;
    }
    return true;
}

/* What the originals of the rows that show a cell are. */
typedef struct {
    double least, greatest;
    bool is_among; /* one of them is what is shown */
} shown_rows;

static void take_row(const kan_fidelity_values *v, uint64_t row, shown_rows *all) {
    const uint32_t code = kan_column_code(v->column->released, row);
    const uint32_t point = v->point_of[kan_column_code(v->column->original, row)];
    const kan_fidelity_cell *cell = &v->cells[code];
    shown_rows *shown = &all[code];
    if (v->numbers && !isnan(v->numbers[point])) {
        shown->least = fmin(shown->least, v->numbers[point]);
        shown->greatest = fmax(shown->greatest, v->numbers[point]);
    }
    for (size_t i = cell->first_run; i < cell->end_run && !v->numbers; i++)
        shown->is_among = shown->is_among || (v->runs[i].first <= point && point < v->runs[i].end);
}

/* A mean or a median lies between the least and the greatest number of those who show it, a mode is
 * the value of one of them. Nothing else tells the order of rows that show means alone. */
static bool can_be_mean(const kan_fidelity_values *v, const kan_fidelity_cell *cell,
                        const shown_rows *shown) {
    const double rounding = 1e-9 * (fabs(shown->least) + fabs(shown->greatest));
    if (!v->numbers)
        return shown->is_among;
    return isnan(cell->middle) ||
           (cell->middle >= shown->least - rounding && cell->middle <= shown->greatest + rounding);
}

static kan_status hold_means(kan_fidelity *f, const kan_fidelity_values *v) {
    shown_rows *shown;
    KAN_TRY(kan_alloc(f->run, v->n_cells, sizeof *shown, &shown));
    for (uint32_t cell = 0; cell < v->n_cells; cell++)
        shown[cell] = (shown_rows){INFINITY, -INFINITY, false};
    for (uint64_t row = 0; row < f->question->n_original; row++)
        take_row(v, row, shown);
    for (uint32_t cell = 0; cell < v->n_cells && f->keeps_rows; cell++)
        f->keeps_rows =
            !may_be_mean(&v->cells[cell]) || can_be_mean(v, &v->cells[cell], &shown[cell]);
    kan_free(f->run, shown);
    return kan_check_cancel(f->run);
}

static kan_status hold_column(kan_fidelity *f, const kan_fidelity_values *v) {
    const uint64_t n = f->question->n_original;
    const bool has_means = shows_means(v);
    for (uint64_t row = 0; row < n && f->keeps_rows; row += ROWS_BETWEEN_CHECKS) {
        const uint64_t end = n - row < ROWS_BETWEEN_CHECKS ? n : row + ROWS_BETWEEN_CHECKS;
        KAN_TRY(kan_check_cancel(f->run));
        f->keeps_rows = keeps_rows_of(v, has_means, row, end);
    }
    return has_means && f->keeps_rows ? hold_means(f, v) : KAN_OK;
}

static kan_status hold_rows(kan_fidelity *f) {
    const kan_fidelity_question *question = f->question;
    f->keeps_rows = question->n_original == question->n_released;
    for (size_t c = 0; c < question->n_columns && f->keeps_rows; c++)
        KAN_TRY(hold_column(f, &f->columns[c]));
    return KAN_OK;
}

bool kan_fidelity_keeps_rows(const kan_fidelity *fidelity) {
    return fidelity->keeps_rows;
}

/* ---- reading -------------------------------------------------------------------------------- */

static kan_status read_columns(kan_fidelity *f) {
    const kan_fidelity_question *question = f->question;
    kan_problems_begin(f->run);
    for (size_t c = 0; c < question->n_columns; c++) {
        const size_t before = kan_problems_count(f->run);
        const kan_status status = kan_fidelity_values_read(f->run, &question->columns[c],
                                                           question->release_name, &f->columns[c]);
        if (status != KAN_OK && kan_problems_count(f->run) == before)
            return status;
    }
    return kan_problems_end(f->run);
}

kan_status kan_fidelity_create(kan_run *run, const kan_fidelity_question *question,
                               kan_fidelity **out) {
    kan_fidelity *f = NULL;
    kan_status status;
    KAN_ASSERT(question->n_original > 0 && question->n_released > 0);
    KAN_TRY_DONE(kan_alloc_zero(run, 1, sizeof *f, &f));
    f->run = run;
    f->question = question;
    KAN_TRY_DONE(kan_alloc_zero(run, question->n_columns, sizeof *f->columns, &f->columns));
    KAN_TRY_DONE(read_columns(f));
    KAN_TRY_DONE(hold_rows(f));
    *out = f;
    f = NULL;
done:
    kan_fidelity_destroy(f);
    return status;
}

void kan_fidelity_destroy(kan_fidelity *fidelity) {
    if (!fidelity)
        return;
    for (size_t c = 0; fidelity->columns && c < fidelity->question->n_columns; c++)
        kan_fidelity_values_destroy(fidelity->run, &fidelity->columns[c]);
    for (size_t c = 0; fidelity->classes && c < fidelity->question->n_columns; c++)
        kan_fidelity_classes_destroy(&fidelity->classes[c]);
    kan_free(fidelity->run, fidelity->classes);
    kan_free(fidelity->run, fidelity->columns);
    kan_free(fidelity->run, fidelity);
}

/* ---- weighing ------------------------------------------------------------------------------- */

/* By `group_of` of the code, or by code where that is NULL. */
static void weigh_column(const kan_column *column, const kan_fidelity_weights *weights,
                         const uint32_t *group_of, uint64_t *units, uint64_t *rows) {
    for (uint64_t row = 0; row < column->n_rows; row++) {
        const uint32_t code = kan_column_code(column, row);
        const uint32_t group = group_of ? group_of[code] : code;
        rows[group]++;
        units[group] += kan_fidelity_units(weights, row);
    }
}

static kan_status weigh(void *context, size_t task, unsigned worker) {
    kan_fidelity *f = context;
    kan_fidelity_values *v = &f->columns[task];
    (void)worker;
    KAN_TRY(kan_alloc_zero(f->run, v->n_points, sizeof *v->point_units, &v->point_units));
    KAN_TRY(kan_alloc_zero(f->run, v->n_points, sizeof *v->point_rows, &v->point_rows));
    KAN_TRY(kan_alloc_zero(f->run, v->n_cells, sizeof *v->cell_units, &v->cell_units));
    KAN_TRY(kan_alloc_zero(f->run, v->n_cells, sizeof *v->cell_rows, &v->cell_rows));
    weigh_column(v->column->original, &f->original, v->point_of, v->point_units, v->point_rows);
    weigh_column(v->column->released, &f->released, NULL, v->cell_units, v->cell_rows);
    return kan_check_cancel(f->run);
}

static uint64_t sum_units(const kan_fidelity_weights *weights, uint64_t n_rows) {
    uint64_t sum = 0;
    for (uint64_t row = 0; row < n_rows; row++)
        sum += kan_fidelity_units(weights, row);
    return sum;
}

kan_status kan_fidelity_weigh(kan_fidelity *fidelity, const kan_fidelity_weights *original,
                              const kan_fidelity_weights *released) {
    const kan_fidelity_question *question = fidelity->question;
    fidelity->original = *original;
    fidelity->released = *released;
    fidelity->original_units = sum_units(original, question->n_original);
    fidelity->released_units = sum_units(released, question->n_released);
    return kan_parallel(fidelity->run, question->n_columns, weigh, fidelity);
}
