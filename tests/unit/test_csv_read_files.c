/* Reading files of CSV, plain and packed, whole and record by record; files that are no such, and
 * reading that is stopped. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "unit/csv_reading.h"

/* ---- files ---------------------------------------------------------------------------------- */

static kan_status read_file(kan_run *run, const char *path, kan_table **out) {
    kan_csv_source *source;
    KAN_TRY(kan_csv_open(run, path, 0, &source));
    kan_status status = kan_csv_read(source, csv_all, out);
    kan_csv_close(source);
    return status;
}

static void files_of_whole_pages_can_be_read_to_their_end(void **state) {
    char path[] = "/tmp/kanon-test-XXXXXX";
    size_t size = 3 * 4096;
    char *text = malloc(size);
    kan_table *table;
    int file = mkstemp(path);
    assert_true(file >= 0);
    for (size_t i = 0; i < size; i++)
        text[i] = "1,2\n"[i % 4];
    memcpy(text, "a,b\n", 4);
    text[size - 1] = '7'; /* the last byte of the mapping belongs to a value */
    csv_write_file(path, text, size);
    assert_int_equal(read_file(*state, path, &table), KAN_OK);
    assert_int_equal(table->n_rows, size / 4 - 1);
    csv_assert_cell(table, table->n_rows - 1, 1, "27");
    kan_table_destroy(table);
    (void)close(file);
    (void)unlink(path);
    free(text);
}

/* Far more values than any cache holds a table of: short and long ones, with and without quotes. */
static void columns_of_very_many_values_are_read(void **state) {
    enum { ROWS = 150000, ROOM = 64 };
    char expected[ROOM];
    for (int quotes = 0; quotes < 2; quotes++) {
        kan_table *table;
        char *text = malloc((size_t)ROWS * ROOM);
        size_t size = (size_t)sprintf(text, "a,b\n");
        for (unsigned i = 0; i < ROWS; i++)
            size += (size_t)sprintf(
                text + size, quotes && i == ROWS / 2 ? "\"%u%s\",%u\n" : "%u%s,%u\n", i % 120000,
                i % 3 ? "" : " of the same beginning and end", i % 7);
        assert_int_equal(csv_read_bytes(*state, text, size, 0, (kan_csv_tuning){0}, &table),
                         KAN_OK);
        assert_int_equal(table->n_rows, ROWS);
        assert_int_equal(table->columns[0].dictionary.n, 120000);
        for (unsigned i = 0; i < ROWS; i++) {
            sprintf(expected, "%u%s", i % 120000, i % 3 ? "" : " of the same beginning and end");
            csv_assert_cell(table, i, 0, expected);
        }
        kan_table_destroy(table);
        free(text);
    }
}

/* A mapped file would end the program here. */
static void a_file_that_is_cut_short_while_it_is_read_is_an_error(void **state) {
    enum { ROWS = 100000 };
    kan_csv_source *source;
    kan_table *table = NULL;
    char *text = malloc(ROWS * 4 + 4);
    for (size_t i = 0; i <= ROWS; i++)
        memcpy(text + 4 * i, i ? "1,2\n" : "a,b\n", 4);
    for (off_t left = 0; left < 4 * ROWS; left += 4 * ROWS / 3) {
        csv_write_file("t.csv", text, 4 * ROWS + 4);
        assert_int_equal(kan_csv_open(*state, "t.csv", 0, &source), KAN_OK);
        assert_int_equal(truncate("t.csv", left), 0);
        assert_int_equal(kan_csv_read(source, csv_all, &table), KAN_FAILED);
        assert_string_equal(kan_run_error(*state), "t.csv: the file was changed while it was read; "
                                                   "try again when nothing writes to it");
        kan_csv_close(source);
    }
    free(text);
}

/* Its header is far longer than what is looked at first, and so are the blanks at its end. */
static void long_headers_and_long_ends_of_files_are_read(void **state) {
    enum { COLUMNS = 90000, BLANKS = 300000 };
    kan_text text;
    kan_csv_source *source;
    bool *none = calloc(COLUMNS, 1);
    kan_table *table;
    kan_text_init(&text, *state);
    for (int i = 0; i < COLUMNS; i++)
        kan_text_print(&text, "%scolumn %d", i ? "," : "", i);
    for (int i = 0; i < COLUMNS; i++)
        kan_text_print(&text, "%s%d", i ? "," : "\n", i);
    for (int i = 0; i < BLANKS; i++)
        kan_text_print(&text, i % 3 ? "\n" : "\r\n");
    csv_write_file("t.csv", text.bytes, text.size);
    assert_int_equal(kan_csv_open(*state, "t.csv", 0, &source), KAN_OK);
    assert_int_equal(kan_csv_n_columns(source), COLUMNS);
    none[COLUMNS - 1] = true;
    assert_int_equal(kan_csv_read(source, none, &table), KAN_OK);
    assert_int_equal(table->n_rows, 1);
    csv_assert_cell(table, 0, COLUMNS - 1, "89999");
    kan_table_destroy(table);
    kan_csv_close(source);
    kan_text_destroy(&text);
    free(none);
}

static void missing_files_and_folders_are_named(void **state) {
    kan_csv_source *source = NULL;
    assert_int_equal(kan_csv_open(*state, "/tmp/no/such.csv", 0, &source), KAN_BAD_INPUT);
    assert_non_null(
        strstr(kan_run_error(*state), "/tmp/no/such.csv: cannot be read: No such file"));
    assert_int_equal(kan_csv_open(*state, "/tmp", 0, &source), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "/tmp: this is a directory"));
    assert_null(source);
}

static size_t gzip(const char *text, size_t size, char *out, size_t room) {
    z_stream zlib = {0};
    assert_int_equal(deflateInit2(&zlib, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    zlib.next_in = (Bytef *)(uintptr_t)text;
    zlib.avail_in = (uInt)size;
    zlib.next_out = (Bytef *)out;
    zlib.avail_out = (uInt)room;
    assert_int_equal(deflate(&zlib, Z_FINISH), Z_STREAM_END);
    size_t packed = zlib.total_out;
    deflateEnd(&zlib);
    return packed;
}

static kan_status read_packed(kan_run *run, const char *bytes, size_t size, kan_table **out) {
    return csv_read_bytes(run, bytes, size, 0, (kan_csv_tuning){0, false}, out);
}

static void gzip_files_of_several_members_are_read(void **state) {
    char packed[4096];
    kan_table *table = NULL;
    size_t first = gzip("a,b\n1,", 6, packed, sizeof packed);
    size_t size = first + gzip("2\n3,4\n", 6, packed + first, sizeof packed - first);
    assert_int_equal(read_packed(*state, packed, size, &table), KAN_OK);
    assert_int_equal(table->n_rows, 2);
    csv_assert_cell(table, 0, 1, "2");
    kan_table_destroy(table);
    memset(packed + size, 0, 512); /* as tapes pad */
    assert_int_equal(read_packed(*state, packed, size + 512, &table), KAN_OK);
    kan_table_destroy(table);
    for (size_t cut = 3; cut < size; cut++)
        if (cut != first)
            assert_int_equal(read_packed(*state, packed, cut, &table), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "ends too early"));
    packed[size] = 'x';
    assert_int_equal(read_packed(*state, packed, size + 1, &table), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "corrupt"));
    packed[first / 2] ^= 0x55;
    assert_int_equal(read_packed(*state, packed, size, &table), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "corrupt"));
}

static void zstd_files_of_several_frames_are_read(void **state) {
    char packed[4096];
    kan_table *table = NULL;
    size_t first = ZSTD_compress(packed, sizeof packed, "a,b\n1,", 6, 3);
    size_t size = first + ZSTD_compress(packed + first, sizeof packed - first, "2\n3,4\n", 6, 3);
    assert_int_equal(read_packed(*state, packed, size, &table), KAN_OK);
    assert_int_equal(table->n_rows, 2);
    kan_table_destroy(table);
    for (size_t cut = 5; cut < size; cut++)
        if (cut != first)
            assert_int_equal(read_packed(*state, packed, cut, &table), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "ends too early"));
}

static void a_cancelled_run_stops_reading(void **state) {
    kan_table *table = NULL;
    kan_csv_source *source;
    assert_int_equal(kan_csv_open_bytes(*state, "t.csv", "a\n1\n", 4, 0, &source), KAN_OK);
    kan_run_cancel(*state);
    assert_int_equal(kan_csv_read(source, csv_all, &table), KAN_CANCELLED);
    assert_null(table);
    kan_csv_close(source);
}

static void a_small_budget_is_an_error_and_not_a_crash(void **state) {
    size_t size = 0, room = 300000;
    char *text = malloc(room);
    size += (size_t)sprintf(text, "a,b\n");
    for (unsigned i = 0; size + 40 < room; i++)
        size += (size_t)sprintf(text + size, "%u,%u\n", i, i * 7);
    for (uint64_t budget = 310000; budget < 4000000; budget += budget / 10) {
        kan_table *table = NULL;
        kan_run_set_memory(*state, budget);
        kan_status status =
            csv_read_bytes(*state, text, size, 0, (kan_csv_tuning){20000, false}, &table);
        if (status == KAN_OK)
            kan_table_destroy(table);
        else
            assert_int_equal(status, KAN_FAILED);
    }
    free(text);
}

/* ---- record by record ----------------------------------------------------------------------- */

static kan_status note_record(void *context, uint64_t line, const kan_slice *fields,
                              size_t n_fields) {
    char *out = context;
    sprintf(out + strlen(out), "%d:", (int)line);
    for (size_t i = 0; i < n_fields; i++)
        sprintf(out + strlen(out), "[%.*s]", (int)fields[i].size, fields[i].bytes);
    return n_fields == 9 ? KAN_UNSATISFIED : KAN_OK;
}

static void records_come_one_by_one_with_their_lines(void **state) {
    char path[] = "/tmp/kanon-test-XXXXXX", out[1024] = "";
    int file = mkstemp(path);
    static const char text[] = "\xef\xbb\xbf"
                               "1;\"a\nb\"\n\n2;\"x\"\"y\";\"p\"\"q\"\r\n3;w\"\n4;r\rs\n5";
    assert_true(file >= 0);
    csv_write_file(path, text, sizeof text - 1);
    kan_problems_begin(*state);
    assert_int_equal(kan_csv_records(*state, path, ';', note_record, out), KAN_OK);
    assert_string_equal(out, "1:[1][a\nb]3:[]4:[2][x\"y][p\"q]7:[5]");
    assert_int_equal(kan_problems_count(*state), 2);
    assert_int_equal(kan_problems_end(*state), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), ":5: a quote inside"));
    assert_non_null(strstr(kan_run_error(*state), ":6: a carriage return"));
    csv_write_file(path, "1;2;3;4;5;6;7;8;9\nx\n", 20);
    out[0] = '\0';
    assert_int_equal(kan_csv_records(*state, path, ';', note_record, out), KAN_UNSATISFIED);
    assert_string_equal(out, "1:[1][2][3][4][5][6][7][8][9]");
    (void)close(file);
    (void)unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CLAIM(files_of_whole_pages_can_be_read_to_their_end),
        CLAIM(columns_of_very_many_values_are_read),
        CLAIM(a_file_that_is_cut_short_while_it_is_read_is_an_error),
        CLAIM(long_headers_and_long_ends_of_files_are_read),
        CLAIM(missing_files_and_folders_are_named),
        CLAIM(gzip_files_of_several_members_are_read),
        CLAIM(zstd_files_of_several_frames_are_read),
        CLAIM(a_cancelled_run_stops_reading),
        CLAIM(a_small_budget_is_an_error_and_not_a_crash),
        CLAIM(records_come_one_by_one_with_their_lines),
    };
    return cmocka_run_group_tests(tests, csv_make_home, csv_remove_home);
}
