/* Finding the bytes that matter in CSV, 64 at a time: each kind becomes one bit mask.
 *
 * Three ways to the same masks: SSE2 on x86-64, NEON on arm64 (both are part of the base
 * architecture, so nothing is decided at run time), and eight bytes at a time in plain C. The plain
 * way is compiled everywhere and tested against the other. */
#ifndef KANON_IO_CSV_CSV_SCAN_H
#define KANON_IO_CSV_CSV_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#define KAN_SCAN_FAST "SSE2"
#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN)
#include <arm_neon.h>
#define KAN_SCAN_FAST "NEON"
#endif

/* 64 bytes, in registers where there are such. */
typedef struct kan_chunk {
#if defined(__SSE2__)
    __m128i part[4];
#elif defined(KAN_SCAN_FAST)
    uint8x16_t part[4];
#else
    uint64_t part[8];
#endif
} kan_chunk;

/* ---- plain C -------------------------------------------------------------------------------- */

/* Bit i says whether byte i of the eight in the word, first in memory first, equals `byte`. */
static inline uint64_t kan_word_match(uint64_t word, unsigned char byte) {
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
    uint64_t differs = word ^ (0x0101010101010101u * byte);
    /* The top bit of each byte is set when the byte is zero, exactly: no carry leaves a byte. */
    uint64_t zero = ~(((differs & low) + low) | differs | low);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    zero = __builtin_bswap64(zero);
#endif
    /* Gathers the eight top bits: each partial product lands on a bit of its own. */
    return (zero >> 7) * 0x0102040810204080u >> 56;
}

static inline uint64_t kan_mask_portable(const char *bytes, char byte) {
    uint64_t mask = 0;
    for (size_t i = 0; i < 8; i++) {
        uint64_t word;
        memcpy(&word, bytes + 8 * i, 8);
        mask |= kan_word_match(word, (unsigned char)byte) << (8 * i);
    }
    return mask;
}

/* ---- vector registers ----------------------------------------------------------------------- */

#if defined(__SSE2__)

/* Written out: compilers keep short loops over these registers in memory. */
static inline kan_chunk kan_chunk_load(const char *bytes) {
    const __m128i *at = (const __m128i *)(const void *)bytes;
    return (kan_chunk){{_mm_loadu_si128(at), _mm_loadu_si128(at + 1), _mm_loadu_si128(at + 2),
                        _mm_loadu_si128(at + 3)}};
}

static inline uint64_t kan_part_match(__m128i part, __m128i wanted) {
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(part, wanted));
}

static inline uint64_t kan_chunk_match(const kan_chunk *chunk, char byte) {
    const __m128i wanted = _mm_set1_epi8(byte);
    return kan_part_match(chunk->part[0], wanted) | kan_part_match(chunk->part[1], wanted) << 16 |
           kan_part_match(chunk->part[2], wanted) << 32 |
           kan_part_match(chunk->part[3], wanted) << 48;
}

#elif defined(KAN_SCAN_FAST)

static inline kan_chunk kan_chunk_load(const char *bytes) {
    const uint8_t *at = (const uint8_t *)bytes;
    return (kan_chunk){{vld1q_u8(at), vld1q_u8(at + 16), vld1q_u8(at + 32), vld1q_u8(at + 48)}};
}

static inline uint64_t kan_chunk_match(const kan_chunk *chunk, char byte) {
    static const uint8_t weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t wanted = vdupq_n_u8((uint8_t)byte), weight = vld1q_u8(weights);
    /* Adding neighbours three times leaves one byte for each eight. */
    uint8x16_t low = vpaddq_u8(vandq_u8(vceqq_u8(chunk->part[0], wanted), weight),
                               vandq_u8(vceqq_u8(chunk->part[1], wanted), weight));
    uint8x16_t high = vpaddq_u8(vandq_u8(vceqq_u8(chunk->part[2], wanted), weight),
                                vandq_u8(vceqq_u8(chunk->part[3], wanted), weight));
    uint8x16_t sum = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sum, sum)), 0);
}

#else

static inline kan_chunk kan_chunk_load(const char *bytes) {
    kan_chunk chunk;
    memcpy(chunk.part, bytes, sizeof chunk.part);
    return chunk;
}

static inline uint64_t kan_chunk_match(const kan_chunk *chunk, char byte) {
    uint64_t mask = 0;
    for (unsigned i = 0; i < 8; i++)
        mask |= kan_word_match(chunk->part[i], (unsigned char)byte) << (8 * i);
    return mask;
}

#endif

/* Set bits, without the instruction that the base architecture of x86-64 lacks. */
static inline unsigned kan_count_bits(uint64_t bits) {
#if defined(__POPCNT__) || defined(__aarch64__)
    return (unsigned)__builtin_popcountll(bits);
#else
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (unsigned)(bits * 0x0101010101010101u >> 56);
#endif
}

/* Bit i says whether an odd number of the bits 0 .. i is set: inside quotes or not. */
static inline uint64_t kan_prefix_xor(uint64_t bits) {
    for (unsigned shift = 1; shift < 64; shift *= 2)
        bits ^= bits << shift;
    return bits;
}

#endif
