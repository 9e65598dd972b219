/* mondrian: the space of tuples is cut into boxes, each at the median of one column
 * (mondrian-greedy.txt 2.3, strict). Two rows with the same values are always in the same box.
 *
 * A cut is made when each part keeps the promise; a region is final when no column allows one. For
 * k-anonymity over d columns of numbers no region then has more than 2d(k - 1) + m rows, m being
 * the most rows that are alike. Cost: n log(n / k) for n tuples. */
#include "search/regions/partition.h"
#include "search/regions/regions.h"

static kan_status search(kan_run *run, const kan_question *question, kan_answer *out) {
    return kan_partition_search(run, question, false, out);
}

static const kan_option_spec options[] = {KAN_PARTITION_OPTIONS};

const kan_search_kind kan_search_mondrian = {
    .kind = {.name = "mondrian",
             .summary = "cuts the table into boxes of rows, each as small as the promise allows",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .paper = "LeFevre et al. 2006 (Mondrian)",
             .is_everyday = true},
    .models = {&kan_model_ordered_regions},
    .costs = &kan_partition_costs,
    .regions = true,
    .counts_people = true,
    .counts_pasts = true,
    .follows_outcome = true,
    .search = search,
};
