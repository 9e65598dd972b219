/* core/wording.h and core/signs.h: figures, lists and signs of text as people read and write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>

#include "core/signs.h"
#include "core/wording.h"

static int set_up(void **state) {
    *state = kan_run_create();
    return *state ? 0 : -1;
}

static int tear_down(void **state) {
    kan_run_destroy(*state);
    return 0;
}

/* ---- percents ------------------------------------------------------------------------------- */

static void what_is_not_none_or_all_does_not_look_so(void **state) {
    static const struct {
        double percent;
        const char *tenths, *tight, *digits, *error, *page;
    } cases[] = {
        {0, "0.0 %", "0%", "0%", "0.00%", "0\u202f%"},
        {0.0123, "< 0.1 %", "<0.1%", "0.0123%", "0.01%", "0.012\u202f%"},
        {0.06, "0.1 %", "0.1%", "0.06%", "0.06%", "0.06\u202f%"},
        {12.34, "12.3 %", "12.3%", "12.3%", "12.34%", "12.3\u202f%"},
        {99.96, "> 99.9 %", ">99.9%", "100%", "99.96%", "99.96\u202f%"},
        {99.9999, "> 99.9 %", ">99.9%", "100%", "100.00%", "99.99\u202f%"},
        {100, "100.0 %", "100%", "100%", "100.00%", "100\u202f%"},
        {12345678, "12345678.0 %", "100%", "1.23e+07%", "1.23e+07%", "12345678.0\u202f%"},
    };
    char room[KAN_PERCENT_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double percent = cases[i].percent;
        assert_string_equal(kan_percent_text(percent, KAN_PERCENT_TENTHS, room), cases[i].tenths);
        assert_string_equal(kan_percent_text(percent, KAN_PERCENT_TIGHT, room), cases[i].tight);
        assert_string_equal(kan_percent_text(percent, KAN_PERCENT_DIGITS, room), cases[i].digits);
        assert_string_equal(kan_percent_text(percent, KAN_PERCENT_ERROR, room), cases[i].error);
        assert_string_equal(kan_percent_text(percent, KAN_PERCENT_PAGE, room), cases[i].page);
    }
}

/* ---- words ---------------------------------------------------------------------------------- */

static void words_are_wrapped_at_blanks_and_a_long_one_stays_whole(void **state) {
    kan_text text;
    kan_text_init(&text, *state);
    kan_text_add(&text, "x: ", 3);
    kan_text_add_wrapped(&text, "one two  three", 3, 3, 10);
    kan_text_add_wrapped(&text, "a averyverylongword b", 8, 2, 10);
    kan_text_add_wrapped(&text, "no one is there", 0, 4, 10); /* "no" ends where others begin */
    assert_string_equal(text.bytes, "x: one two\n   three\n a\n  averyverylongword\n  b\n"
                                    "no one is\n    there\n");
    kan_text_destroy(&text);
}

/* ---- lists ---------------------------------------------------------------------------------- */

static void a_list_tells_how_many_more_there_are(void **state) {
    char room[64], narrow[12];
    (void)state;
    kan_name_list list = kan_names_begin(room, sizeof room, 2);
    assert_string_equal(kan_names_end(&list), "");
    kan_names_add(&list, "a");
    assert_string_equal(kan_names_end(&list), "a");
    kan_names_add_quoted(&list, "b\n");
    assert_string_equal(kan_names_end(&list), "a, 'b\\x0a'");
    kan_names_add(&list, "c");
    kan_names_add(&list, "d");
    assert_int_equal(list.n, 4);
    assert_string_equal(kan_names_end(&list), "a, 'b\\x0a' and 2 more");
    list = kan_names_begin(narrow, sizeof narrow, 0);
    kan_names_add(&list, "first");
    kan_names_add(&list, "second");
    kan_names_add(&list, "it");
    assert_string_equal(kan_names_end(&list), "first, it");
}

/* ---- signs ---------------------------------------------------------------------------------- */

static void signs_are_those_of_ascii(void **state) {
    (void)state;
    for (int c = 0; c < 256; c++) {
        const char sign = (char)c;
        const bool is_ascii = c < 128;
        assert_int_equal(kan_is_digit(sign), is_ascii && isdigit(c));
        assert_int_equal(kan_is_capital(sign), is_ascii && isupper(c));
        assert_int_equal(kan_is_letter(sign), is_ascii && isalpha(c));
        assert_int_equal(kan_is_letter_byte(sign), !is_ascii || isalpha(c));
        assert_int_equal(kan_is_name_sign(sign), is_ascii && (isalnum(c) || c == '_'));
        assert_int_equal(kan_is_blank(sign), is_ascii && isblank(c));
        assert_int_equal(kan_hex_value(sign) >= 0, is_ascii && isxdigit(c));
    }
    assert_int_equal(kan_hex_value('9'), 9);
    assert_int_equal(kan_hex_value('a'), 10);
    assert_int_equal(kan_hex_value('F'), 15);
}

static void texts_begin_and_end(void **state) {
    (void)state;
    assert_true(kan_begins_with("", "") && kan_begins_with("ab", "a") && kan_begins_with("a", "a"));
    assert_false(kan_begins_with("a", "ab") || kan_begins_with("A", "a"));
    assert_true(kan_ends_with("a.csv", ".csv") && kan_ends_with(".csv", ".csv"));
    assert_false(kan_ends_with("csv", ".csv") || kan_ends_with("a.CSV", ".csv"));
    assert_true(kan_path_ends_with("a.CSV", ".csv"));
    assert_false(kan_path_ends_with(".csv", ".csv") || kan_path_ends_with("a.csv.gz", ".csv"));
    assert_true(kan_slice_begins((kan_slice){"a\0b", 3}, (kan_slice){"a\0", 2}));
    assert_true(kan_slice_begins((kan_slice){NULL, 0}, (kan_slice){NULL, 0}));
    assert_false(kan_slice_begins(kan_slice_of("a"), kan_slice_of("ab")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_none_or_all_does_not_look_so),
        cmocka_unit_test_setup_teardown(words_are_wrapped_at_blanks_and_a_long_one_stays_whole,
                                        set_up, tear_down),
        cmocka_unit_test(a_list_tells_how_many_more_there_are),
        cmocka_unit_test(signs_are_those_of_ascii),
        cmocka_unit_test(texts_begin_and_end),
    };
    return cmocka_run_group_tests_name("wording", tests, NULL, NULL);
}
