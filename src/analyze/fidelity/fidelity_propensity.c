/* The propensity score: a logistic model that guesses of a row whether it was released, and how far its
 * guesses are from knowing nothing (Snoke and others 2018).
 *
 * A row of the original is one row of the design. A released one is as many as its texts cover
 * classes together, each with its share; where these are too many, it is so many rows that each text
 * takes its shares evenly, in orders that a fixed sequence draws for each (a Latin hypercube). */
#include <math.h>
#include <string.h>

#include "analyze/fidelity/fidelity_inside.h"
#include "analyze/fit/fit.h"
#include "core/hash.h"

enum { MOST_PARTS = 64, LEAST_PARTS = 2, ROOM = 1 << 19, BETWEEN_CHECKS = 1 << 12 };
#define ROUNDING 1e-20 /* of what nothing but rounding tells apart */

/* A column in the design: a term of its own, and one for what is missing. */
typedef struct {
    const kan_fidelity_values *v;
    const kan_fidelity_classes *classes; /* NULL: a number */
    double *numbers;                     /* by point, then by cell */
    bool has_missing;
    uint32_t *codes, *missing; /* by row of the design */
} scored;

typedef struct {
    const kan_fidelity *f;
    scored *columns;
    size_t n;
    size_t most_parts;
    uint64_t n_rows;
    kan_design_term *terms;
    double *weights, *y, *found;
} scoring;

/* ---- columns -------------------------------------------------------------------------------- */

static bool is_missing_cell(const kan_fidelity_cell *cell) {
    return cell->showing != KAN_SHOWS_HIDDEN && isnan(cell->middle);
}

/* Where a hidden number stands: where the shown ones are on average, and in the middle of all where
 * none is shown. */
static double find_hidden(const kan_fidelity_values *v) {
    double sum = 0, units = 0;
    for (uint32_t cell = 0; cell < v->n_cells; cell++)
        if (!isnan(v->cells[cell].middle)) {
            sum += (double)v->cell_units[cell] * v->cells[cell].middle;
            units += (double)v->cell_units[cell];
        }
    if (units > 0)
        return sum / units;
    if (v->n_points == v->has_missing) /* nobody has a number */
        return 0;
    return v->numbers[v->has_missing] +
           (v->numbers[v->n_points - 1] - v->numbers[v->has_missing]) / 2;
}

/* Where a missing one stands does not matter: it has a parameter of its own. */
static kan_status read_numbers(const kan_fidelity *f, scored *column) {
    const kan_fidelity_values *v = column->v;
    const double hidden = find_hidden(v);
    KAN_TRY(kan_alloc(f->run, (size_t)v->n_points + v->n_cells, sizeof *column->numbers,
                      &column->numbers));
    for (uint32_t point = 0; point < v->n_points; point++)
        column->numbers[point] = isnan(v->numbers[point]) ? hidden : v->numbers[point];
    for (uint32_t cell = 0; cell < v->n_cells; cell++) {
        const double middle = v->cells[cell].middle;
        column->numbers[v->n_points + cell] = isnan(middle) ? hidden : middle;
        column->has_missing = column->has_missing || is_missing_cell(&v->cells[cell]);
    }
    column->has_missing = column->has_missing || v->has_missing;
    return KAN_OK;
}

static kan_status find_columns(scoring *s) {
    const kan_fidelity *f = s->f;
    const size_t n = f->question->n_columns;
    KAN_TRY(kan_alloc_zero(f->run, n, sizeof *s->columns, &s->columns));
    for (size_t c = 0; c < n; c++) {
        const kan_fidelity_values *v = &f->columns[c];
        scored *column = &s->columns[s->n++];
        column->v = v;
        if (v->numbers)
            KAN_TRY(read_numbers(f, column));
        else
            column->classes = &f->classes[c];
    }
    return KAN_OK;
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* The shares of a released text; of what is in one class alone there is one. */
static size_t shares_of(const scored *column, uint64_t row, const kan_class_share **out) {
    const kan_fidelity_classes *classes = column->classes;
    const uint32_t profile = classes->of_cell[kan_column_code(column->v->column->released, row)];
    *out = &classes->shares[classes->first_share[profile]];
    return classes->first_share[profile + 1] - classes->first_share[profile];
}

/* How many rows of the design a released row is: all combinations, or as many as there may be. */
static size_t count_parts(const scoring *s, uint64_t row, bool *is_drawn) {
    const kan_class_share *unused;
    size_t parts = 1;
    for (size_t c = 0; c < s->n && parts <= s->most_parts; c++)
        if (s->columns[c].classes)
            parts *= shares_of(&s->columns[c], row, &unused);
    *is_drawn = parts > s->most_parts;
    return *is_drawn ? s->most_parts : parts;
}

static void set_code(const scored *column, uint64_t at, uint32_t code, bool is_missing) {
    column->codes[at] = code;
    if (column->missing)
        column->missing[at] = is_missing;
}

/* All combinations, the last column fastest. */
static void combine_texts(const scoring *s, uint64_t row, uint64_t at, size_t parts) {
    size_t every = parts;
    for (size_t c = 0; c < s->n; c++) {
        const scored *column = &s->columns[c];
        const kan_class_share *shares;
        if (!column->classes)
            continue;
        const size_t n = shares_of(column, row, &shares);
        every /= n;
        for (size_t part = 0; part < parts; part++) {
            const kan_class_share *share = &shares[part / every % n];
            column->codes[at + part] = share->which;
            s->weights[at + part] *= share->share;
        }
    }
}

/* Part i has, of each text, the share at (order of i + some offset) / parts. */
static void draw_texts(const scoring *s, uint64_t row, uint64_t at, size_t parts) {
    for (size_t c = 0; c < s->n; c++) {
        const scored *column = &s->columns[c];
        const kan_class_share *shares;
        uint64_t random = kan_mix(row + 1, c + 0x9e3779b97f4a7c15u);
        size_t order[MOST_PARTS];
        if (!column->classes)
            continue;
        const size_t n = shares_of(column, row, &shares);
        const double offset = (double)(kan_random(&random) >> 11) / 9007199254740992.0;
        for (size_t i = 0; i < parts; i++) {
            const size_t j = (size_t)kan_random_below(&random, i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        for (size_t part = 0; part < parts; part++) {
            const double place = ((double)order[part] + offset) / (double)parts;
            double up_to = shares[0].share;
            size_t i = 0;
            while (i + 1 < n && up_to <= place)
                up_to += shares[++i].share;
            column->codes[at + part] = shares[i].which;
        }
    }
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void add_original(const scoring *s, uint64_t row) {
    for (size_t c = 0; c < s->n; c++) {
        const scored *column = &s->columns[c];
        const kan_fidelity_values *v = column->v;
        const uint32_t point = v->point_of[kan_column_code(v->column->original, row)];
        set_code(column, row, column->classes ? column->classes->of_point[point] : point,
                 v->numbers && isnan(v->numbers[point]));
    }
}

static void add_numbers(const scoring *s, uint64_t row, uint64_t at, size_t parts) {
    for (size_t c = 0; c < s->n; c++) {
        const scored *column = &s->columns[c];
        const kan_fidelity_values *v = column->v;
        if (column->classes)
            continue;
        const uint32_t cell = kan_column_code(v->column->released, row);
        for (size_t part = 0; part < parts; part++)
            set_code(column, at + part, v->n_points + cell, is_missing_cell(&v->cells[cell]));
    }
}

static kan_status fill_rows(const scoring *s) {
    const kan_fidelity *f = s->f;
    const uint64_t n_original = f->question->n_original, n_released = f->question->n_released;
    const double of_original = (double)n_original / (double)f->original_units;
    const double of_released = (double)n_released / (double)f->released_units;
    uint64_t at = n_original;
    for (uint64_t row = 0; row < n_original; row++) {
        if (row % BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(f->run));
        s->weights[row] = (double)kan_fidelity_units(&f->original, row) * of_original;
        add_original(s, row);
    }
    for (uint64_t row = 0; row < n_released; row++) {
        bool is_drawn;
        const size_t parts = count_parts(s, row, &is_drawn);
        const double weight = (double)kan_fidelity_units(&f->released, row) * of_released;
        if (row % BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(f->run));
        for (size_t part = 0; part < parts; part++) {
            s->y[at + part] = 1;
            s->weights[at + part] = is_drawn ? weight / (double)parts : weight;
        }
        add_numbers(s, row, at, parts);
        (is_drawn ? draw_texts : combine_texts)(s, row, at, parts);
        at += parts;
    }
    return KAN_OK;
}

static kan_status make_rows(scoring *s) {
    const kan_fidelity *f = s->f;
    const uint64_t n_released = f->question->n_released;
    size_t most = (size_t)(ROOM / n_released);
    bool unused;
    most = most < MOST_PARTS ? most : MOST_PARTS;
    s->most_parts = most > LEAST_PARTS ? most : LEAST_PARTS;
    s->n_rows = f->question->n_original;
    for (uint64_t row = 0; row < n_released; row++)
        s->n_rows += count_parts(s, row, &unused);
    KAN_TRY(kan_alloc(f->run, s->n_rows, sizeof *s->weights, &s->weights));
    KAN_TRY(kan_alloc_zero(f->run, s->n_rows, sizeof *s->y, &s->y));
    KAN_TRY(kan_alloc(f->run, s->n_rows, sizeof *s->found, &s->found));
    for (size_t c = 0; c < s->n; c++) {
        scored *column = &s->columns[c];
        KAN_TRY(kan_alloc(f->run, s->n_rows, sizeof *column->codes, &column->codes));
        if (column->has_missing)
            KAN_TRY(kan_alloc(f->run, s->n_rows, sizeof *column->missing, &column->missing));
    }
    return fill_rows(s);
}

/* ---- the model ------------------------------------------------------------------------------ */

static kan_status make_terms(scoring *s, kan_design *out) {
    KAN_TRY(kan_alloc(s->f->run, 2 * s->n, sizeof *s->terms, &s->terms));
    *out = (kan_design){.terms = s->terms, .n_rows = s->n_rows, .weights = s->weights};
    for (size_t c = 0; c < s->n; c++) {
        const scored *column = &s->columns[c];
        const uint32_t n = column->classes ? (uint32_t)column->classes->n
                                           : column->v->n_points + column->v->n_cells;
        s->terms[out->n_terms++] = (kan_design_term){column->codes, n, column->numbers};
        if (column->has_missing)
            s->terms[out->n_terms++] = (kan_design_term){column->missing, 2, NULL};
    }
    return KAN_OK;
}

static void spread_found(const scoring *s, kan_propensity *out) {
    out->least = INFINITY;
    out->greatest = -INFINITY;
    for (uint64_t row = 0; row < s->n_rows; row++) {
        out->least = fmin(out->least, s->found[row]);
        out->greatest = fmax(out->greatest, s->found[row]);
    }
    const double width = (out->greatest - out->least) / KAN_PROPENSITY_BINS;
    for (uint64_t row = 0; row < s->n_rows; row++) {
        const double at = width > 0 ? (s->found[row] - out->least) / width : 0;
        const size_t bin = at < KAN_PROPENSITY_BINS ? (size_t)at : KAN_PROPENSITY_BINS - 1;
        if (s->y[row] == 1)
            out->released[bin] += s->weights[row] / (double)s->f->question->n_released;
        else
            out->original[bin] += s->weights[row] / (double)s->f->question->n_original;
    }
}

static void judge(scoring *s, const kan_fitted *fit, kan_propensity *out) {
    const double n = out->rows, c = out->released_share;
    double sum = 0;
    out->n_parameters = fit->n_columns - fit->n_collinear;
    out->n_separated = fit->n_separated;
    for (uint64_t row = 0; row < s->n_rows; row++)
        sum += s->weights[row] * (s->found[row] - c) * (s->found[row] - c);
    out->pmse = sum / n < ROUNDING ? 0 : sum / n;
    for (uint64_t row = 0; row < s->n_rows && out->pmse == 0; row++)
        s->found[row] = c;
    out->expected = ((double)out->n_parameters - 1) * (1 - c) * (1 - c) * c / n;
    out->ratio = out->expected > 0 ? out->pmse / out->expected : 0;
    spread_found(s, out);
}

static kan_status fit_model(scoring *s, kan_propensity *out) {
    kan_design design;
    kan_fitted fit;
    KAN_TRY(make_terms(s, &design));
    if (kan_design_width(&design) > KAN_DESIGN_MOST_COLUMNS) {
        out->absent = KAN_ABSENT_WIDE;
        return KAN_OK;
    }
    const kan_fit_question question = {.design = &design, .y = s->y, .kind = KAN_FIT_LOGISTIC};
    KAN_TRY(kan_fit_make(s->f->run, &question, &fit));
    out->absent = fit.has_converged ? KAN_ABSENT_NOT : KAN_ABSENT_UNSETTLED;
    kan_status status = KAN_OK;
    if (fit.has_converged)
        status = kan_fit_predict(&fit, &design, s->found);
    if (fit.has_converged && status == KAN_OK)
        judge(s, &fit, out);
    kan_fit_destroy(&fit);
    return status;
}

kan_status kan_fidelity_measure_propensity(const kan_fidelity *fidelity, kan_propensity *out) {
    const double n_released = (double)fidelity->question->n_released;
    scoring s = {.f = fidelity};
    kan_status status;
    KAN_ASSERT(fidelity->classes);
    memset(out, 0, sizeof *out);
    out->rows = (double)fidelity->question->n_original + n_released;
    out->released_share = n_released / out->rows;
    KAN_TRY_DONE(find_columns(&s));
    KAN_TRY_DONE(make_rows(&s));
    status = fit_model(&s, out);
done:
    for (size_t c = 0; c < s.n; c++) {
        kan_free(fidelity->run, s.columns[c].numbers);
        kan_free(fidelity->run, s.columns[c].codes);
        kan_free(fidelity->run, s.columns[c].missing);
    }
    kan_free(fidelity->run, s.columns);
    kan_free(fidelity->run, s.terms);
    kan_free(fidelity->run, s.weights);
    kan_free(fidelity->run, s.y);
    kan_free(fidelity->run, s.found);
    return status;
}
