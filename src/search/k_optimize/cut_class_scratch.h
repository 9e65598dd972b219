/* Inside the making of classes: scratch that the files of cut_class.h share. */
#ifndef KANON_SEARCH_K_OPTIMIZE_CUT_CLASS_SCRATCH_H
#define KANON_SEARCH_K_OPTIMIZE_CUT_CLASS_SCRATCH_H

#include "search/k_optimize/cut_class.h"

enum { KAN_CUT_NO_EFFECT = -1 };

typedef struct kan_cut_scratch {
    /* Grouping of keys: open addressing over the keys of the groups found so far. The filter has a
     * bit for each of them at eight times as many places: most keys that are not there are found
     * out by it. */
    uint32_t *slots;
    size_t n_slots, slot_mask;
    unsigned slot_shift, filter_shift;
    uint64_t *filter;
    uint64_t *mapped; /* keys to be grouped */
    uint32_t *order;  /* atoms, part by part */
    uint32_t *part_start;
    uint32_t *by_place; /* atoms, by the places of one attribute */
    uint32_t *place_start;
    /* Cells of the class in hand. */
    size_t n_cells;
    uint64_t *cell_keys;
    uint32_t *cell_rows, *cell_class_rows, *cell_of; /* cell_of by atom */
    uint32_t *cell_lost, *cell_lost_class, *touched; /* zero between uses */
    uint8_t *is_paired;
    /* By classification: the values that can be the majority of a released group of the class. */
    uint8_t *is_label;
    unsigned n_labels;
    /* By attribute and place. */
    uint32_t *start_of[KAN_MAX_ATTRIBUTES]; /* least place that no open choice divides from it */
    uint32_t *below[KAN_MAX_ATTRIBUTES];    /* rows of the class at lower places */
    uint32_t *column[KAN_MAX_ATTRIBUTES];   /* dense: of cells, or of parts */
    uint32_t *border[KAN_MAX_ATTRIBUTES]; /* column -> the effect whose place is its lower border */
    uint32_t n_columns[KAN_MAX_ATTRIBUTES];
    int32_t *effect_of[KAN_MAX_ATTRIBUTES]; /* place -> effect, or KAN_CUT_NO_EFFECT */
    kan_cut_effect *effects;
    uint64_t *mark; /* by choice: the last class that looked at it */
    uint64_t stamp;
    uint16_t *dense[KAN_MAX_ATTRIBUTES]; /* by atom: its column, for pairs */
    /* By attribute and place: choices that would lose a row there, and what such rows are worth to
     * each of these. */
    uint32_t *n_losing[KAN_MAX_ATTRIBUTES];
    uint64_t *worth[KAN_MAX_ATTRIBUTES];
    /* By classification: rows at lower places, by attribute, place and value; and what cells of
     * lower columns cost, of one attribute at a time. */
    uint32_t *values_below[KAN_MAX_ATTRIBUTES];
    uint64_t *cells_below;
    /* With two class values: rows, and in the upper half those of the second; by tuple of the
     * class, by cell (lost: zero between uses), below each effect, and by attribute and place. */
    uint64_t *binary, *cell_binary, *cell_binary_lost, *binary_low;
    uint64_t *binary_below[KAN_MAX_ATTRIBUTES];
    uint32_t *table;
    size_t table_room;
    kan_arena arena;
} kan_cut_scratch;

static inline uint32_t kan_cut_place(const kan_cut_maker *maker, const uint64_t *key, unsigned a) {
    const struct kan_cut_field *field = &maker->fields[a];
    return (uint32_t)(key[field->word] >> field->shift & field->mask);
}

/* Keys are hashed by one multiplication when they have one word: the hash of a sum is then the sum
 * of the hashes, and that of a neighbour is known in advance. */
#define KAN_CUT_HASH UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t kan_cut_hash(const uint64_t *key, const unsigned words) {
    uint64_t hash = key[0] * KAN_CUT_HASH;
    for (unsigned w = 1; w < words; w++)
        hash = (hash ^ hash >> 32 ^ key[w]) * KAN_CUT_HASH;
    return hash;
}

/* Groups n mapped keys: group_keys, group_of each, and their number. */
size_t kan_cut_group(kan_cut_maker *maker, size_t n, uint64_t *group_keys, uint32_t *group_of);

static inline bool kan_cut_may_have(const kan_cut_scratch *s, uint64_t hash) {
    const uint64_t bit = hash >> s->filter_shift;
    return s->filter[bit / 64] >> bit % 64 & 1;
}

static inline bool kan_cut_is_same(const uint64_t *a, const uint64_t *b, const unsigned words) {
    for (unsigned w = 0; w < words; w++)
        if (a[w] != b[w])
            return false;
    return true;
}

/* The group of a key after kan_cut_group, or UINT32_MAX. */
static inline uint32_t kan_cut_find(const kan_cut_scratch *s, const uint64_t *group_keys,
                                    const uint64_t *key, uint64_t hash, const unsigned words) {
    size_t slot = hash >> s->slot_shift;
    while (s->slots[slot] != UINT32_MAX) {
        if (kan_cut_is_same(group_keys + (size_t)s->slots[slot] * words, key, words))
            return s->slots[slot];
        slot = (slot + 1) & s->slot_mask;
    }
    return UINT32_MAX;
}
/* Some of the attributes. */
typedef struct kan_cut_attributes {
    unsigned n, attribute[KAN_MAX_ATTRIBUTES];
} kan_cut_attributes;

/* mapped[i]: keys[i] with the places of some attributes replaced by table[a][place], and all others
 * dropped. */
void kan_cut_project(kan_cut_maker *maker, const uint64_t *keys, size_t n,
                     const kan_cut_attributes *chosen, uint32_t *const *table);
/* The same for keys[order[i]], and all others kept. */
void kan_cut_replace_places(kan_cut_maker *maker, const uint64_t *keys, const uint32_t *order,
                            size_t n, const kan_cut_attributes *chosen, uint32_t *const *table);

/* Cells, the bound, and what each choice does to it; the effects have their sizes already. */
void kan_cut_class_cells(kan_cut_maker *maker, kan_cut_class *made);

/* By classification: which choices set rows of different values apart, before cells are made; and
 * what parts cost that cannot be divided further, afterwards. */
void kan_cut_class_apart(kan_cut_maker *maker, const kan_cut_class *made, kan_cut_effect *effects,
                         unsigned n);
void kan_cut_class_parts(kan_cut_maker *maker, kan_cut_class *made);

/* Whether the following may be used: it finds the same in fewer steps, from the tuples on that
 * stand in `made`. */
bool kan_cut_is_binary(const kan_cut_maker *maker);
KAN_MUST_USE kan_status kan_cut_class_binary(kan_cut_maker *maker, const kan_cut_class *from,
                                             const kan_cut_attributes *changed,
                                             kan_cut_class *made);

/* Shares the rows that would be lost among the choices that would lose them: made_share. */
void kan_cut_class_shares(kan_cut_maker *maker, kan_cut_class *made);

/* What a cell that ends in a group of k rows at least, costs. */
static inline uint64_t kan_cut_cell_cost(const kan_cut_maker *maker, size_t cell) {
    const kan_cut_space *space = maker->space;
    const uint64_t rows = maker->scratch->cell_rows[cell];
    if (space->cost == KAN_CUT_DISCERNIBILITY)
        return rows * (rows > space->k ? rows : space->k);
    const uint32_t *classes = maker->scratch->cell_class_rows + cell * space->n_classes;
    uint32_t most = 0;
    for (unsigned c = 0; c < space->n_classes; c++)
        most = maker->scratch->is_label[c] && classes[c] > most ? classes[c] : most;
    return rows - most;
}

#endif
