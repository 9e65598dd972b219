/* Group sizes by counters: see sizes.h. */
#include "group/freqsets/sizes.h"

#include <string.h>

#include "group/freqsets/divide.h"
#include "group/freqsets/kernel.h"

enum { LEAST_CELLS = 1 << 12, MOST_CELLS = 1 << 18, MANY_TUPLES = 1 << 14, AHEAD = 128 };
/* Scattered groups: as many as a core's own cache holds. */
enum { MOST_SCATTERED = 1 << 16 };
#define MOST_NUMBERS (UINT64_C(1) << 56)

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
    kan_free(run, sizes->weights);
    kan_free(run, sizes->cell_of);
    kan_free(run, sizes->small);
    kan_free(run, sizes->rungs);
    kan_free(run, sizes->next_rungs);
    kan_scatter_destroy(&sizes->scatter, run);
    kan_numbers_destroy(&sizes->numbers, run);
    kan_freqset_destroy(run, &sizes->set);
}

/* A large set may have more counters: clearing them still costs less than the tuples. */
static bool find_digits(const kan_space *space, const kan_freqset *from, const unsigned *levels,
                        unsigned first, kan_digit *digits, unsigned *n_digits, size_t *n_cells) {
    const uint64_t most_cells = from->n / 2 > MOST_CELLS ? from->n / 2 : MOST_CELLS;
    return kan_digits_find(space, &from->layout, levels, first, most_cells, digits, n_digits,
                           n_cells);
}

/* Adds every tuple to its counter, and notes each counter once. Returns the number of counters in
 * use. */
static inline size_t count_listed(const kan_bitslices *map, const kan_freqset *from,
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

/* Neighbours are often of one group, and would wait for each other's sum: the two halves of the set
 * take turns, each with counters of its own. */
static inline void count_halves(const kan_bitslices *map, const kan_freqset *from,
                                uint64_t *restrict first, uint64_t *restrict second,
                                const unsigned n_slices) {
    const size_t half = from->n / 2;
    const uint64_t *restrict keys = from->keys, *restrict counts = from->counts;
    struct kan_bitslice slices[KAN_MOST_BITSLICES];
    memcpy(slices, map->slices, sizeof slices);
    for (size_t i = 0; i < half; i++) {
        first[kan_bitslices_map(slices, keys[i], n_slices)] += counts[i];
        second[kan_bitslices_map(slices, keys[half + i], n_slices)] += counts[half + i];
    }
    if (from->n & 1)
        second[kan_bitslices_map(slices, keys[from->n - 1], n_slices)] += counts[from->n - 1];
}

/* Lists the counters that were touched. */
static kan_status count_sparse(kan_sizes *sizes, const kan_freqset *from) {
    size_t n = 0;
    /* The list is written one past its end by a tuple that touches nothing new. */
    KAN_TRY(kan_reserve(sizes->space->run, from->n + 1, sizeof *sizes->touched,
                        &sizes->touched_room, &sizes->touched));
#define COUNT(number) n = count_listed(&sizes->slices, from, sizes->cells, sizes->touched, number)
    KAN_BITSLICES_SWITCH(sizes->slices.n, COUNT)
#undef COUNT
    for (size_t i = 0; i < n; i++) {
        const uint32_t cell = sizes->touched[i];
        sizes->sizes[i] = sizes->cells[cell];
        sizes->cells[cell] = 0;
    }
    sizes->n = n;
    return KAN_OK;
}

static kan_status reserve_cells(kan_sizes *sizes, size_t n) {
    kan_run *run = sizes->space->run;
    size_t room = LEAST_CELLS;
    if (n <= sizes->n_cells)
        return KAN_OK;
    while (room < n)
        room *= 2;
    kan_free(run, sizes->cells);
    sizes->cells = NULL;
    sizes->n_cells = 0;
    KAN_TRY(kan_alloc_zero(run, room, sizeof *sizes->cells, &sizes->cells));
    memset(sizes->cells, 0, n * sizeof *sizes->cells); /* as in reserve_weights */
    sizes->n_cells = room;
    return KAN_OK;
}

/* Few counters: all of them are read. */
static kan_status add_up(kan_sizes *sizes, const kan_freqset *from, size_t n_cells,
                         kan_workspace *workspace, uint64_t *restrict sums) {
    const kan_cell_sums all = {.n_cells = n_cells, .wide = sums};
    bool is_divided;
    KAN_TRY(kan_count_divided(workspace, from, &sizes->slices, &all, &is_divided));
    if (is_divided)
        return KAN_OK;
    KAN_TRY(reserve_cells(sizes, 2 * n_cells));
    uint64_t *restrict cells = sizes->cells;
#define COUNT(number) count_halves(&sizes->slices, from, cells, cells + n_cells, number)
    KAN_BITSLICES_SWITCH(sizes->slices.n, COUNT)
#undef COUNT
    for (size_t cell = 0; cell < n_cells; cell++)
        sums[cell] = cells[cell] + cells[n_cells + cell];
    memset(cells, 0, 2 * n_cells * sizeof *cells);
    return KAN_OK;
}

/* Leaves out the counters that nothing was added to. `sums` may be where the sizes go. */
static void list_sizes(kan_sizes *sizes, const uint64_t *sums, size_t n_cells) {
    uint64_t *out = sizes->sizes;
    size_t n = 0;
    for (size_t cell = 0; cell < n_cells; cell++) {
        const uint64_t sum = sums[cell];
        out[n] = sum;
        n += sum > 0;
    }
    sizes->n = n;
    sizes->counts = out;
}

static bool is_dense(const kan_freqset *from, size_t n_cells) {
    return n_cells <= from->n / 2;
}

static kan_status count_by_cells(kan_sizes *sizes, const kan_freqset *from, size_t n_cells,
                                 kan_workspace *workspace) {
    const size_t most = is_dense(from, n_cells) ? n_cells : from->n;
    KAN_TRY(kan_reserve(sizes->space->run, most + 1, sizeof *sizes->sizes, &sizes->size_room,
                        &sizes->sizes));
    if (!is_dense(from, n_cells)) {
        KAN_TRY(reserve_cells(sizes, n_cells));
        sizes->counts = sizes->sizes;
        return count_sparse(sizes, from);
    }
    KAN_TRY(add_up(sizes, from, n_cells, workspace, sizes->sizes));
    list_sizes(sizes, sizes->sizes, n_cells);
    return KAN_OK;
}

static inline size_t count_numbered(const kan_bitslices *map, const kan_freqset *from,
                                    const kan_scatter *table, uint64_t *restrict sizes,
                                    const unsigned n_slices) {
    const uint64_t *restrict keys = from->keys, *restrict counts = from->counts;
    const kan_scatter scatter = *table;
    struct kan_bitslice slices[KAN_MOST_BITSLICES];
    uint32_t n = 0;
    memcpy(slices, map->slices, sizeof slices);
    for (size_t i = 0; i < from->n; i++) {
        const uint32_t before = n;
        const uint32_t number =
            kan_scatter_number(&scatter, kan_bitslices_map(slices, keys[i], n_slices), &n);
        sizes[number] = (number == before ? 0 : sizes[number]) + counts[i];
    }
    return n;
}

/* Too many possible groups for a counter each, in not too many tuples. */
static kan_status count_scattered(kan_sizes *sizes, const kan_freqset *from) {
    kan_run *run = sizes->space->run;
    KAN_TRY(kan_scatter_reserve(&sizes->scatter, run, from->n));
    KAN_TRY(kan_reserve(run, from->n + 1, sizeof *sizes->sizes, &sizes->size_room, &sizes->sizes));
#define COUNT(number)                                                                              \
    sizes->n = count_numbered(&sizes->slices, from, &sizes->scatter, sizes->sizes, number)
    KAN_BITSLICES_SWITCH(sizes->slices.n, COUNT)
#undef COUNT
    kan_scatter_clear(&sizes->scatter, sizes->n);
    sizes->counts = sizes->sizes;
    return KAN_OK;
}

/* Many tuples in any number of groups: a hash table needs no sorting afterwards. */
static kan_status count_by_hash(kan_sizes *sizes, const kan_freqset *from, const kan_layout *to,
                                kan_workspace *workspace) {
    enum { BLOCK = 512 };
    uint64_t mapped[BLOCK * KAN_MAX_WORDS];
    kan_key_map map;
    kan_key_map_make(sizes->space, &from->layout, to, &map);
    if (workspace->table)
        KAN_TRY(kan_hash_table_clear(workspace->table, map.to_words));
    else
        KAN_TRY(kan_hash_table_create(workspace->run, map.to_words, &workspace->table));
    for (size_t first = 0; first < from->n; first += BLOCK) {
        const size_t size = from->n - first < BLOCK ? from->n - first : BLOCK;
        kan_key_map_apply(&map, from->keys + first * map.from_words, size, mapped);
        KAN_TRY(kan_hash_table_add(workspace->table, mapped, from->counts + first, size));
    }
    sizes->set.layout = *to;
    sizes->set.n = sizes->n = kan_hash_table_size(workspace->table);
    KAN_TRY(kan_freqset_reserve(sizes->space->run, &sizes->set, sizes->n));
    kan_hash_table_list(workspace->table, sizes->set.keys, sizes->set.counts);
    sizes->counts = sizes->set.counts;
    return KAN_OK;
}

/* Whether making the set is divided among threads. */
static bool divides(const kan_sizes *sizes, const kan_freqset *from,
                    const kan_workspace *workspace) {
    kan_layout to;
    kan_layout_make(sizes->space, NULL, NULL, 0, &to);
    return kan_divides(workspace, from, kan_regroup_bytes(from, &to));
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
    /* The table grows to several times the set's size; sorting takes less, and longer. */
    if (from->n >= MANY_TUPLES && !divides(sizes, from, workspace) &&
        kan_run_memory_left(space->run) / 16 >
            (uint64_t)from->n * (to.n_words + 1) * sizeof(uint64_t))
        return count_by_hash(sizes, from, &to, workspace);
    KAN_TRY(kan_freqset_regroup(space, from, &to, KAN_KERNEL_AUTO, workspace, &sizes->set));
    sizes->n = sizes->set.n;
    sizes->counts = sizes->set.counts;
    return KAN_OK;
}

/* A slot, its number and its place in a list, twice as many as there are tuples. */
static bool can_scatter(const kan_sizes *sizes, const kan_freqset *from) {
    return from->n <= MOST_SCATTERED && (from->n <= sizes->scatter.slot_room / 2 ||
                                         kan_run_memory_left(sizes->space->run) / 128 > from->n);
}

/* Keys of several words, or too many possible groups. */
static kan_status count_by_number(kan_sizes *sizes, const kan_freqset *from, const unsigned *levels,
                                  bool *fits) {
    kan_run *run = sizes->space->run;
    size_t n;
    *fits = kan_numbers_have_room(&sizes->numbers, run, from);
    if (!*fits)
        return KAN_OK;
    KAN_TRY(kan_reserve(run, from->n + 1, sizeof *sizes->cell_of, &sizes->cell_of_room,
                        &sizes->cell_of));
    KAN_TRY(
        kan_numbers_make(&sizes->numbers, sizes->space, from, levels, sizes->cell_of, &n, fits));
    if (!*fits)
        return KAN_OK;
    KAN_TRY(kan_reserve(run, n + 1, sizeof *sizes->sizes, &sizes->size_room, &sizes->sizes));
    memset(sizes->sizes, 0, n * sizeof *sizes->sizes);
    for (size_t i = 0; i < from->n; i++)
        sizes->sizes[sizes->cell_of[i]] += from->counts[i];
    sizes->n = n;
    sizes->counts = sizes->sizes;
    return KAN_OK;
}

kan_status kan_sizes_count(kan_sizes *sizes, const kan_freqset *from, const unsigned *levels,
                           kan_workspace *workspace) {
    kan_run *run = sizes->space->run;
    kan_digit digits[KAN_MAX_FIELDS];
    unsigned n_digits;
    size_t n_cells;
    bool fits = find_digits(sizes->space, from, levels, KAN_NO_DIGIT, digits, &n_digits, &n_cells);
    const bool has_cells = fits;
    sizes->numbered = NULL;
    sizes->edition++;
    sizes->n_others = 0;
    if (!fits && can_scatter(sizes, from))
        fits = kan_digits_find(sizes->space, &from->layout, levels, KAN_NO_DIGIT, MOST_NUMBERS,
                               digits, &n_digits, &n_cells);
    if (fits)
        KAN_TRY(kan_bitslices_make(run, digits, n_digits, from->n, &sizes->slices, &fits));
    if (fits && has_cells && !is_dense(from, n_cells) && divides(sizes, from, workspace))
        return count_by_set(sizes, from, levels, workspace); /* it is made by all threads */
    if (!fits) {
        KAN_TRY(count_by_number(sizes, from, levels, &fits));
        return fits ? KAN_OK : count_by_set(sizes, from, levels, workspace);
    }
    return has_cells ? count_by_cells(sizes, from, n_cells, workspace)
                     : count_scattered(sizes, from);
}

/* ---- small or not --------------------------------------------------------------------------- */

/* Every tuple's counter gets its rows, but no more than `least`. Counters are far apart: those of a
 * few tuples are fetched before the first is needed. */
static inline void weigh(const kan_bitslices *map, const kan_freqset *from, uint64_t least,
                         uint8_t *restrict weights, uint32_t *restrict cell_of,
                         const unsigned n_slices) {
    const uint64_t *restrict keys = from->keys, *restrict counts = from->counts;
    struct kan_bitslice slices[KAN_MOST_BITSLICES];
    memcpy(slices, map->slices, sizeof slices);
    for (size_t first = 0, end; first < from->n; first = end) {
        end = from->n - first < AHEAD ? from->n : first + AHEAD;
        for (size_t i = first; i < end; i++) {
            cell_of[i] = (uint32_t)kan_bitslices_map(slices, keys[i], n_slices);
            __builtin_prefetch(weights + cell_of[i], 1);
        }
        for (size_t i = first; i < end; i++) {
            const uint64_t sum = weights[cell_of[i]] + (counts[i] < least ? counts[i] : least);
            weights[cell_of[i]] = (uint8_t)(sum < least ? sum : least);
        }
    }
}

/* A counter below `least` has all rows of its group. The first tuple of a group takes them; for the
 * others nothing is left. */
static void take_weights(kan_sizes *sizes, size_t n, uint64_t least) {
    uint8_t *restrict weights = sizes->weights;
    const uint32_t *restrict cell_of = sizes->cell_of;
    uint64_t rows = 0;
    size_t n_small = 0, n_large = 0;
    for (size_t i = 0; i < n; i++) {
        __builtin_prefetch(weights + cell_of[i + AHEAD < n ? i + AHEAD : i], 1);
        const uint64_t weight = weights[cell_of[i]];
        weights[cell_of[i]] = 0;
        const bool is_large = weight == least;
        rows += is_large ? 0 : weight;
        n_large += is_large;
        n_small += weight > 0 && !is_large;
    }
    sizes->n_small_rows = rows;
    sizes->n_small = n_small;
    sizes->n_large = n_large;
}

static kan_status reserve_weights(kan_sizes *sizes, size_t n_cells, size_t n_tuples) {
    kan_run *run = sizes->space->run;
    size_t room = LEAST_CELLS;
    KAN_TRY(
        kan_reserve(run, n_tuples, sizeof *sizes->cell_of, &sizes->cell_of_room, &sizes->cell_of));
    if (n_cells <= sizes->weight_room)
        return KAN_OK;
    while (room < n_cells)
        room *= 2;
    kan_free(run, sizes->weights);
    sizes->weights = NULL;
    sizes->weight_room = 0;
    KAN_TRY(kan_alloc(run, room, sizeof *sizes->weights, &sizes->weights));
    memset(sizes->weights, 0,
           room); /* written at once: fresh pages that are read first cost twice */
    sizes->weight_room = room;
    return KAN_OK;
}

static bool is_numbered(const kan_sizes *sizes, const kan_freqset *from, const unsigned *levels) {
    return sizes->numbered == from && sizes->numbered_edition == from->edition &&
           memcmp(sizes->numbered_levels, levels, sizes->space->n_attributes * sizeof *levels) == 0;
}

static kan_status number_tuples(kan_sizes *sizes, const kan_freqset *from, const unsigned *levels,
                                bool *fits) {
    size_t n;
    *fits = is_numbered(sizes, from, levels);
    if (*fits)
        return KAN_OK;
    sizes->numbered = NULL;
    if (!kan_numbers_have_room(&sizes->numbers, sizes->space->run, from))
        return KAN_OK;
    KAN_TRY(reserve_weights(sizes, from->n, from->n));
    KAN_TRY(
        kan_numbers_make(&sizes->numbers, sizes->space, from, levels, sizes->cell_of, &n, fits));
    if (!*fits)
        return KAN_OK;
    sizes->numbered = from;
    sizes->numbered_edition = from->edition;
    memcpy(sizes->numbered_levels, levels, sizes->space->n_attributes * sizeof *levels);
    return KAN_OK;
}

/* As many counters as groups, where one for each possible group would be too many. */
static kan_status weigh_numbered(kan_sizes *sizes, const kan_freqset *from, const unsigned *levels,
                                 uint64_t least, bool *fits) {
    KAN_TRY(number_tuples(sizes, from, levels, fits));
    uint8_t *weights = sizes->weights;
    for (size_t i = 0; *fits && i < from->n; i++) {
        const uint64_t rows = from->counts[i],
                       sum = weights[sizes->cell_of[i]] + (rows < least ? rows : least);
        weights[sizes->cell_of[i]] = (uint8_t)(sum < least ? sum : least);
    }
    return KAN_OK;
}

/* Finds the counters of all tuples, and weighs them; not where these are no more than `few` and as quickly
 * counted otherwise. */
static kan_status weigh_tuples(kan_sizes *sizes, const kan_freqset *from, const unsigned *levels,
                               uint64_t least, size_t few, bool *fits) {
    enum { MOST_WEIGHTS = 1 << 22 };
    kan_run *run = sizes->space->run;
    const uint64_t most =
        8 * (uint64_t)from->n > MOST_WEIGHTS ? 8 * (uint64_t)from->n : MOST_WEIGHTS;
    kan_digit digits[KAN_MAX_FIELDS];
    unsigned n_digits;
    size_t n_cells;
    *fits = least <= UINT8_MAX && most <= UINT32_MAX && kan_run_memory_left(run) / 8 > most;
    if (!*fits)
        return KAN_OK;
    if (!kan_digits_find(sizes->space, &from->layout, levels, KAN_NO_DIGIT, most, digits, &n_digits,
                         &n_cells))
        return weigh_numbered(sizes, from, levels, least, fits);
    *fits = n_cells > few && !(few > 0 && is_dense(from, n_cells));
    if (*fits)
        KAN_TRY(kan_bitslices_make(run, digits, n_digits, from->n, &sizes->slices, fits));
    if (!*fits)
        return KAN_OK;
    sizes->numbered = NULL;
    KAN_TRY(reserve_weights(sizes, n_cells, from->n));
#define WEIGH(number) weigh(&sizes->slices, from, least, sizes->weights, sizes->cell_of, number)
    KAN_BITSLICES_SWITCH(sizes->slices.n, WEIGH)
#undef WEIGH
    return KAN_OK;
}

kan_status kan_sizes_split(kan_sizes *sizes, const kan_freqset *from, const unsigned *levels,
                           uint64_t least, bool *fits) {
    enum { FEW_CELLS = 1 << 16 };
    sizes->numbered = NULL;
    KAN_TRY(weigh_tuples(sizes, from, levels, least, FEW_CELLS, fits));
    if (!*fits)
        return KAN_OK;
    sizes->edition++;
    sizes->n_others = 0;
    take_weights(sizes, from->n, least);
    return KAN_OK;
}

kan_status kan_sizes_list_small(kan_sizes *sizes, const kan_freqset *from, const unsigned *levels,
                                uint64_t least, bool *fits) {
    size_t n = 0;
    /* The list is written one past its end by a tuple that is not small. */
    KAN_TRY(kan_reserve(sizes->space->run, from->n + 1, sizeof *sizes->small, &sizes->small_room,
                        &sizes->small));
    KAN_TRY(weigh_tuples(sizes, from, levels, least, 0, fits));
    if (!*fits)
        return KAN_OK;
    for (size_t i = 0; i < from->n; i++) {
        sizes->small[n] = (uint32_t)i;
        n += sizes->weights[sizes->cell_of[i]] < least;
    }
    for (size_t i = 0; i < from->n; i++)
        sizes->weights[sizes->cell_of[i]] = 0;
    sizes->n_small_tuples = n;
    sizes->numbered = NULL;
    return KAN_OK;
}

kan_status kan_sizes_begin(kan_sizes *sizes, const kan_freqset *from, const unsigned *levels,
                           unsigned attribute, kan_workspace *workspace) {
    kan_run *run = sizes->space->run;
    kan_digit digits[KAN_MAX_FIELDS];
    unsigned n_digits;
    size_t n_cells;
    bool fits = find_digits(sizes->space, from, levels, attribute, digits, &n_digits, &n_cells) &&
                is_dense(from, n_cells);
    sizes->numbered = NULL;
    sizes->edition++;
    sizes->n_others = 0;
    if (fits)
        KAN_TRY(kan_bitslices_make(run, digits, n_digits, from->n, &sizes->slices, &fits));
    if (!fits)
        return kan_sizes_count(sizes, from, levels, workspace);
    KAN_TRY(kan_reserve(run, n_cells, sizeof *sizes->rungs, &sizes->rung_room, &sizes->rungs));
    KAN_TRY(kan_reserve(run, n_cells, sizeof *sizes->next_rungs, &sizes->next_room,
                        &sizes->next_rungs));
    KAN_TRY(kan_reserve(run, n_cells + 1, sizeof *sizes->sizes, &sizes->size_room, &sizes->sizes));
    KAN_TRY(add_up(sizes, from, n_cells, workspace, sizes->rungs));
    list_sizes(sizes, sizes->rungs, n_cells);
    sizes->attribute = attribute;
    sizes->level = levels[attribute];
    sizes->n_others =
        n_cells / kan_dimension_groups(&sizes->space->dimensions[attribute], sizes->level);
    return KAN_OK;
}

bool kan_sizes_climb(kan_sizes *sizes, unsigned level) {
    if (sizes->n_others == 0)
        return false;
    const kan_dimension *dimension = &sizes->space->dimensions[sizes->attribute];
    const uint32_t n_from = kan_dimension_groups(dimension, sizes->level);
    const uint32_t n_to = kan_dimension_groups(dimension, level);
    const uint32_t *group_of = dimension->maps[sizes->level * (dimension->height + 1) + level];
    uint64_t *to = sizes->next_rungs;
    memset(to, 0, sizes->n_others * n_to * sizeof *to);
    for (size_t other = 0; other < sizes->n_others; other++)
        for (uint32_t g = 0; g < n_from; g++)
            to[other * n_to + group_of[g]] += sizes->rungs[other * n_from + g];
    sizes->next_rungs = sizes->rungs;
    sizes->rungs = to;
    size_t room = sizes->next_room;
    sizes->next_room = sizes->rung_room;
    sizes->rung_room = room;
    sizes->level = level;
    sizes->edition++;
    list_sizes(sizes, to, sizes->n_others * n_to);
    return true;
}
