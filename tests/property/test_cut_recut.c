/* The best cuts of one attribute against all sets of them. */
#include "search/cuts/cut_recut.h"

#include "support/random_space.h"

enum { MOST_CHOICES = 11, EXACTLY = 128 };

static uint64_t cost_of(const kan_cut_space *space, const uint8_t *is_made) {
    uint64_t cost;
    EXPECT_OK(space->run, kan_cut_space_cost(space, is_made, NULL, &cost));
    return cost;
}

/* Choices of an attribute, and their number. */
static unsigned list_choices(const kan_cut_space *space, unsigned a, unsigned *list) {
    unsigned n = 0;
    for (unsigned c = 0; c < space->n_choices; c++)
        if (space->choices[c].attribute == a)
            list[n++] = c;
    return n;
}

static uint64_t least_cost_of(const kan_cut_space *space, const uint8_t *is_made, unsigned a) {
    uint8_t here[SPACE_CHOICES];
    unsigned list[SPACE_CHOICES];
    const unsigned n = list_choices(space, a, list);
    uint64_t least = UINT64_MAX;
    memcpy(here, is_made, space->n_choices);
    for (uint32_t bits = 0; bits < UINT32_C(1) << n; bits++) {
        for (unsigned i = 0; i < n; i++)
            here[list[i]] = bits >> i & 1;
        const uint64_t cost = cost_of(space, here);
        least = cost < least ? cost : least;
    }
    return least;
}

static void expect_recut(kan_cut_recutter *recutter, kan_cut_state *state, unsigned a) {
    const kan_cut_space *space = state->space;
    uint8_t before[SPACE_CHOICES];
    const uint64_t least = least_cost_of(space, state->is_made, a), cost = state->cost;
    const bool is_exact = space->limit >= space->n_rows || space->limit < EXACTLY;
    memcpy(before, state->is_made, space->n_choices);
    const bool is_better = kan_cut_recut(recutter, state, a);
    assert_int_equal(is_better, state->cost < cost);
    assert_true(kan_cut_score_is_allowed(kan_cut_state_score(state)));
    assert_true(state->cost == cost_of(space, state->is_made));
    assert_true(is_exact ? state->cost == least : state->cost >= least && state->cost <= cost);
    for (unsigned c = 0; c < space->n_choices; c++)
        if (!is_better || space->choices[c].attribute != a)
            assert_int_equal(state->is_made[c], before[c]);
}

/* Tuples of more rows, and as many lost that they are counted in steps. */
static void make_large(kan_cut_space *space, uint64_t *random) {
    const uint32_t times = (uint32_t)between(random, 20, 60);
    for (size_t t = 0; t < space->n_tuples; t++) {
        space->rows[t] *= times;
        for (unsigned c = 0; c < space->n_classes; c++)
            space->class_rows[t * space->n_classes + c] *= times;
    }
    space->n_rows *= times;
    space->k = space->k * times - kan_random_below(random, times);
    if (space->n_rows > EXACTLY + 1)
        space->limit = between(random, EXACTLY, space->n_rows - 1);
}

static void one_space(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    made_space made;
    kan_cut_state *state;
    kan_cut_recutter *recutter;
    random_space(run, &random, &made);
    kan_cut_space *space = &made.space;
    if (once_in(&random, 3))
        make_large(space, &random);
    EXPECT_OK(run, kan_cut_state_create(space, &state));
    EXPECT_OK(run, kan_cut_recutter_create(space, &recutter));
    for (unsigned a = 0; a < space->n_attributes; a++) {
        unsigned list[SPACE_CHOICES];
        uint8_t is_made[SPACE_CHOICES];
        if (!kan_cut_is_by_place(space, a) || list_choices(space, a, list) > MOST_CHOICES ||
            !random_allowed_set(space, &random, is_made))
            continue;
        kan_cut_state_set(state, is_made);
        expect_recut(recutter, state, a);
        expect_recut(recutter, state, a); /* and nothing better is left */
    }
    kan_cut_recutter_destroy(recutter);
    kan_cut_state_destroy(state);
    made_space_destroy(&made);
}

static void no_cuts_of_the_attribute_cost_less(void **state) {
    (void)state;
    random_rounds(400, one_space);
}

/* Rows that are lost in steps of two: 65 and 65 are more than 129. */
static void steps_are_rounded_up(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    const uint32_t borders[] = {1, 2};
    kan_choice choices[] = {{.n_places = 1, .places = &borders[0], .parent = -1},
                            {.n_places = 1, .places = &borders[1], .parent = -1}};
    uint32_t places[] = {0, 1, 2}, rows[] = {65, 10000, 65};
    int choice_at[] = {-1, 0, 1};
    const kan_cut_space space = {.run = run,
                                 .recoding = KAN_RECODING_CUTS,
                                 .cost = KAN_CUT_DISCERNIBILITY,
                                 .k = 100,
                                 .limit = 129,
                                 .n_rows = 10130,
                                 .n_attributes = 1,
                                 .n_places = {3},
                                 .n_choices = 2,
                                 .choices = choices,
                                 .choice_at = {choice_at},
                                 .n_tuples = 3,
                                 .places = {places},
                                 .rows = rows};
    kan_cut_state *at;
    kan_cut_recutter *recutter;
    EXPECT_OK(run, kan_cut_state_create(&space, &at));
    EXPECT_OK(run, kan_cut_recutter_create(&space, &recutter));
    assert_true(kan_cut_recut(recutter, at, 0));
    assert_true(at->n_lost == 65 && at->cost == 10065 * 10065 + 65 * 10130);
    kan_cut_recutter_destroy(recutter);
    kan_cut_state_destroy(at);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(no_cuts_of_the_attribute_cost_less, random_tear_down),
        cmocka_unit_test(steps_are_rounded_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
