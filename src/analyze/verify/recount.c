/* Counting the groups of a table again. The decision is apart from the counting
 * (kan_recount_holds). */
#include "analyze/verify/verify_release.h"

static void add_group(kan_recount *recount, uint64_t count, uint64_t first_row, bool is_star) {
    bool is_small = count < recount->k;
    if (recount->n_groups == 0 || count < recount->smallest_group)
        recount->smallest_group = count;
    if (count > recount->largest_group)
        recount->largest_group = count;
    recount->n_groups++;
    if (is_small) {
        recount->n_small_groups++;
        recount->n_small_rows += count;
    }
    if (is_star)
        recount->star_is_small = is_small;
    if (is_small && recount->n_examples < KAN_RECOUNT_EXAMPLES)
        recount->examples[recount->n_examples++] = first_row;
}

void kan_recount_sum(const kan_recount_groups *groups, uint64_t k, kan_recount *out) {
    const kan_tuples *tuples = &groups->tuples;
    kan_recount recount = {.k = k, .n_rows = groups->n_rows, .n_star_rows = groups->n_star_rows};
    for (size_t i = 0; i < tuples->n; i++)
        add_group(&recount, tuples->count[i], tuples->first_row[i], i == groups->star);
    *out = recount;
}

kan_status kan_verify_recount(kan_run *run, const kan_table *release, const size_t *columns,
                              size_t n_columns, uint64_t k, kan_recount *out) {
    kan_recount_groups groups;
    KAN_TRY(kan_recount_group(run, release, columns, n_columns, NULL, &groups));
    kan_recount_sum(&groups, k, out);
    kan_tuples_destroy(&groups.tuples);
    return KAN_OK;
}

bool kan_recount_holds(const kan_recount *recount) {
    return recount->n_rows > 0 && recount->n_small_groups == 0;
}
