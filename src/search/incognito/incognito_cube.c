/* incognito-cube: Incognito on frequency sets that are made before the search
 * (incognito.txt 3.3.2).
 *
 * Without an option these are the sets of all subsets at zero generalization (cube.h): no root is
 * scanned. With --materialize SIZE they are those, at any levels, whose sum of savings is the
 * greatest for the bytes they take (materialize.h); every check takes the smallest set at hand. */
#include "core/text.h"
#include "search/incognito/cube.h"
#include "search/incognito/incognito.h"
#include "search/incognito/materialize.h"
#include "search/levels/levels.h"

/* Without a budget of the run. */
#define MOST_CUBE_BYTES (UINT64_C(2) << 30)

static const kan_freqset *find_in_cube(void *context, unsigned worker, const kan_candidates *graph,
                                       size_t node, const unsigned *levels, kan_origin *origin) {
    const kan_cube *cube = context;
    (void)worker, (void)node, (void)levels; /* it lies below every candidate */
    *origin = KAN_FROM_CUBE;
    return cube->sets[graph->mask];
}

static const kan_freqset *find_in_views(void *context, unsigned worker, const kan_candidates *graph,
                                        size_t node, const unsigned *levels, kan_origin *origin) {
    (void)worker, (void)node;
    *origin = KAN_FROM_CUBE;
    return kan_views_find(context, graph->lattice.n_attributes, graph->attributes, levels);
}

/* The search itself needs the other half. */
static uint64_t affordable(const kan_run *run, uint64_t wanted) {
    const uint64_t left = kan_run_memory_left(run) / 2;
    return left < wanted ? left : wanted;
}

static kan_status search_cube(kan_subset_search *subsets, kan_answer *out) {
    kan_cube cube;
    KAN_TRY(kan_cube_build(subsets, affordable(subsets->run, MOST_CUBE_BYTES), &cube));
    const kan_supply supply = {.context = &cube, .find = find_in_cube};
    kan_status status = kan_subset_search_run(subsets, &supply, NULL, out);
    kan_cube_destroy(&cube);
    return status;
}

static kan_status search_views(kan_subset_search *subsets, uint64_t wanted, kan_answer *out) {
    kan_views views;
    KAN_TRY(kan_views_build(subsets, affordable(subsets->run, wanted), &views));
    const kan_supply supply = {.context = &views, .find = find_in_views};
    kan_status status = kan_subset_search_run(subsets, &supply, NULL, out);
    kan_views_destroy(&views);
    return status;
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    const char *size =
        question->options ? kan_options_find(question->options, "materialize") : NULL;
    uint64_t bytes = 0;
    kan_subset_search *subsets;
    if (size && !kan_parse_bytes(size, &bytes))
        return kan_fail(run, KAN_BAD_INPUT,
                        "--materialize: '%s' is not a size; write 64M, 2G or a number of bytes",
                        size);
    KAN_TRY(kan_subset_search_create(run, question, &subsets));
    kan_status status = size ? search_views(subsets, bytes, out) : search_cube(subsets, out);
    kan_subset_search_destroy(subsets);
    return status;
}

static const kan_option_spec options[] = {
    KAN_MARKING_OPTION,
    {.name = "materialize",
     .argument = "SIZE",
     .summary = "make counts at the most useful levels, within that size, instead of at the lowest",
     .type = KAN_OPTION_BYTES,
     .traits = KAN_TRAIT_SHOWN},
};

const kan_search_kind kan_search_incognito_cube = {
    .kind = {.name = "incognito-cube",
             .summary = "all answers: incognito on counts that are made before it starts",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Incognito 3.3.2, 4.2.3"},
    .models = {&kan_model_full_domain, &kan_model_attribute_suppression},
    .counting = KAN_COUNTING_CUBE,
    .needs_monotone = true,
    .finds_all = true,
    .finds_best = true,
    .search = search,
};
