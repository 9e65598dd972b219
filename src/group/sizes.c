/* Group sizes by counters: see sizes.h. */
#include "group/sizes.h"

#include <string.h>

enum { MOST_CELLS = 1 << 18 };

void kan_sizes_init(kan_sizes *sizes, const kan_space *space) {
    *sizes = (kan_sizes){.space = space};
    kan_freqset_init(&sizes->set);
}

void kan_sizes_destroy(kan_sizes *sizes) {
    if (!sizes->space)
        return;
    kan_run *run = sizes->space->run;
    kan_free(run, sizes->cells);
    kan_free(run, sizes->touched);
    kan_free(run, sizes->sizes);
    kan_free(run, sizes->slices.tables);
    kan_freqset_destroy(run, &sizes->set);
}

/* The digits of a counter's number, least significant bits of the key first; false when there would
 * be too many counters. */
static bool find_digits(const kan_space *space, const kan_layout *layout, const unsigned *levels,
                        kan_digit *digits, unsigned *n_digits, uint64_t *n_cells) {
    unsigned n = 0;
    uint64_t cells = 1;
    for (unsigned f = layout->n_fields; f-- > 0;) {
        const kan_field *field = &layout->fields[f];
        if (field->dimension >= space->n_attributes)
            continue;
        const unsigned level = levels[field->dimension];
        const uint32_t n_groups = kan_dimension_groups(&space->dimensions[field->dimension], level);
        if (n_groups == 1)
            continue;
        digits[n++] = kan_digit_of(space, field, level, cells);
        cells *= n_groups;
        if (cells > MOST_CELLS)
            return false;
    }
    *n_digits = n;
    *n_cells = cells;
    return true;
}

/* Adds every tuple to its counter, and notes each counter once. Returns the number of counters in
 * use. */
static inline size_t count_cells(const kan_bitslices *map, const kan_freqset *from,
                                 uint64_t *restrict cells, uint32_t *restrict touched,
                                 const unsigned n_slices) {
    const uint64_t *restrict keys = from->keys, *restrict counts = from->counts;
    struct kan_bitslice slices[KAN_MOST_BITSLICES];
    size_t n_touched = 0;
    memcpy(slices, map->slices, sizeof slices);
    for (size_t i = 0; i < from->n; i++) {
        const uint64_t cell = kan_bitslices_map(slices, keys[i], n_slices);
        touched[n_touched] = (uint32_t)cell;
        n_touched += cells[cell] == 0;
        cells[cell] += counts[i];
    }
    return n_touched;
}

static kan_status count_by_cells(kan_sizes *sizes, const kan_freqset *from, uint64_t n_cells) {
    kan_run *run = sizes->space->run;
    /* The list is written one past its end by a tuple that touches nothing new. */
    const size_t most = (from->n < n_cells ? from->n : (size_t)n_cells) + 1;
    size_t n = 0;
    KAN_TRY(kan_reserve(run, most, sizeof *sizes->touched, &sizes->touched_room, &sizes->touched));
    KAN_TRY(kan_reserve(run, most, sizeof *sizes->sizes, &sizes->size_room, &sizes->sizes));
    if (!sizes->cells)
        KAN_TRY(kan_alloc_zero(run, MOST_CELLS, sizeof *sizes->cells, &sizes->cells));
#define COUNT(number) n = count_cells(&sizes->slices, from, sizes->cells, sizes->touched, number)
    KAN_BITSLICES_SWITCH(sizes->slices.n, COUNT)
#undef COUNT
    for (size_t i = 0; i < n; i++) {
        const uint32_t cell = sizes->touched[i];
        sizes->sizes[i] = sizes->cells[cell];
        sizes->cells[cell] = 0;
    }
    sizes->n = n;
    sizes->counts = sizes->sizes;
    return KAN_OK;
}

/* Only the attributes that tell tuples apart, in the order that they have. */
static kan_status count_by_set(kan_sizes *sizes, const kan_freqset *from, const unsigned *levels,
                               kan_workspace *workspace) {
    const kan_space *space = sizes->space;
    unsigned order[KAN_MAX_FIELDS], chosen[KAN_MAX_FIELDS], n = 0;
    kan_layout to;
    for (unsigned f = 0; f < from->layout.n_fields; f++) {
        const unsigned d = from->layout.fields[f].dimension;
        if (d >= space->n_attributes || kan_dimension_groups(&space->dimensions[d], levels[d]) == 1)
            continue;
        order[n] = d;
        chosen[n++] = levels[d];
    }
    kan_layout_make(space, order, chosen, n, &to);
    KAN_TRY(kan_freqset_regroup(space, from, &to, KAN_KERNEL_AUTO, workspace, &sizes->set));
    sizes->n = sizes->set.n;
    sizes->counts = sizes->set.counts;
    return KAN_OK;
}

kan_status kan_sizes_count(kan_sizes *sizes, const kan_freqset *from, const unsigned *levels,
                           kan_workspace *workspace) {
    kan_digit digits[KAN_MAX_FIELDS];
    unsigned n_digits;
    uint64_t n_cells = 0;
    bool fits = from->layout.n_words == 1 &&
                find_digits(sizes->space, &from->layout, levels, digits, &n_digits, &n_cells);
    if (fits)
        KAN_TRY(kan_bitslices_make(sizes->space->run, digits, n_digits, from->n, &sizes->slices,
                                   &fits));
    return fits ? count_by_cells(sizes, from, n_cells)
                : count_by_set(sizes, from, levels, workspace);
}
