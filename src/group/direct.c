/* The direct kernel: a counter per possible key.
 *
 * Bit maps over the counters, each marking the non-zero words of the one below (64 x 64 x 64 = 2^18
 * cells), let the counters be read out in order by jumping from bit to bit, and put back to zero on
 * the way: neither clearing nor reading depends on the number of cells.
 *
 * Where the leading bits of the keys are in order already, tuples are counted segment by segment,
 * and only the loose bits below need counters; a segment of one tuple needs none. */
#include "group/kernel.h"

enum { CELLS = 1 << KAN_DIRECT_BITS };

static kan_status prepare(kan_workspace *workspace) {
    if (workspace->cells)
        return KAN_OK;
    kan_run *run = workspace->run;
    for (unsigned i = 0; i < 2; i++)
        if (!workspace->cell_maps[i])
            KAN_TRY(kan_alloc_zero(run, CELLS >> (6 * (i + 1)), sizeof(uint64_t),
                                   &workspace->cell_maps[i]));
    return kan_alloc_zero(run, CELLS, sizeof(uint64_t), &workspace->cells);
}

/* The lowest set bit of *word, taken out of it. */
static inline unsigned take_bit(uint64_t *word) {
    unsigned bit = (unsigned)__builtin_ctzll(*word);
    *word &= *word - 1;
    return bit;
}

typedef struct {
    uint64_t *restrict cells;
    uint64_t *restrict low, *restrict middle;
    uint64_t *restrict keys, *restrict counts; /* where the next group goes */
} counters;

/* Reads out, and clears, the 64 cells from `first` on that `marks` names. */
static inline void flush_cells(counters *c, uint64_t segment, uint64_t first, uint64_t marks) {
    while (marks) {
        uint64_t cell = first | take_bit(&marks);
        *c->keys++ = segment | cell;
        *c->counts++ = c->cells[cell];
        c->cells[cell] = 0;
    }
}

/* The same for the 64 words of the lowest map that `marks` names. */
static inline void flush_words(counters *c, uint64_t segment, uint64_t first, uint64_t marks) {
    while (marks) {
        uint64_t word = first | take_bit(&marks);
        uint64_t cells = c->low[word];
        c->low[word] = 0;
        flush_cells(c, segment, word << 6, cells);
    }
}

/* `depth` is the number of bit maps that the loose bits need; the topmost is a local word. */
static inline void group(counters *c, const uint64_t *restrict keys,
                         const uint64_t *restrict counts, size_t n, unsigned loose_bits,
                         const unsigned depth) {
    const uint64_t loose = (UINT64_C(1) << loose_bits) - 1;
    for (size_t i = 0; i < n;) {
        const uint64_t segment = keys[i] & ~loose;
        if (i + 1 == n || (keys[i + 1] & ~loose) != segment) {
            *c->keys++ = keys[i];
            *c->counts++ = counts[i++];
            continue;
        }
        uint64_t top = 0;
        do {
            uint64_t cell = keys[i] & loose;
            c->cells[cell] += counts[i];
            if (depth > 1)
                c->low[cell >> 6] |= UINT64_C(1) << (cell & 63);
            if (depth > 2)
                c->middle[cell >> 12] |= UINT64_C(1) << (cell >> 6 & 63);
            top |= UINT64_C(1) << (cell >> (6 * (depth - 1)));
            i++;
        } while (i < n && (keys[i] & ~loose) == segment);
        if (depth == 1)
            flush_cells(c, segment, 0, top);
        else if (depth == 2)
            flush_words(c, segment, 0, top);
        else
            while (top) {
                unsigned m = take_bit(&top);
                uint64_t words = c->middle[m];
                c->middle[m] = 0;
                flush_words(c, segment, (uint64_t)m << 6, words);
            }
    }
}

kan_status kan_kernel_direct(kan_workspace *workspace, const uint64_t *keys, const uint64_t *counts,
                             size_t n, unsigned loose_bits, uint64_t *out_keys,
                             uint64_t *out_counts, size_t *n_out) {
    KAN_TRY(prepare(workspace));
    counters c = {workspace->cells, workspace->cell_maps[0], workspace->cell_maps[1], out_keys,
                  out_counts};
    if (loose_bits <= 6)
        group(&c, keys, counts, n, loose_bits, 1);
    else if (loose_bits <= 12)
        group(&c, keys, counts, n, loose_bits, 2);
    else
        group(&c, keys, counts, n, loose_bits, 3);
    *n_out = (size_t)(c.keys - out_keys);
    return KAN_OK;
}
