/* Structures whose wrong state would be costly know it: frequency sets, states of cuts and of maps, nodes of
 * the branch and bound, arenas and stacks. A fault is planted in each, and found; builds with assertions
 * stop there, and the address sanitizer stops whoever touches what an arena has not given out. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/poison.h"
#include "core/stack.h"
#include "search/cuts/cut_state_groups.h"
#include "search/k_optimize/cut_node.h"
#include "search/maps/maps_inside.h"
#include "support/cut_problem.h"

/* ---- frequency sets ------------------------------------------------------------------------- */

typedef struct {
    kan_run *run;
    uint64_t random;
    cut_problem problem;
    test_asked asked;
} scene;

static void scene_make(scene *here, const kan_cost_kind *cost) {
    *here = (scene){.run = kan_run_create(), .random = 7};
    random_cut_problem(here->run, &here->random, 8, false, &here->problem);
    const cut_question question = {.cost = cost, .k = 2, .limit = UINT64_MAX};
    cut_ask(&here->problem, &question, &here->asked);
}

static void scene_destroy(scene *here) {
    test_asked_destroy(&here->asked);
    cut_problem_destroy(&here->problem);
    kan_run_destroy(here->run);
}

static void a_frequency_set_knows_lost_rows_and_keys_out_of_order(void **state) {
    (void)state;
    scene here;
    scene_make(&here, &kan_cost_discernibility);
    kan_freqset *base = &here.problem.made.problem.base;
    const uint64_t n_rows = here.problem.plain.n_rows;
    assert_true(base->n > 1 && kan_freqset_has_rows(base, n_rows));
    base->counts[0]++; /* a row too many */
    assert_false(kan_freqset_has_rows(base, n_rows));
    base->counts[0]--;
    const uint64_t count = base->counts[1]; /* a tuple without rows */
    base->counts[1] = 0;
    assert_false(kan_freqset_is_sound(base));
    base->counts[1] = count;
    const unsigned words = base->layout.n_words;
    uint64_t key[KAN_MAX_WORDS]; /* a key twice */
    memcpy(key, base->keys + words, words * sizeof *key);
    memcpy(base->keys + words, base->keys, words * sizeof *key);
    assert_false(kan_freqset_is_sound(base));
    memcpy(base->keys + words, key, words * sizeof *key);
    const size_t room = base->count_room; /* more tuples than there is room for */
    base->count_room = base->n - 1;
    assert_false(kan_freqset_has_rows(base, n_rows));
    base->count_room = room;
    assert_true(kan_freqset_has_rows(base, n_rows));
    scene_destroy(&here);
}

/* ---- cuts ----------------------------------------------------------------------------------- */

/* What holds is found wrong while *at is another. */
#define EXPECT_FOUND(is_sound, at, other)                                                          \
    do {                                                                                           \
        assert_true(is_sound);                                                                     \
        __typeof__(at) kept_ = (at);                                                               \
        (at) = (other);                                                                            \
        assert_false(is_sound);                                                                    \
        (at) = kept_;                                                                              \
        assert_true(is_sound);                                                                     \
    } while (0)

static void a_state_of_cuts_knows_wrong_groups_tuples_and_choices(void **state) {
    (void)state;
    scene here;
    kan_cut_space space;
    kan_cut_state *cuts;
    scene_make(&here, &kan_cost_discernibility);
    EXPECT_OK(here.run, kan_cut_space_make(here.run, &here.asked.question, &space));
    EXPECT_OK(here.run, kan_cut_state_create(&space, &cuts));
    kan_cut_state_set(cuts, NULL);
    kan_cut_state_add(cuts, 0);
    kan_cut_groups *groups = cuts->groups;
    assert_true(groups->n > 1);
    EXPECT_FOUND(kan_cut_groups_are_sound(cuts), cuts->cost, cuts->cost + 1);
    EXPECT_FOUND(kan_cut_groups_are_sound(cuts), cuts->n_lost, cuts->n_lost + 1);
    EXPECT_FOUND(kan_cut_groups_are_sound(cuts), cuts->n_made, cuts->n_made + 1);
    EXPECT_FOUND(kan_cut_groups_are_sound(cuts), cuts->n_wanted[0], 1);
    EXPECT_FOUND(kan_cut_groups_are_sound(cuts), groups->hash[0], groups->hash[0] ^ 1);
    EXPECT_FOUND(kan_cut_groups_are_sound(cuts), groups->at[0], groups->n_slots);
    EXPECT_FOUND(kan_cut_groups_are_sound(cuts), groups->rows[0], groups->rows[0] + 1);
    EXPECT_FOUND(kan_cut_tuples_are_sound(cuts), groups->rows[0], groups->rows[0] + 1);
    EXPECT_FOUND(kan_cut_tuples_are_sound(cuts), groups->first[0], groups->first[1]);
    EXPECT_FOUND(kan_cut_tuples_are_sound(cuts), groups->first[0], KAN_NO_GROUP);
    EXPECT_FOUND(kan_cut_tuples_are_sound(cuts), groups->next[groups->last[0]], groups->first[0]);
    EXPECT_FOUND(kan_cut_tuples_are_sound(cuts), groups->slots[0], groups->n_slots);
    kan_cut_state_destroy(cuts);
    kan_cut_space_destroy(&space);
    scene_destroy(&here);
}

static void a_node_knows_lost_rows_and_a_bound_above_its_cost(void **state) {
    (void)state;
    const kan_cut_space space = {.cost = KAN_CUT_DISCERNIBILITY, .n_rows = 10};
    const kan_cut_maker maker = {.space = &space};
    kan_cut_class classes[] = {{.n_rows = 4, .bound = 12, .cost = 16, .anyway = 1},
                               {.n_rows = 5, .bound = 20, .cost = 25, .anyway = 2}};
    kan_cut_class *list[] = {&classes[0], &classes[1]};
    kan_cut_node node = {
        .n_classes = 2, .classes = list, .n_lost = 1, .bound = 42, .cost = 51, .anyway = 3};
    EXPECT_FOUND(kan_cut_node_is_sound(&maker, &node, 10), node.n_lost, 2);
    EXPECT_FOUND(kan_cut_node_is_sound(&maker, &node, 10), node.bound, 41);
    EXPECT_FOUND(kan_cut_node_is_sound(&maker, &node, 10), node.cost, 50);
    EXPECT_FOUND(kan_cut_node_is_sound(&maker, &node, 10), node.anyway, 4);
    EXPECT_FOUND(kan_cut_node_is_sound(&maker, &node, 10), node.n_classes, 1);
    EXPECT_FOUND(kan_cut_node_is_sound(&maker, &node, 10), classes[0].n_rows, 3);
    classes[0].bound = 40; /* more than the rows cost as they are */
    node.bound = 70;
    assert_false(kan_cut_node_is_sound(&maker, &node, 10));
}

/* ---- maps ----------------------------------------------------------------------------------- */

static void a_state_of_maps_knows_wrong_points_and_totals(void **state) {
    (void)state;
    scene here;
    kan_maps_space space;
    kan_maps_state maps;
    scene_make(&here, &kan_cost_discernibility);
    EXPECT_OK(here.run, kan_maps_space_make(here.run, &here.asked.question, &space));
    uint32_t *at = calloc(space.n_points * space.n_attributes, sizeof *at);
    for (size_t p = 0; p < space.n_points; p++)
        kan_maps_lowest(&space, p, at + p * space.n_attributes);
    EXPECT_OK(here.run, kan_maps_state_make(&space, at, KAN_MAPS_COUNT, &maps));
    const uint32_t g = maps.group_of[0], other = maps.group_of[space.n_points - 1];
    assert_true(g != other);
    EXPECT_FOUND(kan_maps_state_is_sound(&maps), maps.total.cost, maps.total.cost + 1);
    EXPECT_FOUND(kan_maps_state_is_sound(&maps), maps.total.loss, maps.total.loss + 1);
    EXPECT_FOUND(kan_maps_state_is_sound(&maps), maps.total.n_lost, maps.total.n_lost + 1);
    EXPECT_FOUND(kan_maps_state_is_sound(&maps), maps.total.n_released, maps.total.n_released + 1);
    EXPECT_FOUND(kan_maps_state_is_sound(&maps), maps.groups[g].n_rows, maps.groups[g].n_rows + 1);
    EXPECT_FOUND(kan_maps_state_is_sound(&maps), maps.shown[g], maps.shown[g] + 1);
    EXPECT_FOUND(kan_maps_state_is_sound(&maps), maps.group_of[0], other);
    EXPECT_FOUND(kan_maps_state_is_sound(&maps), maps.groups[g].head, KAN_MAPS_NONE);
    EXPECT_FOUND(kan_maps_state_is_sound(&maps), maps.next[0], maps.groups[other].head);
    kan_maps_state_destroy(&maps);
    kan_maps_space_destroy(&space);
    free(at);
    scene_destroy(&here);
}

/* ---- who stops ------------------------------------------------------------------------------ */

/* How a child ends that does this: 0, or it was stopped. */
static int end_of(void (*act)(void)) {
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)freopen("/dev/null", "w", stderr);
        (void)signal(SIGABRT, SIG_DFL);
        act();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void step_from_a_wrong_state(void) {
    scene here;
    kan_cut_space space;
    kan_cut_state *cuts;
    scene_make(&here, &kan_cost_discernibility);
    if (kan_cut_space_make(here.run, &here.asked.question, &space) != KAN_OK ||
        kan_cut_state_create(&space, &cuts) != KAN_OK)
        _exit(0);
    kan_cut_state_set(cuts, NULL);
    cuts->cost++;
    kan_cut_state_add(cuts, 0);
}

static void a_step_from_a_wrong_state_is_stopped_where_there_are_assertions(void **state) {
    (void)state;
    const int status = end_of(step_from_a_wrong_state);
#ifdef NDEBUG
    assert_int_equal(status, 0);
#else
    assert_int_not_equal(status, 0);
#endif
}

static volatile char sink;

static void read_behind_an_arena(void) {
    kan_arena arena;
    char *bytes;
    kan_arena_init(&arena, kan_run_create());
    if (kan_arena_alloc(&arena, 5, 1, &bytes) == KAN_OK)
        sink = bytes[5];
}

static void read_before_an_arena(void) {
    kan_arena arena;
    char *bytes, *more;
    kan_arena_init(&arena, kan_run_create());
    if (kan_arena_alloc(&arena, 16, 1, &bytes) == KAN_OK &&
        kan_arena_alloc(&arena, 16, 1, &more) == KAN_OK)
        sink = more[-1];
}

static void read_what_a_stack_took_back(void) {
    kan_stack stack;
    char *bytes;
    kan_stack_init(&stack, kan_run_create());
    const kan_stack_mark mark = kan_stack_here(&stack);
    if (kan_stack_take(&stack, 100000, 1, &bytes) != KAN_OK)
        return;
    bytes[99999] = 1;
    kan_stack_back(&stack, mark);
    sink = bytes[99999];
}

static void read_behind_a_stack(void) {
    kan_stack stack;
    char *bytes, *more;
    kan_stack_init(&stack, kan_run_create());
    if (kan_stack_take(&stack, 16, 1, &bytes) == KAN_OK &&
        kan_stack_take(&stack, 16, 1, &more) == KAN_OK)
        sink = bytes[16];
}

static void what_an_arena_or_a_stack_has_not_given_out_is_poison(void **state) {
    (void)state;
#ifdef KAN_POISONS
    static void (*const acts[])(void) = {read_behind_an_arena, read_before_an_arena,
                                         read_what_a_stack_took_back, read_behind_a_stack};
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        assert_int_not_equal(end_of(acts[i]), 0);
#else
    (void)read_behind_an_arena;
    (void)read_before_an_arena;
    (void)read_what_a_stack_took_back;
    (void)read_behind_a_stack;
    skip();
#endif
}

/* The same memory is good again once it is given out anew, or belongs to somebody else. */
static void what_is_given_out_again_is_no_poison(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    for (int round = 0; round < 3; round++) {
        kan_arena arena;
        kan_stack stack;
        char *bytes;
        kan_arena_init(&arena, run);
        kan_stack_init(&stack, run);
        for (size_t size = 1; size < 200000; size *= 7) {
            const kan_stack_mark mark = kan_stack_here(&stack);
            EXPECT_OK(run, kan_stack_take(&stack, size, 1, &bytes));
            memset(bytes, 1, size);
            kan_stack_back(&stack, mark);
            EXPECT_OK(run, kan_stack_take(&stack, size, 1, &bytes));
            memset(bytes, 2, size);
            EXPECT_OK(run, kan_arena_alloc(&arena, size, 1, &bytes));
            memset(bytes, 3, size);
        }
        kan_stack_destroy(&stack);
        kan_arena_destroy(&arena);
        EXPECT_OK(run, kan_alloc(run, 400000, 1, &bytes));
        memset(bytes, 4, 400000);
        kan_free(run, bytes);
    }
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frequency_set_knows_lost_rows_and_keys_out_of_order),
        cmocka_unit_test(a_state_of_cuts_knows_wrong_groups_tuples_and_choices),
        cmocka_unit_test(a_node_knows_lost_rows_and_a_bound_above_its_cost),
        cmocka_unit_test(a_state_of_maps_knows_wrong_points_and_totals),
        cmocka_unit_test(a_step_from_a_wrong_state_is_stopped_where_there_are_assertions),
        cmocka_unit_test(what_an_arena_or_a_stack_has_not_given_out_is_poison),
        cmocka_unit_test(what_is_given_out_again_is_no_poison),
    };
    return cmocka_run_group_tests_name("sound_states", tests, NULL, NULL);
}
