/* The cut space: choices, tuples, and what a set of choices costs. */
#include "search/cuts/cut_space.h"

#include <stdio.h>
#include <string.h>

#include "search/cuts/cut_record.h"
#include "support/cut_problem.h"
#include "support/models.h"

/* Ages and places of ten people, with a class; the tree of places has a node with one child. */
static const char *const rows = "20,bonn,y\n20,bonn,n\n30,koeln,y\n30,bonn,y\n40,paris,n\n"
                                "40,paris,n\n40,lyon,n\n50,lyon,y\n50,paris,n\n20,koeln,y\n";
static void make_people(kan_run *run, const unsigned *bins, cut_problem *out) {
    static const unsigned columns[] = {0, 1, 2};
    static const char *const trees[] = {
        "20;young;*\n30;young;*\n40;old;*\n50;old;*\n",
        "bonn;rhine;germany;*\nkoeln;rhine;germany;*\nlyon;lyon;france;*\nparis;paris;france;*\n",
        "y;*\nn;*\n"};
    plain_table plain, with_class;
    plain_parse(rows, 3, columns, trees, &plain);
    /* the third column is the class */
    plain_init(&with_class);
    for (unsigned a = 0; a < 2; a++) {
        const plain_attribute *from = &plain.attributes[a];
        plain_attribute *to = plain_add_attribute(&with_class, from->n_leaves, from->height);
        memcpy(to->leaves, from->leaves, from->n_leaves * sizeof *to->leaves);
    }
    with_class.n_tails = 1;
    with_class.class_tail = 0;
    plain_add_rows(&with_class, plain.n_rows);
    memcpy(with_class.cells, plain.cells, plain.n_rows * 3 * sizeof *plain.cells);
    plain_destroy(&plain);
    cut_problem_make(run, &with_class, bins, out);
}

static void cut_space_has_a_choice_for_every_place(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    cut_problem people;
    test_asked asked;
    kan_cut_space space;
    const cut_question question = {.cost = &kan_cost_discernibility, .k = 2};
    make_people(run, NULL, &people);
    cut_ask(&people, &question, &asked);
    EXPECT_OK(run, kan_cut_space_make(run, &asked.question, &space));
    assert_int_equal(space.recoding, KAN_RECODING_CUTS);
    assert_int_equal(space.n_choices, 6);
    for (unsigned c = 0; c < 6; c++) {
        assert_int_equal(space.choices[c].attribute, c / 3);
        assert_int_equal(space.choices[c].n_places, 1);
        assert_int_equal(space.choices[c].places[0], 1 + c % 3);
        assert_int_equal(space.choices[c].parent, -1);
        assert_int_equal(space.choice_at[c / 3][1 + c % 3], c);
    }
    assert_int_equal(space.choice_at[0][0], -1);
    assert_int_equal(space.n_tuples, 8);
    assert_int_equal(space.rows[0], 2); /* twenty, bonn */
    assert_int_equal(space.n_classes, 0);
    kan_cut_space_destroy(&space);
    test_asked_destroy(&asked);
    cut_problem_destroy(&people);
    kan_run_destroy(run);
}

static void cut_space_of_a_tree_has_a_choice_for_every_fork(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    cut_problem people;
    test_asked asked;
    kan_cut_space space;
    const cut_question question = {.cost = &kan_cost_classification, .k = 2, .is_subtree = true};
    make_people(run, NULL, &people);
    cut_ask(&people, &question, &asked);
    EXPECT_OK(run, kan_cut_space_make(run, &asked.question, &space));
    /* places 1, 2 and 3 are three nodes in both: the fork of the first two, the top, the last */
    assert_int_equal(space.n_choices, 6);
    for (unsigned c = 0; c < 6; c++) {
        assert_int_equal(space.choices[c].n_places, 1);
        assert_int_equal(space.choices[c].places[0], 1 + c % 3);
        assert_int_equal(space.choices[c].parent, c % 3 == 1 ? -1 : (int)(c / 3 * 3 + 1));
    }
    assert_int_equal(space.n_classes, 2);
    assert_int_equal(space.class_rows[0] + space.class_rows[1], 2);
    assert_int_equal(space.class_rows[0], 1);
    kan_cut_space_destroy(&space);
    test_asked_destroy(&asked);
    cut_problem_destroy(&people);
    kan_run_destroy(run);
}

static void bins_bring_tuples_together(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    cut_problem people;
    test_asked asked;
    kan_cut_space space;
    const unsigned bins[] = {4, 0};
    const cut_question question = {.cost = &kan_cost_discernibility, .k = 2};
    make_people(run, bins, &people);
    cut_ask(&people, &question, &asked);
    EXPECT_OK(run, kan_cut_space_make(run, &asked.question, &space));
    assert_int_equal(space.n_choices, 3);
    assert_int_equal(space.n_tuples, 4);
    uint64_t n = 0;
    for (size_t t = 0; t < 4; t++)
        n += space.rows[t];
    assert_int_equal(n, 10);
    kan_cut_space_destroy(&space);
    asked.question.model = &kan_model_full_subtree;
    assert_int_equal(kan_cut_space_make(run, &asked.question, &space), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(run), "--bins"));
    kan_cut_space_destroy(&space);
    test_asked_destroy(&asked);
    cut_problem_destroy(&people);
    kan_run_destroy(run);
}

static void expect_refusal(const cut_problem *problem, const test_question *question,
                           const char *effects) {
    kan_run *run = problem->made.run;
    test_asked asked;
    kan_cut_space space;
    test_ask(&problem->made, question, &asked);
    assert_int_equal(kan_cut_space_make(run, &asked.question, &space), KAN_BAD_INPUT);
    if (!strstr(kan_run_error(run), effects))
        fail_msg("'%s' does not say %s", kan_run_error(run), effects);
    kan_cut_space_destroy(&space);
    test_asked_destroy(&asked);
}

static void cut_space_refuses_what_it_cannot_cut_soundly(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    cut_problem people;
    make_people(run, NULL, &people);
    expect_refusal(&people, &(test_question){.cost = &kan_cost_ncp, .k = 2}, "discernibility");
    expect_refusal(
        &people,
        &(test_question){.cost = &kan_cost_discernibility, .k = 2, .privacy = &model_values},
        "or full-domain");
    people.made.problem.n_rows = UINT64_C(1) << 31;
    expect_refusal(&people, &(test_question){.cost = &kan_cost_discernibility, .k = 2}, "rows");
    people.made.problem.n_rows = 10;
    cut_problem_destroy(&people);
    kan_run_destroy(run);
}

static void sets_are_ordered_as_sorted_lists(void **state) {
    (void)state;
    static const uint8_t sets[][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1},
                                      {1, 0, 1}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}};
    const kan_cut_space space = {.n_choices = 3};
    for (unsigned a = 0; a < 8; a++)
        for (unsigned b = 0; b < 8; b++)
            assert_int_equal(kan_cut_set_is_less(&space, sets[a], sets[b]), a < b);
}

/* ---- random --------------------------------------------------------------------------------- */

/* A random set of choices, closed under parents. */
static void random_made(const kan_cut_space *space, uint64_t *random, uint8_t *is_made) {
    for (unsigned c = 0; c < space->n_choices; c++)
        is_made[c] = kan_random_below(random, 2) != 0;
    for (bool is_closed = false; !is_closed;) {
        is_closed = true;
        for (unsigned c = 0; c < space->n_choices; c++)
            if (is_made[c] && space->choices[c].parent >= 0 && !is_made[space->choices[c].parent])
                is_made[c] = 0, is_closed = false;
    }
}

static void expect_cost(const cut_problem *problem, const cut_question *question,
                        uint64_t *random) {
    kan_run *run = problem->made.run;
    test_asked asked;
    kan_cut_space space;
    uint8_t is_made[CUT_CHOICES];
    cut_ask(problem, question, &asked);
    EXPECT_OK(run, kan_cut_space_make(run, &asked.question, &space));
    for (unsigned i = 0; i < 10; i++) {
        cut_set cuts;
        kan_answer answer = {.n_cuts = 0};
        uint64_t cost, n_suppressed, true_cost, truly_suppressed;
        random_made(&space, random, is_made);
        EXPECT_OK(run, kan_cut_space_cost(&space, is_made, &n_suppressed, &cost));
        EXPECT_OK(run, kan_cut_space_answer(&space, is_made, cost, &answer));
        assert_int_equal(answer.n_cuts, space.n_choices);
        cut_set_of(problem, &answer, &cuts);
        assert_true(!question->is_subtree || cut_is_subtree(problem, &cuts));
        if (!cut_cost(problem, question, &cuts, &truly_suppressed, &true_cost))
            true_cost = UINT64_MAX;
        assert_true(cost == true_cost);
        assert_int_equal(n_suppressed, truly_suppressed);
        kan_answer_destroy(run, &answer);
    }
    kan_cut_space_destroy(&space);
    test_asked_destroy(&asked);
}

static void one_random_space(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    const bool is_subtree = kan_random_below(&random, 2) != 0;
    cut_problem problem;
    random_cut_problem(run, &random, 20, !is_subtree, &problem);
    for (unsigned i = 0; i < 4; i++) {
        const cut_question question = random_cut_question(&problem, &random, is_subtree);
        expect_cost(&problem, &question, &random);
    }
    cut_problem_destroy(&problem);
}

static void the_cost_of_choices_is_that_of_the_rows(void **state) {
    (void)state;
    random_rounds(200, one_random_space);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_space_has_a_choice_for_every_place),
        cmocka_unit_test(cut_space_of_a_tree_has_a_choice_for_every_fork),
        cmocka_unit_test(bins_bring_tuples_together),
        cmocka_unit_test(cut_space_refuses_what_it_cannot_cut_soundly),
        cmocka_unit_test(sets_are_ordered_as_sorted_lists),
        cmocka_unit_test_teardown(the_cost_of_choices_is_that_of_the_rows, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
