/* Numbers of what is shown, and batches: see sets_inside.h. */
#include <string.h>

#include "search/sets/sets_inside.h"

void kan_sets_destroy(kan_sets *sets) {
    kan_run *run = sets->run;
    for (unsigned a = 0; a < sets->n_columns; a++) {
        kan_free(run, sets->of[a]);
        kan_free(run, sets->first_node[a]);
    }
    kan_free(run, sets->n_rows);
    kan_free(run, sets->region);
    kan_free(run, sets->leaf);
    kan_free(run, sets->level);
    kan_free(run, sets->sets);
    kan_free(run, sets->pairs);
    kan_free(run, sets->rows);
    kan_free(run, sets->before);
    kan_free(run, sets->after);
    kan_free(run, sets->was);
    kan_free(run, sets->items);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static size_t slot_of(const kan_sets *sets, uint32_t above, uint32_t node) {
    uint64_t key = (uint64_t)above << 32 | node;
    key = (key ^ (key >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(key ^ (key >> 29)) & (sets->n_slots - 1);
}

static struct kan_sets_pair *find(const kan_sets *sets, uint32_t above, uint32_t node) {
    size_t at = slot_of(sets, above, node);
    while (sets->pairs[at].number > 0 &&
           (sets->pairs[at].above != above || sets->pairs[at].node != node))
        at = (at + 1) & (sets->n_slots - 1);
    return &sets->pairs[at];
}

static kan_status grow(kan_sets *sets) {
    struct kan_sets_pair *old = sets->pairs;
    const size_t n_old = sets->n_slots;
    sets->n_slots = n_old ? 2 * n_old : 1024;
    kan_status status = kan_alloc_zero(sets->run, sets->n_slots, sizeof *old, &sets->pairs);
    if (status != KAN_OK) {
        sets->pairs = old;
        sets->n_slots = n_old;
        return status;
    }
    for (size_t i = 0; i < n_old; i++)
        if (old[i].number > 0)
            *find(sets, old[i].above, old[i].node) = old[i];
    kan_free(sets->run, old);
    return KAN_OK;
}

static kan_status number_of(kan_sets *sets, size_t unit, const kan_sets_set *set, uint32_t *out) {
    uint32_t above = 0;
    for (unsigned i = 0; i < set->n; i++) {
        if (2 * ((size_t)sets->n_numbers + 1) > sets->n_slots)
            KAN_TRY(grow(sets));
        const unsigned column = set->columns[i];
        const uint32_t node = sets->first_of[column] + kan_sets_node(sets, unit, column);
        struct kan_sets_pair *pair = find(sets, above, node);
        if (pair->number == 0) {
            const size_t need = (size_t)sets->n_numbers + 2, had = sets->row_room;
            KAN_TRY(kan_reserve(sets->run, need, sizeof *sets->rows, &sets->row_room, &sets->rows));
            memset(sets->rows + had, 0, (sets->row_room - had) * sizeof *sets->rows);
            *pair = (struct kan_sets_pair){above, node, ++sets->n_numbers};
        }
        above = pair->number;
    }
    *out = above;
    return KAN_OK;
}

kan_status kan_sets_count(kan_sets *sets) {
    uint32_t number;
    for (size_t s = 0; s < sets->n_sets; s++) {
        for (size_t unit = 0; unit < sets->n_units; unit++) {
            KAN_TRY(number_of(sets, unit, &sets->sets[s], &number));
            sets->rows[number] += sets->n_rows[unit];
        }
        KAN_TRY(kan_check_cancel(sets->run));
    }
    return KAN_OK;
}

/* ---- a batch -------------------------------------------------------------------------------- */

static void move_rows(kan_sets *sets, const uint32_t *from, const uint32_t *to, size_t n,
                      uint64_t n_rows) {
    for (size_t i = 0; i < n; i++) {
        sets->rows[from[i]] -= n_rows;
        sets->rows[to[i]] += n_rows;
    }
}

/* Whether what the item shows now is shown by enough, and what it does not show any more as well, or by nobody. */
static bool may_stay(const kan_sets *sets, unsigned column, size_t item) {
    const size_t n = sets->n_of[column];
    for (size_t i = 0; i < n; i++) {
        const uint64_t k = sets->sets[sets->of[column][i]].k;
        const uint64_t left = sets->rows[sets->before[item * n + i]];
        if (sets->rows[sets->after[item * n + i]] < k || (left > 0 && left < k))
            return false;
    }
    return true;
}

kan_status kan_sets_try(kan_sets *sets, unsigned column, unsigned level, const kan_sets_item *items,
                        size_t n, size_t *n_shown) {
    const size_t n_of = sets->n_of[column];
    bool has_changed = true;
    KAN_TRY(kan_reserve(sets->run, n * n_of + 1, sizeof *sets->before, &sets->before_room,
                        &sets->before));
    KAN_TRY(
        kan_reserve(sets->run, n * n_of + 1, sizeof *sets->after, &sets->after_room, &sets->after));
    KAN_TRY(kan_reserve(sets->run, n + 1, 1, &sets->was_room, &sets->was));
    sets->n_steps += n * (n_of + 1);
    for (size_t i = 0; i < n; i++) { /* all numbers first: a failure leaves the state as it was */
        uint8_t *shown = &sets->level[(size_t)items[i].unit * sets->n_columns + column];
        sets->was[i] = *shown;
        for (size_t s = 0; s < n_of; s++) {
            const kan_sets_set *set = &sets->sets[sets->of[column][s]];
            KAN_TRY(number_of(sets, items[i].unit, set, &sets->before[i * n_of + s]));
            *shown = (uint8_t)level;
            const kan_status status =
                number_of(sets, items[i].unit, set, &sets->after[i * n_of + s]);
            *shown = sets->was[i];
            KAN_TRY(status);
        }
    }
    for (size_t i = 0; i < n; i++) {
        sets->level[(size_t)items[i].unit * sets->n_columns + column] = (uint8_t)level;
        move_rows(sets, sets->before + i * n_of, sets->after + i * n_of, n_of,
                  sets->n_rows[items[i].unit]);
    }
    *n_shown = n;
    while (has_changed && *n_shown > 0) {
        has_changed = false;
        for (size_t i = 0; i < n; i++) {
            uint8_t *shown = &sets->level[(size_t)items[i].unit * sets->n_columns + column];
            if (*shown != level || may_stay(sets, column, i))
                continue;
            *shown = sets->was[i];
            move_rows(sets, sets->after + i * n_of, sets->before + i * n_of, n_of,
                      sets->n_rows[items[i].unit]);
            --*n_shown;
            has_changed = true;
        }
        sets->n_steps += n * n_of;
    }
    return kan_check_cancel(sets->run);
}
