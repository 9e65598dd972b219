/* io/stat: what files of SPSS, Stata and SAS hold, and what is refused before it is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "stat_formats.h"

static void numbers_of_stata_keep_their_size(void **state) {
    static const kan_field fields[] = {
        {.name = "f", .type = KAN_FIELD_NUMBER, .family = "stata:float", .format = "%9.0g"},
        {.name = "b", .type = KAN_FIELD_NUMBER, .family = "stata:byte", .format = "%8.0g"},
        {.name = "d", .type = KAN_FIELD_NUMBER, .family = "stata", .format = "%10.0g"},
        {.name = "n", .type = KAN_FIELD_NUMBER}};
    static const char *const cells[] = {"0.1", "100", "0.1",  "5", "16777217", "-127",
                                        "12",  "-3",  "-2.5", "",  "1e+300",   "32740"};
    static const char *const families[] = {"stata", "stata:byte", "stata", "stata:int"};
    stat_table table = {.n_rows = 3, .n_columns = 4, .fields = fields, .cells = cells};
    kan_run *run = kan_run_create();
    kan_source *source;
    kan_table *read;
    (void)state;
    stat_must(run, stat_write(run, &kan_sink_dta, &table, stat_path));
    stat_must(run, stat_read(run, &kan_source_dta, stat_path, NULL, true, &source, &read));
    for (size_t c = 0; c < 4; c++) {
        const char *const column[] = {cells[c], cells[4 + c], cells[8 + c]};
        stat_assert_column(read, c, column);
        assert_string_equal(kan_source_field(source, c)->family, families[c]);
    }
    kan_table_destroy(read);
    kan_source_close(source);
    table.n_rows = 1; /* without the number that no float is */
    stat_must(run, stat_write(run, &kan_sink_dta, &table, stat_path));
    stat_must(run, stat_read(run, &kan_source_dta, stat_path, NULL, true, &source, &read));
    stat_assert_column(read, 0, cells);
    assert_string_equal(kan_source_field(source, 0)->family, "stata:float");
    kan_table_destroy(read);
    kan_source_close(source);
    kan_run_destroy(run);
}

/* At the borders of segments of SPSS, and where Stata puts texts elsewhere. */
static void long_texts_are_kept_whole(void **state) {
    static const size_t sizes[] = {1,   7,   8,    9,    254,  255,  256,  257,
                                   504, 505, 2044, 2045, 2046, 9000, 32752};
    enum { N = sizeof sizes / sizeof *sizes };
    static const kan_field field = {.name = "T", .type = KAN_FIELD_TEXT};
    char *texts[N + 1];
    kan_run *run = kan_run_create();
    (void)state;
    for (size_t i = 0; i < N; i++) {
        texts[i] = malloc(sizes[i] + 4);
        for (size_t at = 0; at < sizes[i]; at++)
            texts[i][at] = (char)('a' + (at * 7 + i) % 26);
        texts[i][sizes[i]] = '\0';
        if (sizes[i] > 200) /* a character of three bytes over a border */
            memcpy(texts[i] + sizes[i] - 4, "\xe2\x82\xac", 3);
    }
    texts[N] = calloc(1, 1);
    for (size_t k = 0; k < STAT_FORMATS; k++)
        for (size_t n = 1; n <= N; n++) {
            const stat_table table = {.n_rows = n + 1,
                                      .n_columns = 1,
                                      .fields = &field,
                                      .cells = (const char *const *)texts + (N - n)};
            kan_source *source;
            kan_table *read;
            if (stat_formats[k].sink == &kan_sink_por || stat_formats[k].sink == &kan_sink_xpt)
                break;
            stat_must(run, stat_write(run, stat_formats[k].sink, &table, stat_path));
            stat_must(
                run, stat_read(run, stat_formats[k].source, stat_path, NULL, true, &source, &read));
            stat_assert_column(read, 0, table.cells);
            kan_table_destroy(read);
            kan_source_close(source);
        }
    for (size_t i = 0; i <= N; i++)
        free(texts[i]);
    kan_run_destroy(run);
}

static void what_a_format_cannot_hold_is_refused(void **state) {
    static char too_long[300];
    memset(too_long, 'x', sizeof too_long - 1);
    const struct {
        const kan_sink_kind *sink;
        kan_field_type type;
        const char *cell, *error;
    } cases[] = {{&kan_sink_sav, KAN_FIELD_TEXT, "x ", "ends with a space"},
                 {&kan_sink_dta, KAN_FIELD_TEXT, " ", "ends with a space"},
                 {&kan_sink_sav, KAN_FIELD_TEXT, "\xff", "not UTF-8"},
                 {&kan_sink_por, KAN_FIELD_TEXT, "Zo\xc3\xab", "a character that"},
                 {&kan_sink_por, KAN_FIELD_TEXT, too_long, "299 bytes"},
                 {&kan_sink_xpt, KAN_FIELD_NUMBER, "1e+300", "cannot be held"},
                 {&kan_sink_xpt, KAN_FIELD_NUMBER, "1e-300", "cannot be held"},
                 {&kan_sink_xpt, KAN_FIELD_TEXT, "", "the last row has no value"}};
    kan_run *run = kan_run_create();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const kan_field field = {.name = "X", .type = cases[i].type};
        const stat_table table = {
            .n_rows = 1, .n_columns = 1, .fields = &field, .cells = &cases[i].cell};
        assert_int_equal(stat_write(run, cases[i].sink, &table, stat_path), KAN_BAD_INPUT);
        stat_assert_error(run, cases[i].error);
    }
    kan_run_destroy(run);
}

static void names_that_a_format_cannot_hold_are_listed(void **state) {
    static const char *const names[] = {"age",
                                        "Age",
                                        "1st",
                                        "a b",
                                        "with",
                                        "byte",
                                        "str5",
                                        "caf\xc3\xa9",
                                        "_x",
                                        "LONGNAME9",
                                        "a234567890123456789012345678901234"};
    static const char *const wanted[STAT_FORMATS][3] = {
        {"'age' and 'Age'", "'with' is a word", "'1st' begins"},
        {"'a b' has characters", "'_x' begins", "'1st'"},
        {"'age' has lower-case letters", "'LONGNAME9' is too long", "'caf"},
        {"'byte' is a word", "'str5' is a word", "'a23456789012345678901234567890...' is too long"},
        {"'age' and 'Age'", "'a b'", "'caf"}};
    const kan_sink_sketch sketch = {.target = "out",
                                    .n_columns = sizeof names / sizeof *names,
                                    .columns = names,
                                    .n_rows = (uint64_t)1 << 31};
    const kan_sink_sketch good = {
        .target = "out", .n_columns = 1, .columns = (const char *const[]){"AGE"}, .n_rows = 5};
    kan_run *run = kan_run_create();
    (void)state;
    for (size_t i = 0; i < STAT_FORMATS; i++) {
        assert_int_equal(stat_formats[i].sink->check(run, &good), KAN_OK);
        assert_int_equal(stat_formats[i].sink->check(run, &sketch), KAN_BAD_INPUT);
        stat_assert_error(run, "at most 2,147,483,647 rows");
        for (size_t j = 0; j < 2; j++)
            stat_assert_error(run, wanted[i][j]);
    }
    kan_run_destroy(run);
}

static void more_columns_than_a_format_holds_are_refused(void **state) {
    enum { N = 32768 };
    static char room[N][8];
    static const char *names[N];
    const kan_sink_sketch sketch = {.target = "out", .n_columns = N, .columns = names, .n_rows = 5};
    kan_run *run = kan_run_create();
    (void)state;
    for (size_t i = 0; i < N; i++) {
        (void)snprintf(room[i], sizeof room[i], "V%zu", i);
        names[i] = room[i];
    }
    for (size_t i = 0; i < STAT_FORMATS; i++) {
        assert_int_equal(stat_formats[i].sink->check(run, &sketch), KAN_BAD_INPUT);
        stat_assert_error(run, stat_formats[i].sink == &kan_sink_dta ? "has at most 32,767 columns"
                                                                     : "has at most 9,999 columns");
    }
    const kan_sink_sketch odd = {.target = "out",
                                 .n_columns = 2,
                                 .columns = (const char *const[]){"END.", "caf\xe9"},
                                 .n_rows = 5};
    assert_int_equal(kan_sink_sav.check(run, &odd), KAN_BAD_INPUT);
    stat_assert_error(run, "'END.' ends with a dot");
    stat_assert_error(run, "is not UTF-8");
    kan_run_destroy(run);
}

static void the_bytes_depend_on_no_clock(void **state) {
    static const char *const zones[] = {"UTC", "Asia/Tokyo", "America/New_York"};
    kan_run *run = kan_run_create();
    (void)state;
    for (size_t i = 0; i < STAT_FORMATS; i++) {
        char *first = NULL;
        size_t n_first = 0;
        for (size_t z = 0; z < 3; z++) {
            size_t n;
            setenv("TZ", zones[z], 1);
            tzset();
            stat_must(run, stat_write(run, stat_formats[i].sink, &stat_people, stat_path));
            char *bytes = stat_file_bytes(stat_path, &n);
            if (first) {
                assert_int_equal(n, n_first);
                assert_memory_equal(bytes, first, n);
                free(bytes);
            } else {
                first = bytes;
                n_first = n;
            }
        }
        free(first);
    }
    unsetenv("TZ");
    tzset();
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_stata_keep_their_size),
        cmocka_unit_test(long_texts_are_kept_whole),
        cmocka_unit_test(what_a_format_cannot_hold_is_refused),
        cmocka_unit_test(names_that_a_format_cannot_hold_are_listed),
        cmocka_unit_test(more_columns_than_a_format_holds_are_refused),
        cmocka_unit_test(the_bytes_depend_on_no_clock),
    };
    return cmocka_run_group_tests(tests, stat_set_up, stat_tear_down);
}
