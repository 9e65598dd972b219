/* io/guard.h: what a spreadsheet would run, and the apostrophe before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/hash.h"
#include "io/guard.h"

static void formulas_are_found_by_how_they_begin(void **state) {
    static const char *const formulas[] = {"=1+1",
                                           "=cmd()",
                                           "@SUM(A1)",
                                           "+1+1",
                                           "-1-1",
                                           "-2+3",
                                           "+cmd",
                                           "-A1",
                                           "\tx",
                                           "\rx",
                                           "\nx",
                                           "=",
                                           "@",
                                           "-10--6",
                                           "+3.2.e",
                                           "-1e",
                                           "-1e+",
                                           "-e5",
                                           "-.",
                                           "-5 %",
                                           "--5",
                                           "+-5",
                                           "-5)",
                                           "-1,2;3",
                                           "-1e5e5",
                                           "-1%%",
                                           "\xef\xbc\x9d"
                                           "1",
                                           "\xef\xbc\x8b"
                                           "1",
                                           "\xef\xbc\x8d"
                                           "1",
                                           "\xef\xbc\xa0"
                                           "x"};
    (void)state;
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        if (!kan_guard_is_formula(kan_slice_of(formulas[i])))
            print_message("not seen: %s\n", formulas[i]);
        assert_true(kan_guard_is_formula(kan_slice_of(formulas[i])));
        assert_true(kan_guard_needs(kan_slice_of(formulas[i])));
        assert_true(kan_guard_may_need(formulas[i][0]));
    }
}

static void numbers_and_plain_text_stay_as_they_are(void **state) {
    static const char *const harmless[] = {
        "",  "-5", "+3.2",     "1e5", "-1e5",   "-1E-05",       "+1e+5",    "-.5",         "-5.",
        "-", "+",  "-1,234.5", "-5%", "-3,5",   "a=b",          "x",        "*",           "20-29",
        "'", "'x", "'-5",      " =1", "\"=1\"", "\xef\xbc\x9c", "\xef\xbc", "\xef\xbb\xbf"};
    (void)state;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        if (kan_guard_needs(kan_slice_of(harmless[i])))
            print_message("taken for a formula: %s\n", harmless[i]);
        assert_false(kan_guard_needs(kan_slice_of(harmless[i])));
    }
}

/* A cell as it is written. */
static kan_slice guard(kan_slice value, char *room) {
    const bool needs = kan_guard_needs(value);
    room[0] = '\'';
    memcpy(room + needs, value.bytes, value.size);
    return (kan_slice){room, value.size + needs};
}

static void every_value_comes_back_and_no_cell_is_a_formula(void **state) {
    static const char bytes[] = "'''=+-@\t\r5.,e%a \xef\xbc\x9d\x8b";
    uint64_t seed = 7;
    (void)state;
    for (int round = 0; round < 200000; round++) {
        char value[8], room[16];
        const size_t size = kan_random_below(&seed, 6);
        for (size_t i = 0; i < size; i++)
            value[i] = bytes[kan_random_below(&seed, sizeof bytes - 1)];
        bool is_open = false;
        const kan_slice cell = guard((kan_slice){value, size}, room);
        const kan_slice back = kan_guard_undo(cell, &is_open);
        assert_false(kan_guard_is_formula(cell));
        assert_false(is_open);
        assert_true(kan_slice_equal(back, (kan_slice){value, size}));
    }
}

static void an_encoder_keeps_its_codes_when_guards_are_taken_off(void **state) {
    static const char *const cells[] = {"'=a", "b", "''=a", "'-5", "'+x", ""};
    static const char *const values[] = {"=a", "b", "'=a", "'-5", "+x", ""};
    kan_run *run = kan_run_create();
    kan_encoder encoder;
    uint32_t code;
    bool is_open = false;
    (void)state;
    assert_int_equal(kan_encoder_init(&encoder, run), KAN_OK);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(kan_encoder_add(&encoder, kan_slice_of(cells[i]), &code), KAN_OK);
    assert_int_equal(kan_guard_undo_all(&encoder, &is_open), KAN_OK);
    assert_false(is_open);
    assert_int_equal(encoder.n, 6);
    for (uint32_t i = 0; i < 6; i++)
        assert_true(kan_slice_is(kan_encoder_value(&encoder, i), values[i]));
    /* What is a formula now was none of a guarded table. */
    assert_int_equal(kan_guard_undo_all(&encoder, &is_open), KAN_OK);
    assert_true(is_open);
    assert_true(kan_slice_is(kan_encoder_value(&encoder, 2), "'=a"));
    kan_encoder_destroy(&encoder);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_are_found_by_how_they_begin),
        cmocka_unit_test(numbers_and_plain_text_stay_as_they_are),
        cmocka_unit_test(every_value_comes_back_and_no_cell_is_a_formula),
        cmocka_unit_test(an_encoder_keeps_its_codes_when_guards_are_taken_off),
    };
    return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
