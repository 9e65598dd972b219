/* The chain of levels of the last attribute: see chain.h. */
#include "group/chain.h"

enum { PREFIX_BIT = 63, ALWAYS_APART = 255 };

bool kan_chain_fits(const kan_space *space, const kan_layout *layout, unsigned attribute) {
    if (layout->n_words != 1 || layout->n_fields == 0)
        return false;
    const kan_field *last = &layout->fields[layout->n_fields - 1];
    return last->dimension == attribute && attribute < space->n_attributes && last->level == 0;
}

/* Which child of its parent each group of a level is, and the most children that a parent has. */
static uint32_t number_children(const kan_level *level, uint32_t *child) {
    uint32_t most = 0;
    for (uint32_t g = 0; g < level->n_groups; g++) {
        /* Groups of a level are in preorder: siblings are neighbours. */
        child[g] = g > 0 && level->up[g - 1] == level->up[g] ? child[g - 1] + 1 : 0;
        most = child[g] > most ? child[g] : most;
    }
    return most;
}

/* Codes from the top down: a group's code is its parent's followed by its number among the
 * children. */
static kan_status make_codes(kan_chain *chain, bool *fits) {
    const kan_hierarchy *hierarchy = chain->space->dimensions[chain->attribute].hierarchy;
    const uint32_t n_leaves = hierarchy->levels[0].n_groups;
    unsigned width[256] = {0}, shift = 0;
    uint32_t *child;
    KAN_TRY(kan_arena_alloc(&chain->arena, n_leaves, sizeof *chain->code_of_leaf,
                            &chain->code_of_leaf));
    KAN_TRY(kan_arena_alloc(&chain->arena, n_leaves, sizeof *child, &child));
    *fits = hierarchy->height < ALWAYS_APART;
    for (unsigned l = hierarchy->height; *fits && l-- > 0;) {
        const kan_level *level = &hierarchy->levels[l];
        uint32_t most = number_children(level, child);
        width[l] = most ? 32 - (unsigned)__builtin_clz(most) : 0;
        *fits = (shift += width[l]) < PREFIX_BIT;
        for (uint32_t leaf = 0; *fits && leaf < n_leaves; leaf++)
            chain->code_of_leaf[leaf] =
                chain->code_of_leaf[leaf] << width[l] | child[level->from_leaf[leaf]];
    }
    /* Leaves that differ first in a bit of level l are together from level l + 1 on. */
    unsigned bit = 0;
    for (unsigned l = 0; *fits && l < hierarchy->height; l++)
        for (unsigned i = 0; i < width[l]; i++)
            chain->together_at[bit++] = (uint8_t)(l + 1);
    chain->together_at[PREFIX_BIT] = ALWAYS_APART;
    return KAN_OK;
}

kan_status kan_chain_init(kan_chain *chain, const kan_space *space, unsigned attribute,
                          bool *fits) {
    *chain = (kan_chain){.space = space, .attribute = attribute};
    kan_arena_init(&chain->arena, space->run);
    kan_status status = make_codes(chain, fits);
    if (status != KAN_OK)
        kan_chain_destroy(chain);
    return status;
}

void kan_chain_destroy(kan_chain *chain) {
    if (!chain->space)
        return;
    kan_free(chain->space->run, chain->before);
    kan_free(chain->space->run, chain->together);
    kan_arena_destroy(&chain->arena);
    *chain = (kan_chain){.space = NULL};
}

kan_status kan_chain_begin(kan_chain *chain, const kan_freqset *set) {
    kan_run *run = chain->space->run;
    if (set->n + 1 > chain->room) {
        size_t room = set->n + set->n / 4 + 16;
        chain->room = 0; /* until both have grown */
        KAN_TRY(kan_resize(run, room, sizeof *chain->before, &chain->before));
        KAN_TRY(kan_resize(run, room, sizeof *chain->together, &chain->together));
        chain->room = room;
    }
    const kan_field *field = &set->layout.fields[set->layout.n_fields - 1];
    const unsigned bits = field->bits;
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    const uint64_t *restrict keys = set->keys, *restrict counts = set->counts;
    const uint64_t *restrict code_of = chain->code_of_leaf;
    uint64_t *restrict before = chain->before;
    uint8_t *together = chain->together;
    uint64_t prefix = 0, code = 0, rows = 0;
    for (size_t i = 0; i < set->n; i++) {
        uint64_t next_prefix = keys[i] >> bits, next_code = code_of[keys[i] & mask];
        uint64_t differs = (next_code ^ code) | (uint64_t)(next_prefix != prefix) << PREFIX_BIT;
        /* Two tuples differ somewhere; the first differs from the nothing before it. */
        together[i] =
            chain->together_at[PREFIX_BIT - (unsigned)__builtin_clzll(differs | (i == 0))];
        before[i] = rows;
        rows += counts[i];
        prefix = next_prefix;
        code = next_code;
    }
    before[set->n] = rows;
    if (set->n > 0)
        together[0] = ALWAYS_APART;
    chain->n = set->n;
    return KAN_OK;
}

void kan_chain_up(kan_chain *chain, unsigned level) {
    uint64_t *before = chain->before;
    uint8_t *together = chain->together;
    const uint64_t rows = before[chain->n];
    size_t out = 0;
    for (size_t i = 0; i < chain->n; i++) {
        uint8_t at = together[i];
        before[out] = before[i];
        together[out] = at;
        out += at > level;
    }
    before[out] = rows;
    chain->n = out;
}

uint64_t kan_chain_small_rows(const kan_chain *chain, uint64_t least, uint64_t enough) {
    enum { BLOCK = 1024 };
    const uint64_t *before = chain->before;
    uint64_t rows = 0;
    for (size_t first = 0; first < chain->n && rows <= enough; first += BLOCK) {
        size_t end = chain->n - first < BLOCK ? chain->n : first + BLOCK;
        for (size_t g = first; g < end; g++) {
            uint64_t count = before[g + 1] - before[g];
            rows += count < least ? count : 0;
        }
    }
    return rows;
}
