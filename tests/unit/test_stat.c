/* io/stat: files of SPSS, Stata and SAS, made by our own sinks and read again; damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/run.h"
#include "support/random_problem.h"
#include "support/stat_file.h"

static char path[] = "/tmp/kanon-stat-XXXXXX";

static int set_up(void **state) {
    (void)state;
    const int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int tear_down(void **state) {
    (void)state;
    return unlink(path);
}

typedef struct {
    const kan_sink_kind *sink;
    const kan_source_kind *source;
} format;

static const format formats[] = {{&kan_sink_sav, &kan_source_sav},
                                 {&kan_sink_zsav, &kan_source_zsav},
                                 {&kan_sink_por, &kan_source_por},
                                 {&kan_sink_dta, &kan_source_dta},
                                 {&kan_sink_xpt, &kan_source_xpt}};
enum { N_FORMATS = sizeof formats / sizeof *formats };

#define S(text)                                                                                    \
    { text, sizeof text - 1 }

static void must(kan_run *run, kan_status status) {
    if (status != KAN_OK)
        fail_msg("%s", kan_run_error(run));
}

static void assert_error(const kan_run *run, const char *part) {
    if (!strstr(kan_run_error(run), part))
        fail_msg("'%s' does not say '%s'", kan_run_error(run), part);
}

/* ---- labels and missing codes --------------------------------------------------------------- */

static const kan_value_label sexes[] = {
    {S("1"), S("Male")}, {S("2"), S("Female")}, {S("9"), S("Refused")}};
static const kan_value_label ages[] = {{S("0"), S("Newborn")}, {S("-1"), S("Unknown")}};
static const kan_missing_range nine[] = {{9, 9}}, below_zero[] = {{-1e9, -1}};
static const kan_field people[] = {{.name = "SEX",
                                    .type = KAN_FIELD_NUMBER,
                                    .label = "Sex of person",
                                    .labels = sexes,
                                    .n_labels = 3,
                                    .missing = nine,
                                    .n_missing = 1,
                                    .family = "spss",
                                    .format = "F1.0",
                                    .measure = 1},
                                   {.name = "AGE",
                                    .type = KAN_FIELD_NUMBER,
                                    .labels = ages,
                                    .n_labels = 2,
                                    .missing = below_zero,
                                    .n_missing = 1},
                                   {.name = "BORN", .type = KAN_FIELD_DATE}};
static const char *const people_cells[] = {"1", "34", "1980-03-14", "2", "-1", "",
                                           "9", "0",  "1582-10-15", "",  "7",  "0099-01-01"};
static const stat_table people_table = {
    .n_rows = 4, .n_columns = 3, .fields = people, .cells = people_cells};

static const char *const sex_codes[] = {"1", "2", "9", ""};
static const char *const sex_labels[] = {"Male", "Female", "", ""};
static const char *const known_sex_codes[] = {"1", "2", "", ""};
static const char *const age_codes[] = {"34", "-1", "0", "7"};
static const char *const known_ages[] = {"34", "", "0", "7"};
static const char *const age_labels[] = {"34", "", "Newborn", "7"};
static const char *const births[] = {"1980-03-14", "", "1582-10-15", "0099-01-01"};

static void missing_codes_and_labels_are_those_of_the_file(void **state) {
    kan_run *run = kan_run_create();
    kan_source *source;
    kan_table *table;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        must(run, stat_write(run, formats[i].sink, &people_table, path));
        must(run, stat_read(run, formats[i].source, path, NULL, false, &source, &table));
        const kan_field *sex = kan_source_field(source, 0), *age = kan_source_field(source, 1);
        stat_assert_column(table, 0, sex_labels);
        stat_assert_column(table, 1, known_ages); /* one label alone */
        stat_assert_column(table, 2, births);
        assert_true(sex->shows_labels);
        assert_false(age->shows_labels);
        assert_string_equal(sex->label, "Sex of person");
        assert_string_equal(sex->format, "F1.0");
        assert_int_equal(sex->n_labels, 3);
        assert_int_equal(sex->n_missing, 1);
        assert_int_equal(age->n_missing, 1);
        assert_true(age->missing[0].most == -1);
        assert_int_equal(kan_source_field(source, 2)->type, KAN_FIELD_DATE);
        kan_table_destroy(table);
        kan_source_close(source);
    }
    kan_run_destroy(run);
}

static void columns_that_are_written_again_are_read_as_they_are(void **state) {
    kan_run *run = kan_run_create();
    kan_source *source;
    kan_table *table;
    (void)state;
    for (size_t i = 0; i < N_FORMATS; i++) {
        must(run, stat_write(run, formats[i].sink, &people_table, path));
        must(run, stat_read(run, formats[i].source, path, NULL, true, &source, &table));
        stat_assert_column(table, 0, sex_codes);
        stat_assert_column(table, 1, age_codes);
        stat_assert_column(table, 2, births);
        kan_table_destroy(table);
        kan_source_close(source);
    }
    kan_run_destroy(run);
}

static void labels_or_codes_are_shown_as_it_was_said(void **state) {
    static const struct {
        const char *said;
        const char *const *sex, *const *age;
    } cases[] = {{"auto", sex_labels, known_ages},
                 {"codes", known_sex_codes, known_ages},
                 {"labels", sex_labels, age_labels},
                 {"SEX=codes", known_sex_codes, known_ages},
                 {"AGE=labels", sex_labels, age_labels}};
    kan_run *run = kan_run_create();
    kan_source *source;
    kan_table *table;
    (void)state;
    must(run, stat_write(run, &kan_sink_sav, &people_table, path));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        must(run, stat_read(run, &kan_source_sav, path, cases[i].said, false, &source, &table));
        stat_assert_column(table, 0, cases[i].sex);
        stat_assert_column(table, 1, cases[i].age);
        kan_table_destroy(table);
        kan_source_close(source);
    }
    assert_int_equal(stat_read(run, &kan_source_sav, path, "names", false, &source, &table),
                     KAN_BAD_INPUT);
    assert_error(run, "use auto, labels or codes");
    assert_int_equal(stat_read(run, &kan_source_sav, path, "SEXE=codes", false, &source, &table),
                     KAN_BAD_INPUT);
    assert_error(run, "has no column 'SEXE'");
    kan_run_destroy(run);
}

/* Whether labels are shown does not depend on the rows: that could tell of one that is left out. */
static void a_value_without_a_label_shows_its_code(void **state) {
    static const char *const cells[] = {"1", "3", "2"}, *const shown[] = {"Male", "3", "Female"};
    static const kan_field field = {
        .name = "SEX", .type = KAN_FIELD_NUMBER, .labels = sexes, .n_labels = 3};
    const stat_table table = {.n_rows = 3, .n_columns = 1, .fields = &field, .cells = cells};
    kan_run *run = kan_run_create();
    kan_source *source;
    kan_table *read;
    (void)state;
    must(run, stat_write(run, &kan_sink_dta, &table, path));
    must(run, stat_read(run, &kan_source_dta, path, NULL, false, &source, &read));
    stat_assert_column(read, 0, shown);
    assert_true(kan_source_field(source, 0)->shows_labels);
    kan_table_destroy(read);
    kan_source_close(source);
    kan_run_destroy(run);
}

static void keep_note(void *user, const char *text) {
    snprintf(user, 256, "%s", text);
}

static void two_codes_with_the_same_label_stay_two(void **state) {
    static const kan_value_label twins[] = {{S("1"), S("Other")}, {S("2"), S("Other")}};
    static const kan_field field = {
        .name = "X", .type = KAN_FIELD_NUMBER, .labels = twins, .n_labels = 2};
    static const char *const cells[] = {"1", "2", "1"};
    const stat_table table = {.n_rows = 3, .n_columns = 1, .fields = &field, .cells = cells};
    kan_run *run = kan_run_create();
    char note[256] = "";
    kan_source *source;
    kan_table *read;
    (void)state;
    kan_run_on_note(run, keep_note, note);
    must(run, stat_write(run, &kan_sink_sav, &table, path));
    must(run, stat_read(run, &kan_source_sav, path, "labels", false, &source, &read));
    stat_assert_column(read, 0, cells);
    assert_non_null(strstr(note, "two of them have the same label"));
    kan_table_destroy(read);
    kan_source_close(source);
    kan_run_destroy(run);
}

/* .a to .z of Stata and SAS; SPSS has none, and gets text. */
static void tagged_missing_values_keep_their_letter(void **state) {
    static const kan_value_label labels[] = {{S("1"), S("Yes")}, {S(".a"), S("Refused")}};
    static const kan_field field = {.name = "X",
                                    .type = KAN_FIELD_NUMBER,
                                    .labels = labels,
                                    .n_labels = 2,
                                    .family = "stata:byte",
                                    .format = "%8.0g"};
    static const char *const cells[] = {"1", ".a", ".z", "", "1"};
    static const char *const shown[] = {"Yes", "", "", "", "Yes"}, *const numbers[] = {"1", "", "",
                                                                                       "", "1"};
    const stat_table table = {.n_rows = 5, .n_columns = 1, .fields = &field, .cells = cells};
    kan_run *run = kan_run_create();
    kan_source *source;
    kan_table *read;
    (void)state;
    for (size_t i = 0; i < N_FORMATS; i++) {
        must(run, stat_write(run, formats[i].sink, &table, path));
        must(run, stat_read(run, formats[i].source, path, NULL, true, &source, &read));
        stat_assert_column(read, 0, cells);
        kan_table_destroy(read);
        kan_source_close(source);
        if (i < 3)
            continue;
        must(run, stat_read(run, formats[i].source, path, "labels", false, &source, &read));
        stat_assert_column(read, 0, formats[i].sink == &kan_sink_dta ? shown : numbers);
        kan_table_destroy(read);
        kan_source_close(source);
    }
    kan_run_destroy(run);
}

/* A column that was read by its labels is written by its codes, and shows labels again. */
static void labels_become_codes_again(void **state) {
    static const kan_value_label whole[] = {{S("1"), S("Yes")}, {S("0"), S("No")}};
    static const kan_value_label broken[] = {{S("0.5"), S("Yes")}, {S("0"), S("No")}};
    static const char *const cells[] = {"Yes", "No", "", "Yes", "7"}; /* which has no label */
    kan_run *run = kan_run_create();
    (void)state;
    for (size_t i = 0; i < 2 * N_FORMATS; i++) {
        const format *f = &formats[i / 2];
        const kan_field field = {.name = "X",
                                 .type = KAN_FIELD_NUMBER,
                                 .labels = i % 2 ? broken : whole,
                                 .n_labels = 2,
                                 .shows_labels = true};
        const stat_table table = {
            .n_rows = 5, .n_columns = 1, .fields = &field, .cells = cells, .is_read = true};
        kan_source *source;
        kan_table *read;
        must(run, stat_write(run, f->sink, &table, path));
        must(run, stat_read(run, f->source, path, NULL, false, &source, &read));
        stat_assert_column(read, 0, cells);
        const bool has_codes = f->sink != &kan_sink_xpt && (f->sink != &kan_sink_dta || i % 2 == 0);
        assert_int_equal(kan_source_field(source, 0)->type,
                         has_codes ? KAN_FIELD_NUMBER : KAN_FIELD_TEXT);
        kan_table_destroy(read);
        kan_source_close(source);
    }
    kan_run_destroy(run);
}

/* ---- the code book of a release ------------------------------------------------------------- */

/* Nobody who is left has a code of these, and no number needs so much room. */
static void a_release_has_the_code_book_of_its_values(void **state) {
    static const kan_value_label labels[] = {{S("1"), S("Yes")},
                                             {S("2"), S("No")},
                                             {S("3"), S("Secret")},
                                             {S("-9"), S("Refused")},
                                             {S("-8"), S("Hidden")}};
    static const kan_missing_range ranges[] = {{-99, -7}};
    static const char *const cells[] = {"1", "5", "2", "-3", "-9", "7"};
    kan_run *run = kan_run_create();
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const bool is_stata = formats[i].sink == &kan_sink_dta;
        const char *family = is_stata ? "stata:long" : "spss",
                   *looks = is_stata ? "%12.0g" : "F12.2";
        const kan_field fields[] = {{.name = "X",
                                     .type = KAN_FIELD_NUMBER,
                                     .labels = labels,
                                     .n_labels = 5,
                                     .missing = ranges,
                                     .n_missing = 1,
                                     .family = family,
                                     .format = looks,
                                     .width = 40,
                                     .measure = 3},
                                    {.name = "N",
                                     .type = KAN_FIELD_NUMBER,
                                     .family = family,
                                     .format = looks,
                                     .width = 40}};
        const stat_table table = {
            .n_rows = 3, .n_columns = 2, .fields = fields, .cells = cells, .is_released = true};
        kan_source *source;
        kan_table *read;
        must(run, stat_write(run, formats[i].sink, &table, path));
        must(run, stat_read(run, formats[i].source, path, NULL, true, &source, &read));
        const kan_field *x = kan_source_field(source, 0), *n = kan_source_field(source, 1);
        assert_int_equal(x->n_labels, 3);
        assert_int_equal(x->n_missing, is_stata ? 0 : 1);
        assert_true(is_stata || (x->missing[0].least == -9 && x->missing[0].most == -9));
        assert_int_not_equal(x->width, 40);
        assert_int_equal(x->measure, 0);
        assert_string_equal(n->family, is_stata ? "stata:byte" : "spss");
        assert_string_not_equal(n->format, looks);
        stat_assert_column(read, 1, (const char *const[]){"5", "-3", "7"});
        kan_table_destroy(read);
        kan_source_close(source);
    }
    kan_run_destroy(run);
}

/* More codes than can be named one by one: a range of them, from the first to the last. */
static void a_range_of_missing_codes_ends_where_its_values_do(void **state) {
    static const kan_missing_range ranges[] = {{-99, -7}};
    static const kan_field field = {.name = "X",
                                    .type = KAN_FIELD_NUMBER,
                                    .missing = ranges,
                                    .n_missing = 1,
                                    .family = "spss",
                                    .format = "F8.2"};
    static const char *const cells[] = {"-20", "-10", "-11", "3", "-12"};
    const stat_table table = {
        .n_rows = 5, .n_columns = 1, .fields = &field, .cells = cells, .is_released = true};
    kan_run *run = kan_run_create();
    kan_source *source;
    kan_table *read;
    (void)state;
    must(run, stat_write(run, &kan_sink_sav, &table, path));
    must(run, stat_read(run, &kan_source_sav, path, NULL, true, &source, &read));
    const kan_field *x = kan_source_field(source, 0);
    assert_int_equal(x->n_missing, 1);
    assert_true(x->missing[0].least == -20 && x->missing[0].most == -10);
    kan_table_destroy(read);
    kan_source_close(source);
    kan_run_destroy(run);
}

/* Columns that had one set of labels have different ones where they show different values. */
static void sets_of_labels_that_were_one_get_names_of_their_own(void **state) {
    static const kan_field fields[] = {{.name = "A",
                                        .type = KAN_FIELD_NUMBER,
                                        .labels = sexes,
                                        .n_labels = 3,
                                        .family = "stata",
                                        .label_set = "B"},
                                       {.name = "B",
                                        .type = KAN_FIELD_NUMBER,
                                        .labels = sexes,
                                        .n_labels = 3,
                                        .family = "stata",
                                        .label_set = "B"},
                                       {.name = "C",
                                        .type = KAN_FIELD_NUMBER,
                                        .labels = sexes,
                                        .n_labels = 3,
                                        .family = "stata",
                                        .label_set = "B"}};
    static const char *const cells[] = {"1", "2", "9"};
    const stat_table table = {
        .n_rows = 1, .n_columns = 3, .fields = fields, .cells = cells, .is_released = true};
    kan_run *run = kan_run_create();
    kan_source *source;
    kan_table *read;
    (void)state;
    must(run, stat_write(run, &kan_sink_dta, &table, path));
    must(run, stat_read(run, &kan_source_dta, path, "labels", false, &source, &read));
    for (size_t c = 0; c < 3; c++) {
        assert_int_equal(kan_source_field(source, c)->n_labels, 1);
        assert_true(kan_slice_equal(kan_column_value(&read->columns[c], 0), sexes[c].label));
    }
    kan_table_destroy(read);
    kan_source_close(source);
    kan_run_destroy(run);
}

/* ---- what formats hold ---------------------------------------------------------------------- */

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
    must(run, stat_write(run, &kan_sink_dta, &table, path));
    must(run, stat_read(run, &kan_source_dta, path, NULL, true, &source, &read));
    for (size_t c = 0; c < 4; c++) {
        const char *const column[] = {cells[c], cells[4 + c], cells[8 + c]};
        stat_assert_column(read, c, column);
        assert_string_equal(kan_source_field(source, c)->family, families[c]);
    }
    kan_table_destroy(read);
    kan_source_close(source);
    table.n_rows = 1; /* without the number that no float is */
    must(run, stat_write(run, &kan_sink_dta, &table, path));
    must(run, stat_read(run, &kan_source_dta, path, NULL, true, &source, &read));
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
    for (size_t k = 0; k < N_FORMATS; k++)
        for (size_t n = 1; n <= N; n++) {
            const stat_table table = {.n_rows = n + 1,
                                      .n_columns = 1,
                                      .fields = &field,
                                      .cells = (const char *const *)texts + (N - n)};
            kan_source *source;
            kan_table *read;
            if (formats[k].sink == &kan_sink_por || formats[k].sink == &kan_sink_xpt)
                break;
            must(run, stat_write(run, formats[k].sink, &table, path));
            must(run, stat_read(run, formats[k].source, path, NULL, true, &source, &read));
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
        assert_int_equal(stat_write(run, cases[i].sink, &table, path), KAN_BAD_INPUT);
        assert_error(run, cases[i].error);
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
    static const char *const wanted[N_FORMATS][3] = {
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
    for (size_t i = 0; i < N_FORMATS; i++) {
        assert_int_equal(formats[i].sink->check(run, &good), KAN_OK);
        assert_int_equal(formats[i].sink->check(run, &sketch), KAN_BAD_INPUT);
        assert_error(run, "at most 2,147,483,647 rows");
        for (size_t j = 0; j < 2; j++)
            assert_error(run, wanted[i][j]);
    }
    kan_run_destroy(run);
}

static void the_bytes_depend_on_no_clock(void **state) {
    static const char *const zones[] = {"UTC", "Asia/Tokyo", "America/New_York"};
    kan_run *run = kan_run_create();
    (void)state;
    for (size_t i = 0; i < N_FORMATS; i++) {
        char *first = NULL;
        size_t n_first = 0;
        for (size_t z = 0; z < 3; z++) {
            size_t n;
            setenv("TZ", zones[z], 1);
            tzset();
            must(run, stat_write(run, formats[i].sink, &people_table, path));
            char *bytes = stat_file_bytes(path, &n);
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

/* ---- damaged files -------------------------------------------------------------------------- */

/* Whatever the bytes: a table, or an error with a text; nothing that is left running. */
static kan_status try_bytes(kan_run *run, const kan_source_kind *kind, const char *bytes,
                            size_t size) {
    kan_source *source;
    kan_table *table;
    stat_put_bytes(path, bytes, size);
    const kan_status status = stat_read(run, kind, path, NULL, false, &source, &table);
    if (status == KAN_OK) {
        kan_table_destroy(table);
        kan_source_close(source);
    } else {
        assert_int_equal(status, KAN_BAD_INPUT);
        assert_true(strlen(kan_run_error(run)) > 10);
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    return status;
}

/* A table of some kilobytes. */
static char *make_file(kan_run *run, const format *f, size_t n_rows, size_t *size) {
    static const kan_field fields[] = {
        {.name = "SEX", .type = KAN_FIELD_NUMBER, .labels = sexes, .n_labels = 3},
        {.name = "N", .type = KAN_FIELD_NUMBER},
        {.name = "TXT", .type = KAN_FIELD_TEXT, .label = "Some text"}};
    const char **cells = calloc(n_rows * 3, sizeof *cells);
    char(*room)[2][24] = calloc(n_rows, sizeof *room);
    uint64_t random = 7;
    for (size_t i = 0; i < n_rows; i++) {
        snprintf(room[i][0], sizeof room[i][0], "%llu.5", (unsigned long long)i);
        snprintf(room[i][1], sizeof room[i][1], "text %llu",
                 (unsigned long long)between(&random, 0, 1000000));
        cells[i * 3] = between(&random, 0, 1) ? "1" : "2";
        cells[i * 3 + 1] = room[i][0];
        cells[i * 3 + 2] = room[i][1];
    }
    const stat_table table = {.n_rows = n_rows, .n_columns = 3, .fields = fields, .cells = cells};
    must(run, stat_write(run, f->sink, &table, path));
    free(cells);
    free(room);
    return stat_file_bytes(path, size);
}

static void what_was_cut_off_is_missed(void **state) {
    kan_run *run = kan_run_create();
    (void)state;
    for (size_t i = 0; i < N_FORMATS; i++) {
        size_t size;
        char *bytes = make_file(run, &formats[i], 600, &size);
        assert_int_equal(try_bytes(run, formats[i].source, bytes, size), KAN_OK);
        for (size_t n = 0; n < size; n += 1024) {
            /* The one format that does not say how many rows it has, cut between two. */
            if (try_bytes(run, formats[i].source, bytes, n) == KAN_OK &&
                formats[i].source != &kan_source_xpt)
                fail_msg("%s of %zu bytes, cut off after %zu, is taken for whole",
                         formats[i].source->kind.name, size, n);
        }
        free(bytes);
    }
    kan_run_destroy(run);
}

/* Labels come last in some formats, behind all rows. Only what fills up the last line may be missing. */
static void a_file_without_its_last_bytes_is_not_whole(void **state) {
    kan_run *run = kan_run_create();
    (void)state;
    for (size_t i = 0; i < N_FORMATS; i++) {
        size_t size;
        char *bytes = make_file(run, &formats[i], 4, &size);
        const size_t last = size > 400 ? size - 400 : 0;
        for (size_t n = size - 1; n > last; n--)
            if (try_bytes(run, formats[i].source, bytes, n) == KAN_OK &&
                !(formats[i].source == &kan_source_por && strchr("Z\r\n", bytes[n])) &&
                formats[i].source != &kan_source_xpt)
                fail_msg("%s of %zu bytes, cut off after %zu, is taken for whole",
                         formats[i].source->kind.name, size, n);
        free(bytes);
    }
    kan_run_destroy(run);
}

/* A file of Stata 10 with a byte, whose values have labels. */
static size_t make_old_dta(char *bytes, size_t room) {
    static const char labels[] = "\2\0\0\0\11\0\0\0\0\0\0\0\5\0\0\0\1\0\0\0\2\0\0\0Male\0Fem";
    const uint16_t n_columns = 1;
    const uint32_t n_rows = 2, label_size = sizeof labels;
    size_t at = 109; /* behind the label of the file and its time */
    memset(bytes, 0, room);
    memcpy(bytes, "\x72\x02\x01", 3);
    memcpy(bytes + 4, &n_columns, 2);
    memcpy(bytes + 6, &n_rows, 4);
    bytes[at] = (char)251; /* a byte */
    bytes[at + 1] = 'q';
    memcpy(bytes + at + 1 + 33 + 4, "%9.0g", 5);
    memcpy(bytes + at + 1 + 33 + 4 + 49, "sex", 3);
    at += 1 + 33 + 4 + 49 + 33 + 81 + 5;
    bytes[at++] = 1;
    bytes[at++] = 2;
    memcpy(bytes + at, &label_size, 4);
    memcpy(bytes + at + 4, "sex", 3);
    memcpy(bytes + at + 40, labels, sizeof labels);
    return at + 40 + sizeof labels;
}

static void an_old_file_of_stata_has_its_labels_or_is_refused(void **state) {
    static const char *const sex[] = {"Male", "Fem"};
    char bytes[1024], note[256] = "";
    const size_t size = make_old_dta(bytes, sizeof bytes), n_labels = 40 + 33;
    kan_run *run = kan_run_create();
    kan_run_on_note(run, keep_note, note);
    kan_source *source;
    kan_table *table;
    (void)state;
    stat_put_bytes(path, bytes, size);
    must(run, stat_read(run, &kan_source_dta, path, NULL, false, &source, &table));
    stat_assert_column(table, 0, sex);
    kan_table_destroy(table);
    kan_source_close(source);
    for (size_t n = 1; n < size; n++) { /* without all of its labels it is a file, too */
        const kan_status status = try_bytes(run, &kan_source_dta, bytes, n);
        if ((status == KAN_OK) != (n == size - n_labels))
            fail_msg("cut off after %zu of %zu bytes: %s", n, size, kan_run_error(run));
    }
    assert_non_null(strstr(note, "names labels 'sex' that the file does not have"));
    kan_run_destroy(run);
}

static void flipped_bytes_end_in_a_table_or_an_error(void **state) {
    const char *said = getenv("KANON_TEST_ROUNDS");
    const int rounds = said ? atoi(said) : 60;
    kan_run *run = kan_run_create();
    uint64_t random = 11;
    (void)state;
    for (size_t i = 0; i < N_FORMATS; i++) {
        size_t size, n_refused = 0;
        char *bytes = make_file(run, &formats[i], 40, &size);
        char *other = malloc(size);
        for (int round = 0; round < rounds; round++) {
            memcpy(other, bytes, size);
            for (uint64_t n = between(&random, 1, 6); n > 0; n--)
                other[between(&random, 0, size - 1)] = (char)between(&random, 0, 255);
            n_refused += try_bytes(run, formats[i].source, other, size) != KAN_OK;
        }
        print_message("%s: %zu of %d refused\n", formats[i].source->kind.name, n_refused, rounds);
        free(other);
        free(bytes);
    }
    kan_run_destroy(run);
}

static void a_wrong_number_of_rows_is_told(void **state) {
    enum { ROWS_AT = 80 };
    kan_run *run = kan_run_create();
    size_t size;
    (void)state;
    for (size_t i = 0; i < 2; i++)
        for (int32_t said = 38; said <= 42; said++) {
            char *bytes = make_file(run, &formats[i], 40, &size);
            memcpy(bytes + ROWS_AT, &said, sizeof said);
            const kan_status status = try_bytes(run, formats[i].source, bytes, size);
            assert_int_equal(status, said == 40 ? KAN_OK : KAN_BAD_INPUT);
            if (said != 40)
                assert_error(run, "rows, and has 40");
            free(bytes);
        }
    char *bytes = make_file(run, &formats[3], 40, &size);
    char *at = memmem(bytes, size, "<N>", 3);
    assert_non_null(at);
    at[3]++;
    assert_int_equal(try_bytes(run, &kan_source_dta, bytes, size), KAN_BAD_INPUT);
    at[3] = (char)(at[3] - 2);
    assert_int_equal(try_bytes(run, &kan_source_dta, bytes, size), KAN_BAD_INPUT);
    free(bytes);
    kan_run_destroy(run);
}

static void files_of_another_kind_are_called_what_they_are(void **state) {
    kan_run *run = kan_run_create();
    size_t size;
    (void)state;
    char *bytes = make_file(run, &formats[3], 4, &size);
    assert_int_equal(try_bytes(run, &kan_source_sav, bytes, size), KAN_BAD_INPUT);
    assert_error(run, "this is a Stata file (.dta); use --format dta");
    assert_int_equal(try_bytes(run, &kan_source_sav, "a,b\n1,2\n", 8), KAN_BAD_INPUT);
    assert_error(run, "not a .sav file");
    free(bytes);
    kan_run_destroy(run);
}

/* Text in UTF-8 by the file's own word, which is not. */
static void text_that_is_not_in_its_encoding_is_found(void **state) {
    kan_run *run = kan_run_create();
    size_t size;
    (void)state;
    char *bytes = make_file(run, &formats[3], 40, &size);
    char *at = memmem(bytes, size, "text ", 5);
    assert_non_null(at);
    *at = '\xfc';
    assert_int_equal(try_bytes(run, &kan_source_dta, bytes, size), KAN_BAD_INPUT);
    assert_error(run, "row 1, column 'TXT'");
    assert_error(run, "--encoding");
    free(bytes);
    kan_run_destroy(run);
}

static void an_interrupt_leaves_no_child(void **state) {
    kan_run *run = kan_run_create();
    kan_source *source;
    kan_table *table;
    size_t size;
    static const bool all[] = {true, true, true};
    (void)state;
    free(make_file(run, &formats[0], 4000, &size));
    const kan_source_options options = {.given = NULL};
    must(run, kan_source_open(run, &kan_source_sav, path, &options, &source));
    kan_run_cancel(run);
    assert_int_equal(kan_source_read(source, all, NULL, &table), KAN_CANCELLED);
    kan_source_close(source);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_codes_and_labels_are_those_of_the_file),
        cmocka_unit_test(columns_that_are_written_again_are_read_as_they_are),
        cmocka_unit_test(labels_or_codes_are_shown_as_it_was_said),
        cmocka_unit_test(a_value_without_a_label_shows_its_code),
        cmocka_unit_test(two_codes_with_the_same_label_stay_two),
        cmocka_unit_test(tagged_missing_values_keep_their_letter),
        cmocka_unit_test(labels_become_codes_again),
        cmocka_unit_test(a_release_has_the_code_book_of_its_values),
        cmocka_unit_test(a_range_of_missing_codes_ends_where_its_values_do),
        cmocka_unit_test(sets_of_labels_that_were_one_get_names_of_their_own),
        cmocka_unit_test(numbers_of_stata_keep_their_size),
        cmocka_unit_test(long_texts_are_kept_whole),
        cmocka_unit_test(what_a_format_cannot_hold_is_refused),
        cmocka_unit_test(names_that_a_format_cannot_hold_are_listed),
        cmocka_unit_test(the_bytes_depend_on_no_clock),
        cmocka_unit_test(what_was_cut_off_is_missed),
        cmocka_unit_test(a_file_without_its_last_bytes_is_not_whole),
        cmocka_unit_test(an_old_file_of_stata_has_its_labels_or_is_refused),
        cmocka_unit_test(flipped_bytes_end_in_a_table_or_an_error),
        cmocka_unit_test(a_wrong_number_of_rows_is_told),
        cmocka_unit_test(files_of_another_kind_are_called_what_they_are),
        cmocka_unit_test(text_that_is_not_in_its_encoding_is_found),
        cmocka_unit_test(an_interrupt_leaves_no_child),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
