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
#include "group/freqsets/kernel.h"

#include <string.h>

/* As many counters as the loose bits ask for: fresh memory costs more than what few tuples do to it.
 */
static kan_status prepare(kan_workspace *workspace, unsigned loose_bits) {
    enum { LEAST_BITS = 12 };
    const unsigned bits = loose_bits < LEAST_BITS ? LEAST_BITS : loose_bits;
    const size_t n_marks[3] = {(size_t)1 << bits, (size_t)1 << (bits - 6), 64};
    kan_run *run = workspace->run;
    if (bits <= workspace->cell_bits)
        return KAN_OK;
    workspace->cell_bits = 0;
    for (unsigned i = 0; i < 3; i++) {
        kan_free(run, workspace->marks[i]);
        workspace->marks[i] = NULL;
        KAN_TRY(kan_alloc_zero(run, n_marks[i], 1, &workspace->marks[i]));
    }
    kan_free(run, workspace->cells);
    workspace->cells = NULL;
    KAN_TRY(kan_alloc_zero(run, (size_t)1 << bits, sizeof(uint64_t), &workspace->cells));
    workspace->cell_bits = bits;
    return KAN_OK;
}

/* Handed on by value, so that the compiler sees that no store changes it. */
typedef struct {
    uint64_t *cells;
    uint8_t *marks[3];
    uint64_t *keys, *counts; /* of the groups */
} counters;

/* The 64 marks at `marks` as the bits of a word; they are cleared. */
static inline uint64_t take_marks(uint8_t *marks) {
    uint64_t bits = 0;
    for (size_t i = 0; i < 8; i++) {
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

/* Reads out, and clears, the 64 cells from `first` on. Like its callers it takes the number of
 * groups so far and returns the new one. */
static inline size_t flush_cells(const counters c, uint64_t segment, uint64_t first, size_t out) {
    uint64_t used = take_marks(c.marks[0] + first);
    while (used) {
        uint64_t cell = first | take_bit(&used);
        c.keys[out] = segment | cell;
        c.counts[out++] = c.cells[cell];
        c.cells[cell] = 0;
    }
    return out;
}

/* The same for the 64 x 64 cells from `first` on. */
static inline size_t flush_blocks(const counters c, uint64_t segment, uint64_t first, size_t out) {
    uint64_t used = take_marks(c.marks[1] + (first >> 6));
    while (used)
        out = flush_cells(c, segment, first | (uint64_t)take_bit(&used) << 6, out);
    return out;
}

/* A segment of one tuple: its counter is known. */
static inline size_t flush_one(const counters c, uint64_t segment, uint64_t cell, size_t out,
                               const unsigned depth) {
    c.keys[out] = segment | cell;
    c.counts[out] = c.cells[cell];
    c.cells[cell] = 0;
    c.marks[0][cell] = 0;
    if (depth > 1)
        c.marks[1][cell >> 6] = 0;
    if (depth > 2)
        c.marks[2][cell >> 12] = 0;
    return out + 1;
}

static inline size_t flush(const counters c, uint64_t segment, uint64_t n_cells, size_t out,
                           const unsigned depth) {
    if (depth == 1) {
        for (uint64_t first = 0; first < n_cells; first += 64)
            out = flush_cells(c, segment, first, out);
    } else if (depth == 2) {
        out = flush_blocks(c, segment, 0, out);
    } else {
        uint64_t used = take_marks(c.marks[2]);
        while (used)
            out = flush_blocks(c, segment, (uint64_t)take_bit(&used) << 12, out);
    }
    return out;
}

/* `depth` is the number of levels of marks that are set. Keys are mapped on the way. Returns the
 * number of groups. */
static inline size_t group(const counters c, const kan_word_map map, const uint64_t *keys,
                           const uint64_t *counts, size_t n, unsigned loose_bits,
                           const kan_map_shape shape, const unsigned depth) {
    const uint64_t loose = (UINT64_C(1) << loose_bits) - 1;
    uint64_t key = kan_word_map_key(&map, keys[0], shape);
    size_t out = 0;
    for (size_t i = 0; i < n;) {
        const uint64_t segment = key & ~loose;
        const uint64_t first_cell = key & loose;
        size_t first = i;
        do {
            uint64_t cell = key & loose;
            c.cells[cell] += counts[i];
            c.marks[0][cell] = 1;
            if (depth > 1)
                c.marks[1][cell >> 6] = 1;
            if (depth > 2)
                c.marks[2][cell >> 12] = 1;
            if (++i == n)
                break;
            key = kan_word_map_key(&map, keys[i], shape);
        } while ((key & ~loose) == segment);
        out = i - first == 1 ? flush_one(c, segment, first_cell, out, depth)
                             : flush(c, segment, loose + 1, out, depth);
    }
    return out;
}

static inline size_t group_mapped(const counters c, const kan_word_map map, const uint64_t *keys,
                                  const uint64_t *counts, size_t n, unsigned loose_bits,
                                  const kan_map_shape shape) {
    if (loose_bits <= 8)
        return group(c, map, keys, counts, n, loose_bits, shape, 1);
    if (loose_bits <= 12)
        return group(c, map, keys, counts, n, loose_bits, shape, 2);
    return group(c, map, keys, counts, n, loose_bits, shape, 3);
}

kan_status kan_kernel_direct(kan_workspace *workspace, const kan_key_map *map, const uint64_t *keys,
                             const uint64_t *counts, size_t n, unsigned loose_bits,
                             uint64_t *out_keys, uint64_t *out_counts, size_t *n_out) {
    KAN_ASSERT(n > 0 && loose_bits <= KAN_DIRECT_BITS);
    KAN_TRY(prepare(workspace, loose_bits));
    const counters c = {workspace->cells,
                        {workspace->marks[0], workspace->marks[1], workspace->marks[2]},
                        out_keys,
                        out_counts};
    if (map->shape == KAN_MAP_FIELD) {
        *n_out = group_mapped(c, kan_word_map_of(map), keys, counts, n, loose_bits, KAN_MAP_FIELD);
        return KAN_OK;
    }
    static const uint32_t nothing[1] = {0};
    const kan_word_map as_it_is = {.move_mask = {~UINT64_C(0)}, .table = nothing};
    *n_out = group_mapped(c, as_it_is, keys, counts, n, loose_bits, KAN_MAP_LAST);
    return KAN_OK;
}
