/* Reading CSV: what is well formed, and what is named when it is not. */
#include <stdio.h>
#include <stdlib.h>

#include "unit/csv_reading.h"

static kan_status read_text(kan_run *run, const char *text, kan_table **out) {
    return csv_read_bytes(run, text, strlen(text), 0, (kan_csv_tuning){0, false}, out);
}

/* Rows are given as values one after the other, NULL at the end. */
static void assert_reads(kan_run *run, const char *text, size_t n_columns, ...) {
    kan_table *table;
    if (read_text(run, text, &table) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    assert_int_equal(table->n_columns, n_columns);
    va_list values;
    va_start(values, n_columns);
    uint64_t cell = 0;
    for (const char *value; (value = va_arg(values, const char *)); cell++) {
        assert_true(cell / n_columns < table->n_rows);
        csv_assert_cell(table, cell / n_columns, cell % n_columns, value);
    }
    va_end(values);
    assert_int_equal(table->n_rows * n_columns, cell);
    kan_table_destroy(table);
}

static void assert_refused(kan_run *run, const char *text, const char *message) {
    kan_table *table = NULL;
    assert_int_equal(read_text(run, text, &table), KAN_BAD_INPUT);
    assert_null(table);
    if (!strstr(kan_run_error(run), message))
        fail_msg("'%s' lacks '%s'", kan_run_error(run), message);
}

/* ---- what is well formed -------------------------------------------------------------------- */

static void csv_reads_plain_rows(void **state) {
    assert_reads(*state, "a,b\n1,x\n2,y\n", 2, "1", "x", "2", "y", NULL);
}

static void csv_reads_without_a_final_line_break(void **state) {
    assert_reads(*state, "a,b\n1,x\n2,y", 2, "1", "x", "2", "y", NULL);
    assert_reads(*state, "a,b\n1,", 2, "1", "", NULL);
    assert_reads(*state, "a\n1", 1, "1", NULL);
}

static void csv_reads_crlf_and_mixed_line_ends(void **state) {
    assert_reads(*state, "a,b\r\n1,x\r\n2,y\n3,\r\n", 2, "1", "x", "2", "y", "3", "", NULL);
    assert_reads(*state, "a\r\n1\r\n\r\n2", 1, "1", "", "2", NULL);
}

static void csv_reads_a_quoted_line_break(void **state) {
    assert_reads(*state, "a,b\n\"1\n2\",\"x\r\ny\"\n", 2, "1\n2", "x\r\ny", NULL);
}

static void csv_reads_quoted_separators_and_doubled_quotes(void **state) {
    assert_reads(*state, "a,b\n\"1,2\",\"say \"\"hi\"\"\"\n\"\",\"\"\"\"\n", 2, "1,2", "say \"hi\"",
                 "", "\"", NULL);
}

static void csv_skips_a_byte_order_mark(void **state) {
    kan_csv_source *source;
    static const char text[] = "\xef\xbb\xbf\"a\",b\n1,2\n";
    assert_int_equal(kan_csv_open_bytes(*state, "t.csv", text, sizeof text - 1, 0, &source),
                     KAN_OK);
    assert_string_equal(kan_csv_column_name(source, 0), "a");
    kan_csv_close(source);
}

static void csv_keeps_bytes_that_are_not_utf8(void **state) {
    assert_reads(*state, "a,b\n\xff\xfe\x80,\xc3\n", 2, "\xff\xfe\x80", "\xc3", NULL);
}

static void csv_keeps_blanks(void **state) {
    assert_reads(*state, "a,b\n 1 ,\t\n", 2, " 1 ", "\t", NULL);
}

static void csv_takes_blank_lines_as_values_of_one_column_only(void **state) {
    assert_reads(*state, "a\n\n1\n\n", 1, "", "1", "", NULL);
    assert_reads(*state, "a,b\n1,2\n\n\r\n\n", 2, "1", "2", NULL);
    assert_refused(*state, "a,b\n\n1,2\n", "t.csv:2: 1 field, the header has 2");
}

static void csv_detects_the_separator(void **state) {
    static const struct {
        const char *text;
        char separator;
    } cases[] = {{"a,b\n1,2\n", ','},
                 {"a;b\n1,5;2\n", ';'},
                 {"a\tb\n1\t2\n", '\t'},
                 {"a|b|c\n1|2|3\n", '|'},
                 {"a\n1\n", ','},
                 {"\"x;y\",b\n1,2\n", ','},
                 {"a,x;b,y\n1;2\n3;4\n", ';'},
                 {"last, first;age\nRoe, J.;3\nDoe;4\nPoe;5\n", ';'}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kan_csv_source *source;
        assert_int_equal(
            kan_csv_open_bytes(*state, "t.csv", cases[i].text, strlen(cases[i].text), 0, &source),
            KAN_OK);
        assert_int_equal(kan_csv_separator(source), cases[i].separator);
        kan_csv_close(source);
    }
}

static void csv_leaves_columns_that_are_not_wanted_alone(void **state) {
    static const char text[] = "a,b,c\n1,2,3\n4,5,6\n";
    static const bool second[] = {false, true, false}, none[] = {false, false, false};
    kan_csv_source *source;
    kan_table *table;
    assert_int_equal(kan_csv_open_bytes(*state, "t.csv", text, sizeof text - 1, 0, &source),
                     KAN_OK);
    assert_int_equal(kan_csv_read(source, second, &table), KAN_OK);
    assert_false(table->columns[0].is_encoded);
    assert_true(table->columns[1].is_encoded);
    csv_assert_cell(table, 1, 1, "5");
    kan_table_destroy(table);
    assert_int_equal(kan_csv_read(source, none, &table), KAN_OK);
    assert_int_equal(table->n_rows, 2);
    kan_table_destroy(table);
    kan_csv_close(source);
}

/* ---- what is not ---------------------------------------------------------------------------- */

static void csv_names_ragged_lines(void **state) {
    assert_refused(*state, "a,b\n1,2\n1,2,3\n\"x\ny\",1\n7\n",
                   "t.csv:3: 3 fields, the header has 2; is a comma unquoted?\n"
                   "t.csv:6: 1 field, the header has 2; is a field missing, or the line broken?");
}

static void csv_names_quoting_faults_and_nothing_behind_them(void **state) {
    assert_refused(*state, "a,b\n1,x\"y\n1\n", "t.csv:2: a quote inside a field");
    assert_null(strstr(kan_run_error(*state), "t.csv:3"));
    assert_refused(*state, "a,b\n1,2,3\n1,\"x\ny\" z\n",
                   "t.csv:2: 3 fields, the header has 2; is a comma unquoted?\n"
                   "t.csv:4: text after a closing quote (opened on line 3)");
    assert_refused(*state, "a,b\n1,2\n3,\"4\n5,6\n", "t.csv:3: a quote is opened and never closed");
    assert_refused(*state, "a,b\n1,2\n\"\n", "t.csv:3: a quote is opened and never closed");
    assert_refused(*state, "a,\"b\n1,2\n", "t.csv:1: a quote is opened and never closed");
}

static void csv_names_a_lone_carriage_return(void **state) {
    assert_refused(*state, "a,b\n1,x\ry\n1\n",
                   "t.csv:2: a carriage return that does not end a line; put the field in quotes, "
                   "or save the file with LF or CRLF line endings\nt.csv:3: 1 field");
    assert_refused(*state, "a,b\r1,2\r", "t.csv:1: a carriage return");
    assert_refused(*state, "a,b\n1,2\r", "t.csv:2: a carriage return");
    assert_refused(*state, "a,b\n1,\"2\"\r\r\n", "t.csv:2: a carriage return");
    assert_refused(*state, "a,b\n1\r,\"2", "t.csv:2: a quote is opened and never closed");
}

static void csv_tells_twenty_problems_and_counts_the_rest(void **state) {
    char text[4096] = "a,b\n";
    for (int i = 0; i < 100; i++)
        strcat(text, "1\n");
    assert_refused(*state, text, "t.csv:21: 1 field");
    assert_null(strstr(kan_run_error(*state), "t.csv:22:"));
    assert_non_null(strstr(kan_run_error(*state), "and 80 more"));
}

static void csv_refuses_files_that_are_no_table(void **state) {
    kan_table *table = NULL;
    kan_run *run = *state;
    assert_refused(run, "", "t.csv: the file is empty");
    assert_refused(run, "\xef\xbb\xbf", "t.csv: the file is empty");
    assert_refused(run, "a,b\n", "t.csv: a header but no rows");
    assert_refused(run, "a,b", "t.csv: a header but no rows");
    assert_refused(run, "a,b\n\n\n", "t.csv: a header but no rows");
    assert_refused(run, "a,b,a\n1,2,3\n", "t.csv:1: columns 1 and 3 are both named 'a'");
    assert_refused(run, "a,,\n1,2,3\n",
                   "t.csv:1: column 2 has no name; give it one\nt.csv:1: column 3 has no name");
    assert_refused(run,
                   "\xff\xfe"
                   "a,b",
                   "the file ends within a character");
    assert_int_equal(csv_read_bytes(run, "a,b\n1,2\n3,\0\n", 12, 0, (kan_csv_tuning){0, 0}, &table),
                     KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(run), "t.csv:3: a NUL byte"));
    assert_int_equal(csv_read_bytes(run, "a,b\n1,2\n", 8, '"', (kan_csv_tuning){0, 0}, &table),
                     KAN_BAD_INPUT);
    assert_null(table);
}

static void csv_finds_a_nul_byte_far_behind_the_header(void **state) {
    size_t size = 600000;
    char *text = malloc(size);
    kan_table *table = NULL;
    for (size_t i = 0; i < size; i++)
        text[i] = "1,2\n"[i % 4];
    memcpy(text, "a,b\n", 4);
    text[500001] = '\0';
    assert_int_equal(csv_read_bytes(*state, text, size, 0, (kan_csv_tuning){0, 0}, &table),
                     KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "t.csv:125001: a NUL byte"));
    free(text);
}

/* Where hardly any round is wanted, as under the thread sanitizer, what is large is left out: it
 * takes half a minute there, and one thread. */
static void skip_where_very_slow(void) {
    if (csv_rounds(100) == 1)
        skip();
}

static void csv_refuses_endless_lines(void **state) {
    skip_where_very_slow();
    size_t size = 100 << 20;
    char *text = malloc(size);
    kan_table *table = NULL;
    memset(text, 'x', size);
    assert_int_equal(csv_read_bytes(*state, text, size, 0, (kan_csv_tuning){0, 0}, &table),
                     KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "t.csv:1: a record of more than 64 MiB"));
    memcpy(text, "a\n1\n", 4);
    assert_int_equal(csv_read_bytes(*state, text, size, 0, (kan_csv_tuning){0, 0}, &table),
                     KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "t.csv:3: a record of more than 64 MiB"));
    memcpy(text, "a\n1\n\"", 5);
    text[size - 1] = '"';
    assert_int_equal(csv_read_bytes(*state, text, size, 0, (kan_csv_tuning){0, 0}, &table),
                     KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "t.csv:3: a record of more than 64 MiB"));
    memset(text, ',', size);
    text[0] = 'a';
    assert_int_equal(csv_read_bytes(*state, text, 1 << 20, 0, (kan_csv_tuning){0, 0}, &table),
                     KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "column 2 has no name"));
    free(text);
}

/* The limit is exact, wherever a chunk or block happens to end. */
static void csv_accepts_a_record_of_just_the_limit(void **state) {
    skip_where_very_slow();
    for (int over = 0; over < 2; over++) {
        size_t record = KAN_RECORD_LIMIT + (size_t)over, size = 4 + record + 1;
        char *text = malloc(size);
        kan_table *table = NULL;
        memset(text, 'x', size);
        memcpy(text, "a\n1\n", 4);
        text[size - 1] = '\n';
        kan_status status = csv_read_bytes(*state, text, size, 0, (kan_csv_tuning){0, 0}, &table);
        assert_int_equal(status, over ? KAN_BAD_INPUT : KAN_OK);
        if (!over)
            assert_int_equal(kan_column_value(&table->columns[0], 1).size, record);
        kan_table_destroy(table);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CLAIM(csv_reads_plain_rows),
        CLAIM(csv_reads_without_a_final_line_break),
        CLAIM(csv_reads_crlf_and_mixed_line_ends),
        CLAIM(csv_reads_a_quoted_line_break),
        CLAIM(csv_reads_quoted_separators_and_doubled_quotes),
        CLAIM(csv_skips_a_byte_order_mark),
        CLAIM(csv_keeps_bytes_that_are_not_utf8),
        CLAIM(csv_keeps_blanks),
        CLAIM(csv_takes_blank_lines_as_values_of_one_column_only),
        CLAIM(csv_detects_the_separator),
        CLAIM(csv_leaves_columns_that_are_not_wanted_alone),
        CLAIM(csv_names_ragged_lines),
        CLAIM(csv_names_quoting_faults_and_nothing_behind_them),
        CLAIM(csv_names_a_lone_carriage_return),
        CLAIM(csv_tells_twenty_problems_and_counts_the_rest),
        CLAIM(csv_refuses_files_that_are_no_table),
        CLAIM(csv_finds_a_nul_byte_far_behind_the_header),
        CLAIM(csv_refuses_endless_lines),
        CLAIM(csv_accepts_a_record_of_just_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
