/* Sun, Li, Wang, Plank, "An efficient hash-based algorithm for minimal k-anonymity": Table 1 with
 * the hierarchies of Figure 1, and the minimal generalizations that the paper names. GT[0,2] is the
 * node {0, 2}. */
#include "support/example.h"

static const char *const table_1 = "Male,25,4370,Hypertension\n"
                                   "Male,25,4370,Hypertension\n"
                                   "Male,22,4352,Depression\n"
                                   "Female,28,4373,Chest Pain\n"
                                   "Female,28,4373,Obesity\n"
                                   "Female,34,4350,Flu\n";

enum { GENDER, AGE, ZIP };

static const char *const hierarchies[] = {
    "Male;person\nFemale;person\n",
    "22;22-25;22-34\n25;22-25;22-34\n28;28-34;22-34\n34;28-34;22-34\n",
    "4370;437*;43**\n4373;437*;43**\n4352;435*;43**\n4350;435*;43**\n"};

#define END                                                                                        \
    { EXAMPLE_END }

static uint64_t largest_k(unsigned n, const unsigned *columns, const unsigned *levels) {
    return example_largest_k(table_1, hierarchies, n, columns, levels);
}

static void the_table_is_1_anonymous_only(void **state) {
    (void)state;
    const unsigned columns[] = {GENDER, AGE, ZIP}, levels[] = {0, 0, 0};
    assert_int_equal(largest_k(3, columns, levels), 1);
}

static void generalized_tables_are_k_anonymous_up_to_the_k_of_section_4_2(void **state) {
    (void)state;
    const unsigned columns[] = {GENDER, ZIP};
    assert_int_equal(largest_k(2, columns, (const unsigned[]){0, 0}), 1);
    assert_int_equal(largest_k(2, columns, (const unsigned[]){1, 1}), 2);
    assert_int_equal(largest_k(2, columns, (const unsigned[]){0, 2}), 3);
    assert_int_equal(largest_k(2, columns, (const unsigned[]){1, 2}), 6);
}

static void minimal_generalizations_are_those_after_definition_5(void **state) {
    (void)state;
    const example_claim claims[] = {
        {2, {GENDER, ZIP}, 2, 6, {{0, 2}, {1, 1}, END}, {{0, 2}, {1, 1}, {1, 2}, END}},
        {2, {GENDER, ZIP}, 3, 6, {{0, 2}, END}, {{0, 2}, {1, 2}, END}},
        {2, {AGE, ZIP}, 2, 9, {{1, 2}, {2, 1}, END}, {END}},
        {2, {AGE, ZIP}, 3, 9, {{1, 2}, END}, {END}},
        {3, {GENDER, AGE, ZIP}, 2, 18, {{0, 1, 2}, {1, 2, 1}, END}, {END}},
        {3, {GENDER, AGE, ZIP}, 3, 18, {{0, 1, 2}, END}, {END}},
        {3, {GENDER, AGE, ZIP}, 4, 18, {{1, 2, 2}, END}, {END}},
        {3, {GENDER, AGE, ZIP}, 5, 18, {{1, 2, 2}, END}, {END}},
        {3, {GENDER, AGE, ZIP}, 6, 18, {{1, 2, 2}, END}, {END}},
    };
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        expect_example(table_1, hierarchies, &claims[i]);
}

/* Section 4.1: [1,0] -> [1,1] -> [1,2] have 4, 2 and 1 tuples. */
static void strategy_1_has_the_tuples_of_section_4_1(void **state) {
    (void)state;
    static const unsigned levels[][2] = {{1, 0}, {1, 1}, {1, 2}};
    static const size_t n_groups[] = {4, 2, 1};
    const char *const chosen[] = {hierarchies[GENDER], hierarchies[ZIP]};
    kan_run *run = kan_run_create();
    plain_table plain;
    test_problem made;
    test_asked asked;
    plain_parse(table_1, 2, (const unsigned[]){GENDER, ZIP}, chosen, &plain);
    test_problem_make(run, &plain, &made);
    test_ask(&made, &(test_question){.cost = &kan_cost_height, .k = 2}, &asked);
    for (unsigned i = 0; i < 3; i++) {
        test_node node;
        test_node_make(&made, &asked, levels[i], &node);
        assert_int_equal(node.groups.n_groups, n_groups[i]);
        test_node_destroy(&made, &node);
    }
    test_asked_destroy(&asked);
    test_problem_destroy(&made);
    plain_destroy(&plain);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_1_anonymous_only),
        cmocka_unit_test(generalized_tables_are_k_anonymous_up_to_the_k_of_section_4_2),
        cmocka_unit_test(minimal_generalizations_are_those_after_definition_5),
        cmocka_unit_test(strategy_1_has_the_tuples_of_section_4_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
