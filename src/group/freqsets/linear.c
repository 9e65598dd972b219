/* The linear kernel: mapped keys that are still in order.
 *
 * One pass without a branch per tuple: the group in hand is stored after every tuple, and the place
 * moves on when the key changed. */
#include "group/freqsets/kernel.h"

#include <string.h>

static inline size_t merge_words(const kan_key_map *map, const uint64_t *restrict keys,
                                 const uint64_t *restrict counts, size_t n,
                                 uint64_t *restrict out_keys, uint64_t *restrict out_counts,
                                 const kan_map_shape shape) {
    const kan_word_map word_map = kan_word_map_of(map);
    uint64_t key = kan_word_map_key(&word_map, keys[0], shape), sum = counts[0];
    size_t out = 0;
    for (size_t i = 1; i < n; i++) {
        uint64_t next = kan_word_map_key(&word_map, keys[i], shape);
        bool is_new = next != key;
        out_keys[out] = key;
        out_counts[out] = sum;
        out += is_new;
        sum = counts[i] + (sum & ((uint64_t)is_new - 1));
        key = next;
    }
    out_keys[out] = key;
    out_counts[out] = sum;
    return out + 1;
}

/* Wide keys and rare shapes: a block is mapped, then its neighbours are compared. */
static size_t merge_wide(const kan_key_map *map, const uint64_t *keys, const uint64_t *counts,
                         size_t n, uint64_t *out_keys, uint64_t *out_counts) {
    enum { BLOCK = 32 };
    uint64_t mapped[BLOCK * KAN_MAX_WORDS];
    const unsigned words = map->to_words;
    size_t out = 0;
    for (size_t first = 0; first < n; first += BLOCK) {
        size_t size = n - first < BLOCK ? n - first : BLOCK;
        kan_key_map_apply(map, keys + first * map->from_words, size, mapped);
        for (size_t i = 0; i < size; i++) {
            const uint64_t *key = mapped + i * words;
            if (out > 0 && memcmp(out_keys + (out - 1) * words, key, words * sizeof *key) == 0) {
                out_counts[out - 1] += counts[first + i];
            } else {
                memcpy(out_keys + out * words, key, words * sizeof *key);
                out_counts[out++] = counts[first + i];
            }
        }
    }
    return out;
}

size_t kan_kernel_linear(const kan_key_map *map, const uint64_t *keys, const uint64_t *counts,
                         size_t n, uint64_t *out_keys, uint64_t *out_counts) {
    if (n == 0)
        return 0;
    KAN_ASSERT(map->keeps_order);
    switch (map->shape) {
    case KAN_MAP_LAST:
        return merge_words(map, keys, counts, n, out_keys, out_counts, KAN_MAP_LAST);
    case KAN_MAP_FIELD:
    case KAN_MAP_ROLLUP:
        return merge_words(map, keys, counts, n, out_keys, out_counts, KAN_MAP_ROLLUP);
    case KAN_MAP_OTHER:
        break;
    }
    return merge_wide(map, keys, counts, n, out_keys, out_counts);
}
