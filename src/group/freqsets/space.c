/* Dimensions, layouts and key maps. Nothing here is hot but kan_key_map_apply; see space.h. */
#include "group/freqsets/space.h"

#include <string.h>

void kan_space_init(kan_space *space, kan_run *run) {
    memset(space, 0, sizeof *space);
    space->run = run;
    kan_arena_init(&space->arena, run);
}

void kan_space_destroy(kan_space *space) {
    kan_arena_destroy(&space->arena);
}

/* Maps between all pairs of levels, so that a roll-up over several levels is one look-up. */
static kan_status make_maps(kan_space *space, kan_dimension *dimension) {
    unsigned n = dimension->height + 1;
    KAN_TRY(
        kan_arena_alloc(&space->arena, (size_t)n * n, sizeof *dimension->maps, &dimension->maps));
    for (unsigned from = 0; from < n; from++)
        for (unsigned to = from + 1; to < n; to++) {
            uint32_t *map;
            uint32_t n_groups = kan_dimension_groups(dimension, from);
            KAN_TRY(kan_arena_alloc(&space->arena, n_groups, sizeof *map, &map));
            kan_hierarchy_map(dimension->hierarchy, from, to, map);
            dimension->maps[from * n + to] = map;
        }
    return KAN_OK;
}

kan_status kan_space_add_attribute(kan_space *space, const kan_column *column,
                                   const kan_hierarchy *hierarchy) {
    KAN_ASSERT(space->n_tails == 0);
    if (space->n_attributes == KAN_MAX_ATTRIBUTES)
        return kan_fail(space->run, KAN_BAD_INPUT,
                        "more than %d quasi-identifiers; leave out those that nobody can know",
                        KAN_MAX_ATTRIBUTES);
    kan_dimension *dimension = &space->dimensions[space->n_attributes];
    *dimension = (kan_dimension){.name = column->name,
                                 .column = column,
                                 .hierarchy = hierarchy,
                                 .height = hierarchy->height,
                                 .highest = hierarchy->height};
    KAN_TRY(make_maps(space, dimension));
    space->n_attributes++;
    return KAN_OK;
}

kan_status kan_space_add_tail(kan_space *space, const kan_column *column) {
    if (space->n_tails == KAN_MAX_TAILS)
        return kan_fail(space->run, KAN_BAD_INPUT,
                        "more than %d sensitive and class columns together", KAN_MAX_TAIL_COLUMNS);
    kan_dimension *dimension = &space->dimensions[space->n_attributes + space->n_tails];
    *dimension = (kan_dimension){.name = column->name,
                                 .column = column,
                                 .n_values = column->dictionary.n,
                                 .is_ordered = column->dictionary.type != KAN_TYPE_TEXT};
    space->n_tails++;
    return KAN_OK;
}

kan_status kan_space_add_alike(kan_space *space, const kan_column *column, const kan_alike *alike) {
    KAN_TRY(kan_space_add_tail(space, column));
    kan_dimension *dimension = &space->dimensions[space->n_attributes + space->n_tails - 1];
    dimension->value_of = alike->value_of;
    dimension->code_of = alike->code_of;
    dimension->n_values = alike->n_values;
    dimension->is_ordered = alike->kind != KAN_TYPE_TEXT;
    return KAN_OK;
}

uint32_t kan_dimension_groups(const kan_dimension *dimension, unsigned level) {
    return dimension->hierarchy ? dimension->hierarchy->levels[level].n_groups
                                : dimension->n_values;
}

static unsigned bits_for(uint32_t n_groups) {
    return n_groups > 1 ? 32 - (unsigned)__builtin_clz(n_groups - 1) : 0;
}

/* Fields go into words from the first on, none across two words; each word is filled up to its
 * lowest bit, so the shifts are known when the next word begins. */
void kan_layout_make(const kan_space *space, const unsigned *order, const unsigned *levels,
                     unsigned n, kan_layout *out) {
    kan_layout layout = {.n_fields = n, .n_words = 1};
    unsigned used = 0, first = 0;
    for (unsigned i = 0; i <= n; i++) {
        unsigned bits = 0;
        if (i < n) {
            const kan_dimension *dimension = &space->dimensions[order[i]];
            bits = bits_for(kan_dimension_groups(dimension, levels[i]));
            layout.n_bits += bits;
            if (!dimension->hierarchy)
                layout.tail_bits += bits;
        }
        if (i == n || used + bits > 64) {
            unsigned shift = used;
            for (unsigned f = first; f < i; f++) {
                shift -= layout.fields[f].bits;
                /* A field without bits before 64 bits of others would have to shift by 64. */
                layout.fields[f].shift = layout.fields[f].bits ? (uint8_t)shift : 0;
            }
            if (i == n)
                break;
            layout.n_words++;
            used = 0;
            first = i;
        }
        used += bits;
        layout.fields[i] = (kan_key_field){.dimension = (uint8_t)order[i],
                                           .level = (uint8_t)levels[i],
                                           .word = (uint8_t)(layout.n_words - 1),
                                           .bits = (uint8_t)bits};
    }
    KAN_ASSERT(layout.n_words <= KAN_MAX_WORDS);
    *out = layout;
}

void kan_layout_at(const kan_space *space, const kan_layout *layout, const unsigned *levels,
                   kan_layout *out) {
    unsigned order[KAN_MAX_FIELDS], chosen[KAN_MAX_FIELDS];
    for (unsigned i = 0; i < layout->n_fields; i++) {
        order[i] = layout->fields[i].dimension;
        chosen[i] = order[i] < space->n_attributes ? levels[order[i]] : 0;
    }
    kan_layout_make(space, order, chosen, layout->n_fields, out);
}

void kan_layout_keep(const kan_layout *layout, unsigned attribute, unsigned level,
                     kan_layout *out) {
    *out = *layout;
    for (unsigned i = 0; i < out->n_fields; i++)
        if (out->fields[i].dimension == attribute)
            out->fields[i].level = (uint8_t)level;
}

void kan_layout_base(const kan_space *space, kan_layout *out) {
    unsigned order[KAN_MAX_FIELDS], levels[KAN_MAX_FIELDS] = {0};
    unsigned n = space->n_attributes + space->n_tails;
    for (unsigned i = 0; i < n; i++)
        order[i] = i;
    kan_layout_make(space, order, levels, n, out);
}

static void add_move(kan_key_map *map, const kan_key_field *from, const kan_key_field *to) {
    uint64_t mask = (~UINT64_C(0) >> (64 - from->bits)) << from->shift;
    uint8_t rotate = (uint8_t)((64 + to->shift - from->shift) % 64);
    /* Fields that move together are one move. */
    for (unsigned i = 0; i < map->n_moves; i++)
        if (map->moves[i].from_word == from->word && map->moves[i].to_word == to->word &&
            map->moves[i].rotate == rotate) {
            map->moves[i].mask |= mask;
            return;
        }
    map->moves[map->n_moves++] = (struct kan_key_move){mask, from->word, to->word, rotate};
}

static void add_lookup(const kan_space *space, kan_key_map *map, const kan_key_field *from,
                       const kan_key_field *to) {
    const kan_dimension *dimension = &space->dimensions[from->dimension];
    KAN_ASSERT(from->level < to->level && to->level <= dimension->height);
    map->lookups[map->n_lookups++] = (struct kan_key_lookup){
        .table = dimension->maps[from->level * (dimension->height + 1) + to->level],
        .mask = from->bits ? ~UINT64_C(0) >> (64 - from->bits) : 0,
        .from_word = from->word,
        .from_shift = from->shift,
        .to_word = to->word,
        .to_shift = to->shift};
}

static const kan_key_field *find_field(const kan_layout *layout, unsigned dimension) {
    for (unsigned i = 0; i < layout->n_fields; i++)
        if (layout->fields[i].dimension == dimension)
            return &layout->fields[i];
    return NULL;
}

/* Walks both layouts from the most significant field while their order agrees. Up to and including
 * the first field that is rolled up the order of a sorted list survives; below it, only whether
 * anything is left decides. Fields without bits do not matter. */
static void find_order(const kan_layout *from, const kan_layout *to, kan_key_map *map) {
    unsigned i = 0, j = 0, kept_bits = 0;
    bool is_changed = false;
    while (!is_changed) {
        while (i < from->n_fields && from->fields[i].bits == 0)
            i++;
        while (j < to->n_fields && to->fields[j].bits == 0)
            j++;
        if (i == from->n_fields || j == to->n_fields ||
            from->fields[i].dimension != to->fields[j].dimension)
            break;
        is_changed = from->fields[i].level != to->fields[j].level;
        kept_bits += to->fields[j].bits;
        i++;
        j++;
    }
    map->keeps_order = kept_bits == to->n_bits;
    map->loose_bits = to->n_bits - kept_bits;
}

static kan_map_shape shape_of(const kan_key_map *map) {
    if (map->from_words != 1 || map->to_words != 1 || map->n_moves > 2 || map->n_lookups > 1)
        return KAN_MAP_OTHER;
    bool is_in_place = map->n_lookups == 1 && map->n_moves < 2 &&
                       (map->n_moves == 0 || map->moves[0].rotate == 0) &&
                       map->lookups[0].from_shift == map->lookups[0].to_shift;
    if (!is_in_place)
        return KAN_MAP_ROLLUP;
    return map->lookups[0].from_shift == 0 ? KAN_MAP_LAST : KAN_MAP_FIELD;
}

void kan_key_map_make(const kan_space *space, const kan_layout *from, const kan_layout *to,
                      kan_key_map *out) {
    out->from_words = from->n_words;
    out->to_words = to->n_words;
    out->n_moves = out->n_lookups = 0;
    for (unsigned i = 0; i < to->n_fields; i++) {
        const kan_key_field *field = &to->fields[i];
        if (field->bits == 0)
            continue;
        const kan_key_field *source = find_field(from, field->dimension);
        KAN_ASSERT(source && source->level <= field->level);
        if (source->level == field->level)
            add_move(out, source, field);
        else
            add_lookup(space, out, source, field);
    }
    find_order(from, to, out);
    out->shape = shape_of(out);
}

kan_word_map kan_word_map_of(const kan_key_map *map) {
    KAN_ASSERT(map->shape != KAN_MAP_OTHER);
    static const uint32_t nothing[1] = {0};
    kan_word_map made = {.table = nothing};
    for (unsigned i = 0; i < map->n_moves; i++) {
        made.move_mask[i] = map->moves[i].mask;
        made.rotate[i] = map->moves[i].rotate;
    }
    if (map->n_lookups > 0) {
        made.table = map->lookups[0].table;
        made.lookup_mask = map->lookups[0].mask;
        made.from_shift = map->lookups[0].from_shift;
        made.to_shift = map->lookups[0].to_shift;
    }
    return made;
}

static void apply_words(const kan_key_map *map, const uint64_t *keys, size_t n, uint64_t *out) {
    const unsigned from_words = map->from_words, to_words = map->to_words;
    memset(out, 0, n * to_words * sizeof *out);
    for (unsigned m = 0; m < map->n_moves; m++) {
        const struct kan_key_move move = map->moves[m];
        for (size_t i = 0; i < n; i++)
            out[i * to_words + move.to_word] |=
                kan_rotate(keys[i * from_words + move.from_word] & move.mask, move.rotate);
    }
    for (unsigned l = 0; l < map->n_lookups; l++) {
        const struct kan_key_lookup lookup = map->lookups[l];
        for (size_t i = 0; i < n; i++)
            out[i * to_words + lookup.to_word] |=
                (uint64_t)
                    lookup.table[keys[i * from_words + lookup.from_word] >> lookup.from_shift &
                                 lookup.mask]
                << lookup.to_shift;
    }
}

static inline void apply_word(const kan_key_map *map, const uint64_t *restrict keys, size_t n,
                              uint64_t *restrict out, const kan_map_shape shape) {
    const kan_word_map word_map = kan_word_map_of(map);
    for (size_t i = 0; i < n; i++)
        out[i] = kan_word_map_key(&word_map, keys[i], shape);
}

void kan_key_map_apply(const kan_key_map *map, const uint64_t *keys, size_t n, uint64_t *out) {
    switch (map->shape) {
    case KAN_MAP_LAST:
        apply_word(map, keys, n, out, KAN_MAP_LAST);
        break;
    case KAN_MAP_FIELD:
        apply_word(map, keys, n, out, KAN_MAP_FIELD);
        break;
    case KAN_MAP_ROLLUP:
        apply_word(map, keys, n, out, KAN_MAP_ROLLUP);
        break;
    case KAN_MAP_OTHER:
        apply_words(map, keys, n, out);
        break;
    }
}
