/* Extents: see extents.h. */
#include "analyze/recodings/extents.h"

#include <stdlib.h>

typedef struct {
    kan_extents *e;
    uint32_t *place_of; /* by value */
} filling;

/* ---- the order ------------------------------------------------------------------------------ */

typedef struct {
    const uint32_t *path; /* its labels, from itself up */
    unsigned n;
    uint32_t value;
} path_of_value;

static int compare_paths(const void *a, const void *b) {
    const path_of_value *x = a, *y = b;
    for (unsigned level = x->n; level-- > 0;)
        if (x->path[level] != y->path[level])
            return x->path[level] < y->path[level] ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

/* Texts by their nodes from the top down; numbers and dates as they are. */
static kan_status order_values(kan_extents *e) {
    const kan_labels *l = e->labels;
    const kan_relation *relation = &l->relation;
    path_of_value *paths;
    KAN_TRY(kan_alloc(e->run, l->n_values, sizeof *e->value_at, &e->value_at));
    for (uint32_t value = 0; value < l->n_values; value++)
        e->value_at[value] = value;
    if (relation->original->dictionary.type != KAN_TYPE_TEXT || l->n_values == 0)
        return KAN_OK;
    KAN_TRY(kan_alloc(e->run, l->n_values, sizeof *paths, &paths));
    for (uint32_t value = 0; value < l->n_values; value++)
        paths[value] = (path_of_value){relation->shown_as + (size_t)value * relation->n_levels,
                                       relation->n_levels, value};
    qsort(paths, l->n_values, sizeof *paths, compare_paths);
    for (uint32_t place = 0; place < l->n_values; place++)
        e->value_at[place] = paths[place].value;
    kan_free(e->run, paths);
    return KAN_OK;
}

/* ---- what labels cover ---------------------------------------------------------------------- */

static void widen(kan_extent *extent, uint32_t lower, uint32_t upper) {
    extent->lower = lower < extent->lower ? lower : extent->lower;
    extent->upper = upper > extent->upper ? upper : extent->upper;
}

static void note_places(kan_extent *extent, uint32_t first, uint32_t last) {
    extent->first = extent->n == 0 || first < extent->first ? first : extent->first;
    extent->last = extent->n == 0 || last > extent->last ? last : extent->last;
    extent->n += last - first + 1;
    widen(extent, 2 * first + 1, 2 * last + 1);
}

/* Runs of a label are of codes, which are places where numbers and dates are in order. */
static void note_runs(const filling *f, uint32_t code) {
    const kan_relation *relation = &f->e->labels->relation;
    for (size_t i = relation->run_start[code]; i < relation->run_start[code + 1]; i++) {
        const kan_code_run run = relation->runs[i];
        if (run.first >= run.end)
            continue;
        if (relation->original->dictionary.type != KAN_TYPE_TEXT) {
            note_places(&f->e->of[code], run.first, run.end - 1);
            continue;
        }
        for (uint32_t value = run.first; value < run.end; value++)
            note_places(&f->e->of[code], f->place_of[value], f->place_of[value]);
    }
}

static bool is_in_runs(const kan_relation *relation, uint32_t code, uint32_t value) {
    size_t low = relation->run_start ? relation->run_start[code] : 0;
    size_t high = relation->run_start ? relation->run_start[code + 1] : 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (value >= relation->runs[middle].first && value < relation->runs[middle].end)
            return true;
        if (value < relation->runs[middle].first)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

/* The labels of a value by its hierarchy, each once. */
static void note_nodes(const filling *f, uint32_t value) {
    const kan_relation *relation = &f->e->labels->relation;
    const uint32_t *shown_as = relation->shown_as + (size_t)value * relation->n_levels;
    for (unsigned level = 0; level < relation->n_levels; level++) {
        const uint32_t code = shown_as[level];
        bool is_noted = code == KAN_NO_CODE || code == relation->star;
        for (unsigned below = 0; below < level && !is_noted; below++)
            is_noted = shown_as[below] == code;
        if (!is_noted && !is_in_runs(relation, code, value))
            note_places(&f->e->of[code], f->place_of[value], f->place_of[value]);
    }
}

static kan_status cover(kan_extents *e) {
    const kan_labels *l = e->labels;
    const kan_relation *relation = &l->relation;
    filling f = {.e = e};
    KAN_TRY(kan_alloc(e->run, l->n_values, sizeof *f.place_of, &f.place_of));
    for (uint32_t place = 0; place < l->n_values; place++)
        f.place_of[e->value_at[place]] = place;
    for (uint32_t code = 0; code < l->n && relation->run_start; code++)
        if (l->first_row[code] && code != relation->star)
            note_runs(&f, code);
    for (uint32_t value = 0; value < l->n_values; value++)
        note_nodes(&f, value);
    if (relation->star != KAN_NO_CODE && l->n_values > 0)
        note_places(&e->of[relation->star], 0, l->n_values - 1);
    kan_free(e->run, f.place_of);
    return kan_check_cancel(e->run);
}

/* ---- ranges --------------------------------------------------------------------------------- */

static int compare_codes(const void *a, const void *b) {
    const kan_span *x = a, *y = b;
    if (x->code != y->code)
        return x->code < y->code ? -1 : 1;
    return x->range.lo < y->range.lo ? -1 : x->range.lo > y->range.lo;
}

/* Where a bound lies along the order. */
static uint32_t position(const kan_label_reader *reader, uint32_t n_values, double bound) {
    uint32_t low = reader->n_unknown, high = n_values;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (reader->numbers[middle] < bound)
            low = middle + 1;
        else
            high = middle;
    }
    return 2 * low + (low < n_values && reader->numbers[low] == bound);
}

static kan_status take_spans(kan_extents *e, bool is_ordered) {
    const kan_labels *l = e->labels;
    kan_label_reader reader;
    kan_status status = kan_label_reader_init(&reader, e->run, l->relation.original);
    if (status == KAN_OK)
        e->n_unknown = reader.n_unknown;
    if (status == KAN_OK && is_ordered)
        status = kan_spans_make(e->run, l, &e->spans);
    for (size_t i = 0; i < e->spans.n && status == KAN_OK && reader.numbers; i++)
        widen(&e->of[e->spans.spans[i].code],
              position(&reader, l->n_values, e->spans.spans[i].range.lo),
              position(&reader, l->n_values, e->spans.spans[i].range.hi));
    kan_label_reader_destroy(&reader);
    KAN_TRY(status);
    if (e->spans.n > 0)
        qsort(e->spans.spans, e->spans.n, sizeof *e->spans.spans, compare_codes);
    for (size_t i = 0, code = 0; code <= l->n; code++) {
        while (i < e->spans.n && e->spans.spans[i].code < code)
            i++;
        e->of[code].spans = i;
    }
    return KAN_OK;
}

kan_status kan_extents_make(kan_run *run, const kan_labels *labels, bool is_ordered,
                            kan_extents *out) {
    *out = (kan_extents){
        .run = run, .labels = labels, .spans = {.run = run}, .end = 2 * labels->n_values + 1};
    KAN_TRY(kan_alloc_zero(run, (size_t)labels->n + 1, sizeof *out->of, &out->of));
    for (uint32_t code = 0; code < labels->n; code++)
        out->of[code].lower = UINT32_MAX;
    KAN_TRY(order_values(out));
    KAN_TRY(cover(out));
    return take_spans(out, is_ordered);
}

void kan_extents_destroy(kan_extents *extents) {
    kan_free(extents->run, extents->of);
    kan_free(extents->run, extents->value_at);
    kan_free(extents->run, extents->bins);
    kan_spans_destroy(&extents->spans);
    extents->of = NULL;
    extents->value_at = NULL;
    extents->bins = NULL;
}

/* ---- what two labels share ------------------------------------------------------------------ */

static unsigned count_shared(const kan_extents *e, uint32_t a, uint32_t b, uint64_t *work) {
    enum { MANY = 2 };
    const kan_extent *x = &e->of[a], *y = &e->of[b];
    const kan_relation *relation = &e->labels->relation;
    const uint32_t first = x->first > y->first ? x->first : y->first;
    const uint32_t last = x->last < y->last ? x->last : y->last;
    unsigned n = 0;
    if (x->n == 0 || y->n == 0 || first > last)
        return 0;
    if (a == b)
        return x->n < MANY ? x->n : MANY;
    if (x->n == x->last - x->first + 1 && y->n == y->last - y->first + 1)
        return last > first ? MANY : 1;
    for (uint32_t place = first; place <= last && n < MANY; place++, ++*work)
        n += kan_relation_covers(relation, a, e->value_at[place]) &&
             kan_relation_covers(relation, b, e->value_at[place]);
    return n;
}

unsigned kan_extents_share(const kan_extents *e, uint32_t a, uint32_t b, uint64_t *work) {
    unsigned n = count_shared(e, a, b, work);
    /* of a label and itself: two rows that show it may have the same value */
    for (size_t i = e->of[a].spans; a != b && i < e->of[a + 1].spans; i++)
        for (size_t j = e->of[b].spans; j < e->of[b + 1].spans; j++, ++*work) {
            const unsigned here = kan_span_shares(&e->spans.spans[i], &e->spans.spans[j]);
            n = here > n ? here : n;
        }
    if (e->bins && n > 1) /* many values, and yet one bin */
        return kan_bins_share(e, a, b) < n ? kan_bins_share(e, a, b) : n;
    return n;
}

bool kan_extents_has_gap(const kan_extents *e, uint32_t code) {
    const kan_relation *relation = &e->labels->relation;
    const kan_extent *extent = &e->of[code];
    bool is_over = false;
    if (extent->n == 0 || extent->n == extent->last - extent->first + 1)
        return false;
    const uint32_t first = extent->first > e->n_unknown ? extent->first : e->n_unknown;
    bool has_begun = false;
    for (uint32_t place = first; place <= extent->last; place++) {
        const bool is_in = kan_relation_covers(relation, code, e->value_at[place]);
        if (is_in && is_over)
            return true;
        is_over = has_begun && !is_in;
        has_begun |= is_in;
    }
    return false;
}
