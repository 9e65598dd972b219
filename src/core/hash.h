/* Hashes for our own tables: fast, well mixed, the same on every machine. Not for strangers' keys:
 * nothing here resists an attacker who chooses values to collide, so tables that hold user data
 * must stay correct, if slower, when everything collides. */
#ifndef KANON_CORE_HASH_H
#define KANON_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 kan_u128;

/* The two halves of the 128-bit product, folded. */
static inline uint64_t kan_mix(uint64_t a, uint64_t b) {
    kan_u128 product = (kan_u128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t kan_hash_word(uint64_t word) {
    return kan_mix(word ^ 0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u);
}

/* Several words, such as a wide key. */
static inline uint64_t kan_hash_words(const uint64_t *words, unsigned n) {
    uint64_t hash = 0x2545f4914f6cdd1du;
    for (unsigned i = 0; i < n; i++)
        hash = kan_mix(hash ^ words[i], 0x9e3779b97f4a7c15u + i);
    return hash;
}

static inline uint64_t kan_hash_bytes(const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    uint64_t hash = size * 0x9e3779b97f4a7c15u, word;
    for (; size >= 8; at += 8, size -= 8) {
        memcpy(&word, at, 8);
        hash = kan_mix(hash ^ word, 0xd6e8feb86659fd93u);
    }
    if (size) {
        word = 0;
        memcpy(&word, at, size);
        hash = kan_mix(hash ^ word, 0xa0761d6478bd642fu);
    }
    return kan_hash_word(hash);
}

/* splitmix64: the seeded random numbers of the whole program. */
static inline uint64_t kan_random(uint64_t *state) {
    uint64_t x = (*state += 0x9e3779b97f4a7c15u);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Uniform in 0 .. bound-1; bound > 0. */
static inline uint64_t kan_random_below(uint64_t *state, uint64_t bound) {
    return (uint64_t)(((kan_u128)kan_random(state) * bound) >> 64);
}

#endif
