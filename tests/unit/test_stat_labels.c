/* io/stat: labels and missing codes of SPSS, Stata and SAS files, made by our own sinks and read again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "stat_formats.h"

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
        stat_must(run, stat_write(run, stat_formats[i].sink, &stat_people, stat_path));
        stat_must(run,
                  stat_read(run, stat_formats[i].source, stat_path, NULL, false, &source, &table));
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
    for (size_t i = 0; i < STAT_FORMATS; i++) {
        stat_must(run, stat_write(run, stat_formats[i].sink, &stat_people, stat_path));
        stat_must(run,
                  stat_read(run, stat_formats[i].source, stat_path, NULL, true, &source, &table));
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
    stat_must(run, stat_write(run, &kan_sink_sav, &stat_people, stat_path));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stat_must(
            run, stat_read(run, &kan_source_sav, stat_path, cases[i].said, false, &source, &table));
        stat_assert_column(table, 0, cases[i].sex);
        stat_assert_column(table, 1, cases[i].age);
        kan_table_destroy(table);
        kan_source_close(source);
    }
    assert_int_equal(stat_read(run, &kan_source_sav, stat_path, "names", false, &source, &table),
                     KAN_BAD_INPUT);
    stat_assert_error(run, "use auto, labels or codes");
    assert_int_equal(
        stat_read(run, &kan_source_sav, stat_path, "SEXE=codes", false, &source, &table),
        KAN_BAD_INPUT);
    stat_assert_error(run, "has no column 'SEXE'");
    kan_run_destroy(run);
}

/* Whether labels are shown does not depend on the rows: that could tell of one that is left out. */
static void a_value_without_a_label_shows_its_code(void **state) {
    static const char *const cells[] = {"1", "3", "2"}, *const shown[] = {"Male", "3", "Female"};
    static const kan_field field = {
        .name = "SEX", .type = KAN_FIELD_NUMBER, .labels = stat_sexes, .n_labels = 3};
    const stat_table table = {.n_rows = 3, .n_columns = 1, .fields = &field, .cells = cells};
    kan_run *run = kan_run_create();
    kan_source *source;
    kan_table *read;
    (void)state;
    stat_must(run, stat_write(run, &kan_sink_dta, &table, stat_path));
    stat_must(run, stat_read(run, &kan_source_dta, stat_path, NULL, false, &source, &read));
    stat_assert_column(read, 0, shown);
    assert_true(kan_source_field(source, 0)->shows_labels);
    kan_table_destroy(read);
    kan_source_close(source);
    kan_run_destroy(run);
}

static void two_codes_with_the_same_label_stay_two(void **state) {
    static const kan_value_label twins[] = {{S("1"), S("Other")}, {S("2"), S("Other")}};
    static const kan_field field = {
        .name = "X", .type = KAN_FIELD_NUMBER, .labels = twins, .n_labels = 2};
    static const char *const cells[] = {"1", "2", "1"};
    const stat_table table = {.n_rows = 3, .n_columns = 1, .fields = &field, .cells = cells};
    kan_run *run = kan_run_create();
    char note[STAT_NOTE] = "";
    kan_source *source;
    kan_table *read;
    (void)state;
    kan_run_on_note(run, stat_keep_note, note);
    stat_must(run, stat_write(run, &kan_sink_sav, &table, stat_path));
    stat_must(run, stat_read(run, &kan_source_sav, stat_path, "labels", false, &source, &read));
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
    for (size_t i = 0; i < STAT_FORMATS; i++) {
        stat_must(run, stat_write(run, stat_formats[i].sink, &table, stat_path));
        stat_must(run,
                  stat_read(run, stat_formats[i].source, stat_path, NULL, true, &source, &read));
        stat_assert_column(read, 0, cells);
        kan_table_destroy(read);
        kan_source_close(source);
        if (i < 3)
            continue;
        stat_must(run, stat_read(run, stat_formats[i].source, stat_path, "labels", false, &source,
                                 &read));
        stat_assert_column(read, 0, stat_formats[i].sink == &kan_sink_dta ? shown : numbers);
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
    for (size_t i = 0; i < 2 * STAT_FORMATS; i++) {
        const stat_format *f = &stat_formats[i / 2];
        const kan_field field = {.name = "X",
                                 .type = KAN_FIELD_NUMBER,
                                 .labels = i % 2 ? broken : whole,
                                 .n_labels = 2,
                                 .shows_labels = true};
        const stat_table table = {
            .n_rows = 5, .n_columns = 1, .fields = &field, .cells = cells, .is_read = true};
        kan_source *source;
        kan_table *read;
        stat_must(run, stat_write(run, f->sink, &table, stat_path));
        stat_must(run, stat_read(run, f->source, stat_path, NULL, false, &source, &read));
        stat_assert_column(read, 0, cells);
        const bool has_codes = f->sink != &kan_sink_xpt && (f->sink != &kan_sink_dta || i % 2 == 0);
        assert_int_equal(kan_source_field(source, 0)->type,
                         has_codes ? KAN_FIELD_NUMBER : KAN_FIELD_TEXT);
        kan_table_destroy(read);
        kan_source_close(source);
    }
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
    };
    return cmocka_run_group_tests(tests, stat_set_up, stat_tear_down);
}
