/* bottom-up-rollup: breadth-first over the whole lattice from the bottom, each frequency set rolled
 * up from one below (incognito.txt 2.2, last paragraph).
 *
 * A node that is checked lies directly above failing nodes, whose frequency sets are there: the one
 * with the fewest tuples is rolled up. The paper takes any of them. The loop is that of Figure 8 on
 * the full set of attributes: search/levels/breadth_first.c.
 *
 * Cost: nodes checked x tuples of the smallest set below. Memory: the failing sets of two heights,
 * within half of a memory budget and a gibibyte; what does not fit is made from the base again. */
#include "search/judge/judge.h"
#include "search/levels/breadth_first.h"
#include "search/levels/levels.h"

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    return kan_breadth_first_search(run, question, kan_search_bottom_up_rollup.kind.name, true,
                                    out);
}

const kan_search_kind kan_search_bottom_up_rollup = {
    .kind = {.name = "bottom-up-rollup",
             .summary = "all answers: bottom-up, each counted from a more detailed one",
             .options = kan_marking_options,
             .n_options = KAN_N_MARKING_OPTIONS,
             .paper = "Incognito 2.2"},
    .models = {&kan_model_full_domain, &kan_model_attribute_suppression},
    .needs_monotone = true,
    .finds_all = true,
    .finds_best = true,
    .search = search,
};
