/* A solution where people are counted, or have pasts: who is left out, and the groups of the rows that stay.
 * All of it is worked out from the base again, as for rows. */
#include "job/solution/solution.h"

/* Parts that left, by what their rows show and the past of whoever has them. */
static kan_status find_gone_parts(kan_solution *solution) {
    kan_freqset *gone = &solution->gone;
    gone->layout = solution->set.layout;
    KAN_TRY(kan_freqset_reserve(solution->setup->run, gone, solution->set.n));
    kan_leavers_list_parts(&solution->leavers, false, gone);
    return KAN_OK;
}

/* The set loses the rows of those who leave: what is left is the release. */
kan_status kan_solution_keep_people(kan_solution *solution) {
    const kan_promise *promise = &solution->setup->promise;
    const kan_freqset *kept;
    kan_groups *groups = &solution->groups;
    if (!kan_leavers_thin(solution->problem, promise))
        return KAN_OK;
    KAN_TRY(kan_leavers_check(&solution->leavers, promise, &solution->set, UINT64_MAX,
                              &solution->viewer, groups));
    if (solution->problem->has_pasts)
        KAN_TRY(find_gone_parts(solution));
    KAN_TRY(kan_leavers_keep(&solution->leavers, &solution->set, &solution->viewer, groups, &kept));
    kan_freqset_destroy(solution->setup->run, &solution->set);
    solution->set = solution->leavers.kept;
    kan_freqset_init(&solution->leavers.kept);
    return KAN_OK;
}

static kan_status see_groups(kan_solution *solution) {
    const kan_groups checked = solution->groups;
    if (!kan_leavers_thin(solution->problem, &solution->setup->promise))
        return kan_leavers_check(&solution->leavers, &solution->setup->promise, &solution->set,
                                 UINT64_MAX, &solution->viewer, &solution->groups);
    KAN_TRY(kan_viewer_groups(&solution->viewer, &solution->set, &solution->groups));
    for (size_t g = 0; g < solution->groups.n_groups; g++)
        solution->viewer.is_released[g] = 1;
    solution->groups.is_released = solution->viewer.is_released;
    solution->groups.n_suppressed = checked.n_suppressed;
    solution->groups.n_left_out = checked.n_left_out;
    return KAN_OK;
}

kan_status kan_solution_check_people(kan_solution *solution) {
    kan_groups heads;
    KAN_TRY(see_groups(solution));
    if (solution->problem->has_pasts)
        return KAN_OK;
    KAN_TRY(kan_head_count_begin(&solution->leavers.heads, &solution->set));
    KAN_TRY(
        kan_head_count_groups(&solution->leavers.heads, solution->leavers.is_gone, false, &heads));
    KAN_ASSERT(heads.n_groups == solution->groups.n_groups);
    for (size_t g = 0; g < heads.n_groups; g++)
        if (solution->groups.is_released[g] &&
            (solution->fewest_people == 0 || heads.count[g] < solution->fewest_people))
            solution->fewest_people = heads.count[g];
    return KAN_OK;
}
