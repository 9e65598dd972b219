/* The axis: see cut_axis.h. */
#include "search/k_optimize/cut_axis.h"

#include <string.h>

#include "search/k_optimize/cut_class_scratch.h"

/* Pairs of rows that its places tell apart, twice. */
static uint64_t pairs_told(const kan_cut_space *space, unsigned a) {
    uint64_t rows[KAN_CUT_MOST_PLACES] = {0}, told = space->n_rows * space->n_rows;
    for (size_t t = 0; t < space->n_tuples; t++)
        rows[space->places[a][t]] += space->rows[t];
    for (uint32_t p = 0; p < space->n_places[a]; p++)
        told -= rows[p] * rows[p];
    return told;
}

/* Found by trying: it pays where the tree without an axis is large: for many groups, the more so
 * the more places the axis has, and the more rows may be suppressed. By classification a limit of
 * one row in a hundred hardly differs from none. */
static bool is_worth_it(const kan_cut_space *space, uint64_t limit, unsigned axis) {
    const bool has_many = space->n_places[axis] >= KAN_CUT_MANY_PLACES;
    uint64_t least_groups;
    if (space->cost == KAN_CUT_DISCERNIBILITY) {
        if (limit == 0 && !has_many)
            return false;
        least_groups = !has_many ? 2400 : limit == 0 ? 1200 : 600;
    } else {
        if (limit == 0)
            return false;
        const bool is_tight = limit < space->n_rows / 100;
        least_groups = is_tight ? has_many ? 600 : 2400 : has_many ? 150 : 600;
    }
    return space->n_rows / space->k >= least_groups;
}

/* Within a budget: more than two threads take. The answer must not depend on their number. */
static bool has_room(const kan_cut_space *space) {
    enum { BYTES_PER_TUPLE = 2048, BYTES_PER_VALUE = 256 };
    const uint64_t budget = kan_run_memory_budget(space->run);
    const uint64_t bytes = BYTES_PER_TUPLE + (uint64_t)BYTES_PER_VALUE * space->n_classes;
    return budget == 0 || space->n_tuples <= budget / bytes;
}

int kan_cut_axis_choose(const kan_cut_space *space, uint64_t limit) {
    int best = KAN_CUT_NO_AXIS;
    uint64_t most = 0;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const uint64_t told = kan_cut_is_by_place(space, a) ? pairs_told(space, a) : 0;
        if (told > most) {
            most = told;
            best = (int)a;
        }
    }
    if (best < 0 || !has_room(space) || !is_worth_it(space, limit, (unsigned)best))
        return KAN_CUT_NO_AXIS;
    return best;
}

/* Sorts the tuples of the whole table by their place on the axis. */
static kan_status sort_tuples(kan_cut_maker *maker, kan_arena *arena, kan_cut_axis *axis) {
    const kan_cut_space *space = maker->space;
    const unsigned words = maker->words, classes = space->n_classes;
    const kan_cut_class from = *axis->whole;
    kan_cut_class *to = axis->whole;
    size_t at[KAN_CUT_MOST_PLACES];
    KAN_TRY(kan_arena_alloc(arena, from.n_atoms * words, sizeof *to->keys, &to->keys));
    KAN_TRY(kan_arena_alloc(arena, from.n_atoms, sizeof *to->rows, &to->rows));
    KAN_TRY(kan_arena_alloc(arena, from.n_atoms * classes + 1, sizeof *to->class_rows,
                            &to->class_rows));
    for (size_t t = 0; t < from.n_atoms; t++) {
        const uint32_t place =
            kan_cut_place(maker, from.keys + t * words, (unsigned)axis->attribute);
        axis->first[place + 1]++;
        axis->below[place + 1] += from.rows[t];
    }
    for (uint32_t p = 0; p < axis->n; p++) {
        axis->first[p + 1] += axis->first[p];
        axis->below[p + 1] += axis->below[p];
        at[p] = axis->first[p];
    }
    for (size_t t = 0; t < from.n_atoms; t++) {
        const size_t i =
            at[kan_cut_place(maker, from.keys + t * words, (unsigned)axis->attribute)]++;
        memcpy(to->keys + i * words, from.keys + t * words, words * sizeof *to->keys);
        to->rows[i] = from.rows[t];
        if (classes > 0)
            memcpy(to->class_rows + i * classes, from.class_rows + t * classes,
                   classes * sizeof *to->class_rows);
    }
    return KAN_OK;
}

kan_status kan_cut_axis_make(kan_cut_maker *maker, int attribute, kan_arena *arena,
                             kan_cut_axis *out) {
    *out = (kan_cut_axis){.attribute = attribute,
                          .n = attribute < 0 ? 1 : maker->space->n_places[attribute]};
    KAN_TRY(kan_cut_class_whole(maker, &out->whole));
    KAN_TRY(kan_arena_alloc(arena, (size_t)out->n + 1, sizeof *out->first, &out->first));
    KAN_TRY(kan_arena_alloc(arena, (size_t)out->n + 1, sizeof *out->below, &out->below));
    memset(out->first, 0, ((size_t)out->n + 1) * sizeof *out->first);
    memset(out->below, 0, ((size_t)out->n + 1) * sizeof *out->below);
    if (attribute >= 0)
        return sort_tuples(maker, arena, out);
    out->first[1] = out->whole->n_atoms;
    out->below[1] = out->whole->n_rows;
    return KAN_OK;
}

/* Where each place stands by the decisions of now. */
static void find_starts(kan_cut_maker *maker, const kan_cut_axis *axis, kan_cut_attributes *all) {
    const kan_cut_space *space = maker->space;
    all->n = 0;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        if ((int)a == axis->attribute)
            continue;
        all->attribute[all->n++] = a;
        uint32_t start = 0;
        for (uint32_t place = 0; place < space->n_places[a]; place++) {
            const int choice = space->choice_at[a][place];
            if (choice >= 0 && maker->decision[choice] != KAN_CUT_LEFT)
                start = place;
            maker->scratch->start_of[a][place] = start;
        }
    }
}

/* The groups that were found, in the order of their places, as they were found. */
static kan_status take_groups(kan_cut_maker *maker, const kan_cut_axis *from, size_t n,
                              kan_stack *stack, kan_cut_axis *out) {
    const kan_cut_scratch *s = maker->scratch;
    const kan_cut_class *whole = from->whole;
    const unsigned words = maker->words, classes = maker->space->n_classes;
    kan_cut_class *to;
    KAN_TRY(kan_stack_take(stack, 1, sizeof *to, &to));
    *to = *whole;
    to->n_atoms = n;
    KAN_TRY(kan_stack_take(stack, n * words, sizeof *to->keys, &to->keys));
    KAN_TRY(kan_stack_take(stack, n, sizeof *to->rows, &to->rows));
    KAN_TRY(kan_stack_take(stack, n * classes, sizeof *to->class_rows, &to->class_rows));
    KAN_TRY(kan_stack_take(stack, (size_t)from->n + 1, sizeof *out->first, &out->first));
    memcpy(to->keys, s->cell_keys, n * words * sizeof *to->keys);
    memset(to->rows, 0, n * sizeof *to->rows);
    memset(to->class_rows, 0, n * classes * sizeof *to->class_rows);
    for (size_t i = 0; i < whole->n_atoms; i++) {
        to->rows[s->cell_of[i]] += whole->rows[i];
        for (unsigned c = 0; c < classes; c++)
            to->class_rows[s->cell_of[i] * classes + c] += whole->class_rows[i * classes + c];
    }
    for (uint32_t place = 0; place < from->n; place++) {
        const size_t first = from->first[place];
        out->first[place] = first < whole->n_atoms ? s->cell_of[first] : n;
    }
    out->first[from->n] = n;
    out->whole = to;
    return KAN_OK;
}

kan_status kan_cut_axis_join(kan_cut_maker *maker, const kan_cut_axis *from, kan_stack *stack,
                             kan_cut_axis *out) {
    kan_cut_scratch *s = maker->scratch;
    const size_t n = from->whole->n_atoms;
    kan_cut_attributes all;
    *out = *from;
    find_starts(maker, from, &all);
    for (size_t i = 0; i < n; i++)
        s->order[i] = (uint32_t)i;
    kan_cut_replace_places(maker, from->whole->keys, s->order, n, &all, s->start_of);
    maker->n_work += n;
    const size_t n_groups = kan_cut_group(maker, n, s->cell_keys, s->cell_of);
    return n_groups > n - n / 8 ? KAN_OK : take_groups(maker, from, n_groups, stack, out);
}

void kan_cut_axis_slice(const kan_cut_maker *maker, const kan_cut_axis *axis, uint32_t from,
                        uint32_t to, kan_cut_slice *out) {
    const kan_cut_space *space = maker->space;
    const size_t first = axis->first[from];
    out->class_ = *axis->whole;
    memcpy(out->least, axis->whole->least, space->n_attributes * sizeof *out->least);
    memcpy(out->greatest, axis->whole->greatest, space->n_attributes * sizeof *out->greatest);
    out->class_.least = out->least;
    out->class_.greatest = out->greatest;
    out->class_.n_atoms = axis->first[to] - first;
    out->class_.n_rows = axis->below[to] - axis->below[from];
    out->class_.keys += first * maker->words;
    out->class_.rows += first;
    if (space->n_classes > 0)
        out->class_.class_rows += first * space->n_classes;
    if (axis->attribute >= 0) {
        out->class_.axis = axis->attribute;
        out->least[axis->attribute] = from;
        out->greatest[axis->attribute] = to - 1;
    }
}
