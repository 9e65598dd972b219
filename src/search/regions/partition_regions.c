/* What the regions of a partition show: their cells, each distinct one once, and the region of
 * every tuple. Attributes are independent of each other, and so are regions: tasks for the threads.
 */
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/pool.h"
#include "core/spill.h"
#include "search/regions/partition.h"

/* What a region has of an attribute. */
typedef struct {
    kan_cell cell;
    uint32_t unknown;
} part_cell;

/* ---- the cells of one attribute -------------------------------------------------------------- */

/* Cells that are known, by what they hold: open addressing over their numbers plus one. */
typedef struct {
    const kan_partition_space *space; /* of the regions at hand */
    const kan_partition_regions *regions;
    size_t before; /* regions that were shown before them */
    const kan_partition_bound
        *bounds; /* [region * dimensions + dimension] -> least, greatest place */
    unsigned d;
    kan_cells *cells;
    bool has_unknown; /* ranges of numbers of which some are unknown */
    size_t cell_room, set_room, unknown_room, n_set;
    uint32_t *slots;
    size_t n_slots; /* a power of two */
    uint32_t *seen; /* by place: the last region that has it, plus one */
    uint32_t *leaves;
} collector;

static uint64_t hash_cell(const collector *c, const kan_cell *cell, uint32_t unknown) {
    if (c->cells->type != KAN_CELL_SET)
        return kan_hash_word(((uint64_t)cell->a << 32 | cell->b) ^ kan_hash_word(unknown));
    return kan_hash_bytes(c->cells->set + cell->a, (cell->b - cell->a) * sizeof *c->cells->set);
}

/* Whether a cell that is known is the one that was found. */
static bool same_cell(const collector *c, uint32_t known, const part_cell *found) {
    const kan_cell *a = &c->cells->cells[known], *b = &found->cell;
    if (c->cells->type != KAN_CELL_SET)
        return a->a == b->a && a->b == b->b && kan_cell_unknown(c->cells, known) == found->unknown;
    return a->b - a->a == b->b - b->a && memcmp(c->cells->set + a->a, c->cells->set + b->a,
                                                (a->b - a->a) * sizeof *c->cells->set) == 0;
}

static kan_status grow_slots(collector *c) {
    kan_run *run = c->space->run;
    const size_t n = c->n_slots ? c->n_slots * 2 : 64;
    uint32_t *slots;
    KAN_TRY(kan_alloc_zero(run, n, sizeof *slots, &slots));
    for (uint32_t i = 0; i < c->cells->n; i++) {
        size_t at =
            (size_t)hash_cell(c, &c->cells->cells[i], kan_cell_unknown(c->cells, i)) & (n - 1);
        while (slots[at])
            at = (at + 1) & (n - 1);
        slots[at] = i + 1;
    }
    kan_free(run, c->slots);
    c->slots = slots;
    c->n_slots = n;
    return KAN_OK;
}

/* The number of a cell; a set's leaves stand at the end of the list, and stay if it is new. */
static kan_status intern(collector *c, const part_cell *found, uint32_t *out) {
    kan_cells *cells = c->cells;
    if ((size_t)cells->n * 2 >= c->n_slots)
        KAN_TRY(grow_slots(c));
    size_t at = (size_t)hash_cell(c, &found->cell, found->unknown) & (c->n_slots - 1);
    for (; c->slots[at]; at = (at + 1) & (c->n_slots - 1)) {
        *out = c->slots[at] - 1;
        if (same_cell(c, *out, found))
            return KAN_OK;
    }
    KAN_TRY(kan_reserve(c->space->run, (size_t)cells->n + 1, sizeof *cells->cells, &c->cell_room,
                        &cells->cells));
    if (c->has_unknown) {
        KAN_TRY(kan_reserve(c->space->run, (size_t)cells->n + 1, sizeof *cells->unknown,
                            &c->unknown_room, &cells->unknown));
        cells->unknown[cells->n] = found->unknown;
    }
    if (cells->type == KAN_CELL_SET)
        c->n_set = found->cell.b;
    *out = cells->n;
    cells->cells[cells->n++] = found->cell;
    c->slots[at] = cells->n;
    return KAN_OK;
}

static int compare_leaves(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The values of the region, at the end of the list of sets. */
static kan_status collect_set(collector *c, size_t r, kan_cell *out) {
    const kan_partition_space *space = c->space;
    const kan_partition_region *region = &c->regions->regions[r];
    const kan_domain *domain = space->dimensions[c->d].domain;
    const unsigned char *at = kan_partition_record(space, region->first);
    uint32_t n = 0;
    for (size_t i = 0; i < region->n; i++, at += space->stride) {
        const uint32_t place = kan_partition_lane(at, space->is_wide, c->d);
        if (c->seen[place] == (uint32_t)(c->before + r) + 1)
            continue;
        c->seen[place] = (uint32_t)(c->before + r) + 1;
        c->leaves[n++] = domain->first_leaf[place];
    }
    if (n > 1)
        qsort(c->leaves, n, sizeof *c->leaves, compare_leaves);
    if (c->n_set + n > UINT32_MAX)
        return kan_fail(space->run, KAN_FAILED,
                        "the groups list more than 2^32 values of '%s'; give it a hierarchy and "
                        "use --categories tree",
                        domain->column->name);
    KAN_TRY(
        kan_reserve(space->run, c->n_set + n, sizeof *c->cells->set, &c->set_room, &c->cells->set));
    memcpy(c->cells->set + c->n_set, c->leaves, n * sizeof *c->leaves);
    *out = (kan_cell){(uint32_t)c->n_set, (uint32_t)c->n_set + n};
    return KAN_OK;
}

static kan_cell range_of(const kan_partition_dimension *dimension, uint32_t low, uint32_t high) {
    return (kan_cell){dimension->domain->first_leaf[low],
                      dimension->domain->first_leaf[high + 1] - 1};
}

/* Numbers of which some are unknown: what lies between these and the least known one is not shown,
 * for the region need not have it. */
static part_cell range_with_unknown(const collector *c, const kan_partition_region *region,
                                    uint32_t high) {
    const kan_partition_dimension *dimension = &c->space->dimensions[c->d];
    const kan_domain *domain = dimension->domain;
    const unsigned char *at = kan_partition_record(c->space, region->first);
    uint32_t least = UINT32_MAX, unknown = 0, first = UINT32_MAX;
    for (size_t i = 0; i < region->n; i++, at += c->space->stride) {
        const uint32_t place = kan_partition_lane(at, c->space->is_wide, c->d);
        if (place >= domain->n_unknown) {
            least = place < least ? place : least;
            continue;
        }
        first = place < first ? place : first;
        for (uint32_t leaf = domain->first_leaf[place]; leaf < domain->first_leaf[place + 1];
             leaf++)
            unknown |= leaf < 32 ? UINT32_C(1) << leaf : 0;
    }
    const uint32_t n_before = domain->first_leaf[domain->n_unknown] - domain->first_leaf[first];
    const bool has_all = (uint32_t)__builtin_popcount(unknown) == n_before;
    if (least == UINT32_MAX || (least == domain->n_unknown && has_all))
        return (part_cell){range_of(dimension, first, high), 0};
    return (part_cell){range_of(dimension, least, high), unknown};
}

static kan_status find_cell(collector *c, size_t r, part_cell *out) {
    const kan_partition_region *region = &c->regions->regions[r];
    const kan_partition_dimension *dimension = &c->space->dimensions[c->d];
    const bool is_tree = dimension->cutting == KAN_PARTITION_TREE;
    out->unknown = 0;
    if (region->box) {
        const kan_partition_bound bound = region->box[c->d];
        out->cell = is_tree ? (kan_cell){bound.a, bound.b} : range_of(dimension, bound.a, bound.b);
        return KAN_OK;
    }
    if (c->cells->type == KAN_CELL_SET)
        return collect_set(c, r, &out->cell);
    const kan_partition_bound *bound = &c->bounds[r * c->space->n_dimensions + c->d];
    const unsigned level = is_tree ? kan_partition_cover(dimension, bound->a, bound->b) : 0;
    if (is_tree)
        out->cell = (kan_cell){level, kan_partition_node(dimension, level, bound->a)};
    else if (bound->a < dimension->domain->n_unknown)
        *out = range_with_unknown(c, region, bound->b);
    else
        out->cell = range_of(dimension, bound->a, bound->b);
    return KAN_OK;
}

static kan_cell_type type_of(const kan_partition_space *space, unsigned d) {
    const kan_partition_cutting cutting = space->dimensions[d].cutting;
    if (cutting == KAN_PARTITION_TREE)
        return KAN_CELL_NODE;
    return cutting == KAN_PARTITION_VALUES || !space->is_tight ? KAN_CELL_RANGE : KAN_CELL_SET;
}

struct kan_partition_shower {
    const kan_partition_space *space, *at_hand; /* as it was made; that of the regions at hand */
    const kan_partition_regions *from;
    kan_regions *to;
    collector collectors[KAN_MAX_ATTRIBUTES];
    kan_partition_bound *bounds; /* of the regions at hand */
    size_t room;                 /* for regions */
    size_t n_splits, n_portions;
};

static kan_status collect_cells(void *context, size_t task, unsigned worker) {
    kan_partition_shower *s = context;
    collector *c = &s->collectors[task];
    const unsigned d = (unsigned)task, n = s->space->n_dimensions;
    (void)worker;
    c->space = s->at_hand;
    c->regions = s->from;
    c->before = s->to->n_regions;
    c->bounds = s->bounds;
    for (size_t r = 0; r < s->from->n; r++) {
        part_cell found;
        KAN_TRY(find_cell(c, r, &found));
        KAN_TRY(intern(c, &found, &s->to->cell_of[(c->before + r) * n + d]));
    }
    return KAN_OK;
}

/* ---- the regions of tuples ------------------------------------------------------------------- */

enum { REGIONS_PER_TASK = 4096 };

/* The region of each tuple. Strict: all records of a tuple are in one region. */
static void assign_tuples(const kan_partition_shower *s, size_t r) {
    const kan_partition_region *region = &s->from->regions[r];
    const unsigned char *at = kan_partition_record(s->at_hand, region->first);
    for (size_t i = 0; i < region->n; i++, at += s->space->stride)
        s->to->region_of[kan_partition_tuple(at)] = (uint32_t)(s->to->n_regions + r);
}

/* All that is asked of the records themselves, while they are near. */
static kan_status look_at_regions(void *context, size_t task, unsigned worker) {
    const kan_partition_shower *s = context;
    const size_t first = task * REGIONS_PER_TASK;
    const unsigned n = s->space->n_dimensions;
    uint32_t low[KAN_MAX_ATTRIBUTES], high[KAN_MAX_ATTRIBUTES];
    (void)worker;
    for (size_t r = first; r < s->from->n && r < first + REGIONS_PER_TASK; r++) {
        kan_partition_bounds(s->at_hand, &s->from->regions[r], low, high);
        for (unsigned d = 0; d < n; d++)
            s->bounds[r * n + d] = (kan_partition_bound){low[d], high[d]};
        if (!s->space->is_relaxed)
            assign_tuples(s, r);
    }
    return KAN_OK;
}

/* Relaxed: first how many portions each tuple has, in region_of. */
static void count_portions(kan_partition_shower *s) {
    uint32_t *n_portions = s->to->region_of;
    memset(n_portions, 0, s->to->n_tuples * sizeof *n_portions);
    for (size_t r = 0; r < s->from->n; r++)
        for (size_t i = 0; i < s->from->regions[r].n; i++)
            n_portions[kan_partition_tuple(
                kan_partition_record(s->space, s->from->regions[r].first + i))]++;
    for (size_t t = 0; t < s->to->n_tuples; t++) {
        s->n_splits += n_portions[t] > 1;
        s->n_portions += n_portions[t] > 1 ? n_portions[t] : 0;
    }
}

static kan_status assign_portions(kan_partition_shower *s) {
    kan_regions *to = s->to;
    kan_run *run = s->space->run;
    count_portions(s);
    KAN_TRY(kan_alloc(run, s->n_splits + 1, sizeof *to->split_start, &to->split_start));
    KAN_TRY(kan_alloc(run, s->n_portions, sizeof *to->portions, &to->portions));
    size_t at = 0;
    for (size_t t = 0; t < to->n_tuples; t++) {
        if (to->region_of[t] < 2) {
            to->region_of[t] = 0;
            continue;
        }
        to->split_start[to->n_splits] = at;
        at += to->region_of[t];
        to->region_of[t] = KAN_REGION_SPLIT | (uint32_t)to->n_splits++;
    }
    /* Portions in the order of regions; split_start moves on, and back in the end. */
    for (size_t r = 0; r < s->from->n; r++)
        for (size_t i = 0; i < s->from->regions[r].n; i++) {
            const unsigned char *record =
                kan_partition_record(s->space, s->from->regions[r].first + i);
            uint32_t *region = &to->region_of[kan_partition_tuple(record)];
            if (*region & KAN_REGION_SPLIT)
                to->portions[to->split_start[*region & ~KAN_REGION_SPLIT]++] =
                    (kan_portion){(uint32_t)r, kan_partition_rows(record)};
            else
                *region = (uint32_t)r;
        }
    for (size_t i = to->n_splits; i > 0; i--)
        to->split_start[i] = to->split_start[i - 1];
    to->split_start[0] = 0;
    return KAN_OK;
}

static kan_status add(kan_partition_shower *s) {
    kan_run *run = s->space->run;
    kan_regions *to = s->to;
    const size_t n = s->from->n;
    KAN_TRY(kan_parallel(run, (n + REGIONS_PER_TASK - 1) / REGIONS_PER_TASK, look_at_regions, s));
    KAN_TRY(kan_parallel(run, to->n_attributes, collect_cells, s));
    if (s->space->is_relaxed)
        KAN_TRY(assign_portions(s));
    for (size_t r = 0; r < n; r++)
        to->n_rows[to->n_regions + r] = s->from->regions[r].n_rows;
    to->n_regions += (uint32_t)n;
    kan_spill_done(run, to->region_of, to->n_tuples * sizeof *to->region_of);
    kan_spill_done(run, to->n_rows, to->n_regions * sizeof *to->n_rows);
    kan_spill_done(run, to->cell_of,
                   (size_t)to->n_regions * to->n_attributes * sizeof *to->cell_of);
    return KAN_OK;
}

/* Regions can be too many for memory as well; each is written once, and read in order. */
static kan_status reserve_regions(kan_partition_shower *s, size_t n) {
    kan_run *run = s->space->run;
    kan_regions *to = s->to;
    const size_t n_attributes = to->n_attributes;
    if (n <= s->room)
        return KAN_OK;
    const size_t room = s->room == 0 ? n : n + n / 2;
    uint64_t *n_rows;
    uint32_t *cell_of;
    KAN_TRY(kan_spill_alloc(run, room, sizeof *n_rows, &n_rows));
    if (to->n_regions > 0)
        memcpy(n_rows, to->n_rows, to->n_regions * sizeof *n_rows);
    kan_free(run, to->n_rows);
    to->n_rows = n_rows;
    KAN_TRY(kan_spill_alloc(run, room * n_attributes, sizeof *cell_of, &cell_of));
    if (to->n_regions > 0)
        memcpy(cell_of, to->cell_of, to->n_regions * n_attributes * sizeof *cell_of);
    kan_free(run, to->cell_of);
    to->cell_of = cell_of;
    s->room = room;
    return KAN_OK;
}

kan_status kan_partition_shower_add(kan_partition_shower *s, const kan_partition_space *space,
                                    const kan_partition_regions *regions) {
    kan_run *run = s->space->run;
    kan_regions *to = s->to;
    const size_t n = (size_t)to->n_regions + regions->n;
    s->at_hand = space;
    s->from = regions;
    if (n >= KAN_REGION_SPLIT)
        return kan_fail(run, KAN_BAD_INPUT, "more than 2^31 groups; ask for larger ones");
    KAN_TRY(reserve_regions(s, n));
    KAN_TRY(kan_alloc(run, regions->n * to->n_attributes, sizeof *s->bounds, &s->bounds));
    kan_status status = add(s);
    kan_free(run, s->bounds);
    s->bounds = NULL;
    return status;
}

kan_status kan_partition_shower_lose(kan_partition_shower *s, const kan_partition_lost *lost) {
    kan_regions *to = s->to;
    const uint32_t region = to->n_regions;
    if (lost->n == 0)
        return KAN_OK;
    if (region + 1 >= KAN_REGION_SPLIT)
        return kan_fail(s->space->run, KAN_BAD_INPUT, "more than 2^31 groups; ask for larger ones");
    KAN_TRY(reserve_regions(s, (size_t)region + 1));
    memset(to->cell_of + (size_t)region * to->n_attributes, 0,
           to->n_attributes * sizeof *to->cell_of);
    to->n_rows[region] = lost->n_rows;
    for (size_t i = 0; i < lost->n; i++)
        to->region_of[lost->tuples[i]] = region;
    to->n_regions++;
    to->has_lost = true;
    return KAN_OK;
}

/* ---- from first to last ---------------------------------------------------------------------- */

static kan_status begin_cells(kan_partition_shower *s, unsigned d) {
    kan_run *run = s->space->run;
    collector *c = &s->collectors[d];
    const uint32_t n_places = s->space->dimensions[d].n_places;
    *c = (collector){.space = s->space, .d = d, .cells = &s->to->cells[d]};
    c->cells->type = type_of(s->space, d);
    c->has_unknown = s->space->is_tight && c->cells->type == KAN_CELL_RANGE &&
                     s->space->dimensions[d].domain->n_unknown > 0;
    if (c->cells->type != KAN_CELL_SET)
        return KAN_OK;
    KAN_TRY(kan_alloc_zero(run, n_places, sizeof *c->seen, &c->seen));
    return kan_alloc(run, n_places, sizeof *c->leaves, &c->leaves);
}

static kan_status begin(kan_partition_shower *s) {
    kan_run *run = s->space->run;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *s->to, &s->to));
    s->to->run = run;
    s->to->n_attributes = s->space->n_dimensions;
    s->to->n_tuples = s->space->n_records;
    KAN_TRY(kan_spill_alloc(run, s->to->n_tuples, sizeof *s->to->region_of, &s->to->region_of));
    for (unsigned d = 0; d < s->space->n_dimensions; d++)
        KAN_TRY(begin_cells(s, d));
    return KAN_OK;
}

kan_status kan_partition_shower_create(const kan_partition_space *space,
                                       kan_partition_shower **out) {
    kan_partition_shower *made;
    KAN_TRY(kan_alloc_zero(space->run, 1, sizeof *made, &made));
    made->space = space;
    kan_status status = begin(made);
    if (status == KAN_OK)
        *out = made;
    else
        kan_partition_shower_destroy(made);
    return status;
}

void kan_partition_shower_destroy(kan_partition_shower *s) {
    if (!s)
        return;
    kan_run *run = s->space->run;
    for (unsigned d = 0; d < s->space->n_dimensions; d++) {
        kan_free(run, s->collectors[d].slots);
        kan_free(run, s->collectors[d].seen);
        kan_free(run, s->collectors[d].leaves);
    }
    kan_regions_destroy(s->to);
    kan_free(run, s);
}

kan_regions *kan_partition_shower_take(kan_partition_shower *s) {
    kan_regions *taken = s->to;
    s->to = NULL;
    return taken;
}
