/* Grouping a set among threads: see divide.h.
 *
 * Each part is grouped by itself, which gives sorted sets of neighbours. Where keys stay in order but for
 * their lowest bits, parts end where the bits above change, so that no group is in two of them, and
 * the parts one after the other are the result. Elsewhere keys that a sample chose divide all parts
 * into the same ranges; each range is gathered from all parts, and grouped once more. */
#include "group/freqsets/divide.h"

#include <string.h>

#include "core/pool.h"
#include "group/freqsets/kernel.h"

enum { LEAST_PARTS = 16, FEW_TUPLES = 4, MOST_RANGES = 64, SAMPLES = 8 * MOST_RANGES };

typedef struct {
    const kan_space *space;
    const kan_freqset *from;
    const kan_layout *to;
    kan_division *division;
    kan_freqset *out;
    bool is_apart; /* no group is in two parts */
    size_t n_parts, n_ranges;
    size_t parts[KAN_MOST_PARTS + 1]; /* where they begin in the source */
    const uint64_t *splitters;        /* keys at which the second range begins, the third, ... */
    size_t places[KAN_MOST_PARTS][MOST_RANGES + 1]; /* of ranges in a grouped part */
    size_t ranges[MOST_RANGES + 1];                 /* where they begin when they are gathered */
    size_t n_grouped[MOST_RANGES];                  /* groups of each; of parts that are apart */
    size_t firsts[MOST_RANGES];                     /* where they begin in the result */
} grouping;

void kan_division_destroy(kan_run *run, kan_division *division) {
    if (!division)
        return;
    for (unsigned w = 0; w < division->n_workers; w++)
        kan_workspace_destroy(division->workspaces[w]);
    kan_free(run, division->workspaces);
    kan_free(run, division->keys);
    kan_free(run, division->counts);
    kan_free(run, division->samples);
    kan_free(run, division->sample_rows);
    kan_free(run, division->cells);
    kan_free(run, division);
}

void kan_workspace_divide(kan_workspace *workspace, size_t least) {
    KAN_ASSERT(least == 0 || least >= LEAST_PARTS);
    workspace->least_divided = least;
    if (least > 0)
        return;
    kan_division_destroy(workspace->run, workspace->division);
    workspace->division = NULL;
}

bool kan_divides(const kan_workspace *workspace, const kan_freqset *set, uint64_t bytes) {
    const size_t least = workspace->least_divided;
    return least > 0 && set->n >= least && kan_run_threads(workspace->run) > 1 &&
           kan_run_memory_left(workspace->run) / 4 > bytes;
}

bool kan_divides_loop(const kan_workspace *workspace, size_t n) {
    const size_t least = workspace->least_divided;
    return least > 0 && n / FEW_TUPLES >= least && kan_run_threads(workspace->run) > 1;
}

kan_run *kan_workspace_run(const kan_workspace *workspace) {
    return workspace->run;
}

size_t kan_count_parts(const kan_workspace *workspace, size_t n_tuples) {
    const size_t n = n_tuples / (workspace->least_divided / LEAST_PARTS);
    return n > KAN_MOST_PARTS ? KAN_MOST_PARTS : n < 1 ? 1 : n;
}

uint64_t kan_regroup_bytes(const kan_freqset *from, const kan_layout *to) {
    const unsigned words = to->n_words > from->layout.n_words ? to->n_words : from->layout.n_words;
    /* The other place; the scratch of kernels for a part, for a range that is larger than others, and
     * their counters. */
    return 4 * (uint64_t)from->n * (words + 1) * sizeof(uint64_t) + (UINT64_C(4) << 20);
}

kan_status kan_division_make(kan_workspace *workspace) {
    return workspace->division ? KAN_OK
                               : kan_alloc_zero(workspace->run, 1, sizeof *workspace->division,
                                                &workspace->division);
}

static kan_status prepare(kan_workspace *workspace, const kan_freqset *from, const kan_layout *to) {
    kan_run *run = workspace->run;
    KAN_TRY(kan_division_make(workspace));
    kan_division *d = workspace->division;
    if (!d->workspaces) {
        KAN_TRY(kan_alloc_zero(run, kan_run_threads(run), sizeof *d->workspaces, &d->workspaces));
        d->n_workers = kan_run_threads(run);
    }
    KAN_TRY(kan_reserve(run, from->n * to->n_words, sizeof *d->keys, &d->key_room, &d->keys));
    KAN_TRY(kan_reserve(run, from->n, sizeof *d->counts, &d->count_room, &d->counts));
    KAN_TRY(kan_reserve(run, (size_t)SAMPLES * to->n_words, sizeof *d->samples, &d->sample_room,
                        &d->samples));
    return kan_reserve(run, SAMPLES, sizeof *d->sample_rows, &d->sample_row_room, &d->sample_rows);
}

static kan_status find_workspace(const grouping *g, unsigned worker, kan_workspace **out) {
    kan_workspace **own = &g->division->workspaces[worker];
    if (!*own)
        KAN_TRY(kan_workspace_create(g->space->run, own));
    *out = *own;
    return KAN_OK;
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* The bits of a mapped key that are in order. */
static uint64_t ordered_bits(const grouping *g, const kan_key_map *map, size_t tuple) {
    uint64_t key;
    kan_key_map_apply(map, g->from->keys + tuple, 1, &key);
    return map->loose_bits < 64 ? key >> map->loose_bits : 0;
}

/* The first tuple from `low` on, up to `high`, whose ordered bits are not those of the tuple before `low`. */
static size_t find_change(const grouping *g, const kan_key_map *map, size_t low, size_t high) {
    const uint64_t before = ordered_bits(g, map, low - 1);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ordered_bits(g, map, middle) == before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Parts end where the ordered bits change, unless one would become much larger for it. */
static void choose_parts(grouping *g, const kan_workspace *workspace, const kan_key_map *map) {
    const size_t n = g->from->n;
    g->n_parts = kan_count_parts(workspace, n);
    g->is_apart = map->from_words == 1 && map->to_words == 1;
    for (size_t p = 0; p <= g->n_parts; p++)
        g->parts[p] = kan_part_start(n, g->n_parts, p);
    for (size_t p = 1; p < g->n_parts && g->is_apart; p++) {
        const size_t end = g->parts[p + 1];
        g->parts[p] = find_change(g, map, g->parts[p], end);
        g->is_apart = g->parts[p] < end;
    }
    for (size_t p = 1; p < g->n_parts && !g->is_apart; p++)
        g->parts[p] = kan_part_start(n, g->n_parts, p);
}

/* Distinct keys of tuples that are taken evenly, and of these every so many. */
static kan_status choose_ranges(grouping *g, const kan_key_map *map, kan_workspace *workspace) {
    kan_division *d = g->division;
    const unsigned words = g->to->n_words;
    size_t n_keys;
    for (size_t i = 0; i < SAMPLES; i++) {
        const size_t tuple = kan_part_start(g->from->n, SAMPLES, i);
        kan_key_map_apply(map, g->from->keys + tuple * map->from_words, 1, d->samples + i * words);
        d->sample_rows[i] = 1;
    }
    KAN_TRY(kan_kernel_radix(workspace, g->to, d->samples, d->sample_rows, SAMPLES, &n_keys));
    g->n_ranges = n_keys < MOST_RANGES ? n_keys : MOST_RANGES;
    for (size_t r = 1; r < g->n_ranges; r++)
        memmove(d->samples + (r - 1) * words, d->samples + r * n_keys / g->n_ranges * words,
                words * sizeof *d->samples);
    g->splitters = d->samples;
    return KAN_OK;
}

/* The first of n keys that is not below `key`. */
static size_t find_key(const uint64_t *keys, size_t n, const uint64_t *key, unsigned words) {
    size_t low = 0;
    while (low < n) {
        const size_t middle = low + (n - low) / 2;
        if (kan_key_compare(keys + middle * words, key, words) < 0)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

static void divide_part(grouping *g, size_t p, const kan_freqset *part) {
    const unsigned words = g->to->n_words;
    size_t at = 0;
    g->places[p][0] = 0;
    for (size_t r = 1; r < g->n_ranges; r++) {
        const uint64_t *splitter = g->splitters + (r - 1) * words;
        at += find_key(part->keys + at * words, part->n - at, splitter, words);
        g->places[p][r] = at;
    }
    g->places[p][g->n_ranges] = part->n;
}

/* What is apart need not be gathered: it is put where it is copied from. */
static kan_status group_part(void *context, size_t p, unsigned worker) {
    grouping *g = context;
    kan_workspace *workspace;
    const size_t first = g->parts[p], n = g->parts[p + 1] - first;
    const unsigned words = g->from->layout.n_words, to_words = g->to->n_words;
    const kan_freqset part = {.layout = g->from->layout,
                              .n = n,
                              .keys = g->from->keys + first * words,
                              .counts = g->from->counts + first,
                              .key_room = n * words,
                              .count_room = n};
    uint64_t *keys = g->is_apart ? g->division->keys : g->out->keys;
    uint64_t *counts = g->is_apart ? g->division->counts : g->out->counts;
    kan_freqset grouped = {.keys = keys + first * to_words,
                           .counts = counts + first,
                           .key_room = n * to_words,
                           .count_room = n};
    KAN_TRY(find_workspace(g, worker, &workspace));
    KAN_TRY(kan_freqset_regroup(g->space, &part, g->to, KAN_KERNEL_AUTO, workspace, &grouped));
    KAN_ASSERT(grouped.keys == keys + first * to_words && grouped.counts == counts + first);
    if (g->is_apart)
        g->n_grouped[p] = grouped.n;
    else
        divide_part(g, p, &grouped);
    return KAN_OK;
}

/* ---- ranges --------------------------------------------------------------------------------- */

static void place_ranges(grouping *g) {
    size_t at = 0;
    for (size_t r = 0; r < g->n_ranges; r++) {
        g->ranges[r] = at;
        for (size_t p = 0; p < g->n_parts; p++)
            at += g->places[p][r + 1] - g->places[p][r];
    }
    g->ranges[g->n_ranges] = at;
}

static kan_status group_range(void *context, size_t r, unsigned worker) {
    grouping *g = context;
    kan_workspace *workspace;
    const unsigned words = g->to->n_words;
    uint64_t *keys = g->division->keys + g->ranges[r] * words;
    uint64_t *counts = g->division->counts + g->ranges[r];
    size_t n = 0;
    for (size_t p = 0; p < g->n_parts; p++) {
        const size_t first = g->parts[p] + g->places[p][r];
        const size_t size = g->places[p][r + 1] - g->places[p][r];
        memcpy(keys + n * words, g->out->keys + first * words, size * words * sizeof *keys);
        memcpy(counts + n, g->out->counts + first, size * sizeof *counts);
        n += size;
    }
    g->n_grouped[r] = 0;
    if (n == 0)
        return KAN_OK;
    KAN_TRY(find_workspace(g, worker, &workspace));
    return kan_kernel_radix(workspace, g->to, keys, counts, n, &g->n_grouped[r]);
}

/* ---- the result ----------------------------------------------------------------------------- */

static kan_status copy_groups(void *context, size_t r, unsigned worker) {
    grouping *g = context;
    const unsigned words = g->to->n_words;
    const size_t first = g->is_apart ? g->parts[r] : g->ranges[r], n = g->n_grouped[r];
    (void)worker;
    memcpy(g->out->keys + g->firsts[r] * words, g->division->keys + first * words,
           n * words * sizeof *g->out->keys);
    memcpy(g->out->counts + g->firsts[r], g->division->counts + first, n * sizeof *g->out->counts);
    return KAN_OK;
}

kan_status kan_regroup_divided(const kan_space *space, const kan_freqset *from,
                               const kan_layout *to, kan_workspace *workspace, kan_freqset *out) {
    kan_run *run = space->run;
    kan_status status;
    kan_key_map map;
    grouping *g;
    KAN_TRY(prepare(workspace, from, to));
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *g, &g));
    *g = (grouping){
        .space = space, .from = from, .to = to, .division = workspace->division, .out = out};
    kan_key_map_make(space, &from->layout, to, &map);
    choose_parts(g, workspace, &map);
    if (!g->is_apart)
        KAN_TRY_DONE(choose_ranges(g, &map, workspace));
    KAN_TRY_DONE(kan_parallel(run, g->n_parts, group_part, g));
    if (!g->is_apart) {
        place_ranges(g);
        KAN_TRY_DONE(kan_parallel(run, g->n_ranges, group_range, g));
    }
    const size_t n_pieces = g->is_apart ? g->n_parts : g->n_ranges;
    for (size_t r = 0; r < n_pieces; r++) {
        g->firsts[r] = out->n;
        out->n += g->n_grouped[r];
    }
    KAN_TRY_DONE(kan_parallel(run, n_pieces, copy_groups, g));
done:
    kan_free(run, g);
    return status;
}
