/* io/excel: which cells a release has as a workbook, what a workbook cannot hold, and that what is
 * written is read again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "core/hash.h"
#include "core/run.h"
#include "io/excel/excel.h"

enum { MOST_ROWS = 64 };

/* A release of one column. */
typedef struct {
    kan_run *run;
    kan_table *table;
    kan_slice labels[MOST_ROWS];
    kan_release_column column;
    kan_release release;
    kan_sink *sink;
} scene;

static kan_status write_column(scene *s, const char *name, const char *const *values, size_t n) {
    *s = (scene){.run = kan_run_create()};
    assert_int_equal(kan_table_create(s->run, 1, &name, &s->table), KAN_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(kan_table_add_row(s->table, &values[i]), KAN_OK);
    assert_int_equal(kan_table_seal(s->table), KAN_OK);
    const kan_column *column = &s->table->columns[0];
    for (uint32_t code = 0; code < column->dictionary.n; code++)
        s->labels[code] = kan_dictionary_value(&column->dictionary, code);
    s->column = (kan_release_column){.name = name,
                                     .width = column->width,
                                     .codes = column->codes,
                                     .labels = s->labels,
                                     .n_labels = column->dictionary.n,
                                     .shows_values = true};
    s->release = (kan_release){.n_rows = n, .n_released = n, .n_columns = 1, .columns = &s->column};
    const kan_sink_order order = {.kind = &kan_sink_xlsx, .release = &s->release, .target = "-"};
    return kan_sink_write(s->run, &order, &s->sink);
}

static void end(scene *s) {
    kan_sink_close(s->sink);
    kan_table_destroy(s->table);
    kan_run_destroy(s->run);
}

/* The XML of the sheet, from its second row on. */
static char *rows_of(const scene *s) {
    int error;
    zip_t *zip = zip_open(kan_sink_path(s->sink), ZIP_RDONLY, &error);
    assert_non_null(zip);
    zip_file_t *file = zip_fopen(zip, "xl/worksheets/sheet1.xml", 0);
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_true(zip_fread(file, text, (1 << 20) - 1) > 0);
    zip_fclose(file);
    zip_discard(zip);
    char *rows = strstr(text, "<row r=\"2\"");
    assert_non_null(rows);
    memmove(text, rows, strlen(rows) + 1);
    return text;
}

static void assert_read_again(scene *s, const char *const *values, size_t n) {
    const kan_source_options options = kan_sink_options(s->sink);
    kan_source *source = NULL;
    kan_table *table = NULL;
    const bool all = true;
    if (kan_source_open(s->run, kan_sink_reader(s->sink), kan_sink_path(s->sink), &options,
                        &source) != KAN_OK ||
        kan_source_read(source, &all, NULL, &table) != KAN_OK)
        fail_msg("%s", kan_run_error(s->run));
    assert_int_equal(table->n_rows, n);
    for (size_t i = 0; i < n; i++) {
        const kan_slice value = kan_column_value(&table->columns[0], i);
        if (!kan_slice_is(value, values[i]))
            fail_msg("'%.*s' instead of '%s'", (int)value.size, value.bytes, values[i]);
    }
    kan_table_destroy(table);
    kan_source_close(source);
}

static void expect_cells(const char *const *values, size_t n, const char *expected) {
    scene s;
    if (write_column(&s, "a", values, n) != KAN_OK)
        fail_msg("%s", kan_run_error(s.run));
    char *rows = rows_of(&s);
    if (strncmp(rows, expected, strlen(expected)) != 0)
        assert_string_equal(rows, expected);
    free(rows);
    assert_read_again(&s, values, n);
    end(&s);
}

#define VALUES(...)                                                                                \
    (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)
#define INLINE(text) "t=\"inlineStr\"><is><t>" text "</t></is></c></row>"

static void values_have_the_cells_that_keep_them(void **state) {
    (void)state;
    expect_cells(VALUES("30", "0.5"), "<row r=\"2\"><c r=\"A2\"><v>30</v></c></row><row r=\"3\">"
                                      "<c r=\"A3\"><v>0.5</v></c></row>");
    expect_cells(VALUES("true", "", "false"),
                 "<row r=\"2\"><c r=\"A2\" t=\"b\"><v>1</v></c></row><row r=\"4\">");
    expect_cells(VALUES("1980-03-14"), "<row r=\"2\"><c r=\"A2\" s=\"1\"><v>29294</v></c></row>");
    expect_cells(VALUES("1980-03-14 06:00:00"),
                 "<row r=\"2\"><c r=\"A2\" s=\"1\"><v>29294.25</v></c></row>");
    expect_cells(VALUES("06:00:00"), "<row r=\"2\"><c r=\"A2\" s=\"1\"><v>0.25</v></c></row>");
}

static void what_a_spreadsheet_would_change_is_text(void **state) {
    (void)state;
    expect_cells(VALUES("007"), "<row r=\"2\"><c r=\"A2\" " INLINE("007"));
    expect_cells(VALUES("=1+1"), "<row r=\"2\"><c r=\"A2\" " INLINE("=1+1"));
    expect_cells(VALUES("1-2", "1/2", "-5x"), "<row r=\"2\"><c r=\"A2\" " INLINE("1-2"));
    expect_cells(VALUES("12345678901234567890"),
                 "<row r=\"2\"><c r=\"A2\" " INLINE("12345678901234567890"));
    expect_cells(VALUES("1234567890123456"),
                 "<row r=\"2\"><c r=\"A2\" " INLINE("1234567890123456"));
    expect_cells(VALUES("5", "0.30000000000000004"), "<row r=\"2\"><c r=\"A2\" " INLINE("5"));
    expect_cells(VALUES("1900-02-28", "1980-03-14"),
                 "<row r=\"2\"><c r=\"A2\" " INLINE("1900-02-28"));
    expect_cells(VALUES("1980-03-14 06:00:00.123456"),
                 "<row r=\"2\"><c r=\"A2\" " INLINE("1980-03-14 06:00:00.123456"));
    expect_cells(VALUES("1980-03-14 06:00:00+00"),
                 "<row r=\"2\"><c r=\"A2\" " INLINE("1980-03-14 06:00:00+00"));
    expect_cells(VALUES("a\rb"), "<row r=\"2\"><c r=\"A2\" " INLINE("a_x000D_b"));
    expect_cells(VALUES("_x000D_"), "<row r=\"2\"><c r=\"A2\" " INLINE("_x005F_x000D_"));
    expect_cells(VALUES("\x01\x1f \xef\xbf\xbf\xef\xbf\xbe<&>\"' \t\n\xc2\x85"), "<row r=\"2\">");
}

static void random_values_are_read_again(void **state) {
    static const char *const pieces[] = {"_",
                                         "x",
                                         "0",
                                         "00",
                                         "41",
                                         "D8",
                                         "_x",
                                         "\r",
                                         "\n",
                                         "\t",
                                         " ",
                                         "<",
                                         "&",
                                         "]]>",
                                         "\x01",
                                         "\xc3\xa4",
                                         "\"",
                                         "'",
                                         "é",
                                         "-",
                                         "\xef\xbf\xbf",
                                         "=",
                                         "\xf0\x9f\x98\x80"};
    uint64_t random = 7;
    (void)state;
    for (int round = 0; round < 200; round++) {
        static char texts[MOST_ROWS][64];
        const char *values[MOST_ROWS];
        const size_t n = 1 + kan_random_below(&random, MOST_ROWS - 1);
        for (size_t i = 0; i < n; i++) {
            texts[i][0] = '\0';
            for (size_t j = 1 + kan_random_below(&random, 9); j > 0; j--)
                strcat(texts[i], pieces[kan_random_below(&random, sizeof pieces / sizeof *pieces)]);
            values[i] = texts[i];
        }
        scene s;
        if (write_column(&s, "a", values, n) != KAN_OK)
            fail_msg("%s", kan_run_error(s.run));
        assert_read_again(&s, values, n);
        end(&s);
    }
}

static void expect_refused(const char *value, const char *expected) {
    scene s;
    assert_int_equal(write_column(&s, "a", &value, 1), KAN_BAD_INPUT);
    if (!strstr(kan_run_error(s.run), expected))
        assert_string_equal(kan_run_error(s.run), expected);
    end(&s);
}

static void what_a_sheet_cannot_hold_is_refused(void **state) {
    (void)state;
    char *text = malloc(32769);
    assert_non_null(text);
    memset(text, 'x', 32768);
    text[32768] = '\0';
    expect_refused(text, "is longer than the 32,767 characters that a cell holds; leave the column "
                         "out, or write CSV");
    text[32767] = '\0';
    expect_cells(VALUES(text), "<row r=\"2\"><c r=\"A2\" t=\"inlineStr\"><is><t>xxx");
    free(text);
    expect_refused("", "the last row of the release has no value in any column");
    expect_refused("\xe4", "column 'a': the value '\\xe4' is not UTF-8");
    kan_run *run = kan_run_create();
    kan_sink_sketch sketch = {.target = "x.xlsx", .n_columns = 16384, .n_rows = 1048575};
    assert_int_equal(kan_sink_xlsx.check(run, &sketch), KAN_OK);
    sketch.n_rows++;
    assert_int_equal(kan_sink_xlsx.check(run, &sketch), KAN_BAD_INPUT);
    sketch = (kan_sink_sketch){.target = "x.xlsx", .n_columns = 16385, .n_rows = 1};
    assert_int_equal(kan_sink_xlsx.check(run, &sketch), KAN_BAD_INPUT);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_have_the_cells_that_keep_them),
        cmocka_unit_test(what_a_spreadsheet_would_change_is_text),
        cmocka_unit_test(random_values_are_read_again),
        cmocka_unit_test(what_a_sheet_cannot_hold_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
