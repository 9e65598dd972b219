/* Patterns, numbers, and the two moves. A pattern is made once, in O(tuples), and kept; a move walks
 * over one class of it. */
#include <stdlib.h>

#include "core/hash.h"
#include "search/fits/fits_inside.h"

void kan_fits_pattern_destroy(kan_fits *fits, kan_fits_pattern *pattern) {
    kan_free(fits->run, pattern->class_of);
    kan_free(fits->run, pattern->class_rows);
    kan_free(fits->run, pattern->start);
    kan_free(fits->run, pattern->members);
    *pattern = (kan_fits_pattern){.columns = 0};
}

void kan_fits_destroy(kan_fits *fits) {
    for (size_t i = 0; i < fits->n_patterns; i++)
        kan_fits_pattern_destroy(fits, &fits->patterns[i]);
    kan_free(fits->run, fits->patterns);
    kan_free(fits->run, fits->slots);
    kan_free(fits->run, fits->class_slot);
    kan_free(fits->run, fits->value);
    kan_free(fits->run, fits->missing);
    kan_free(fits->run, fits->n_rows);
    kan_free(fits->run, fits->first);
    kan_free(fits->run, fits->tuple_of);
    kan_free(fits->run, fits->hidden);
    kan_free(fits->run, fits->fitted);
}

/* ---- patterns ------------------------------------------------------------------------------- */

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

/* The first tuple of the class of `tuple`, which is itself where it is the first. */
static uint32_t first_alike(const kan_fits *fits, uint32_t tuple, uint64_t columns) {
    size_t at = (size_t)hash_values(fits, tuple, columns) & (fits->n_class_slots - 1);
    for (; fits->class_slot[at] != KAN_FITS_NONE; at = (at + 1) & (fits->n_class_slots - 1))
        if (is_alike(fits, fits->class_slot[at], tuple, columns))
            return fits->class_slot[at];
    fits->class_slot[at] = tuple;
    return tuple;
}

kan_status kan_fits_classify(kan_fits *fits, uint64_t columns, kan_fits_pattern *pattern) {
    const size_t n = fits->n_tuples;
    if (!pattern->class_of) {
        KAN_TRY(kan_alloc(fits->run, n, sizeof *pattern->class_of, &pattern->class_of));
        KAN_TRY(kan_alloc(fits->run, n, sizeof *pattern->class_rows, &pattern->class_rows));
    }
    pattern->columns = columns;
    pattern->n_classes = 0;
    memset(fits->class_slot, 0xff, fits->n_class_slots * sizeof *fits->class_slot);
    for (uint32_t t = 0; t < n; t++) {
        const uint32_t first = first_alike(fits, t, columns);
        if (first == t)
            pattern->class_rows[pattern->n_classes] = 0;
        pattern->class_of[t] = first == t ? pattern->n_classes++ : pattern->class_of[first];
        pattern->class_rows[pattern->class_of[t]] += fits->n_rows[t];
    }
    return kan_check_cancel(fits->run);
}

static kan_status list_members(kan_fits *fits, kan_fits_pattern *p) {
    const size_t n = fits->n_tuples;
    uint32_t *members;
    KAN_TRY(kan_alloc(fits->run, n, sizeof *members, &members));
    p->members = members;
    KAN_TRY(kan_alloc_zero(fits->run, (size_t)p->n_classes + 2, sizeof *p->start, &p->start));
    for (size_t t = 0; t < n; t++)
        p->start[p->class_of[t] + 2]++;
    for (size_t c = 2; c < (size_t)p->n_classes + 2; c++)
        p->start[c] += p->start[c - 1];
    for (uint32_t t = 0; t < n; t++)
        members[p->start[p->class_of[t] + 1]++] = t;
    return KAN_OK;
}

static uint32_t *find_slot(const kan_fits *fits, uint64_t columns) {
    size_t at = (size_t)kan_hash_word(columns) & (fits->n_slots - 1);
    while (fits->slots[at] && fits->patterns[fits->slots[at] - 1].columns != columns)
        at = (at + 1) & (fits->n_slots - 1);
    return &fits->slots[at];
}

static kan_status add_pattern(kan_fits *fits, uint64_t columns, uint32_t *slot) {
    KAN_TRY(kan_reserve(fits->run, fits->n_patterns + 1, sizeof *fits->patterns,
                        &fits->pattern_room, &fits->patterns));
    kan_fits_pattern *made = &fits->patterns[fits->n_patterns];
    *made = (kan_fits_pattern){.columns = columns};
    fits->n_patterns++; /* from now on it is destroyed with the others */
    KAN_TRY(kan_fits_classify(fits, columns, made));
    fits->n_steps += fits->n_tuples;
    *slot = (uint32_t)fits->n_patterns;
    return KAN_OK;
}

kan_status kan_fits_find(kan_fits *fits, uint64_t columns, bool has_members,
                         const kan_fits_pattern **out) {
    uint32_t *slot = find_slot(fits, columns);
    *out = NULL;
    if (*slot == 0 && fits->n_patterns == fits->most_patterns)
        return KAN_OK;
    if (*slot == 0)
        KAN_TRY(add_pattern(fits, columns, slot));
    kan_fits_pattern *found = &fits->patterns[*slot - 1];
    if (has_members && !found->members)
        KAN_TRY(list_members(fits, found));
    *out = found;
    return KAN_OK;
}

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
static kan_status count_fitted(kan_fits *fits, const row_pattern *rows, kan_fits_pattern *pattern,
                               uint64_t *in_class) {
    for (size_t i = 0; i < fits->n_all;) {
        const uint64_t columns = rows[i].shown;
        KAN_TRY(kan_fits_classify(fits, columns, pattern));
        memset(in_class, 0, pattern->n_classes * sizeof *in_class);
        for (; i < fits->n_all && rows[i].shown == columns; i++)
            in_class[pattern->class_of[fits->tuple_of[rows[i].row]]]++;
        for (size_t t = 0; t < fits->n_tuples; t++)
            fits->fitted[t] += in_class[pattern->class_of[t]];
    }
    return KAN_OK;
}

kan_status kan_fits_count(kan_fits *fits) {
    kan_status status;
    kan_run *run = fits->run;
    row_pattern *rows = NULL;
    uint64_t *in_class = NULL;
    kan_fits_pattern pattern = {.columns = 0};
    for (fits->n_class_slots = 16; fits->n_class_slots < 2 * fits->n_tuples;)
        fits->n_class_slots *= 2;
    for (fits->n_slots = 16; fits->n_slots < 2 * fits->most_patterns;)
        fits->n_slots *= 2;
    KAN_TRY_DONE(kan_alloc(run, fits->n_class_slots, sizeof *fits->class_slot, &fits->class_slot));
    KAN_TRY_DONE(kan_alloc_zero(run, fits->n_slots, sizeof *fits->slots, &fits->slots));
    KAN_TRY_DONE(kan_alloc_zero(run, fits->n_tuples, sizeof *fits->fitted, &fits->fitted));
    KAN_TRY_DONE(kan_alloc(run, fits->n_tuples, sizeof *in_class, &in_class));
    KAN_TRY_DONE(kan_alloc(run, fits->n_all, sizeof *rows, &rows));
    for (uint32_t row = 0; row < fits->n_all; row++)
        rows[row] = (row_pattern){kan_fits_shown(fits, row), row};
    qsort(rows, fits->n_all, sizeof *rows, compare_patterns);
    status = count_fitted(fits, rows, &pattern, in_class);
done:
    kan_fits_pattern_destroy(fits, &pattern);
    kan_free(run, rows);
    kan_free(run, in_class);
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

kan_status kan_fits_may_show(kan_fits *fits, kan_fits_cell cell, kan_fits_answer *out,
                             uint32_t *by) {
    const uint32_t tuple = fits->tuple_of[cell.row];
    const uint64_t shown = kan_fits_shown(fits, cell.row);
    const uint32_t own = kan_fits_value(fits, tuple, cell.column);
    const kan_fits_pattern *pattern;
    *out = KAN_FITS_CANNOT;
    KAN_TRY(kan_fits_find(fits, shown | UINT64_C(1) << cell.column, false, &pattern));
    if (!pattern || pattern->class_rows[pattern->class_of[tuple]] < fits->k)
        return KAN_OK;
    KAN_TRY(kan_fits_find(fits, shown, true, &pattern));
    if (!pattern)
        return KAN_OK;
    for (class_walk w = walk_class(fits, pattern, tuple); w.at < w.end; w.at++)
        if (fits->fitted[*w.at] <= fits->k && kan_fits_value(fits, *w.at, cell.column) != own) {
            *by = *w.at;
            *out = KAN_FITS_BLOCKED;
            return KAN_OK;
        }
    *out = KAN_FITS_CAN;
    return KAN_OK;
}

/* Adds to the rows that fit those who differ from the row in the column, and are alike in all others
 * that it shows. */
static void add_others(kan_fits *fits, const kan_fits_pattern *pattern, kan_fits_cell cell,
                       uint64_t number) {
    const uint32_t tuple = fits->tuple_of[cell.row];
    const uint32_t own = kan_fits_value(fits, tuple, cell.column);
    for (class_walk w = walk_class(fits, pattern, tuple); w.at < w.end; w.at++)
        if (kan_fits_value(fits, *w.at, cell.column) != own)
            fits->fitted[*w.at] += number;
}

kan_status kan_fits_show(kan_fits *fits, kan_fits_cell cell) {
    const kan_fits_pattern *pattern;
    KAN_TRY(kan_fits_find(fits, kan_fits_shown(fits, cell.row), true, &pattern));
    KAN_ASSERT(pattern && fits->hidden[cell.row] >> cell.column & 1);
    add_others(fits, pattern, cell, (uint64_t)0 - 1);
    fits->hidden[cell.row] &= ~(UINT64_C(1) << cell.column);
    return KAN_OK;
}

kan_status kan_fits_hide(kan_fits *fits, kan_fits_cell cell, bool *is_done) {
    const uint64_t bit = UINT64_C(1) << cell.column;
    const kan_fits_pattern *pattern;
    KAN_ASSERT(kan_fits_shown(fits, cell.row) & bit);
    KAN_TRY(kan_fits_find(fits, kan_fits_shown(fits, cell.row) & ~bit, true, &pattern));
    *is_done = pattern != NULL;
    if (!pattern)
        return KAN_OK;
    add_others(fits, pattern, cell, 1);
    fits->hidden[cell.row] |= bit;
    return KAN_OK;
}
