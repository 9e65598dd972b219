/* The cube: see cube.h.
 *
 * Cost: one regrouping per subset, each of the smallest set at hand. Sets of one size are
 * independent tasks; whether one is made is decided before, by the most that it can need, so that
 * it does not depend on threads. */
#include "search/incognito/cube.h"

/* Sets that are made at once. Room is reserved for each by its bound, and given back afterwards. */
enum { TOGETHER = 64 };

typedef struct {
    uint64_t mask;
    const kan_freqset *from;
    kan_origin origin;
    uint64_t bound; /* bytes */
} projection;

typedef struct {
    kan_subset_search *search;
    kan_cube *cube;
    projection list[TOGETHER];
} layer;

static unsigned list_places(uint64_t mask, unsigned *places) {
    unsigned n = 0;
    for (; mask; mask &= mask - 1)
        places[n++] = (unsigned)__builtin_ctzll(mask);
    return n;
}

static kan_status project(void *context, size_t task, unsigned index) {
    layer *made = context;
    kan_subset_search *search = made->search;
    kan_subset_worker *worker = &search->workers[index];
    const projection *step = &made->list[task];
    unsigned places[KAN_MAX_ATTRIBUTES], levels[KAN_MAX_ATTRIBUTES] = {0};
    kan_layout layout;
    kan_freqset *scratch = &worker->walk.made[0];
    KAN_TRY(kan_check_cancel(search->run));
    kan_subset_layout(search, list_places(step->mask, places), places, levels, &layout);
    KAN_TRY(kan_subset_regroup(search, worker, step->from, step->origin, &layout, scratch));
    return kan_freqset_keep(search->run, scratch, &made->cube->sets[step->mask]);
}

/* The smallest set with one attribute more; the base where none was kept. */
static void choose_source(const kan_subset_search *search, const kan_cube *cube, projection *step) {
    step->from = &search->base;
    step->origin = KAN_FROM_BASE;
    for (unsigned place = 0; place < search->lattice.n_attributes; place++) {
        const uint64_t more = step->mask | UINT64_C(1) << place;
        const kan_freqset *set = more != step->mask ? cube->sets[more] : NULL;
        if (set && (step->origin == KAN_FROM_BASE || set->n < step->from->n)) {
            step->from = set;
            step->origin = KAN_FROM_CUBE;
        }
    }
}

/* No more tuples than the source has, nor than there are combinations of values. */
static uint64_t bound_bytes(const kan_subset_search *search, const projection *step) {
    uint64_t most = 1;
    for (uint64_t left = step->mask; left && most < step->from->n; left &= left - 1) {
        const unsigned attribute = search->order[__builtin_ctzll(left)];
        most *= kan_dimension_groups(&search->space->dimensions[attribute], 0);
    }
    if (search->n_tails > 0 || most > step->from->n)
        most = step->from->n;
    return sizeof(kan_freqset) + most * (step->from->layout.n_words + 1) * sizeof(uint64_t);
}

static kan_status make_layer(layer *made, size_t n) {
    KAN_TRY(kan_subset_parallel(made->search, n, project, made));
    for (size_t i = 0; i < n; i++) {
        made->cube->bytes -= made->list[i].bound;
        made->cube->bytes += kan_freqset_bytes(made->cube->sets[made->list[i].mask]);
    }
    return KAN_OK;
}

static kan_status build_size(layer *made, unsigned size, uint64_t most_bytes) {
    kan_subset_search *search = made->search;
    kan_cube *cube = made->cube;
    const uint64_t end = UINT64_C(1) << search->lattice.n_attributes;
    size_t n = 0;
    for (uint64_t mask = (UINT64_C(1) << size) - 1; mask < end; mask = kan_mask_next(mask)) {
        projection step = {.mask = mask};
        choose_source(search, cube, &step);
        step.bound = bound_bytes(search, &step);
        if (cube->bytes + step.bound > most_bytes && n > 0) {
            KAN_TRY(make_layer(made, n)); /* gives back what the bounds were too large */
            n = 0;
        }
        if (cube->bytes + step.bound > most_bytes)
            continue;
        cube->bytes += step.bound;
        made->list[n++] = step;
        if (n == TOGETHER) {
            KAN_TRY(make_layer(made, n));
            n = 0;
        }
    }
    return make_layer(made, n);
}

kan_status kan_cube_build(kan_subset_search *search, uint64_t most_bytes, kan_cube *out) {
    const unsigned n = search->lattice.n_attributes;
    kan_cube cube = {.run = search->run, .n_masks = (size_t)1 << n};
    if (n > KAN_MOST_CUBE_ATTRIBUTES)
        return kan_fail(search->run, KAN_UNSATISFIED,
                        "a cube of %u quasi-identifiers has too many sets; the maximum is %d: use "
                        "--algorithm incognito-superroots, which needs none",
                        n, KAN_MOST_CUBE_ATTRIBUTES);
    KAN_TRY(kan_alloc_zero(search->run, cube.n_masks, sizeof *cube.sets, &cube.sets));
    layer made = {.search = search, .cube = &cube};
    for (unsigned size = n - 1; size > 0; size--) {
        kan_status status = build_size(&made, size, most_bytes);
        if (status != KAN_OK) {
            kan_cube_destroy(&cube);
            return status;
        }
    }
    *out = cube;
    return KAN_OK;
}

void kan_cube_destroy(kan_cube *cube) {
    for (size_t mask = 0; cube->sets && mask < cube->n_masks; mask++)
        kan_free(cube->run, cube->sets[mask]);
    kan_free(cube->run, cube->sets);
    *cube = (kan_cube){.run = cube->run};
}
