/* What a file has beside its table: `verify` does not call verified what it did not check, and refutes
 * what shows a value of the original that no released row shows. What kanon writes has nothing beside it. */
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

static char home[] = "/tmp/kanon-beside-XXXXXX";

static void put_file(const char *path, const char *text) {
    stat_put_bytes(path, text, strlen(text));
}

/* The original has a name that is not released. */
static int begin(void **state) {
    (void)state;
    if (!mkdtemp(home) || chdir(home) != 0)
        return -1;
    put_file("original.csv", "Q,W,NAME\n1,1,Anna Schmidt\n1,2,Bert Baum\n2,1,C\n2,2,D\n3,3,King\n");
    return 0;
}

static int end(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", home);
    return chdir("/") == 0 ? system(command) : -1;
}

/* ---- what verify says ----------------------------------------------------------------------- */

typedef struct {
    char status[16], summary[4096];
} answer;

/* Settings: names and values, up to a NULL. */
static answer run_job(const char *command, const char *const *settings) {
    kan_run *run = kan_run_create();
    kan_job *job = NULL;
    kan_result *result = NULL;
    kan_status status = KAN_OK;
    answer a = {"failed", ""};
    assert_int_equal(kan_job_create(run, &job), KAN_OK);
    for (; settings[0] && status == KAN_OK; settings += 2)
        status = strcmp(settings[0], "job") == 0 ? kan_job_load(job, settings[1])
                                                 : kan_job_add(job, settings[0], settings[1]);
    if (status == KAN_OK)
        status = kan_job_run(job, command, &result);
    if (status != KAN_OK) {
        snprintf(a.summary, sizeof a.summary, "%s", kan_run_error(run));
    } else {
        const char *open = kan_result_unchecked(result);
        snprintf(a.status, sizeof a.status, "%s",
                 kan_result_holds(result) ? "verified"
                 : open && *open          ? "unchecked"
                                          : "refuted");
        snprintf(a.summary, sizeof a.summary, "%s", kan_result_summary(result));
    }
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_run_destroy(run);
    return a;
}

/* `alone` and `beside`: what is said without the original and with it; `part` is named. */
static void assert_says(const char *path, const char *alone, const char *beside, const char *part) {
    for (int with = 0; with < 2; with++) {
        const answer a =
            run_job("verify", (const char *const[]){"input", path, "qi", "Q=suppress", "k", "2",
                                                    with ? "original" : NULL, "original.csv", "id",
                                                    "NAME", "labels", "codes", NULL});
        if (strcmp(a.status, with ? beside : alone) != 0 || (part && !strstr(a.summary, part)))
            fail_msg("%s%s is %s, and not %s: %s (%s)", path, with ? " beside its original" : "",
                     a.status, with ? beside : alone, a.summary, part ? part : "");
    }
}

/* ---- workbooks ------------------------------------------------------------------------------ */

#define TEXT(at, text)    "<c r='" at "' t='inlineStr'><is><t>" text "</t></is></c>"
#define SHARED(at, index) "<c r='" at "' t='s'><v>" index "</v></c>"
#define TWO(row, q, w)    "<row r='" row "'>" TEXT("A" row, q) TEXT("B" row, w) "</row>"

static const workbook plain = {.rows = TWO("1", "Q", "W") TWO("2", "1", "1") TWO("3", "1", "2")
                                   TWO("4", "2", "1") TWO("5", "2", "2")};

static void a_workbook_of_one_sheet_is_a_table(void **state) {
    (void)state;
    workbook_save("t.xlsx", plain);
    assert_says("t.xlsx", "verified", "verified", NULL);
}

static void behind(const char *xml, const char *beside, const char *part) {
    workbook w = plain;
    w.behind = xml;
    workbook_save("t.xlsx", w);
    assert_says("t.xlsx", "unchecked", beside, part);
}

static void what_a_sheet_has_behind_its_cells_is_told(void **state) {
    (void)state;
    behind("<headerFooter><oddHeader>&amp;CAnna Schmidt</oddHeader></headerFooter>", "refuted",
           "headers or footers");
    behind("<headerFooter><oddHeader>&amp;CPage 1</oddHeader></headerFooter>", "unchecked",
           "headers or footers");
    behind("<dataValidations><dataValidation type='list' sqref='B2'><formula1>\"a,Bert Baum\""
           "</formula1></dataValidation></dataValidations>",
           "refuted", "validation lists");
    behind("<autoFilter ref='A1:B5'><filterColumn colId='1'><filters><filter val='King'/></filters>"
           "</filterColumn></autoFilter>",
           "refuted", "a filter");
    behind("<newElement of='nobody'/>", "unchecked", "the element newElement");
}

static void parts(const workbook_part *more, const char *beside, const char *part) {
    workbook w = plain;
    w.parts = more;
    workbook_save("t.xlsx", w);
    assert_says("t.xlsx", "unchecked", beside, part);
}

static void other_parts_of_a_workbook_are_told(void **state) {
    (void)state;
    parts((const workbook_part[]){{"xl/comments1.xml",
                                   "<comments><authors><author>me</author>"
                                   "</authors><t>met Anna Schmidt</t></comments>"},
                                  {NULL, NULL}},
          "refuted", "comments");
    parts((const workbook_part[]){{"docProps/core.xml", "<p><title>King, of 3</title></p>"},
                                  {NULL, NULL}},
          "refuted", "document properties");
    parts((const workbook_part[]){{"docProps/custom.xml", "<p><v>mine</v></p>"}, {NULL, NULL}},
          "unchecked", "document properties");
    parts((const workbook_part[]){{"customXml/item1.xml", "<x>nothing</x>"}, {NULL, NULL}},
          "unchecked", "custom XML");
    parts((const workbook_part[]){{"xl/media/image1.png", "a picture"}, {NULL, NULL}}, "unchecked",
          "pictures");
    parts((const workbook_part[]){{"something/else.bin", "?"}, {NULL, NULL}}, "unchecked",
          "the part something/else.bin");
    parts(
        (const workbook_part[]){
            {"xl/worksheets/_rels/sheet1.xml.rels",
             "<Relationships><Relationship Id='r1' Type='x' TargetMode='External' "
             "Target='file:///home/King/table.xlsx'/></Relationships>"},
            {NULL, NULL}},
        "refuted", "links");
}

/* What programs write of themselves is no news. */
static void when_and_by_what_a_workbook_was_written_is_no_news(void **state) {
    static const workbook_part more[] = {
        {"docProps/core.xml", "<p><creator></creator><created>2024-01-01T00:00:00Z</created></p>"},
        {"docProps/app.xml",
         "<Properties><Application>Excel</Application><HeadingPairs><lpstr>Worksheets</lpstr>"
         "</HeadingPairs><TitlesOfParts><lpstr>Data</lpstr></TitlesOfParts></Properties>"},
        {NULL, NULL}};
    workbook w = plain;
    (void)state;
    w.parts = more;
    workbook_save("t.xlsx", w);
    assert_says("t.xlsx", "verified", "verified", NULL);
}

static void another_sheet_is_told_hidden_or_not(void **state) {
    static const workbook_part raw[] = {
        {"xl/worksheets/s2.xml",
         "<worksheet><sheetData><row r='1'><c r='A1' t='inlineStr'><is><t>Anna Schmidt</t></is></c>"
         "</row></sheetData></worksheet>"},
        {NULL, NULL}};
    workbook w = plain;
    (void)state;
    w.parts = raw;
    w.sheets = "<sheet name='Data' sheetId='1' r:id='r1'/>"
               "<sheet name='raw' sheetId='2' state='hidden' r:id='r2'/>";
    workbook_save("t.xlsx", w);
    assert_says("t.xlsx", "unchecked", "refuted", "the hidden sheet 'raw'");
}

static void names_of_cells_are_told(void **state) {
    workbook w = plain;
    (void)state;
    w.workbook = "<definedNames><definedName name='x'>\"Bert Baum\"</definedName></definedNames>";
    workbook_save("t.xlsx", w);
    assert_says("t.xlsx", "unchecked", "refuted", "defined names");
    w.workbook = "<definedNames/>";
    workbook_save("t.xlsx", w);
    assert_says("t.xlsx", "verified", "verified", NULL);
}

static void a_string_that_no_cell_has_is_told(void **state) {
    workbook w = plain;
    (void)state;
    w.rows = "<row r='1'>" SHARED("A1", "0") SHARED("B1", "1") "</row>" TWO("2", "1", "1")
        TWO("3", "1", "2") TWO("4", "2", "1") TWO("5", "2", "2");
    w.strings = "<si><t>Q</t></si><si><t>W</t></si>";
    workbook_save("t.xlsx", w);
    assert_says("t.xlsx", "verified", "verified", NULL);
    w.strings = "<si><t>Q</t></si><si><t>W</t></si><si><t>Anna Schmidt</t></si>";
    workbook_save("t.xlsx", w);
    assert_says("t.xlsx", "unchecked", "refuted", "strings that no cell of the table has");
}

/* ---- statistics programs -------------------------------------------------------------------- */

static const kan_value_label works[] = {
    {S("1"), S("Farmer")}, {S("2"), S("Baker")}, {S("4"), S("King")}};
static const char *const cells[] = {"1", "1", "1", "2", "2", "1", "2", "2"};

static void write_table(const kan_sink_kind *kind, const char *path, size_t n_labels,
                        const kan_missing_range *missing) {
    const kan_field fields[] = {{.name = "Q", .type = KAN_FIELD_NUMBER},
                                {.name = "W",
                                 .type = KAN_FIELD_NUMBER,
                                 .labels = works,
                                 .n_labels = n_labels,
                                 .missing = missing,
                                 .n_missing = missing != NULL,
                                 .family = "spss",
                                 .format = "F2.0"}};
    const stat_table table = {.n_rows = 4, .n_columns = 2, .fields = fields, .cells = cells};
    kan_run *run = kan_run_create();
    if (stat_write(run, kind, &table, path) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    kan_run_destroy(run);
}

static void labels_of_values_that_no_row_shows_are_told(void **state) {
    static const struct {
        const kan_sink_kind *kind;
        const char *path;
    } formats[] = {{&kan_sink_sav, "t.sav"},
                   {&kan_sink_zsav, "t.zsav"},
                   {&kan_sink_por, "t.por"},
                   {&kan_sink_dta, "t.dta"}};
    (void)state;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        write_table(formats[i].kind, formats[i].path, 2, NULL);
        assert_says(formats[i].path, "verified", "verified", NULL);
        write_table(formats[i].kind, formats[i].path, 3, NULL);
        assert_says(formats[i].path, "unchecked", "refuted",
                    "labels of values that no row of column 'W' has");
        const answer a =
            run_job("verify", (const char *const[]){"input", formats[i].path, "qi", "Q", "k", "2",
                                                    "codebook", "public", NULL});
        assert_string_equal(a.status, "verified");
    }
}

static void a_job_file_cannot_say_that_a_code_book_is_public(void **state) {
    (void)state;
    FILE *file = fopen("job.yaml", "w");
    assert_non_null(file);
    fputs("qi: [Q]\nkeep: [W]\nk: 2\ncodebook: public\n", file);
    assert_int_equal(fclose(file), 0);
    write_table(&kan_sink_sav, "t.sav", 3, NULL);
    const answer a =
        run_job("verify", (const char *const[]){"job", "job.yaml", "input", "t.sav", NULL});
    assert_string_equal(a.status, "unchecked");
}

static void missing_codes_that_no_row_has_are_told(void **state) {
    static const kan_missing_range nine = {-9, -9};
    (void)state;
    write_table(&kan_sink_sav, "t.sav", 2, &nine);
    assert_says("t.sav", "unchecked", "unchecked", "missing codes that no row of column 'W' has");
}

/* Puts bytes into a file, before the place of others. */
static void insert_before(const char *path, const char *mark, size_t n_mark, const char *bytes,
                          size_t n_bytes) {
    size_t size, at = 176;
    char *file = stat_file_bytes(path, &size), *made = malloc(size + n_bytes);
    while (at + n_mark < size && memcmp(file + at, mark, n_mark) != 0)
        at++;
    assert_true(at + n_mark < size);
    memcpy(made, file, at);
    memcpy(made + at, bytes, n_bytes);
    memcpy(made + at + n_bytes, file + at, size - at);
    stat_put_bytes(path, made, size + n_bytes);
    free(made);
    free(file);
}

static void add_record(const char *bytes, size_t size) {
    static const char mark[] = "\xe7\x03\0\0\0\0\0"; /* 999, and nothing */
    write_table(&kan_sink_sav, "t.sav", 2, NULL);
    insert_before("t.sav", mark, sizeof mark, bytes, size);
}

static void notes_and_attributes_of_spss_are_told(void **state) {
    char note[8 + 80] = "\6\0\0\0\1\0\0\0";
    static const char text[] = "$@Role('0'\n)";
    char attributes[16 + 16] = "\7\0\0\0\x12\0\0\0\1\0\0\0";
    (void)state;
    memset(note + 8, ' ', 80);
    memcpy(note + 8, "Asked by Bert Baum", 18);
    add_record(note, sizeof note);
    assert_says("t.sav", "unchecked", "refuted", "notes");
    memset(note + 8, ' ', 80);
    memcpy(note + 8, "Asked by us", 11);
    add_record(note, sizeof note);
    assert_says("t.sav", "unchecked", "unchecked", "notes");
    attributes[12] = 2 + sizeof text - 1;
    memcpy(attributes + 16, "Q:", 2);
    memcpy(attributes + 18, text, sizeof text - 1);
    add_record(attributes, 16 + 2 + sizeof text - 1);
    assert_says("t.sav", "verified", "verified", NULL);
    attributes[26] = 'x'; /* no role is called so */
    add_record(attributes, 16 + 2 + sizeof text - 1);
    assert_says("t.sav", "unchecked", "unchecked", "attributes of columns");
    attributes[26] = '0';
    memcpy(attributes + 20, "Xxxx", 4);
    add_record(attributes, 16 + 2 + sizeof text - 1);
    assert_says("t.sav", "unchecked", "unchecked", "attributes of columns");
}

/* Records that may hold texts of somebody, and one that nobody knows; a value of the table in one refutes. */
static void every_other_record_of_spss_is_told(void **state) {
    static const struct {
        char subtype;
        const char *what;
    } cases[] = {{5, "sets of columns"},         {7, "multiple-response sets"},
                 {19, "multiple-response sets"}, {10, "a text about the product"},
                 {17, "attributes of the file"}, {99, "a record that is not known"}};
    static const char text[] = "Asked by Bert Baum";
    char record[16 + sizeof text - 1] = "\7\0\0\0\0\0\0\0\1\0\0\0";
    (void)state;
    record[12] = sizeof text - 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        record[4] = cases[i].subtype;
        memcpy(record + 16, text, sizeof text - 1);
        add_record(record, sizeof record);
        assert_says("t.sav", "unchecked", "refuted", cases[i].what);
        memset(record + 16, ' ', sizeof text - 1); /* nothing but blanks is nothing */
        add_record(record, sizeof record);
        assert_says("t.sav", "verified", "verified", NULL);
    }
}

/* A file of Stata 10 with two bytes per row, a label and a note. */
static void write_old_dta(const char *label, const char *note) {
    char bytes[4096] = "\x72\x02\x01";
    const uint16_t n_columns = 2;
    const uint32_t n_rows = 4;
    size_t at = 109;
    memcpy(bytes + 4, &n_columns, 2);
    memcpy(bytes + 6, &n_rows, 4);
    strcpy(bytes + 10, label);
    memcpy(bytes + at, "\xfb\xfb", 2); /* bytes */
    bytes[at + 2] = 'Q';
    bytes[at + 2 + 33] = 'W';
    memcpy(bytes + at + 2 + 66 + 6, "%9.0g", 5);
    memcpy(bytes + at + 2 + 66 + 6 + 49, "%9.0g", 5);
    at += 2 + 66 + 6 + 98 + 66 + 162;
    if (note) {
        const uint32_t size = 66 + (uint32_t)strlen(note) + 1;
        bytes[at] = 1;
        memcpy(bytes + at + 1, &size, 4);
        strcpy(bytes + at + 5, "_dta");
        strcpy(bytes + at + 5 + 33, "note1");
        strcpy(bytes + at + 5 + 66, note);
        at += 5 + size;
    }
    at += 5;
    for (size_t i = 0; i < 8; i++)
        bytes[at++] = (char)(cells[i][0] - '0');
    stat_put_bytes("t.dta", bytes, at);
}

static void notes_and_labels_of_stata_are_told(void **state) {
    (void)state;
    write_old_dta("", NULL);
    assert_says("t.dta", "verified", "verified", NULL);
    write_old_dta("A survey", NULL);
    assert_says("t.dta", "unchecked", "unchecked", "the label of the file");
    write_old_dta("", "asked by nobody");
    assert_says("t.dta", "unchecked", "unchecked", "note 'note1' of the file");
    write_old_dta("", "Anna Schmidt was not at home");
    assert_says("t.dta", "unchecked", "refuted", "note 'note1' of the file");
}

/* The same between tags; names are of 129 bytes. */
static void write_characteristic(const char *of, const char *name) {
    static const char text[] = "Bert Baum's";
    char section[4 + 4 + 258 + sizeof text + 5] = "<ch>";
    const uint32_t size = 258 + sizeof text;
    memcpy(section + 4, &size, 4);
    strcpy(section + 8, of);
    strcpy(section + 8 + 129, name);
    memcpy(section + 8 + 258, text, sizeof text);
    memcpy(section + 8 + size, "</ch>", 5);
    write_table(&kan_sink_dta, "t.dta", 2, NULL);
    insert_before("t.dta", "</characteristics>", 18, section, sizeof section);
    /* the places behind it */
    size_t n, at = 0;
    char *bytes = stat_file_bytes("t.dta", &n);
    while (memcmp(bytes + at, "<map>", 5) != 0)
        at++;
    for (int i = 9; i < 14; i++) {
        uint64_t place;
        memcpy(&place, bytes + at + 5 + i * 8, 8);
        place += sizeof section;
        memcpy(bytes + at + 5 + i * 8, &place, 8);
    }
    stat_put_bytes("t.dta", bytes, n);
    free(bytes);
}

static void characteristics_of_new_files_are_told(void **state) {
    char name[101] = "", of[101] = "", told[400] = "characteristic '";
    (void)state;
    write_characteristic("W", "origin");
    assert_says("t.dta", "unchecked", "refuted", "characteristic 'origin' of 'W'");
    /* Names that take the most room when they are told. */
    memset(name, 2, 100);
    memset(of, 1, 100);
    for (int i = 0; i < 40; i++)
        strcat(told, "\\x02");
    strcat(told, "...' of '\\x01");
    write_characteristic(of, name);
    assert_says("t.dta", "unchecked", "refuted", told);
}

/* ---- releases ------------------------------------------------------------------------------- */

/* In every format, of a table with labels, missing codes and texts. */
static void what_kanon_releases_has_nothing_beside_it(void **state) {
    static const kan_missing_range four = {4, 4};
    size_t n = 0;
    (void)state;
    write_table(&kan_sink_sav, "in.sav", 3, &four);
    for (size_t i = 0; i < 2 * kan_registry_count(KAN_FAMILY_SINK); i++) {
        const char *format = kan_registry_at(KAN_FAMILY_SINK, i / 2)->name;
        const char *keeps = i % 2 ? "true" : "false";
        const answer made =
            run_job("anonymize",
                    (const char *const[]){"input", "in.sav", "output", "r", "output-format", format,
                                          "qi", "Q=suppress", "level", "Q=0", "keep", "W", "k", "2",
                                          "force", "true", "keep-suppressed", keeps, NULL});
        if (strstr(made.summary, "DuckDB's library"))
            continue;
        if (strcmp(made.status, "failed") == 0)
            fail_msg("%s: %s", format, made.summary);
        const answer a = run_job("verify", (const char *const[]){"input", "r", "format", format,
                                                                 "qi", "Q", "k", "2", NULL});
        if (strcmp(a.status, "verified") != 0)
            fail_msg("%s: %s", format, a.summary);
        n++;
    }
    assert_true(n >= 14);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_workbook_of_one_sheet_is_a_table),
        cmocka_unit_test(what_a_sheet_has_behind_its_cells_is_told),
        cmocka_unit_test(other_parts_of_a_workbook_are_told),
        cmocka_unit_test(when_and_by_what_a_workbook_was_written_is_no_news),
        cmocka_unit_test(another_sheet_is_told_hidden_or_not),
        cmocka_unit_test(names_of_cells_are_told),
        cmocka_unit_test(a_string_that_no_cell_has_is_told),
        cmocka_unit_test(labels_of_values_that_no_row_shows_are_told),
        cmocka_unit_test(a_job_file_cannot_say_that_a_code_book_is_public),
        cmocka_unit_test(missing_codes_that_no_row_has_are_told),
        cmocka_unit_test(notes_and_attributes_of_spss_are_told),
        cmocka_unit_test(every_other_record_of_spss_is_told),
        cmocka_unit_test(notes_and_labels_of_stata_are_told),
        cmocka_unit_test(characteristics_of_new_files_are_told),
        cmocka_unit_test(what_kanon_releases_has_nothing_beside_it),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
