/* Values that are one to kanon and two to whoever opens the file: `verify` says nothing of such a table
 * but that they must be made one. What kanon writes itself has none of them, in any format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job/registry/registry.h"
#include "kanon.h"
#include "support/stat_file.h"
#include "support/workbook.h"

#define S(text)                                                                                    \
    { text, sizeof text - 1 }

static char home[] = "/tmp/kanon-apart-XXXXXX";

static int begin(void **state) {
    (void)state;
    return mkdtemp(home) && chdir(home) == 0 ? 0 : -1;
}

static int end(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", home);
    return chdir("/") == 0 ? system(command) : -1;
}

static void put_file(const char *path, const char *text) {
    stat_put_bytes(path, text, strlen(text));
}

/* ---- what verify says ----------------------------------------------------------------------- */

typedef struct {
    kan_status status;
    char error[1024];
} answer;

/* Settings: names and values, up to a NULL. */
static answer run_job(const char *command, const char *const *settings) {
    kan_run *run = kan_run_create();
    kan_job *job = NULL;
    kan_result *result = NULL;
    answer a = {KAN_OK, ""};
    assert_non_null(run);
    assert_int_equal(kan_job_create(run, &job), KAN_OK);
    for (; settings[0] && a.status == KAN_OK; settings += 2)
        a.status = kan_job_add(job, settings[0], settings[1]);
    if (a.status == KAN_OK)
        a.status = kan_job_run(job, command, &result);
    snprintf(a.error, sizeof a.error, "%s", kan_run_error(run));
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_run_destroy(run);
    return a;
}

static answer verify_with(const char *path, const char *flag, const char *value) {
    return run_job("verify",
                   (const char *const[]){"input", path, "qi", "q", "k", "4", flag, value, NULL});
}

static answer verify(const char *path) {
    return verify_with(path, NULL, NULL);
}

static void refused_with(const char *path, const char *flag, const char *value) {
    const answer a = verify_with(path, flag, value);
    if (a.status != KAN_BAD_INPUT || !strstr(a.error, "tell them apart"))
        fail_msg("%s: status %d, '%s'", path, (int)a.status, a.error);
}

static void refused(const char *path) {
    refused_with(path, NULL, NULL);
}

static void holds(const char *path) {
    const answer a = verify(path);
    if (a.status != KAN_OK)
        fail_msg("%s: status %d, '%s'", path, (int)a.status, a.error);
}

/* ---- CSV ------------------------------------------------------------------------------------ */

static void refused_csv(const char *text) {
    put_file("t.csv", text);
    refused("t.csv");
}

static void holds_csv(const char *text) {
    put_file("t.csv", text);
    holds("t.csv");
}

static void a_text_with_quotes_and_without_them_is_two_values(void **state) {
    (void)state;
    refused_csv("q,x\n,1\n\"\",1\n,1\n,1\n");
    refused_csv("q,x\nNA,1\n\"NA\",1\nNA,1\nNA,1\n");
    refused_csv("x,q\r\n1,7\r\n1,7\r\n1,7\r\n1,\"7\"\r\n");
    refused_csv("q\n\"it's a long text, of more than 24 bytes\"\n\"a\"\na\na\na\na\n");
    holds_csv("q,x\n\"\",1\n\"\",\n\"\",\"\"\n\"\",1\n");
    holds_csv("q,x\n\"a\",1\n\"a\",\"1\"\n\"a\",1\n\"a\",1\n\"a \"\"b\"\"\",1\n\"a \"\"b\"\"\",1\n"
              "\"a \"\"b\"\"\",1\n\"a \"\"b\"\"\",1\n");
    holds_csv("q,x\n,1\n,\"\"\n,1\n,1\n");
}

static void what_is_missing_is_written_in_one_way(void **state) {
    (void)state;
    put_file("t.csv", "q,x\nNA,1\n,1\nNA,1\n,1\n");
    refused_with("t.csv", "missing", "NA");
    put_file("t.csv", "q,x\nNA,1\n-9,1\nNA,1\n-9,1\n");
    refused_with("t.csv", "missing", "NA,-9");
    put_file("t.csv", "q,x\nNA,1\nNA,\nNA,1\nNA,1\n");
    assert_int_equal(verify_with("t.csv", "missing", "NA,-9").status, KAN_OK);
}

static void a_number_or_a_date_is_written_in_one_way(void **state) {
    (void)state;
    put_file("t.csv", "q;x\n1'070;1\n1070;1\n1'070;1\n1070;1\n");
    refused_with("t.csv", "thousands", "q='");
    put_file("t.csv", "q;x\n1.3.1980;1\n01.03.1980;1\n1.3.1980;1\n01.03.1980;1\n");
    refused_with("t.csv", "date-format", "q=%d.%m.%Y");
    put_file("t.csv", "q;x\n01.03.1980;1\n01.03.1980;2\n01.03.1980;1\n01.03.1980;1\n");
    assert_int_equal(verify_with("t.csv", "date-format", "%d.%m.%Y").status, KAN_OK);
}

/* ---- workbooks ------------------------------------------------------------------------------ */

#define HEAD                                                                                       \
    "<row r='1'><c r='A1' t='inlineStr'><is><t>q</t></is></c>"                                     \
    "<c r='B1' t='inlineStr'><is><t>x</t></is></c></row>"
#define X(row)                  "<c r='B" #row "'><v>1</v></c></row>"
#define CELL(row, cell)         "<row r='" #row "'>" cell X(row)
#define TEXT(row, text)         CELL(row, "<c r='A" #row "' t='inlineStr'><is><t>" text "</t></is></c>")
#define NUMBER(row, number)     CELL(row, "<c r='A" #row "'><v>" number "</v></c>")
#define DAY(row, number)        CELL(row, "<c r='A" #row "' s='1'><v>" number "</v></c>")
#define TYPED(row, type, value) CELL(row, "<c r='A" #row "' t='" type "'><v>" value "</v></c>")
#define EMPTY(row)              CELL(row, "")

static const workbook plain = {.styles = "<xf numFmtId='0'/><xf numFmtId='14'/>",
                               .strings = "<si><t>1</t></si><si><r><t>1</t></r></si>"};

static void save(const char *rows) {
    workbook w = plain;
    w.rows = rows;
    workbook_save("t.xlsx", w);
}

static void refused_cells(const char *rows) {
    save(rows);
    refused("t.xlsx");
}

static void holds_cells(const char *rows) {
    save(rows);
    holds("t.xlsx");
}

static void cells_of_one_text_and_two_types_are_two_values(void **state) {
    (void)state;
    refused_cells(HEAD TEXT(2, "1") NUMBER(3, "1") TEXT(4, "1") NUMBER(5, "1"));
    refused_cells(HEAD DAY(2, "29294") TEXT(3, "1980-03-14") DAY(4, "29294") DAY(5, "29294"));
    refused_cells(HEAD DAY(2, "29294") DAY(3, "29294.000000001") DAY(4, "29294") DAY(5, "29294"));
    refused_cells(HEAD TYPED(2, "b", "1") TEXT(3, "true") TYPED(4, "b", "1") TYPED(5, "b", "1"));
    refused_cells(HEAD NUMBER(2, "0") NUMBER(3, "-0") NUMBER(4, "0") NUMBER(5, "0"));
    holds_cells(HEAD NUMBER(2, "1") NUMBER(3, "1.0") NUMBER(4, "1") NUMBER(5, "1E0"));
    holds_cells(HEAD TYPED(2, "s", "0") TYPED(3, "s", "1") TEXT(4, "1") TYPED(5, "str", "1"));
    holds_cells(HEAD DAY(2, "29294") DAY(3, "29294") DAY(4, "29294") DAY(5, "29294"));
}

static void cells_without_a_value_are_of_several_kinds(void **state) {
    (void)state;
    refused_cells(HEAD TEXT(2, "") EMPTY(3) TEXT(4, "") EMPTY(5));
    refused_cells(HEAD TYPED(2, "e", "#N/A") EMPTY(3) EMPTY(4) EMPTY(5));
    refused_cells(HEAD TYPED(2, "e", "#N/A") TYPED(3, "e", "#REF!") TYPED(4, "e", "#N/A")
                      TYPED(5, "e", "#N/A"));
    refused_cells(HEAD EMPTY(2) EMPTY(3) EMPTY(4)
                      EMPTY(5) "<row r='6'><c r='A6' t='inlineStr'><is><t></t></is></c></row>");
    holds_cells(HEAD TEXT(2, "") TEXT(3, "") TEXT(4, "") TEXT(5, ""));
    holds_cells(HEAD EMPTY(2) CELL(3, "<c r='A3' s='1'/>") EMPTY(4) EMPTY(5));
    holds_cells(HEAD TYPED(2, "e", "#N/A") TYPED(3, "e", "#N/A") TYPED(4, "e", "#N/A")
                    TYPED(5, "e", "#N/A"));
}

static void a_formula_says_more_than_its_value(void **state) {
    (void)state;
    refused_cells(HEAD CELL(2, "<c r='A2'><f>3-2</f><v>1</v></c>") NUMBER(3, "1") NUMBER(4, "1")
                      NUMBER(5, "1"));
    workbook w = plain;
    w.rows = HEAD NUMBER(2, "1") NUMBER(3, "1") NUMBER(4, "1") NUMBER(5, "1");
    w.behind = "<mergeCells><mergeCell ref='A3:A4'/></mergeCells>";
    workbook_save("t.xlsx", w);
    refused("t.xlsx");
    w.behind = "<mergeCells><mergeCell ref='B3:B4'/></mergeCells>";
    workbook_save("t.xlsx", w);
    holds("t.xlsx");
}

/* ---- SPSS, Stata, SAS ----------------------------------------------------------------------- */

static const kan_missing_range codes[] = {{-9, -9}, {-8, -8}};
static const kan_field coded = {.name = "q",
                                .type = KAN_FIELD_NUMBER,
                                .missing = codes,
                                .n_missing = 2,
                                .family = "spss",
                                .format = "F2.0"};
static const kan_field tagged = {
    .name = "q", .type = KAN_FIELD_NUMBER, .family = "stata:byte", .format = "%8.0g"};

static void write_four(const kan_sink_kind *sink, const kan_field *field, const char *path,
                       const char *a, const char *b) {
    const char *const cells[] = {a, b, a, b};
    const stat_table table = {.n_rows = 4, .n_columns = 1, .fields = field, .cells = cells};
    kan_run *run = kan_run_create();
    if (stat_write(run, sink, &table, path) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    kan_run_destroy(run);
}

static void two_missing_codes_are_two_values(void **state) {
    (void)state;
    write_four(&kan_sink_sav, &coded, "t.sav", "-9", "-8");
    refused("t.sav");
    write_four(&kan_sink_sav, &coded, "t.sav", "-9", "");
    refused("t.sav");
    write_four(&kan_sink_sav, &coded, "t.sav", "-9", "-9");
    holds("t.sav");
    write_four(&kan_sink_sav, &coded, "t.sav", "", "");
    holds("t.sav");
    write_four(&kan_sink_dta, &tagged, "t.dta", ".a", ".b");
    refused("t.dta");
    write_four(&kan_sink_dta, &tagged, "t.dta", ".a", "");
    refused("t.dta");
    write_four(&kan_sink_dta, &tagged, "t.dta", ".z", ".z");
    holds("t.dta");
    write_four(&kan_sink_xpt, &tagged, "t.xpt", ".a", "");
    refused("t.xpt");
    write_four(&kan_sink_xpt, &tagged, "t.xpt", ".a", ".a");
    holds("t.xpt");
}

/* The missing value ._ is a byte of its own in the file, where . has another one. */
static void underscore_of_sas_is_no_point(void **state) {
    size_t size;
    (void)state;
    write_four(&kan_sink_xpt, &tagged, "t.xpt", ".a", "");
    char *bytes = stat_file_bytes("t.xpt", &size);
    for (size_t i = 0; i + 8 <= size; i++)
        if (memcmp(bytes + i, "A\0\0\0\0\0\0\0", 8) == 0)
            bytes[i] = '_';
    stat_put_bytes("t.xpt", bytes, size);
    free(bytes);
    refused("t.xpt");
}

/* A column of doubles of Stata 10, as few bytes as will do. */
static void write_doubles(const double *numbers, size_t n) {
    char bytes[1024] = "\x72\x02\x01";
    const uint16_t n_columns = 1;
    const uint32_t n_rows = (uint32_t)n;
    size_t at = 109; /* behind the label of the file and its time */
    memcpy(bytes + 4, &n_columns, 2);
    memcpy(bytes + 6, &n_rows, 4);
    bytes[at] = (char)255; /* a double */
    bytes[at + 1] = 'q';
    memcpy(bytes + at + 1 + 33 + 4, "%9.0g", 5);
    at += 1 + 33 + 4 + 49 + 33 + 81 + 5;
    for (size_t i = 0; i < n; i++, at += sizeof *numbers)
        memcpy(bytes + at, &numbers[i], sizeof *numbers);
    stat_put_bytes("t.dta", bytes, at);
}

static void a_zero_has_a_sign(void **state) {
    (void)state;
    write_doubles((const double[]){0, 0, 0, 0}, 4);
    holds("t.dta");
    write_doubles((const double[]){0, -0.0, 0, 0}, 4);
    refused("t.dta");
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void refused_json(const char *text) {
    put_file("t.jsonl", text);
    refused("t.jsonl");
}

static void holds_json(const char *text) {
    put_file("t.jsonl", text);
    holds("t.jsonl");
}

static void values_of_json_have_types(void **state) {
    (void)state;
    if (!getenv("KANON_DUCKDB"))
        skip();
    refused_json("{\"q\":null}\n{\"q\":\"\"}\n{\"q\":null}\n{\"q\":null}\n");
    refused_json("{\"q\":null,\"x\":1}\n{\"x\":1}\n{\"q\":null}\n{\"q\":null}\n");
    refused_json("{\"q\":\"\",\"x\":1}\n{\"x\":1}\n{\"q\":\"\"}\n{\"q\":\"\"}\n");
    refused_json("{\"q\":1}\n{\"q\":\"1\"}\n{\"q\":1}\n{\"q\":1}\n");
    refused_json("{\"q\":1}\n{\"q\":1.0}\n{\"q\":1}\n{\"q\":1}\n");
    refused_json("{\"q\":0.0}\n{\"q\":-0.0}\n{\"q\":0.0}\n{\"q\":0.0}\n");
    refused_json("{\"q\":true}\n{\"q\":\"true\"}\n{\"q\":true}\n{\"q\":true}\n");
    holds_json("{\"q\":\"A/\"}\n{\"q\":\"\\u0041\\/\"}\n{ \"q\" : \"A/\"}\n{\"q\":\"A/\"}\n");
    holds_json("{\"q\":null}\n{\"q\":null}\n{\"q\":null}\n{\"q\":null}\n");
    holds_json("{\"q\":1.5}\n{\"q\":1.50}\n{\"q\":15e-1}\n{\"q\":1.5}\n");
    put_file("t.jsonl", "{\"q\":1,\"q\":2}\n{\"q\":1,\"q\":3}\n{\"q\":1}\n{\"q\":1}\n");
    assert_int_equal(verify("t.jsonl").status, KAN_BAD_INPUT);
}

/* ---- releases ------------------------------------------------------------------------------- */

/* A release of all that has a text twice in the input, in every format; what a format cannot hold it says
 * before. */
static size_t release_in_all_formats(const char *input, const char *missing) {
    size_t n = 0;
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_SINK); i++) {
        const char *format = kan_registry_at(KAN_FAMILY_SINK, i)->name;
        const answer made =
            run_job("anonymize",
                    (const char *const[]){"input", input, "output", "r", "output-format", format,
                                          "qi", "Q", "sensitive", "S", "k", "2", "l", "1", "force",
                                          "true", missing ? "missing" : NULL, missing, NULL});
        if (made.status == KAN_BAD_INPUT && strstr(made.error, "DuckDB's library"))
            continue;
        if (made.status != KAN_OK)
            fail_msg("%s as %s: %s", input, format, made.error);
        const answer a =
            run_job("verify", (const char *const[]){"input", "r", "format", format, "qi", "Q",
                                                    "sensitive", "S", "k", "2", "l", "1",
                                                    missing ? "missing" : NULL, missing, NULL});
        if (a.status != KAN_OK)
            fail_msg("%s as %s: %s", input, format, a.error);
        n++;
    }
    return n;
}

static void what_kanon_releases_is_not_refused(void **state) {
    static const kan_field fields[] = {{.name = "Q",
                                        .type = KAN_FIELD_NUMBER,
                                        .missing = codes,
                                        .n_missing = 2,
                                        .family = "spss",
                                        .format = "F2.0"},
                                       {.name = "S",
                                        .type = KAN_FIELD_NUMBER,
                                        .missing = codes,
                                        .n_missing = 2,
                                        .family = "spss",
                                        .format = "F2.0"}};
    static const char *const cells[] = {"-9", "1", "-8", "-8", "", "-9", "1", "", "1", "-9"};
    const stat_table table = {.n_rows = 5, .n_columns = 2, .fields = fields, .cells = cells};
    kan_run *run = kan_run_create();
    (void)state;
    assert_int_equal(stat_write(run, &kan_sink_sav, &table, "in.sav"), KAN_OK);
    kan_run_destroy(run);
    assert_true(release_in_all_formats("in.sav", NULL) >= 6);
    put_file("in.csv", "Q,S\n\"\",1\n,NA\nNA,\"NA\"\n1,\n-9,NA\n\"1\",-9\n1,x\n");
    assert_true(release_in_all_formats("in.csv", "NA,-9") >= 6);
    workbook w = plain;
    w.rows = "<row r='1'><c r='A1' t='inlineStr'><is><t>Q</t></is></c>"
             "<c r='B1' t='inlineStr'><is><t>S</t></is></c></row>" TEXT(2, "1") NUMBER(3, "1")
                 TEXT(4, "") EMPTY(5);
    workbook_save("in.xlsx", w);
    assert_true(release_in_all_formats("in.xlsx", NULL) >= 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_with_quotes_and_without_them_is_two_values),
        cmocka_unit_test(what_is_missing_is_written_in_one_way),
        cmocka_unit_test(a_number_or_a_date_is_written_in_one_way),
        cmocka_unit_test(cells_of_one_text_and_two_types_are_two_values),
        cmocka_unit_test(cells_without_a_value_are_of_several_kinds),
        cmocka_unit_test(a_formula_says_more_than_its_value),
        cmocka_unit_test(two_missing_codes_are_two_values),
        cmocka_unit_test(underscore_of_sas_is_no_point),
        cmocka_unit_test(a_zero_has_a_sign),
        cmocka_unit_test(values_of_json_have_types),
        cmocka_unit_test(what_kanon_releases_is_not_refused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
