/* The nearest of many: as few as have so many rows together. A heap, the farthest first, so that
 * most are passed over by one comparison. Of two that are equally far the one with the lower number
 * is nearer. */
#ifndef KANON_SEARCH_NEIGHBOURS_H
#define KANON_SEARCH_NEIGHBOURS_H

#include "core/memory.h"

typedef struct kan_near {
    double distance;
    uint32_t id, at; /* which it is; where the caller has it */
    uint64_t n_rows; /* above 0 */
} kan_near;

typedef struct kan_neighbours {
    kan_run *run;
    uint64_t most; /* rows that are wanted */
    uint64_t n_rows;
    size_t n, room;
    kan_near *near;
} kan_neighbours;

static inline bool kan_near_is_nearer(const kan_near *a, const kan_near *b) {
    return a->distance != b->distance ? a->distance < b->distance : a->id < b->id;
}

void kan_neighbours_init(kan_neighbours *nearest, kan_run *run);
void kan_neighbours_destroy(kan_neighbours *nearest);
void kan_neighbours_begin(kan_neighbours *nearest, uint64_t most);
KAN_MUST_USE kan_status kan_neighbours_add(kan_neighbours *nearest, const kan_near *near);
static inline kan_status kan_neighbours_offer(kan_neighbours *nearest, const kan_near *near) {
    if (nearest->n_rows >= nearest->most && !kan_near_is_nearer(near, &nearest->near[0]))
        return KAN_OK;
    return kan_neighbours_add(nearest, near);
}
/* Sorts them, the nearest first. Together they have `most` rows, or all that were offered; without
 * the last one they have fewer. */
void kan_neighbours_end(kan_neighbours *nearest);

#endif
