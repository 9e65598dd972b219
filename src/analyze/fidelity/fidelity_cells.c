/* What a released value shows of the original's, and the reverse: for models, which need a value per
 * row. */
#include <math.h>

#include "analyze/fidelity/fidelity_inside.h"

kan_showing kan_fidelity_shows(const kan_fidelity *fidelity, size_t column, uint32_t cell) {
    return fidelity->columns[column].cells[cell].showing;
}

static bool has_showing(const kan_fidelity_values *values, bool is_wanted[3]) {
    for (uint32_t cell = 0; cell < values->n_cells; cell++)
        if (is_wanted[values->cells[cell].showing])
            return true;
    return false;
}

bool kan_fidelity_has_coarser(const kan_fidelity *fidelity, size_t column) {
    bool wanted[] = {[KAN_SHOWS_COARSER] = true, [KAN_SHOWS_HIDDEN] = false};
    return has_showing(&fidelity->columns[column], wanted);
}

bool kan_fidelity_shows_any(const kan_fidelity *fidelity, size_t column) {
    bool wanted[] = {
        [KAN_SHOWS_EXACT] = true, [KAN_SHOWS_COARSER] = true, [KAN_SHOWS_HIDDEN] = false};
    return has_showing(&fidelity->columns[column], wanted);
}

double kan_fidelity_number(const kan_column *original, uint32_t code) {
    const kan_dictionary *dictionary = &original->dictionary;
    double number;
    return kan_value_number(dictionary->type, kan_dictionary_value(dictionary, code), &number)
               ? number
               : NAN;
}

/* Sums of products of two squares are finite, however many rows and however heavy. */
static bool is_measurable(double number) {
    return isnan(number) || number == 0 ||
           (fabs(number) <= KAN_FIDELITY_MOST && fabs(number) >= 1 / KAN_FIDELITY_MOST);
}

void kan_fidelity_check_numbers(kan_run *run, const kan_column *original) {
    char quoted[256];
    for (uint32_t code = 0; code < original->dictionary.n; code++) {
        const double number = kan_fidelity_number(original, code);
        if (is_measurable(number))
            continue;
        kan_problem_add(run,
                        "column %s has the number %.6g; numbers are compared by their squares, "
                        "from 1e-60 to 1e60: multiply the column in both tables",
                        kan_quote(kan_slice_of(original->name), quoted), number);
        return;
    }
}

double kan_fidelity_middle(const kan_fidelity *fidelity, size_t column, uint32_t cell) {
    return fidelity->columns[column].cells[cell].middle;
}

/* Codes of numbers and dates are in the order of points. */
static uint32_t first_code(const kan_fidelity_values *v, uint32_t point) {
    uint32_t low = 0, high = v->values.dictionary->n;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (v->point_of[middle] < point)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t kan_fidelity_value_of(const kan_fidelity *fidelity, size_t column, uint32_t cell) {
    const kan_fidelity_values *v = &fidelity->columns[column];
    const kan_slice text = kan_dictionary_value(&v->column->released->dictionary, cell);
    uint32_t code;
    KAN_ASSERT(v->cells[cell].showing == KAN_SHOWS_EXACT);
    if (kan_dictionary_find(v->values.dictionary, text, &code))
        return code;
    return first_code(v, v->runs[v->cells[cell].first_run].first);
}

static uint64_t count_points(const kan_fidelity_values *v, uint32_t cell) {
    uint64_t n = 0;
    for (size_t r = v->cells[cell].first_run; r < v->cells[cell].end_run; r++)
        n += v->runs[r].end - v->runs[r].first;
    return n;
}

kan_status kan_fidelity_list_values(const kan_fidelity *fidelity, size_t column, uint32_t **codes,
                                    uint64_t **first) {
    const kan_fidelity_values *v = &fidelity->columns[column];
    uint32_t *code_of = NULL, *list = NULL;
    uint64_t *begin = NULL, n = 0;
    kan_status status;
    KAN_TRY_DONE(kan_alloc(fidelity->run, v->n_points, sizeof *code_of, &code_of));
    KAN_TRY_DONE(kan_alloc(fidelity->run, (size_t)v->n_cells + 1, sizeof *begin, &begin));
    for (uint32_t code = v->values.dictionary->n; code-- > 0;) /* of several spellings the first */
        code_of[v->point_of[code]] = code;
    for (uint32_t cell = 0; cell <= v->n_cells; cell++) {
        begin[cell] = n;
        n += cell < v->n_cells ? count_points(v, cell) : 0;
    }
    KAN_TRY_DONE(kan_alloc(fidelity->run, n, sizeof *list, &list));
    for (uint32_t cell = 0; cell < v->n_cells; cell++) {
        uint64_t at = begin[cell];
        for (size_t r = v->cells[cell].first_run; r < v->cells[cell].end_run; r++)
            for (uint32_t point = v->runs[r].first; point < v->runs[r].end; point++)
                list[at++] = code_of[point];
    }
    *codes = list;
    *first = begin;
done:
    kan_free(fidelity->run, code_of);
    if (status != KAN_OK) {
        kan_free(fidelity->run, list);
        kan_free(fidelity->run, begin);
    }
    return status;
}

static bool is_better(const kan_fidelity_values *v, const uint64_t *rows, uint32_t cell,
                      uint32_t before) {
    const kan_fidelity_cell *a = &v->cells[cell], *b = &v->cells[before];
    if (rows)
        return (double)rows[cell] * b->n > (double)rows[before] * a->n;
    if ((a->showing == KAN_SHOWS_HIDDEN) != (b->showing == KAN_SHOWS_HIDDEN))
        return b->showing == KAN_SHOWS_HIDDEN;
    return a->n < b->n;
}

kan_status kan_fidelity_find_cells(const kan_fidelity *fidelity, size_t column,
                                   const uint64_t *rows, uint32_t *cells, bool *are_disjoint) {
    const kan_fidelity_values *v = &fidelity->columns[column];
    uint32_t *of_point = NULL;
    uint8_t *is_shown = NULL; /* by point: by something that is not hidden */
    bool is_disjoint = true;
    kan_status status = kan_alloc(fidelity->run, v->n_points, sizeof *of_point, &of_point);
    if (status == KAN_OK)
        status = kan_alloc_zero(fidelity->run, v->n_points, sizeof *is_shown, &is_shown);
    for (uint32_t point = 0; status == KAN_OK && point < v->n_points; point++)
        of_point[point] = KAN_NO_CELL;
    for (uint32_t code = 0; status == KAN_OK && code < v->n_cells; code++) {
        const kan_fidelity_cell *cell = &v->cells[code];
        const bool shows = cell->showing != KAN_SHOWS_HIDDEN;
        status = code % 256 ? KAN_OK : kan_check_cancel(fidelity->run);
        is_disjoint = is_disjoint && !cell->is_mean;
        for (size_t r = cell->first_run; r < cell->end_run && !cell->is_mean; r++)
            for (uint32_t point = v->runs[r].first; point < v->runs[r].end; point++) {
                is_disjoint = is_disjoint && !(shows && is_shown[point]);
                is_shown[point] = is_shown[point] || shows;
                if (of_point[point] == KAN_NO_CELL || is_better(v, rows, code, of_point[point]))
                    of_point[point] = code;
            }
    }
    for (uint32_t code = 0; status == KAN_OK && code < v->values.dictionary->n; code++)
        cells[code] = of_point[v->point_of[code]];
    if (status == KAN_OK)
        *are_disjoint = is_disjoint;
    kan_free(fidelity->run, of_point);
    kan_free(fidelity->run, is_shown);
    return status;
}
