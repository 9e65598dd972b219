/* core/options.h: values by name, checked against specs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "core/options.h"

typedef struct {
    kan_run *run;
    kan_arena arena;
    kan_options options;
} fixture;

static int set_up(void **state) {
    static fixture one;
    one.run = kan_run_create();
    if (!one.run)
        return -1;
    kan_arena_init(&one.arena, one.run);
    kan_options_init(&one.options, &one.arena);
    *state = &one;
    return 0;
}

static int tear_down(void **state) {
    fixture *here = *state;
    kan_options_destroy(&here->options);
    kan_arena_destroy(&here->arena);
    kan_run_destroy(here->run);
    return 0;
}

static void add(fixture *here, const char *name, const char *value) {
    assert_int_equal(kan_options_add(&here->options, name, value), KAN_OK);
}

static void the_last_value_wins_and_all_are_kept_in_order(void **state) {
    fixture *here = *state;
    add(here, "qi", "age");
    add(here, "k", "2");
    add(here, "qi", "zip");
    add(here, "k", "5");
    assert_string_equal(kan_options_find(&here->options, "k"), "5");
    assert_int_equal(kan_options_count_of(&here->options, "qi"), 2);
    assert_string_equal(kan_options_at(&here->options, "qi", 0), "age");
    assert_string_equal(kan_options_at(&here->options, "qi", 1), "zip");
    assert_null(kan_options_at(&here->options, "qi", 2));
    assert_null(kan_options_find(&here->options, "l"));
    assert_int_equal(kan_options_count_of(&here->options, "l"), 0);
}

static void names_and_values_are_copies(void **state) {
    fixture *here = *state;
    char name[] = "cost", value[] = "height";
    add(here, name, value);
    memset(name, 'x', 4);
    memset(value, 'x', 6);
    assert_string_equal(kan_options_find(&here->options, "cost"), "height");
}

static void hundreds_of_values_are_kept(void **state) {
    fixture *here = *state;
    for (int i = 0; i < 500; i++)
        add(here, i % 2 ? "odd" : "even", "v");
    assert_int_equal(kan_options_count_of(&here->options, "odd"), 250);
    kan_options_destroy(&here->options);
    assert_int_equal(kan_options_count_of(&here->options, "odd"), 0);
    add(here, "odd", "again");
    assert_string_equal(kan_options_find(&here->options, "odd"), "again");
}

static void values_come_as_numbers_and_switches(void **state) {
    fixture *here = *state;
    add(here, "k", "12");
    add(here, "t", "0.25");
    add(here, "force", "true");
    add(here, "quiet", "true");
    add(here, "quiet", "false");
    assert_int_equal(kan_options_count(&here->options, "k", 2), 12);
    assert_int_equal(kan_options_count(&here->options, "l", 3), 3);
    assert_true(kan_options_real(&here->options, "t", 1) == 0.25);
    assert_true(kan_options_real(&here->options, "c", 1.5) == 1.5);
    assert_true(kan_options_switch(&here->options, "force"));
    assert_false(kan_options_switch(&here->options, "quiet"));
    assert_false(kan_options_switch(&here->options, "shuffle"));
}

static void expect(fixture *here, const kan_option_spec *spec, const char *value, kan_status want,
                   const char *part) {
    assert_int_equal(kan_option_check(here->run, spec, value), want);
    if (want != KAN_OK) {
        assert_non_null(strstr(kan_run_error(here->run), "--"));
        assert_non_null(strstr(kan_run_error(here->run), spec->name));
        assert_non_null(strstr(kan_run_error(here->run), part));
    }
}

static void a_count_outside_its_bounds_is_refused(void **state) {
    fixture *here = *state;
    const kan_option_spec k = {
        .name = "k", .argument = "N", .type = KAN_OPTION_COUNT, .least = 1, .most = 1000000};
    expect(here, &k, "1", KAN_OK, NULL);
    expect(here, &k, "1000000", KAN_OK, NULL);
    expect(here, &k, "0", KAN_BAD_INPUT, "the minimum is 1");
    expect(here, &k, "1000001", KAN_BAD_INPUT, "the maximum is 1000000");
    expect(here, &k, "-1", KAN_BAD_INPUT, "not a whole number");
    expect(here, &k, "2.5", KAN_BAD_INPUT, "write --k N");
    expect(here, &k, "", KAN_BAD_INPUT, "not a whole number");
    const kan_option_spec free = {.name = "seed", .argument = "N", .type = KAN_OPTION_COUNT};
    expect(here, &free, "18446744073709551615", KAN_OK, NULL);
    expect(here, &free, "18446744073709551616", KAN_BAD_INPUT, "not a whole number");
}

static void a_real_outside_its_bounds_is_refused(void **state) {
    fixture *here = *state;
    const kan_option_spec t = {
        .name = "t", .argument = "T", .type = KAN_OPTION_REAL, .least = 0, .most = 1};
    expect(here, &t, "0", KAN_OK, NULL);
    expect(here, &t, "1", KAN_OK, NULL);
    expect(here, &t, "0.3", KAN_OK, NULL);
    expect(here, &t, "-0.1", KAN_BAD_INPUT, "too small");
    expect(here, &t, "1.0001", KAN_BAD_INPUT, "too large");
    expect(here, &t, "nan", KAN_BAD_INPUT, "not a number");
    expect(here, &t, "half", KAN_BAD_INPUT, "not a number");
}

static void a_choice_must_be_one_of_the_choices_as_a_whole(void **state) {
    fixture *here = *state;
    const kan_option_spec kind = {.name = "l-kind",
                                  .argument = "KIND",
                                  .type = KAN_OPTION_CHOICE,
                                  .choices = "distinct|entropy|recursive"};
    expect(here, &kind, "distinct", KAN_OK, NULL);
    expect(here, &kind, "entropy", KAN_OK, NULL);
    expect(here, &kind, "recursive", KAN_OK, NULL);
    expect(here, &kind, "dist", KAN_BAD_INPUT, "distinct|entropy|recursive");
    expect(here, &kind, "distinct|entropy", KAN_BAD_INPUT, "not one of");
    expect(here, &kind, "", KAN_BAD_INPUT, "not one of");
    const kan_option_spec force = {.name = "force", .type = KAN_OPTION_SWITCH};
    expect(here, &force, "true", KAN_OK, NULL);
    expect(here, &force, "false", KAN_OK, NULL);
    expect(here, &force, "yes", KAN_BAD_INPUT, "neither true nor false");
    const kan_option_spec text = {.name = "note", .argument = "TEXT", .type = KAN_OPTION_TEXT};
    expect(here, &text, "", KAN_OK, NULL);
    expect(here, &text, "anything |", KAN_OK, NULL);
    const kan_option_spec path = {.name = "old", .argument = "FILE", .type = KAN_OPTION_PATH};
    expect(here, &path, "a b/c.json", KAN_OK, NULL);
}

static void a_kind_knows_its_options(void **state) {
    (void)state;
    const kan_option_spec options[] = {{.name = "marking"}, {.name = "room"}};
    const kan_kind kind = {
        .name = "search", .summary = "looks", .options = options, .n_options = 2};
    const kan_kind bare = {.name = "bare", .summary = ""};
    assert_true(kan_kind_has_option(&kind, "marking"));
    assert_true(kan_kind_has_option(&kind, "room"));
    assert_false(kan_kind_has_option(&kind, "roo"));
    assert_false(kan_kind_has_option(&bare, "room"));
}

static void a_size_is_a_number_of_bytes_above_nothing(void **state) {
    fixture *here = *state;
    const kan_option_spec room = {.name = "room", .argument = "SIZE", .type = KAN_OPTION_BYTES};
    expect(here, &room, "64M", KAN_OK, NULL);
    expect(here, &room, "4096", KAN_OK, NULL);
    expect(here, &room, "0", KAN_BAD_INPUT, "--room 64M");
    expect(here, &room, "lots", KAN_BAD_INPUT, "'lots' is not a size");
    expect(here, &room, "", KAN_BAD_INPUT, "is not a size");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_last_value_wins_and_all_are_kept_in_order, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(names_and_values_are_copies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hundreds_of_values_are_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(values_come_as_numbers_and_switches, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_count_outside_its_bounds_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_real_outside_its_bounds_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_choice_must_be_one_of_the_choices_as_a_whole, set_up,
                                        tear_down),
        cmocka_unit_test(a_kind_knows_its_options),
        cmocka_unit_test_setup_teardown(a_size_is_a_number_of_bytes_above_nothing, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
