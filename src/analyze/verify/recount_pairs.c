/* How often each value of a column stands in each group: pairs are counted as tuples, then put into
 * the order of groups and places. */
#include <stdlib.h>

#include "analyze/verify/recount_model.h"

typedef struct {
    size_t group, place;
} pair;

void kan_model_pairs_init(kan_tuples *pairs, kan_run *run) {
    kan_tuples_init(pairs, run, sizeof(pair));
}

kan_status kan_model_pairs_add(kan_tuples *pairs, const kan_column *column,
                               const kan_model_values *values, uint64_t row, size_t n,
                               const size_t *groups) {
    pair block[KAN_TUPLES_BLOCK];
    KAN_ASSERT(n <= KAN_TUPLES_BLOCK);
    for (size_t j = 0; j < n; j++)
        block[j] = (pair){groups[j], values->place_of[kan_column_code(column, row + j)]};
    return kan_tuples_add_block(pairs, (const char *)block, n, row);
}

static int compare_places(const void *a, const void *b) {
    const size_t left = ((const struct kan_model_count *)a)->place;
    const size_t right = ((const struct kan_model_count *)b)->place;
    return (left > right) - (left < right);
}

void kan_model_pairs_sort(const kan_tuples *pairs, size_t n_groups, size_t *start,
                          struct kan_model_count *counts) {
    KAN_ASSERT(start[0] == 0 && start[n_groups + 1] == 0);
    for (size_t i = 0; i < pairs->n; i++)
        start[((const pair *)kan_tuples_at(pairs, i))->group + 2]++;
    for (size_t g = 0; g < n_groups; g++)
        start[g + 2] += start[g + 1];
    /* start[g + 1] runs from the beginning of group g to its end, where group g+1 begins. */
    for (size_t i = 0; i < pairs->n; i++) {
        const pair *at = kan_tuples_at(pairs, i);
        counts[start[at->group + 1]++] = (struct kan_model_count){at->place, pairs->count[i]};
    }
    KAN_ASSERT(start[n_groups] == pairs->n);
    for (size_t g = 0; g < n_groups; g++)
        qsort(counts + start[g], start[g + 1] - start[g], sizeof *counts, compare_places);
}
