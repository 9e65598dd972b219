/* Steps that threads share, with failing allocations: each failure is a clean error, the account is even
 * afterwards, and the next step with the same scratch gives what it would have given. */
#include <string.h>

#include "fault/fault.h"
#include "support/random_problem.h"
#include "support/sets.h"

#include "group/freqsets/freqsets.h"

typedef struct {
    const kan_space *space;
    const kan_freqset *base;
    kan_layout to;
    unsigned top[KAN_MAX_ATTRIBUTES];
} step;

/* Everything is made anew and given back. */
static kan_status share_steps(kan_run *run, const step *s, kan_freqset *out) {
    kan_status status;
    kan_workspace *workspace = NULL;
    kan_sizes sizes;
    kan_sizes_init(&sizes, s->space);
    KAN_TRY_DONE(kan_workspace_create(run, &workspace));
    kan_workspace_divide(workspace, 16);
    KAN_TRY_DONE(kan_freqset_regroup(s->space, s->base, &s->to, KAN_KERNEL_AUTO, workspace, out));
    KAN_TRY_DONE(kan_sizes_count(&sizes, s->base, s->top, workspace));
done:
    kan_sizes_destroy(&sizes);
    kan_workspace_destroy(workspace);
    return status;
}

static void share_on_one_table(kan_run *run, uint64_t seed) {
    plain_table plain;
    test_problem made;
    kan_workspace *workspace;
    kan_freqset expected, out;
    uint64_t random = seed;
    random_plain(&random_small, &random, &plain);
    test_problem_make(run, &plain, &made);
    step s = {.space = &made.problem.space, .base = &made.problem.base};
    random_layout(s.space, s.base, &random, &s.to);
    for (unsigned a = 0; a < s.space->n_attributes; a++)
        s.top[a] = s.space->dimensions[a].height;
    kan_freqset_init(&expected);
    EXPECT_OK(run, kan_workspace_create(run, &workspace));
    EXPECT_OK(run,
              kan_freqset_regroup(s.space, s.base, &s.to, KAN_KERNEL_AUTO, workspace, &expected));
    kan_run_set_threads(run, 3);
    kan_run_set_memory(run, UINT64_C(1) << 30);
    kan_freqset_init(&out);
    EXPECT_OK(run, share_steps(run, &s, &out)); /* the threads are there now */
    kan_freqset_destroy(run, &out);
    const uint64_t left = kan_run_memory_left(run);
    bool is_done = false;
    for (uint64_t n = 1; !is_done; n++) {
        fault_reset();
        fault_fail_allocation_at(n);
        kan_freqset_init(&out);
        const kan_status status = share_steps(run, &s, &out);
        is_done = !fault_happened();
        fault_reset();
        assert_int_equal(status, is_done ? KAN_OK : KAN_FAILED);
        if (is_done)
            expect_same_set(&out, &expected);
        else
            assert_non_null(strstr(kan_run_error(run), "out of memory"));
        kan_freqset_destroy(run, &out);
        assert_int_equal(kan_run_memory_left(run), left);
    }
    kan_freqset_destroy(run, &expected);
    kan_workspace_destroy(workspace);
    test_problem_destroy(&made);
    plain_destroy(&plain);
}

static void every_failing_allocation_is_a_clean_error(void **state) {
    (void)state;
    random_rounds(60, share_on_one_table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_failing_allocation_is_a_clean_error, random_tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
