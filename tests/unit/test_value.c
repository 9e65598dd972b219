/* Types of values: dates, numbers, and their order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "data/value.h"

static bool parses(const char *text, kan_date *date) {
    return kan_date_parse(kan_slice_of(text), date);
}

static void date_parses_year_month_day(void **state) {
    kan_date date;
    (void)state;
    assert_true(parses("2003-11-16", &date));
    assert_int_equal(date.year, 2003);
    assert_int_equal(date.month, 11);
    assert_int_equal(date.day, 16);
    assert_true(parses("2000-02-29", &date));
    assert_true(parses("0000-01-01", &date));
}

static void date_refuses_what_no_calendar_has(void **state) {
    static const char *const wrong[] = {
        "",           "2003-11-1",   "2003-11-160", "2003-13-01", "2003-00-01", "2003-01-00",
        "2003-04-31", "2001-02-29",  "1900-02-29",  "2003/11/16", "200a-11-16", "2003-1a-16",
        "16-11-2003", " 2003-11-16", "2003-11-1 ",  "-003-11-16", "2003-+1-16"};
    kan_date date = {1, 2, 3};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(parses(wrong[i], &date));
    assert_int_equal(date.year, 1);
}

static void date_days_count_from_1970_without_a_gap(void **state) {
    char text[16];
    kan_date date;
    double expected = 0;
    (void)state;
    assert_true(parses("1970-01-01", &date));
    assert_true(kan_date_days(date) == 0);
    assert_true(parses("2000-03-01", &date));
    assert_true(kan_date_days(date) == 11017);
    assert_true(parses("0000-01-01", &date));
    expected = kan_date_days(date);
    for (int year = 0; year < 2500; year++)
        for (int month = 1; month <= 12; month++)
            for (int day = 1; day <= 31; day++) {
                snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, day);
                if (!parses(text, &date))
                    continue;
                assert_true(kan_date_days(date) == expected);
                expected++;
            }
    assert_true(parses("2499-12-31", &date));
    assert_true(kan_date_days(date) == expected - 1);
}

static void number_is_false_for_text_and_unknown(void **state) {
    double number;
    (void)state;
    assert_true(kan_value_number(KAN_TYPE_NUMBER, kan_slice_of("-1.5e2"), &number));
    assert_true(number == -150);
    assert_false(kan_value_number(KAN_TYPE_NUMBER, kan_slice_of("?"), &number));
    assert_false(kan_value_number(KAN_TYPE_NUMBER, kan_slice_of(""), &number));
    assert_false(kan_value_number(KAN_TYPE_TEXT, kan_slice_of("1"), &number));
    assert_true(kan_value_number(KAN_TYPE_DATE, kan_slice_of("1970-01-02"), &number));
    assert_true(number == 1);
    assert_false(kan_value_number(KAN_TYPE_DATE, kan_slice_of("1970"), &number));
}

static void assert_ascending(kan_type type, const char *const *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            int order = kan_value_compare(type, kan_slice_of(values[i]), kan_slice_of(values[j]));
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

static void compare_orders_each_type_by_its_value(void **state) {
    static const char *const numbers[] = {"", "?", "-10", "-9", "-0", "0", "07", "7", "7.5", "1e2"};
    static const char *const dates[] = {"", "?", "0999-12-31", "1999-12-31", "2000-01-01"};
    static const char *const texts[] = {"", "10", "9", "?", "A", "AB", "a", "\xc3\xa4"};
    (void)state;
    assert_ascending(KAN_TYPE_NUMBER, numbers, 10);
    assert_ascending(KAN_TYPE_DATE, dates, 5);
    assert_ascending(KAN_TYPE_TEXT, texts, 8);
}

static void types_have_names(void **state) {
    (void)state;
    assert_string_equal(kan_type_name(KAN_TYPE_TEXT), "text");
    assert_string_equal(kan_type_name(KAN_TYPE_NUMBER), "number");
    assert_string_equal(kan_type_name(KAN_TYPE_DATE), "date");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(date_parses_year_month_day),
        cmocka_unit_test(date_refuses_what_no_calendar_has),
        cmocka_unit_test(date_days_count_from_1970_without_a_gap),
        cmocka_unit_test(number_is_false_for_text_and_unknown),
        cmocka_unit_test(compare_orders_each_type_by_its_value),
        cmocka_unit_test(types_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
