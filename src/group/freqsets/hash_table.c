/* The hash kernel's table: open addressing, linear probing, key and count inline.
 *
 * An empty slot has count 0: every tuple has at least one row. Tuples are added in batches; the
 * slots of a batch are fetched before the first is looked at, so that the misses of a large table
 * overlap. */
#include <string.h>

#include "group/freqsets/kernel.h"

struct kan_hash_table {
    kan_run *run;
    unsigned n_words;
    unsigned slot_words; /* the key, then the count */
    size_t n_used, n_slots;
    uint64_t *slots;
};

enum { LEAST_SLOTS = 1 << 10, BATCH = 32, ROOM_KEPT = 1 << 16, LARGE_SLOTS = 1 << 20 };

static kan_status make_slots(kan_hash_table *table, size_t n_slots) {
    uint64_t *slots;
    KAN_TRY(kan_alloc_zero(table->run, n_slots * table->slot_words, sizeof *slots, &slots));
    kan_free(table->run, table->slots);
    table->slots = slots;
    table->n_slots = n_slots;
    table->n_used = 0;
    return KAN_OK;
}

kan_status kan_hash_table_create(kan_run *run, unsigned n_words, kan_hash_table **out) {
    kan_hash_table *table;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *table, &table));
    table->run = run;
    table->n_words = n_words;
    table->slot_words = n_words + 1;
    kan_status status = make_slots(table, LEAST_SLOTS);
    if (status != KAN_OK) {
        kan_hash_table_destroy(table);
        return status;
    }
    *out = table;
    return KAN_OK;
}

void kan_hash_table_destroy(kan_hash_table *table) {
    if (!table)
        return;
    kan_free(table->run, table->slots);
    kan_free(table->run, table);
}

kan_status kan_hash_table_clear(kan_hash_table *table, unsigned n_words) {
    if (table->n_words == n_words && table->n_slots <= ROOM_KEPT) {
        memset(table->slots, 0, table->n_slots * table->slot_words * sizeof *table->slots);
        table->n_used = 0;
        return KAN_OK;
    }
    const unsigned n_before = table->n_words;
    table->n_words = n_words;
    table->slot_words = n_words + 1;
    kan_status status = make_slots(table, LEAST_SLOTS);
    if (status != KAN_OK) { /* the slots are still those of the former keys */
        table->n_words = n_before;
        table->slot_words = n_before + 1;
    }
    return status;
}

static inline uint64_t hash_key(const uint64_t *key, const unsigned words) {
    return words == 1 ? kan_hash_word(key[0]) : kan_hash_words(key, words);
}

static inline void put(kan_hash_table *table, const uint64_t *key, uint64_t hash, uint64_t count,
                       const unsigned words) {
    const size_t mask = table->n_slots - 1;
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
        uint64_t *slot = table->slots + at * (words + 1);
        if (slot[words] == 0) {
            for (unsigned w = 0; w < words; w++)
                slot[w] = key[w];
            slot[words] = count;
            table->n_used++;
            return;
        }
        bool is_same = true;
        for (unsigned w = 0; w < words; w++)
            is_same &= slot[w] == key[w];
        if (is_same) {
            slot[words] += count;
            return;
        }
    }
}

static inline void add_batch(kan_hash_table *table, const uint64_t *keys, const uint64_t *counts,
                             size_t n, const unsigned words) {
    uint64_t hashes[BATCH];
    const size_t mask = table->n_slots - 1;
    for (size_t i = 0; i < n; i++) {
        hashes[i] = hash_key(keys + i * words, words);
        __builtin_prefetch(table->slots + (hashes[i] & mask) * (words + 1), 1);
    }
    for (size_t i = 0; i < n; i++)
        put(table, keys + i * words, hashes[i], counts ? counts[i] : 1, words);
}

static kan_status grow(kan_hash_table *table) {
    const unsigned words = table->n_words;
    const size_t n_old = table->n_slots;
    uint64_t *old = table->slots;
    table->slots = NULL;
    /* Small tables grow fast, so that growing costs little beside filling. */
    kan_status status = make_slots(table, n_old * (n_old < LARGE_SLOTS ? 4 : 2));
    if (status != KAN_OK) {
        table->slots = old;
        return status;
    }
    for (size_t i = 0; i < n_old; i++) {
        const uint64_t *slot = old + i * table->slot_words;
        if (slot[words])
            put(table, slot, hash_key(slot, words), slot[words], words);
    }
    kan_free(table->run, old);
    return KAN_OK;
}

kan_status kan_hash_table_add(kan_hash_table *table, const uint64_t *keys, const uint64_t *counts,
                              size_t n) {
    const unsigned words = table->n_words;
    for (size_t first = 0; first < n; first += BATCH) {
        size_t size = n - first < BATCH ? n - first : BATCH;
        while ((table->n_used + size) * 2 > table->n_slots)
            KAN_TRY(grow(table));
        const uint64_t *batch = keys + first * words;
        const uint64_t *batch_counts = counts ? counts + first : NULL;
        if (words == 1)
            add_batch(table, batch, batch_counts, size, 1);
        else if (words == 2)
            add_batch(table, batch, batch_counts, size, 2);
        else
            add_batch(table, batch, batch_counts, size, words);
    }
    return KAN_OK;
}

size_t kan_hash_table_size(const kan_hash_table *table) {
    return table->n_used;
}

static inline bool has(const kan_hash_table *table, const uint64_t *key, const unsigned words) {
    const size_t mask = table->n_slots - 1;
    for (size_t at = hash_key(key, words) & mask;; at = (at + 1) & mask) {
        const uint64_t *slot = table->slots + at * (words + 1);
        if (slot[words] == 0)
            return false;
        bool is_same = true;
        for (unsigned w = 0; w < words; w++)
            is_same &= slot[w] == key[w];
        if (is_same)
            return true;
    }
}

void kan_hash_table_mark(const kan_hash_table *table, const uint64_t *keys, size_t n,
                         uint8_t *is_there) {
    const unsigned words = table->n_words;
    for (size_t i = 0; i < n; i++)
        is_there[i] = words == 1 ? has(table, keys + i, 1) : has(table, keys + i * words, words);
}

void kan_hash_table_list(const kan_hash_table *table, uint64_t *keys, uint64_t *counts) {
    const unsigned words = table->n_words;
    size_t out = 0;
    for (size_t i = 0; i < table->n_slots; i++) {
        const uint64_t *slot = table->slots + i * table->slot_words;
        if (slot[words]) {
            memcpy(keys + out * words, slot, words * sizeof *keys);
            counts[out++] = slot[words];
        }
    }
}
