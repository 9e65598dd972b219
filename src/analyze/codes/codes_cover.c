/* Whether rows of a release can be rows of the original. */
#include "analyze/codes/codes_inside.h"

typedef struct {
    const kan_code_sets *release, *original;
    const kan_code_sets_pair *others;
    size_t n_others;
    kan_label_covers covers;
} comparer;

/* Whether one of the labels of a cell covers the code. */
static bool is_covered(const comparer *c, kan_slice cell, uint32_t leaf) {
    kan_slice label;
    while (kan_code_sets_next(&cell, c->release->separator, &label))
        if (kan_label_covers_has(&c->covers, label, leaf))
            return true;
    return false;
}

static bool covers_one(const comparer *c, kan_slice label, kan_slice cell) {
    const kan_hierarchy *h = c->original->hierarchy;
    kan_slice code;
    while (kan_code_sets_next(&cell, c->original->separator, &code)) {
        size_t from, to;
        kan_label_covers_find(&c->covers, code, &from, &to);
        for (size_t i = from; i < to; i++)
            if (kan_slice_equal(h->levels[0].label[c->covers.all[i].leaf], code) &&
                kan_label_covers_has(&c->covers, label, c->covers.all[i].leaf))
                return true;
    }
    return false;
}

/* The leaf of a code; false: it is none. */
static bool find_leaf(const comparer *c, kan_slice code, uint32_t *out) {
    const kan_hierarchy *h = c->original->hierarchy;
    size_t from, to;
    kan_label_covers_find(&c->covers, code, &from, &to);
    for (size_t i = from; i < to; i++)
        if (kan_slice_equal(h->levels[0].label[c->covers.all[i].leaf], code)) {
            *out = c->covers.all[i].leaf;
            return true;
        }
    return false;
}

static bool is_row(const comparer *c, uint64_t released, uint64_t original) {
    const kan_slice shown = kan_column_value(c->release->column, released),
                    cell = kan_column_value(c->original->column, original);
    kan_slice rest, code;
    uint32_t leaf;
    for (size_t i = 0; i < c->n_others; i++)
        if (!kan_slice_equal(kan_column_value(c->others[i].released, released),
                             kan_column_value(c->others[i].original, original)))
            return false;
    for (rest = cell; kan_code_sets_next(&rest, c->original->separator, &code);)
        if (!find_leaf(c, code, &leaf) || !is_covered(c, shown, leaf))
            return false;
    for (rest = shown; kan_code_sets_next(&rest, c->release->separator, &code);)
        if (!covers_one(c, code, cell))
            return false;
    return true;
}

static void compare(const comparer *c, const uint64_t *row_of, kan_code_sets_match *out) {
    const uint64_t n = c->release->column->n_rows, n_all = c->original->column->n_rows;
    uint64_t at = 0, row = 0;
    for (; row < n; row++) {
        if (row_of)
            at = row_of[row];
        else
            while (at < n_all && !is_row(c, row, at))
                at++;
        if (at >= n_all || (row_of && !is_row(c, row, at)))
            break;
        at++;
    }
    out->holds = row == n;
    out->row = row;
    out->is_certain = !out->holds;
    for (at = 0; !out->holds && at < n_all; at++)
        if (is_row(c, row, at))
            out->is_certain = false;
}

kan_status kan_code_sets_cover(kan_run *run, const kan_code_sets *release,
                               const kan_code_sets *original, const kan_code_sets_pair *others,
                               size_t n_others, const uint64_t *row_of, kan_code_sets_match *out) {
    comparer c = {.release = release, .original = original, .others = others, .n_others = n_others};
    const kan_status status = kan_label_covers_make(run, original->hierarchy, &c.covers);
    if (status == KAN_OK)
        compare(&c, row_of, out);
    kan_label_covers_destroy(&c.covers);
    return status;
}
