/* hill-climb: the iterated two-phase method of k-optimize.txt 7.3.
 *
 * From a random set of cuts it climbs down to a local minimum, in turns of removing and adding
 * (search/cuts/climb.h), and begins again; the best minimum is the answer. As 7.3 suggests, costs
 * come from what a step changes, not from sorting. With --restart-kind perturb it begins near the
 * best so far instead, which usually finds better answers sooner.
 *
 * Without a time limit it climbs --restarts times, and the answer depends on the seed alone. With
 * one, and no number of restarts, it goes on until the time is up. */
#include <string.h>

#include "search/cuts/climb.h"
#include "search/cuts/cuts.h"

enum { RESTARTS = 20 };

static kan_status climb_from_restarts(kan_cut_record *record) {
    const kan_options *options = record->space->question->options;
    const char *kind = kan_options_find(options, "restart-kind");
    const bool is_timed = kan_options_real(options, "time-limit", 0) > 0;
    const kan_climb_plan plan = {
        .seed = kan_run_seed(record->space->run),
        .n_climbs = kan_options_count(options, "restarts", is_timed ? 0 : RESTARTS),
        .from_the_best = kind && strcmp(kind, "perturb") == 0};
    kan_climb_tally tally = {0};
    return kan_climb(&plan, &tally, record);
}

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    return kan_cut_search(run, question, climb_from_restarts, out);
}

static const kan_option_spec options[] = {
    KAN_CUT_SOLUTION_OPTION,
    {.name = "restarts",
     .argument = "N",
     .summary = "how often to climb (default: 20, or as often as the time limit allows)",
     .type = KAN_OPTION_COUNT,
     .traits = KAN_TRAIT_SHOWN,
     .least = 1},
    {.name = "restart-kind",
     .argument = "NAME",
     .summary = "where a climb begins: random (anywhere) or perturb (near the best so far)",
     .type = KAN_OPTION_CHOICE,
     .traits = KAN_TRAIT_SHOWN,
     .fallback = "random",
     .choices = "random|perturb"},
};

const kan_search_kind kan_search_hill_climb = {
    .kind = {.name = "hill-climb",
             .summary = "cuts values into intervals: climbs down from random cuts, again and again",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Bayardo, Agrawal 2005 (K-Optimize), 7.3"},
    .models = {&kan_model_ordered_set, &kan_model_full_subtree},
    .costs = &kan_cut_costs,
    .cuts = true,
    .counts_people = true,
    .counts_pasts = true,
    .is_anytime = true,
    .search = search,
};
