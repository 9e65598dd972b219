/* Bayardo and Agrawal, section 4 and Figure 1: a set of values stands for an anonymization; and the
 * example of 5.3. */
#include "search/set_enum/set_enum_classes.h"

#include <string.h>

#include "support/cut_problem.h"

enum { AGE, GENDER, MARITAL };

/* One row for each age and gender and status of the figure, in the figure's order. */
static const char *const hierarchies[] = {"[10-29];*\n[30-39];*\n[40-49];*\n", "M;*\nF;*\n",
                                          "Married;*\nWidowed;*\nDivorced;*\nNever Married;*\n"};
static const char *const rows = "[10-29],M,Married\n"
                                "[10-29],M,Widowed\n"
                                "[30-39],F,Divorced\n"
                                "[40-49],M,Never Married\n"
                                "[40-49],F,Never Married\n";

typedef struct {
    kan_run *run;
    cut_problem problem;
    test_asked asked;
    kan_cut_space space;
} scene;

static void scene_make(scene *out) {
    const unsigned columns[] = {AGE, GENDER, MARITAL};
    const cut_question question = {.cost = &kan_cost_discernibility, .k = 1};
    plain_table plain;
    out->run = kan_run_create();
    plain_parse(rows, 3, columns, hierarchies, &plain);
    cut_problem_make(out->run, &plain, NULL, &out->problem);
    cut_ask(&out->problem, &question, &out->asked);
    EXPECT_OK(out->run, kan_cut_space_make(out->run, &out->asked.question, &out->space));
}

static void scene_destroy(scene *here) {
    kan_cut_space_destroy(&here->space);
    test_asked_destroy(&here->asked);
    cut_problem_destroy(&here->problem);
    kan_run_destroy(here->run);
}

/* The choice of the value at a position of the total order, 1 to 9; 1, 4 and 6, the least of their
 * domains, have none. */
static unsigned choice_at_position(const scene *here, unsigned position) {
    unsigned a = 0;
    for (position--; position >= here->space.n_places[a]; a++)
        position -= here->space.n_places[a];
    assert_true(position > 0 && here->space.choice_at[a][position] >= 0);
    return (unsigned)here->space.choice_at[a][position];
}

/* The values of an attribute with a bar at each cut. */
static void write_intervals(const scene *here, const kan_recoding *recoding, unsigned a,
                            char *text) {
    const kan_hierarchy *hierarchy = here->problem.made.hierarchies[a];
    size_t cut = recoding->first_cut[a];
    *text = '\0';
    for (uint32_t place = 0; place < here->space.n_places[a]; place++) {
        const kan_slice label = hierarchy->levels[0].label[place];
        const bool is_cut = cut < recoding->first_cut[a + 1] && recoding->cuts[cut] == place;
        cut += is_cut;
        strcat(text, is_cut ? " | " : place > 0 ? ", " : "");
        strncat(text, label.bytes, label.size);
    }
}

static void the_alphabet_has_all_values_but_the_least_of_each_domain(void **state) {
    (void)state;
    static const unsigned positions[] = {2, 3, 5, 7, 8, 9};
    scene here;
    scene_make(&here);
    assert_int_equal(here.space.n_choices, 6);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(choice_at_position(&here, positions[i]), i);
    scene_destroy(&here);
}

static void the_set_2_7_9_stands_for_the_intervals_of_the_example(void **state) {
    (void)state;
    static const char *const expected[] = {"[10-29] | [30-39], [40-49]", "M, F",
                                           "Married | Widowed, Divorced | Never Married"};
    uint8_t is_made[6] = {0};
    kan_answer answer = {.n_cuts = 0};
    char text[100];
    scene here;
    scene_make(&here);
    is_made[choice_at_position(&here, 2)] = 1;
    is_made[choice_at_position(&here, 7)] = 1;
    is_made[choice_at_position(&here, 9)] = 1;
    EXPECT_OK(here.run, kan_cut_space_answer(&here.space, is_made, 0, &answer));
    for (unsigned a = AGE; a <= MARITAL; a++) {
        write_intervals(&here, &answer.recoding, a, text);
        assert_string_equal(text, expected[a]);
    }
    kan_answer_destroy(here.run, &answer);
    scene_destroy(&here);
}

/* "The single equivalence class of the parent node is split into two, one of all males and one of
 * all females"; and merged again on the way back. */
static void adding_5_to_the_empty_set_separates_men_and_women(void **state) {
    (void)state;
    kan_set_classes classes;
    scene here;
    scene_make(&here);
    EXPECT_OK(here.run, kan_set_classes_make(&here.space, &classes));
    assert_int_equal(classes.n, 1);
    assert_int_equal(classes.classes[0].rows, 5);
    kan_set_classes_add(&classes, choice_at_position(&here, 5));
    assert_int_equal(classes.n, 2);
    assert_int_equal(classes.classes[0].rows, 3);
    assert_int_equal(classes.classes[1].rows, 2);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(here.space.places[GENDER][classes.order[i]],
                         i >= classes.classes[1].first);
    kan_set_classes_recover(&classes, choice_at_position(&here, 5), 1);
    assert_int_equal(classes.n, 1);
    assert_int_equal(classes.classes[0].rows, 5);
    kan_set_classes_destroy(&classes);
    scene_destroy(&here);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_alphabet_has_all_values_but_the_least_of_each_domain),
        cmocka_unit_test(the_set_2_7_9_stands_for_the_intervals_of_the_example),
        cmocka_unit_test(adding_5_to_the_empty_set_separates_men_and_women),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
