/* Counting a set among threads: see divide.h. Each part has counters of its own, which are added up at
 * the end, by ranges of numbers. */
#include <string.h>

#include "core/pool.h"
#include "group/freqsets/divide.h"
#include "group/freqsets/kernel.h"

enum { LEAST_PARTS = 16, CELLS_PER_TASK = 1 << 12, FEW_SUMS = 1 << 15 };

typedef struct {
    const kan_freqset *from;
    const kan_bitslices *map;
    const kan_cell_sums *sums;
    uint64_t *cells;
    size_t n_parts;
} counting;

static inline void count_cells(const kan_bitslices *map, const kan_freqset *from, size_t first,
                               size_t end, uint64_t *restrict cells, const unsigned n_slices) {
    const uint64_t *restrict keys = from->keys, *restrict counts = from->counts;
    struct kan_bitslice slices[KAN_MOST_BITSLICES];
    memcpy(slices, map->slices, sizeof slices);
    for (size_t i = first; i < end; i++)
        cells[kan_bitslices_map(slices, keys[i], n_slices)] += counts[i];
}

static kan_status count_part(void *context, size_t p, unsigned worker) {
    const counting *c = context;
    const size_t first = kan_part_start(c->from->n, c->n_parts, p);
    const size_t end = kan_part_start(c->from->n, c->n_parts, p + 1);
    uint64_t *cells = c->cells + p * c->sums->n_cells;
    (void)worker;
    memset(cells, 0, c->sums->n_cells * sizeof *cells);
#define COUNT(number) count_cells(c->map, c->from, first, end, cells, number)
    KAN_BITSLICES_SWITCH(c->map->n, COUNT)
#undef COUNT
    return KAN_OK;
}

/* The first part's counters become the sums of all. */
static kan_status sum_cells(void *context, size_t task, unsigned worker) {
    const counting *c = context;
    const size_t n_cells = c->sums->n_cells, first = task * CELLS_PER_TASK;
    const size_t n = n_cells - first < CELLS_PER_TASK ? n_cells - first : CELLS_PER_TASK;
    uint64_t *restrict sums = c->cells + first;
    (void)worker;
    for (size_t p = 1; p < c->n_parts; p++) {
        const uint64_t *restrict cells = c->cells + p * n_cells + first;
        for (size_t i = 0; i < n; i++)
            sums[i] += cells[i];
    }
    if (c->sums->wide)
        memcpy(c->sums->wide + first, sums, n * sizeof *sums);
    for (size_t i = 0; c->sums->narrow && i < n; i++)
        c->sums->narrow[first + i] = (uint32_t)sums[i];
    return KAN_OK;
}

/* More parts where counters are few. */
static size_t choose_parts(const kan_workspace *workspace, const kan_freqset *from,
                           size_t n_cells) {
    const size_t most = kan_count_parts(workspace, from->n);
    size_t n = LEAST_PARTS;
    while (2 * n <= most && 2 * n * n_cells <= from->n)
        n *= 2;
    return n;
}

kan_status kan_count_divided(kan_workspace *workspace, const kan_freqset *from,
                             const kan_bitslices *map, const kan_cell_sums *sums, bool *fits) {
    kan_run *run = workspace->run;
    *fits = sums->n_cells <= from->n / 2 && kan_divides(workspace, from, 0);
    const size_t n_parts = *fits ? choose_parts(workspace, from, sums->n_cells) : 0;
    *fits = *fits && kan_divides(workspace, from, n_parts * sums->n_cells * sizeof(uint64_t));
    if (!*fits)
        return KAN_OK;
    KAN_TRY(kan_division_make(workspace));
    kan_division *d = workspace->division;
    KAN_TRY(kan_reserve(run, n_parts * sums->n_cells, sizeof *d->cells, &d->cell_room, &d->cells));
    counting c = {from, map, sums, d->cells, n_parts};
    KAN_TRY(kan_parallel(run, n_parts, count_part, &c));
    const size_t n_tasks = (sums->n_cells + CELLS_PER_TASK - 1) / CELLS_PER_TASK;
    if (n_parts * sums->n_cells > FEW_SUMS)
        return kan_parallel(run, n_tasks, sum_cells, &c);
    for (size_t i = 0; i < n_tasks; i++)
        KAN_TRY(sum_cells(&c, i, 0));
    return KAN_OK;
}
