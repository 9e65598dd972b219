/* Which cells are tried together. A cell that nobody else has shown yet cannot be shown by itself, so batches come
 * first that are large: all units that hide a column, then those of one value of it, of one value and what
 * they show in another column, of one region, and each by itself. What cannot be shown leaves a batch
 * (kan_sets_try). Columns that matter most come first. It is repeated until nothing is shown any more. */
#include <stdlib.h>

#include "search/sets/sets_inside.h"

enum { MOST_ROUNDS = 16 };

static int by_key(const void *a, const void *b) {
    const kan_sets_item *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->unit > y->unit) - (x->unit < y->unit);
}

typedef enum { ALL, VALUE, BESIDE, REGION, UNIT, N_GRAINS } grain;

static uint64_t key_of(const kan_sets *sets, size_t unit, unsigned column, grain by,
                       unsigned beside) {
    const uint64_t leaf = sets->leaf[unit * sets->n_columns + column];
    switch (by) {
    case VALUE:
        return leaf;
    case BESIDE:
        return leaf << 32 | kan_sets_node(sets, unit, beside);
    case REGION:
        return leaf << 32 | sets->region[unit];
    case UNIT:
        return unit;
    case ALL:
    case N_GRAINS:
        break;
    }
    return 0;
}

/* All batches of a kind. */
static kan_status try_all(kan_sets *sets, unsigned column, unsigned level, grain by,
                          unsigned beside, size_t *n_shown) {
    size_t n = 0, shown;
    KAN_TRY(kan_reserve(sets->run, sets->n_units + 1, sizeof *sets->items, &sets->item_room,
                        &sets->items));
    for (size_t unit = 0; unit < sets->n_units; unit++)
        if (sets->level[unit * sets->n_columns + column] > level)
            sets->items[n++] =
                (kan_sets_item){key_of(sets, unit, column, by, beside), (uint32_t)unit};
    qsort(sets->items, n, sizeof *sets->items, by_key);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && sets->items[end].key == sets->items[first].key;)
            end++;
        if (sets->n_steps >= sets->most_steps || kan_should_stop(sets->run))
            return kan_check_cancel(sets->run);
        KAN_TRY(kan_sets_try(sets, column, level, sets->items + first, end - first, &shown));
        *n_shown += shown;
    }
    return KAN_OK;
}

static kan_status show_column(kan_sets *sets, unsigned column, size_t *n_shown) {
    const kan_dimension *dimension = &sets->problem->space.dimensions[column];
    for (unsigned level = dimension->lowest; level < dimension->height; level++)
        for (grain by = ALL; by < N_GRAINS; by++)
            for (unsigned beside = 0; beside < (by == BESIDE ? sets->n_columns : 1); beside++)
                if (by != BESIDE || beside != column)
                    KAN_TRY(try_all(sets, column, level, by, beside, n_shown));
    return KAN_OK;
}

/* The columns by their weights, the largest first. */
static void order_columns(const kan_sets *sets, unsigned *order) {
    for (unsigned a = 0; a < sets->n_columns; a++) {
        unsigned at = a;
        for (; at > 0 && sets->problem->weights[order[at - 1]] < sets->problem->weights[a]; at--)
            order[at] = order[at - 1];
        order[at] = a;
    }
}

kan_status kan_sets_search(kan_sets *sets) {
    unsigned order[KAN_MAX_ATTRIBUTES];
    size_t n_shown = 1;
    order_columns(sets, order);
    for (unsigned round = 0; round < MOST_ROUNDS && n_shown > 0; round++) {
        n_shown = 0;
        for (unsigned i = 0; i < sets->n_columns; i++)
            KAN_TRY(show_column(sets, order[i], &n_shown));
    }
    return KAN_OK;
}
