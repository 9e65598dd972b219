/* What is almost dates or numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "data/hierarchies/hierarchy.h"
#include "data/mixture.h"
#include "unit/hierarchy_column.h"

static void dates_are_known_however_they_are_written(void **state) {
    static const char *const dates[] = {"14.03.1980",       "4.3.1980",     "03/14/1980",
                                        "14/03/80",         "1980/03/14",   "1980-3-14",
                                        "14-Mar-1980",      "14 März 1980", "March 14, 1980",
                                        "1980-03-14 10:30", "19800314",     "1980-03-14T10:30:00",
                                        "14.03.1980 10:30", "03.1980"};
    static const char *const others[] = {"1980-03-14",  "14.3",     "192.168.1.1", "Anna",  "",
                                         "32.13.1980",  "12345678", "1980",        "10:30", "A-1-2",
                                         "078-05-1120", "555-0199", "5-470.11"};
    (void)state;
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++)
        if (!kan_value_is_other_date(kan_slice_of(dates[i])))
            fail_msg("'%s' is taken for no date", dates[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (kan_value_is_other_date(kan_slice_of(others[i])))
            fail_msg("'%s' is taken for a date", others[i]);
}

static void expect(kan_type type, const char *const *values, kan_mixture_kind kind,
                   const char *text) {
    kan_column column = column_of(type, values);
    const kan_mixture found = kan_mixture_find(&column);
    char room[KAN_MIXTURE_BYTES], spec[KAN_SPEC_BYTES];
    assert_int_equal(found.kind, kind);
    column.name = "born";
    if (kind != KAN_MIXTURE_NONE) {
        assert_string_equal(kan_mixture_text(&found, room), text);
        assert_null(kan_hierarchy_propose(&column, spec));
    } else {
        assert_non_null(kan_hierarchy_propose(&column, spec));
    }
    column_destroy(&column);
}

static void mixtures_are_told_without_a_value_of_the_table(void **state) {
    (void)state;
    expect(KAN_TYPE_TEXT, VALUES("01.02.1980", "02.02.1980", "03.02.1980", "n/a"),
           KAN_MIXTURE_OTHER_DATES,
           "dates, but not written as 1980-03-14 (year-month-day), except for 1 value, N/A");
    expect(KAN_TYPE_TEXT, VALUES("1980-01-02", "1980-01-03", "1980-01-04", "NA", "unknown"),
           KAN_MIXTURE_DATES, "dates, but for 2 values such as NA");
    expect(KAN_TYPE_TEXT, VALUES("1980-01-02", "03.02.1980", "04.02.1980"), KAN_MIXTURE_OTHER_DATES,
           "dates, but not written as 1980-03-14 (year-month-day)");
    expect(KAN_TYPE_TEXT, VALUES("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "see Anna"),
           KAN_MIXTURE_NUMBERS, "numbers, but for 1 value");
    expect(KAN_TYPE_TEXT, VALUES("1,5", "2,25", "3", "?"), KAN_MIXTURE_OTHER_NUMBERS,
           "numbers, but written with a comma");
    expect(KAN_TYPE_NUMBER, VALUES("19800314", "19900101", "20011231"), KAN_MIXTURE_OTHER_DATES,
           "dates, but not written as 1980-03-14 (year-month-day)");
}

static void other_columns_are_no_mixture(void **state) {
    (void)state;
    expect(KAN_TYPE_TEXT, VALUES("A", "B", "C", "NA"), KAN_MIXTURE_NONE, NULL);
    expect(KAN_TYPE_TEXT, VALUES("1", "2", "3", "four", "five"), KAN_MIXTURE_NONE, NULL);
    expect(KAN_TYPE_NUMBER, VALUES("17", "40", "90"), KAN_MIXTURE_NONE, NULL);
    expect(KAN_TYPE_DATE, VALUES("1980-01-02", "1980-01-03", "1980-01-04", "?"), KAN_MIXTURE_NONE,
           NULL);
    expect(KAN_TYPE_NUMBER, VALUES("10000001", "10000002", "99999999"), KAN_MIXTURE_NONE, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_are_known_however_they_are_written),
        cmocka_unit_test(mixtures_are_told_without_a_value_of_the_table),
        cmocka_unit_test(other_columns_are_no_mixture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
