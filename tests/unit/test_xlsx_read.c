/* io/excel: what cells mean, which sheet is read, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/options.h"
#include "core/run.h"
#include "io/excel/excel.h"
#include "support/workbook.h"

typedef struct {
    kan_run *run;
    char path[64], folder[48];
    char notes[2048];
} scene;

static void keep_note(void *user, const char *text) {
    scene *s = user;
    const size_t used = strlen(s->notes);
    snprintf(s->notes + used, sizeof s->notes - used, "%s\n", text);
}

static int begin(void **state) {
    scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->run = kan_run_create();
    kan_run_on_note(s->run, keep_note, s);
    snprintf(s->folder, sizeof s->folder, "/tmp/kanon-test-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    snprintf(s->path, sizeof s->path, "%s/t.xlsx", s->folder);
    *state = s;
    return 0;
}

static int end(void **state) {
    scene *s = *state;
    (void)unlink(s->path);
    (void)rmdir(s->folder);
    kan_run_destroy(s->run);
    free(s);
    return 0;
}

static void expect_read(scene *s, const char *expected) {
    char *text = source_text(s->run, &kan_source_xlsx, s->path, NULL);
    assert_string_equal(text, expected);
    free(text);
}

static void expect(scene *s, workbook w, const char *expected) {
    s->notes[0] = '\0';
    workbook_save(s->path, w);
    expect_read(s, expected);
}

/* The error, without the path, begins like this. */
static void expect_refused(scene *s, const char *expected) {
    char *text = source_text(s->run, &kan_source_xlsx, s->path, NULL);
    char whole[512];
    snprintf(whole, sizeof whole, "error 2: %s: %s", s->path, expected);
    if (strncmp(text, whole, strlen(whole)) != 0)
        assert_string_equal(text, whole);
    free(text);
}

static void expect_bad(scene *s, workbook w, const char *expected) {
    workbook_save(s->path, w);
    expect_refused(s, expected);
}

#define HEAD(name) "<row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>" name "</t></is></c></row>"

static void cells_of_all_kinds_are_read(void **state) {
    expect(*state,
           (workbook){.strings = "<si><t>name</t></si><si><t xml:space=\"preserve\"> b </t></si>"
                                 "<si><r><t>ri</t></r><r><rPr><b/></rPr><t>ch</t></r>"
                                 "<rPh sb=\"0\" eb=\"1\"><t>not this</t></rPh></si>",
                      .rows = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c>"
                              "<c r=\"B1\" t=\"inlineStr\"><is><t>n</t></is></c>"
                              "<c r=\"C1\" t=\"str\"><f>\"o\"&amp;\"k\"</f><v>ok</v></c>"
                              "<c r=\"D1\"><v>2020</v></c></row>"
                              "<row r=\"2\"><c r=\"A2\" t=\"s\"><v>1</v></c><c r=\"B2\"><v>1.0</v>"
                              "</c><c r=\"C2\" t=\"b\"><v>1</v></c><c r=\"D2\" t=\"d\">"
                              "<v>2020-01-05</v></c></row>"
                              "<row r=\"3\"><c r=\"A3\" t=\"s\"><v>2</v></c><c r=\"B3\" t=\"n\">"
                              "<v>0.10000000000000001</v></c><c r=\"C3\" t=\"b\"><v>0</v></c></row>"
                              "<row r=\"4\"><c r=\"A4\" t=\"inlineStr\"><is><r><t>x_x0041_</t></r>"
                              "<r><t>&lt;&amp;</t></r></is></c><c r=\"B4\"><v>1E3</v></c></row>"},
           "name:text|n:number|ok:boolean|2020:date\n b |1|true|2020-01-05\nrich|0.1|false|\n"
           "xA<&|1000||");
}

static void types_need_all_cells_of_a_column(void **state) {
    expect(*state,
           (workbook){.strings = "<si><t>x</t></si><si><t></t></si>",
                      .styles = "<xf numFmtId=\"0\"/><xf numFmtId=\"14\"/><xf numFmtId=\"22\"/>",
                      .rows = "<row><c t=\"str\"><v>a</v></c><c t=\"str\"><v>b</v></c>"
                              "<c t=\"str\"><v>c</v></c><c t=\"str\"><v>d</v></c></row>"
                              "<row><c><v>1.50</v></c><c s=\"1\"><v>29294</v></c><c><v>1</v></c>"
                              "<c t=\"s\"><v>1</v></c></row>"
                              "<row><c t=\"s\"><v>0</v></c><c s=\"2\"><v>29294.5</v></c></row>"
                              "<row><c t=\"b\"><v>1</v></c></row>"},
           "a:text|b:text|c:number|d:text\n1.5|1980-03-14|1|\n"
           "x|1980-03-14 12:00:00||\ntrue|||");
}

/* Of 1.234 that stands as a number among texts like 1,5 nobody knows any more what it was. */
static void a_number_among_text_is_never_read_as_another(void **state) {
    scene *s = *state;
    const kan_spellings spellings = {.all = {.decimal = ',', .thousands = '.'}};
    const kan_source_options options = {.spellings = &spellings};
    const workbook mixed = {.rows = HEAD("a") "<row><c t=\"str\"><v>1,5</v></c></row>"
                                              "<row><c><v>1.234</v></c></row>"},
                   clear = {.rows = HEAD("a") "<row><c t=\"str\"><v>1,5</v></c></row>"
                                              "<row><c><v>1234</v></c></row>"},
                   alone = {.rows = HEAD("a") "<row><c><v>1.234</v></c></row>"};
    char expected[512];
    workbook_save(s->path, mixed);
    char *text = source_text(s->run, &kan_source_xlsx, s->path, &options);
    snprintf(expected, sizeof expected,
             "error 2: %s: column 'a' has numbers among text, and '1.234' would be read as another "
             "number; make all of its cells text or all numbers, or give --thousands and --decimal "
             "for other columns by name",
             s->path);
    assert_string_equal(text, expected);
    free(text);
    workbook_save(s->path, clear);
    text = source_text(s->run, &kan_source_xlsx, s->path, &options);
    assert_string_equal(text, "a:text\n1.5\n1234");
    free(text);
    workbook_save(s->path, alone);
    text = source_text(s->run, &kan_source_xlsx, s->path, &options);
    assert_string_equal(text, "a:number\n1.234");
    free(text);
}

static void sparse_rows_and_empty_ones(void **state) {
    scene *s = *state;
    expect(s,
           (workbook){.rows = "<row r=\"2\"><c r=\"A2\" s=\"3\"/></row>"
                              "<row r=\"3\"><c r=\"B3\" t=\"str\"><v>a</v></c>"
                              "<c r=\"C3\" t=\"str\"><v>b</v></c><c r=\"D3\"/></row>"
                              "<row r=\"5\"><c r=\"C5\"><v>5</v></c></row>"
                              "<row r=\"8\"><c r=\"B8\"><v>8</v></c></row>"
                              "<row r=\"9\"><c r=\"B9\"/></row><row r=\"1048576\"/>"},
           "a:number|b:number\n|\n|5\n|\n|\n8|");
    assert_non_null(strstr(s->notes, "3 rows between the others have no value, and are taken as "
                                     "rows of missing values"));
}

static void errors_are_missing_and_merged_cells_are_told(void **state) {
    scene *s = *state;
    expect(s,
           (workbook){.rows = HEAD("a") "<row r=\"2\"><c r=\"A2\" t=\"e\"><v>#N/A</v></c></row>"
                                        "<row r=\"3\"><c r=\"A3\"><v>3</v></c></row>"
                                        "<row r=\"4\"><c r=\"A4\" t=\"e\"><f>1/0</f><v>#DIV/0!</v>"
                                        "</c></row>",
                      .behind = "<mergeCells count=\"1\"><mergeCell ref=\"A3:A4\"/></mergeCells>"},
           "a:number\n\n3\n");
    assert_non_null(strstr(s->notes, "2 cells have an error value such as #N/A (the first is A2) "
                                     "and are taken as missing"));
    assert_non_null(strstr(s->notes, "merged"));
}

/* One column of numbers, each with a format of its own. */
static void expect_formats(scene *s, const char *workbook_part_text, const char *const *formats,
                           const char *const *numbers, const char *const *texts, size_t n) {
    for (size_t i = 0; i < n; i++) {
        char format[256], rows[256], expected[128];
        const bool is_id = formats[i][0] == '#' && formats[i][1] != '#';
        snprintf(format, sizeof format, "<numFmt numFmtId=\"170\" formatCode=\"%s\"/>",
                 is_id ? "0" : formats[i]);
        char style[64];
        snprintf(style, sizeof style, "<xf/><xf numFmtId=\"%s\"/>", is_id ? formats[i] + 1 : "170");
        snprintf(rows, sizeof rows, HEAD("a") "<row><c s=\"1\"><v>%s</v></c></row>", numbers[i]);
        snprintf(expected, sizeof expected, "a:%s", texts[i]);
        expect(
            s,
            (workbook){
                .rows = rows, .formats = format, .styles = style, .workbook = workbook_part_text},
            expected);
    }
}

static void dates_are_told_by_their_format(void **state) {
    static const char *const cases[][3] = {
        {"#14", "29294", "date\n1980-03-14"},
        {"#17", "29294", "date\n1980-03-14"},
        {"#22", "29294", "timestamp\n1980-03-14 00:00:00"},
        {"#14", "29294.25", "timestamp\n1980-03-14 06:00:00"},
        {"#18", "0.5", "time\n12:00:00"},
        {"#21", "0", "time\n00:00:00"},
        {"#45", "0.999988425925926", "time\n23:59:59"},
        {"#46", "1.5", "text\n36:00:00"},
        {"#46", "0.25", "time\n06:00:00"},
        {"#47", "0.000011574", "time\n00:00:01"},
        {"#30", "29294", "date\n1980-03-14"},
        {"#33", "0.25", "time\n06:00:00"},
        {"#0", "29294", "number\n29294"},
        {"#9", "0.5", "number\n0.5"},
        {"#49", "29294", "number\n29294"},
        {"dd.mm.yyyy", "29294", "date\n1980-03-14"},
        {"YYYY\\-MM\\-DD", "29294", "date\n1980-03-14"},
        {"[$-407]d. mmmm yyyy;@", "29294", "date\n1980-03-14"},
        {"yyyy-mm-dd hh:mm:ss", "29294.5729166667", "timestamp\n1980-03-14 13:45:00"},
        {"yyyy-mm-dd hh:mm:ss.000", "29294.572917245370370", "timestamp\n1980-03-14 13:45:00.05"},
        {"hh:mm", "0.572916666666667", "time\n13:45:00"},
        {"h:mm AM/PM", "0.572916666666667", "time\n13:45:00"},
        {"h:mm a/p", "0.572916666666667", "time\n13:45:00"},
        {"mm:ss", "0.5", "time\n12:00:00"},
        {"mmm", "29294", "date\n1980-03-14"},
        {"[h]:mm", "2", "text\n48:00:00"},
        {"[mm]:ss", "0.5", "time\n12:00:00"},
        {"0.00", "29294", "number\n29294"},
        {"#,##0.00 \\d", "29294", "number\n29294"},
        {"0 &quot;days&quot;", "3", "number\n3"},
        {"[Red]0.0", "3", "number\n3"},
        {"0.00E+00", "3", "number\n3"},
        {"General", "3", "number\n3"},
        {"_d0", "3", "number\n3"},
        {"0;d", "3", "number\n3"},
        /* the calendar of 1900 has a day too many */
        {"#14", "1", "date\n1900-01-01"},
        {"#14", "59", "date\n1900-02-28"},
        {"#14", "60", "text\n1900-02-29"},
        {"#14", "61", "date\n1900-03-01"},
        {"#14", "0", "text\n1900-01-00"},
        {"#14", "2958465", "date\n9999-12-31"},
        {"#14", "2958466", "number\n2958466"},
        {"#14", "-1", "number\n-1"},
        {"#22", "36525.9999999999", "timestamp\n2000-01-01 00:00:00"},
    };
    enum { N = sizeof cases / sizeof *cases };
    const char *formats[N], *numbers[N], *texts[N];
    for (size_t i = 0; i < N; i++) {
        formats[i] = cases[i][0];
        numbers[i] = cases[i][1];
        texts[i] = cases[i][2];
    }
    expect_formats(*state, NULL, formats, numbers, texts, N);
}

static void days_may_count_from_1904(void **state) {
    static const char *const formats[] = {"#14", "#14", "#21", "#22"};
    static const char *const numbers[] = {"0", "27832", "0.5", "0.5"};
    static const char *const texts[] = {"date\n1904-01-01", "date\n1980-03-14", "time\n12:00:00",
                                        "timestamp\n1904-01-01 12:00:00"};
    expect_formats(*state, "<workbookPr date1904=\"1\"/>", formats, numbers, texts, 4);
}

static void formulas_need_their_value(void **state) {
    scene *s = *state;
    expect_bad(s, (workbook){.rows = HEAD("a") "<row r=\"2\"><c r=\"A2\"><f>1+1</f></c></row>"},
               "cell A2 is a formula whose value is not in the file; open the workbook in a "
               "spreadsheet program and save it there");
    expect_bad(s, (workbook){.rows = HEAD("a") "<row r=\"2\"><c r=\"A2\"><f>1+1</f><v/></c></row>"},
               "cell A2 is a formula");
    expect(s,
           (workbook){.rows = HEAD("a") "<row r=\"2\"><c r=\"A2\" t=\"str\"><f>\"\"</f><v></v></c>"
                                        "</row><row><c><f>1+1</f><v>2</v></c></row>"},
           "a:number\n\n2");
}

static void names_of_columns_are_checked(void **state) {
    scene *s = *state;
    expect_bad(s,
               (workbook){.rows = "<row><c t=\"str\"><v>a</v></c><c/><c t=\"str\"><v>b</v></c>"
                                  "</row><row><c><v>1</v></c></row>"},
               "cell B1 is empty: the column has no name");
    expect_bad(s,
               (workbook){.rows = "<row><c t=\"str\"><v>a</v></c><c t=\"str\"><v>b</v></c>"
                                  "<c t=\"str\"><v>a</v></c></row><row><c><v>1</v></c></row>"},
               "cells A1 and C1 are both named 'a'; rename one");
    expect_bad(s, (workbook){.rows = HEAD("title") "<row><c><v>1</v></c><c><v>1</v></c></row>"},
               "cell B2 has a value, but its column has no name in row 1");
    expect_bad(s, (workbook){.rows = ""}, "the sheet 'Data' is empty;");
    expect_bad(s, (workbook){.rows = HEAD("a") "<row r=\"2\"><c r=\"A2\"/></row>"},
               "the sheet 'Data' has a header, but no row below it;");
}

static void a_sheet_is_chosen_by_name_or_number(void **state) {
    scene *s = *state;
    static const workbook_part second[] = {
        {"xl/worksheets/s2.xml",
         "<worksheet><sheetData>" HEAD("b") "<row><c><v>2</v></c></row></sheetData></worksheet>"},
        {NULL, NULL}};
    static const struct {
        const char *sheet, *text;
    } cases[] = {{NULL, "a:number\n1"},
                 {"People 2020", "a:number\n1"},
                 {"1", "b:number\n2"},
                 {"2", "b:number\n2"},
                 {"People 2021",
                  "no sheet is called 'People 2021' (--sheet); did you mean 'People 2020'? there "
                  "are: 'People 2020', '1'"},
                 {"3", "no sheet is called '3' (--sheet);"}};
    workbook_save(s->path,
                  (workbook){.rows = HEAD("a") "<row><c><v>1</v></c></row>",
                             .sheets = "<sheet name=\"Chart\" sheetId=\"9\" r:id=\"r3\"/><sheet "
                                       "name=\"People 2020\" sheetId=\"4\" r:id=\"r1\" "
                                       "state=\"hidden\"/><sheet name=\"1\" r:id=\"r2\"/>",
                             .parts = second});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kan_options given;
        kan_options_init(&given, kan_run_arena(s->run));
        if (cases[i].sheet)
            assert_int_equal(kan_options_add(&given, "sheet", cases[i].sheet), KAN_OK);
        const kan_source_options options = {.given = &given};
        char *text = source_text(s->run, &kan_source_xlsx, s->path, &options);
        assert_non_null(strstr(text, cases[i].text) ? text : NULL);
        free(text);
        kan_options_destroy(&given);
    }
    assert_non_null(strstr(s->notes, "the sheet 'People 2020' is hidden"));
}

static void prefixes_of_names_do_not_matter(void **state) {
    static const workbook_part parts[] = {
        {"xl/worksheets/sheet1.xml",
         "<x:worksheet xmlns:x=\"m\"><x:sheetData><x:row r=\"1\"><x:c r=\"A1\" t=\"inlineStr\">"
         "<x:is><x:t>a</x:t></x:is></x:c></x:row><x:row r=\"2\"><x:c r=\"A2\"><x:v>7</x:v></x:c>"
         "</x:row></x:sheetData></x:worksheet>"},
        {NULL, NULL}};
    expect(*state, (workbook){.parts = parts}, "a:number\n7");
}

static void escapes_stand_for_what_xml_cannot_hold(void **state) {
    expect(*state,
           (workbook){.rows = HEAD("a") "<row><c t=\"str\"><v>_x000D__x005F_x000D_ _xD83D__xDE00_ "
                                        "_xD83D_ _x00e4__xZZZZ_</v></c></row>"},
           "a:text\n\r_x000D_ \xf0\x9f\x98\x80 _xD83D_ \xc3\xa4_xZZZZ_");
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void put_file(const scene *s, const void *bytes, size_t size) {
    FILE *file = fopen(s->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void other_files_are_told(void **state) {
    scene *s = *state;
    char container[4096] = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
    put_file(s, "", 0);
    expect_refused(s, "the file is empty");
    put_file(s, "<!DOCTYPE html>\n<html>", 22);
    expect_refused(s, "this is a web page, not a workbook (.xlsx)");
    put_file(s, "\xef\xbb\xbf <HTML><table>", 18);
    expect_refused(s, "this is a web page, not a workbook (.xlsx)");
    put_file(s, "a,b\n1,2\n", 8);
    expect_refused(s, "this is not an Excel workbook (.xlsx) but text; if it is CSV, give it such "
                      "a name, or use --format csv");
    put_file(s, container, sizeof container);
    expect_refused(s, "this is an old Excel workbook (.xls)");
    memcpy(container + 3000, "E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0", 32);
    put_file(s, container, sizeof container);
    expect_refused(s, "this is an encrypted workbook, not a workbook (.xlsx) that can be read; "
                      "save it without a password");
    put_file(s, "PK\3\4 and nothing behind", 23);
    expect_refused(s, "the workbook is damaged or was cut off:");
    put_file(s, "\0\1\2\3", 4);
    expect_refused(s, "this is not an Excel workbook (.xlsx) but something else;");
}

static void other_archives_are_told(void **state) {
    scene *s = *state;
    expect_bad(
        s, (workbook){.rows = "", .types = "application/vnd.ms-excel.sheet.macroEnabled.main+xml"},
        "the workbook can hold macros (.xlsm); save it as .xlsx, without them");
    expect_bad(
        s,
        (workbook){.rows = "", .types = "application/vnd.ms-excel.sheet.binary.macroEnabled.main"},
        "this is a binary workbook (.xlsb); save it as .xlsx");
    expect_bad(s,
               (workbook){.rows = "",
                          .types = "application/vnd.openxmlformats-officedocument."
                                   "wordprocessingml.document.main+xml"},
               "this is an Office document, but not a workbook;");
    workbook_zip(s->path, (workbook_part[]){{"a.csv", "a,b\n"}}, 1);
    expect_refused(s, "this is a .zip archive, not a workbook (.xlsx);");
    workbook_zip(s->path, (workbook_part[]){{"mimetype", "x"}, {"content.xml", "<a/>"}}, 2);
    expect_refused(s, "this is an OpenDocument spreadsheet (.ods)");
}

static void absurd_places_are_refused(void **state) {
    static const char *const cases[][2] = {
        {"<row r=\"1048577\"/>", "a sheet has no row '1048577'"},
        {"<row r=\"0\"/>", "a sheet has no row '0'"},
        {"<row r=\"x\"/>", "a sheet has no row 'x'"},
        {"<row r=\"2\"/><row r=\"2\"/>", "this row appears twice, or in the wrong place: '2'"},
        {"<row r=\"2\"><row r=\"3\"/></row>", "this row appears twice, or in the wrong place: '3'"},
        {"<c><v>1</v></c>", "a cell is outside all rows"},
        {"<c r=\"A1\"><v>1</v></c>", "a cell is outside all rows"},
        {"<row r=\"2\"><c r=\"XFE2\"/></row>", "a sheet has no cell 'XFE2'"},
        {"<row r=\"2\"><c r=\"AAAAAAAAAAAAA2\"/></row>", "a sheet has no cell"},
        {"<row r=\"2\"><c r=\"A99999999999\"/></row>", "a sheet has no cell"},
        {"<row r=\"2\"><c r=\"2\"/></row>", "a sheet has no cell '2'"},
        {"<row r=\"2\"><c r=\"A3\"/></row>",
         "this cell appears twice, or in the wrong place: 'A3'"},
        {"<row r=\"2\"><c r=\"A2\"/><c r=\"A2\"/></row>", "this cell appears twice"},
        {"<row r=\"2\"><c r=\"A2\" t=\"s\"><v>7</v></c></row>",
         "cell A2 names a shared string that the workbook does not have"},
        {"<row r=\"2\"><c r=\"A2\" t=\"s\"><v>-1</v></c></row>", "cell A2 names a shared string"},
        {"<row r=\"2\"><c r=\"A2\" t=\"s\"><v>99999999999999999999</v></c></row>",
         "cell A2 names a shared string"},
        {"<row r=\"2\"><c r=\"A2\"><v>12a</v></c></row>", "cell A2 should be a number"},
        {"<row r=\"2\"><c r=\"A2\"><v>1e999</v></c></row>", "cell A2 should be a number"},
        {"<row r=\"2\"><c r=\"A2\" t=\"b\"><v>7</v></c></row>",
         "cell A2 is neither true nor false"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char rows[512];
        snprintf(rows, sizeof rows, "%s%s", HEAD("a"), cases[i][0]);
        expect_bad(*state, (workbook){.rows = rows}, cases[i][1]);
    }
}

/* "A1" and so on, of a column from 0 on. */
static int print_cell(char *out, size_t size, unsigned column, unsigned row, const char *rest) {
    char letters[4] = "";
    const unsigned n = column < 26 ? 1 : column < 26 + 676 ? 2 : 3;
    unsigned at = column - (n == 1 ? 0 : n == 2 ? 26 : 26 + 676);
    for (unsigned i = n; i-- > 0; at /= 26)
        letters[i] = (char)('A' + at % 26);
    return snprintf(out, size, "<c r=\"%s%u\" %s</c>", letters, row, rest);
}

/* A small file of a large sheet takes what it has cells, in rows and columns however far apart. */
static void cells_far_apart_take_no_room_between_them(void **state) {
    enum { COLUMNS = 16384, STEP = 64, BYTES = 80, MOST = 100 << 20 };
    scene *s = *state;
    const size_t size = 3u * COLUMNS * BYTES;
    const kan_source_options options = {.is_quiet = true};
    kan_source *source;
    kan_table *table;
    char *rows = malloc(size), name[64];
    bool *encode = calloc(COLUMNS, 1);
    assert_true(rows && encode);
    size_t used = (size_t)snprintf(rows, size, "<row r=\"1\">");
    for (unsigned c = 0; c < COLUMNS; c++) {
        snprintf(name, sizeof name, "t=\"inlineStr\"><is><t>c%u</t></is>", c);
        used += (size_t)print_cell(rows + used, size - used, c, 1, name);
    }
    used += (size_t)snprintf(rows + used, size - used, "</row>");
    for (unsigned c = 0; c < COLUMNS; c++) {
        used += (size_t)snprintf(rows + used, size - used, "<row r=\"%u\">", (c + 1) * STEP);
        used += (size_t)print_cell(rows + used, size - used, c, (c + 1) * STEP, "><v>7</v>");
        used += (size_t)snprintf(rows + used, size - used, "</row>");
    }
    workbook_save(s->path, (workbook){.rows = rows});
    assert_int_equal(kan_source_open(s->run, &kan_source_xlsx, s->path, &options, &source), KAN_OK);
    encode[0] = encode[COLUMNS - 1] = true;
    assert_int_equal(kan_source_read(source, encode, NULL, &table), KAN_OK);
    assert_int_equal(table->n_rows, (uint64_t)COLUMNS * STEP - 1);
    assert_int_equal(kan_column_value(&table->columns[0], STEP - 2).size, 1);
    assert_int_equal(kan_column_value(&table->columns[0], table->n_rows - 1).size, 0);
    assert_int_equal(kan_column_value(&table->columns[COLUMNS - 1], table->n_rows - 1).size, 1);
    assert_true(kan_run_peak_memory(s->run) < MOST);
    kan_table_destroy(table);
    kan_source_close(source);
    free(encode);
    free(rows);
}

/* Rows that are full, nearly empty, and empty, one after the other, in more than one block. */
static void rows_of_any_kind_stand_beside_each_other(void **state) {
    enum { COLUMNS = 9, ROWS = 9000 };
    scene *s = *state;
    const size_t size = (size_t)ROWS * COLUMNS * 48;
    const kan_source_options options = {.is_quiet = true};
    bool encode[COLUMNS];
    uint64_t *hashes[COLUMNS];
    size_t columns[COLUMNS];
    kan_source *source;
    kan_table *table;
    char *rows = malloc(size), text[64];
    assert_non_null(rows);
    size_t used = 0;
    for (unsigned r = 0; r < ROWS; r++) {
        used += (size_t)snprintf(rows + used, size - used, "<row r=\"%u\">", r + 1);
        for (unsigned c = 0; c < COLUMNS; c++) {
            const bool is_there = r == 0 || r % 4 == 1 || (r % 4 == 2 && c == r % COLUMNS);
            snprintf(text, sizeof text, r == 0 ? "t=\"str\"><v>c%u</v>" : "><v>%u</v>",
                     r == 0 ? c : r % 97 + c);
            if (is_there)
                used += (size_t)print_cell(rows + used, size - used, c, r + 1, text);
        }
        used += (size_t)snprintf(rows + used, size - used, "</row>");
    }
    workbook_save(s->path, (workbook){.rows = rows});
    assert_int_equal(kan_source_open(s->run, &kan_source_xlsx, s->path, &options, &source), KAN_OK);
    for (size_t c = 0; c < COLUMNS; c++) {
        encode[c] = true;
        columns[c] = c;
        hashes[c] = malloc(ROWS * sizeof **hashes);
        assert_non_null(hashes[c]);
    }
    assert_int_equal(kan_source_read(source, encode, NULL, &table), KAN_OK);
    assert_int_equal(kan_source_hash(source, columns, COLUMNS, hashes), KAN_OK);
    assert_int_equal(table->n_rows, ROWS - 2); /* the last one is empty */
    for (unsigned r = 1; r + 1 < ROWS; r++)
        for (unsigned c = 0; c < COLUMNS; c++) {
            const bool is_there = r % 4 == 1 || (r % 4 == 2 && c == r % COLUMNS);
            const kan_slice value = kan_column_value(&table->columns[c], r - 1);
            snprintf(text, sizeof text, "%u", r % 97 + c);
            assert_true(kan_slice_is(value, is_there ? text : ""));
            assert_true(is_there || hashes[c][r - 1] == hashes[c][2]);
            assert_true(!is_there || hashes[c][r - 1] != hashes[c][2]);
        }
    for (size_t c = 0; c < COLUMNS; c++)
        free(hashes[c]);
    kan_table_destroy(table);
    kan_source_close(source);
    free(rows);
}

static void hostile_xml_is_refused(void **state) {
    scene *s = *state;
    const workbook_part bomb[] = {
        {"xl/worksheets/sheet1.xml",
         "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]><worksheet>&b;"
         "</worksheet>"},
        {NULL, NULL}};
    expect_bad(s, (workbook){.parts = bomb},
               "xl/worksheets/sheet1.xml has a document type declaration");
    char *deep = malloc(70000);
    assert_non_null(deep);
    size_t used = 0;
    for (int i = 0; i < 20000; i++, used += 3)
        memcpy(deep + used, "<a>", 3);
    deep[used] = '\0';
    const workbook_part nested[] = {{"xl/worksheets/sheet1.xml", deep}, {NULL, NULL}};
    expect_bad(s, (workbook){.parts = nested},
               "xl/worksheets/sheet1.xml nests elements without end");
    free(deep);
    const workbook_part broken[] = {{"xl/worksheets/sheet1.xml", "<worksheet><sheetData>"},
                                    {NULL, NULL}};
    expect_bad(s, (workbook){.parts = broken}, "the workbook is damaged or was cut off: ");
}

static void a_zip_bomb_is_refused(void **state) {
    scene *s = *state;
    const size_t size = 40u << 20;
    char *rows = malloc(size + 256);
    assert_non_null(rows);
    memset(rows, ' ', size);
    memcpy(rows + size, HEAD("a"), sizeof HEAD("a"));
    expect_bad(s, (workbook){.rows = rows},
               "xl/worksheets/sheet1.xml unpacks to more than 250 times its size: this is a zip "
               "bomb");
    expect_bad(s, (workbook){.strings = rows, .rows = HEAD("a")},
               "xl/sharedStrings.xml unpacks to more than 250 times its size");
    memset(rows, 'x', size);
    rows[0] = '<';
    expect_bad(s, (workbook){.rows = rows}, "xl/worksheets/sheet1.xml has a tag of many megabytes");
    memcpy(rows, "<row><c t=\"str\"><v>", 19);
    expect_bad(s, (workbook){.rows = rows}, "cell A1 has more than the 32,767 characters");
    memcpy(rows, "<si><t>xxxxxxxxxxxx", 19);
    expect_bad(s, (workbook){.strings = rows, .rows = HEAD("a")},
               "shared string 1 is longer than the 32,767 characters");
    free(rows);
}

static void a_damaged_file_is_never_read_wrong(void **state) {
    scene *s = *state;
    char rows[9000] = HEAD("a");
    for (int i = 2; i < 150; i++)
        snprintf(rows + strlen(rows), sizeof rows - strlen(rows),
                 "<row r=\"%d\"><c r=\"A%d\" t=\"s\"><v>%d</v></c></row>", i, i, i % 3);
    workbook_save(s->path, (workbook){.rows = rows,
                                      .strings = "<si><t>x</t></si><si><t>y</t></si><si><t>z</t>"
                                                 "</si>",
                                      .styles = "<xf/>"});
    char *whole = source_text(s->run, &kan_source_xlsx, s->path, NULL);
    static char bytes[1 << 16];
    FILE *file = fopen(s->path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    (void)fclose(file);
    size_t n_read = 0, n_refused = 0;
    for (size_t at = 0; at < 2 * size; at++) {
        const size_t place = at < size ? at : at - size;
        const char kept = bytes[place];
        if (at < size)
            bytes[place] ^= 0x11;
        put_file(s, bytes, at < size ? size : place);
        bytes[place] = kept;
        char *text = source_text(s->run, &kan_source_xlsx, s->path, NULL);
        if (strncmp(text, "error 2:", 8) == 0)
            n_refused++;
        else
            assert_string_equal(text, whole);
        n_read += strncmp(text, "error 2:", 8) != 0;
        free(text);
    }
    assert_true(n_refused > size && n_read > 0);
    free(whole);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(cells_of_all_kinds_are_read),
        CASE(types_need_all_cells_of_a_column),
        CASE(a_number_among_text_is_never_read_as_another),
        CASE(sparse_rows_and_empty_ones),
        CASE(errors_are_missing_and_merged_cells_are_told),
        CASE(dates_are_told_by_their_format),
        CASE(days_may_count_from_1904),
        CASE(formulas_need_their_value),
        CASE(names_of_columns_are_checked),
        CASE(a_sheet_is_chosen_by_name_or_number),
        CASE(prefixes_of_names_do_not_matter),
        CASE(escapes_stand_for_what_xml_cannot_hold),
        CASE(other_files_are_told),
        CASE(other_archives_are_told),
        CASE(absurd_places_are_refused),
        CASE(cells_far_apart_take_no_room_between_them),
        CASE(rows_of_any_kind_stand_beside_each_other),
        CASE(hostile_xml_is_refused),
        CASE(a_zip_bomb_is_refused),
        CASE(a_damaged_file_is_never_read_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
