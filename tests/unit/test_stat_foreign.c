/* io/stat: files that our own sinks do not write. Those of SAS itself (.sas7bdat), written by libreadstat, and those of
 * Stata before 8, put together here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <readstat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/run.h"
#include "io/beside.h"
#include "stat_formats.h"

/* ---- SAS ------------------------------------------------------------------------------------ */

static ssize_t write_bytes(const void *bytes, size_t size, void *context) {
    return fwrite(bytes, 1, size, context) == size ? (ssize_t)size : -1;
}

static void taken(readstat_error_t error) {
    if (error != READSTAT_OK)
        fail_msg("libreadstat: %s", readstat_error_message(error));
}

/* A number that may be missing in three ways, a date and a text. */
static void write_sas(size_t n_rows) {
    readstat_writer_t *writer = readstat_writer_init();
    FILE *file = fopen(stat_path, "wb");
    assert_non_null(writer);
    assert_non_null(file);
    taken(readstat_set_data_writer(writer, write_bytes));
    readstat_writer_set_file_timestamp(writer, 1000000000);
    readstat_variable_t *age = readstat_add_variable(writer, "age", READSTAT_TYPE_DOUBLE, 8);
    readstat_variable_t *born = readstat_add_variable(writer, "born", READSTAT_TYPE_DOUBLE, 8);
    readstat_variable_t *ill = readstat_add_variable(writer, "ill", READSTAT_TYPE_STRING, 8);
    readstat_variable_set_format(born, "DATE9.");
    taken(readstat_begin_writing_sas7bdat(writer, file, (long)n_rows));
    for (size_t i = 0; i < n_rows; i++) {
        taken(readstat_begin_row(writer));
        if (i % 4 == 1)
            taken(readstat_insert_missing_value(writer, age));
        else if (i % 4 == 2)
            taken(readstat_insert_tagged_missing_value(writer, age, 'R'));
        else
            taken(readstat_insert_double_value(writer, age, i % 4 == 0 ? 34.5 : -0.0));
        taken(readstat_insert_double_value(writer, born, (double)(i % 4)));
        taken(readstat_insert_string_value(writer, ill, i % 4 == 3 ? "" : "flu"));
        taken(readstat_end_row(writer));
    }
    taken(readstat_end_writing(writer));
    readstat_writer_free(writer);
    assert_int_equal(fclose(file), 0);
}

static void a_table_of_sas_is_read(void **state) {
    static const char *const ages[] = {"34.5", "", "", "0"};
    static const char *const exact_ages[] = {"34.5", "", ".r", "0"};
    static const char *const births[] = {"1960-01-01", "1960-01-02", "1960-01-03", "1960-01-04"};
    static const char *const ills[] = {"flu", "flu", "flu", ""};
    kan_run *run = kan_run_create();
    kan_source *source;
    kan_table *table;
    (void)state;
    write_sas(4);
    for (int as_is = 0; as_is < 2; as_is++) {
        stat_must(run,
                  stat_read(run, &kan_source_sas7bdat, stat_path, NULL, as_is, &source, &table));
        assert_int_equal(table->n_rows, 4);
        stat_assert_column(table, 0, as_is ? exact_ages : ages);
        stat_assert_column(table, 1, births);
        stat_assert_column(table, 2, ills);
        assert_int_equal(kan_source_field(source, 1)->type, KAN_FIELD_DATE);
        kan_table_destroy(table);
        kan_source_close(source);
    }
    kan_run_destroy(run);
}

/* Who opens the file tells them apart, and kanon counts them as one. */
static void missing_codes_of_sas_that_are_read_as_one_are_found(void **state) {
    static const bool all[] = {true, true, true};
    bool is_apart[3] = {false, false, false};
    kan_run *run = kan_run_create();
    kan_source *source;
    kan_table *table;
    (void)state;
    write_sas(4);
    stat_must(run, stat_read(run, &kan_source_sas7bdat, stat_path, NULL, false, &source, &table));
    stat_must(run, source->kind->find_apart(source->state, all, is_apart));
    assert_true(is_apart[0]);
    assert_false(is_apart[1]);
    assert_false(is_apart[2]);
    kan_table_destroy(table);
    kan_source_close(source);
    kan_run_destroy(run);
}

/* Nobody here looks into its pages, so that nobody can say that they hold the table alone. */
static void a_file_of_sas_is_never_taken_for_the_table_alone(void **state) {
    kan_run *run = kan_run_create();
    kan_source *source;
    kan_table *table;
    kan_beside beside;
    (void)state;
    write_sas(4);
    kan_beside_init(&beside, run);
    stat_must(run, stat_read(run, &kan_source_sas7bdat, stat_path, NULL, false, &source, &table));
    stat_must(run, source->kind->find_beside(source->state, true, &beside));
    assert_int_equal(beside.n, 1);
    assert_string_equal(beside.texts[0].what, "pages of a .sas7bdat file");
    kan_beside_destroy(&beside);
    kan_table_destroy(table);
    kan_source_close(source);
    kan_run_destroy(run);
}

static void a_file_of_sas_that_was_cut_off_is_refused(void **state) {
    kan_run *run = kan_run_create();
    kan_source *source;
    kan_table *table;
    size_t size;
    (void)state;
    write_sas(9000);
    char *bytes = stat_file_bytes(stat_path, &size);
    for (size_t n = 0; n < size; n += 8192 - 7) {
        stat_put_bytes(stat_path, bytes, n);
        const kan_status status =
            stat_read(run, &kan_source_sas7bdat, stat_path, NULL, false, &source, &table);
        if (status != KAN_BAD_INPUT)
            fail_msg("cut off after %zu of %zu bytes: %d", n, size, (int)status);
    }
    free(bytes);
    kan_run_destroy(run);
}

/* ---- old Stata ------------------------------------------------------------------------------ */

enum { OLD_COLUMNS = 6, OLD_ROW = 1 + 2 + 4 + 4 + 8 + 3 };

/* A file of Stata 6 with a column of each type, two rows, and a note. */
static size_t make_old_dta(char *bytes, size_t room) {
    enum { VERSION = 108, HEAD = 10 + 81 + 18, NAME = 9, FORMAT = 12, LABEL = 81 };
    static const char *const names[OLD_COLUMNS] = {"b", "i", "l", "f", "d", "s"};
    static const char *const formats[OLD_COLUMNS] = {"%8.0g", "%8.0g",  "%12.0g",
                                                     "%9.0g", "%10.0g", "%9s"};
    const char types[] = {'b', 'i', 'l', 'f', 'd', (char)(127 + 3)};
    const uint16_t n_columns = OLD_COLUMNS, note_size = 2 * NAME + 6;
    const uint32_t n_rows = 2;
    size_t at = HEAD;
    memset(bytes, 0, room);
    bytes[0] = VERSION;
    bytes[1] = 2; /* the lowest byte first */
    bytes[2] = 1;
    memcpy(bytes + 4, &n_columns, 2);
    memcpy(bytes + 6, &n_rows, 4);
    memcpy(bytes + at, types, OLD_COLUMNS);
    at += OLD_COLUMNS;
    for (size_t i = 0; i < OLD_COLUMNS; i++)
        memcpy(bytes + at + i * NAME, names[i], strlen(names[i]));
    at += OLD_COLUMNS * NAME + 2 * (OLD_COLUMNS + 1);
    for (size_t i = 0; i < OLD_COLUMNS; i++)
        memcpy(bytes + at + i * FORMAT, formats[i], strlen(formats[i]));
    at += OLD_COLUMNS * (FORMAT + NAME + LABEL);
    bytes[at] = 1; /* a characteristic */
    memcpy(bytes + at + 1, &note_size, 2);
    memcpy(bytes + at + 3, "_dta", 4);
    memcpy(bytes + at + 3 + NAME, "note1", 5);
    memcpy(bytes + at + 3 + 2 * NAME, "hush!", 5);
    at += 3 + (size_t)note_size + 3;
    for (int8_t row = 1; row <= 2; row++) {
        const int16_t small = (int16_t)(row * 300);
        const int32_t large = row * 70000;
        const float narrow = (float)row / 4;
        const double wide = row / 8.0;
        bytes[at] = (char)row;
        memcpy(bytes + at + 1, &small, 2);
        memcpy(bytes + at + 3, &large, 4);
        memcpy(bytes + at + 7, &narrow, 4);
        memcpy(bytes + at + 11, &wide, 8);
        memcpy(bytes + at + 19, row == 1 ? "abc" : "d", row == 1 ? 3 : 1);
        at += OLD_ROW;
    }
    return at;
}

static void a_file_of_stata_6_is_read_whole_or_refused(void **state) {
    static const char *const cells[OLD_COLUMNS][2] = {{"1", "2"},          {"300", "600"},
                                                      {"70000", "140000"}, {"0.25", "0.5"},
                                                      {"0.125", "0.25"},   {"abc", "d"}};
    char bytes[2048];
    const size_t size = make_old_dta(bytes, sizeof bytes);
    kan_run *run = kan_run_create();
    kan_source *source;
    kan_table *table;
    (void)state;
    stat_put_bytes(stat_path, bytes, size);
    stat_must(run, stat_read(run, &kan_source_dta, stat_path, NULL, false, &source, &table));
    assert_int_equal(table->n_rows, 2);
    for (size_t i = 0; i < OLD_COLUMNS; i++)
        stat_assert_column(table, i, cells[i]);
    kan_table_destroy(table);
    kan_source_close(source);
    for (size_t n = 1; n < size; n += n + 60 < size ? 13 : 1) {
        stat_put_bytes(stat_path, bytes, n);
        if (stat_read(run, &kan_source_dta, stat_path, NULL, false, &source, &table) !=
            KAN_BAD_INPUT)
            fail_msg("cut off after %zu of %zu bytes it is taken for whole", n, size);
    }
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_of_sas_is_read),
        cmocka_unit_test(missing_codes_of_sas_that_are_read_as_one_are_found),
        cmocka_unit_test(a_file_of_sas_is_never_taken_for_the_table_alone),
        cmocka_unit_test(a_file_of_sas_that_was_cut_off_is_refused),
        cmocka_unit_test(a_file_of_stata_6_is_read_whole_or_refused),
    };
    return cmocka_run_group_tests(tests, stat_set_up, stat_tear_down);
}
