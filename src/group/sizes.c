/* Group sizes by counters: see sizes.h. */
#include "group/sizes.h"

#include <string.h>

enum { MOST_CELLS = 1 << 18, MOST_SLICES = 8, LEAST_SLICE_BITS = 4, MOST_SLICE_BITS = 11 };

/* Some neighbouring bits of the key and what each of their values adds to the number of the
 * counter. */
typedef struct {
    unsigned shift;
    uint64_t mask;
    const uint32_t *table;
} slice;

typedef struct {
    unsigned n_slices;
    slice slices[MOST_SLICES];
    uint64_t n_cells;
} cell_map;

/* An attribute that still tells tuples apart at the node. */
typedef struct {
    unsigned shift, bits;
    const uint32_t *group_of; /* NULL: the field itself */
    uint32_t n_values, n_groups, stride;
} digit;

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
    kan_free(run, sizes->tables);
    kan_freqset_destroy(run, &sizes->set);
}

/* The digits of a counter's number, least significant bits of the key first; false when there would
 * be too many counters. */
static bool find_digits(const kan_space *space, const kan_layout *layout, const unsigned *levels,
                        digit *digits, unsigned *n_digits, uint64_t *n_cells) {
    unsigned n = 0;
    uint64_t cells = 1;
    for (unsigned f = layout->n_fields; f-- > 0;) {
        const kan_field *field = &layout->fields[f];
        if (field->dimension >= space->n_attributes)
            continue;
        const kan_dimension *dimension = &space->dimensions[field->dimension];
        const unsigned level = levels[field->dimension];
        const uint32_t n_groups = kan_dimension_groups(dimension, level);
        if (n_groups == 1)
            continue;
        digits[n++] = (digit){
            .shift = field->shift,
            .bits = field->bits,
            .group_of = level == field->level
                            ? NULL
                            : dimension->maps[field->level * (dimension->height + 1) + level],
            .n_values = kan_dimension_groups(dimension, field->level),
            .n_groups = n_groups,
            .stride = (uint32_t)cells};
        cells *= n_groups;
        if (cells > MOST_CELLS)
            return false;
    }
    *n_digits = n;
    *n_cells = cells;
    return true;
}

/* Appends a digit to the table of a slice that has `bits` bits so far: each value of the digit is a
 * copy of what is there, plus its own share. */
static void extend_table(uint32_t *table, unsigned bits, const digit *added) {
    const size_t size = (size_t)1 << bits, n_values = (size_t)1 << added->bits;
    for (size_t value = n_values; value-- > 0;) {
        uint32_t group = value >= added->n_values ? 0
                         : added->group_of        ? added->group_of[value]
                                                  : (uint32_t)value;
        for (size_t i = 0; i < size; i++)
            table[value << bits | i] = table[i] + group * added->stride;
    }
}

/* How wide slices may be: their tables should cost less than the pass over the tuples. */
static unsigned slice_bits(size_t n) {
    unsigned bits = 0;
    while (n >> (bits + 4) > 0 && bits < MOST_SLICE_BITS)
        bits++;
    return bits < LEAST_SLICE_BITS ? LEAST_SLICE_BITS : bits;
}

/* Digits whose fields are neighbours, or have only little between them, share a slice. */
static kan_status make_slices(kan_sizes *sizes, const digit *digits, unsigned n_digits, size_t n,
                              cell_map *out, bool *fits) {
    const unsigned most_bits = slice_bits(n);
    unsigned widths[MOST_SLICES], firsts[MOST_SLICES + 1], n_slices = 0;
    size_t n_entries = 0;
    *fits = false;
    for (unsigned d = 0; d < n_digits; n_slices++) {
        if (n_slices == MOST_SLICES)
            return KAN_OK;
        const unsigned start = digits[d].shift;
        unsigned width = digits[d].bits;
        firsts[n_slices] = d++;
        while (d < n_digits && digits[d].shift + digits[d].bits - start <= most_bits) {
            width = digits[d].shift + digits[d].bits - start;
            d++;
        }
        widths[n_slices] = width;
        n_entries += (size_t)1 << width;
    }
    firsts[n_slices] = n_digits;
    KAN_TRY(kan_reserve(sizes->space->run, n_entries + 1, sizeof *sizes->tables, &sizes->table_room,
                        &sizes->tables));
    uint32_t *table = sizes->tables;
    for (unsigned s = 0; s < n_slices; s++) {
        const unsigned start = digits[firsts[s]].shift;
        unsigned bits = 0;
        table[0] = 0;
        for (unsigned d = firsts[s]; d < firsts[s + 1]; d++) {
            /* Bits between that belong to attributes at their top count for nothing. */
            const digit gap = {.bits = digits[d].shift - start - bits, .n_values = 0};
            if (gap.bits > 0)
                extend_table(table, bits, &gap);
            bits = digits[d].shift - start;
            extend_table(table, bits, &digits[d]);
            bits += digits[d].bits;
        }
        out->slices[s] = (slice){start, ((uint64_t)1 << widths[s]) - 1, table};
        table += (size_t)1 << widths[s];
    }
    out->n_slices = n_slices;
    *fits = true;
    return KAN_OK;
}

/* Adds every tuple to its counter, and notes each counter once. Called with a constant number of
 * slices. Returns the number of counters in use. */
static inline size_t count_cells(const cell_map *map, const kan_freqset *from,
                                 uint64_t *restrict cells, uint32_t *restrict touched,
                                 const unsigned n_slices) {
    const uint64_t *restrict keys = from->keys, *restrict counts = from->counts;
    slice slices[MOST_SLICES];
    size_t n_touched = 0;
    memcpy(slices, map->slices, sizeof slices);
    for (size_t i = 0; i < from->n; i++) {
        uint32_t cell = 0;
        for (unsigned s = 0; s < n_slices; s++)
            cell += slices[s].table[keys[i] >> slices[s].shift & slices[s].mask];
        touched[n_touched] = cell;
        n_touched += cells[cell] == 0;
        cells[cell] += counts[i];
    }
    return n_touched;
}

static size_t count_sliced(const cell_map *map, const kan_freqset *from, uint64_t *cells,
                           uint32_t *touched) {
    switch (map->n_slices) {
    case 0:
        return count_cells(map, from, cells, touched, 0);
    case 1:
        return count_cells(map, from, cells, touched, 1);
    case 2:
        return count_cells(map, from, cells, touched, 2);
    case 3:
        return count_cells(map, from, cells, touched, 3);
    case 4:
        return count_cells(map, from, cells, touched, 4);
    case 5:
        return count_cells(map, from, cells, touched, 5);
    case 6:
        return count_cells(map, from, cells, touched, 6);
    default:
        return count_cells(map, from, cells, touched, map->n_slices);
    }
}

static kan_status count_by_cells(kan_sizes *sizes, const cell_map *map, const kan_freqset *from) {
    kan_run *run = sizes->space->run;
    /* The list is written one past its end by a tuple that touches nothing new. */
    const size_t most = from->n < map->n_cells ? from->n : (size_t)map->n_cells;
    KAN_TRY(
        kan_reserve(run, most + 1, sizeof *sizes->touched, &sizes->touched_room, &sizes->touched));
    KAN_TRY(kan_reserve(run, most + 1, sizeof *sizes->sizes, &sizes->size_room, &sizes->sizes));
    if (!sizes->cells)
        KAN_TRY(kan_alloc_zero(run, MOST_CELLS, sizeof *sizes->cells, &sizes->cells));
    const size_t n = count_sliced(map, from, sizes->cells, sizes->touched);
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
    digit digits[KAN_MAX_FIELDS];
    unsigned n_digits;
    cell_map map;
    bool fits = from->layout.n_words == 1 &&
                find_digits(sizes->space, &from->layout, levels, digits, &n_digits, &map.n_cells);
    if (fits)
        KAN_TRY(make_slices(sizes, digits, n_digits, from->n, &map, &fits));
    return fits ? count_by_cells(sizes, &map, from) : count_by_set(sizes, from, levels, workspace);
}
