/* search/boxes/group_sums.h: what threads add up together is what one adds up alone. */
#include <string.h>

#include "support/random_problem.h"

#include "group/freqsets/freqsets.h"
#include "search/boxes/group_sums.h"

static void sum_one_list(kan_run *run, uint64_t seed) {
    enum { MOST = 2000 };
    uint64_t random = seed, counts[MOST], n_rows = 0;
    const size_t n = (size_t)between(&random, 64, MOST);
    const uint64_t most = once_in(&random, 3) ? UINT64_C(1) << 40 : 20;
    const uint64_t least = between(&random, 1, 12);
    kan_workspace *workspace;
    for (size_t g = 0; g < n; g++)
        n_rows += counts[g] = between(&random, 1, most);
    const kan_groups groups = {.n_groups = n, .n_rows = n_rows, .count = counts};
    const kan_objective objective = {.kind = &kan_cost_discernibility, .state = (void *)&least};
    const uint64_t n_lost = between(&random, 0, 30);
    const kan_score bound = kan_objective_bound(&objective, &groups, n_lost);
    uint64_t small_rows = 0;
    size_t n_small = 0;
    for (size_t g = 0; g < n; g++)
        if (counts[g] < least) {
            small_rows += counts[g];
            n_small++;
        }
    kan_run_set_threads(run, 3);
    EXPECT_OK(run, kan_workspace_create(run, &workspace));
    for (unsigned divided = 0; divided < 2; divided++) {
        kan_workspace_divide(workspace, divided ? 16 : 0);
        const kan_small_groups small = kan_small_groups_of(workspace, &groups, least);
        const kan_score sum = kan_bound_of(workspace, &objective, &groups, n_lost);
        assert_int_equal(small.n, n_small);
        assert_true(small.n_rows == small_rows);
        assert_true(sum.is_exact && sum.is_whole && sum.whole == bound.whole);
    }
    kan_workspace_destroy(workspace);
}

static void threads_add_up_what_one_does(void **state) {
    (void)state;
    random_rounds(200, sum_one_list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(threads_add_up_what_one_does, random_tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
