/* io/stat: damaged files of SPSS, Stata and SAS end in an error that says what is wrong, or in a table. */
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

#include "stat_formats.h"
#include "support/random_problem.h"

/* Whatever the bytes: a table, or an error with a text; nothing that is left running. */
static kan_status try_bytes(kan_run *run, const kan_source_kind *kind, const char *bytes,
                            size_t size) {
    kan_source *source;
    kan_table *table;
    stat_put_bytes(stat_path, bytes, size);
    const kan_status status = stat_read(run, kind, stat_path, NULL, false, &source, &table);
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
static char *make_file(kan_run *run, const stat_format *f, size_t n_rows, size_t *size) {
    static const kan_field fields[] = {
        {.name = "SEX", .type = KAN_FIELD_NUMBER, .labels = stat_sexes, .n_labels = 3},
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
    stat_must(run, stat_write(run, f->sink, &table, stat_path));
    free(cells);
    free(room);
    return stat_file_bytes(stat_path, size);
}

static void what_was_cut_off_is_missed(void **state) {
    kan_run *run = kan_run_create();
    (void)state;
    for (size_t i = 0; i < STAT_FORMATS; i++) {
        size_t size;
        char *bytes = make_file(run, &stat_formats[i], 600, &size);
        assert_int_equal(try_bytes(run, stat_formats[i].source, bytes, size), KAN_OK);
        for (size_t n = 0; n < size; n += 1024) {
            /* The one format that does not say how many rows it has, cut between two. */
            if (try_bytes(run, stat_formats[i].source, bytes, n) == KAN_OK &&
                stat_formats[i].source != &kan_source_xpt)
                fail_msg("%s of %zu bytes, cut off after %zu, is taken for whole",
                         stat_formats[i].source->kind.name, size, n);
        }
        free(bytes);
    }
    kan_run_destroy(run);
}

/* Labels come last in some stat_formats, behind all rows. Only what fills up the last line may be missing. */
static void a_file_without_its_last_bytes_is_not_whole(void **state) {
    kan_run *run = kan_run_create();
    (void)state;
    for (size_t i = 0; i < STAT_FORMATS; i++) {
        size_t size;
        char *bytes = make_file(run, &stat_formats[i], 4, &size);
        const size_t last = size > 400 ? size - 400 : 0;
        for (size_t n = size - 1; n > last; n--)
            if (try_bytes(run, stat_formats[i].source, bytes, n) == KAN_OK &&
                !(stat_formats[i].source == &kan_source_por && strchr("Z\r\n", bytes[n])) &&
                stat_formats[i].source != &kan_source_xpt)
                fail_msg("%s of %zu bytes, cut off after %zu, is taken for whole",
                         stat_formats[i].source->kind.name, size, n);
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
    kan_run_on_note(run, stat_keep_note, note);
    kan_source *source;
    kan_table *table;
    (void)state;
    stat_put_bytes(stat_path, bytes, size);
    stat_must(run, stat_read(run, &kan_source_dta, stat_path, NULL, false, &source, &table));
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
    for (size_t i = 0; i < STAT_FORMATS; i++) {
        size_t size, n_refused = 0;
        char *bytes = make_file(run, &stat_formats[i], 40, &size);
        char *other = malloc(size);
        for (int round = 0; round < rounds; round++) {
            memcpy(other, bytes, size);
            for (uint64_t n = between(&random, 1, 6); n > 0; n--)
                other[between(&random, 0, size - 1)] = (char)between(&random, 0, 255);
            n_refused += try_bytes(run, stat_formats[i].source, other, size) != KAN_OK;
        }
        print_message("%s: %zu of %d refused\n", stat_formats[i].source->kind.name, n_refused,
                      rounds);
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
            char *bytes = make_file(run, &stat_formats[i], 40, &size);
            memcpy(bytes + ROWS_AT, &said, sizeof said);
            const kan_status status = try_bytes(run, stat_formats[i].source, bytes, size);
            assert_int_equal(status, said == 40 ? KAN_OK : KAN_BAD_INPUT);
            if (said != 40)
                stat_assert_error(run, "rows, and has 40");
            free(bytes);
        }
    char *bytes = make_file(run, &stat_formats[3], 40, &size);
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
    char *bytes = make_file(run, &stat_formats[3], 4, &size);
    assert_int_equal(try_bytes(run, &kan_source_sav, bytes, size), KAN_BAD_INPUT);
    stat_assert_error(run, "this is a Stata file (.dta); use --format dta");
    assert_int_equal(try_bytes(run, &kan_source_sav, "a,b\n1,2\n", 8), KAN_BAD_INPUT);
    stat_assert_error(run, "not a .sav file");
    free(bytes);
    kan_run_destroy(run);
}

/* Text in UTF-8 by the file's own word, which is not. */
static void text_that_is_not_in_its_encoding_is_found(void **state) {
    kan_run *run = kan_run_create();
    size_t size;
    (void)state;
    char *bytes = make_file(run, &stat_formats[3], 40, &size);
    char *at = memmem(bytes, size, "text ", 5);
    assert_non_null(at);
    *at = '\xfc';
    assert_int_equal(try_bytes(run, &kan_source_dta, bytes, size), KAN_BAD_INPUT);
    stat_assert_error(run, "row 1, column 'TXT'");
    stat_assert_error(run, "--encoding");
    free(bytes);
    kan_run_destroy(run);
}

/* Who knows better than the file says so. */
static void text_is_read_in_the_encoding_that_its_user_names(void **state) {
    static const bool all[] = {true, true, true};
    static const struct {
        const char *encoding, *error;
    } cases[] = {{NULL, "--encoding"}, {"windows-1252", NULL}, {"no-such-one", "its encoding is"}};
    kan_run *run = kan_run_create();
    size_t size;
    (void)state;
    char *bytes = make_file(run, &stat_formats[0], 1, &size);
    char *at = memmem(bytes, size, "text ", 5);
    assert_non_null(at);
    memcpy(at, "t\xfcxt ", 5);
    stat_put_bytes(stat_path, bytes, size);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const kan_source_options options = {.encoding = cases[i].encoding};
        kan_source *source = NULL;
        kan_table *table = NULL;
        kan_status status = kan_source_open(run, &kan_source_sav, stat_path, &options, &source);
        if (status == KAN_OK)
            status = kan_source_read(source, all, NULL, &table);
        assert_int_equal(status, cases[i].error ? KAN_BAD_INPUT : KAN_OK);
        if (cases[i].error)
            stat_assert_error(run, cases[i].error);
        else
            assert_memory_equal(kan_column_value(&table->columns[2], 0).bytes, "t\xc3\xbcxt ", 6);
        kan_table_destroy(table);
        if (source)
            kan_source_close(source);
    }
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
    free(make_file(run, &stat_formats[0], 4000, &size));
    const kan_source_options options = {.given = NULL};
    stat_must(run, kan_source_open(run, &kan_source_sav, stat_path, &options, &source));
    kan_run_cancel(run);
    assert_int_equal(kan_source_read(source, all, NULL, &table), KAN_CANCELLED);
    kan_source_close(source);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_cut_off_is_missed),
        cmocka_unit_test(a_file_without_its_last_bytes_is_not_whole),
        cmocka_unit_test(an_old_file_of_stata_has_its_labels_or_is_refused),
        cmocka_unit_test(flipped_bytes_end_in_a_table_or_an_error),
        cmocka_unit_test(a_wrong_number_of_rows_is_told),
        cmocka_unit_test(files_of_another_kind_are_called_what_they_are),
        cmocka_unit_test(text_that_is_not_in_its_encoding_is_found),
        cmocka_unit_test(text_is_read_in_the_encoding_that_its_user_names),
        cmocka_unit_test(an_interrupt_leaves_no_child),
    };
    return cmocka_run_group_tests(tests, stat_set_up, stat_tear_down);
}
