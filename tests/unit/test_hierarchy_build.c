/* Built hierarchies: labels, heights, and what each builder refuses. */
#include "core/hash.h"
#include "hierarchy_column.h"

typedef struct {
    kan_run *run;
    kan_column column;
    kan_hierarchy *hierarchy;
} fixture;

static kan_status build_column(fixture *f, const char *spec, kan_column column) {
    f->run = kan_run_create();
    f->hierarchy = NULL;
    f->column = column;
    assert_non_null(f->run);
    kan_problems_begin(f->run);
    kan_status status = kan_hierarchy_build(f->run, spec, &f->column, &f->hierarchy);
    assert_int_equal(kan_problems_end(f->run), status);
    if (status == KAN_OK) {
        assert_is_hierarchy(f->hierarchy, &f->column);
        assert_string_equal(f->hierarchy->origin, spec);
        assert_int_equal(f->hierarchy->n_leaves, f->column.dictionary.n);
    } else {
        assert_null(f->hierarchy);
    }
    return status;
}

static kan_status build(fixture *f, const char *spec, kan_type type, const char *const *values) {
    return build_column(f, spec, column_of(type, values));
}

static void finish(fixture *f) {
    kan_hierarchy_destroy(f->hierarchy);
    column_destroy(&f->column);
    kan_run_destroy(f->run);
}

/* The labels of a code from level 1 to the top. */
static void assert_labels(const fixture *f, uint32_t code, const char *const *labels) {
    unsigned level = 1;
    for (; *labels; labels++, level++) {
        assert_true(level <= f->hierarchy->height);
        assert_string_equal(label_at(f->hierarchy, code, level), *labels);
    }
    assert_int_equal(level, f->hierarchy->height + 1);
}

static void expect_problem(const char *spec, kan_type type, const char *const *values,
                           const char *text) {
    fixture f;
    assert_int_equal(build(&f, spec, type, values), KAN_BAD_INPUT);
    assert_error_has(f.run, text);
    finish(&f);
}

static void specs_are_known_by_their_builder(void **state) {
    (void)state;
    assert_true(kan_hierarchy_is_spec("intervals:5,10"));
    assert_true(kan_hierarchy_is_spec("digits"));
    assert_true(kan_hierarchy_is_spec("suppress"));
    assert_true(kan_hierarchy_is_spec("date:"));
    assert_false(kan_hierarchy_is_spec("hierarchies/age.csv"));
    assert_false(kan_hierarchy_is_spec("suppress.csv"));
    assert_false(kan_hierarchy_is_spec("Prefix:3"));
    assert_false(kan_hierarchy_is_spec(""));
    size_t n = 0;
    for (const char *const *pair = kan_hierarchy_builders(); pair[n]; n += 2) {
        assert_true(kan_hierarchy_is_spec(pair[n]));
        assert_non_null(pair[n + 1]);
    }
    assert_int_equal(n, 16);
}

static void an_unknown_builder_brings_the_nearest_name(void **state) {
    (void)state;
    expect_problem("interval:5", KAN_TYPE_NUMBER, VALUES("1"),
                   "column place: 'interval' is not a builder of hierarchies; did you mean "
                   "intervals?");
    expect_problem("taxonomy", KAN_TYPE_TEXT, VALUES("1"), "there are intervals, digits");
}

static void suppress_has_one_level(void **state) {
    (void)state;
    fixture f;
    assert_int_equal(build(&f, "suppress", KAN_TYPE_TEXT, VALUES("", "*", "a")), KAN_OK);
    for (uint32_t code = 0; code < 3; code++)
        assert_labels(&f, code, VALUES("*"));
    finish(&f);
    expect_problem("suppress:2", KAN_TYPE_TEXT, VALUES("a"), "suppress takes no arguments");
}

/* ---- intervals ------------------------------------------------------------------------------ */

static void whole_numbers_get_whole_bounds(void **state) {
    (void)state;
    fixture f;
    assert_int_equal(build(&f, "intervals:5,10,20", KAN_TYPE_NUMBER,
                           VALUES("?", "-13", "-1", "0", "4", "5", "34", "39", "40")),
                     KAN_OK);
    assert_labels(&f, 0, VALUES("?", "?", "?", "*"));
    assert_labels(&f, 1, VALUES("-15..-11", "-20..-11", "-20..-1", "*"));
    assert_labels(&f, 2, VALUES("-5..-1", "-10..-1", "-20..-1", "*"));
    assert_labels(&f, 3, VALUES("0-4", "0-9", "0-19", "*"));
    assert_labels(&f, 4, VALUES("0-4", "0-9", "0-19", "*"));
    assert_labels(&f, 5, VALUES("5-9", "0-9", "0-19", "*"));
    assert_labels(&f, 6, VALUES("30-34", "30-39", "20-39", "*"));
    assert_labels(&f, 7, VALUES("35-39", "30-39", "20-39", "*"));
    assert_labels(&f, 8, VALUES("40-44", "40-49", "40-59", "*"));
    finish(&f);
    assert_int_equal(build(&f, "intervals:1,2", KAN_TYPE_NUMBER, VALUES("07", "7.0", "8")), KAN_OK);
    assert_labels(&f, 0, VALUES("7", "6-7", "*"));
    assert_labels(&f, 1, VALUES("7", "6-7", "*"));
    assert_labels(&f, 2, VALUES("8", "8-9", "*"));
    finish(&f);
}

static void intervals_are_aligned_at_the_origin(void **state) {
    (void)state;
    fixture f;
    assert_int_equal(build(&f, "intervals:10,30@17", KAN_TYPE_NUMBER, VALUES("16", "17", "90")),
                     KAN_OK);
    assert_labels(&f, 0, VALUES("7-16", "-13..16", "*"));
    assert_labels(&f, 1, VALUES("17-26", "17-46", "*"));
    assert_labels(&f, 2, VALUES("87-96", "77-106", "*"));
    finish(&f);
    assert_int_equal(build(&f, "intervals:10@-2.5", KAN_TYPE_NUMBER, VALUES("-3", "7")), KAN_OK);
    assert_labels(&f, 0, VALUES("[-12.5, -2.5)", "*"));
    assert_labels(&f, 1, VALUES("[-2.5, 7.5)", "*"));
    finish(&f);
}

static void fractions_get_half_open_bounds(void **state) {
    (void)state;
    fixture f;
    assert_int_equal(
        build(&f, "intervals:2.5,10", KAN_TYPE_NUMBER, VALUES("-0.0001", "30", "31.25", "32.5")),
        KAN_OK);
    assert_labels(&f, 0, VALUES("[-2.5, 0)", "[-10, 0)", "*"));
    assert_labels(&f, 1, VALUES("[30, 32.5)", "[30, 40)", "*"));
    assert_labels(&f, 2, VALUES("[30, 32.5)", "[30, 40)", "*"));
    assert_labels(&f, 3, VALUES("[32.5, 35)", "[30, 40)", "*"));
    finish(&f);
    /* whole widths, fractions in the data */
    assert_int_equal(build(&f, "intervals:5", KAN_TYPE_NUMBER, VALUES("4.999", "5")), KAN_OK);
    assert_labels(&f, 0, VALUES("[0, 5)", "*"));
    assert_labels(&f, 1, VALUES("[5, 10)", "*"));
    finish(&f);
}

static void decimal_bounds_are_exact(void **state) {
    (void)state;
    fixture f;
    /* 0.3 / 0.1, 0.7 / 0.1 and 1.1 / 0.1 come out a little off in binary */
    assert_int_equal(build(&f, "intervals:0.1,0.2", KAN_TYPE_NUMBER,
                           VALUES("0.29999999999999999999999999", "0.3", "0.7", "11e-1",
                                  "123456789012345678.05")),
                     KAN_OK);
    assert_labels(&f, 0, VALUES("[0.2, 0.3)", "[0.2, 0.4)", "*"));
    assert_labels(&f, 1, VALUES("[0.3, 0.4)", "[0.2, 0.4)", "*"));
    assert_labels(&f, 2, VALUES("[0.7, 0.8)", "[0.6, 0.8)", "*"));
    assert_labels(&f, 3, VALUES("[1.1, 1.2)", "[1, 1.2)", "*"));
    assert_labels(&f, 4,
                  VALUES("[123456789012345678, 123456789012345678.1)",
                         "[123456789012345678, 123456789012345678.2)", "*"));
    finish(&f);
    assert_int_equal(build(&f, "intervals:1e3@5e-1", KAN_TYPE_NUMBER, VALUES("-1e-300", "2.5e3")),
                     KAN_OK);
    assert_labels(&f, 0, VALUES("[-999.5, 0.5)", "*"));
    assert_labels(&f, 1, VALUES("[2000.5, 3000.5)", "*"));
    finish(&f);
}

static void intervals_refuse_what_does_not_nest(void **state) {
    (void)state;
    const char *const *one = VALUES("1");
    expect_problem("intervals:5,12", KAN_TYPE_NUMBER, one,
                   "width 5 does not divide the next one, 12");
    expect_problem("intervals:10,5", KAN_TYPE_NUMBER, one, "width 10 is followed by 5; write incr");
    expect_problem("intervals:5,5", KAN_TYPE_NUMBER, one, "width 5 is followed by 5");
    expect_problem("intervals:0.1,0.25", KAN_TYPE_NUMBER, one, "width 0.1 does not divide");
    expect_problem("intervals", KAN_TYPE_NUMBER, one, "'' is not a width above 0");
    expect_problem("intervals:5,x", KAN_TYPE_NUMBER, one, "'x' is not a width above 0; write num");
    expect_problem("intervals:0", KAN_TYPE_NUMBER, one, "'0' is not a width above 0");
    expect_problem("intervals:-5", KAN_TYPE_NUMBER, one, "'-5' is not a width above 0");
    expect_problem("intervals:5@", KAN_TYPE_NUMBER, one, "'' is not a number to start from");
    expect_problem("intervals:5@1@2", KAN_TYPE_NUMBER, one, "'1@2' is not a number to start from");
    expect_problem("intervals:1e-30", KAN_TYPE_NUMBER, one, "at most 18 decimals");
    expect_problem("intervals:5", KAN_TYPE_NUMBER, VALUES("1e40"),
                   "'1e40' of column place is too l");
    char many[512] = "intervals:1";
    for (unsigned i = 1; i < 64; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), ",%u", 1u);
    expect_problem(many, KAN_TYPE_NUMBER, one, "more than 63 widths");
}

static void builders_refuse_columns_of_the_wrong_type(void **state) {
    (void)state;
    expect_problem("intervals:5", KAN_TYPE_TEXT, VALUES("12", "?", "old", "young"),
                   "intervals:5: 2 of the 4 values of column place are not numbers, the first is "
                   "'old'");
    expect_problem("intervals:5", KAN_TYPE_DATE, VALUES("2003-01-01"), "1 of the 1 value of");
    expect_problem("date:year", KAN_TYPE_NUMBER, VALUES("2003", "2004"),
                   "2 of the 2 values of column place are not dates such as 2003-11-16, the first "
                   "is '2003'");
}

/* Every value lies within the bounds of its label, each width in the next: naive, in doubles, on
 * quarters, which doubles hold exactly. */
static void random_numbers_lie_in_their_intervals(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int round = 0; round < 200; round++) {
        enum { N = 50 };
        char texts[N][24], spec[64];
        const char *values[N + 1] = {NULL};
        double number[N], at = -200 + (double)kan_random_below(&seed, 100);
        for (int i = 0; i < N; i++) {
            at += 0.25 * (double)(1 + kan_random_below(&seed, 40));
            number[i] = at;
            snprintf(texts[i], sizeof texts[i], "%.2f", at);
            values[i] = texts[i];
        }
        double width = 0.25 * (double)(1 + kan_random_below(&seed, 20));
        double factor = (double)(2 + kan_random_below(&seed, 4));
        double origin = 0.25 * (double)kan_random_below(&seed, 100) - 12;
        snprintf(spec, sizeof spec, "intervals:%.2f,%.2f@%.2f", width, width * factor, origin);
        fixture f;
        assert_int_equal(build(&f, spec, KAN_TYPE_NUMBER, values), KAN_OK);
        for (uint32_t code = 0; code < N; code++)
            for (unsigned level = 1; level <= 2; level++) {
                double lo, hi, w = level == 1 ? width : width * factor;
                const char *label = label_at(f.hierarchy, code, level);
                char *end;
                if (label[0] == '[') {
                    lo = strtod(label + 1, &end);
                    hi = strtod(end + 1, NULL);
                } else {
                    lo = strtod(label, &end);
                    end += *end == '.' ? 2 : *end == '-';
                    hi = (*end ? strtod(end, NULL) : lo) + 1;
                }
                assert_true(lo <= number[code] && number[code] < hi);
                assert_true(hi - lo == w);
                double steps = (lo - origin) / w;
                assert_true(steps == (double)(long)steps);
            }
        finish(&f);
    }
}

/* ---- digits --------------------------------------------------------------------------------- */

static void five_digits_of_zip_codes_have_height_five(void **state) {
    (void)state;
    fixture f;
    assert_int_equal(build(&f, "digits:5", KAN_TYPE_NUMBER, VALUES("53703", "53715")), KAN_OK);
    assert_labels(&f, 1, VALUES("5371*", "537**", "53***", "5****", "*"));
    finish(&f);
    assert_int_equal(build(&f, "digits:2", KAN_TYPE_NUMBER, VALUES("53703", "53715")), KAN_OK);
    assert_labels(&f, 1, VALUES("5371*", "537**", "*"));
    assert_int_equal(f.hierarchy->levels[1].n_groups, 2);
    assert_int_equal(f.hierarchy->levels[2].n_groups, 1);
    finish(&f);
}

static void digits_of_different_lengths_are_a_hierarchy(void **state) {
    (void)state;
    fixture f;
    assert_int_equal(
        build(&f, "digits:3", KAN_TYPE_TEXT, VALUES("", "1", "1*", "1**", "12", "123", "13")),
        KAN_OK);
    assert_labels(&f, 0, VALUES("", "", "*"));
    assert_labels(&f, 1, VALUES("*", "*", "*"));
    assert_labels(&f, 2, VALUES("1*", "*", "*"));
    assert_labels(&f, 3, VALUES("1**", "1**", "*"));
    assert_labels(&f, 4, VALUES("1*", "*", "*"));
    assert_labels(&f, 5, VALUES("12*", "1**", "*"));
    finish(&f);
    assert_int_equal(build(&f, "digits:2", KAN_TYPE_NUMBER, VALUES("", "?", "7", "12")), KAN_OK);
    assert_labels(&f, 0, VALUES("", "*"));
    assert_labels(&f, 1, VALUES("?", "*"));
    assert_labels(&f, 2, VALUES("*", "*"));
    assert_labels(&f, 3, VALUES("1*", "*"));
    finish(&f);
}

static void characters_are_masked_whole(void **state) {
    (void)state;
    fixture f;
    assert_int_equal(build(&f, "digits:2", KAN_TYPE_TEXT,
                           VALUES("a\xe2\x82", "a\xe2\x82\xac", "\xc3\xbc\xc3\xa4\xc3\xb6")),
                     KAN_OK);
    assert_labels(&f, 0, VALUES("a\xe2*", "a**", "*"));
    assert_labels(&f, 1, VALUES("a*", "*", "*"));
    assert_labels(&f, 2, VALUES("\xc3\xbc\xc3\xa4*", "\xc3\xbc**", "*"));
    finish(&f);
}

static void digits_refuse_bad_numbers(void **state) {
    (void)state;
    const char *const bad[] = {
        "digits",   "digits:",   "digits:0",   "digits:-1",
        "digits:x", "digits:64", "digits:2,3", "digits:99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect_problem(bad[i], KAN_TYPE_TEXT, VALUES("a"),
                       "the number of characters to mask must be 1 .. 63");
}

/* ---- prefix --------------------------------------------------------------------------------- */

static void prefixes_show_a_star_where_something_was_cut(void **state) {
    (void)state;
    fixture f;
    assert_int_equal(build(&f, "prefix:3,1", KAN_TYPE_TEXT,
                           VALUES("", "J", "J4", "J45", "J45*", "J45.1", "\xc3\xbc\xc3\xa4")),
                     KAN_OK);
    assert_labels(&f, 0, VALUES("", "", "*"));
    assert_labels(&f, 1, VALUES("J", "J", "*"));
    assert_labels(&f, 2, VALUES("J4", "J*", "*"));
    assert_labels(&f, 3, VALUES("J45", "J*", "*"));
    assert_labels(&f, 4, VALUES("J45*", "J*", "*"));
    assert_labels(&f, 5, VALUES("J45*", "J*", "*"));
    assert_labels(&f, 6, VALUES("\xc3\xbc\xc3\xa4", "\xc3\xbc*", "*"));
    finish(&f);
}

static void prefixes_refuse_bad_lengths(void **state) {
    (void)state;
    const char *const *one = VALUES("a");
    expect_problem("prefix:1,3", KAN_TYPE_TEXT, one, "3 characters after 1; write decreasing");
    expect_problem("prefix:3,3", KAN_TYPE_TEXT, one, "3 characters after 3");
    expect_problem("prefix:3,0", KAN_TYPE_TEXT, one, "'0' is not a number of characters to keep");
    expect_problem("prefix", KAN_TYPE_TEXT, one, "'' is not a number of characters to keep");
    expect_problem("prefix:3,", KAN_TYPE_TEXT, one, "'' is not a number of characters to keep");
}

/* Random bytes over an alphabet that makes stars, broken UTF-8 and equal prefixes likely. The build
 * passes the checks of a file, so the labels are a hierarchy for every mixture of lengths. */
static void masks_and_prefixes_of_random_bytes_are_hierarchies(void **state) {
    (void)state;
    static const char alphabet[] = {'1', '*', '?', '\xc3', '\xa9', '\xe2', '\x82', '\xac'};
    uint64_t seed = 5;
    for (int round = 0; round < 400; round++) {
        enum { N = 200, LONGEST = 6 };
        char bytes[N][LONGEST];
        kan_slice values[N];
        uint32_t n = 0;
        for (int draw = 0; draw < N; draw++) {
            kan_slice value = {bytes[n], kan_random_below(&seed, LONGEST + 1)};
            for (size_t i = 0; i < value.size; i++)
                bytes[n][i] = alphabet[kan_random_below(&seed, sizeof alphabet)];
            uint32_t at = 0;
            while (at < n && !kan_slice_equal(values[at], value))
                at++;
            if (at == n) /* the values of a column differ */
                values[n++] = value;
        }
        char spec[32];
        if (round % 2)
            snprintf(spec, sizeof spec, "digits:%d", 1 + (int)kan_random_below(&seed, 7));
        else
            snprintf(spec, sizeof spec, "prefix:%d,%d,1", 4 + (int)kan_random_below(&seed, 2),
                     2 + (int)kan_random_below(&seed, 2));
        fixture f;
        assert_int_equal(build_column(&f, spec, column_of_slices(KAN_TYPE_TEXT, values, n)),
                         KAN_OK);
        finish(&f);
    }
}

/* ---- dates ---------------------------------------------------------------------------------- */

static void dates_have_their_parts(void **state) {
    (void)state;
    fixture f;
    assert_int_equal(build(&f, "date:year,five-years,decade", KAN_TYPE_DATE,
                           VALUES("1994-12-31", "1995-01-01", "2004-12-31")),
                     KAN_OK);
    assert_labels(&f, 0, VALUES("1994", "1990-1994", "1990s", "*"));
    assert_labels(&f, 1, VALUES("1995", "1995-1999", "1990s", "*"));
    assert_labels(&f, 2, VALUES("2004", "2000-2004", "2000s", "*"));
    finish(&f);
    assert_int_equal(build(&f, "date:month,quarter,half,year,decade", KAN_TYPE_DATE,
                           VALUES("?", "1999-12-31", "2003-01-01", "2003-04-30", "2003-07-01")),
                     KAN_OK);
    assert_labels(&f, 0, VALUES("?", "?", "?", "?", "?", "*"));
    assert_labels(&f, 1, VALUES("1999-12", "1999-Q4", "1999-H2", "1999", "1990s", "*"));
    assert_labels(&f, 2, VALUES("2003-01", "2003-Q1", "2003-H1", "2003", "2000s", "*"));
    assert_labels(&f, 3, VALUES("2003-04", "2003-Q2", "2003-H1", "2003", "2000s", "*"));
    assert_labels(&f, 4, VALUES("2003-07", "2003-Q3", "2003-H2", "2003", "2000s", "*"));
    /* time order: leaves are codes */
    for (uint32_t code = 0; code < 5; code++)
        assert_int_equal(f.hierarchy->leaf_of[code], code);
    finish(&f);
}

/* Whole years, counted on a calendar: up from the day of birth, one at a time. */
static int naive_age(kan_date born, kan_date day) {
    int age = -1;
    for (kan_date at = born; at.year < day.year || (at.year == day.year &&
                                                    (at.month < day.month ||
                                                     (at.month == day.month && at.day <= day.day)));
         at.year++)
        age++;
    return age;
}

static void ages_are_whole_years_on_a_day(void **state) {
    static const char *const days[] = {"2025-12-31", "2024-02-29", "2023-02-28", "2023-03-01"};
    const char *const *born = VALUES("1903-11-02", "1936-05-14", "1980-02-28", "1980-02-29",
                                     "1980-03-01", "2000-12-31", "2023-02-28");
    (void)state;
    for (size_t d = 0; d < 4; d++) {
        fixture f;
        char spec[64], labels[2][32];
        kan_date day, date;
        snprintf(spec, sizeof spec, "age:1,5@%s", days[d]);
        assert_true(kan_date_parse(kan_slice_of(days[d]), &day));
        assert_int_equal(build(&f, spec, KAN_TYPE_DATE, born), KAN_OK);
        for (uint32_t code = 0; born[code]; code++) {
            assert_true(kan_date_parse(kan_slice_of(born[code]), &date));
            const int age = naive_age(date, day);
            snprintf(labels[0], sizeof labels[0], "%d", age);
            snprintf(labels[1], sizeof labels[1], "%d-%d", age / 5 * 5, age / 5 * 5 + 4);
            assert_labels(&f, code, VALUES(labels[0], labels[1], "*"));
        }
        finish(&f);
    }
}

static void ages_refuse_what_is_no_age(void **state) {
    const char *const *one = VALUES("2003-01-01");
    (void)state;
    expect_problem("age:5@2002-12-31", KAN_TYPE_DATE, one, "lies behind that day");
    expect_problem("age:5@2002-13-31", KAN_TYPE_DATE, one, "stands at the end");
    expect_problem("age:5@2020-12-31 12:00:00", KAN_TYPE_DATE, one, "stands at the end");
    expect_problem("age", KAN_TYPE_DATE, one, "stands at the end");
    expect_problem("age:@2020-12-31", KAN_TYPE_DATE, one, "'' is not a number of years");
    expect_problem("age:0@2020-12-31", KAN_TYPE_DATE, one, "'0' is not a number of years");
    expect_problem("age:5,7@2020-12-31", KAN_TYPE_DATE, one, "5 years are followed by 7");
    expect_problem("age:5,5@2020-12-31", KAN_TYPE_DATE, one, "5 years are followed by 5");
    expect_problem("age:5@2020-12-31", KAN_TYPE_NUMBER, VALUES("31", "42"), "are not dates");
    expect_problem("date:decade,five-years", KAN_TYPE_DATE, one, "a decade does not lie in one");
}

static void weeks_are_those_of_iso_8601(void **state) {
    (void)state;
    fixture f;
    static const char *const weeks[][2] = {
        {"0001-01-01", "0001-W01"}, {"1969-12-29", "1970-W01"}, {"1970-01-01", "1970-W01"},
        {"2003-02-16", "2003-W07"}, {"2003-02-17", "2003-W08"}, {"2004-12-31", "2004-W53"},
        {"2005-01-02", "2004-W53"}, {"2005-01-03", "2005-W01"}, {"2008-12-28", "2008-W52"},
        {"2008-12-29", "2009-W01"}, {"2010-01-03", "2009-W53"}, {"2016-01-01", "2015-W53"},
        {"9999-12-31", "9999-W52"}};
    enum { N = sizeof weeks / sizeof weeks[0] };
    const char *values[N + 1] = {NULL};
    for (size_t i = 0; i < N; i++)
        values[i] = weeks[i][0];
    assert_int_equal(build(&f, "date:week", KAN_TYPE_DATE, values), KAN_OK);
    for (uint32_t i = 0; i < N; i++)
        assert_labels(&f, i, VALUES(weeks[i][1], "*"));
    finish(&f);
}

static void dates_refuse_parts_that_do_not_nest(void **state) {
    (void)state;
    const char *const *one = VALUES("2003-01-01");
    expect_problem("date:week,month", KAN_TYPE_DATE, one,
                   "so no month can follow it; write date:week");
    expect_problem("date:week,year", KAN_TYPE_DATE, one, "so no year can follow it");
    expect_problem("date:month,week", KAN_TYPE_DATE, one, "a month does not lie in one week");
    expect_problem("date:year,month", KAN_TYPE_DATE, one, "a year does not lie in one month");
    expect_problem("date:year,year", KAN_TYPE_DATE, one, "year is named twice");
    expect_problem("date:day", KAN_TYPE_DATE, one, "'day' is not a part of a date");
    expect_problem("date", KAN_TYPE_DATE, one, "'' is not a part of a date");
}

static void a_column_without_values_is_refused(void **state) {
    (void)state;
    fixture f;
    assert_int_equal(build_column(&f, "suppress", column_of_slices(KAN_TYPE_TEXT, NULL, 0)),
                     KAN_BAD_INPUT);
    assert_error_has(f.run, "column place has no values");
    finish(&f);
}

static void running_out_of_memory_is_a_clean_failure(void **state) {
    (void)state;
    static const char *const specs[] = {"intervals:5,10", "digits:2", "prefix:2,1", "suppress"};
    kan_column column = column_of(KAN_TYPE_NUMBER, VALUES("?", "12", "123", "1234"));
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        size_t n_failed = 0;
        for (uint64_t budget = 1;; budget += 131) {
            kan_run *run = kan_run_create();
            kan_hierarchy *h = NULL;
            kan_run_set_memory(run, budget);
            kan_problems_begin(run);
            kan_status status = kan_hierarchy_build(run, specs[i], &column, &h);
            if (status != KAN_OK) {
                assert_int_equal(status, KAN_FAILED);
                assert_null(h);
                assert_error_has(run, "out of memory");
                n_failed++;
            }
            kan_hierarchy_destroy(h);
            assert_int_equal(kan_run_memory_left(run), budget);
            kan_run_destroy(run);
            if (status == KAN_OK)
                break;
        }
        assert_true(n_failed > 10);
    }
    column_destroy(&column);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specs_are_known_by_their_builder),
        cmocka_unit_test(an_unknown_builder_brings_the_nearest_name),
        cmocka_unit_test(suppress_has_one_level),
        cmocka_unit_test(whole_numbers_get_whole_bounds),
        cmocka_unit_test(intervals_are_aligned_at_the_origin),
        cmocka_unit_test(fractions_get_half_open_bounds),
        cmocka_unit_test(decimal_bounds_are_exact),
        cmocka_unit_test(intervals_refuse_what_does_not_nest),
        cmocka_unit_test(builders_refuse_columns_of_the_wrong_type),
        cmocka_unit_test(random_numbers_lie_in_their_intervals),
        cmocka_unit_test(five_digits_of_zip_codes_have_height_five),
        cmocka_unit_test(digits_of_different_lengths_are_a_hierarchy),
        cmocka_unit_test(characters_are_masked_whole),
        cmocka_unit_test(digits_refuse_bad_numbers),
        cmocka_unit_test(prefixes_show_a_star_where_something_was_cut),
        cmocka_unit_test(prefixes_refuse_bad_lengths),
        cmocka_unit_test(masks_and_prefixes_of_random_bytes_are_hierarchies),
        cmocka_unit_test(dates_have_their_parts),
        cmocka_unit_test(ages_are_whole_years_on_a_day),
        cmocka_unit_test(ages_refuse_what_is_no_age),
        cmocka_unit_test(weeks_are_those_of_iso_8601),
        cmocka_unit_test(dates_refuse_parts_that_do_not_nest),
        cmocka_unit_test(a_column_without_values_is_refused),
        cmocka_unit_test(running_out_of_memory_is_a_clean_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
