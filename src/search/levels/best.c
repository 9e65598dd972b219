/* The best node, for other rooms: by `bisect`, or by `screen` where generalizing can break the
 * promise. */
#include "search/boxes/boxes.h"
#include "search/levels/levels.h"

kan_status kan_levels_best(kan_run *run, const kan_question *question, kan_answer *out) {
    const kan_search_kind *search =
        kan_promise_is_monotone(question->promise) ? &kan_search_bisect : &kan_search_screen;
    return search->search(run, question, out);
}
