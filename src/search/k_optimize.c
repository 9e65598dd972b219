/* k-optimize: the best set of cuts, proven (k-optimize.txt, with bounds that go further).
 *
 * It begins with a short hill climb, and with a look at what costs least when nothing is
 * suppressed; then it explores all sets of choices by branch and bound (cut_waves.h, cut_tree.h,
 * cut_class.h), with what is proven so far at any time. docs/papers/k-optimize.md has the proofs.
 */
#include "search/climb.h"
#include "search/cut_waves.h"

enum {
    CLIMBS = 12,        /* from random cuts */
    PERTURBED = 48,     /* and from near the best */
    UNSUPPRESSED = 4096 /* states that the look at no suppression may take */
};

static kan_status seed(kan_cut_record *record) {
    kan_run *run = record->space->run;
    bool is_complete;
    const kan_climb_plan random = {.seed = kan_run_seed(run), .n_climbs = CLIMBS};
    const kan_climb_plan near = {
        .seed = kan_run_seed(run) + 1, .n_climbs = PERTURBED, .from_the_best = true};
    KAN_TRY(kan_climb(&random, record));
    KAN_TRY(kan_climb(&near, record));
    if (record->space->limit == 0)
        return KAN_OK;
    const kan_cut_waves_plan plan = {.limit = 0, .n_states = UNSUPPRESSED, .below = UINT64_MAX};
    return kan_cut_waves_explore(&plan, record, &is_complete);
}

static kan_status look(kan_cut_record *record) {
    const kan_options *options = record->space->question->options;
    const char *cost = kan_options_find(options, "seed-cost");
    const uint64_t below = cost ? kan_options_count(options, "seed-cost", 0) + 1 : UINT64_MAX;
    bool is_complete;
    if (!kan_options_switch(options, "unseeded"))
        KAN_TRY(seed(record));
    const kan_cut_waves_plan plan = {
        .limit = record->space->limit, .below = below, .is_whole = true};
    KAN_TRY(kan_cut_waves_explore(&plan, record, &is_complete));
    record->is_optimal = is_complete && record->is_found;
    return KAN_OK;
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    return kan_cut_search(run, question, look, out);
}

static const kan_option_spec options[] = {
    KAN_CUT_OPTIONS,
    KAN_CUT_SEED_OPTION,
    {.name = "unseeded",
     .summary = "begin without the hill climb and the look at no suppression",
     .type = KAN_OPTION_SWITCH},
};

const kan_search_kind kan_search_k_optimize = {
    .kind = {"k-optimize", "cuts ordered domains: the best set of cuts, proven", options,
             sizeof options / sizeof *options},
    .paper = "k-optimize 5",
    .cuts = true,
    .is_anytime = true,
    .finds_best = true,
    .search = search,
};
