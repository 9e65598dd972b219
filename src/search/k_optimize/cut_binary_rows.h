/* Where there are two class values: rows, and those of the second value, as the halves of one
 * number, so that both are added up at once. */
#ifndef KANON_SEARCH_K_OPTIMIZE_CUT_BINARY_ROWS_H
#define KANON_SEARCH_K_OPTIMIZE_CUT_BINARY_ROWS_H

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t kan_both;

static inline kan_both kan_both_of(uint32_t rows, uint32_t second) {
    return (uint64_t)second << 32 | rows;
}

static inline uint32_t kan_both_rows(kan_both x) {
    return (uint32_t)x;
}

static inline uint32_t kan_both_second(kan_both x) {
    return (uint32_t)(x >> 32);
}

static inline uint32_t kan_both_first(kan_both x) {
    return kan_both_rows(x) - kan_both_second(x);
}

static inline uint32_t kan_both_most(kan_both x) {
    const uint32_t first = kan_both_first(x), second = kan_both_second(x);
    return first > second ? first : second;
}

static inline uint32_t kan_both_least(kan_both x) {
    const uint32_t first = kan_both_first(x), second = kan_both_second(x);
    return first < second ? first : second;
}

/* Whether a value with so many rows can be the majority of a released group: of k rows it has an
 * even share at least. */
static inline bool kan_both_is_label(uint32_t rows, uint32_t k) {
    return rows > 0 && 2 * rows >= k;
}

/* Whether rows can be divided into released groups of different majorities. */
static inline bool kan_both_is_mixed(kan_both x, uint32_t k) {
    return kan_both_rows(x) / 2 >= k && kan_both_is_label(kan_both_least(x), k);
}

/* Whether both of two parts can be released, and not all of their groups have the same majority for
 * certain. True for these, it is true for any that have them as parts. */
static inline bool kan_both_is_good(kan_both low, kan_both high, uint32_t k) {
    if (kan_both_rows(low) < k || kan_both_rows(high) < k)
        return false;
    const bool first = kan_both_is_label(kan_both_first(low), k);
    const bool second = kan_both_is_label(kan_both_second(low), k);
    return (first && second) || first != kan_both_is_label(kan_both_first(high), k) ||
           second != kan_both_is_label(kan_both_second(high), k);
}

#endif
