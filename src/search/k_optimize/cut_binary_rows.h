/* Where there are two class values: rows, and those of the second value, as the halves of one
 * number, so that both are added up at once. */
#ifndef KANON_SEARCH_K_OPTIMIZE_CUT_BINARY_ROWS_H
#define KANON_SEARCH_K_OPTIMIZE_CUT_BINARY_ROWS_H

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t kan_binary;

static inline kan_binary kan_binary_of(uint32_t rows, uint32_t second) {
    return (uint64_t)second << 32 | rows;
}

static inline uint32_t kan_binary_rows(kan_binary x) {
    return (uint32_t)x;
}

static inline uint32_t kan_binary_second(kan_binary x) {
    return (uint32_t)(x >> 32);
}

static inline uint32_t kan_binary_first(kan_binary x) {
    return kan_binary_rows(x) - kan_binary_second(x);
}

static inline uint32_t kan_binary_most(kan_binary x) {
    const uint32_t first = kan_binary_first(x), second = kan_binary_second(x);
    return first > second ? first : second;
}

static inline uint32_t kan_binary_least(kan_binary x) {
    const uint32_t first = kan_binary_first(x), second = kan_binary_second(x);
    return first < second ? first : second;
}

/* Whether a value with so many rows can be the majority of a released group: of k rows it has an
 * even share at least. */
static inline bool kan_binary_is_label(uint32_t rows, uint32_t k) {
    return rows > 0 && 2 * rows >= k;
}

/* Whether rows can be divided into released groups of different majorities. */
static inline bool kan_binary_is_mixed(kan_binary x, uint32_t k) {
    return kan_binary_rows(x) / 2 >= k && kan_binary_is_label(kan_binary_least(x), k);
}

/* Whether both of two parts can be released, and not all of their groups have the same majority for
 * certain. True for these, it is true for any that have them as parts. */
static inline bool kan_binary_is_good(kan_binary low, kan_binary high, uint32_t k) {
    if (kan_binary_rows(low) < k || kan_binary_rows(high) < k)
        return false;
    const bool first = kan_binary_is_label(kan_binary_first(low), k);
    const bool second = kan_binary_is_label(kan_binary_second(low), k);
    return (first && second) || first != kan_binary_is_label(kan_binary_first(high), k) ||
           second != kan_binary_is_label(kan_binary_second(high), k);
}

#endif
