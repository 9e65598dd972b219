/* The branch and bound with an axis, where random spaces seldom come: class values that are the
 * majority of nothing, more to remember than there is room for, and more choices than are paired.
 */
#include <string.h>

#include "search/k_optimize/cut_tree.h"
#include "support/random_problem.h"

enum { MOST_CHOICES = 512, MOST_TUPLES = 4096 };

/* A space by hand: cut place by place. */
typedef struct {
    kan_cut_space space;
    kan_choice choices[MOST_CHOICES];
    uint32_t at[MOST_CHOICES]; /* the place of each choice */
    int choice_at[4][MOST_CHOICES];
    uint32_t places[4][MOST_TUPLES], rows[MOST_TUPLES], class_rows[MOST_TUPLES * 3];
} hand_space;

static hand_space *make_space(kan_run *run, kan_cut_cost cost, uint64_t k, unsigned n_attributes,
                              const uint32_t *n_places) {
    hand_space *made = test_calloc(1, sizeof *made);
    kan_cut_space *space = &made->space;
    space->run = run;
    space->recoding = KAN_RECODING_CUTS;
    space->cost = cost;
    space->k = k;
    space->n_attributes = n_attributes;
    space->n_classes = cost == KAN_CUT_CLASSIFICATION ? 3 : 0;
    space->choices = made->choices;
    space->rows = made->rows;
    space->class_rows = made->class_rows;
    for (unsigned a = 0; a < n_attributes; a++) {
        space->n_places[a] = n_places[a];
        space->places[a] = made->places[a];
        space->choice_at[a] = made->choice_at[a];
        made->choice_at[a][0] = -1;
        for (uint32_t place = 1; place < n_places[a]; place++) {
            const unsigned c = space->n_choices++;
            made->at[c] = place;
            made->choices[c] = (kan_choice){a, 1, &made->at[c], -1};
            made->choice_at[a][place] = (int)c;
        }
    }
    return made;
}

static void add_tuple(hand_space *made, const uint32_t *places, uint32_t rows, unsigned value) {
    kan_cut_space *space = &made->space;
    const size_t t = space->n_tuples++;
    for (unsigned a = 0; a < space->n_attributes; a++)
        made->places[a][t] = places[a];
    made->rows[t] = rows;
    if (space->n_classes > 0)
        made->class_rows[t * 3 + value] = rows;
    space->n_rows += rows;
    space->limit = space->n_rows;
}

static uint64_t n_suppressed; /* by the last answer */

/* The least cost below `best`, or UINT64_MAX. */
static uint64_t explore(const hand_space *made, int axis, uint64_t best) {
    uint8_t is_made[MOST_CHOICES];
    kan_cut_tree *tree;
    kan_cut_task task = {.best = best, .n_states_most = UINT64_MAX, .is_made = is_made};
    EXPECT_OK(made->space.run, kan_cut_tree_create(&made->space, made->space.limit, axis, &tree));
    EXPECT_OK(made->space.run, kan_cut_tree_explore(tree, &task));
    assert_int_equal(task.n_open, 0);
    if (task.is_better) {
        uint64_t cost;
        EXPECT_OK(made->space.run, kan_cut_space_cost(&made->space, is_made, &n_suppressed, &cost));
        assert_int_equal(cost, task.cost);
    }
    kan_cut_task_destroy(made->space.run, &task);
    kan_cut_tree_destroy(tree);
    return task.is_better ? task.cost : UINT64_MAX;
}

/* The one row of the first value is wrong in any group: losing it costs no more. */
static void a_row_that_no_group_can_be_right_about_is_worth_nothing(void **state) {
    (void)state;
    const uint32_t n_places[] = {2, 2, 2, 2};
    const struct {
        uint32_t places[4], rows;
        unsigned value;
    } tuples[] = {{{0, 0, 0, 0}, 6, 1}, {{0, 1, 0, 0}, 6, 1}, {{0, 0, 1, 0}, 6, 2},
                  {{0, 1, 1, 1}, 1, 0}, {{1, 0, 0, 0}, 6, 2}, {{1, 0, 0, 1}, 6, 1}};
    kan_run *run = kan_run_create();
    hand_space *made = make_space(run, KAN_CUT_CLASSIFICATION, 6, 4, n_places);
    for (size_t t = 0; t < sizeof tuples / sizeof *tuples; t++)
        add_tuple(made, tuples[t].places, tuples[t].rows, tuples[t].value);
    for (int axis = KAN_CUT_NO_AXIS; axis < 4; axis++) {
        assert_int_equal(explore(made, axis, 2), 1);
        assert_int_equal(explore(made, axis, 3), 1);
        assert_true(explore(made, axis, 1) == UINT64_MAX);
    }
    test_free(made);
    kan_run_destroy(run);
}

/* A path of small classes takes more than a small budget leaves for a state: it has to end anyway.
 */
static void a_path_that_does_not_fit_is_worked_out_in_the_end(void **state) {
    (void)state;
    const uint32_t n_places[] = {10, 400};
    kan_run *run = kan_run_create();
    hand_space *made = make_space(run, KAN_CUT_DISCERNIBILITY, 1, 2, n_places);
    uint8_t decision[2 * MOST_CHOICES] = {KAN_CUT_OPEN};
    kan_cut_tree *tree;
    uint64_t bound;
    for (uint32_t x = 0; x < 10; x++)
        for (uint32_t y = 0; y < 400; y++)
            add_tuple(made, (const uint32_t[]){x, y}, 1, 0);
    for (unsigned c = 0; c < made->space.n_choices; c++)
        decision[c] = made->choices[c].attribute == 1 ? KAN_CUT_MADE : KAN_CUT_OPEN;
    kan_run_set_memory(run, UINT64_C(48) << 20);
    EXPECT_OK(run, kan_cut_tree_create(&made->space, made->space.limit, 0, &tree));
    EXPECT_OK(run, kan_cut_tree_bound(tree, decision, 4001, &bound));
    /* Every row alone costs 4000, which is met on the way: nothing is left below it. */
    assert_true(bound == UINT64_MAX);
    kan_cut_tree_destroy(tree);
    test_free(made);
    kan_run_destroy(run);
}

/* First too many choices to look at pairs of them, then few enough. */
static void many_choices_have_one_answer_with_pairs_or_an_axis(void **state) {
    (void)state;
    const uint32_t n_places[] = {90, 90};
    kan_run *run = kan_run_create();
    for (uint64_t seed = 1; seed <= 4; seed++) {
        uint64_t random = seed;
        hand_space *made = make_space(run, KAN_CUT_DISCERNIBILITY, 50, 2, n_places);
        for (uint32_t i = 0; i < 180; i++)
            add_tuple(
                made,
                (const uint32_t[]){i % 90, (uint32_t)kan_random_below(&random, 45) + i / 90 * 45},
                1, 0);
        made->space.limit = 0;
        const uint64_t least = explore(made, 0, UINT64_MAX);
        assert_true(least < UINT64_MAX);
        assert_int_equal(explore(made, 1, UINT64_MAX), least);
        assert_int_equal(explore(made, KAN_CUT_NO_AXIS, UINT64_MAX), least);
        test_free(made);
    }
    kan_run_destroy(run);
}

/* Rows lost are measured in steps when so many may be: the answer is the same. */
static void a_limit_of_many_rows_is_kept_exactly(void **state) {
    (void)state;
    const uint32_t n_places[] = {5, 4, 3};
    unsigned n_binding = 0;
    kan_run *run = kan_run_create();
    for (uint64_t seed = 1; seed <= 240; seed++) {
        uint64_t random = seed;
        const kan_cut_cost cost = seed % 4 ? KAN_CUT_CLASSIFICATION : KAN_CUT_DISCERNIBILITY;
        hand_space *made = make_space(run, cost, 600 + kan_random_below(&random, 600), 3, n_places);
        for (uint32_t i = 0; i < 60; i++)
            if (kan_random_below(&random, 3))
                add_tuple(made, (const uint32_t[]){i % 5, i / 5 % 4, i / 20},
                          1 + (uint32_t)kan_random_below(&random, 500),
                          (unsigned)kan_random_below(&random, 3));
        /* What is best when the best of all would suppress too much, and not a row more than that
         * suppresses. */
        (void)explore(made, KAN_CUT_NO_AXIS, UINT64_MAX);
        made->space.limit = n_suppressed - (n_suppressed > 0);
        const uint64_t least = explore(made, KAN_CUT_NO_AXIS, UINT64_MAX);
        n_binding += n_suppressed >= 128;
        made->space.limit = n_suppressed;
        for (int axis = 0; axis < 3; axis++)
            assert_int_equal(explore(made, axis, UINT64_MAX), least);
        test_free(made);
    }
    assert_true(n_binding > 10);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_that_no_group_can_be_right_about_is_worth_nothing),
        cmocka_unit_test(a_path_that_does_not_fit_is_worked_out_in_the_end),
        cmocka_unit_test(many_choices_have_one_answer_with_pairs_or_an_axis),
        cmocka_unit_test(a_limit_of_many_rows_is_kept_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
