/* bottom-up: breadth-first over the whole lattice from the bottom, each frequency set counted anew
 * (incognito.txt 2.2, "naive bottom-up breadth-first search").
 *
 * Every node that is checked is grouped from the base, which is what the paper calls a scan of the
 * table. The loop is that of Figure 8 on the full set of attributes: search/levels/breadth_first.c.
 *
 * Cost: nodes checked x base tuples. Memory: one set per thread, a bit per node. */
#include "search/judge/judge.h"
#include "search/levels/breadth_first.h"
#include "search/levels/levels.h"

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    return kan_breadth_first_search(run, question, kan_search_bottom_up.kind.name, false, out);
}

const kan_search_kind kan_search_bottom_up = {
    .kind = {.name = "bottom-up",
             .summary = "all answers: from the most detailed up, each counted from the whole table",
             .options = kan_marking_options,
             .n_options = KAN_N_MARKING_OPTIONS,
             .paper = "Incognito 2.2"},
    .models = {&kan_model_full_domain, &kan_model_attribute_suppression},
    .needs_monotone = true,
    .finds_all = true,
    .finds_best = true,
    .search = search,
};
