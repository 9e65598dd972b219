/* Sets of columns by which everybody is looked at, and their patterns. A pattern is made once, in O(tuples
 * of its view), and kept. */
#include <stdlib.h>

#include "core/hash.h"
#include "search/fits/fits_inside.h"

/* Tuples of all patterns that are kept, and what each may take. */
#define MOST_ENTRIES (UINT64_C(1) << 24)
enum { ENTRY_BYTES = 20, LEAST_PATTERNS = 8, MOST_PATTERNS = 1 << 16 };

void kan_fits_pattern_destroy(kan_fits *fits, kan_fits_pattern *pattern) {
    kan_free(fits->run, pattern->class_of);
    kan_free(fits->run, pattern->class_rows);
    kan_free(fits->run, pattern->start);
    kan_free(fits->run, pattern->members);
    *pattern = (kan_fits_pattern){.columns = 0};
}

void kan_fits_destroy_views(kan_fits *fits) {
    for (size_t v = 0; v < fits->n_views; v++) {
        kan_fits_view *view = &fits->views[v];
        for (size_t i = 0; i < view->n_patterns; i++)
            kan_fits_pattern_destroy(fits, &view->patterns[i]);
        kan_free(fits->run, view->patterns);
        kan_free(fits->run, view->slots);
        kan_free(fits->run, view->of);
        kan_free(fits->run, view->start);
        kan_free(fits->run, view->tuples);
        kan_free(fits->run, view->rows);
        kan_free(fits->run, view->fitted);
    }
    kan_free(fits->run, fits->views);
    kan_free(fits->run, fits->class_slot);
}

/* ---- tuples that are alike ------------------------------------------------------------------- */

static uint64_t hash_values(const kan_fits *fits, uint32_t tuple, uint64_t columns) {
    uint64_t hash = 0x2545f4914f6cdd1du;
    for (; columns; columns &= columns - 1) {
        const unsigned c = (unsigned)__builtin_ctzll(columns);
        hash = kan_mix(hash ^ kan_fits_value(fits, tuple, c), 0x9e3779b97f4a7c15u + c);
    }
    return kan_hash_word(hash);
}

static bool is_alike(const kan_fits *fits, uint32_t a, uint32_t b, uint64_t columns) {
    for (; columns; columns &= columns - 1) {
        const unsigned c = (unsigned)__builtin_ctzll(columns);
        if (kan_fits_value(fits, a, c) != kan_fits_value(fits, b, c))
            return false;
    }
    return true;
}

/* Slots for n tuples, all free: of as many as there are for all where n is large, of few otherwise. */
static size_t clear_slots(const kan_fits *fits, size_t n) {
    size_t n_slots = 16;
    while (n_slots < 2 * n)
        n_slots *= 2;
    KAN_ASSERT(n_slots <= fits->n_class_slots);
    memset(fits->class_slot, 0xff, n_slots * sizeof *fits->class_slot);
    return n_slots;
}

/* The first tuple of the view that is alike, which is itself where it is the first. `tuple` is one of the
 * view, and stands for the tuple `whole`. */
static uint32_t first_alike(const kan_fits *fits, const kan_fits_view *view, uint32_t tuple,
                            uint32_t whole, uint64_t columns, size_t n_slots) {
    size_t at = (size_t)hash_values(fits, whole, columns) & (n_slots - 1);
    for (; fits->class_slot[at] != KAN_FITS_NONE; at = (at + 1) & (n_slots - 1)) {
        const uint32_t other = fits->class_slot[at];
        const uint32_t one = view && view->of ? view->tuples[view->start[other]] : other;
        if (is_alike(fits, one, whole, columns))
            return other;
    }
    fits->class_slot[at] = tuple;
    return tuple;
}

kan_status kan_fits_classify(kan_fits *fits, const kan_fits_view *view, uint64_t columns,
                             kan_fits_pattern *pattern) {
    const size_t n = view->n;
    const uint64_t *rows = view->of ? view->rows : fits->n_rows;
    if (!pattern->class_of) {
        KAN_TRY(kan_alloc(fits->run, n, sizeof *pattern->class_of, &pattern->class_of));
        KAN_TRY(kan_alloc(fits->run, n, sizeof *pattern->class_rows, &pattern->class_rows));
    }
    pattern->columns = columns;
    pattern->n_classes = 0;
    const size_t n_slots = clear_slots(fits, n);
    for (uint32_t t = 0; t < n; t++) {
        const uint32_t whole = view->of ? view->tuples[view->start[t]] : t;
        const uint32_t first = first_alike(fits, view, t, whole, columns, n_slots);
        if (first == t)
            pattern->class_rows[pattern->n_classes] = 0;
        pattern->class_of[t] = first == t ? pattern->n_classes++ : pattern->class_of[first];
        pattern->class_rows[pattern->class_of[t]] += rows[t];
    }
    return kan_check_cancel(fits->run);
}

/* ---- patterns ------------------------------------------------------------------------------- */

/* Members by class, each class in the order of its members; start has n + 2 places. */
static void sort_members(const uint32_t *class_of, size_t n, size_t n_classes, uint32_t *start,
                         uint32_t *members) {
    for (size_t t = 0; t < n; t++)
        start[class_of[t] + 2]++;
    for (size_t c = 2; c < n_classes + 2; c++)
        start[c] += start[c - 1];
    for (uint32_t t = 0; t < n; t++)
        members[start[class_of[t] + 1]++] = t;
}

static kan_status list_members(kan_fits *fits, size_t n, kan_fits_pattern *p) {
    uint32_t *members;
    KAN_TRY(kan_alloc(fits->run, n, sizeof *members, &members));
    p->members = members;
    KAN_TRY(kan_alloc_zero(fits->run, (size_t)p->n_classes + 2, sizeof *p->start, &p->start));
    sort_members(p->class_of, n, p->n_classes, p->start, members);
    return KAN_OK;
}

static uint32_t *find_slot(const kan_fits_view *view, uint64_t columns) {
    size_t at = (size_t)kan_hash_word(columns) & (view->n_slots - 1);
    while (view->slots[at] && view->patterns[view->slots[at] - 1].columns != columns)
        at = (at + 1) & (view->n_slots - 1);
    return &view->slots[at];
}

static kan_status add_pattern(kan_fits *fits, kan_fits_view *view, uint64_t columns,
                              uint32_t *slot) {
    KAN_TRY(kan_reserve(fits->run, view->n_patterns + 1, sizeof *view->patterns,
                        &view->pattern_room, &view->patterns));
    kan_fits_pattern *made = &view->patterns[view->n_patterns];
    *made = (kan_fits_pattern){.columns = columns};
    view->n_patterns++; /* from now on it is destroyed with the others */
    KAN_TRY(kan_fits_classify(fits, view, columns, made));
    fits->n_steps += view->n;
    *slot = (uint32_t)view->n_patterns;
    return KAN_OK;
}

kan_status kan_fits_find(kan_fits *fits, kan_fits_view *view, uint64_t columns, bool has_members,
                         const kan_fits_pattern **out) {
    uint32_t *slot = find_slot(view, columns);
    *out = NULL;
    if (*slot == 0 && view->n_patterns == view->most_patterns)
        return KAN_OK;
    if (*slot == 0)
        KAN_TRY(add_pattern(fits, view, columns, slot));
    kan_fits_pattern *found = &view->patterns[*slot - 1];
    if (has_members && !found->members)
        KAN_TRY(list_members(fits, view->n, found));
    *out = found;
    return KAN_OK;
}

/* ---- views ---------------------------------------------------------------------------------- */

/* Folds the tuples to those that differ in the view's columns. */
static kan_status fold(kan_fits *fits, kan_fits_view *view) {
    const size_t n = fits->n_tuples;
    uint32_t *of;
    KAN_TRY(kan_alloc(fits->run, n, sizeof *of, &of));
    view->of = of;
    const size_t n_slots = clear_slots(fits, n);
    for (uint32_t t = 0; t < n; t++) {
        const uint32_t first = first_alike(fits, NULL, t, t, view->columns, n_slots);
        of[t] = first == t ? (uint32_t)view->n++ : of[first];
    }
    KAN_TRY(kan_alloc_zero(fits->run, view->n + 2, sizeof *view->start, &view->start));
    KAN_TRY(kan_alloc(fits->run, n, sizeof *view->tuples, &view->tuples));
    KAN_TRY(kan_alloc_zero(fits->run, view->n, sizeof *view->rows, &view->rows));
    sort_members(of, n, view->n, view->start, view->tuples);
    for (size_t t = 0; t < n; t++)
        view->rows[of[t]] += fits->n_rows[t];
    return kan_check_cancel(fits->run);
}

static kan_status make_view(kan_fits *fits, uint64_t entries, kan_fits_view *view) {
    if (view->columns == kan_fits_first_columns(fits->n_values))
        view->n = fits->n_tuples;
    else
        KAN_TRY(fold(fits, view));
    if (fits->n_places + view->n >= KAN_FITS_NONE)
        return kan_fail(fits->run, KAN_BAD_INPUT,
                        "--missing-matches: too many rows by too many sets of columns; ask for "
                        "fewer, or for all columns at once");
    view->first_place = (uint32_t)fits->n_places;
    fits->n_places += view->n;
    view->most_patterns = entries / (view->n + 1);
    if (view->most_patterns < LEAST_PATTERNS)
        view->most_patterns = LEAST_PATTERNS;
    if (view->most_patterns > MOST_PATTERNS)
        view->most_patterns = MOST_PATTERNS;
    const int n_columns = __builtin_popcountll(view->columns);
    if (n_columns < 16 && view->most_patterns > (size_t)1 << n_columns)
        view->most_patterns = (size_t)1 << n_columns;
    for (view->n_slots = 16; view->n_slots < 2 * view->most_patterns;)
        view->n_slots *= 2;
    KAN_TRY(kan_alloc_zero(fits->run, view->n_slots, sizeof *view->slots, &view->slots));
    return kan_alloc_zero(fits->run, view->n, sizeof *view->fitted, &view->fitted);
}

/* Whether who keeps set `i` keeps set `j`: it has all columns of that, and asks for as many. */
static bool implies(const kan_fits_set *sets, size_t i, size_t j) {
    const bool is_within = (sets[j].columns & ~sets[i].columns) == 0 && sets[i].k >= sets[j].k;
    const bool is_same = sets[i].columns == sets[j].columns && sets[i].k == sets[j].k;
    return is_within && (!is_same || i < j);
}

static bool is_needed(const kan_fits_set *sets, size_t n_sets, size_t j) {
    for (size_t i = 0; i < n_sets; i++)
        if (i != j && implies(sets, i, j))
            return false;
    return true;
}

kan_status kan_fits_make_views(kan_fits *fits, size_t n_sets, const kan_fits_set *sets) {
    const uint64_t stratum =
        kan_fits_first_columns(fits->n_values) & ~kan_fits_first_columns(fits->n_columns);
    uint64_t entries = kan_run_memory_left(fits->run) / 4 / ENTRY_BYTES;
    KAN_TRY(kan_alloc_zero(fits->run, n_sets, sizeof *fits->views, &fits->views));
    for (fits->n_class_slots = 16; fits->n_class_slots < 2 * fits->n_tuples;)
        fits->n_class_slots *= 2;
    KAN_TRY(kan_alloc(fits->run, fits->n_class_slots, sizeof *fits->class_slot, &fits->class_slot));
    for (size_t s = 0; s < n_sets; s++)
        if (is_needed(sets, n_sets, s))
            fits->views[fits->n_views++] =
                (kan_fits_view){.columns = sets[s].columns | stratum, .k = sets[s].k};
    entries = (entries < MOST_ENTRIES ? entries : MOST_ENTRIES) / fits->n_views;
    for (size_t v = 0; v < fits->n_views; v++)
        KAN_TRY(make_view(fits, entries, &fits->views[v]));
    return KAN_OK;
}
