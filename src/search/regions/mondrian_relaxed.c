/* mondrian-relaxed: as mondrian, but rows at the median are shared between both sides, so that
 * these differ by at most one row (mondrian-greedy.txt 2.3, relaxed): a local recoding, in
 * which rows with the same values may show different ranges. Boxes overlap at their borders; for
 * k-anonymity over numbers no region has more than 2k - 1 rows, but for those whose rows are all
 * alike. */
#include "search/regions/partition.h"
#include "search/regions/regions.h"

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    return kan_partition_search(run, question, true, out);
}

static const kan_option_spec options[] = {KAN_PARTITION_OPTIONS};

const kan_search_kind kan_search_mondrian_relaxed = {
    .kind =
        {.name = "mondrian-relaxed",
         .summary =
             "cuts the table into equal halves, again and again; rows at a cut go to either side",
         .options = options,
         .n_options = sizeof options / sizeof *options,
         .paper = "LeFevre et al. 2006 (Mondrian)"},
    .models = {&kan_model_relaxed_regions},
    .costs = &kan_partition_costs,
    .regions = true,
    .counts_people = true,
    .counts_pasts = true,
    .follows_outcome = true,
    .divides = true,
    .search = search,
};
