/* The space of a problem: its dimensions, how tuples are packed into keys, and how keys are mapped.
 *
 * A dimension is a quasi-identifier with its hierarchy, or a tail: a sensitive or class column,
 * which is carried along and never generalized. A tuple is packed into a key of 64-bit words: one
 * bit field per dimension, as wide as the number of groups at its level needs, most significant
 * field first and word 0 first. So keys compare as tuples do, and because groups are numbered in
 * preorder, rolling up the last field keeps a sorted list sorted. One word is the common case, two
 * the next; more are possible (32 columns of many values). */
#ifndef KANON_GROUP_FREQSETS_SPACE_H
#define KANON_GROUP_FREQSETS_SPACE_H

#include "core/hash.h"
#include "data/hierarchies/hierarchies.h"
#include "group/freqsets/alike.h"

/* Twice as many tails as there may be columns: a column may be counted in two ways. */
enum {
    KAN_MAX_TAILS = 16,
    KAN_MAX_TAIL_COLUMNS = 8,
    KAN_MAX_FIELDS = KAN_MAX_ATTRIBUTES + KAN_MAX_TAILS,
    KAN_MAX_WORDS = 40
};

typedef struct kan_dimension {
    const char *name;
    const kan_column *column;
    const kan_hierarchy *hierarchy; /* NULL: a tail */
    unsigned height;                /* 0 for a tail */
    unsigned lowest, highest;       /* levels that a search may choose: 0 and height unless said */
    const uint32_t **maps;          /* [from * (height + 1) + to], from < to: group maps */
    /* A tail: its values, which several codes may have (group/freqsets/alike.h), by code and back; NULL: each
     * code is one. And whether they have an order that says how far they are apart. */
    const uint32_t *value_of, *code_of;
    uint32_t n_values;
    bool is_ordered;
} kan_dimension;

typedef struct kan_space {
    kan_run *run;
    unsigned n_attributes; /* quasi-identifiers, the first dimensions */
    unsigned n_tails;      /* the dimensions after them */
    kan_dimension dimensions[KAN_MAX_FIELDS];
    kan_arena arena; /* the maps */
} kan_space;

/* An empty space; then add dimensions, attributes before tails. Columns and hierarchies are
 * borrowed. */
void kan_space_init(kan_space *space, kan_run *run);
void kan_space_destroy(kan_space *space);
KAN_MUST_USE kan_status kan_space_add_attribute(kan_space *space, const kan_column *column,
                                                const kan_hierarchy *hierarchy);
KAN_MUST_USE kan_status kan_space_add_tail(kan_space *space, const kan_column *column);
/* The same, with spellings of one number counted as one value. */
KAN_MUST_USE kan_status kan_space_add_alike(kan_space *space, const kan_column *column,
                                            const kan_alike *alike);

/* How many rows each row of the columns stands for, which are all of one table; NULL: one. */
static inline const uint64_t *kan_space_counts(const kan_space *space) {
    return space->n_attributes + space->n_tails > 0 ? space->dimensions[0].column->counts : NULL;
}

/* The value of a tail that a code of its column has, and a code that has it. */
static inline uint32_t kan_dimension_value(const kan_dimension *tail, uint32_t code) {
    return tail->value_of ? tail->value_of[code] : code;
}
static inline kan_slice kan_dimension_text(const kan_dimension *tail, uint32_t value) {
    return kan_dictionary_value(&tail->column->dictionary,
                                tail->code_of ? tail->code_of[value] : value);
}

/* Groups of a dimension at a level; values of a tail. */
uint32_t kan_dimension_groups(const kan_dimension *dimension, unsigned level);

typedef struct kan_key_field {
    uint8_t dimension, level;
    uint8_t word, shift, bits;
} kan_key_field;

typedef struct kan_layout {
    unsigned n_fields, n_words;
    unsigned n_bits;    /* of all fields together */
    unsigned tail_bits; /* of the tail fields, which are the last ones; valid with one word */
    kan_key_field fields[KAN_MAX_FIELDS];
} kan_layout;

/* Lays out the dimensions order[0..n-1] (each at most once, tails last) at levels[i]. */
void kan_layout_make(const kan_space *space, const unsigned *order, const unsigned *levels,
                     unsigned n, kan_layout *out);
/* The same dimensions in the same order with other levels: levels[d] for attribute d. */
void kan_layout_at(const kan_space *space, const kan_layout *layout, const unsigned *levels,
                   kan_layout *out);
/* The same layout, field by field, with one attribute at another level: its field may be wider than
 * it has to be, but nothing else moves, which is the quickest map there is. */
void kan_layout_keep(const kan_layout *layout, unsigned attribute, unsigned level, kan_layout *out);
/* Every attribute at level 0 in the order of the space, then every tail. */
void kan_layout_base(const kan_space *space, kan_layout *out);

static inline uint32_t kan_key_field_value(const kan_key_field *field, const uint64_t *key) {
    uint64_t mask = field->bits ? ~UINT64_C(0) >> (64 - field->bits) : 0;
    return (uint32_t)(key[field->word] >> field->shift & mask);
}

/* What has to be done to a key; the kernels have a loop for each of the first three. */
typedef enum kan_map_shape {
    KAN_MAP_LAST,   /* one word; one field is looked up, in place, at the lowest bits */
    KAN_MAP_FIELD,  /* one word; one field is looked up, in place */
    KAN_MAP_ROLLUP, /* one word; at most two moves and one look-up */
    KAN_MAP_OTHER
} kan_map_shape;

/* How keys of one layout become keys of another whose dimensions are a subset, at the same or
 * higher levels: a few masked moves of fields that stay, a table look-up for each field that
 * changes. */
typedef struct kan_key_map {
    kan_map_shape shape;
    unsigned from_words, to_words;
    unsigned n_moves, n_lookups;
    struct kan_key_move {
        uint64_t mask; /* in the source word */
        uint8_t from_word, to_word, rotate;
    } moves[KAN_MAX_FIELDS];
    struct kan_key_lookup {
        const uint32_t *table;
        uint64_t mask; /* after the shift */
        uint8_t from_word, from_shift, to_word, to_shift;
    } lookups[KAN_MAX_FIELDS];
    bool keeps_order; /* a sorted list of keys is still sorted after the map */
    /* Sorted keys are, after the map, still sorted when their lowest `loose_bits` are ignored.
     * Counts the bits of fields: where a key has several words it says nothing about places in
     * them. */
    unsigned loose_bits;
} kan_key_map;

void kan_key_map_make(const kan_space *space, const kan_layout *from, const kan_layout *to,
                      kan_key_map *out);

static inline uint64_t kan_rotate(uint64_t word, unsigned by) {
    return word << (by & 63) | word >> (-by & 63);
}

/* A map from one word to one word as values that a loop can keep in registers. */
typedef struct kan_word_map {
    uint64_t move_mask[2], lookup_mask;
    const uint32_t *table;
    unsigned rotate[2], from_shift, to_shift;
} kan_word_map;

/* For any shape but KAN_MAP_OTHER. */
kan_word_map kan_word_map_of(const kan_key_map *map);

/* Called with a constant for the shape. */
static inline uint64_t kan_word_map_key(const kan_word_map *map, uint64_t key,
                                        const kan_map_shape shape) {
    if (shape == KAN_MAP_LAST)
        return (key & map->move_mask[0]) | map->table[key & map->lookup_mask];
    if (shape == KAN_MAP_FIELD)
        return (key & map->move_mask[0]) |
               (uint64_t)map->table[key >> map->from_shift & map->lookup_mask] << map->from_shift;
    return kan_rotate(key & map->move_mask[0], map->rotate[0]) |
           kan_rotate(key & map->move_mask[1], map->rotate[1]) |
           (uint64_t)map->table[key >> map->from_shift & map->lookup_mask] << map->to_shift;
}

/* n keys, any number of words. */
void kan_key_map_apply(const kan_key_map *map, const uint64_t *keys, size_t n, uint64_t *out);

#endif
