/* From the state to a local recoding: rows of a tuple that hide the same are a region. */
#include <stdlib.h>

#include "search/fits/fits_inside.h"

static int compare_hidden(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Rows of a tuple that hide the same are a region. Sorts what they hide; the number of these. */
static uint64_t sort_hidden(const kan_fits *fits) {
    uint64_t n = 0;
    for (size_t t = 0; t < fits->n_tuples; t++) {
        const uint32_t first = fits->first[t], end = fits->first[t + 1];
        qsort(fits->hidden + first, end - first, sizeof *fits->hidden, compare_hidden);
        for (uint32_t row = first; row < end; row++)
            n += row == first || fits->hidden[row] != fits->hidden[row - 1];
    }
    return n;
}

/* Every value, and behind all of them *. */
static kan_status list_cells(const kan_fits_job *m, kan_regions *out) {
    for (unsigned a = 0; a < out->n_attributes; a++) {
        kan_cells *cells = &out->cells[a];
        const kan_hierarchy *h = kan_fits_hierarchy(m, a);
        const uint32_t n = h->levels[0].n_groups;
        cells->type = KAN_CELL_NODE;
        KAN_TRY(kan_alloc(out->run, (size_t)n + 1, sizeof *cells->cells, &cells->cells));
        for (uint32_t leaf = 0; leaf < n; leaf++)
            cells->cells[leaf] = (kan_cell){0, leaf};
        cells->cells[n] = (kan_cell){h->height, 0};
        cells->n = n + (h->height > 0);
    }
    return KAN_OK;
}

static kan_status make_regions(const kan_fits_job *m, uint64_t n_shown, kan_regions *out) {
    out->n_attributes = m->regions->n_attributes;
    out->n_tuples = m->regions->n_tuples;
    out->has_lost = m->regions->has_lost;
    out->n_regions = (uint32_t)n_shown + out->has_lost;
    KAN_TRY(kan_alloc_zero(out->run, out->n_regions, sizeof *out->n_rows, &out->n_rows));
    KAN_TRY(kan_alloc_zero(out->run, (size_t)out->n_regions * out->n_attributes,
                           sizeof *out->cell_of, &out->cell_of));
    KAN_TRY(kan_alloc(out->run, out->n_tuples, sizeof *out->region_of, &out->region_of));
    KAN_TRY(
        kan_alloc_zero(out->run, out->n_tuples + 1, sizeof *out->split_start, &out->split_start));
    KAN_TRY(kan_alloc(out->run, (size_t)out->n_regions + out->n_tuples, sizeof *out->portions,
                      &out->portions));
    return list_cells(m, out);
}

static void show_region(const kan_fits_job *m, kan_regions *out, uint32_t region, size_t at,
                        uint64_t hidden) {
    const kan_fits *fits = &m->fits;
    for (unsigned a = 0; a < fits->n_columns; a++)
        out->cell_of[(size_t)region * fits->n_columns + a] =
            hidden >> a & 1 ? kan_fits_hierarchy(m, a)->levels[0].n_groups
                            : fits->value[at * fits->n_values + a];
}

/* The portions of tuple `t`, of which tuple `at` are those that are released; SIZE_MAX: none is. */
static size_t hand_out(const kan_fits_job *m, kan_regions *out, size_t t, size_t at,
                       uint32_t *region, kan_portion *portions) {
    const kan_fits *fits = &m->fits;
    const uint64_t n_rows = kan_problem_tuple_rows(m->question->problem, t);
    uint64_t n_released = 0;
    size_t n = 0;
    if (at != SIZE_MAX) {
        n_released = fits->n_rows[at];
        for (uint32_t row = fits->first[at]; row < fits->first[at + 1]; row++) {
            if (row == fits->first[at] || fits->hidden[row] != fits->hidden[row - 1]) {
                show_region(m, out, *region, at, fits->hidden[row]);
                portions[n++] = (kan_portion){(*region)++, 0};
            }
            portions[n - 1].n_rows++;
        }
    }
    if (n_rows > n_released)
        portions[n++] = (kan_portion){out->n_regions - 1, n_rows - n_released};
    for (size_t i = 0; i < n; i++)
        out->n_rows[portions[i].region] += portions[i].n_rows;
    return n;
}

static void fill_regions(const kan_fits_job *m, kan_regions *out) {
    uint32_t region = 0;
    size_t at = 0, n_portions = 0;
    for (size_t t = 0; t < out->n_tuples; t++) {
        const bool is_there = at < m->fits.n_tuples && m->tuple_at[at] == t;
        kan_portion *portions = out->portions + n_portions;
        const size_t n = hand_out(m, out, t, is_there ? at++ : SIZE_MAX, &region, portions);
        if (n == 1) {
            out->region_of[t] = portions[0].region;
            continue;
        }
        out->region_of[t] = KAN_REGION_SPLIT | (uint32_t)out->n_splits;
        n_portions += n;
        out->split_start[++out->n_splits] = n_portions;
    }
}

/* Cells that no region has are none: a value that is hidden in every row is in no name. */
static kan_status drop_unused(kan_regions *out, unsigned a) {
    kan_cells *cells = &out->cells[a];
    uint32_t *number; /* by cell: what it becomes, and 1 */
    uint32_t n = 0;
    KAN_TRY(kan_alloc_zero(out->run, cells->n, sizeof *number, &number));
    for (size_t r = 0; r < out->n_regions; r++)
        number[out->cell_of[r * out->n_attributes + a]] = 1;
    for (uint32_t cell = 0; cell < cells->n; cell++)
        if (number[cell]) {
            cells->cells[n] = cells->cells[cell];
            number[cell] = ++n;
        }
    cells->n = n;
    for (size_t r = 0; r < out->n_regions; r++)
        out->cell_of[r * out->n_attributes + a] =
            number[out->cell_of[r * out->n_attributes + a]] - 1;
    kan_free(out->run, number);
    return KAN_OK;
}

/* What the cells of the last region are means nothing where its rows are left out: they are those of
 * the first. */
static kan_status drop_all_unused(kan_regions *out) {
    const unsigned n = out->n_attributes;
    if (out->has_lost && out->n_regions > 1)
        memcpy(out->cell_of + (size_t)(out->n_regions - 1) * n, out->cell_of,
               n * sizeof *out->cell_of);
    for (unsigned a = 0; a < n; a++)
        KAN_TRY(drop_unused(out, a));
    return KAN_OK;
}

kan_status kan_fits_release(const kan_fits_job *m, kan_regions **out) {
    kan_regions *made;
    const uint64_t n_shown = sort_hidden(&m->fits);
    *out = NULL;
    if (n_shown >= KAN_REGION_SPLIT - 1)
        return KAN_OK;
    KAN_TRY(kan_alloc_zero(m->fits.run, 1, sizeof *made, &made));
    made->run = m->fits.run;
    kan_status status = make_regions(m, n_shown, made);
    if (status == KAN_OK) {
        fill_regions(m, made);
        status = drop_all_unused(made);
    }
    if (status != KAN_OK) {
        kan_regions_destroy(made);
        return status;
    }
    *out = made;
    return KAN_OK;
}
