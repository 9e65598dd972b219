/* Spellings: what is taken, what is put, what a column settles on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "data/encoder.h"
#include "data/spelling.h"

static kan_run *make_run(void) {
    kan_run *run = kan_run_create();
    assert_non_null(run);
    return run;
}

typedef struct {
    kan_run *run;
    kan_spelling settled;
    kan_slice missing[8];
    char format[KAN_DATE_FORMAT_MOST + 1];
} scene;

/* `missing`: words, a blank between them. */
static void begin(scene *s, kan_spelled as, char decimal, char thousands, const char *format,
                  const char *missing) {
    kan_spelling said = {.missing = s->missing, .decimal = decimal, .thousands = thousands};
    for (const char *at = missing; *at;) {
        const size_t size = strcspn(at, " ");
        s->missing[said.n_missing++] = (kan_slice){at, size};
        at += size + (at[size] == ' ');
    }
    if (format)
        assert_null(kan_date_format_parse(kan_slice_of(format), s->format, &said.date));
    s->run = make_run();
    assert_int_equal(kan_spelling_settle(kan_run_arena(s->run), &said, as, &s->settled), KAN_OK);
}

static void end(scene *s) {
    kan_run_destroy(s->run);
}

static void assert_slice(kan_slice slice, const char *expected) {
    char text[KAN_SPELLING_ROOM + 1];
    memcpy(text, slice.bytes, slice.size);
    text[slice.size] = '\0';
    assert_string_equal(text, expected);
}

static void assert_takes(const scene *s, const char *text, const char *expected) {
    char room[KAN_SPELLING_ROOM];
    assert_slice(kan_spelling_take(&s->settled, kan_slice_of(text), room), expected);
}

static void assert_puts(const scene *s, const char *value, const char *expected) {
    char room[KAN_SPELLING_ROOM];
    assert_slice(kan_spelling_put(&s->settled, kan_slice_of(value), room), expected);
}

static void numbers_keep_their_digits(void **state) {
    static const char *const pairs[][2] = {
        {"70,5", "70.5"},
        {"70,50", "70.50"},
        {"007", "007"},
        {"1.234,5", "1234.5"},
        {"1.234.567", "1234567"},
        {"1234,5", "1234.5"},
        {"-1.234", "-1234"},
        {"+1,5e-3", "+1.5e-3"},
        {",5", ".5"},
        {"5,", "5."},
        {"12", "12"},
        {"1,234", "1.234"},
    };
    static const char *const others[] = {
        "1.23",   "12.34,5", "1234.567", "1..234", ".234", "0.123", "1,2,3", "1,234.5", "1.234.",
        "1.2345", "70,5 kg", " 70,5",    "-",      ",",    "e5",    "1,5e",  "--5",     "?"};
    scene s;
    (void)state;
    begin(&s, KAN_SPELLED_NUMBER, ',', '.', NULL, "");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_true(kan_spelling_is_number(&s.settled, kan_slice_of(pairs[i][0])));
        assert_takes(&s, pairs[i][0], pairs[i][1]);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_false(kan_spelling_is_number(&s.settled, kan_slice_of(others[i])));
        assert_takes(&s, others[i], others[i]);
    }
    assert_puts(&s, "1.234", "1,234");
    assert_puts(&s, "1234.5", "1234,5");
    assert_puts(&s, "[30, 32.5)", "[30, 32.5)");
    assert_puts(&s, "30-39", "30-39");
    end(&s);
}

static void groups_may_have_other_signs(void **state) {
    scene s;
    (void)state;
    begin(&s, KAN_SPELLED_NUMBER, 0, '\'', NULL, "");
    assert_takes(&s, "-1'234.5", "-1234.5");
    assert_takes(&s,
                 "1\xe2\x80\x99"
                 "234",
                 "1234");
    assert_puts(&s, "1234.5", "1234.5");
    end(&s);
    begin(&s, KAN_SPELLED_NUMBER, ',', ' ', NULL, "");
    assert_takes(&s, "1 234,5", "1234.5");
    assert_takes(&s,
                 "1\xc2\xa0"
                 "234",
                 "1234");
    assert_takes(&s,
                 "1\xe2\x80\xaf"
                 "234",
                 "1234");
    end(&s);
}

static void missing_is_one_value(void **state) {
    scene s;
    (void)state;
    begin(&s, KAN_SPELLED_NUMBER, ',', '.', NULL, "NA -9 9999 9,9");
    assert_takes(&s, "NA", "");
    assert_takes(&s, "na", "na");
    assert_takes(&s, "-9", "");
    assert_takes(&s, "9.999", "");
    assert_takes(&s, "9,9", "");
    assert_takes(&s, "", "");
    assert_takes(&s, "-90", "-90");
    assert_puts(&s, "", "");
    s.settled.shown_missing = kan_slice_of("NA");
    assert_puts(&s, "", "NA");
    assert_false(kan_spelling_holds(&s.settled, kan_slice_of("9999")));
    assert_true(kan_spelling_holds(&s.settled, kan_slice_of("9998")));
    end(&s);
}

static void text_is_left_alone(void **state) {
    scene s;
    (void)state;
    begin(&s, KAN_SPELLED_TEXT, ',', '.', "%d.%m.%Y", "NA");
    assert_takes(&s, "1,5", "1,5");
    assert_takes(&s, "14.03.1980", "14.03.1980");
    assert_takes(&s, "NA", "");
    assert_puts(&s, "1.5", "1.5");
    assert_puts(&s, "1980-03-14", "1980-03-14");
    assert_false(kan_spelling_holds(&s.settled, kan_slice_of("NA")));
    end(&s);
}

static void dates_are_taken_and_put(void **state) {
    scene s;
    (void)state;
    begin(&s, KAN_SPELLED_DATE, ',', '.', "%d.%m.%Y", "01.01.1900");
    assert_takes(&s, "14.03.1980", "1980-03-14");
    assert_takes(&s, "31.02.1980", "31.02.1980");
    assert_takes(&s, "1.1.1900", "");
    assert_puts(&s, "1980-03-14", "14.03.1980");
    assert_puts(&s, "1980-03", "1980-03");
    assert_puts(&s, "1.5", "1.5");
    end(&s);
}

/* ---- columns -------------------------------------------------------------------------------- */

/* A column of these rows; its spelling says what the scene does. */
static kan_table *table_of(kan_run *run, const char *const *rows, size_t n) {
    static const char *const names[] = {"a"};
    kan_table *table;
    assert_int_equal(kan_table_create(run, 1, names, &table), KAN_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(kan_table_add_row(table, &rows[i]), KAN_OK);
    assert_int_equal(kan_table_seal(table), KAN_OK);
    return table;
}

static kan_spelled chosen(kan_run *run, kan_spelling spelling, const char *const *rows, size_t n) {
    kan_table *table = table_of(run, rows, n);
    const kan_spelling_fit fit = kan_spelling_count(&spelling, &table->columns[0].dictionary);
    kan_table_destroy(table);
    return kan_spelling_choose(&spelling, &fit);
}

static void a_column_is_what_all_its_values_are(void **state) {
    static const char *const dates[] = {"14.03.1980", "NA", "", "01.04.1981"};
    static const char *const almost[] = {"14.03.1980", "NA", "1980-03-14", "01.04.1981"};
    static const char *const numbers[] = {"70,5", "NA", "1.234", "7"};
    static const char *const points[] = {"70.5", "7"};
    static const char *const none[] = {"NA", ""};
    const kan_slice missing[] = {kan_slice_of("NA")};
    kan_spelling said = {.missing = missing, .n_missing = 1, .decimal = ',', .thousands = '.'};
    kan_run *run = make_run();
    char room[KAN_DATE_FORMAT_MOST + 1];
    (void)state;
    assert_null(kan_date_format_parse(kan_slice_of("%d.%m.%Y"), room, &said.date));
    assert_int_equal(chosen(run, said, dates, 4), KAN_SPELLED_DATE);
    assert_int_equal(chosen(run, said, almost, 4), KAN_SPELLED_TEXT);
    assert_int_equal(chosen(run, said, numbers, 4), KAN_SPELLED_NUMBER);
    assert_int_equal(chosen(run, said, points, 2), KAN_SPELLED_TEXT);
    assert_int_equal(chosen(run, said, none, 2), KAN_SPELLED_TEXT);
    said.names_dates = true;
    assert_int_equal(chosen(run, said, almost, 4), KAN_SPELLED_DATE);
    kan_run_destroy(run);
}

static void assert_column(const kan_table *table, const char *const *expected) {
    for (uint64_t row = 0; row < table->n_rows; row++)
        assert_slice(kan_column_value(&table->columns[0], row), expected[row]);
}

static void a_column_takes_all_its_values(void **state) {
    static const char *const rows[] = {"1,5", "-9", "NA", "1.000", "", "0,5", "1,50", "1000"};
    static const char *const taken[] = {"1.5", "", "", "1000", "", "0.5", "1.50", "1000"};
    scene s;
    (void)state;
    begin(&s, KAN_SPELLED_NUMBER, ',', '.', NULL, "NA -9");
    kan_table *table = table_of(s.run, rows, 8);
    assert_int_equal(kan_column_take(s.run, &table->columns[0], &s.settled), KAN_OK);
    assert_column(table, taken);
    assert_int_equal(table->columns[0].dictionary.type, KAN_TYPE_NUMBER);
    assert_int_equal(table->columns[0].dictionary.n, 5);
    assert_slice(s.settled.shown_missing, "NA");
    kan_table_destroy(table);
    end(&s);
}

static void a_wide_column_becomes_narrow(void **state) {
    enum { N = 70000 };
    static char texts[N][12];
    static const char *rows[N];
    scene s;
    (void)state;
    begin(&s, KAN_SPELLED_NUMBER, ',', '.', NULL, "NA");
    for (int i = 0; i < N; i++) {
        const int value = i / 2 + 1000;
        snprintf(texts[i], sizeof texts[i], i % 2 ? "%d.%03d" : "%d%03d", value / 1000,
                 value % 1000);
        rows[i] = texts[i];
    }
    kan_table *table = table_of(s.run, rows, N);
    assert_int_equal(table->columns[0].dictionary.n, N);
    assert_int_equal(kan_column_take(s.run, &table->columns[0], &s.settled), KAN_OK);
    assert_int_equal(table->columns[0].dictionary.n, N / 2);
    for (uint64_t row = 0; row < N; row++) {
        char expected[12];
        snprintf(expected, sizeof expected, "%d", (int)row / 2 + 1000);
        assert_slice(kan_column_value(&table->columns[0], row), expected);
    }
    kan_table_destroy(table);
    end(&s);
}

static void spellings_are_found_by_name(void **state) {
    struct kan_column_spelling columns[] = {{"age", {.decimal = ','}}, {"sex", {0}}};
    kan_spellings spellings = {.all = {.thousands = '.'}, .n = 2, .columns = columns};
    (void)state;
    assert_int_equal(kan_spellings_find(&spellings, "age")->decimal, ',');
    assert_null(kan_spellings_find(&spellings, "sex"));
    assert_int_equal(kan_spellings_find(&spellings, "other")->thousands, '.');
    assert_null(kan_spellings_find(NULL, "age"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_keep_their_digits),
        cmocka_unit_test(groups_may_have_other_signs),
        cmocka_unit_test(missing_is_one_value),
        cmocka_unit_test(text_is_left_alone),
        cmocka_unit_test(dates_are_taken_and_put),
        cmocka_unit_test(a_column_is_what_all_its_values_are),
        cmocka_unit_test(a_column_takes_all_its_values),
        cmocka_unit_test(a_wide_column_becomes_narrow),
        cmocka_unit_test(spellings_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
