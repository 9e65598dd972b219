/* Distinct tuples in one hash table with linear probing.
 *
 * A slot holds 24 bits of the hash, so that tuples are compared only when they most likely agree,
 * and the tuple's number. Equality is decided by the bytes alone: a collision costs time, never a
 * wrong count. Adding costs one look-up on average. Memory for each distinct tuple at worst: 64
 * bytes and twice the tuple, or where the budget is short 40 bytes and nine eighths of the tuple.
 */
#include "analyze/tuples/tuples_inside.h"

#include "core/hash.h"

#define INDEX_BITS 40
#define INDEX_MASK ((UINT64_C(1) << INDEX_BITS) - 1)

enum { FIRST_CAPACITY = 512, LARGE_CAPACITY = 1 << 16, FIRST_SLOTS = 1024 };

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

/* Arrays double; where memory is short, large ones grow by an eighth. */
static kan_status grow_arrays(kan_tuples *tuples) {
    kan_run *run = tuples->run;
    const size_t row_bytes = tuples->size + sizeof *tuples->count + sizeof *tuples->first_row;
    size_t capacity = tuples->capacity ? 2 * tuples->capacity : FIRST_CAPACITY;
    if (capacity > LARGE_CAPACITY && kan_run_memory_left(run) / 8 < capacity * row_bytes)
        capacity = tuples->capacity / 8 * 9;
    if (capacity > INDEX_MASK / 2)
        return kan_fail(run, KAN_FAILED, "too many distinct rows to be counted");
    KAN_TRY(kan_resize(run, capacity, tuples->size, &tuples->bytes));
    KAN_TRY(kan_resize(run, capacity, sizeof *tuples->count, &tuples->count));
    KAN_TRY(kan_resize(run, capacity, sizeof *tuples->first_row, &tuples->first_row));
    tuples->capacity = capacity;
    return KAN_OK;
}

/* Half full is quickest, three quarters full is good enough where memory is short. */
static kan_status grow_slots(kan_tuples *tuples) {
    size_t n_slots = tuples->n_slots ? 2 * tuples->n_slots : FIRST_SLOTS;
    uint64_t *slots;
    if (tuples->slots_last == tuples->n_slots / 2 &&
        kan_run_memory_left(tuples->run) / 8 < n_slots * sizeof *slots) {
        tuples->slots_last = tuples->n_slots / 4 * 3;
        if (tuples->slots_last > tuples->n)
            return KAN_OK;
    }
    KAN_ASSERT((n_slots & (n_slots - 1)) == 0); /* find_slot takes n_slots - 1 for a mask */
    KAN_TRY(kan_alloc_zero(tuples->run, n_slots, sizeof *slots, &slots));
    kan_free(tuples->run, tuples->slots);
    tuples->slots = slots;
    tuples->n_slots = n_slots;
    tuples->slots_last = n_slots / 2;
    for (size_t i = 0; i < tuples->n; i++) {
        const void *tuple = kan_tuples_at(tuples, i);
        uint64_t hash = kan_hash_bytes(tuple, tuples->size);
        *find_slot(tuples, tuple, hash) = slot_of(hash, i);
    }
    return KAN_OK;
}

kan_status kan_tuples_reserve(kan_tuples *tuples, size_t n) {
    kan_run *run = tuples->run;
    size_t n_slots = FIRST_SLOTS;
    KAN_ASSERT(tuples->capacity == 0);
    if (n > INDEX_MASK / 2)
        return kan_fail(run, KAN_FAILED, "too many distinct rows to be counted");
    while (n_slots / 2 < n)
        n_slots *= 2;
    KAN_TRY(kan_alloc(run, n, tuples->size, &tuples->bytes));
    KAN_TRY(kan_alloc(run, n, sizeof *tuples->count, &tuples->count));
    KAN_TRY(kan_alloc(run, n, sizeof *tuples->first_row, &tuples->first_row));
    KAN_TRY(kan_alloc_zero(run, n_slots, sizeof *tuples->slots, &tuples->slots));
    tuples->n = tuples->capacity = n;
    tuples->n_slots = n_slots;
    tuples->slots_last = n_slots / 2;
    return KAN_OK;
}

void kan_tuples_enter(kan_tuples *tuples, size_t index) {
    const uint64_t hash = kan_hash_bytes(kan_tuples_at(tuples, index), tuples->size);
    const size_t mask = tuples->n_slots - 1;
    uint64_t before = 0;
    for (size_t at = (size_t)hash & mask;
         !__atomic_compare_exchange_n(&tuples->slots[at], &before, slot_of(hash, index), false,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED);
         at = (at + 1) & mask)
        before = 0;
}

static inline kan_status add_hashed(kan_tuples *tuples, const void *tuple, uint64_t hash,
                                    uint64_t row, uint64_t n_rows, size_t *index) {
    if (tuples->n == tuples->capacity)
        KAN_TRY(grow_arrays(tuples));
    if (tuples->n == tuples->slots_last)
        KAN_TRY(grow_slots(tuples));
    KAN_ASSERT(tuples->n < tuples->n_slots); /* else the search for a slot would not end */
    uint64_t *slot = find_slot(tuples, tuple, hash);
    if (*slot == 0) {
        *slot = slot_of(hash, tuples->n);
        memcpy(tuples->bytes + tuples->n * tuples->size, tuple, tuples->size);
        tuples->count[tuples->n] = 0;
        tuples->first_row[tuples->n] = row;
        tuples->n++;
    }
    *index = (size_t)(*slot & INDEX_MASK) - 1;
    tuples->count[*index] += n_rows;
    return KAN_OK;
}

kan_status kan_tuples_add(kan_tuples *tuples, const void *tuple, uint64_t row, size_t *out) {
    return add_hashed(tuples, tuple, kan_hash_bytes(tuple, tuples->size), row, 1, out);
}

kan_status kan_tuples_add_rows(kan_tuples *tuples, const void *tuple, uint64_t row, uint64_t n_rows,
                               size_t *out) {
    return add_hashed(tuples, tuple, kan_hash_bytes(tuple, tuples->size), row, n_rows, out);
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

kan_status kan_tuples_number_block(kan_tuples *tuples, const char *block, size_t n, uint64_t row,
                                   const uint64_t *counts, size_t *numbers) {
    uint64_t hashes[KAN_TUPLES_BLOCK];
    KAN_ASSERT(n <= KAN_TUPLES_BLOCK);
    for (size_t i = 0; i < n; i++)
        hashes[i] = kan_hash_bytes(block + i * tuples->size, tuples->size);
    call_for(tuples, hashes, n);
    for (size_t i = 0; i < n; i++)
        KAN_TRY(add_hashed(tuples, block + i * tuples->size, hashes[i], row + i,
                           counts ? counts[row + i] : 1, &numbers[i]));
    return KAN_OK;
}

kan_status kan_tuples_add_block(kan_tuples *tuples, const char *block, size_t n, uint64_t row,
                                const uint64_t *counts) {
    size_t numbers[KAN_TUPLES_BLOCK];
    return kan_tuples_number_block(tuples, block, n, row, counts, numbers);
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
