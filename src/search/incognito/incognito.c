/* incognito: all full-domain generalizations that keep the promise, by searching the subsets of the
 * attributes from the smallest up (incognito.txt 3.1, Figure 8).
 *
 * The basic algorithm: the frequency set of each root is made from the base, all others by rolling
 * up that of a parent that failed. The loop is in subset_search.c, the candidates in candidates.c,
 * the breadth-first search of one graph in graph_search.c. */
#include "search/incognito/incognito.h"
#include "search/incognito/subset_search.h"
#include "search/levels/levels.h"

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    kan_subset_search *subsets;
    KAN_TRY(kan_subset_search_create(run, question, &subsets));
    kan_status status = kan_subset_search_run(subsets, &(kan_supply){.context = NULL}, NULL, out);
    kan_subset_search_destroy(subsets);
    return status;
}

const kan_search_kind kan_search_incognito = {
    .kind = {.name = "incognito",
             .summary = "all answers: what fails for some columns is not tried for more of them",
             .options = kan_marking_options,
             .n_options = KAN_N_MARKING_OPTIONS,
             .paper = "Incognito 3.1, Figure 8"},
    .models = {&kan_model_full_domain, &kan_model_attribute_suppression},
    .counting = KAN_COUNTING_SCANS,
    .needs_monotone = true,
    .finds_all = true,
    .finds_best = true,
    .search = search,
};
