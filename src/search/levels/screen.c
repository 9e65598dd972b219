/* screen: the best node under a promise that generalizing can break, without a look at every node.
 *
 * Where rows may be suppressed, most models of sensitive values are such promises: a group that
 * passes may merge with one that fails, and then both fail. So nothing is known of the nodes above
 * or below one that was checked, and only `exhaustive` was sound. But of every promise one part is
 * monotone: no released group has fewer than k rows. `screen` is the branch and bound of `bisect`
 * (boxes.h) by this part alone:
 *
 *   - what fails by k alone fails. So does all of a box whose high corner does.
 *   - a release under the promise suppresses, of the same node, what k alone suppresses, and
 *     perhaps more. It costs no less, where a cost grows with what is lost
 *     (kan_cost_kind.grows_with_losses). So a bound of what boxes cost by k alone holds.
 *
 * Nodes that may be the best by that are checked against the whole promise (strict.h), and only
 * those that keep it count. Such a check also tells how many rows every node below loses at least,
 * because groups that pass pass together: a box fails by that, or costs more. docs/papers/screen.md
 * has the proofs.
 *
 * Where the solution space is wanted, where nothing keeps the promise (to say what would), where a
 * cost may fall with what is lost, and where people are counted instead of rows, it looks at every
 * node as `exhaustive` does. */
#include "search/boxes/boxes.h"
#include "search/levels/levels.h"

static bool can_screen(const kan_question *question) {
    return !question->wants_all && question->objective->kind->grows_with_losses &&
           !question->problem->has_person;
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    kan_answer answer = {.n_nodes = 0};
    if (!can_screen(question))
        return kan_search_exhaustive.search(run, question, out);
    KAN_TRY(kan_boxes_find_best(question, &answer));
    if (!answer.is_found)
        return kan_search_exhaustive.search(run, question, out);
    *out = answer;
    return KAN_OK;
}

const kan_search_kind kan_search_screen = {
    .kind =
        {.name = "screen",
         .summary =
             "the best under a promise that generalizing can break; leaves out what k rules out",
         .paper = "kanon's own",
         .is_everyday = true},
    .models = {&kan_model_full_domain, &kan_model_attribute_suppression},
    .finds_all = true,
    .finds_best = true,
    .counts_steps = true,
    .is_anytime = true,
    .search = search,
};
