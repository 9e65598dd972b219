/* incognito-superroots: Incognito with one scan per subset of the attributes (incognito.txt 3.3.1).
 *
 * The roots of a graph are all generalizations of one node, their greatest lower bound: the least
 * level of each attribute among the roots. Its frequency set is made from the base, and the roots
 * are rolled up from it. (The text says "least upper bound"; its example, and its reason, need the
 * lower one.) A root that is alone is its own super-root. */
#include "search/incognito/incognito.h"
#include "search/incognito/subset_search.h"
#include "search/levels/levels.h"

typedef struct {
    kan_subset_search *search;
    struct {
        bool is_there;
        kan_freqset set;
    } * roots; /* the super-root of the graph that each worker searches */
} super_roots;

/* The least levels of the roots; returns how many roots there are. */
static size_t find_super_root(const kan_candidates *graph, unsigned *levels) {
    const unsigned n = graph->lattice.n_attributes;
    size_t n_roots = 0;
    for (size_t node = 0; node < graph->n; node++) {
        unsigned here[KAN_MAX_ATTRIBUTES];
        if (!graph->is_root[node])
            continue;
        kan_lattice_levels(&graph->lattice, graph->nodes[node], here);
        for (unsigned a = 0; a < n; a++)
            levels[a] = n_roots == 0 || here[a] < levels[a] ? here[a] : levels[a];
        n_roots++;
    }
    return n_roots;
}

static kan_status begin(void *context, unsigned worker, const kan_candidates *graph) {
    super_roots *supers = context;
    kan_subset_search *search = supers->search;
    unsigned levels[KAN_MAX_ATTRIBUTES];
    kan_layout layout;
    supers->roots[worker].is_there = find_super_root(graph, levels) > 1;
    if (!supers->roots[worker].is_there)
        return KAN_OK;
    kan_subset_layout(search, graph->lattice.n_attributes, graph->attributes, levels, &layout);
    return kan_subset_regroup(search, &search->workers[worker], &search->base, KAN_FROM_BASE,
                              &layout, &supers->roots[worker].set);
}

static const kan_freqset *find(void *context, unsigned worker, const kan_candidates *graph,
                               size_t node, const unsigned *levels, kan_origin *origin) {
    const super_roots *supers = context;
    (void)graph, (void)node, (void)levels; /* it lies below every candidate */
    *origin = KAN_FROM_SET;
    return supers->roots[worker].is_there ? &supers->roots[worker].set : NULL;
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    kan_status status;
    super_roots supers = {.roots = NULL};
    KAN_TRY(kan_subset_search_create(run, question, &supers.search));
    const unsigned n_workers = supers.search->n_workers;
    KAN_TRY_DONE(kan_alloc_zero(run, n_workers, sizeof *supers.roots, &supers.roots));
    const kan_supply supply = {&supers, begin, find};
    KAN_TRY_DONE(kan_subset_search_run(supers.search, &supply, NULL, out));
done:
    for (unsigned i = 0; supers.roots && i < n_workers; i++)
        kan_freqset_destroy(run, &supers.roots[i].set);
    kan_free(run, supers.roots);
    kan_subset_search_destroy(supers.search);
    return status;
}

const kan_search_kind kan_search_incognito_superroots = {
    .kind = {.name = "incognito-superroots",
             .summary = "all answers: incognito, counting the whole table once per set of columns",
             .options = kan_marking_options,
             .n_options = KAN_N_MARKING_OPTIONS,
             .paper = "Incognito 3.3.1"},
    .models = {&kan_model_full_domain, &kan_model_attribute_suppression},
    .counting = KAN_COUNTING_SUPERROOTS,
    .needs_monotone = true,
    .finds_all = true,
    .finds_best = true,
    .search = search,
};
