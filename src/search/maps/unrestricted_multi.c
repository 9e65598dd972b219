/* The search `unrestricted-multi` (incognito.txt 5.1.3): see maps_search.c. */
#include "search/maps/maps_inside.h"

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    return kan_maps_search(run, question, KAN_MAPS_UNRESTRICTED_MULTI, out);
}

static const kan_option_spec options[] = {KAN_MAPS_OPTIONS};

const kan_search_kind kan_search_unrestricted_multi = {
    .kind = {.name = "unrestricted-multi",
             .summary = "every distinct tuple at its own nodes",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "Incognito 5.1.3"},
    .models = {&kan_model_unrestricted_multi},
    .costs = &kan_maps_costs,
    .regions = true,
    .local = true,
    .counts_people = true,
    .counts_histories = true,
    .begins_with_levels = true,
    .is_anytime = true,
    .search = search,
};
