/* The chain of levels of the last attribute: see chain.h. */
#include "group/freqsets/chain.h"

#include <string.h>

enum { ALWAYS_APART = 255, LEVEL_BITS = 8, LEVEL_MASK = 255, TOP_BIT = 63, NO_CODE = 65 };

bool kan_chain_fits(const kan_chain *chain, const kan_layout *layout) {
    if (!chain->space || layout->n_words != 1 || layout->n_fields == 0)
        return false;
    const kan_key_field *last = &layout->fields[layout->n_fields - 1];
    return last->dimension == chain->attribute && last->level == 0 && chain->code_bits != NO_CODE;
}

/* Which child of its parent each group of a level is, and the most children that a parent has. */
static uint32_t number_children(const kan_level *level, uint32_t *child) {
    uint32_t most = 0;
    for (uint32_t g = 0; g < level->n_groups; g++) {
        KAN_ASSERT(g == 0 || level->up[g - 1] <= level->up[g]);
        /* Groups of a level are in preorder: siblings are neighbours. */
        child[g] = g > 0 && level->up[g - 1] == level->up[g] ? child[g - 1] + 1 : 0;
        most = child[g] > most ? child[g] : most;
    }
    return most;
}

/* Codes from the top down: a group's code is its parent's followed by its number among the
 * children. Where they would not fit a word, code_bits says so, and no layout fits. */
static kan_status make_codes(kan_chain *chain) {
    const kan_hierarchy *hierarchy = chain->space->dimensions[chain->attribute].hierarchy;
    const uint32_t n_leaves = hierarchy->levels[0].n_groups;
    unsigned width[ALWAYS_APART] = {0};
    uint32_t *child;
    KAN_TRY(kan_arena_alloc(&chain->arena, n_leaves, sizeof *chain->code_of_leaf,
                            &chain->code_of_leaf));
    KAN_TRY(kan_arena_alloc(&chain->arena, n_leaves, sizeof *child, &child));
    if (hierarchy->height >= ALWAYS_APART)
        chain->code_bits = NO_CODE;
    for (unsigned l = hierarchy->height; chain->code_bits < 64 && l-- > 0;) {
        const kan_level *level = &hierarchy->levels[l];
        uint32_t most = number_children(level, child);
        width[l] = most ? 32 - (unsigned)__builtin_clz(most) : 0;
        chain->code_bits += width[l];
        for (uint32_t leaf = 0; leaf < n_leaves; leaf++)
            chain->code_of_leaf[leaf] =
                chain->code_of_leaf[leaf] << width[l] | child[level->from_leaf[leaf]];
    }
    if (chain->code_bits > 63) {
        chain->code_bits = NO_CODE;
        return KAN_OK;
    }
    /* Leaves that differ first in a bit of level l are together from level l + 1 on; tuples that
     * differ in another attribute never are. */
    memset(chain->together_at, ALWAYS_APART, sizeof chain->together_at);
    for (unsigned l = 0, bit = 0; l < hierarchy->height; l++)
        for (unsigned i = 0; i < width[l]; i++)
            chain->together_at[bit++] = (uint8_t)(l + 1);
    return KAN_OK;
}

kan_status kan_chain_init(kan_chain *chain, const kan_space *space, unsigned attribute) {
    *chain = (kan_chain){.space = space, .attribute = attribute};
    kan_arena_init(&chain->arena, space->run);
    kan_status status = make_codes(chain);
    if (status != KAN_OK)
        kan_chain_destroy(chain);
    return status;
}

void kan_chain_destroy(kan_chain *chain) {
    if (!chain->space)
        return;
    kan_free(chain->space->run, chain->borders);
    kan_arena_destroy(&chain->arena);
    *chain = (kan_chain){.space = NULL};
}

kan_status kan_chain_begin(kan_chain *chain, const kan_freqset *set) {
    KAN_ASSERT(kan_chain_fits(chain, &set->layout) && kan_freqset_is_sound(set));
    if (set->n + 1 > chain->room) {
        size_t room = set->n + set->n / 4 + 16;
        KAN_TRY(kan_resize(chain->space->run, room, sizeof *chain->borders, &chain->borders));
        chain->room = room;
    }
    const unsigned bits = set->layout.fields[set->layout.n_fields - 1].bits;
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    const uint64_t *keys = set->keys, *counts = set->counts, *code_of = chain->code_of_leaf;
    const uint8_t *together_at = chain->together_at;
    uint64_t *restrict borders = chain->borders;
    uint64_t key = 0, code = 0, rows = 0;
    for (size_t i = 0; i < set->n; i++) {
        uint64_t next = code_of[keys[i] & mask];
        uint64_t is_elsewhere = (keys[i] ^ key) > mask; /* in another attribute */
        /* The lowest bit only matters to the first tuple, which may equal the nothing before it. */
        uint64_t differs = (next ^ code) | is_elsewhere << TOP_BIT | 1;
        borders[i] = rows << LEVEL_BITS | together_at[TOP_BIT - (unsigned)__builtin_clzll(differs)];
        rows += counts[i];
        key = keys[i];
        code = next;
    }
    borders[set->n] = rows << LEVEL_BITS;
    if (set->n > 0)
        borders[0] = ALWAYS_APART; /* no rows before it */
    chain->n = set->n;
    return KAN_OK;
}

void kan_chain_up(kan_chain *chain, unsigned level) {
    uint64_t *borders = chain->borders;
    const uint64_t end = borders[chain->n];
    size_t out = 0;
    for (size_t i = 0; i < chain->n; i++) {
        uint64_t border = borders[i];
        borders[out] = border;
        out += (border & LEVEL_MASK) > level;
    }
    borders[out] = end;
    chain->n = out;
}

uint64_t kan_chain_small_rows(const kan_chain *chain, uint64_t least, uint64_t enough) {
    enum { BLOCK = 1024 };
    const uint64_t *borders = chain->borders;
    uint64_t rows = 0, before = 0;
    for (size_t first = 0; first < chain->n && rows <= enough; first += BLOCK) {
        size_t end = chain->n - first < BLOCK ? chain->n : first + BLOCK;
        for (size_t g = first; g < end; g++) {
            uint64_t next = borders[g + 1] >> LEVEL_BITS, count = next - before;
            KAN_ASSERT(next >= before);
            rows += count < least ? count : 0;
            before = next;
        }
    }
    return rows;
}
