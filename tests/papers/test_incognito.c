/* LeFevre, DeWitt, Ramakrishnan, "Incognito": the Patients table of Figure 1 with the hierarchies
 * of Figure 2, and what the paper finds in them. A node is written as levels in the order of the
 * quasi-identifier: <S1,Z0> is {1, 0}. */
#include <string.h>

#include "search/judge/lattice.h"
#include "support/example.h"

static const char *const patients = "1/21/76,Male,53715,Flu\n"
                                    "4/13/86,Female,53715,Hepatitis\n"
                                    "2/28/76,Male,53703,Brochitis\n"
                                    "1/21/76,Male,53703,Broken Arm\n"
                                    "4/13/86,Female,53706,Sprained Ankle\n"
                                    "2/28/76,Female,53706,Hang Nail\n";

enum { BIRTHDATE, SEX, ZIPCODE };

static const char *const hierarchies[] = {"1/21/76;*\n2/28/76;*\n4/13/86;*\n",
                                          "Male;Person\nFemale;Person\n",
                                          "53715;5371*;537**\n"
                                          "53710;5371*;537**\n"
                                          "53706;5370*;537**\n"
                                          "53703;5370*;537**\n"};

#define END                                                                                        \
    { EXAMPLE_END }

static void patients_is_not_2_anonymous_by_sex_and_zipcode_until_sex_is_generalized(void **state) {
    (void)state;
    const unsigned columns[] = {SEX, ZIPCODE};
    assert_int_equal(example_largest_k(patients, hierarchies, 2, columns, (const unsigned[]){0, 0}),
                     1);
    assert_int_equal(example_largest_k(patients, hierarchies, 2, columns, (const unsigned[]){1, 0}),
                     2);
}

static void each_attribute_alone_is_2_anonymous_as_it_is(void **state) {
    (void)state;
    static const unsigned n_nodes[] = {2, 2, 3};
    for (unsigned column = BIRTHDATE; column <= ZIPCODE; column++) {
        example_claim claim = {.n_attributes = 1,
                               .columns = {column},
                               .k = 2,
                               .n_nodes = n_nodes[column],
                               .minimal = {{0}, END},
                               .anonymous = {END}};
        expect_example(patients, hierarchies, &claim);
    }
}

static void figure_5a_sex_and_zipcode(void **state) {
    (void)state;
    const example_claim claim = {.n_attributes = 2,
                                 .columns = {SEX, ZIPCODE},
                                 .k = 2,
                                 .n_nodes = 6,
                                 .minimal = {{1, 0}, {0, 2}, END},
                                 .anonymous = {{1, 0}, {1, 1}, {1, 2}, {0, 2}, END}};
    expect_example(patients, hierarchies, &claim);
}

static void figure_5_birthdate_and_zipcode(void **state) {
    (void)state;
    const example_claim claim = {.n_attributes = 2,
                                 .columns = {BIRTHDATE, ZIPCODE},
                                 .k = 2,
                                 .n_nodes = 6,
                                 .minimal = {{1, 0}, {0, 2}, END},
                                 .anonymous = {END}};
    expect_example(patients, hierarchies, &claim);
}

static void figure_5_birthdate_and_sex(void **state) {
    (void)state;
    const example_claim claim = {.n_attributes = 2,
                                 .columns = {BIRTHDATE, SEX},
                                 .k = 2,
                                 .n_nodes = 4,
                                 .minimal = {{1, 0}, {0, 1}, END},
                                 .anonymous = {END}};
    expect_example(patients, hierarchies, &claim);
}

static void figure_7_all_five_candidates_of_three_attributes_are_2_anonymous(void **state) {
    (void)state;
    const example_claim claim = {
        .n_attributes = 3,
        .columns = {BIRTHDATE, SEX, ZIPCODE},
        .k = 2,
        .n_nodes = 12,
        .minimal = {{1, 1, 0}, {1, 0, 2}, {0, 1, 2}, END},
        .anonymous = {{1, 1, 0}, {1, 0, 2}, {0, 1, 2}, {1, 1, 1}, {1, 1, 2}, END}};
    expect_example(patients, hierarchies, &claim);
}

static void three_attributes_have_two_3_anonymous_nodes(void **state) {
    (void)state;
    const example_claim claim = {.n_attributes = 3,
                                 .columns = {BIRTHDATE, SEX, ZIPCODE},
                                 .k = 3,
                                 .n_nodes = 12,
                                 .minimal = {{1, 0, 2}, END},
                                 .anonymous = {{1, 0, 2}, {1, 1, 2}, END}};
    expect_example(patients, hierarchies, &claim);
}

/* ---- the lattice of Figure 3 ---------------------------------------------------------------- */

static void make_patients(kan_run *run, unsigned n, const unsigned *columns, test_problem *out) {
    const char *chosen[3];
    plain_table plain;
    for (unsigned a = 0; a < n; a++)
        chosen[a] = hierarchies[columns[a]];
    plain_parse(patients, n, columns, chosen, &plain);
    test_problem_make(run, &plain, out);
    plain_destroy(&plain);
}

static void figure_2_hierarchies_have_heights_1_1_2_and_the_labels_of_the_figure(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    test_problem made;
    make_patients(run, 3, (const unsigned[]){BIRTHDATE, SEX, ZIPCODE}, &made);
    static const unsigned heights[] = {1, 1, 2};
    static const char *const tops[] = {"*", "Person", "537**"};
    for (unsigned a = 0; a < 3; a++) {
        const kan_hierarchy *hierarchy = made.hierarchies[a];
        assert_int_equal(hierarchy->height, heights[a]);
        assert_true(kan_slice_is(hierarchy->levels[heights[a]].label[0], tops[a]));
    }
    const kan_hierarchy *zipcode = made.hierarchies[2];
    assert_int_equal(zipcode->levels[1].n_groups, 2);
    assert_true(kan_slice_is(zipcode->levels[1].label[0], "5371*"));
    assert_true(kan_slice_is(zipcode->levels[1].label[1], "5370*"));
    test_problem_destroy(&made);
    kan_run_destroy(run);
}

static void figure_3_lattice_has_six_nodes_and_s1_z1_has_height_2(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    test_problem made;
    kan_lattice lattice;
    make_patients(run, 2, (const unsigned[]){SEX, ZIPCODE}, &made);
    kan_lattice_make(&made.problem.space, &lattice);
    assert_int_equal(lattice.n_nodes, 6);
    assert_int_equal(lattice.height, 3);
    test_asked asked;
    test_node node;
    test_ask(&made, &(test_question){.cost = &kan_cost_height, .k = 2}, &asked);
    test_node_make(&made, &asked, (const unsigned[]){1, 1}, &node);
    kan_score score = kan_cost_height.measure(asked.objective.state, &node.groups);
    assert_true(score.is_whole && score.whole == 2);
    test_node_destroy(&made, &node);
    test_asked_destroy(&asked);
    test_problem_destroy(&made);
    kan_run_destroy(run);
}

/* The text calls it the least upper bound; its example, and the reason for it, need the greatest
 * lower bound. */
static void the_super_root_of_the_three_roots_is_the_bottom(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    test_problem made;
    test_asked asked;
    kan_answer answer;
    make_patients(run, 3, (const unsigned[]){BIRTHDATE, SEX, ZIPCODE}, &made);
    test_ask(&made, &(test_question){.cost = &kan_cost_height, .k = 2}, &asked);
    EXPECT_OK(run, kan_search_exhaustive.search(run, &asked.question, &answer));
    assert_int_equal(answer.n_minimal, 3);
    for (unsigned a = 0; a < 3; a++) {
        unsigned least = UINT8_MAX;
        for (unsigned i = 0; i < 3; i++)
            least = answer.minimal[i * 3 + a] < least ? answer.minimal[i * 3 + a] : least;
        assert_int_equal(least, 0);
    }
    kan_answer_destroy(run, &answer);
    test_asked_destroy(&asked);
    test_problem_destroy(&made);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patients_is_not_2_anonymous_by_sex_and_zipcode_until_sex_is_generalized),
        cmocka_unit_test(each_attribute_alone_is_2_anonymous_as_it_is),
        cmocka_unit_test(figure_5a_sex_and_zipcode),
        cmocka_unit_test(figure_5_birthdate_and_zipcode),
        cmocka_unit_test(figure_5_birthdate_and_sex),
        cmocka_unit_test(figure_7_all_five_candidates_of_three_attributes_are_2_anonymous),
        cmocka_unit_test(three_attributes_have_two_3_anonymous_nodes),
        cmocka_unit_test(figure_2_hierarchies_have_heights_1_1_2_and_the_labels_of_the_figure),
        cmocka_unit_test(figure_3_lattice_has_six_nodes_and_s1_z1_has_height_2),
        cmocka_unit_test(the_super_root_of_the_three_roots_is_the_bottom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
