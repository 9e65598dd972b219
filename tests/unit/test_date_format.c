/* Formats of dates: what is read, what is refused, and the way back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "data/date_format.h"
#include "data/value.h"

static kan_date_format format_of(const char *setting, char *room) {
    kan_date_format format = {NULL, -1};
    const char *problem = kan_date_format_parse(kan_slice_of(setting), room, &format);
    if (problem)
        fail_msg("%s %s", setting, problem);
    return format;
}

/* `expected` is NULL where the text is no date in the format. */
static void assert_reads(const char *setting, const char *text, const char *expected) {
    char format_room[KAN_DATE_FORMAT_MOST + 1], room[KAN_DATE_ROOM];
    const kan_date_format format = format_of(setting, format_room);
    const size_t size = kan_date_format_read(&format, kan_slice_of(text), room);
    if (!expected) {
        assert_int_equal(size, 0);
        return;
    }
    room[size] = '\0';
    assert_string_equal(room, expected);
}

static void assert_both(const char *setting, const char *text, const char *value) {
    char format_room[KAN_DATE_FORMAT_MOST + 1], room[KAN_DATE_ROOM];
    const kan_date_format format = format_of(setting, format_room);
    assert_reads(setting, text, value);
    const size_t size = kan_date_format_write(&format, kan_slice_of(value), room);
    room[size] = '\0';
    assert_string_equal(room, text);
}

static void dates_are_read_and_written_alike(void **state) {
    (void)state;
    assert_both("%d.%m.%Y", "14.03.1980", "1980-03-14");
    assert_both("%m/%d/%Y", "03/14/1980", "1980-03-14");
    assert_both("%-m/%-d/%Y", "3/4/1980", "1980-03-04");
    assert_both("%Y%m%d", "19800314", "1980-03-14");
    assert_both("%d%b%Y", "14Mar1980", "1980-03-14");
    assert_both("%B %e, %Y", "March  4, 1980", "1980-03-04");
    assert_both("%d.%m.%y@1930", "14.03.30", "1930-03-14");
    assert_both("%d.%m.%y@1930", "14.03.29", "2029-03-14");
    assert_both("%y%m%d@1930", "800314", "1980-03-14");
    assert_both("%d.%m.%Y %H:%M", "14.03.1980 13:45", "1980-03-14 13:45:00");
    assert_both("%d.%m.%Y %H:%M:%S", "14.03.1980 13:45:59", "1980-03-14 13:45:59");
    assert_both("%Y-%m-%dT%H:%M:%S.%f", "1980-03-14T13:45:59.25", "1980-03-14 13:45:59.25");
    assert_both("%Y-%m-%dT%H:%M:%S.%f", "1980-03-14T13:45:59.0", "1980-03-14 13:45:59");
    assert_both("%m/%d/%Y %I:%M %p", "03/14/1980 12:05 AM", "1980-03-14 00:05:00");
    assert_both("%m/%d/%Y %I:%M %p", "03/14/1980 12:05 PM", "1980-03-14 12:05:00");
    assert_both("%m/%d/%Y %-I:%M %p", "03/14/1980 1:05 PM", "1980-03-14 13:05:00");
    assert_both("%d.%m.%Y%%", "14.03.1980%", "1980-03-14");
}

static void padding_and_case_do_not_matter_to_a_reader(void **state) {
    (void)state;
    assert_reads("%d.%m.%Y", "4.3.1980", "1980-03-04");
    assert_reads("%-d.%-m.%Y", "04.03.1980", "1980-03-04");
    assert_reads("%d-%b-%Y", "14-MAR-1980", "1980-03-14");
    assert_reads("%d %b %Y", "14 march 1980", "1980-03-14");
    assert_reads("%d.%m.%Y %H:%M", "14.03.1980 9:05", "1980-03-14 09:05:00");
    assert_reads("%d%m%Y", "4031980", NULL);
}

static void zones_become_utc(void **state) {
    const char *format = "%Y-%m-%d %H:%M%z";
    (void)state;
    assert_reads(format, "1980-03-14 13:45+01:00", "1980-03-14 12:45:00+00");
    assert_reads(format, "1980-03-14 13:45+0130", "1980-03-14 12:15:00+00");
    assert_reads(format, "1980-03-14 13:45Z", "1980-03-14 13:45:00+00");
    assert_reads(format, "1980-01-01 00:10+02", "1979-12-31 22:10:00+00");
    assert_reads(format, "1979-12-31 23:10-02:00", "1980-01-01 01:10:00+00");
    assert_reads(format, "1980-02-28 23:10-02:00", "1980-02-29 01:10:00+00");
    assert_reads(format, "0000-01-01 00:10+02:00", NULL);
    assert_reads(format, "9999-12-31 23:10-02:00", NULL);
    assert_both(format, "1980-03-14 13:45+0000", "1980-03-14 13:45:00+00");
}

static void what_no_calendar_has_is_no_date(void **state) {
    static const char *const wrong[] = {"31.02.1980",
                                        "29.02.1981",
                                        "00.03.1980",
                                        "14.13.1980",
                                        "14.00.1980",
                                        "14.03.80",
                                        "14.03.1980 ",
                                        " 14.03.1980",
                                        "14.03.19801",
                                        "14/03/1980",
                                        "1980-03-14",
                                        "14.03.",
                                        "",
                                        "NA",
                                        "14.03.1980.1",
                                        "014.03.1980"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_reads("%d.%m.%Y", wrong[i], NULL);
    assert_reads("%d.%m.%Y %H:%M", "14.03.1980 24:00", NULL);
    assert_reads("%d.%m.%Y %H:%M", "14.03.1980 13:60", NULL);
    assert_reads("%m/%d/%Y %I:%M %p", "03/14/1980 13:05 PM", NULL);
    assert_reads("%m/%d/%Y %I:%M %p", "03/14/1980 00:05 AM", NULL);
}

static void formats_are_refused_with_a_reason(void **state) {
    static const char too_long[] = "%d.%m.%Y"
                                   "                                         "
                                   "                                  ";
    static const char *const wrong[] = {"",
                                        "%d.%m",
                                        "%Y",
                                        "%Y-%m",
                                        "%d.%m.%y",
                                        "%d.%m.%Y@1930",
                                        "%d.%m.%y@19a0",
                                        "%d.%m.%y@9999",
                                        "%d%m-%y@1930",
                                        "%y%m-%d@1930",
                                        "%q.%m.%Y",
                                        "%d.%m.%Y%",
                                        "%d.%m.%Y %H:%I",
                                        "%d.%m.%Y %M",
                                        "%d.%m.%Y %H:%S",
                                        "%d.%m.%Y %I:%M",
                                        "%d.%m.%Y %H:%M %p",
                                        "%d.%d.%m.%Y",
                                        "1%d.%m.%Y",
                                        "[%d.%m.%Y]",
                                        too_long};
    char room[KAN_DATE_FORMAT_MOST + 1];
    kan_date_format format;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (!kan_date_format_parse(kan_slice_of(wrong[i]), room, &format))
            fail_msg("%s is taken", wrong[i]);
}

static void what_a_format_cannot_tell_is_not_written(void **state) {
    char format_room[KAN_DATE_FORMAT_MOST + 1], room[KAN_DATE_ROOM];
    kan_date_format format = format_of("%d.%m.%y@1930", format_room);
    (void)state;
    assert_int_equal(kan_date_format_write(&format, kan_slice_of("2030-01-01"), room), 0);
    assert_int_equal(kan_date_format_write(&format, kan_slice_of("1980-03-14 00:00:00"), room), 0);
    format = format_of("%d.%m.%Y %H:%M", format_room);
    assert_int_equal(kan_date_format_write(&format, kan_slice_of("1980-03-14"), room), 0);
    assert_int_equal(kan_date_format_write(&format, kan_slice_of("1980-03-14 00:00:01"), room), 0);
    assert_int_equal(kan_date_format_write(&format, kan_slice_of("1980-03-14 00:00:00+00"), room),
                     0);
    assert_int_equal(kan_date_format_write(&format, kan_slice_of("1980-03"), room), 0);
}

/* Labels of the builders `date` and `quantiles`, and of intervals. */
static void labels_of_releases_are_no_dates_in_any_format(void **state) {
    static const char *const formats[] = {
        "%d.%m.%Y",       "%m/%d/%Y",        "%Y%m%d",        "%d%m%Y",       "%Y-%m-%d",
        "%Y-%m%d",        "%Y%m-%d",         "%d%m-%Y",       "%d-%m%Y",      "%y%m%d@1930",
        "%d%m%y@1930",    "%y-%m-%d@1930",   "%d-%m-%y@1930", "%b%d-%y@1930", "%Y-%b%d",
        "%Y-W%m%d",       "%Y-Q%m-%d",       "%d%b%y@1930",   "%Ys%m%d",      "%Y-H%d%m",
        "%d.%m.%Y %H:%M", "%y%m%d %H%M@1930"};
    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char format_room[KAN_DATE_FORMAT_MOST + 1], room[KAN_DATE_ROOM], label[64];
        const kan_date_format format = format_of(formats[i], format_room);
        for (int year = 0; year < 10000; year += 11)
            for (int part = 0; part < 100; part++) {
                static const char *const shapes[] = {"%04d-%02d", "%04d-W%02d", "%04d-Q%d",
                                                     "%04d-H%d",  "%04d",       "%04ds"};
                for (size_t s = part < 10 ? 0 : 6 * (part > 53); s < (part ? 4 : 6); s++) {
                    snprintf(label, sizeof label, shapes[s], year, part);
                    if (kan_date_format_read(&format, kan_slice_of(label), room))
                        fail_msg("%s is a date in the format %s", label, formats[i]);
                }
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_are_read_and_written_alike),
        cmocka_unit_test(padding_and_case_do_not_matter_to_a_reader),
        cmocka_unit_test(zones_become_utc),
        cmocka_unit_test(what_no_calendar_has_is_no_date),
        cmocka_unit_test(formats_are_refused_with_a_reason),
        cmocka_unit_test(what_a_format_cannot_tell_is_not_written),
        cmocka_unit_test(labels_of_releases_are_no_dates_in_any_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
