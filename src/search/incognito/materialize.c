/* Strategic materialization: see materialize.h.
 *
 * The benefit of a view is the sum, over the nodes of all subsets that it answers, of the tuples
 * that it saves against the smallest view that answers them already. Views are taken in the order
 * of benefit per byte, by estimated sizes (view_sizes.h). Benefits only shrink as views are added,
 * so the top of a heap is the right choice if it is still the top after it was counted again. A
 * view that saves less than making it costs is left out.
 *
 * Cost: by the number of views times what each answers; the choice ends when that has become too
 * much. */
#include "search/incognito/materialize.h"

#include <stdlib.h>
#include <string.h>

#include "search/incognito/view_sizes.h"

enum {
    FEW_VIEWS = 1 << 16,  /* more are considered only where attributes alone make more */
    MOST_VIEWS_KEPT = 256 /* each check looks through them */
};
/* Choosing costs no more than so many scans, and a little. */
#define MOST_SCANS  64
#define SMALL_STEPS (UINT64_C(1) << 20)
/* The benefit counts all nodes as if each were asked for, but the search asks for few: pruned and
 * marked nodes need no set. On Adult with nine columns it is one in 45. */
#define NODES_PER_CHECK 32

typedef struct {
    double benefit, per_byte;
    uint32_t view;
    uint32_t round; /* in which it was counted: the number of views taken before */
} candidate;

typedef struct {
    kan_subset_search *search;
    kan_view_sizes sizes;
    double *costs; /* of each node: tuples of the smallest view that answers it */
    candidate *heap;
    size_t n_heap;
    uint64_t n_steps;
    uint64_t bytes_left;
    kan_views *views;
} chooser;

/* ---- benefits ------------------------------------------------------------------------------- */

/* A node of a smaller subset is the node of all attributes with those that it lacks at the top, as
 * far as views are concerned: an attribute at the top stands for two. */
static double weight_of(const kan_lattice *lattice, unsigned stop, unsigned a) {
    return stop == lattice->heights[a] ? 2 : 1;
}

static double bytes_of(const chooser *choice, uint32_t view) {
    const unsigned words = choice->search->base.layout.n_words + 1;
    return (double)sizeof(kan_freqset) +
           choice->sizes.n_tuples[view] * words * (double)sizeof(uint64_t);
}

/* Walks over all nodes that the view answers. Their sum of savings; when `takes`, the view becomes
 * the one that answers them where it is the smallest. */
static double walk_answered(chooser *choice, uint32_t view, bool takes) {
    const kan_lattice *lattice = &choice->sizes.lattice;
    const unsigned last = lattice->n_attributes - 1;
    const double size = choice->sizes.n_tuples[view];
    unsigned from[KAN_MAX_ATTRIBUTES], stops[KAN_MAX_ATTRIBUTES], a = 0;
    uint64_t nodes[KAN_MAX_ATTRIBUTES + 1] = {0}; /* of the first attributes alone */
    double weights[KAN_MAX_ATTRIBUTES + 1] = {1}, sum = 0;
    kan_lattice_levels(lattice, view, from);
    memcpy(stops, from, sizeof stops);
    do {
        for (; a < last; a++) {
            nodes[a + 1] = nodes[a] + stops[a] * lattice->strides[a];
            weights[a + 1] = weights[a] * weight_of(lattice, stops[a], a);
        }
        double *costs = choice->costs + nodes[last];
        for (unsigned stop = from[last]; stop <= lattice->heights[last]; stop++) {
            if (costs[stop] <= size)
                continue;
            sum += weights[last] * weight_of(lattice, stop, last) * (costs[stop] - size);
            if (takes)
                costs[stop] = size;
        }
        choice->n_steps += lattice->heights[last] - from[last] + 1;
        while (a-- > 0 && stops[a]++ == lattice->heights[a])
            stops[a] = from[a];
    } while (a < last); /* before the first there is none */
    return sum;
}

/* Before any view is taken every node costs the base. */
static double first_benefit(const chooser *choice, uint32_t view) {
    const kan_lattice *lattice = &choice->sizes.lattice;
    unsigned stops[KAN_MAX_ATTRIBUTES];
    double n_answered = 1;
    kan_lattice_levels(lattice, view, stops);
    for (unsigned a = 0; a < lattice->n_attributes; a++)
        n_answered *= lattice->heights[a] - stops[a] + 2;
    return n_answered * ((double)choice->search->base.n - choice->sizes.n_tuples[view]);
}

/* ---- the heap ------------------------------------------------------------------------------- */

static bool is_above(const candidate *a, const candidate *b) {
    return a->per_byte > b->per_byte || (a->per_byte == b->per_byte && a->view < b->view);
}

static void sink(chooser *choice, size_t at) {
    candidate *heap = choice->heap, moved = heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= choice->n_heap)
            break;
        if (child + 1 < choice->n_heap && is_above(&heap[child + 1], &heap[child]))
            child++;
        if (!is_above(&heap[child], &moved))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

static void remove_top(chooser *choice) {
    choice->heap[0] = choice->heap[--choice->n_heap];
    if (choice->n_heap > 0)
        sink(choice, 0);
}

static kan_status fill_heap(chooser *choice) {
    const size_t n = (size_t)choice->sizes.lattice.n_nodes;
    kan_run *run = choice->search->run;
    KAN_TRY(kan_alloc(run, n, sizeof *choice->costs, &choice->costs));
    KAN_TRY(kan_alloc(run, n, sizeof *choice->heap, &choice->heap));
    for (size_t view = 0; view < n; view++) {
        candidate *added = &choice->heap[choice->n_heap++];
        choice->costs[view] = (double)choice->search->base.n;
        added->view = (uint32_t)view;
        added->round = 0;
        added->benefit = first_benefit(choice, added->view);
        added->per_byte = added->benefit / bytes_of(choice, added->view);
    }
    for (size_t at = n / 2; at-- > 0;)
        sink(choice, at);
    return KAN_OK;
}

/* ---- the choice ----------------------------------------------------------------------------- */

static void take_view(chooser *choice, uint32_t view) {
    const kan_lattice *lattice = &choice->sizes.lattice;
    kan_view *taken = &choice->views->list[choice->views->n++];
    unsigned stops[KAN_MAX_ATTRIBUTES];
    *taken = (kan_view){.n_expected = choice->sizes.n_tuples[view]};
    kan_lattice_levels(lattice, view, stops);
    for (unsigned a = 0; a < lattice->n_attributes; a++)
        taken->levels[a] = choice->sizes.stops[a][stops[a]];
    walk_answered(choice, view, true);
    choice->bytes_left -= (uint64_t)bytes_of(choice, view);
}

static kan_status choose(chooser *choice) {
    const uint64_t most_steps = SMALL_STEPS + MOST_SCANS * choice->search->base.n;
    KAN_TRY(fill_heap(choice));
    while (choice->n_heap > 0 && choice->views->n < MOST_VIEWS_KEPT &&
           choice->n_steps < most_steps) {
        candidate *top = &choice->heap[0];
        KAN_TRY(kan_check_cancel(choice->search->run));
        if (bytes_of(choice, top->view) > (double)choice->bytes_left ||
            top->benefit <= NODES_PER_CHECK * choice->costs[top->view]) {
            remove_top(choice); /* neither ever changes for the better */
        } else if (top->round == choice->views->n) {
            take_view(choice, top->view);
            remove_top(choice);
        } else {
            top->round = (uint32_t)choice->views->n;
            top->benefit = walk_answered(choice, top->view, false);
            top->per_byte = top->benefit / bytes_of(choice, top->view);
            sink(choice, 0);
        }
    }
    return KAN_OK;
}

/* ---- making --------------------------------------------------------------------------------- */

static int by_expected(const void *a, const void *b) {
    const kan_view *x = a, *y = b;
    if (x->n_expected != y->n_expected)
        return x->n_expected > y->n_expected ? -1 : 1;
    return memcmp(x->levels, y->levels, sizeof x->levels);
}

static int by_tuples(const void *a, const void *b) {
    const kan_view *x = a, *y = b;
    if (x->set->n != y->set->n)
        return x->set->n < y->set->n ? -1 : 1;
    return memcmp(x->levels, y->levels, sizeof x->levels);
}

/* The smallest set, among the views that are made, from which a view of these levels can be made.
 */
static const kan_freqset *find_source(const kan_views *views, size_t n_made, unsigned n_places,
                                      const uint8_t *levels) {
    const kan_freqset *best = NULL;
    for (size_t i = 0; i < n_made; i++) {
        const kan_view *view = &views->list[i];
        bool answers = !best || view->set->n < best->n;
        for (unsigned a = 0; answers && a < n_places; a++)
            answers = view->levels[a] <= levels[a];
        best = answers ? view->set : best;
    }
    return best;
}

/* Makes the chosen views, largest first. One that turns out to be too large, or no smaller than the
 * base, is dropped again. */
static kan_status make_views(kan_subset_search *search, uint64_t most_bytes, kan_views *views) {
    kan_subset_worker *worker = &search->workers[0];
    kan_freqset *scratch = &worker->walk.made[0];
    const unsigned n = search->lattice.n_attributes;
    const size_t n_chosen = views->n;
    unsigned places[KAN_MAX_ATTRIBUTES], levels[KAN_MAX_ATTRIBUTES];
    views->n = 0; /* made */
    qsort(views->list, n_chosen, sizeof *views->list, by_expected);
    for (size_t i = 0; i < n_chosen; i++) {
        kan_view view = views->list[i];
        kan_layout layout;
        for (unsigned a = 0; a < n; a++) {
            places[a] = a;
            levels[a] = view.levels[a];
        }
        KAN_TRY(kan_check_cancel(search->run));
        const kan_freqset *from = find_source(views, views->n, n, view.levels);
        kan_subset_layout(search, n, places, levels, &layout);
        KAN_TRY(kan_subset_regroup(search, worker, from ? from : &search->base,
                                   from ? KAN_FROM_CUBE : KAN_FROM_BASE, &layout, scratch));
        const uint64_t bytes = kan_freqset_bytes(scratch);
        if (bytes > most_bytes - views->bytes || scratch->n >= search->base.n)
            continue;
        KAN_TRY(kan_freqset_keep(search->run, scratch, &view.set));
        views->bytes += bytes;
        views->list[views->n++] = view;
    }
    qsort(views->list, views->n, sizeof *views->list, by_tuples);
    return KAN_OK;
}

/* ---- the whole ------------------------------------------------------------------------------ */

kan_status kan_views_build(kan_subset_search *search, uint64_t most_bytes, kan_views *out) {
    kan_status status;
    kan_run *run = search->run;
    const unsigned n = search->lattice.n_attributes;
    kan_views views = {.run = run};
    chooser choice = {.search = search, .bytes_left = most_bytes, .views = &views};
    if (n > KAN_MOST_CUBE_ATTRIBUTES)
        return kan_fail(run, KAN_UNSATISFIED,
                        "views of %u quasi-identifiers are too many to choose from; the maximum is "
                        "%d: use --algorithm incognito-superroots, which needs none",
                        n, KAN_MOST_CUBE_ATTRIBUTES);
    const uint64_t most_views = n > 16 ? UINT64_C(1) << n : FEW_VIEWS;
    KAN_TRY_DONE(kan_view_sizes_make(search, most_views, &choice.sizes));
    KAN_TRY_DONE(kan_alloc(run, MOST_VIEWS_KEPT, sizeof *views.list, &views.list));
    KAN_TRY_DONE(choose(&choice));
    KAN_TRY_DONE(make_views(search, most_bytes, &views));
    *out = views;
    views = (kan_views){.run = run};
done:
    kan_views_destroy(&views);
    kan_free(run, choice.costs);
    kan_free(run, choice.heap);
    kan_view_sizes_destroy(run, &choice.sizes);
    return status;
}

void kan_views_destroy(kan_views *views) {
    for (size_t i = 0; views->list && i < views->n; i++)
        kan_free(views->run, views->list[i].set);
    kan_free(views->run, views->list);
    *views = (kan_views){.run = views->run};
}

const kan_freqset *kan_views_find(const kan_views *views, unsigned n, const unsigned *places,
                                  const unsigned *levels) {
    for (size_t i = 0; i < views->n; i++) {
        const kan_view *view = &views->list[i];
        unsigned a = 0;
        while (a < n && view->levels[places[a]] <= levels[a])
            a++;
        if (a == n)
            return view->set;
    }
    return NULL;
}
