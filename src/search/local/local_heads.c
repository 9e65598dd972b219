/* Heads: see local_heads.h. Linear probing; what is removed leaves no gap behind. */
#include "search/local/local_heads.h"

#include <string.h>

#include "core/hash.h"

enum { FEW = 12 };

void kan_local_heads_destroy(kan_run *run, kan_local_heads *heads) {
    kan_free(run, heads->heads);
    kan_free(run, heads->slots);
    *heads = (kan_local_heads){.n = 0};
}

void kan_local_heads_clear(kan_local_heads *heads) {
    if (heads->n_slots > 0 && heads->n > heads->n_slots / 8)
        memset(heads->slots, 0, heads->n_slots * sizeof *heads->slots);
    else
        for (size_t i = 0; heads->n_slots > 0 && i < heads->n; i++)
            heads->slots[heads->heads[i].slot] = 0;
    heads->n = 0;
}

static size_t home_of(const kan_local_heads *heads, uint32_t id) {
    return (size_t)kan_hash_word(id + UINT64_C(1)) & (heads->n_slots - 1);
}

/* The slot of an id, or the free one where it belongs. */
static size_t find_slot(const kan_local_heads *heads, uint32_t id) {
    size_t at = home_of(heads, id);
    while (heads->slots[at] != 0 && heads->heads[heads->slots[at] - 1].id != id)
        at = (at + 1) & (heads->n_slots - 1);
    return at;
}

/* SIZE_MAX where it is not there. */
static size_t find(const kan_local_heads *heads, uint32_t id) {
    if (heads->n_slots > 0)
        return (size_t)heads->slots[find_slot(heads, id)] - 1;
    for (size_t i = 0; i < heads->n; i++)
        if (heads->heads[i].id == id)
            return i;
    return SIZE_MAX;
}

bool kan_local_heads_has(const kan_local_heads *heads, uint32_t id) {
    return find(heads, id) != SIZE_MAX;
}

static kan_status grow_slots(kan_run *run, kan_local_heads *heads) {
    const size_t n_slots = heads->n_slots ? 4 * heads->n_slots : (size_t)4 * (FEW + 4);
    kan_free(run, heads->slots);
    heads->slots = NULL;
    heads->n_slots = 0;
    KAN_TRY(kan_alloc_zero(run, n_slots, sizeof *heads->slots, &heads->slots));
    heads->n_slots = n_slots;
    for (size_t i = 0; i < heads->n; i++) {
        const size_t at = find_slot(heads, heads->heads[i].id);
        heads->slots[at] = (uint32_t)i + 1;
        heads->heads[i].slot = (uint32_t)at;
    }
    return KAN_OK;
}

kan_status kan_local_heads_add(kan_run *run, kan_local_heads *heads, uint32_t id, uint64_t n_rows,
                               bool *is_new) {
    const size_t known = find(heads, id);
    *is_new = known == SIZE_MAX;
    if (!*is_new) {
        heads->heads[known].n_rows += n_rows;
        return KAN_OK;
    }
    if (heads->n >= FEW && 2 * (heads->n + 1) > heads->n_slots)
        KAN_TRY(grow_slots(run, heads));
    KAN_TRY(kan_reserve(run, heads->n + 1, sizeof *heads->heads, &heads->room, &heads->heads));
    struct kan_local_head *head = &heads->heads[heads->n++];
    *head = (struct kan_local_head){.id = id, .n_rows = n_rows};
    if (heads->n_slots > 0) {
        head->slot = (uint32_t)find_slot(heads, id);
        heads->slots[head->slot] = (uint32_t)heads->n;
    }
    return KAN_OK;
}

/* Frees a slot; those behind it that it kept from their own places move up. */
static void free_slot(kan_local_heads *heads, size_t hole) {
    const size_t mask = heads->n_slots - 1;
    for (size_t at = (hole + 1) & mask; heads->slots[at] != 0; at = (at + 1) & mask) {
        struct kan_local_head *head = &heads->heads[heads->slots[at] - 1];
        if (((at - home_of(heads, head->id)) & mask) < ((at - hole) & mask))
            continue;
        heads->slots[hole] = heads->slots[at];
        head->slot = (uint32_t)hole;
        hole = at;
    }
    heads->slots[hole] = 0;
}

bool kan_local_heads_remove(kan_local_heads *heads, uint32_t id, uint64_t n_rows) {
    const size_t at = find(heads, id);
    KAN_ASSERT(at != SIZE_MAX && heads->heads[at].n_rows >= n_rows);
    heads->heads[at].n_rows -= n_rows;
    if (heads->heads[at].n_rows > 0)
        return false;
    if (heads->n_slots > 0)
        free_slot(heads, heads->heads[at].slot);
    heads->heads[at] = heads->heads[--heads->n];
    if (heads->n_slots > 0 && at < heads->n)
        heads->slots[heads->heads[at].slot] = (uint32_t)at + 1;
    return true;
}
