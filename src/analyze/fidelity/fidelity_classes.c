/* Columns cut into classes, so that any two of them make a table that is small enough to look at. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/fidelity/fidelity_inside.h"
#include "core/hash.h"

/* ---- classes of points ---------------------------------------------------------------------- */

/* The tenths of the original: values of which as much of the weight lies below. */
static void make_tenths(const kan_fidelity_values *v, kan_fidelity_classes *classes) {
    uint64_t known = 0, below = 0, tenth, last = KAN_TENTHS;
    for (uint32_t point = v->has_missing; point < v->n_points; point++)
        known += v->point_units[point];
    if (v->has_missing)
        classes->of_point[classes->n++] = 0;
    for (uint32_t point = v->has_missing; point < v->n_points; point++, last = tenth) {
        tenth = (uint64_t)((kan_u128)below * KAN_TENTHS / known);
        classes->n += tenth != last;
        classes->of_point[point] = (uint32_t)classes->n - 1;
        below += v->point_units[point];
    }
}

typedef struct {
    uint64_t units;
    uint32_t point;
} frequent;

static int compare_frequent(const void *a, const void *b) {
    const frequent *x = a, *y = b;
    if (x->units != y->units)
        return (x->units < y->units) - (x->units > y->units);
    return (x->point > y->point) - (x->point < y->point);
}

/* The most frequent values in their order, then all others. */
static kan_status make_frequent(const kan_fidelity_values *v, kan_fidelity_classes *classes) {
    const uint32_t others = KAN_MOST_CLASSES - 1;
    frequent *points;
    KAN_TRY(kan_alloc(classes->run, v->n_points, sizeof *points, &points));
    for (uint32_t point = 0; point < v->n_points; point++) {
        points[point] = (frequent){v->point_units[point], point};
        classes->of_point[point] = others;
    }
    qsort(points, v->n_points, sizeof *points, compare_frequent);
    for (uint32_t i = 0; i < others; i++)
        classes->of_point[points[i].point] = 0;
    for (uint32_t point = 0; point < v->n_points; point++)
        if (classes->of_point[point] == 0)
            classes->of_point[point] = (uint32_t)classes->n++;
    classes->n++;
    kan_free(classes->run, points);
    return KAN_OK;
}

static kan_status make_classes(const kan_fidelity_values *v, kan_fidelity_classes *classes) {
    KAN_TRY(
        kan_alloc_zero(classes->run, v->n_points, sizeof *classes->of_point, &classes->of_point));
    if (v->n_points > KAN_MOST_CLASSES && !v->numbers)
        return make_frequent(v, classes);
    if (v->n_points > KAN_MOST_CLASSES) {
        make_tenths(v, classes);
        return KAN_OK;
    }
    for (uint32_t point = 0; point < v->n_points; point++)
        classes->of_point[point] = point;
    classes->n = v->n_points;
    return KAN_OK;
}

/* ---- classes of cells ----------------------------------------------------------------------- */

/* What a cell stands for, class by class, while it is read. */
typedef struct {
    const kan_fidelity_values *v;
    const kan_fidelity_classes *classes;
    double n[KAN_MOST_CLASSES];
    double least[KAN_MOST_CLASSES]; /* units at which a class of numbers begins */
} counting;

static void find_least(counting *c) {
    const kan_fidelity_values *v = c->v;
    for (uint32_t point = v->n_points; v->numbers && point-- > v->has_missing;)
        c->least[c->classes->of_point[point]] = kan_value_units(&v->values, v->numbers[point]);
}

/* What lies below all classes belongs to the first of them. */
static void count_units(counting *c, double lo, double hi) {
    const uint32_t first = c->v->has_missing;
    for (uint32_t i = first; i < c->classes->n; i++) {
        const double from = i == first ? lo : fmax(lo, ceil(c->least[i]));
        const double to = i + 1 == c->classes->n ? hi : fmin(hi, ceil(c->least[i + 1]) - 1);
        if (from <= to)
            c->n[i] += to - from + 1;
    }
}

static void count_number(counting *c, double number) {
    const uint32_t first = c->v->has_missing;
    uint32_t i = (uint32_t)c->classes->n - 1;
    while (i > first && kan_value_units(&c->v->values, number) < c->least[i])
        i--;
    c->n[i]++;
}

/* Points of a run; spellings of one number are one. */
static void count_run(counting *c, const kan_cell_run *run, bool *has_missing) {
    const kan_fidelity_values *v = c->v;
    uint32_t before = KAN_NO_STEP;
    for (uint32_t code = run->first; code < run->end; code++) {
        const uint32_t point = v->point_of[code];
        const bool is_missing = v->has_missing && point == 0;
        if (point != before && !(is_missing && *has_missing && !v->numbers))
            c->n[c->classes->of_point[point]]++;
        *has_missing = *has_missing || is_missing;
        before = point;
    }
}

static kan_status add_share(kan_fidelity_classes *classes, uint32_t which, double share) {
    KAN_TRY(kan_reserve(classes->run, classes->n_shares + 1, sizeof *classes->shares,
                        &classes->share_room, &classes->shares));
    classes->shares[classes->n_shares++] = (kan_class_share){which, share};
    return KAN_OK;
}

static kan_status end_cell(const counting *c, kan_fidelity_classes *classes, uint32_t cell) {
    double all = 0;
    size_t n = 0;
    for (uint32_t i = 0; i < classes->n; i++) {
        all += c->n[i];
        n += c->n[i] > 0;
        if (c->n[i] > 0)
            classes->of_cell[cell] = i;
    }
    if (n <= 1)
        return KAN_OK;
    classes->of_cell[cell] = (uint32_t)classes->n_profiles++;
    for (uint32_t i = 0; i < classes->n; i++)
        if (c->n[i] > 0)
            KAN_TRY(add_share(classes, i, c->n[i] / all));
    classes->first_share[classes->n_profiles] = classes->n_shares;
    return KAN_OK;
}

static kan_status read_cells(const kan_fidelity_values *v, kan_fidelity_classes *classes) {
    const kan_released_cells *told = &v->told;
    counting c = {.v = v, .classes = classes};
    size_t run = 0, range = 0, point = 0;
    find_least(&c);
    for (uint32_t cell = 0; cell < v->n_cells; cell++) {
        bool has_missing = false;
        memset(c.n, 0, sizeof c.n);
        for (; run < told->n_runs && told->runs[run].cell == cell; run++)
            count_run(&c, &told->runs[run], &has_missing);
        for (; range < told->n_ranges && told->ranges[range].cell == cell; range++)
            count_units(&c, told->ranges[range].lo, told->ranges[range].hi);
        for (; point < told->n_points && told->points[point].cell == cell; point++)
            count_number(&c, told->points[point].number);
        KAN_TRY(end_cell(&c, classes, cell));
    }
    return KAN_OK;
}

kan_status kan_fidelity_classes_make(kan_run *run, const kan_fidelity_values *values,
                                     kan_fidelity_classes *out) {
    *out = (kan_fidelity_classes){.run = run};
    KAN_TRY(make_classes(values, out));
    KAN_ASSERT(out->n > 0 && out->n <= KAN_MOST_CLASSES);
    KAN_TRY(kan_alloc(run, values->n_cells, sizeof *out->of_cell, &out->of_cell));
    KAN_TRY(kan_alloc_zero(run, out->n + values->n_cells + 1, sizeof *out->first_share,
                           &out->first_share));
    for (uint32_t i = 0; i < out->n; i++) {
        KAN_TRY(add_share(out, i, 1));
        out->first_share[i + 1] = out->n_shares;
    }
    out->n_profiles = out->n;
    return read_cells(values, out);
}

void kan_fidelity_classes_destroy(kan_fidelity_classes *classes) {
    kan_free(classes->run, classes->of_point);
    kan_free(classes->run, classes->of_cell);
    kan_free(classes->run, classes->first_share);
    kan_free(classes->run, classes->shares);
}

/* ---- shares --------------------------------------------------------------------------------- */

size_t kan_fidelity_class_shares(const kan_fidelity *fidelity, size_t column, double *before,
                                 double *after) {
    const kan_fidelity_values *v = &fidelity->columns[column];
    const kan_fidelity_classes *classes = &fidelity->classes[column];
    for (size_t i = 0; i < classes->n; i++)
        before[i] = after[i] = 0;
    for (uint32_t point = 0; point < v->n_points; point++)
        before[classes->of_point[point]] += (double)v->point_units[point];
    for (uint32_t cell = 0; cell < v->n_cells; cell++) {
        const uint32_t profile = classes->of_cell[cell];
        for (size_t s = classes->first_share[profile]; s < classes->first_share[profile + 1]; s++)
            after[classes->shares[s].which] +=
                (double)v->cell_units[cell] * classes->shares[s].share;
    }
    for (size_t i = 0; i < classes->n; i++) {
        before[i] /= (double)fidelity->original_units;
        after[i] /= (double)fidelity->released_units;
    }
    return classes->n;
}

/* ---- names ---------------------------------------------------------------------------------- */

void kan_fidelity_add_class(const kan_fidelity *fidelity, size_t column, size_t which,
                            kan_text *text) {
    const kan_fidelity_values *v = &fidelity->columns[column];
    const uint32_t *of_point = fidelity->classes[column].of_point;
    const kan_dictionary *dictionary = v->values.dictionary;
    uint32_t first = KAN_NO_STEP, last = 0, n_points = 0, before = KAN_NO_STEP;
    for (uint32_t code = 0; code < dictionary->n; code++) {
        const uint32_t point = v->point_of[code];
        if (of_point[point] != which)
            continue;
        first = first == KAN_NO_STEP ? code : first;
        last = code;
        n_points += point != before;
        before = point;
    }
    const kan_slice from = kan_dictionary_value(dictionary, first);
    const kan_slice to = kan_dictionary_value(dictionary, last);
    if (v->has_missing && v->point_of[first] == 0 && (n_points == 1 || v->numbers))
        kan_text_print(text, "missing");
    else if (n_points == 1)
        kan_text_add(text, from.bytes, from.size);
    else if (v->numbers)
        kan_text_print(text, "%.*s to %.*s", (int)from.size, from.bytes, (int)to.size, to.bytes);
    else
        kan_text_print(text, "%u others", n_points);
}
