/* greedy: cuts from the top down (the purely greedy method of k-optimize.txt 7.3).
 *
 * Begins with everything in one group, and always makes the cut that improves the cost most, until
 * none does; of equals the first. One answer, soon; nothing is taken back, so it is often far from
 * the best. Cost: as many steps as the answer has cuts (search/cuts/cut_state.h). */
#include "search/cuts/climb.h"
#include "search/cuts/cuts.h"

static kan_status add_best_cuts(kan_cut_record *record) {
    kan_status status = KAN_OK;
    kan_climb_watch watch = {.run = record->space->run};
    kan_cut_state *state;
    KAN_TRY(kan_cut_state_create(record->space, &state));
    kan_climb_add(state, &watch);
    record->n_states += watch.n_states;
    if (kan_cut_score_is_allowed(kan_cut_state_score(state)))
        status = kan_cut_record_offer(record, state->is_made, state->cost);
    kan_cut_state_destroy(state);
    return status;
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    return kan_cut_search(run, question, add_best_cuts, out);
}

const kan_search_kind kan_search_greedy = {
    .kind = {.name = "greedy",
             .summary = "cuts values into intervals, always where it helps most; no cut is undone",
             .paper = "Bayardo, Agrawal 2005 (K-Optimize), 7.3"},
    .models = {&kan_model_ordered_set, &kan_model_full_subtree},
    .costs = &kan_cut_costs,
    .cuts = true,
    .counts_people = true,
    .counts_pasts = true,
    .is_anytime = true,
    .search = search,
};
