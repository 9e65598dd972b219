/* The radix kernel: least significant digit first, keys and counts together, then equal neighbours
 * are merged.
 *
 * Only bits that fields use are sorted by, in digits of 8 bits for small sets and 11 for large
 * ones; a digit in which all keys agree costs its histogram alone. */
#include "group/freqsets/kernel.h"

#include <string.h>

#include "core/spill.h"

enum { SMALL = 1 << 14, MOST_DIGIT = 11, INSERTION = 24 };

typedef struct {
    uint64_t *keys, *counts;
} side;

static void insertion_sort(uint64_t *keys, uint64_t *counts, size_t n, unsigned words) {
    uint64_t key[KAN_MAX_WORDS];
    for (size_t i = 1; i < n; i++) {
        uint64_t count = counts[i];
        memcpy(key, keys + i * words, words * sizeof *key);
        size_t j = i;
        for (; j > 0 && kan_key_compare(keys + (j - 1) * words, key, words) > 0; j--) {
            memcpy(keys + j * words, keys + (j - 1) * words, words * sizeof *key);
            counts[j] = counts[j - 1];
        }
        memcpy(keys + j * words, key, words * sizeof *key);
        counts[j] = count;
    }
}

/* One pass: stable by `bits` bits at `shift` of the word. False when nothing had to move. */
static inline bool sort_pass(const side *from, const side *to, size_t n, const unsigned words,
                             const bool has_counts, unsigned word, unsigned shift, unsigned bits) {
    size_t start[1 << MOST_DIGIT];
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    memset(start, 0, (mask + 1) * sizeof *start);
    for (size_t i = 0; i < n; i++)
        start[from->keys[i * words + word] >> shift & mask]++;
    if (start[from->keys[word] >> shift & mask] == n)
        return false;
    size_t sum = 0;
    for (size_t d = 0; d <= mask; d++) {
        size_t size = start[d];
        start[d] = sum;
        sum += size;
    }
    for (size_t i = 0; i < n; i++) {
        const uint64_t *key = from->keys + i * words;
        size_t at = start[key[word] >> shift & mask]++;
        for (unsigned w = 0; w < words; w++)
            to->keys[at * words + w] = key[w];
        if (has_counts)
            to->counts[at] = from->counts[i];
    }
    return true;
}

static bool sort_pass_of(const side *from, const side *to, size_t n, unsigned words, unsigned word,
                         unsigned shift, unsigned bits) {
    if (words == 1 && !from->counts)
        return sort_pass(from, to, n, 1, false, 0, shift, bits);
    if (words == 1)
        return sort_pass(from, to, n, 1, true, 0, shift, bits);
    return sort_pass(from, to, n, words, from->counts != NULL, word, shift, bits);
}

static inline size_t merge_neighbours(uint64_t *keys, uint64_t *counts, size_t n,
                                      const unsigned words) {
    size_t out = 0;
    for (size_t i = 1; i < n; i++) {
        bool is_new = kan_key_compare(keys + out * words, keys + i * words, words) != 0;
        uint64_t sum = counts[i] + (is_new ? 0 : counts[out]);
        out += is_new;
        for (unsigned w = 0; w < words; w++)
            keys[out * words + w] = keys[i * words + w];
        counts[out] = sum;
    }
    return n ? out + 1 : 0;
}

/* Bits that fields use in each word. */
static void used_bits(const kan_layout *layout, unsigned *bits) {
    memset(bits, 0, KAN_MAX_WORDS * sizeof *bits);
    for (unsigned i = 0; i < layout->n_fields; i++)
        bits[layout->fields[i].word] += layout->fields[i].bits;
}

/* Sorts the tuples of sides[0] and leaves them there; sides[1] is scratch. Without counts only keys
 * move. */
static void sort_sides(const kan_layout *layout, side *sides, size_t n) {
    const unsigned words = layout->n_words;
    unsigned now = 0, bits[KAN_MAX_WORDS];
    used_bits(layout, bits);
    for (unsigned word = words; word-- > 0;) {
        if (bits[word] == 0)
            continue;
        unsigned most = n < SMALL ? 8 : MOST_DIGIT;
        unsigned n_digits = (bits[word] + most - 1) / most;
        unsigned digit = (bits[word] + n_digits - 1) / n_digits;
        for (unsigned shift = 0; shift < bits[word]; shift += digit) {
            unsigned size = bits[word] - shift < digit ? bits[word] - shift : digit;
            if (sort_pass_of(&sides[now], &sides[!now], n, words, word, shift, size))
                now = !now;
        }
    }
    if (now == 1) {
        memcpy(sides[0].keys, sides[1].keys, n * words * sizeof *sides[0].keys);
        if (sides[0].counts)
            memcpy(sides[0].counts, sides[1].counts, n * sizeof *sides[0].counts);
    }
}

kan_status kan_kernel_radix(kan_workspace *workspace, const kan_layout *layout, uint64_t *keys,
                            uint64_t *counts, size_t n, size_t *n_out) {
    const unsigned words = layout->n_words;
    if (n <= INSERTION) {
        insertion_sort(keys, counts, n, words);
        *n_out = merge_neighbours(keys, counts, n, words);
        return KAN_OK;
    }
    KAN_TRY(kan_spill_reserve(workspace->run, n * words, sizeof *keys, &workspace->other_key_room,
                              &workspace->other_keys));
    KAN_TRY(kan_spill_reserve(workspace->run, n, sizeof *counts, &workspace->other_count_room,
                              &workspace->other_counts));
    side sides[2] = {{keys, counts}, {workspace->other_keys, workspace->other_counts}};
    sort_sides(layout, sides, n);
    *n_out = words == 1 ? merge_neighbours(keys, counts, n, 1)
                        : merge_neighbours(keys, counts, n, words);
    return KAN_OK;
}

/* Sorted keys become distinct ones with the lengths of their runs. */
static inline size_t count_runs(uint64_t *keys, size_t n, uint64_t *counts, const unsigned words) {
    size_t out = 0;
    counts[0] = 1;
    for (size_t i = 1; i < n; i++) {
        bool is_new = kan_key_compare(keys + out * words, keys + i * words, words) != 0;
        uint64_t count = is_new ? 1 : counts[out] + 1;
        out += is_new;
        for (unsigned w = 0; w < words; w++)
            keys[out * words + w] = keys[i * words + w];
        counts[out] = count;
    }
    return out + 1;
}

kan_status kan_kernel_radix_rows(kan_workspace *workspace, const kan_layout *layout, uint64_t *keys,
                                 size_t n, uint64_t *counts, size_t *n_out) {
    const unsigned words = layout->n_words;
    KAN_TRY(kan_spill_reserve(workspace->run, n * words, sizeof *keys, &workspace->other_key_room,
                              &workspace->other_keys));
    side sides[2] = {{keys, NULL}, {workspace->other_keys, NULL}};
    sort_sides(layout, sides, n);
    *n_out = words == 1 ? count_runs(keys, n, counts, 1) : count_runs(keys, n, counts, words);
    return KAN_OK;
}
