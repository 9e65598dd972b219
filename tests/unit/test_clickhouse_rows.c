/* RowBinary, both ways: rows in pieces of any size, and what does not fit its column. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "engine/clickhouse/http.h"

enum { N_COLUMNS = 4 };

static const kan_click_type types[N_COLUMNS] = {
    {0}, {.is_nullable = true}, {.integer = 4}, {.integer = 8, .is_signed = true}};

/* Rows that are taken, as one text. */
static kan_status take(void *context, const kan_slice *values) {
    kan_text *seen = context;
    for (size_t i = 0; i < N_COLUMNS; i++) {
        kan_text_print(seen, values[i].bytes ? "<%zu:" : "<NULL", values[i].size);
        if (values[i].bytes)
            kan_text_add(seen, values[i].bytes, values[i].size);
        kan_text_add(seen, ">", 1);
    }
    return kan_text_status(seen);
}

static void rows_come_back_however_they_are_cut(void **state) {
    kan_run *run = *state;
    char longer[1000];
    memset(longer, 'x', sizeof longer);
    const kan_slice rows[][N_COLUMNS] = {
        {{"a\0b", 3}, {NULL, 0}, {"0", 1}, {"-9223372036854775808", 20}},
        {{"", 0}, {"", 0}, {"4294967295", 10}, {"9223372036854775807", 19}},
        {{longer, 128}, {longer, 127}, {"7", 1}, {"-1", 2}},
        {{longer, 1000}, {"Zoë", 4}, {"65536", 5}, {"0", 1}},
    };
    kan_text sent, expected;
    kan_text_init(&sent, run);
    kan_text_init(&expected, run);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(kan_click_row_write(&sent, N_COLUMNS, types, rows[i]), KAN_OK);
        assert_int_equal(take(&expected, rows[i]), KAN_OK);
    }
    for (size_t piece = 1; piece <= sent.size; piece += piece < 40 ? 1 : 97) {
        kan_text seen;
        kan_text_init(&seen, run);
        kan_click_reader reader;
        const kan_row_taker taker = {take, &seen};
        assert_int_equal(
            kan_click_reader_init(
                &reader, run,
                &(kan_click_request){.n_columns = N_COLUMNS, .types = types, .taker = &taker}),
            KAN_OK);
        for (size_t at = 0; at < sent.size; at += piece) {
            const size_t size = sent.size - at < piece ? sent.size - at : piece;
            assert_int_equal(kan_click_reader_add(&reader, sent.bytes + at, size), KAN_OK);
            assert_true(kan_click_reader_is_done(&reader) || at + size < sent.size);
        }
        assert_true(kan_click_reader_is_done(&reader));
        assert_int_equal(seen.size, expected.size);
        assert_int_equal(memcmp(seen.bytes, expected.bytes, seen.size), 0);
        /* Cut off anywhere within the last row, it is not done. */
        assert_int_equal(kan_click_reader_add(&reader, sent.bytes, 3), KAN_OK);
        assert_false(kan_click_reader_is_done(&reader));
        kan_click_reader_destroy(&reader);
        kan_text_destroy(&seen);
    }
    kan_text_destroy(&sent);
    kan_text_destroy(&expected);
}

static void what_does_not_fit_its_column_is_refused(void **state) {
    kan_run *run = *state;
    const kan_slice rows[][N_COLUMNS] = {
        {{NULL, 0}, {"", 0}, {"0", 1}, {"0", 1}},
        {{"", 0}, {"", 0}, {"4294967296", 10}, {"0", 1}},
        {{"", 0}, {"", 0}, {"-1", 2}, {"0", 1}},
        {{"", 0}, {"", 0}, {"", 0}, {"0", 1}},
        {{"", 0}, {"", 0}, {"1x", 2}, {"0", 1}},
        {{"", 0}, {"", 0}, {"1", 1}, {"9223372036854775808", 19}},
        {{"", 0}, {"", 0}, {"1", 1}, {"-9223372036854775809", 20}},
        {{"", 0}, {"", 0}, {"1", 1}, {"99999999999999999999", 20}},
        {{"", 0}, {"", 0}, {"1", 1}, {NULL, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kan_text sent;
        kan_text_init(&sent, run);
        assert_int_equal(kan_click_row_write(&sent, N_COLUMNS, types, rows[i]), KAN_FAILED);
        kan_text_destroy(&sent);
    }
}

static void types_are_read_as_the_server_writes_them(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool is_known;
        kan_click_type type;
    } tries[] = {
        {"String", true, {0}},
        {"Nullable(String)", true, {.is_nullable = true}},
        {"LowCardinality(String)", true, {0}},
        {"LowCardinality(Nullable(String))", true, {.is_nullable = true}},
        {"UInt8", true, {.integer = 1}},
        {"Nullable(Int64)", true, {.is_nullable = true, .integer = 8, .is_signed = true}},
        {"FixedString(5)", false, {0}},
        {"Array(String)", false, {0}},
        {"Nullable(Float64)", false, {0}},
        {"Int128", false, {0}},
        {"Nullable(", false, {0}},
        {"", false, {0}},
    };
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        kan_click_type type;
        assert_int_equal(kan_click_type_read(kan_slice_of(tries[i].name), &type),
                         tries[i].is_known);
        if (!tries[i].is_known)
            continue;
        assert_int_equal(type.is_nullable, tries[i].type.is_nullable);
        assert_int_equal(type.integer, tries[i].type.integer);
        assert_int_equal(type.is_signed, tries[i].type.is_signed);
    }
}

static void errors_have_words_and_no_values(void **state) {
    kan_run *run = *state;
    kan_click_server server = {.run = run, .name = "h:1"};
    static const struct {
        const char *answer;
        long http;
        kan_status status;
        const char *has, *lacks;
    } tries[] = {
        {"Code: 60, e.displayText() = DB::Exception: Table a.b doesn't exist., e.what() = "
         "DB::Exception\n",
         404, KAN_BAD_INPUT, "says: Table a.b doesn't exist;", "e.what"},
        {"Code: 60. DB::Exception: Table a.b does not exist. (UNKNOWN_TABLE) (version 24.8.1)\n",
         404, KAN_BAD_INPUT, "says: Table a.b does not exist. (UNKNOWN_TABLE);", "version"},
        {"Code: 62, e.displayText() = DB::Exception: Syntax error: failed at position 3: 'Ann "
         "Miller', e.what() = DB::Exception",
         500, KAN_FAILED, "does not understand", "Miller"},
        {"Code: 6. DB::Exception: Cannot parse string 'Ann Miller' as UInt8: syntax error at begin "
         "of string. (CANNOT_PARSE_TEXT)",
         500, KAN_FAILED, "a value does not fit", "Miller"},
        {"Code: 279, e.displayText() = DB::NetException: All connection tries failed. Log: \n\n"
         "Code: 210, .. ",
         500, KAN_FAILED, "a shard could not be reached; nothing was counted", "Log: \n"},
        {"<html>\x1b[31m", 403, KAN_FAILED, "is this ClickHouse's HTTP interface?", "\x1b"},
        {"", 502, KAN_FAILED, "says: nothing", "(null)"},
    };
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        assert_int_equal(
            kan_click_fail(&server, "count", tries[i].http, kan_slice_of(tries[i].answer)),
            tries[i].status);
        if (!strstr(kan_run_error(run), tries[i].has))
            fail_msg("%s", kan_run_error(run));
        assert_null(strstr(kan_run_error(run), tries[i].lacks));
    }
}

static int begin(void **state) {
    *state = kan_run_create();
    return *state ? 0 : -1;
}

static int end(void **state) {
    kan_run_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_come_back_however_they_are_cut, begin, end),
        cmocka_unit_test_setup_teardown(what_does_not_fit_its_column_is_refused, begin, end),
        cmocka_unit_test(types_are_read_as_the_server_writes_them),
        cmocka_unit_test_setup_teardown(errors_have_words_and_no_values, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
