/* From released values to the original ones that they stand for, as runs of points. A range is looked
 * up by its bounds, so that the runs take no more room than the text that was read. */
#include <math.h>
#include <stdlib.h>

#include "analyze/fidelity/fidelity_inside.h"

/* ---- points --------------------------------------------------------------------------------- */

static bool is_missing(const kan_fidelity_values *v, uint32_t code) {
    return kan_value_is_unknown(kan_dictionary_value(v->values.dictionary, code));
}

/* Missing values come first among numbers and dates; of text they may stand anywhere. */
static kan_status make_points(kan_run *run, kan_fidelity_values *v) {
    const kan_dictionary *dictionary = v->values.dictionary;
    KAN_TRY(kan_alloc(run, dictionary->n, sizeof *v->point_of, &v->point_of));
    for (uint32_t code = 0; code < dictionary->n; code++)
        v->has_missing = v->has_missing || is_missing(v, code);
    v->n_points = v->has_missing;
    for (uint32_t code = 0; code < dictionary->n; code++) {
        const double *numbers = v->values.numbers;
        if (is_missing(v, code))
            v->point_of[code] = 0;
        else if (numbers && code > 0 && !is_missing(v, code - 1) &&
                 numbers[code] == numbers[code - 1])
            v->point_of[code] = v->n_points - 1; /* another spelling */
        else
            v->point_of[code] = v->n_points++;
    }
    if (!v->values.numbers)
        return KAN_OK;
    KAN_TRY(kan_alloc(run, v->n_points, sizeof *v->numbers, &v->numbers));
    for (uint32_t code = 0; code < dictionary->n; code++)
        v->numbers[v->point_of[code]] = is_missing(v, code) ? NAN : v->values.numbers[code];
    return KAN_OK;
}

/* The first point that is a number of at least so many units; above: of more. */
static uint32_t find_point(const kan_fidelity_values *v, double units, bool is_above) {
    uint32_t low = v->has_missing, high = v->n_points;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const double here = kan_value_units(&v->values, v->numbers[middle]);
        if (here < units || (is_above && here == units))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- cells ---------------------------------------------------------------------------------- */

/* What a cell is made of while it is read. */
typedef struct {
    kan_run *run;
    kan_fidelity_values *v;
    kan_fidelity_cell *cell;
    double least, greatest;
    bool has_missing; /* text: the missing value is among its points */
} cell_reader;

static void take_number(cell_reader *r, double number) {
    r->least = fmin(r->least, number);
    r->greatest = fmax(r->greatest, number);
}

static kan_status add_run(cell_reader *r, uint32_t first, uint32_t end) {
    kan_fidelity_values *v = r->v;
    if (first >= end)
        return KAN_OK;
    KAN_TRY(kan_reserve(r->run, v->n_runs + 1, sizeof *v->runs, &v->run_room, &v->runs));
    v->runs[v->n_runs++] = (kan_point_run){first, end};
    return KAN_OK;
}

/* A point of text. "" and "?" are one. */
static kan_status add_point(cell_reader *r, uint32_t point) {
    kan_fidelity_values *v = r->v;
    if (v->has_missing && point == 0) {
        if (r->has_missing)
            return KAN_OK;
        r->has_missing = true;
    }
    r->cell->n++;
    if (v->n_runs > r->cell->first_run && v->runs[v->n_runs - 1].end == point) {
        v->runs[v->n_runs - 1].end++;
        return KAN_OK;
    }
    return add_run(r, point, point + 1);
}

static kan_status take_run(cell_reader *r, const kan_cell_run *told) {
    kan_fidelity_values *v = r->v;
    const uint32_t last = told->end - 1;
    if (v->numbers) { /* codes in order are points in order */
        const uint32_t first = v->point_of[told->first], end = v->point_of[last] + 1;
        r->cell->n += end - first;
        for (uint32_t i = 0; i < 2; i++) { /* its ends; missing values are before them */
            const uint32_t point = i ? end - 1 : first + (v->has_missing && first == 0);
            if (point < end && !isnan(v->numbers[point]))
                take_number(r, v->numbers[point]);
        }
        return add_run(r, first, end);
    }
    if (told->first == 0 && told->end == v->values.dictionary->n) { /* every value */
        r->cell->n += v->n_points;
        return add_run(r, 0, v->n_points);
    }
    for (uint32_t code = told->first; code < told->end; code++)
        KAN_TRY(add_point(r, v->point_of[code]));
    return KAN_OK;
}

static kan_status take_range(cell_reader *r, const kan_unit_range *range) {
    r->cell->n += range->hi - range->lo + 1;
    take_number(r, range->lo / r->v->values.per_unit);
    take_number(r, range->hi / r->v->values.per_unit);
    return add_run(r, find_point(r->v, range->lo, false), find_point(r->v, range->hi, true));
}

static kan_status take_point(cell_reader *r, double number) {
    kan_fidelity_values *v = r->v;
    const uint32_t first = find_point(v, kan_value_units(&v->values, number), false);
    const bool is_there = first < v->n_points && v->numbers[first] == number;
    r->cell->n++;
    r->cell->is_mean = r->cell->is_mean || !is_there;
    take_number(r, number);
    return is_there ? add_run(r, first, first + 1) : KAN_OK;
}

static int compare_runs(const void *a, const void *b) {
    const kan_point_run *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* In order and apart, for who looks for a point. */
static void order_runs(cell_reader *r) {
    kan_fidelity_values *v = r->v;
    size_t last = r->cell->first_run;
    if (v->n_runs <= last + 1)
        return;
    qsort(&v->runs[last], v->n_runs - last, sizeof *v->runs, compare_runs);
    for (size_t i = last + 1; i < v->n_runs; i++)
        if (v->runs[i].first >= v->runs[last].end)
            v->runs[++last] = v->runs[i];
        else if (v->runs[i].end > v->runs[last].end)
            v->runs[last].end = v->runs[i].end;
    v->n_runs = last + 1;
}

static void end_cell(cell_reader *r, uint32_t code) {
    const kan_fidelity_column *column = r->v->column;
    const kan_slice text = kan_dictionary_value(&column->released->dictionary, code);
    kan_fidelity_cell *cell = r->cell;
    uint32_t unused;
    order_runs(r);
    cell->end_run = r->v->n_runs;
    cell->is_mean = cell->is_mean || (column->shows_middles && !kan_slice_is(text, "*"));
    const bool is_one = cell->n == 1 && cell->end_run > cell->first_run && !cell->is_mean;
    double number;
    cell->showing = KAN_SHOWS_COARSER;
    if (kan_slice_is(text, "*"))
        cell->showing = KAN_SHOWS_HIDDEN;
    else if (is_one && (kan_dictionary_find(&column->original->dictionary, text, &unused) ||
                        kan_value_number(column->original->dictionary.type, text, &number)))
        cell->showing = KAN_SHOWS_EXACT;
    if (cell->showing != KAN_SHOWS_HIDDEN && r->least <= r->greatest)
        cell->middle = r->least + (r->greatest - r->least) / 2;
}

static kan_status read_cells(kan_run *run, const kan_released_cells *told, kan_fidelity_values *v) {
    size_t at_run = 0, at_range = 0, at_point = 0;
    for (uint32_t code = 0; code < told->n; code++) {
        cell_reader r = {run, v, &v->cells[code], INFINITY, -INFINITY, false};
        *r.cell = (kan_fidelity_cell){.middle = NAN, .first_run = v->n_runs};
        for (; at_run < told->n_runs && told->runs[at_run].cell == code; at_run++)
            KAN_TRY(take_run(&r, &told->runs[at_run]));
        for (; at_range < told->n_ranges && told->ranges[at_range].cell == code; at_range++)
            KAN_TRY(take_range(&r, &told->ranges[at_range]));
        for (; at_point < told->n_points && told->points[at_point].cell == code; at_point++)
            KAN_TRY(take_point(&r, told->points[at_point].number));
        end_cell(&r, code);
    }
    return KAN_OK;
}

/* Labels may reach further than the original, and means lie between. */
static kan_status check_middles(kan_run *run, const char *release_name,
                                const kan_fidelity_values *v) {
    char quoted[256];
    for (uint32_t cell = 0; cell < v->n_cells; cell++)
        if (fabs(v->cells[cell].middle) > KAN_FIDELITY_MOST) {
            kan_problem_add(run,
                            "%s: column %s covers numbers around %.6g; numbers are compared by "
                            "their squares, up to 1e60: multiply the column in both tables",
                            release_name,
                            kan_quote(kan_slice_of(v->column->original->name), quoted),
                            v->cells[cell].middle);
            return KAN_BAD_INPUT;
        }
    return KAN_OK;
}

kan_status kan_fidelity_values_read(kan_run *run, const kan_fidelity_column *column,
                                    const char *release_name, kan_fidelity_values *out) {
    const size_t before = kan_problems_count(run);
    *out = (kan_fidelity_values){.column = column, .n_cells = column->released->dictionary.n};
    out->values.run = out->told.run = run;
    kan_fidelity_check_numbers(run, column->original);
    if (kan_problems_count(run) > before)
        return KAN_BAD_INPUT;
    KAN_TRY(kan_value_column_init(&out->values, run, column->original));
    KAN_TRY(make_points(run, out));
    KAN_TRY(kan_alloc(run, out->n_cells, sizeof *out->cells, &out->cells));
    KAN_TRY(kan_released_cells_read(&out->told, &out->values, column->original, column->released,
                                    column->hierarchy, release_name));
    KAN_TRY(read_cells(run, &out->told, out));
    return check_middles(run, release_name, out);
}

void kan_fidelity_values_destroy(kan_run *run, kan_fidelity_values *values) {
    if (values->column) {
        kan_value_column_destroy(&values->values);
        kan_released_cells_destroy(&values->told);
    }
    kan_free(run, values->point_of);
    kan_free(run, values->numbers);
    kan_free(run, values->cells);
    kan_free(run, values->runs);
    kan_free(run, values->point_units);
    kan_free(run, values->point_rows);
    kan_free(run, values->cell_units);
    kan_free(run, values->cell_rows);
}

bool kan_fidelity_cell_covers(const kan_fidelity_values *values, const kan_fidelity_cell *cell,
                              uint32_t point) {
    size_t low = cell->first_run, high = cell->end_run; /* the first run that ends behind it */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (values->runs[middle].end <= point)
            low = middle + 1;
        else
            high = middle;
    }
    return cell->is_mean || (low < cell->end_run && values->runs[low].first <= point);
}
