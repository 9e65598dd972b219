/* Scatter: small numbers for the large ones that tell groups apart, where a counter for every
 * possible group would be too many. A table of open addressing, at most half full. The numbers are
 * 0, 1, 2, ... in the order in which groups come. */
#ifndef KANON_GROUP_FREQSETS_SCATTER_H
#define KANON_GROUP_FREQSETS_SCATTER_H

#include "core/memory.h"
#include "core/run.h"

/* One per thread; the room is reused. */
typedef struct kan_scatter {
    uint64_t *keys; /* by slot: 1 + the large number; 0: free. All are free between calls */
    uint32_t *numbers;
    uint32_t *slots; /* by small number */
    size_t n_slots, slot_room;
    unsigned shift;
} kan_scatter;

void kan_scatter_destroy(kan_scatter *scatter, kan_run *run);
/* Makes room for n groups, below 2^31. */
KAN_MUST_USE kan_status kan_scatter_reserve(kan_scatter *scatter, kan_run *run, size_t n);
/* Frees the slots of the first n groups. */
void kan_scatter_clear(kan_scatter *scatter, size_t n);

/* The number of a group; *n counts those that have one. */
static inline uint32_t kan_scatter_number(const kan_scatter *scatter, uint64_t cell, uint32_t *n) {
    size_t slot = (size_t)(cell * UINT64_C(0x9e3779b97f4a7c15) >> scatter->shift);
    for (;; slot = (slot + 1) & (scatter->n_slots - 1)) {
        const uint64_t key = scatter->keys[slot];
        if (key == cell + 1)
            return scatter->numbers[slot];
        if (key == 0) {
            scatter->keys[slot] = cell + 1;
            scatter->numbers[slot] = *n;
            scatter->slots[*n] = (uint32_t)slot;
            return (*n)++;
        }
    }
}

#endif
