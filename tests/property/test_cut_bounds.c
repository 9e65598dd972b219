/* The branch and bound over cut sets against all sets below random nodes: no bound is above the
 * best of them, no forced decision loses it, and exploring in pieces, however small, finds it.
 *
 * A bound need hold only for what is of interest: sets that cost less than the best so far. What
 * the tree finds on its way (the made choices alone are a set too) becomes the best so far. */
#include <inttypes.h>
#include <string.h>

#include "search/k_optimize/cut_tree.h"
#include "search/k_optimize/cut_waves.h"
#include "support/random_space.h"

typedef struct {
    made_space made;
    space_node node;
    kan_cut_tree *tree;
    uint64_t least; /* of all below the node */
} scene;

static void scene_make(kan_run *run, uint64_t *random, scene *out) {
    random_space(run, random, &out->made);
    /* The tree may be made for less than the space allows. */
    const uint64_t limits[] = {out->made.space.limit, out->made.space.limit, 0,
                               kan_random_below(random, 4)};
    uint64_t limit = limits[kan_random_below(random, 4)];
    limit = limit < out->made.space.limit ? limit : out->made.space.limit;
    const unsigned most_open = kan_random_below(random, 6) ? 8 : SPACE_OPEN;
    random_node(&out->made, limit, most_open, random, &out->node);
    out->least = least_cost(&out->node, out->node.costs, out->node.decision);
    EXPECT_OK(run, kan_cut_tree_create(&out->made.space, limit, random_axis(&out->made, random),
                                       &out->tree));
}

static void scene_destroy(scene *here) {
    kan_cut_tree_destroy(here->tree);
    made_space_destroy(&here->made);
}

/* A cost to be beaten, where it matters: around the best, around any set, or anything. */
static uint64_t draw_best(const scene *here, uint64_t *random) {
    const uint64_t any = here->node.costs[kan_random_below(random, 1u << here->node.n_open)];
    const uint64_t near = kan_random_below(random, 2) ? any : here->least;
    const uint64_t n = here->made.space.n_rows;
    if (near == UINT64_MAX || kan_random_below(random, 4) == 0)
        return kan_random_below(random, n * n + 2);
    if (kan_random_below(random, 2))
        return near + kan_random_below(random, near / 8 + 2);
    return near + kan_random_below(random, 4) - (near > 0);
}

/* ---- bounds --------------------------------------------------------------------------------- */

static void expect_bound(const scene *here, uint64_t best) {
    const unsigned n = here->made.space.n_choices;
    uint8_t decision[2 * SPACE_CHOICES];
    uint64_t bound = 0, to_beat = best;
    memset(decision, 0xff, sizeof decision);
    memcpy(decision, here->node.decision, n);
    EXPECT_OK(here->made.space.run, kan_cut_tree_bound(here->tree, decision, best, &bound));
    if (decision[n] != 0xff) { /* it met a set that is better */
        to_beat = cost_of_set(&here->node, decision + n);
        EXPECT_OF(&here->node, to_beat < best && to_beat >= here->least);
    }
    if (here->least >= to_beat || n == 0)
        return;
    if (bound > here->least)
        print_error("best %" PRIu64 ", bound %" PRIu64 "\n", best, bound);
    EXPECT_OF(&here->node, bound <= here->least);
    EXPECT_OF(&here->node, least_cost(&here->node, here->node.costs, decision) == here->least);
}

static void one_bound(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    scene here;
    scene_make(run, &random, &here);
    expect_bound(&here, UINT64_MAX);
    expect_bound(&here, here.least);
    if (here.least < UINT64_MAX) {
        expect_bound(&here, here.least + 1);
        expect_bound(&here, here.least + 2);
    }
    if (here.least > 0)
        expect_bound(&here, here.least - 1);
    for (unsigned i = 0; i < 6; i++)
        expect_bound(&here, draw_best(&here, &random));
    scene_destroy(&here);
}

static void no_bound_is_above_the_best_below_and_nothing_forced_loses_it(void **state) {
    (void)state;
    random_rounds(4000, one_bound);
}

/* ---- exploring in pieces -------------------------------------------------------------------- */

enum { MOST_WAITING = 1 << (SPACE_OPEN + 1) };

typedef struct {
    size_t n;
    kan_cut_open nodes[MOST_WAITING];
} waiting;

static void unpack(const scene *here, const uint8_t *packed, uint8_t *decision) {
    for (unsigned c = 0; c < here->made.space.n_choices; c++)
        decision[c] = packed[c / 4] >> (c % 4 * 2) & 3;
}

static uint64_t least_of(const scene *here, const kan_cut_open *open) {
    uint8_t decision[SPACE_CHOICES];
    unpack(here, open->packed, decision);
    return least_cost(&here->node, here->node.costs, decision);
}

static void begin(const scene *here, waiting *out) {
    kan_run *run = here->made.space.run;
    out->n = 1;
    out->nodes[0] = (kan_cut_open){.bound = 0};
    EXPECT_OK(
        run, kan_alloc_zero(run, kan_cut_packed_size(&here->made.space), 1, &out->nodes[0].packed));
    for (unsigned c = 0; c < here->made.space.n_choices; c++)
        out->nodes[0].packed[c / 4] |= (uint8_t)(here->node.decision[c] << (c % 4 * 2));
}

/* Takes over what a task left open, where it is of interest. Its bounds hold for that. */
static void take_open(const scene *here, kan_cut_task *task, uint64_t best, waiting *out) {
    for (size_t i = 0; i < task->n_open; i++) {
        const uint64_t least = least_of(here, &task->open[i]);
        EXPECT_OF(&here->node, least >= best || task->open[i].bound <= least);
        assert_true(out->n < MOST_WAITING);
        out->nodes[out->n++] = task->open[i];
    }
    task->n_open = 0;
    kan_cut_task_destroy(here->made.space.run, task);
}

/* Neither found nor waiting: lost. */
static void expect_not_lost(const scene *here, const waiting *left, uint64_t expected,
                            uint64_t best) {
    uint64_t least = best;
    for (size_t i = 0; i < left->n; i++) {
        const uint64_t cost = least_of(here, &left->nodes[i]);
        least = cost < least ? cost : least;
    }
    EXPECT_OF(&here->node, least == expected);
}

static void expect_explored(const scene *here, uint64_t best, uint64_t n_states_most,
                            uint64_t *random) {
    static waiting left;
    kan_run *run = here->made.space.run;
    const uint64_t expected = here->least < best ? here->least : best;
    uint8_t is_made[SPACE_CHOICES];
    uint64_t n_tasks = 0;
    begin(here, &left);
    while (left.n > 0) {
        const size_t at = (size_t)kan_random_below(random, left.n);
        kan_cut_open node = left.nodes[at];
        left.nodes[at] = left.nodes[--left.n];
        kan_cut_task task = {.packed = node.packed,
                             .lower = node.lower,
                             .bound = node.bound,
                             .keeps_lower = kan_random_below(random, 2),
                             .n_work_most = kan_random_below(random, 3) ? 0 : 1,
                             .best = best,
                             .n_states_most = n_states_most,
                             .is_made = is_made};
        EXPECT_OK(run, kan_cut_tree_explore(here->tree, &task));
        assert_true(task.n_states > 0 && ++n_tasks < 2 * MOST_WAITING);
        if (task.is_better) {
            EXPECT_OF(&here->node, task.cost < best);
            EXPECT_OF(&here->node, task.cost == cost_of_set(&here->node, is_made));
            best = task.cost;
        }
        take_open(here, &task, best, &left);
        kan_cut_open_destroy(run, &node);
        expect_not_lost(here, &left, expected, best);
    }
}

static void one_exploration(kan_run *run, uint64_t seed) {
    uint64_t random = seed + 1000000;
    scene here;
    scene_make(run, &random, &here);
    expect_explored(&here, UINT64_MAX, UINT64_MAX, &random);
    for (unsigned i = 0; i < 5; i++)
        expect_explored(&here, i % 2 ? UINT64_MAX : draw_best(&here, &random),
                        kan_random_below(&random, 6), &random);
    scene_destroy(&here);
}

static void exploring_in_pieces_finds_the_best_and_loses_nothing(void **state) {
    (void)state;
    random_rounds(1500, one_exploration);
}

/* A run that is to stop hands its node back as it was, and goes on from there later. */
static void one_stop(kan_run *run, uint64_t seed) {
    uint64_t random = seed + 2000000;
    scene here;
    uint8_t is_made[SPACE_CHOICES], decision[SPACE_CHOICES];
    waiting *first = test_calloc(1, sizeof *first);
    scene_make(run, &random, &here);
    begin(&here, first);
    kan_cut_task task = {.packed = first->nodes[0].packed,
                         .bound = 7,
                         .best = UINT64_MAX,
                         .n_states_most = UINT64_MAX,
                         .is_made = is_made};
    kan_run_set_time_limit(run, 1e-9); /* is over before it begins */
    EXPECT_OK(run, kan_cut_tree_explore(here.tree, &task));
    assert_false(task.is_better);
    assert_int_equal(task.n_open, 1);
    assert_int_equal(task.open[0].bound, 7);
    unpack(&here, task.open[0].packed, decision);
    if (here.made.space.n_choices > 0)
        assert_memory_equal(decision, here.node.decision, here.made.space.n_choices);
    kan_cut_task_destroy(run, &task);
    kan_run_set_time_limit(run, 0);
    task.bound = 0;
    EXPECT_OK(run, kan_cut_tree_explore(here.tree, &task));
    assert_int_equal(task.is_better, here.least < UINT64_MAX);
    assert_int_equal(task.n_open, 0);
    if (task.is_better)
        assert_true(task.cost == here.least && cost_of_set(&here.node, is_made) == here.least);
    kan_cut_task_destroy(run, &task);
    kan_free(run, first->nodes[0].packed);
    test_free(first);
    scene_destroy(&here);
}

static void a_stopped_exploration_hands_its_node_back(void **state) {
    (void)state;
    random_rounds(100, one_stop);
}

/* ---- waves ---------------------------------------------------------------------------------- */

static void whole_scene(kan_run *run, uint64_t *random, scene *out) {
    random_whole(run, random, &out->made, &out->node);
    out->tree = NULL;
    out->least = least_cost(&out->node, out->node.costs, out->node.decision);
}

/* All waves, or as many as the plan allows: what is found is better than what was to be beaten, and
 * nothing costs less than what is proven. */
static void expect_waves(const scene *here, const kan_cut_waves_plan *plan, unsigned threads,
                         kan_cut_record *out) {
    const kan_cut_space *space = &here->made.space;
    bool is_complete;
    kan_run_set_threads(space->run, threads);
    EXPECT_OK(space->run, kan_cut_record_make(space, out));
    const uint64_t before = out->is_found ? out->cost : UINT64_MAX;
    EXPECT_OF(&here->node, out->bound <= here->least);
    EXPECT_OK(space->run, kan_cut_waves_explore(plan, out, &is_complete));
    if (out->is_found)
        EXPECT_OF(&here->node, out->cost == cost_of_set(&here->node, out->is_made));
    EXPECT_OF(&here->node, !out->is_found || out->cost >= here->least);
    EXPECT_OF(&here->node, is_complete || plan->n_states > 0);
    if (!plan->is_whole)
        return;
    EXPECT_OF(&here->node, out->bound <= here->least || plan->below <= here->least);
    EXPECT_OF(&here->node, out->bound <= here->least || out->bound <= plan->below);
    if (!is_complete)
        return;
    if (here->least < plan->below)
        EXPECT_OF(&here->node, out->is_found && out->cost == here->least);
    else
        EXPECT_OF(&here->node, (out->is_found ? out->cost : UINT64_MAX) == before);
}

static void one_space_in_waves(kan_run *run, uint64_t seed) {
    uint64_t random = seed + 3000000;
    scene here;
    whole_scene(run, &random, &here);
    for (unsigned i = 0; i < 4; i++) {
        kan_cut_record one, several;
        const bool is_whole = kan_random_below(&random, 4) != 0;
        const kan_cut_waves_plan plan = {
            .limit = is_whole ? here.made.space.limit : 0,
            .axis = random_axis(&here.made, &random),
            .n_states = kan_random_below(&random, 2) ? kan_random_below(&random, 8) : 0,
            .below = kan_random_below(&random, 2) ? UINT64_MAX : draw_best(&here, &random),
            .is_whole = is_whole};
        expect_waves(&here, &plan, 1, &one);
        expect_waves(&here, &plan, 3, &several);
        assert_true(one.is_found == several.is_found && one.bound == several.bound);
        assert_int_equal(one.n_states, several.n_states);
        if (one.is_found && here.node.n_open > 0)
            assert_memory_equal(one.is_made, several.is_made, here.node.n_open);
        kan_cut_record_destroy(&one);
        kan_cut_record_destroy(&several);
    }
    made_space_destroy(&here.made);
}

static void waves_find_the_best_and_prove_no_more_than_is_true(void **state) {
    (void)state;
    random_rounds(600, one_space_in_waves);
}

/* Too many sets to try all, and enough states for many waves: what one walk finds. */
static void one_large_space(kan_run *run, uint64_t seed) {
    uint64_t random = seed + 4000000;
    made_space made;
    kan_cut_tree *tree;
    kan_cut_record record;
    uint8_t is_made[SPACE_CHOICES];
    bool is_complete;
    random_space(run, &random, &made);
    EXPECT_OK(run, kan_cut_tree_create(&made.space, made.space.limit, random_axis(&made, &random),
                                       &tree));
    kan_cut_task task = {.best = UINT64_MAX, .n_states_most = 1000, .is_made = is_made};
    EXPECT_OK(run, kan_cut_tree_explore(tree, &task));
    for (unsigned i = 0; i < 3 && task.n_open == 0; i++) {
        const kan_cut_waves_plan plan = {
            .limit = made.space.limit,
            .axis = random_axis(&made, &random),
            .n_states = i == 2 ? 1 + kan_random_below(&random, 200) : 0,
            .below = i == 1 && task.is_better ? task.cost + 1 : UINT64_MAX,
            .is_whole = true};
        EXPECT_OK(run, kan_cut_record_make(&made.space, &record));
        EXPECT_OK(run, kan_cut_waves_explore(&plan, &record, &is_complete));
        assert_true(is_complete || i == 2);
        if (is_complete) {
            assert_int_equal(record.is_found, task.is_better);
            assert_true(!record.is_found || record.cost == task.cost);
        }
        assert_true(!task.is_better || record.bound <= task.cost);
        kan_cut_record_destroy(&record);
    }
    kan_cut_task_destroy(run, &task);
    kan_cut_tree_destroy(tree);
    made_space_destroy(&made);
}

static void waves_find_what_one_walk_finds(void **state) {
    (void)state;
    random_rounds(100, one_large_space);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(no_bound_is_above_the_best_below_and_nothing_forced_loses_it,
                                  random_tear_down),
        cmocka_unit_test_teardown(exploring_in_pieces_finds_the_best_and_loses_nothing,
                                  random_tear_down),
        cmocka_unit_test_teardown(a_stopped_exploration_hands_its_node_back, random_tear_down),
        cmocka_unit_test_teardown(waves_find_the_best_and_prove_no_more_than_is_true,
                                  random_tear_down),
        cmocka_unit_test_teardown(waves_find_what_one_walk_finds, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
