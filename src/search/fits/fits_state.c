/* Numbers, and the two moves. A move walks over one class of each view that has its column. */
#include <stdlib.h>

#include "search/fits/fits_inside.h"

/* ---- numbers -------------------------------------------------------------------------------- */

typedef struct {
    uint64_t shown;
    uint32_t row;
} row_pattern;

static int compare_patterns(const void *a, const void *b) {
    const row_pattern *x = a, *y = b;
    if (x->shown != y->shown)
        return x->shown < y->shown ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Pattern by pattern: the rows of each class fit all of its tuples. None of these is kept, so that
 * there may be any number. */
static kan_status count_fitted(kan_fits *fits, kan_fits_view *view, row_pattern *rows,
                               kan_fits_pattern *pattern, uint64_t *in_class) {
    for (uint32_t row = 0; row < fits->n_all; row++)
        rows[row] = (row_pattern){kan_fits_shown(fits, row) & view->columns, row};
    if (fits->n_all > 0)
        qsort(rows, fits->n_all, sizeof *rows, compare_patterns);
    for (size_t i = 0; i < fits->n_all;) {
        const uint64_t columns = rows[i].shown;
        KAN_TRY(kan_fits_classify(fits, view, columns, pattern));
        memset(in_class, 0, pattern->n_classes * sizeof *in_class);
        for (; i < fits->n_all && rows[i].shown == columns; i++)
            in_class[pattern->class_of[kan_fits_in_view(view, fits->tuple_of[rows[i].row])]]++;
        for (size_t t = 0; t < view->n; t++)
            view->fitted[t] += in_class[pattern->class_of[t]];
    }
    return KAN_OK;
}

static kan_status count_view(kan_fits *fits, kan_fits_view *view, row_pattern *rows) {
    kan_status status;
    uint64_t *in_class = NULL;
    kan_fits_pattern pattern = {.columns = 0};
    KAN_TRY_DONE(kan_alloc(fits->run, view->n, sizeof *in_class, &in_class));
    status = count_fitted(fits, view, rows, &pattern, in_class);
done:
    kan_fits_pattern_destroy(fits, &pattern);
    kan_free(fits->run, in_class);
    return status;
}

kan_status kan_fits_count(kan_fits *fits) {
    row_pattern *rows;
    kan_status status = KAN_OK;
    KAN_TRY(kan_alloc(fits->run, fits->n_all, sizeof *rows, &rows));
    for (size_t v = 0; v < fits->n_views && status == KAN_OK; v++)
        status = count_view(fits, &fits->views[v], rows);
    kan_free(fits->run, rows);
    return status;
}

/* ---- moves ---------------------------------------------------------------------------------- */

/* The tuples of a class. */
typedef struct {
    const uint32_t *at, *end;
} class_walk;

static class_walk walk_class(kan_fits *fits, const kan_fits_pattern *pattern, uint32_t tuple) {
    const uint32_t class = pattern->class_of[tuple];
    const uint32_t first = pattern->start[class], end = pattern->start[class + 1];
    fits->n_steps += end - first;
    return (class_walk){pattern->members + first, pattern->members + end};
}

/* Whether the row fits enough people by what it would show of the view. */
static kan_status fits_enough(kan_fits *fits, kan_fits_view *view, uint64_t shown, uint32_t tuple,
                              bool *out) {
    const kan_fits_pattern *pattern;
    KAN_TRY(kan_fits_find(fits, view, shown & view->columns, false, &pattern));
    *out =
        pattern && pattern->class_rows[pattern->class_of[kan_fits_in_view(view, tuple)]] >= view->k;
    return KAN_OK;
}

/* Whether somebody who is fitted by just enough rows is fitted because the cell is hidden. */
static kan_status find_blocker(kan_fits *fits, kan_fits_view *view, kan_fits_cell cell,
                               kan_fits_answer *out, uint32_t *by) {
    const uint32_t whole = fits->tuple_of[cell.row], tuple = kan_fits_in_view(view, whole);
    const uint32_t own = kan_fits_value(fits, whole, cell.column);
    const kan_fits_pattern *pattern;
    KAN_TRY(
        kan_fits_find(fits, view, kan_fits_shown(fits, cell.row) & view->columns, true, &pattern));
    if (!pattern) {
        *out = KAN_FITS_CANNOT;
        return KAN_OK;
    }
    for (class_walk w = walk_class(fits, pattern, tuple); w.at < w.end; w.at++)
        if (view->fitted[*w.at] <= view->k &&
            kan_fits_view_value(fits, view, *w.at, cell.column) != own) {
            *by = view->first_place + *w.at;
            *out = KAN_FITS_BLOCKED;
            return KAN_OK;
        }
    return KAN_OK;
}

kan_status kan_fits_may_show(kan_fits *fits, kan_fits_cell cell, kan_fits_answer *out,
                             uint32_t *by) {
    const uint64_t bit = UINT64_C(1) << cell.column;
    const uint64_t shown = kan_fits_shown(fits, cell.row) | bit;
    const uint32_t tuple = fits->tuple_of[cell.row];
    bool is_enough;
    *out = KAN_FITS_CANNOT;
    for (size_t v = 0; v < fits->n_views; v++) {
        if (!(fits->views[v].columns & bit))
            continue;
        KAN_TRY(fits_enough(fits, &fits->views[v], shown, tuple, &is_enough));
        if (!is_enough)
            return KAN_OK;
    }
    *out = KAN_FITS_CAN;
    for (size_t v = 0; v < fits->n_views && *out == KAN_FITS_CAN; v++)
        if (fits->views[v].columns & bit)
            KAN_TRY(find_blocker(fits, &fits->views[v], cell, out, by));
    return KAN_OK;
}

/* Adds to the rows that fit those who differ from the row in the column, and are alike in all others
 * that it shows of the view. */
static void add_others(kan_fits *fits, kan_fits_view *view, const kan_fits_pattern *pattern,
                       kan_fits_cell cell, uint64_t number) {
    const uint32_t whole = fits->tuple_of[cell.row], tuple = kan_fits_in_view(view, whole);
    const uint32_t own = kan_fits_value(fits, whole, cell.column);
    for (class_walk w = walk_class(fits, pattern, tuple); w.at < w.end; w.at++)
        if (kan_fits_view_value(fits, view, *w.at, cell.column) != own)
            view->fitted[*w.at] += number;
}

kan_status kan_fits_show(kan_fits *fits, kan_fits_cell cell) {
    const uint64_t bit = UINT64_C(1) << cell.column, shown = kan_fits_shown(fits, cell.row);
    KAN_ASSERT(fits->hidden[cell.row] & bit);
    for (size_t v = 0; v < fits->n_views; v++) {
        kan_fits_view *view = &fits->views[v];
        const kan_fits_pattern *pattern;
        if (!(view->columns & bit))
            continue;
        KAN_TRY(kan_fits_find(fits, view, shown & view->columns, true, &pattern));
        KAN_ASSERT(pattern);
        add_others(fits, view, pattern, cell, (uint64_t)0 - 1);
    }
    fits->hidden[cell.row] &= ~bit;
    return KAN_OK;
}

kan_status kan_fits_hide(kan_fits *fits, kan_fits_cell cell, bool *is_done) {
    const uint64_t bit = UINT64_C(1) << cell.column;
    const uint64_t shown = kan_fits_shown(fits, cell.row) & ~bit;
    const kan_fits_pattern *pattern;
    KAN_ASSERT(kan_fits_shown(fits, cell.row) & bit);
    *is_done = true;
    for (size_t v = 0; v < fits->n_views && *is_done; v++) {
        if (!(fits->views[v].columns & bit))
            continue;
        KAN_TRY(
            kan_fits_find(fits, &fits->views[v], shown & fits->views[v].columns, true, &pattern));
        *is_done = pattern != NULL;
    }
    if (!*is_done)
        return KAN_OK;
    for (size_t v = 0; v < fits->n_views; v++) {
        kan_fits_view *view = &fits->views[v];
        if (!(view->columns & bit))
            continue;
        KAN_TRY(kan_fits_find(fits, view, shown & view->columns, true, &pattern));
        add_others(fits, view, pattern, cell, 1);
    }
    fits->hidden[cell.row] |= bit;
    return KAN_OK;
}
