/* The direct kernel: a counter per possible key.
 *
 * Every counter has a mark, a byte that says that it is in use; 64 counters share a mark of the
 * next level, and so on: 64 x 64 x 64 = 2^18 counters. Setting a mark is a plain store, so that no
 * tuple has to wait for the one before. Reading out gathers 64 marks into a word and jumps from bit
 * to bit, and puts everything back to zero on the way: neither clearing nor reading depends on the
 * number of counters.
 *
 * Where the leading bits of the keys are in order already, tuples are counted segment by segment,
 * and only the loose bits below need counters. */
#include "group/kernel.h"

#include <string.h>

enum { CELLS = 1 << KAN_DIRECT_BITS };

static kan_status prepare(kan_workspace *workspace) {
    if (workspace->cells)
        return KAN_OK;
    kan_run *run = workspace->run;
    for (unsigned i = 0; i < 3; i++)
        if (!workspace->marks[i])
            KAN_TRY(kan_alloc_zero(run, CELLS >> (6 * i), 1, &workspace->marks[i]));
    return kan_alloc_zero(run, CELLS, sizeof(uint64_t), &workspace->cells);
}

typedef struct {
    uint64_t *cells;
    uint8_t *marks[3];
    uint64_t *restrict keys, *restrict counts; /* where the next group goes */
} counters;

/* The 64 marks at `marks` as the bits of a word; they are cleared. */
static inline uint64_t take_marks(uint8_t *marks) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t eight;
        memcpy(&eight, marks + 8 * i, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        eight = __builtin_bswap64(eight);
#endif
        /* Each byte is 0 or 1; the product brings them together in the highest byte. */
        bits |= (eight * UINT64_C(0x0102040810204080)) >> 56 << (8 * i);
    }
    memset(marks, 0, 64);
    return bits;
}

/* The lowest set bit of *word, taken out of it. */
static inline unsigned take_bit(uint64_t *word) {
    unsigned bit = (unsigned)__builtin_ctzll(*word);
    *word &= *word - 1;
    return bit;
}

/* Reads out, and clears, the 64 cells from `first` on. */
static inline void flush_cells(counters *c, uint64_t segment, uint64_t first) {
    uint64_t used = take_marks(c->marks[0] + first);
    while (used) {
        uint64_t cell = first | take_bit(&used);
        *c->keys++ = segment | cell;
        *c->counts++ = c->cells[cell];
        c->cells[cell] = 0;
    }
}

/* The same for the 64 x 64 cells from `first` on. */
static inline void flush_blocks(counters *c, uint64_t segment, uint64_t first) {
    uint64_t used = take_marks(c->marks[1] + (first >> 6));
    while (used)
        flush_cells(c, segment, first | (uint64_t)take_bit(&used) << 6);
}

/* A segment of one tuple: its counter is known. */
static inline void flush_one(counters *c, uint64_t segment, uint64_t cell, const unsigned depth) {
    *c->keys++ = segment | cell;
    *c->counts++ = c->cells[cell];
    c->cells[cell] = 0;
    c->marks[0][cell] = 0;
    if (depth > 1)
        c->marks[1][cell >> 6] = 0;
    if (depth > 2)
        c->marks[2][cell >> 12] = 0;
}

static inline void flush(counters *c, uint64_t segment, uint64_t n_cells, const unsigned depth) {
    if (depth == 1) {
        for (uint64_t first = 0; first < n_cells; first += 64)
            flush_cells(c, segment, first);
    } else if (depth == 2) {
        flush_blocks(c, segment, 0);
    } else {
        uint64_t used = take_marks(c->marks[2]);
        while (used)
            flush_blocks(c, segment, (uint64_t)take_bit(&used) << 12);
    }
}

/* `depth` is the number of levels of marks that are set. Keys are mapped on the way. */
static inline void group(counters *c, const kan_word_map *map, const uint64_t *restrict keys,
                         const uint64_t *restrict counts, size_t n, unsigned loose_bits,
                         const unsigned n_moves, const unsigned n_lookups, const unsigned depth) {
    /* Stores of marks could change anything for all the compiler knows: locals cannot. */
    const kan_word_map local = *map;
    uint64_t *cells = c->cells; /* not restrict: the flushes below reach them through c */
    uint8_t *low = c->marks[0], *middle = c->marks[1], *top = c->marks[2];
    const uint64_t loose = (UINT64_C(1) << loose_bits) - 1;
    uint64_t key = kan_word_map_key(&local, keys[0], n_moves, n_lookups);
    for (size_t i = 0; i < n;) {
        const uint64_t segment = key & ~loose;
        size_t first = i;
        do {
            uint64_t cell = key & loose;
            cells[cell] += counts[i];
            low[cell] = 1;
            if (depth > 1)
                middle[cell >> 6] = 1;
            if (depth > 2)
                top[cell >> 12] = 1;
            if (++i == n)
                break;
            key = kan_word_map_key(&local, keys[i], n_moves, n_lookups);
        } while ((key & ~loose) == segment);
        if (i - first == 1)
            flush_one(c, segment, kan_word_map_key(&local, keys[first], n_moves, n_lookups) & loose,
                      depth);
        else
            flush(c, segment, loose + 1, depth);
    }
}

static inline void group_mapped(counters *c, const kan_word_map *map, const uint64_t *keys,
                                const uint64_t *counts, size_t n, unsigned loose_bits,
                                const unsigned n_moves, const unsigned n_lookups) {
    if (loose_bits <= 8)
        group(c, map, keys, counts, n, loose_bits, n_moves, n_lookups, 1);
    else if (loose_bits <= 12)
        group(c, map, keys, counts, n, loose_bits, n_moves, n_lookups, 2);
    else
        group(c, map, keys, counts, n, loose_bits, n_moves, n_lookups, 3);
}

kan_status kan_kernel_direct(kan_workspace *workspace, const kan_key_map *map, const uint64_t *keys,
                             const uint64_t *counts, size_t n, unsigned loose_bits,
                             uint64_t *out_keys, uint64_t *out_counts, size_t *n_out) {
    KAN_TRY(prepare(workspace));
    counters c = {workspace->cells,
                  {workspace->marks[0], workspace->marks[1], workspace->marks[2]},
                  out_keys,
                  out_counts};
    if (map->from_words == 1 && map->n_moves == 2 && map->n_lookups == 1) {
        const kan_word_map word_map = kan_word_map_of(map, 2, 1);
        group_mapped(&c, &word_map, keys, counts, n, loose_bits, 2, 1);
    } else {
        const kan_word_map as_it_is = {.move_mask = {~UINT64_C(0)}};
        KAN_TRY(kan_reserve(workspace->run, n, sizeof *workspace->keys, &workspace->key_room,
                            &workspace->keys));
        kan_key_map_apply(map, keys, n, workspace->keys);
        group_mapped(&c, &as_it_is, workspace->keys, counts, n, loose_bits, 1, 0);
    }
    *n_out = (size_t)(c.keys - out_keys);
    return KAN_OK;
}
