/* Do columns show the modes of their groups?
 *
 * Nothing is searched for: the rows of each group and original value are counted, and what the
 * group shows must have as many as any other known value, and more than those that stand before it
 * by their bytes. O(rows), and memory for each value that a group has. */
#include "analyze/tuples/tuples.h"
#include "analyze/verify/verify_release.h"

typedef struct {
    uint32_t group, code;
} group_value;

static kan_status count_values(const kan_means_question *q, const kan_column *original,
                               const uint32_t *group_of, kan_tuples *counts) {
    for (uint64_t row = 0; row < q->release->n_rows; row++) {
        size_t unused;
        const group_value one = {group_of[row],
                                 kan_column_code(original, q->order ? q->order[row] : row)};
        if (!kan_value_is_unknown(kan_dictionary_value(&original->dictionary, one.code)))
            KAN_TRY(kan_tuples_add(counts, &one, row, &unused));
    }
    return KAN_OK;
}

/* Whether a value that a group has stands behind the one that it shows, or is it. */
static bool is_behind(const kan_tuples *counts, const kan_dictionary *values, size_t other,
                      kan_slice shown) {
    const group_value *one = kan_tuples_at(counts, other);
    const kan_slice value = kan_dictionary_value(values, one->code);
    group_value best = {.group = one->group};
    size_t at;
    if (!kan_dictionary_find(values, shown, &best.code) || !kan_tuples_find(counts, &best, &at))
        return false;
    return kan_slice_compare(value, shown) < 0 ? counts->count[other] < counts->count[at]
                                               : counts->count[other] <= counts->count[at];
}

kan_status kan_verify_modes(kan_run *run, const kan_means_question *question,
                            const kan_mean_pair *pair, const uint32_t *group_of,
                            const uint64_t *first_row, size_t n_groups, bool *holds) {
    const kan_column *original = &question->original->columns[pair->original];
    const kan_column *released = &question->release->columns[pair->released];
    kan_tuples counts;
    uint8_t *is_known = NULL; /* by group: a row of it has a value */
    bool is_right = true;
    kan_status status;
    kan_tuples_init(&counts, run, sizeof(group_value));
    KAN_TRY_DONE(kan_alloc_zero(run, n_groups, sizeof *is_known, &is_known));
    KAN_TRY_DONE(count_values(question, original, group_of, &counts));
    for (size_t i = 0; i < counts.n && is_right; i++) {
        const uint32_t group = ((const group_value *)kan_tuples_at(&counts, i))->group;
        is_known[group] = 1;
        is_right = is_behind(&counts, &original->dictionary, i,
                             kan_column_value(released, first_row[group]));
    }
    for (size_t g = 0; g < n_groups && is_right; g++)
        is_right = is_known[g] || kan_slice_is(kan_column_value(released, first_row[g]), "*");
    *holds = is_right;
done:
    kan_free(run, is_known);
    kan_tuples_destroy(&counts);
    return status;
}
