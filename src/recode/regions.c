/* Regions: what a cell holds, and freeing them. */
#include "recode/regions.h"

#include "core/memory.h"

void kan_regions_destroy(kan_regions *regions) {
    if (!regions)
        return;
    kan_run *run = regions->run;
    for (unsigned a = 0; a < regions->n_attributes; a++) {
        kan_free(run, regions->cells[a].cells);
        kan_free(run, regions->cells[a].set);
        kan_free(run, regions->cells[a].unknown);
    }
    kan_free(run, regions->n_rows);
    kan_free(run, regions->cell_of);
    kan_free(run, regions->region_of);
    kan_free(run, regions->split_start);
    kan_free(run, regions->portions);
    kan_free(run, regions);
}

static bool set_holds(const uint32_t *set, uint32_t first, uint32_t end, uint32_t leaf) {
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        KAN_ASSERT(middle == first || set[middle - 1] < set[middle]);
        if (set[middle] == leaf)
            return true;
        if (set[middle] < leaf)
            first = middle + 1;
        else
            end = middle;
    }
    return false;
}

bool kan_cell_holds(const kan_cells *cells, uint32_t cell, const kan_hierarchy *hierarchy,
                    uint32_t leaf) {
    KAN_ASSERT(cell < cells->n);
    const kan_cell *c = &cells->cells[cell];
    switch (cells->type) {
    case KAN_CELL_RANGE:
        return (c->a <= leaf && leaf <= c->b) ||
               (leaf < 32 && kan_cell_unknown(cells, cell) >> leaf & 1);
    case KAN_CELL_SET:
        return set_holds(cells->set, c->a, c->b, leaf);
    case KAN_CELL_NODE:
        return hierarchy->levels[c->a].from_leaf[leaf] == c->b;
    }
    return false;
}
