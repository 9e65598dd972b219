/* See scatter.h. */
#include "group/freqsets/scatter.h"

enum { LEAST_SLOTS = 1 << 10 };

void kan_scatter_destroy(kan_scatter *scatter, kan_run *run) {
    kan_free(run, scatter->keys);
    kan_free(run, scatter->numbers);
    kan_free(run, scatter->slots);
    *scatter = (kan_scatter){.n_slots = 0};
}

kan_status kan_scatter_reserve(kan_scatter *scatter, kan_run *run, size_t n) {
    size_t n_slots = LEAST_SLOTS;
    unsigned bits = 10;
    while (n_slots / 2 < n) {
        n_slots *= 2;
        bits++;
    }
    KAN_ASSERT(n < UINT32_MAX / 2);
    if (n_slots > scatter->slot_room) {
        kan_scatter_destroy(scatter, run);
        KAN_TRY(kan_alloc_zero(run, n_slots, sizeof *scatter->keys, &scatter->keys));
        KAN_TRY(kan_alloc(run, n_slots, sizeof *scatter->numbers, &scatter->numbers));
        KAN_TRY(kan_alloc(run, n_slots / 2 + 1, sizeof *scatter->slots, &scatter->slots));
        scatter->slot_room = n_slots;
    }
    /* A small set takes a part of the room, which the cache holds. */
    scatter->n_slots = n_slots;
    scatter->shift = 64 - bits;
    return KAN_OK;
}

void kan_scatter_clear(kan_scatter *scatter, size_t n) {
    for (size_t i = 0; i < n; i++)
        scatter->keys[scatter->slots[i]] = 0;
}
