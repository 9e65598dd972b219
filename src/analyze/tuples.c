/* Distinct tuples in one hash table with linear probing.
 *
 * A slot holds 24 bits of the hash, so that tuples are compared only when they most likely agree,
 * and the tuple's number. Equality is decided by the bytes alone: a collision costs time, never a
 * wrong count. Adding costs one look-up on average; memory is 32 bytes and twice the tuple for each
 * distinct tuple at worst. */
#include "analyze/tuples.h"

#include "core/hash.h"

#define INDEX_BITS 40
#define INDEX_MASK ((UINT64_C(1) << INDEX_BITS) - 1)

enum { FIRST_CAPACITY = 512 };

void kan_tuples_init(kan_tuples *tuples, kan_run *run, size_t size) {
    *tuples = (kan_tuples){.run = run, .size = size};
}

void kan_tuples_destroy(kan_tuples *tuples) {
    kan_free(tuples->run, tuples->bytes);
    kan_free(tuples->run, tuples->count);
    kan_free(tuples->run, tuples->first_row);
    kan_free(tuples->run, tuples->slots);
    kan_tuples_init(tuples, tuples->run, tuples->size);
}

/* The slot that holds the tuple, or the free one where it belongs. */
static uint64_t *find_slot(const kan_tuples *tuples, const void *tuple, uint64_t hash) {
    size_t mask = tuples->n_slots - 1;
    for (size_t at = (size_t)hash & mask;; at = (at + 1) & mask) {
        uint64_t *slot = &tuples->slots[at];
        if (*slot == 0)
            return slot;
        if (*slot >> INDEX_BITS == hash >> INDEX_BITS &&
            memcmp(kan_tuples_at(tuples, (size_t)(*slot & INDEX_MASK) - 1), tuple, tuples->size) ==
                0)
            return slot;
    }
}

static uint64_t slot_of(uint64_t hash, size_t index) {
    return (hash >> INDEX_BITS << INDEX_BITS) | (uint64_t)(index + 1);
}

static kan_status grow(kan_tuples *tuples) {
    kan_run *run = tuples->run;
    size_t capacity = tuples->capacity ? 2 * tuples->capacity : FIRST_CAPACITY;
    size_t n_slots = 2 * capacity;
    uint64_t *slots;
    if (capacity > INDEX_MASK / 2)
        return kan_fail(run, KAN_FAILED, "too many distinct rows to be counted");
    KAN_TRY(kan_resize(run, capacity, tuples->size, &tuples->bytes));
    KAN_TRY(kan_resize(run, capacity, sizeof *tuples->count, &tuples->count));
    KAN_TRY(kan_resize(run, capacity, sizeof *tuples->first_row, &tuples->first_row));
    KAN_TRY(kan_alloc_zero(run, n_slots, sizeof *slots, &slots));
    kan_free(run, tuples->slots);
    tuples->slots = slots;
    tuples->n_slots = n_slots;
    tuples->capacity = capacity;
    for (size_t i = 0; i < tuples->n; i++) {
        const void *tuple = kan_tuples_at(tuples, i);
        uint64_t hash = kan_hash_bytes(tuple, tuples->size);
        *find_slot(tuples, tuple, hash) = slot_of(hash, i);
    }
    return KAN_OK;
}

static kan_status add_hashed(kan_tuples *tuples, const void *tuple, uint64_t hash, uint64_t row,
                             size_t *index) {
    if (tuples->n == tuples->capacity)
        KAN_TRY(grow(tuples));
    uint64_t *slot = find_slot(tuples, tuple, hash);
    if (*slot == 0) {
        *slot = slot_of(hash, tuples->n);
        memcpy(tuples->bytes + tuples->n * tuples->size, tuple, tuples->size);
        tuples->count[tuples->n] = 0;
        tuples->first_row[tuples->n] = row;
        tuples->n++;
    }
    *index = (size_t)(*slot & INDEX_MASK) - 1;
    tuples->count[*index]++;
    return KAN_OK;
}

kan_status kan_tuples_add(kan_tuples *tuples, const void *tuple, uint64_t row, size_t *index) {
    return add_hashed(tuples, tuple, kan_hash_bytes(tuple, tuples->size), row, index);
}

/* Calls for what the block will most likely touch before it is needed: first the slots, then what
 * they lead to. Hints alone; nothing is decided here. */
static void call_for(const kan_tuples *tuples, const uint64_t *hashes, size_t n) {
    size_t mask = tuples->n_slots - 1;
    if (tuples->n_slots == 0)
        return;
    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(&tuples->slots[(size_t)hashes[i] & mask], 1);
    for (size_t i = 0; i < n; i++) {
        uint64_t slot = tuples->slots[(size_t)hashes[i] & mask];
        if (slot != 0) {
            __builtin_prefetch(kan_tuples_at(tuples, (size_t)(slot & INDEX_MASK) - 1));
            __builtin_prefetch(&tuples->count[(slot & INDEX_MASK) - 1], 1);
        }
    }
}

kan_status kan_tuples_add_block(kan_tuples *tuples, const char *block, size_t n, uint64_t row) {
    uint64_t hashes[KAN_TUPLES_BLOCK];
    size_t index;
    for (size_t i = 0; i < n; i++)
        hashes[i] = kan_hash_bytes(block + i * tuples->size, tuples->size);
    call_for(tuples, hashes, n);
    for (size_t i = 0; i < n; i++)
        KAN_TRY(add_hashed(tuples, block + i * tuples->size, hashes[i], row + i, &index));
    return KAN_OK;
}

bool kan_tuples_find(const kan_tuples *tuples, const void *tuple, size_t *index) {
    if (tuples->n == 0)
        return false;
    uint64_t slot = *find_slot(tuples, tuple, kan_hash_bytes(tuple, tuples->size));
    if (slot == 0)
        return false;
    *index = (size_t)(slot & INDEX_MASK) - 1;
    return true;
}
