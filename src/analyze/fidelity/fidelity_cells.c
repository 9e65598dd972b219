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

kan_status kan_fidelity_find_cells(const kan_fidelity *fidelity, size_t column, uint32_t *cells,
                                   bool *are_disjoint) {
    const kan_fidelity_values *v = &fidelity->columns[column];
    uint32_t *of_point = NULL;
    bool is_disjoint = true;
    kan_status status = kan_alloc(fidelity->run, v->n_points, sizeof *of_point, &of_point);
    for (uint32_t point = 0; status == KAN_OK && point < v->n_points; point++)
        of_point[point] = KAN_NO_CELL;
    for (uint32_t code = 0; status == KAN_OK && code < v->n_cells; code++) {
        const kan_fidelity_cell *cell = &v->cells[code];
        status = code % 256 ? KAN_OK : kan_check_cancel(fidelity->run);
        is_disjoint = is_disjoint && !cell->is_mean;
        for (size_t r = cell->first_run; r < cell->end_run && !cell->is_mean; r++)
            for (uint32_t point = v->runs[r].first; point < v->runs[r].end; point++) {
                const uint32_t before = of_point[point];
                if (before != KAN_NO_CELL && cell->showing != KAN_SHOWS_HIDDEN &&
                    v->cells[before].showing != KAN_SHOWS_HIDDEN)
                    is_disjoint = false;
                if (before == KAN_NO_CELL || cell->n < v->cells[before].n ||
                    (v->cells[before].showing == KAN_SHOWS_HIDDEN &&
                     cell->showing != KAN_SHOWS_HIDDEN))
                    of_point[point] = code;
            }
    }
    for (uint32_t code = 0; status == KAN_OK && code < v->values.dictionary->n; code++)
        cells[code] = of_point[v->point_of[code]];
    if (status == KAN_OK)
        *are_disjoint = is_disjoint;
    kan_free(fidelity->run, of_point);
    return status;
}
