/* Views know when what they were borrowed from is filled again (group/view.h): every lender counts
 * its editions, and whoever uses a stale view is stopped. In builds with assertions; others carry
 * nothing that could be asked. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "group/head_count.h"
#include "group/tallies.h"
#include "search/boxes/probe.h"
#include "support/question.h"

#ifdef NDEBUG

static void release_builds_call_every_view_fresh(void **state) {
    (void)state;
    const kan_groups groups = {.n_groups = 0};
    assert_true(kan_groups_is_fresh(&groups));
}

#define TESTS cmocka_unit_test(release_builds_call_every_view_fresh)

#else

/* Four rows: a, b, and a class. */
typedef struct {
    kan_run *run;
    plain_table plain;
    test_problem made;
    test_asked asked;
    kan_workspace *workspace;
    kan_freqset set, other;
} scene;

static void fill(plain_table *plain) {
    static const char *const cells[] = {"a", "x", "m", "a", "y", "m", "b", "x", "n", "b", "y", "n"};
    plain_init(plain);
    for (unsigned a = 0; a < 2; a++) {
        plain_attribute *attribute = plain_add_attribute(plain, 2, 1);
        for (unsigned leaf = 0; leaf < 2; leaf++) {
            strcpy(attribute->leaves[leaf].at[0], cells[leaf * (a == 0 ? 6 : 3) + a]);
            strcpy(attribute->leaves[leaf].at[1], "*");
        }
    }
    plain->n_tails = 1;
    plain->class_tail = 0;
    plain_add_rows(plain, 4);
    for (size_t row = 0; row < 4; row++)
        for (unsigned column = 0; column < 3; column++)
            strcpy(plain_cell(plain, row, column), cells[row * 3 + column]);
}

static void scene_make(scene *here) {
    static const unsigned low[] = {0, 0}, high[] = {1, 0};
    static const test_question question = {
        .cost = &kan_cost_classification, .k = 2, .limit = UINT64_MAX, .wants_best_alone = true};
    here->run = kan_run_create();
    fill(&here->plain);
    test_problem_make(here->run, &here->plain, &here->made);
    test_ask(&here->made, &question, &here->asked);
    const kan_problem *problem = &here->made.problem;
    EXPECT_OK(here->run, kan_workspace_create(here->run, &here->workspace));
    kan_freqset_init(&here->set);
    kan_freqset_init(&here->other);
    EXPECT_OK(here->run, kan_freqset_rollup(&problem->space, &problem->base, low, here->workspace,
                                            &here->set));
    EXPECT_OK(here->run, kan_freqset_rollup(&problem->space, &problem->base, high, here->workspace,
                                            &here->other));
}

static void scene_destroy(scene *here) {
    kan_freqset_destroy(here->run, &here->set);
    kan_freqset_destroy(here->run, &here->other);
    kan_workspace_destroy(here->workspace);
    test_asked_destroy(&here->asked);
    test_problem_destroy(&here->made);
    plain_destroy(&here->plain);
    kan_run_destroy(here->run);
}

/* ---- who lends ------------------------------------------------------------------------------ */

static void a_view_is_stale_once_its_viewer_shows_another_set(void **state) {
    (void)state;
    scene here;
    kan_viewer viewer, beside;
    kan_groups first, second;
    scene_make(&here);
    kan_viewer_init(&viewer, &here.made.problem);
    kan_viewer_init(&beside, &here.made.problem);
    EXPECT_OK(here.run, kan_viewer_groups(&viewer, &here.set, &first));
    EXPECT_OK(here.run, kan_viewer_groups(&beside, &here.other, &second));
    assert_true(kan_groups_is_fresh(&first)); /* another viewer takes nothing away */
    EXPECT_OK(here.run, kan_viewer_groups(&viewer, &here.other, &second));
    assert_false(kan_groups_is_fresh(&first));
    assert_true(kan_groups_is_fresh(&second));
    kan_viewer_destroy(&viewer);
    assert_false(kan_groups_is_fresh(&second));
    kan_viewer_destroy(&beside);
    scene_destroy(&here);
}

static void a_view_is_stale_once_its_set_is_filled_again(void **state) {
    (void)state;
    static const unsigned top[] = {1, 1};
    scene here;
    kan_viewer viewer;
    kan_groups groups;
    scene_make(&here);
    const kan_problem *problem = &here.made.problem;
    kan_viewer_init(&viewer, problem);
    EXPECT_OK(here.run, kan_viewer_groups(&viewer, &here.set, &groups));
    EXPECT_OK(here.run,
              kan_freqset_rollup(&problem->space, &problem->base, top, here.workspace, &here.set));
    assert_false(kan_groups_is_fresh(&groups));
    EXPECT_OK(here.run, kan_viewer_groups(&viewer, &here.set, &groups));
    kan_freqset_destroy(here.run, &here.set);
    assert_false(kan_groups_is_fresh(&groups));
    kan_viewer_destroy(&viewer);
    scene_destroy(&here);
}

static void sizes_and_tallies_count_their_editions(void **state) {
    (void)state;
    static const unsigned low[] = {0, 0}, top[] = {1, 1};
    scene here;
    kan_sizes sizes;
    kan_tallies tallies;
    kan_groups groups = {.n_groups = 0};
    bool fits;
    scene_make(&here);
    kan_sizes_init(&sizes, &here.made.problem.space);
    kan_tallies_init(&tallies, &here.made.problem);
    EXPECT_OK(here.run, kan_sizes_count(&sizes, &here.set, low, here.workspace));
    kan_groups_borrow(&groups, &sizes.edition);
    EXPECT_OK(here.run, kan_tallies_count(&tallies, &here.set, low, 1, here.workspace, &fits));
    assert_true(kan_groups_is_fresh(&groups));
    EXPECT_OK(here.run, kan_sizes_count(&sizes, &here.set, top, here.workspace));
    assert_false(kan_groups_is_fresh(&groups));
    groups = (kan_groups){.n_groups = 0};
    kan_groups_borrow(&groups, &tallies.edition);
    EXPECT_OK(here.run, kan_tallies_count(&tallies, &here.set, top, 1, here.workspace, &fits));
    assert_false(kan_groups_is_fresh(&groups));
    kan_sizes_destroy(&sizes);
    kan_tallies_destroy(&tallies);
    scene_destroy(&here);
}

/* What a false proof came of: a set below was seen where the node in hand had its view. */
static void a_probe_sees_below_without_losing_the_node_in_hand(void **state) {
    (void)state;
    static const unsigned low[] = {0, 0}, high[] = {1, 0};
    scene here;
    kan_probe probe;
    kan_freqset below;
    kan_groups node, other;
    scene_make(&here);
    kan_freqset_init(&below);
    EXPECT_OK(here.run, kan_probe_init(&probe, &here.asked.question));
    EXPECT_OK(here.run, kan_probe_scan(&probe, low, &below));
    EXPECT_OK(here.run, kan_probe_look(&probe, &below, high, NULL, &node));
    EXPECT_OK(here.run, kan_probe_see_below(&probe, &below, &other));
    assert_true(kan_groups_is_fresh(&node) && kan_groups_is_fresh(&other));
    assert_int_equal(node.levels[0], 1);
    assert_int_equal(node.n_groups, 2);
    EXPECT_OK(here.run, kan_probe_see(&probe, &below, &other));
    assert_false(kan_groups_is_fresh(&node));
    assert_true(kan_groups_is_fresh(&other));
    kan_freqset_destroy(here.run, &below);
    kan_probe_destroy(&probe);
    scene_destroy(&here);
}

/* ---- who uses ------------------------------------------------------------------------------- */

static void check(const scene *here, kan_groups *groups) {
    uint8_t flags[8];
    kan_promise_check(&here->asked.promise, groups, flags);
}

static void measure(const scene *here, kan_groups *groups) {
    (void)kan_objective_measure(&here->asked.objective, groups);
}

static void bound(const scene *here, kan_groups *groups) {
    (void)kan_objective_bound(&here->asked.objective, groups, 0);
}

/* Whether a process of its own is stopped by an assertion. */
static bool is_stopped(const scene *here, kan_groups *groups,
                       void (*use)(const scene *, kan_groups *)) {
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)signal(SIGABRT, SIG_DFL);
        (void)!freopen("/dev/null", "w", stderr);
        use(here, groups);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static void whoever_uses_a_stale_view_is_stopped(void **state) {
    (void)state;
    static void (*const uses[])(const scene *, kan_groups *) = {check, measure, bound};
    scene here;
    kan_viewer viewer;
    kan_groups stale, fresh;
    scene_make(&here);
    kan_viewer_init(&viewer, &here.made.problem);
    EXPECT_OK(here.run, kan_viewer_groups(&viewer, &here.set, &stale));
    EXPECT_OK(here.run, kan_viewer_groups(&viewer, &here.other, &fresh));
    for (unsigned i = 0; i < 3; i++) {
        assert_true(is_stopped(&here, &stale, uses[i]));
        assert_false(is_stopped(&here, &fresh, uses[i]));
    }
    kan_viewer_destroy(&viewer);
    scene_destroy(&here);
}

#define TESTS                                                                                      \
    cmocka_unit_test(a_view_is_stale_once_its_viewer_shows_another_set),                           \
        cmocka_unit_test(a_view_is_stale_once_its_set_is_filled_again),                            \
        cmocka_unit_test(sizes_and_tallies_count_their_editions),                                  \
        cmocka_unit_test(a_probe_sees_below_without_losing_the_node_in_hand),                      \
        cmocka_unit_test(whoever_uses_a_stale_view_is_stopped)

#endif

int main(void) {
    const struct CMUnitTest tests[] = {TESTS};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
