#include "search/neighbours.h"

#include <stdlib.h>

void kan_neighbours_init(kan_neighbours *nearest, kan_run *run) {
    *nearest = (kan_neighbours){.run = run};
}

void kan_neighbours_destroy(kan_neighbours *nearest) {
    kan_free(nearest->run, nearest->near);
}

void kan_neighbours_begin(kan_neighbours *nearest, uint64_t most) {
    nearest->most = most;
    nearest->n_rows = 0;
    nearest->n = 0;
}

static void drop_farthest(kan_neighbours *nearest) {
    kan_near *near = nearest->near;
    nearest->n_rows -= near[0].n_rows;
    const kan_near moved = near[--nearest->n];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < nearest->n; i = child) {
        if (child + 1 < nearest->n && kan_near_is_nearer(&near[child], &near[child + 1]))
            child++;
        if (!kan_near_is_nearer(&moved, &near[child]))
            break;
        near[i] = near[child];
    }
    near[i] = moved;
}

kan_status kan_neighbours_add(kan_neighbours *nearest, const kan_near *near) {
    KAN_TRY(kan_reserve(nearest->run, nearest->n + 1, sizeof *nearest->near, &nearest->room,
                        &nearest->near));
    size_t i = nearest->n++;
    for (; i > 0 && kan_near_is_nearer(&nearest->near[(i - 1) / 2], near); i = (i - 1) / 2)
        nearest->near[i] = nearest->near[(i - 1) / 2];
    nearest->near[i] = *near;
    nearest->n_rows += near->n_rows;
    while (nearest->n_rows - nearest->near[0].n_rows >= nearest->most)
        drop_farthest(nearest);
    return KAN_OK;
}

static int compare(const void *a, const void *b) {
    return kan_near_is_nearer(a, b) ? -1 : kan_near_is_nearer(b, a);
}

void kan_neighbours_end(kan_neighbours *nearest) {
    qsort(nearest->near, nearest->n, sizeof *nearest->near, compare);
}
