/* What a search begins with that no search may look for itself: the best levels, where its releases
 * contain all of full-domain generalization. So its answer is never worse than that of `bisect`. */
#include "job/solve/solution.h"
#include "search/levels/levels.h"

kan_status kan_solution_begin_with_levels(const kan_setup *setup, const kan_question *question,
                                          kan_answer *out) {
    const kan_search_kind *kind =
        kan_promise_is_monotone(&setup->promise) ? &kan_search_bisect : &kan_search_screen;
    const kan_question levels = {.problem = question->problem,
                                 .promise = question->promise,
                                 .objective = question->objective,
                                 .options = question->options,
                                 .wants_release = true};
    return kind->search(setup->run, &levels, out);
}
