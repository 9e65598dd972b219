/* The sizes of views: see view_sizes.h.
 *
 * Cost: a pass over the base for each attribute and each pair, small sets after that, and a few
 * steps per node. */
#include "search/incognito/view_sizes.h"

#include <math.h>
#include <string.h>

/* ---- stops ---------------------------------------------------------------------------------- */

static uint64_t count_nodes(const kan_lattice *lattice) {
    uint64_t n = 1;
    for (unsigned a = 0; a < lattice->n_attributes; a++)
        n *= lattice->heights[a] + 1u;
    return n;
}

/* Every second stop of the attribute with the most goes, until there are few enough nodes; the
 * lowest and the highest stay. */
static void choose_stops(const kan_lattice *whole, uint64_t most_nodes, kan_view_sizes *sizes) {
    kan_lattice chosen = *whole;
    unsigned places[KAN_MAX_ATTRIBUTES];
    KAN_ASSERT(whole->n_attributes <= KAN_MOST_CUBE_ATTRIBUTES);
    for (unsigned a = 0; a < whole->n_attributes; a++) {
        KAN_ASSERT(whole->heights[a] <= KAN_HEIGHT_MOST);
        places[a] = a;
        chosen.low[a] = 0; /* digits are stops, and what level each is stands beside */
        for (unsigned stop = 0; stop <= whole->heights[a]; stop++)
            sizes->stops[a][stop] = (uint8_t)(whole->low[a] + stop);
    }
    while (count_nodes(&chosen) > most_nodes) {
        unsigned tallest = 0, kept = 0;
        for (unsigned a = 1; a < whole->n_attributes; a++)
            tallest = chosen.heights[a] > chosen.heights[tallest] ? a : tallest;
        const unsigned last = chosen.heights[tallest];
        if (last < 2)
            break;
        for (unsigned stop = 0; stop < last; stop += 2)
            sizes->stops[tallest][kept++] = sizes->stops[tallest][stop];
        sizes->stops[tallest][kept] = sizes->stops[tallest][last];
        chosen.heights[tallest] = kept;
    }
    chosen.n_nodes = count_nodes(&chosen);
    chosen.is_countable = true;
    kan_lattice_part(&chosen, places, whole->n_attributes, &sizes->lattice);
}

/* ---- groups of one attribute and of two ----------------------------------------------------- */

typedef struct {
    kan_subset_search *search;
    const kan_view_sizes *sizes;
    unsigned first[KAN_MOST_CUBE_ATTRIBUTES]; /* of each place, among the stops of all places */
    unsigned n_stops;
    double *one;           /* groups at each stop */
    double *two;           /* [stop * n_stops + other stop], the other of a place after it */
    kan_freqset low, high; /* at level 0; at the stops in hand */
} counts;

static kan_status regroup(counts *here, const kan_freqset *from, kan_origin origin, unsigned n,
                          const unsigned *places, const unsigned *levels, kan_freqset *out) {
    const kan_subset_search *search = here->search;
    unsigned dimensions[2];
    kan_layout layout;
    for (unsigned i = 0; i < n; i++)
        dimensions[i] = search->order[places[i]];
    kan_layout_make(search->space, dimensions, levels, n, &layout);
    return kan_subset_regroup(search, &search->workers[0], from, origin, &layout, out);
}

static kan_status count_one(counts *here, unsigned place) {
    const unsigned zero = 0;
    KAN_TRY(regroup(here, &here->search->base, KAN_FROM_BASE, 1, &place, &zero, &here->low));
    for (unsigned stop = 0; stop <= here->sizes->lattice.heights[place]; stop++) {
        const unsigned level = here->sizes->stops[place][stop];
        KAN_TRY(regroup(here, &here->low, KAN_FROM_SET, 1, &place, &level, &here->high));
        here->one[here->first[place] + stop] = (double)here->high.n;
    }
    return KAN_OK;
}

static kan_status count_two(counts *here, unsigned place, unsigned other) {
    const kan_view_sizes *sizes = here->sizes;
    const unsigned places[2] = {place, other}, zeros[2] = {0};
    KAN_TRY(kan_check_cancel(here->search->run));
    KAN_TRY(regroup(here, &here->search->base, KAN_FROM_BASE, 2, places, zeros, &here->low));
    for (unsigned i = 0; i <= sizes->lattice.heights[place]; i++)
        for (unsigned j = 0; j <= sizes->lattice.heights[other]; j++) {
            const unsigned levels[2] = {sizes->stops[place][i], sizes->stops[other][j]};
            KAN_TRY(regroup(here, &here->low, KAN_FROM_SET, 2, places, levels, &here->high));
            here->two[(here->first[place] + i) * here->n_stops + here->first[other] + j] =
                (double)here->high.n;
        }
    return KAN_OK;
}

static kan_status count_all(counts *here) {
    const kan_lattice *lattice = &here->sizes->lattice;
    kan_run *run = here->search->run;
    for (unsigned a = 0; a < lattice->n_attributes; a++) {
        here->first[a] = here->n_stops;
        here->n_stops += lattice->heights[a] + 1;
    }
    KAN_TRY(kan_alloc_zero(run, here->n_stops, sizeof *here->one, &here->one));
    KAN_TRY(
        kan_alloc_zero(run, (size_t)here->n_stops * here->n_stops, sizeof *here->two, &here->two));
    for (unsigned a = 0; a < lattice->n_attributes; a++) {
        KAN_TRY(count_one(here, a));
        for (unsigned b = a + 1; b < lattice->n_attributes; b++)
            KAN_TRY(count_two(here, a, b));
    }
    return KAN_OK;
}

/* ---- tuples --------------------------------------------------------------------------------- */

/* By how much the attribute at `place` multiplies the combinations of those before it. */
static double factor_at(const counts *here, const unsigned *stops, unsigned place) {
    const unsigned last = here->first[place] + stops[place];
    double least = here->one[last];
    for (unsigned a = 0; a < place; a++) {
        const unsigned stop = here->first[a] + stops[a];
        least = fmin(least, here->two[stop * here->n_stops + last] / here->one[stop]);
    }
    return least;
}

static void estimate_all(const counts *here, kan_view_sizes *sizes) {
    const kan_lattice *lattice = &sizes->lattice;
    const kan_space *space = here->search->space;
    const double n_base = (double)here->search->base.n;
    unsigned stops[KAN_MAX_ATTRIBUTES] = {0}, changed = 0;
    double cells[KAN_MAX_ATTRIBUTES + 1] = {1}; /* of the first attributes, one more each */
    for (unsigned t = 0; t < here->search->n_tails; t++)
        cells[0] *= kan_dimension_groups(&space->dimensions[here->search->tails[t]], 0);
    for (uint64_t node = 0; node < lattice->n_nodes; node++) {
        for (unsigned a = changed; a < lattice->n_attributes; a++)
            cells[a + 1] = cells[a] * factor_at(here, stops, a);
        const double most = cells[lattice->n_attributes];
        /* as many as n_base throws hit, if all cells are alike */
        const double n = most * -expm1(-n_base / most);
        sizes->n_tuples[node] = fmax(1, fmin(n, n_base));
        for (changed = lattice->n_attributes; changed-- > 0;) {
            if (stops[changed]++ < lattice->heights[changed])
                break;
            stops[changed] = 0;
        }
    }
}

kan_status kan_view_sizes_make(kan_subset_search *search, uint64_t most_nodes,
                               kan_view_sizes *out) {
    kan_status status;
    kan_view_sizes sizes = {.n_tuples = NULL};
    counts here = {.search = search, .sizes = &sizes};
    kan_freqset_init(&here.low);
    kan_freqset_init(&here.high);
    choose_stops(&search->lattice, most_nodes, &sizes);
    KAN_TRY_DONE(count_all(&here));
    KAN_TRY_DONE(kan_alloc(search->run, (size_t)sizes.lattice.n_nodes, sizeof *sizes.n_tuples,
                           &sizes.n_tuples));
    estimate_all(&here, &sizes);
    *out = sizes;
done:
    kan_free(search->run, here.one);
    kan_free(search->run, here.two);
    kan_freqset_destroy(search->run, &here.low);
    kan_freqset_destroy(search->run, &here.high);
    return status;
}

void kan_view_sizes_destroy(kan_run *run, kan_view_sizes *sizes) {
    kan_free(run, sizes->n_tuples);
    sizes->n_tuples = NULL;
}
