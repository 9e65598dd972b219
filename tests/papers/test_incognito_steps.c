/* Incognito step by step on its own example: Patients (Figure 1) with the hierarchies of Figure 2.
 * Example 3.1 and Figure 5 tell which nodes are checked, in which order, and which are marked;
 * Example 3.2 and Figure 7(a) what is left for three attributes.
 *
 * A step is written as the node, what happened to it, and where its frequency set came from:
 * "S1Z0 passes rollup". */
#include <stdio.h>
#include <string.h>

#include "search/incognito/subset_search.h"
#include "support/question.h"

static const char *const patients = "1/21/76,Male,53715,Flu\n"
                                    "4/13/86,Female,53715,Hepatitis\n"
                                    "2/28/76,Male,53703,Brochitis\n"
                                    "1/21/76,Male,53703,Broken Arm\n"
                                    "4/13/86,Female,53706,Sprained Ankle\n"
                                    "2/28/76,Female,53706,Hang Nail\n";

static const char *const hierarchies[] = {"1/21/76;*\n2/28/76;*\n4/13/86;*\n",
                                          "Male;Person\nFemale;Person\n",
                                          "53715;5371*;537**\n"
                                          "53710;5371*;537**\n"
                                          "53706;5370*;537**\n"
                                          "53703;5370*;537**\n"};

/* ---- watching ------------------------------------------------------------------------------- */

enum { MOST_STEPS = 64, STEP = 40 };

typedef struct {
    char attributes[4]; /* of the subset that is watched: "SZ" */
    size_t n;
    char steps[MOST_STEPS][STEP];
} diary;

static void write_down(void *context, kan_sight sight, unsigned n, const unsigned *attributes,
                       const unsigned *levels, kan_origin origin) {
    static const char *const words[] = {"passes", "fails", "marked"};
    static const char *const origins[] = {" scan", " rollup", " cube"};
    diary *here = context;
    char node[16] = "", subset[4] = "";
    for (unsigned a = 0; a < 3; a++)
        for (unsigned i = 0; i < n; i++)
            if (attributes[i] == a) {
                snprintf(subset + strlen(subset), 2, "%c", "BSZ"[a]);
                snprintf(node + strlen(node), 4, "%c%u", "BSZ"[a], levels[i]);
            }
    if (strcmp(subset, here->attributes) != 0)
        return;
    assert_true(here->n < MOST_STEPS);
    snprintf(here->steps[here->n++], STEP, "%s %s%s", node, words[sight],
             sight == KAN_SEEN_MARK ? "" : origins[origin]);
}

typedef struct {
    kan_run *run;
    test_problem made;
    test_asked asked;
} example;

static void example_open(uint64_t k, const char *marking, example *out) {
    plain_table plain;
    out->run = kan_run_create();
    kan_run_set_threads(out->run, 1);
    plain_parse(patients, 3, (const unsigned[]){0, 1, 2}, hierarchies, &plain);
    test_problem_make(out->run, &plain, &out->made);
    plain_destroy(&plain);
    test_ask(&out->made, &(test_question){.cost = &kan_cost_height, .k = k}, &out->asked);
    EXPECT_OK(out->run, kan_options_add(&out->asked.options, "marking", marking));
}

static void example_close(example *here) {
    test_asked_destroy(&here->asked);
    test_problem_destroy(&here->made);
    kan_run_destroy(here->run);
}

/* Fails unless the subset is searched in exactly these steps; the list ends with NULL. */
static void expect_steps(uint64_t k, const char *marking, const char *attributes,
                         const char *const *steps) {
    example here;
    kan_subset_search *search;
    kan_answer answer;
    diary seen = {.n = 0};
    size_t n = 0;
    snprintf(seen.attributes, sizeof seen.attributes, "%s", attributes);
    example_open(k, marking, &here);
    EXPECT_OK(here.run, kan_subset_search_create(here.run, &here.asked.question, &search));
    EXPECT_OK(here.run, kan_subset_search_run(search, &(kan_supply){.context = NULL},
                                              &(kan_observer){&seen, write_down}, &answer));
    for (; steps[n]; n++) {
        assert_true(n < seen.n);
        assert_string_equal(seen.steps[n], steps[n]);
    }
    assert_int_equal(seen.n, n);
    kan_answer_destroy(here.run, &answer);
    kan_subset_search_destroy(search);
    example_close(&here);
}

#define STEPS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* ---- the example ---------------------------------------------------------------------------- */

static void example_3_1_every_attribute_alone_passes_as_it_is(void **state) {
    (void)state;
    expect_steps(2, "literal", "B", STEPS("B0 passes scan", "B1 marked"));
    expect_steps(2, "literal", "S", STEPS("S0 passes scan", "S1 marked"));
    expect_steps(2, "literal", "Z", STEPS("Z0 passes scan", "Z1 marked"));
    expect_steps(2, "transitive", "Z", STEPS("Z0 passes scan", "Z1 marked", "Z2 marked"));
}

static void figure_5a_sex_and_zipcode_step_by_step(void **state) {
    (void)state;
    expect_steps(2, "literal", "SZ",
                 STEPS("S0Z0 fails scan", "S1Z0 passes rollup", "S1Z1 marked", "S0Z1 fails rollup",
                       "S0Z2 passes rollup", "S1Z2 marked"));
    /* as Example 3.1 tells it: all generalizations of <S1,Z0> are marked */
    expect_steps(2, "transitive", "SZ",
                 STEPS("S0Z0 fails scan", "S1Z0 passes rollup", "S1Z1 marked", "S0Z1 fails rollup",
                       "S1Z2 marked", "S0Z2 passes rollup"));
}

static void figure_5_birthdate_and_zipcode_step_by_step(void **state) {
    (void)state;
    expect_steps(2, "literal", "BZ",
                 STEPS("B0Z0 fails scan", "B1Z0 passes rollup", "B1Z1 marked", "B0Z1 fails rollup",
                       "B0Z2 passes rollup", "B1Z2 marked"));
}

static void figure_5_birthdate_and_sex_step_by_step(void **state) {
    (void)state;
    expect_steps(
        2, "literal", "BS",
        STEPS("B0S0 fails scan", "B0S1 passes rollup", "B1S1 marked", "B1S0 passes rollup"));
}

static void example_3_2_three_roots_pass_and_the_rest_is_marked(void **state) {
    (void)state;
    expect_steps(2, "literal", "BSZ",
                 STEPS("B1S1Z0 passes scan", "B1S1Z1 marked", "B0S1Z2 passes scan", "B1S1Z2 marked",
                       "B1S0Z2 passes scan"));
    expect_steps(2, "transitive", "BSZ",
                 STEPS("B1S1Z0 passes scan", "B1S1Z1 marked", "B1S1Z2 marked", "B0S1Z2 passes scan",
                       "B1S0Z2 passes scan"));
}

/* With k = 3 only <B1,S0> and <B1,S1>, <B1,Z2>, and <S0,Z2>, <S1,Z2> are left of the pairs. */
static void with_k_3_one_root_is_left(void **state) {
    (void)state;
    expect_steps(3, "transitive", "BSZ", STEPS("B1S0Z2 passes scan", "B1S1Z2 marked"));
}

static kan_effort effort_of(const kan_search_kind *search, uint64_t *n_checked) {
    example here;
    kan_answer answer;
    example_open(2, "transitive", &here);
    EXPECT_OK(here.run, search->search(here.run, &here.asked.question, &answer));
    assert_int_equal(answer.n_anonymous, 5);
    assert_int_equal(answer.n_minimal, 3);
    *n_checked = answer.n_checked;
    kan_effort effort = answer.effort;
    kan_answer_destroy(here.run, &answer);
    example_close(&here);
    return effort;
}

/* 3 single attributes, 4 + 4 + 3 nodes of pairs, 3 roots of all. */
static void seventeen_nodes_are_checked_whatever_the_sets_come_from(void **state) {
    (void)state;
    uint64_t n_checked;
    effort_of(&kan_search_incognito, &n_checked);
    assert_int_equal(n_checked, 17);
    effort_of(&kan_search_incognito_superroots, &n_checked);
    assert_int_equal(n_checked, 17);
    effort_of(&kan_search_incognito_cube, &n_checked);
    assert_int_equal(n_checked, 17);
}

/* 3.3.1: one scan at <B0,S0,Z0> instead of one for each of the three roots. What is scanned to
 * measure costs is the same in both. */
static void a_super_root_saves_two_scans_of_three(void **state) {
    (void)state;
    uint64_t n_checked;
    kan_effort basic = effort_of(&kan_search_incognito, &n_checked);
    kan_effort super = effort_of(&kan_search_incognito_superroots, &n_checked);
    assert_int_equal(basic.n_scans - super.n_scans, 2);
    assert_int_equal(super.n_rollups - basic.n_rollups, 3);
    assert_int_equal(basic.n_rollups, 8);
}

/* 3.3.2: of nine roots those of one and two attributes come from the cube, whose three largest sets
 * are scanned. */
static void the_cube_saves_the_scans_of_small_subsets(void **state) {
    (void)state;
    uint64_t n_checked;
    kan_effort basic = effort_of(&kan_search_incognito, &n_checked);
    kan_effort cube = effort_of(&kan_search_incognito_cube, &n_checked);
    assert_int_equal(basic.n_scans - cube.n_scans, 6 - 3);
    assert_true(cube.n_cube >= 3 + 6);
    assert_int_equal(basic.n_cube, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_3_1_every_attribute_alone_passes_as_it_is),
        cmocka_unit_test(figure_5a_sex_and_zipcode_step_by_step),
        cmocka_unit_test(figure_5_birthdate_and_zipcode_step_by_step),
        cmocka_unit_test(figure_5_birthdate_and_sex_step_by_step),
        cmocka_unit_test(example_3_2_three_roots_pass_and_the_rest_is_marked),
        cmocka_unit_test(with_k_3_one_root_is_left),
        cmocka_unit_test(seventeen_nodes_are_checked_whatever_the_sets_come_from),
        cmocka_unit_test(a_super_root_saves_two_scans_of_three),
        cmocka_unit_test(the_cube_saves_the_scans_of_small_subsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
