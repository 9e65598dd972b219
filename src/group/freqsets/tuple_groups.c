/* Groups of tuples: see tuple_groups.h. */
#include "group/freqsets/tuple_groups.h"

#include <string.h>

enum { MOST_NUMBERS = 1 << 20, BLOCK = 512 };

void kan_tuple_groups_init(kan_tuple_groups *groups, const kan_space *space) {
    *groups = (kan_tuple_groups){.space = space};
}

void kan_tuple_groups_destroy(kan_tuple_groups *groups) {
    if (!groups->space)
        return;
    kan_run *run = groups->space->run;
    kan_free(run, groups->group_of);
    kan_free(run, groups->cells);
    kan_free(run, groups->used);
    kan_free(run, groups->slices.tables);
    kan_free(run, groups->keys);
    kan_tuple_groups_init(groups, groups->space);
}

static kan_status reserve_cells(kan_tuple_groups *groups, size_t n) {
    kan_run *run = groups->space->run;
    if (n <= groups->cell_room)
        return KAN_OK;
    kan_free(run, groups->cells);
    groups->cells = NULL;
    groups->cell_room = 0;
    KAN_TRY(kan_alloc_zero(run, n, sizeof *groups->cells, &groups->cells));
    groups->cell_room = n;
    return KAN_OK;
}

/* ---- few numbers ---------------------------------------------------------------------------- */

static inline size_t number_tuples(kan_tuple_groups *groups, const kan_freqset *set,
                                   const unsigned n_slices) {
    uint32_t *restrict cells = groups->cells, *restrict used = groups->used;
    uint32_t *restrict group_of = groups->group_of;
    struct kan_bitslice slices[KAN_MOST_BITSLICES];
    uint32_t n = 0;
    memcpy(slices, groups->slices.slices, sizeof slices);
    for (size_t i = 0; i < set->n; i++) {
        const uint64_t cell = kan_bitslices_map(slices, set->keys[i], n_slices);
        if (cells[cell] == 0) {
            used[n++] = (uint32_t)cell;
            cells[cell] = n;
        }
        group_of[i] = cells[cell] - 1;
    }
    return n;
}

static kan_status find_by_number(kan_tuple_groups *groups, const kan_freqset *set,
                                 size_t n_numbers) {
    KAN_TRY(reserve_cells(groups, n_numbers));
#define NUMBER(n_slices) groups->n = number_tuples(groups, set, n_slices)
    KAN_BITSLICES_SWITCH(groups->slices.n, NUMBER)
#undef NUMBER
    return KAN_OK;
}

/* ---- hashing -------------------------------------------------------------------------------- */

static uint32_t find_group(kan_tuple_groups *groups, const uint64_t *key, unsigned words,
                           size_t mask) {
    size_t at = (size_t)kan_hash_words(key, words) & mask;
    for (; groups->cells[at] != 0; at = (at + 1) & mask) {
        const uint32_t group = groups->cells[at] - 1;
        if (memcmp(groups->keys + (size_t)group * words, key, words * sizeof *key) == 0)
            return group;
    }
    memcpy(groups->keys + groups->n * words, key, words * sizeof *key);
    groups->used[groups->n++] = (uint32_t)at;
    groups->cells[at] = (uint32_t)groups->n;
    return (uint32_t)groups->n - 1;
}

static void lay_out(const kan_space *space, const kan_freqset *set, const unsigned *levels,
                    kan_layout *out) {
    unsigned order[KAN_MAX_FIELDS], chosen[KAN_MAX_FIELDS], n = 0;
    for (unsigned f = 0; f < set->layout.n_fields; f++) {
        const unsigned d = set->layout.fields[f].dimension;
        if (d >= space->n_attributes)
            continue;
        order[n] = d;
        chosen[n++] = levels[d];
    }
    kan_layout_make(space, order, chosen, n, out);
}

static kan_status find_by_hash(kan_tuple_groups *groups, const kan_freqset *set,
                               const unsigned *levels) {
    uint64_t mapped[BLOCK * KAN_MAX_WORDS];
    kan_layout to;
    kan_key_map map;
    size_t n_slots = 16;
    lay_out(groups->space, set, levels, &to);
    kan_key_map_make(groups->space, &set->layout, &to, &map);
    while (n_slots < 2 * set->n)
        n_slots *= 2;
    KAN_TRY(reserve_cells(groups, n_slots));
    KAN_TRY(kan_reserve(groups->space->run, set->n * map.to_words, sizeof *groups->keys,
                        &groups->key_room, &groups->keys));
    for (size_t first = 0; first < set->n; first += BLOCK) {
        const size_t size = set->n - first < BLOCK ? set->n - first : BLOCK;
        kan_key_map_apply(&map, set->keys + first * map.from_words, size, mapped);
        for (size_t i = 0; i < size; i++)
            groups->group_of[first + i] =
                find_group(groups, mapped + i * map.to_words, map.to_words, n_slots - 1);
    }
    return KAN_OK;
}

/* ---- the whole ------------------------------------------------------------------------------ */

kan_status kan_tuple_groups_find(kan_tuple_groups *groups, const kan_freqset *set,
                                 const unsigned *levels) {
    kan_run *run = groups->space->run;
    kan_digit digits[KAN_MAX_FIELDS];
    unsigned n_digits;
    size_t n_numbers;
    KAN_ASSERT(set->n <= KAN_MOST_GROUPED_TUPLES);
    groups->n = 0;
    KAN_TRY(
        kan_reserve(run, set->n, sizeof *groups->group_of, &groups->tuple_room, &groups->group_of));
    KAN_TRY(kan_reserve(run, set->n, sizeof *groups->used, &groups->used_room, &groups->used));
    bool fits = kan_digits_find(groups->space, &set->layout, levels, KAN_NO_DIGIT, MOST_NUMBERS,
                                digits, &n_digits, &n_numbers);
    if (fits)
        KAN_TRY(kan_bitslices_make(run, digits, n_digits, set->n, &groups->slices, &fits));
    KAN_TRY(fits ? find_by_number(groups, set, n_numbers) : find_by_hash(groups, set, levels));
    for (size_t g = 0; g < groups->n; g++)
        groups->cells[groups->used[g]] = 0;
    return KAN_OK;
}
