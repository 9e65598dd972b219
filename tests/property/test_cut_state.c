/* The cut state: whatever steps were taken, it knows what counting again would find. */
#include "search/cuts/cut_state.h"

#include "support/cut_problem.h"

typedef struct {
    uint64_t cost, lost;
} counted;

/* Counts a set again, whatever the limit says: the space is made without one. */
static counted count_set(const kan_cut_space *space, const uint8_t *is_made) {
    counted found;
    EXPECT_OK(space->run, kan_cut_space_cost(space, is_made, &found.lost, &found.cost));
    return found;
}

/* Every step that is possible changes the cost as the state says. */
static void expect_steps(kan_cut_state *state, uint8_t *is_made) {
    const kan_cut_space *space = state->space;
    kan_cut_state_refresh(state);
    for (unsigned c = 0; c < space->n_choices; c++) {
        assert_int_equal(is_made[c], state->is_made[c]);
        const bool adds = kan_cut_state_can_add(state, c);
        if (!adds && !kan_cut_state_can_remove(state, c))
            continue;
        is_made[c] = !is_made[c];
        const counted after = count_set(space, is_made);
        is_made[c] = !is_made[c];
        const int64_t cost = adds ? state->add_cost[c] : state->remove_cost[c];
        const int64_t lost = adds ? state->add_lost[c] : state->remove_lost[c];
        assert_true(state->cost + (uint64_t)cost == after.cost);
        assert_true(state->n_lost + (uint64_t)lost == after.lost);
    }
}

static void expect_state(const kan_cut_state *state, const uint8_t *is_made) {
    const counted here = count_set(state->space, is_made);
    assert_true(state->cost == here.cost);
    assert_true(state->n_lost == here.lost);
}

static void random_set(const kan_cut_space *space, uint64_t *random, uint8_t *is_made) {
    const uint64_t share = 1 + kan_random_below(random, 4);
    for (unsigned c = 0; c < space->n_choices; c++)
        is_made[c] = kan_random_below(random, share) == 0;
    for (unsigned depth = 0; depth < PLAIN_LEVELS; depth++)
        for (unsigned c = 0; c < space->n_choices; c++)
            if (is_made[c] && space->choices[c].parent >= 0)
                is_made[space->choices[c].parent] = 1;
}

static void walk(const kan_cut_space *space, uint64_t *random) {
    kan_cut_state *state;
    uint8_t is_made[CUT_CHOICES] = {0};
    EXPECT_OK(space->run, kan_cut_state_create(space, &state));
    expect_state(state, is_made);
    expect_steps(state, is_made);
    for (unsigned step = 0; step < 30 && space->n_choices > 0; step++) {
        const unsigned c = (unsigned)kan_random_below(random, space->n_choices);
        if (kan_random_below(random, 12) == 0) {
            random_set(space, random, is_made);
            kan_cut_state_set(state, is_made);
        } else if (kan_cut_state_can_add(state, c)) {
            kan_cut_state_add(state, c);
            is_made[c] = 1;
        } else if (kan_cut_state_can_remove(state, c)) {
            kan_cut_state_remove(state, c);
            is_made[c] = 0;
        }
        expect_state(state, is_made);
        if (kan_random_below(random, 3) == 0) /* not always: what is kept must last */
            expect_steps(state, is_made);
    }
    kan_cut_state_destroy(state);
}

static void one_walk(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    const bool is_subtree = kan_random_below(&random, 2) != 0;
    cut_problem problem;
    random_cut_problem(run, &random, 24, !is_subtree, &problem);
    for (unsigned i = 0; i < 2; i++) {
        test_asked asked;
        kan_cut_space space;
        cut_question question = random_cut_question(&problem, &random, is_subtree);
        question.limit = UINT64_MAX;
        question.wants_release = false;
        cut_ask(&problem, &question, &asked);
        EXPECT_OK(run, kan_cut_space_make(run, &asked.question, &space));
        walk(&space, &random);
        kan_cut_space_destroy(&space);
        test_asked_destroy(&asked);
    }
    cut_problem_destroy(&problem);
}

static void steps_cost_what_counting_again_finds(void **state) {
    (void)state;
    random_rounds(150, one_walk);
}

/* Of two states the one within the limit is better; of two beyond it the one that is less so. */
static void limits_come_before_costs(void **state) {
    (void)state;
    kan_cut_space space = {.limit = 3, .n_rows = 10, .wants_release = true};
    assert_true(kan_cut_state_worth(&space, 90, 3) < kan_cut_state_worth(&space, 10, 4));
    assert_true(kan_cut_state_worth(&space, 90, 4) < kan_cut_state_worth(&space, 10, 5));
    assert_true(kan_cut_state_worth(&space, 10, 2) < kan_cut_state_worth(&space, 11, 0));
    assert_true(kan_cut_score_is_allowed(kan_cut_state_worth(&space, 90, 3)));
    assert_false(kan_cut_score_is_allowed(kan_cut_state_worth(&space, 90, 4)));
    space.limit = UINT64_MAX;
    assert_true(kan_cut_score_is_allowed(kan_cut_state_worth(&space, 90, 9)));
    assert_false(kan_cut_score_is_allowed(kan_cut_state_worth(&space, 90, 10)));
    space.wants_release = false;
    assert_true(kan_cut_score_is_allowed(kan_cut_state_worth(&space, 90, 10)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(steps_cost_what_counting_again_finds, random_tear_down),
        cmocka_unit_test(limits_come_before_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
