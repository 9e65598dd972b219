/* The search `unrestricted` (incognito.txt 5.1.1): see maps_search.c. */
#include "search/maps/maps_inside.h"

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    return kan_maps_search(run, question, KAN_MAPS_UNRESTRICTED, out);
}

static const kan_option_spec options[] = {KAN_MAPS_OPTIONS};

const kan_search_kind kan_search_unrestricted = {
    .kind = {.name = "unrestricted",
             .summary = "values at any of their nodes, each on its own",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Incognito 5.1.1"},
    .models = {&kan_model_unrestricted},
    .costs = &kan_maps_costs,
    .regions = true,
    .local = true,
    .counts_people = true,
    .counts_histories = true,
    .begins_with_levels = true,
    .is_anytime = true,
    .search = search,
};
