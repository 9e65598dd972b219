/* Frequency sets: choosing a kernel and running it. The kernels are in files of their own. */
#include "group/freqsets/freqset.h"

#include "core/spill.h"
#include "group/freqsets/divide.h"
#include "group/freqsets/kernel.h"

kan_status kan_workspace_create(kan_run *run, kan_workspace **out) {
    kan_workspace *workspace;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *workspace, &workspace));
    workspace->run = run;
    *out = workspace;
    return KAN_OK;
}

void kan_workspace_destroy(kan_workspace *workspace) {
    if (!workspace)
        return;
    kan_run *run = workspace->run;
    kan_hash_table_destroy(workspace->table);
    kan_division_destroy(run, workspace->division);
    for (unsigned i = 0; i < 3; i++)
        kan_free(run, workspace->marks[i]);
    kan_free(run, workspace->cells);
    kan_free(run, workspace->slices.tables);
    kan_free(run, workspace->keys);
    kan_free(run, workspace->counts);
    kan_free(run, workspace->other_keys);
    kan_free(run, workspace->other_counts);
    kan_free(run, workspace);
}

void kan_freqset_destroy(kan_run *run, kan_freqset *set) {
    kan_free(run, set->keys);
    kan_free(run, set->counts);
    const uint64_t edition = set->edition + 1;
    kan_freqset_init(set);
    set->edition = edition;
}

kan_status kan_freqset_reserve(kan_run *run, kan_freqset *set, size_t n) {
    set->edition++;
    KAN_TRY(
        kan_reserve(run, n * set->layout.n_words, sizeof *set->keys, &set->key_room, &set->keys));
    return kan_reserve(run, n, sizeof *set->counts, &set->count_room, &set->counts);
}

kan_status kan_freqset_trim(kan_run *run, kan_freqset *set) {
    const size_t n = set->n ? set->n : 1, n_words = n * set->layout.n_words;
    set->edition++;
    if (n_words < set->key_room) {
        KAN_TRY(kan_resize(run, n_words, sizeof *set->keys, &set->keys));
        set->key_room = n_words;
    }
    if (n < set->count_room) {
        KAN_TRY(kan_resize(run, n, sizeof *set->counts, &set->counts));
        set->count_room = n;
    }
    return KAN_OK;
}

/* An array of that many bytes in another place, which lies on disk. */
static kan_status move_array(kan_run *run, size_t n, uint64_t **array, size_t *room) {
    uint64_t *moved;
    KAN_TRY(kan_spill_alloc(run, n, sizeof **array, &moved));
    memcpy(moved, *array, n * sizeof **array);
    kan_free(run, *array);
    *array = moved;
    *room = n;
    return KAN_OK;
}

kan_status kan_freqset_put_aside(kan_run *run, kan_freqset *set) {
    enum { SETS_BESIDE = 20 }; /* what counting and sorting sets of that size may take */
    const size_t n_words = set->n * set->layout.n_words;
    if (set->n == 0 || kan_run_memory_budget(run) == 0 ||
        kan_run_memory_left(run) / SETS_BESIDE / sizeof *set->keys >= n_words + set->n)
        return KAN_OK;
    set->edition++;
    KAN_TRY(move_array(run, n_words, &set->keys, &set->key_room));
    return move_array(run, set->n, &set->counts, &set->count_room);
}

bool kan_kernel_fits(kan_kernel kernel, const kan_key_map *map, const kan_layout *to) {
    switch (kernel) {
    case KAN_KERNEL_LINEAR:
        return map->keeps_order;
    case KAN_KERNEL_DIRECT:
        return to->n_words == 1 && map->loose_bits <= KAN_DIRECT_BITS &&
               (map->from_words == 1 || to->n_bits <= KAN_DIRECT_BITS);
    default:
        return true;
    }
}

/* Whether a few hundred tuples, taken evenly, fall into so few groups that a hash table of them all
 * would be small. */
static bool has_few_groups(const kan_key_map *map, const kan_freqset *from) {
    enum { SAMPLE = 256, FEW = SAMPLE / 4 };
    uint64_t mapped[KAN_MAX_WORDS], seen[FEW];
    size_t n_seen = 0;
    for (size_t i = 0; i < SAMPLE; i++) {
        size_t at = from->n / SAMPLE * i;
        kan_key_map_apply(map, from->keys + at * map->from_words, 1, mapped);
        uint64_t hash = kan_hash_words(mapped, map->to_words);
        size_t known = 0;
        while (known < n_seen && seen[known] != hash)
            known++;
        if (known == FEW)
            return false;
        seen[known] = hash;
        n_seen += known == n_seen;
    }
    return true;
}

static kan_kernel choose(const kan_key_map *map, const kan_freqset *from, const kan_layout *to) {
    enum { LARGE = 1 << 14 };
    if (kan_kernel_fits(KAN_KERNEL_LINEAR, map, to))
        return KAN_KERNEL_LINEAR;
    if (kan_kernel_fits(KAN_KERNEL_DIRECT, map, to))
        return KAN_KERNEL_DIRECT;
    return from->n >= LARGE && has_few_groups(map, from) ? KAN_KERNEL_HASH : KAN_KERNEL_RADIX;
}

/* The digits of a map from one word to one word, in the order of their bits in the source. */
static unsigned find_digits(const kan_space *space, const kan_layout *from, const kan_layout *to,
                            kan_digit *digits, size_t *n_values) {
    unsigned n = 0;
    *n_values = 0;
    for (unsigned f = from->n_fields; f-- > 0;) {
        const kan_key_field *field = &from->fields[f];
        for (unsigned t = 0; t < to->n_fields; t++)
            if (to->fields[t].dimension == field->dimension && to->fields[t].bits > 0) {
                digits[n] = kan_digit_of(space, field, to->fields[t].level,
                                         UINT64_C(1) << to->fields[t].shift);
                *n_values += digits[n++].n_values;
            }
    }
    return n;
}

static inline void map_sliced(const kan_bitslices *map, const uint64_t *restrict keys, size_t n,
                              uint64_t *restrict out, const unsigned n_slices) {
    struct kan_bitslice slices[KAN_MOST_BITSLICES];
    memcpy(slices, map->slices, sizeof slices);
    for (size_t i = 0; i < n; i++)
        out[i] = kan_bitslices_map(slices, keys[i], n_slices);
}

/* Maps all keys. Where several fields change at once, sums of table entries are quicker than a pass
 * for each of them, unless the tables would outgrow the keys. */
static kan_status map_keys(const kan_space *space, kan_workspace *workspace, const kan_key_map *map,
                           const kan_freqset *from, const kan_layout *to, uint64_t *out) {
    kan_digit digits[KAN_MAX_FIELDS];
    size_t n_values;
    bool fits = map->shape == KAN_MAP_OTHER && map->from_words == 1 && map->to_words == 1;
    if (fits) {
        const unsigned n = find_digits(space, &from->layout, to, digits, &n_values);
        fits = n_values < from->n / 4;
        if (fits)
            KAN_TRY(kan_bitslices_make(space->run, digits, n, from->n, &workspace->slices, &fits));
    }
    if (!fits) {
        kan_key_map_apply(map, from->keys, from->n, out);
        return KAN_OK;
    }
#define MAP(number) map_sliced(&workspace->slices, from->keys, from->n, out, number)
    KAN_BITSLICES_SWITCH(workspace->slices.n, MAP)
#undef MAP
    return KAN_OK;
}

/* Bits of a key that tell its counter. */
static unsigned direct_bits(const kan_key_map *map, const kan_layout *to) {
    return map->from_words == 1 ? map->loose_bits : to->n_bits;
}

/* Whether there is room for a counter each. */
static bool has_counters(const kan_workspace *workspace, unsigned bits) {
    return (workspace->cells && workspace->cell_bits >= bits) ||
           kan_run_memory_left(workspace->run) / 2 >= sizeof(uint64_t) << bits;
}

static kan_status group_direct(const kan_space *space, kan_workspace *workspace,
                               const kan_key_map *map, const kan_freqset *from, kan_freqset *out) {
    const unsigned loose = direct_bits(map, &out->layout);
    const uint64_t *keys = from->keys;
    if (map->shape != KAN_MAP_FIELD) {
        KAN_TRY(kan_spill_reserve(workspace->run, from->n, sizeof *workspace->keys,
                                  &workspace->key_room, &workspace->keys));
        KAN_TRY(map_keys(space, workspace, map, from, &out->layout, workspace->keys));
        keys = workspace->keys;
    }
    return kan_kernel_direct(workspace, map, keys, from->counts, from->n, loose, out->keys,
                             out->counts, &out->n);
}

static kan_status group_radix(const kan_space *space, kan_workspace *workspace,
                              const kan_key_map *map, const kan_freqset *from, kan_freqset *out) {
    KAN_TRY(map_keys(space, workspace, map, from, &out->layout, out->keys));
    memcpy(out->counts, from->counts, from->n * sizeof *out->counts);
    return kan_kernel_radix(workspace, &out->layout, out->keys, out->counts, from->n, &out->n);
}

static kan_status group_hash(const kan_space *space, kan_workspace *workspace,
                             const kan_key_map *map, const kan_freqset *from, kan_freqset *out) {
    const unsigned words = map->to_words;
    KAN_TRY(kan_spill_reserve(workspace->run, from->n * words, sizeof *workspace->keys,
                              &workspace->key_room, &workspace->keys));
    KAN_TRY(map_keys(space, workspace, map, from, &out->layout, workspace->keys));
    if (workspace->table)
        KAN_TRY(kan_hash_table_clear(workspace->table, words));
    else
        KAN_TRY(kan_hash_table_create(workspace->run, words, &workspace->table));
    KAN_TRY(kan_hash_table_add(workspace->table, workspace->keys, from->counts, from->n));
    size_t n = kan_hash_table_size(workspace->table);
    kan_hash_table_list(workspace->table, out->keys, out->counts);
    return kan_kernel_radix(workspace, &out->layout, out->keys, out->counts, n, &out->n);
}

/* What it holds is not needed: where memory is short it lies on disk. */
static kan_status reserve_anew(kan_run *run, kan_freqset *set, size_t n) {
    KAN_TRY(kan_spill_reserve(run, n * set->layout.n_words, sizeof *set->keys, &set->key_room,
                              &set->keys));
    return kan_spill_reserve(run, n, sizeof *set->counts, &set->count_room, &set->counts);
}

static kan_status regroup(const kan_space *space, const kan_freqset *from, const kan_layout *to,
                          kan_kernel kernel, kan_workspace *workspace, kan_freqset *out) {
    KAN_ASSERT(out != from);
    kan_key_map map;
    kan_key_map_make(space, &from->layout, to, &map);
    out->layout = *to;
    out->n = 0;
    out->edition++;
    if (from->n == 0)
        return KAN_OK;
    KAN_TRY(reserve_anew(space->run, out, from->n));
    if (kernel == KAN_KERNEL_AUTO && kan_divides(workspace, from, kan_regroup_bytes(from, to)))
        return kan_regroup_divided(space, from, to, workspace, out);
    if (kernel == KAN_KERNEL_AUTO) {
        kernel = choose(&map, from, to);
        if (kernel == KAN_KERNEL_DIRECT && !has_counters(workspace, direct_bits(&map, to)))
            kernel = KAN_KERNEL_RADIX;
    }
    KAN_ASSERT(kan_kernel_fits(kernel, &map, to));
    switch (kernel) {
    case KAN_KERNEL_LINEAR:
        out->n = kan_kernel_linear(&map, from->keys, from->counts, from->n, out->keys, out->counts);
        return KAN_OK;
    case KAN_KERNEL_DIRECT:
        return group_direct(space, workspace, &map, from, out);
    case KAN_KERNEL_HASH:
        return group_hash(space, workspace, &map, from, out);
    default:
        return group_radix(space, workspace, &map, from, out);
    }
}

/* What lies on disk of a large step leaves resident memory until the next one. */
static void let_rest(const kan_freqset *from, const kan_workspace *workspace) {
    enum { LARGE_STEP = 1 << 17 };
    kan_run *run = workspace->run;
    const size_t size = sizeof(uint64_t);
    if (from->n < LARGE_STEP || kan_run_memory_budget(run) == 0)
        return;
    kan_spill_done(run, from->keys, from->n * from->layout.n_words * size);
    kan_spill_done(run, from->counts, from->n * size);
    kan_spill_done(run, workspace->keys, workspace->key_room * size);
    kan_spill_done(run, workspace->other_keys, workspace->other_key_room * size);
    kan_spill_done(run, workspace->other_counts, workspace->other_count_room * size);
}

bool kan_freqset_is_sound(const kan_freqset *set) {
    const unsigned words = set->layout.n_words;
    for (size_t i = 0; i < set->n; i++) {
        const uint64_t *key = set->keys + i * words, *last = key - words;
        unsigned w = 0;
        while (i > 0 && w < words && last[w] == key[w])
            w++;
        if (set->counts[i] == 0 || (i > 0 && (w == words || last[w] > key[w])))
            return false;
    }
    return true;
}

uint64_t kan_freqset_rows(const kan_freqset *set) {
    uint64_t n_rows = 0;
    for (size_t i = 0; i < set->n; i++)
        n_rows += set->counts[i];
    return n_rows;
}

bool kan_freqset_has_rows(const kan_freqset *set, uint64_t n_rows) {
    return set->n * set->layout.n_words <= set->key_room && set->n <= set->count_room &&
           kan_freqset_is_sound(set) && kan_freqset_rows(set) == n_rows;
}

kan_status kan_freqset_regroup(const kan_space *space, const kan_freqset *from,
                               const kan_layout *to, kan_kernel kernel, kan_workspace *workspace,
                               kan_freqset *out) {
    KAN_TRY(regroup(space, from, to, kernel, workspace, out));
    let_rest(from, workspace);
    /* rows are merged, never lost or counted twice */
    KAN_ASSERT(out->n <= from->n && kan_freqset_has_rows(out, kan_freqset_rows(from)));
    return KAN_OK;
}

kan_status kan_freqset_rollup(const kan_space *space, const kan_freqset *from,
                              const unsigned *levels, kan_workspace *workspace, kan_freqset *out) {
    kan_layout to;
    kan_layout_at(space, &from->layout, levels, &to);
    return kan_freqset_regroup(space, from, &to, KAN_KERNEL_AUTO, workspace, out);
}

kan_status kan_freqset_project(const kan_space *space, const kan_freqset *from,
                               const unsigned *dimensions, unsigned n, kan_workspace *workspace,
                               kan_freqset *out) {
    unsigned levels[KAN_MAX_FIELDS] = {0};
    for (unsigned i = 0; i < n; i++)
        for (unsigned f = 0; f < from->layout.n_fields; f++)
            if (from->layout.fields[f].dimension == dimensions[i])
                levels[i] = from->layout.fields[f].level;
    kan_layout to;
    kan_layout_make(space, dimensions, levels, n, &to);
    return kan_freqset_regroup(space, from, &to, KAN_KERNEL_AUTO, workspace, out);
}
