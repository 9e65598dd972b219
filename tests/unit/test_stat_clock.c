/* io/stat/stat_clock.h: numbers of statistics programs that are dates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "io/stat/stat_clock.h"
#include "support/random_problem.h"

static void formats_say_what_numbers_mean(void **state) {
    static const struct {
        kan_stat_vendor vendor;
        const char *format;
        kan_field_type type;
    } known[] = {{KAN_STAT_SPSS, "DATE11", KAN_FIELD_DATE},
                 {KAN_STAT_SPSS, "SDATE10", KAN_FIELD_DATE},
                 {KAN_STAT_SPSS, "DATETIME23.2", KAN_FIELD_TIMESTAMP},
                 {KAN_STAT_SPSS, "TIME8", KAN_FIELD_TIME},
                 {KAN_STAT_SPSS, "F8.2", KAN_FIELD_NUMBER},
                 {KAN_STAT_SPSS, "WKDAY9", KAN_FIELD_NUMBER},
                 {KAN_STAT_SPSS, "", KAN_FIELD_NUMBER},
                 {KAN_STAT_STATA, "%td", KAN_FIELD_DATE},
                 {KAN_STAT_STATA, "%-tdDD/NN/CCYY", KAN_FIELD_DATE},
                 {KAN_STAT_STATA, "%d", KAN_FIELD_DATE},
                 {KAN_STAT_STATA, "%tc", KAN_FIELD_TIMESTAMP},
                 {KAN_STAT_STATA, "%tcHH:MM:SS", KAN_FIELD_TIME},
                 {KAN_STAT_STATA, "%tC", KAN_FIELD_NUMBER},
                 {KAN_STAT_STATA, "%tm", KAN_FIELD_NUMBER},
                 {KAN_STAT_STATA, "%9.0g", KAN_FIELD_NUMBER},
                 {KAN_STAT_SAS, "DATE9", KAN_FIELD_DATE},
                 {KAN_STAT_SAS, "DATE9.", KAN_FIELD_DATE},
                 {KAN_STAT_SAS, "yymmdd10", KAN_FIELD_DATE},
                 {KAN_STAT_SAS, "E8601DA10", KAN_FIELD_DATE},
                 {KAN_STAT_SAS, "DATETIME22.3", KAN_FIELD_TIMESTAMP},
                 {KAN_STAT_SAS, "TIME8", KAN_FIELD_TIME},
                 {KAN_STAT_SAS, "YEAR4", KAN_FIELD_NUMBER},
                 {KAN_STAT_SAS, "BEST12", KAN_FIELD_NUMBER}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (kan_stat_clock_of(known[i].vendor, known[i].format).type != known[i].type)
            fail_msg("%s", known[i].format);
}

static void moments_are_written_as_people_know_them(void **state) {
    static const struct {
        kan_stat_vendor vendor;
        const char *format;
        double number;
        const char *text;
    } known[] = {{KAN_STAT_SPSS, "DATE11", 0, "1582-10-14"},
                 {KAN_STAT_SPSS, "DATE11", 12219379200, "1970-01-01"},
                 {KAN_STAT_SPSS, "DATE11", 12219379200 + 49500, "1970-01-01 13:45:00"},
                 {KAN_STAT_SPSS, "DATE11", -86400, "1582-10-13"},
                 {KAN_STAT_SPSS, "DATETIME20", 12219379200, "1970-01-01 00:00:00"},
                 {KAN_STAT_SPSS, "DATETIME20", 12219379199.5, "1969-12-31 23:59:59.5"},
                 {KAN_STAT_SPSS, "TIME8", 49500.25, "13:45:00.25"},
                 {KAN_STAT_SPSS, "TIME8", 108000, "30:00:00"},
                 {KAN_STAT_SPSS, "TIME8", -1, "-00:00:01"},
                 {KAN_STAT_STATA, "%td", 0, "1960-01-01"},
                 {KAN_STAT_STATA, "%td", -21914, "1900-01-01"},
                 {KAN_STAT_STATA, "%td", 0.5, "1960-01-01 12:00:00"},
                 {KAN_STAT_STATA, "%td", 366, "1961-01-01"},
                 {KAN_STAT_STATA, "%tc", -1, "1959-12-31 23:59:59.999"},
                 {KAN_STAT_STATA, "%tc", 951782400000 + 315619200000, "2000-02-29 00:00:00"},
                 {KAN_STAT_SAS, "DATETIME20", 86399.125, "1960-01-01 23:59:59.125"},
                 {KAN_STAT_SAS, "DATE9", 1e9, ""},
                 {KAN_STAT_SAS, "DATE9", -1e300, ""}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const kan_stat_clock clock = kan_stat_clock_of(known[i].vendor, known[i].format);
        char room[KAN_STAT_CLOCK_ROOM];
        double again;
        const kan_slice text = {room, kan_stat_clock_text(&clock, known[i].number, room)};
        if (!kan_slice_is(text, known[i].text))
            fail_msg("%s of %.17g is %.*s", known[i].format, known[i].number, (int)text.size, room);
        if (text.size > 0) {
            assert_true(kan_stat_clock_parse(&clock, text, &again));
            assert_true(again == known[i].number);
        }
    }
}

static void what_has_a_text_comes_back_from_it(void **state) {
    static const char *const formats[][3] = {{"DATE11", "DATETIME20", "TIME8"},
                                             {"%td", "%tc", "%tcHH:MM:SS"},
                                             {"DATE9", "DATETIME20", "TIME8"}};
    static const double scales[] = {1, 1e3, 1e5, 1e8, 1e10, 1e12, 1e15};
    uint64_t random = 24;
    size_t n_texts = 0;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        const kan_stat_vendor vendor = (kan_stat_vendor)between(&random, 0, 2);
        const char *format = formats[vendor][between(&random, 0, 2)];
        const kan_stat_clock clock = kan_stat_clock_of(vendor, format);
        double number =
            ((double)between(&random, 0, 2000000) - 1e6) / 1e6 * scales[between(&random, 0, 6)];
        if (between(&random, 0, 1))
            number = floor(number);
        char room[KAN_STAT_CLOCK_ROOM];
        double again;
        const kan_slice text = {room, kan_stat_clock_text(&clock, number, room)};
        assert_true(text.size < KAN_STAT_CLOCK_ROOM);
        if (text.size == 0)
            continue;
        n_texts++;
        if (!kan_stat_clock_parse(&clock, text, &again) || again != number)
            fail_msg("%s: %.17g is %.*s", format, number, (int)text.size, room);
    }
    assert_true(n_texts > 100000);
}

static void texts_that_are_no_moments_are_refused(void **state) {
    static const char *const texts[] = {"",
                                        "1980",
                                        "1980-02-30",
                                        "1980-03-14x",
                                        "1980-03-14 ",
                                        "1980-03-14 1",
                                        "1980-03-14 10:00:00.",
                                        "x980-03-14",
                                        "1980-03-14 10:00:00+00"};
    const kan_stat_clock clock = kan_stat_clock_of(KAN_STAT_SPSS, "DATE11");
    double number;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (kan_stat_clock_parse(&clock, kan_slice_of(texts[i]), &number))
            fail_msg("'%s' is taken", texts[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_say_what_numbers_mean),
        cmocka_unit_test(moments_are_written_as_people_know_them),
        cmocka_unit_test(what_has_a_text_comes_back_from_it),
        cmocka_unit_test(texts_that_are_no_moments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
