/* The rooms of k-optimize-paper, each against all sets between random heads and allsets: bounds are
 * never above the best of them, pruning loses nothing that is cheaper than the best so far, useless
 * values are not missed, and classes are what counting again finds. */
#include "search/set_enum/set_enum_tail.h"

#include <string.h>

#include "support/cut_problem.h"

/* A head and a tail, with all sets between the head and the allset. */
typedef struct {
    cut_problem problem;
    test_asked asked;
    kan_cut_space space;
    kan_set_classes classes;
    kan_set_allset allset;
    kan_set_tail tail;
    size_t n_values;
    kan_set_value values[CUT_CHOICES];
    uint64_t costs[1 << 10]; /* by bits of values that are added to the head */
} scene;

enum { MOST_CHOICES = 10 };

static void scene_make(kan_run *run, uint64_t *random, scene *out) {
    const bool is_subtree = kan_random_below(random, 2) != 0;
    random_cut_problem(run, random, MOST_CHOICES, !is_subtree, &out->problem);
    const cut_question question = random_cut_question(&out->problem, random, is_subtree);
    cut_ask(&out->problem, &question, &out->asked);
    EXPECT_OK(run, kan_cut_space_make(run, &out->asked.question, &out->space));
    EXPECT_OK(run, kan_set_classes_make(&out->space, &out->classes));
    EXPECT_OK(run, kan_set_allset_make(&out->classes, &out->allset));
    EXPECT_OK(run, kan_set_tail_make(&out->classes, &out->allset, &out->tail));
}

static void scene_destroy(scene *here) {
    kan_set_tail_destroy(&here->tail);
    kan_set_allset_destroy(&here->allset);
    kan_set_classes_destroy(&here->classes);
    kan_cut_space_destroy(&here->space);
    test_asked_destroy(&here->asked);
    cut_problem_destroy(&here->problem);
}

/* Whether the parents of all that is made are made. */
static bool is_closed(const kan_cut_space *space, const uint8_t *is_made) {
    for (unsigned c = 0; c < space->n_choices; c++)
        if (is_made[c] && space->choices[c].parent >= 0 && !is_made[space->choices[c].parent])
            return false;
    return true;
}

/* Adds values to the head: an ancestor first. */
static void draw_head(scene *here, uint64_t *random) {
    const uint64_t share = 2 + kan_random_below(random, 4);
    for (unsigned round = 0; round < 2; round++)
        for (unsigned c = 0; c < here->space.n_choices; c++)
            if (!here->tail.is_made[c] && kan_set_tail_can_add(&here->tail, c) &&
                kan_random_below(random, share) == 0) {
                kan_set_classes_add(&here->classes, c);
                here->tail.is_made[c] = 1;
            }
}

static void draw_tail(scene *here, uint64_t *random) {
    bool is_in[CUT_CHOICES] = {false};
    const uint64_t share = 2 + kan_random_below(random, 5);
    for (unsigned c = 0; c < here->space.n_choices; c++)
        is_in[c] = !here->tail.is_made[c] && kan_random_below(random, share) != 0;
    for (unsigned depth = 0; depth < PLAIN_LEVELS; depth++)
        for (unsigned c = 0; c < here->space.n_choices; c++) {
            const int parent = here->space.choices[c].parent;
            is_in[c] = is_in[c] && (parent < 0 || here->tail.is_made[parent] || is_in[parent]);
        }
    here->n_values = 0;
    for (unsigned c = 0; c < here->space.n_choices; c++)
        if (is_in[c])
            here->values[here->n_values++] = (kan_set_value){.choice = c};
}

/* UINT64_MAX also for sets that the recoding does not have. */
static void count_all(scene *here) {
    for (uint32_t bits = 0; bits < 1u << here->n_values; bits++) {
        uint8_t is_made[CUT_CHOICES];
        memcpy(is_made, here->tail.is_made, here->space.n_choices);
        for (size_t i = 0; i < here->n_values; i++)
            if (bits >> i & 1)
                is_made[here->values[i].choice] = 1;
        here->costs[bits] = UINT64_MAX;
        if (is_closed(&here->space, is_made))
            EXPECT_OK(here->space.run,
                      kan_cut_space_cost(&here->space, is_made, NULL, &here->costs[bits]));
    }
}

/* The bits of the values that are still there. */
static uint32_t bits_left(const scene *here, const kan_set_value *left, size_t n) {
    uint32_t bits = 0;
    for (size_t i = 0, at = 0; i < n; i++, at++) {
        while (here->values[at].choice != left[i].choice)
            at++;
        bits |= 1u << at;
    }
    return bits;
}

/* The least cost of sets that have no other values of the tail. */
static uint64_t best_within(const scene *here, uint32_t within) {
    uint64_t best = UINT64_MAX;
    for (uint32_t bits = 0; bits < 1u << here->n_values; bits++)
        if ((bits & ~within) == 0 && here->costs[bits] < best)
            best = here->costs[bits];
    return best;
}

/* ---- what must hold ------------------------------------------------------------------------- */

static uint64_t bound_of(scene *here, const kan_set_value *values, size_t n, unsigned most) {
    here->allset.specialize_most = most;
    return kan_set_allset_bound(&here->allset, values, n);
}

static void expect_bound(scene *here) {
    const uint64_t split = bound_of(here, here->values, here->n_values, CUT_CHOICES);
    const uint64_t sorted = bound_of(here, here->values, here->n_values, 0);
    here->allset.insert_most = 1;
    const uint64_t counted = bound_of(here, here->values, here->n_values, 0);
    assert_true(split == sorted && split == counted);
    assert_true(split <= best_within(here, UINT32_MAX));
    if (here->n_values == 0 && here->costs[0] != UINT64_MAX && here->space.n_classes > 0)
        assert_true(split == here->costs[0]); /* nothing is left open */
}

static uint64_t sum_of_squares(const kan_set_classes *classes) {
    uint64_t sum = 0;
    for (size_t i = 0; i < classes->n; i++)
        sum += (uint64_t)classes->classes[i].rows * classes->classes[i].rows;
    return sum;
}

/* What a value is said to do is what adding it does, and taking it back undoes that. */
static void expect_effects(scene *here) {
    kan_set_classes *classes = &here->classes;
    kan_set_tail_look(&here->tail, here->values, here->n_values);
    for (size_t i = 0; i < here->n_values; i++) {
        const kan_set_value *value = &here->values[i];
        const uint64_t squares = sum_of_squares(classes), lost = classes->n_lost;
        const size_t n = classes->n;
        kan_set_classes_add(classes, value->choice);
        assert_int_equal(classes->n_lost - lost, value->lost);
        /* A part that is lost is not split any further: the squares may be less. */
        if (here->space.choices[value->choice].n_places == 1) {
            assert_true(squares - sum_of_squares(classes) == value->gain);
            assert_int_equal(classes->n - n, value->n_split);
        } else
            assert_true(squares - sum_of_squares(classes) <= value->gain);
        kan_set_classes_recover(classes, value->choice, n);
        assert_true(sum_of_squares(classes) == squares && classes->n_lost == lost);
    }
    assert_true(kan_set_classes_cost(classes) == here->costs[0]);
}

/* Some best set can do without useless values. */
static void expect_useless(scene *here) {
    kan_set_value left[CUT_CHOICES];
    memcpy(left, here->values, sizeof left);
    const size_t n = kan_set_tail_drop_useless(&here->tail, left, here->n_values);
    assert_true(best_within(here, bits_left(here, left, n)) == best_within(here, UINT32_MAX));
}

/* Pruning keeps every set that costs less than the best so far, and, when it is done, no value
 * whose imaginary node has a bound that is not below it. */
static void expect_pruned(scene *here, uint64_t best) {
    kan_set_value left[CUT_CHOICES];
    uint64_t bound = 0;
    memcpy(left, here->values, sizeof left);
    const size_t n = kan_set_tail_prune(&here->tail, best, left, here->n_values, &bound);
    const uint32_t within = bits_left(here, left, n);
    for (uint32_t bits = 1; bits < 1u << here->n_values; bits++)
        if (here->costs[bits] < best)
            assert_true((bits & ~within) == 0);
    if (n == 0)
        return;
    assert_true(bound <= best_within(here, within));
    for (size_t i = 0; i < n; i++) {
        const size_t n_classes = here->classes.n;
        kan_set_classes_add(&here->classes, left[i].choice);
        kan_set_value others[CUT_CHOICES];
        memcpy(others, left, sizeof others);
        others[i] = others[n - 1];
        assert_true(bound_of(here, others, n - 1, 3) < best);
        kan_set_classes_recover(&here->classes, left[i].choice, n_classes);
    }
}

static void one_pair(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    scene here;
    scene_make(run, &random, &here);
    draw_head(&here, &random);
    draw_tail(&here, &random);
    count_all(&here);
    expect_bound(&here);
    expect_effects(&here);
    expect_useless(&here);
    here.allset.insert_most = kan_random_below(&random, 2) ? 1 : 24;
    here.allset.specialize_most = kan_random_below(&random, 2) ? 0 : CUT_CHOICES;
    for (unsigned i = 0; i < 4; i++) {
        /* Around what some set costs: all that matters changes there. */
        const uint64_t cost = here.costs[kan_random_below(&random, 1u << here.n_values)];
        expect_pruned(&here, cost == UINT64_MAX ? cost : cost + kan_random_below(&random, 2));
    }
    scene_destroy(&here);
}

static void bounds_and_pruning_never_lose_the_best_between_head_and_allset(void **state) {
    (void)state;
    random_rounds(4000, one_pair);
}

static void drop_takes_what_needs_the_value_too(void **state) {
    (void)state;
    const unsigned columns[] = {0};
    const char *const hierarchies[] = {"a;x;*\nb;x;*\nc;y;*\nd;y;*\n"};
    const cut_question question = {.cost = &kan_cost_discernibility, .k = 1, .is_subtree = true};
    kan_run *run = kan_run_create();
    plain_table plain;
    scene here;
    plain_parse("a\nb\nc\nd\n", 1, columns, hierarchies, &plain);
    cut_problem_make(run, &plain, NULL, &here.problem);
    cut_ask(&here.problem, &question, &here.asked);
    EXPECT_OK(run, kan_cut_space_make(run, &here.asked.question, &here.space));
    EXPECT_OK(run, kan_set_classes_make(&here.space, &here.classes));
    EXPECT_OK(run, kan_set_allset_make(&here.classes, &here.allset));
    EXPECT_OK(run, kan_set_tail_make(&here.classes, &here.allset, &here.tail));
    size_t top = 0;
    assert_int_equal(here.space.n_choices, 3);
    for (unsigned c = 0; c < 3; c++) {
        here.values[c] = (kan_set_value){.choice = c};
        top = here.space.choices[c].parent < 0 ? c : top;
    }
    kan_set_value left[3];
    memcpy(left, here.values, sizeof left);
    assert_int_equal(kan_set_tail_drop(&here.tail, left, 3, (top + 1) % 3), 2);
    memcpy(left, here.values, sizeof left);
    assert_int_equal(kan_set_tail_drop(&here.tail, left, 3, top), 0);
    scene_destroy(&here);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(bounds_and_pruning_never_lose_the_best_between_head_and_allset,
                                  random_tear_down),
        cmocka_unit_test(drop_takes_what_needs_the_value_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
