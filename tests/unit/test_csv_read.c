/* Reading CSV: what is well formed, what is named when it is not, and that neither blocks nor
 * threads nor the scanner show in the result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "core/hash.h"
#include "io/csv/csv_source.h"

static int set_up(void **state) {
    *state = kan_run_create();
    return *state == NULL;
}

static int tear_down(void **state) {
    kan_run_destroy(*state);
    return 0;
}

static char home[] = "/tmp/kanon-csv-read-XXXXXX";

static int make_home(void **state) {
    (void)state;
    return mkdtemp(home) && chdir(home) == 0 ? 0 : -1;
}

static int remove_home(void **state) {
    (void)state;
    return unlink("t.csv") == 0 && chdir("/") == 0 ? rmdir(home) : -1;
}

/* ---- helpers -------------------------------------------------------------------------------- */

static void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static const bool all[64] = {true, true, true, true, true, true,
                             true, true, true, true, true, true};

static kan_status read_bytes(kan_run *run, const char *text, size_t size, char separator,
                             kan_csv_tuning tuning, kan_table **out) {
    kan_csv_source *source;
    KAN_TRY(kan_csv_open_bytes(run, "t.csv", text, size, separator, &source));
    kan_status status = kan_csv_read_tuned(source, all, tuning, out);
    kan_csv_close(source);
    return status;
}

static kan_status read_text(kan_run *run, const char *text, kan_table **out) {
    return read_bytes(run, text, strlen(text), 0, (kan_csv_tuning){0, false}, out);
}

static void assert_cell(const kan_table *table, uint64_t row, size_t column, const char *expected) {
    kan_slice value = kan_column_value(&table->columns[column], row);
    if (!kan_slice_is(value, expected))
        fail_msg("row %d, column %d: '%.*s' instead of '%s'", (int)row, (int)column,
                 (int)value.size, value.bytes, expected);
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
        assert_cell(table, cell / n_columns, cell % n_columns, value);
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
    assert_cell(table, 1, 1, "5");
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
                   "t.csv:2: a carriage return that ends no line; put the field in quotes, or save "
                   "the file with LF or CRLF line ends\nt.csv:3: 1 field");
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
    assert_refused(run, "a,b\n", "t.csv: a header and no row");
    assert_refused(run, "a,b", "t.csv: a header and no row");
    assert_refused(run, "a,b\n\n\n", "t.csv: a header and no row");
    assert_refused(run, "a,b,a\n1,2,3\n", "t.csv:1: columns 1 and 3 are both named 'a'");
    assert_refused(run, "a,,\n1,2,3\n",
                   "t.csv:1: column 2 has no name; give it one\nt.csv:1: column 3 has no name");
    assert_refused(run,
                   "\xff\xfe"
                   "a,b",
                   "the file ends within a character");
    assert_int_equal(read_bytes(run, "a,b\n1,2\n3,\0\n", 12, 0, (kan_csv_tuning){0, 0}, &table),
                     KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(run), "t.csv:3: a NUL byte"));
    assert_int_equal(read_bytes(run, "a,b\n1,2\n", 8, '"', (kan_csv_tuning){0, 0}, &table),
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
    assert_int_equal(read_bytes(*state, text, size, 0, (kan_csv_tuning){0, 0}, &table),
                     KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "t.csv:125001: a NUL byte"));
    free(text);
}

/* KANON_TEST_ROUNDS asks for fewer rounds where they are slow, as under a sanitizer. */
static int n_rounds(int normal) {
    const char *text = getenv("KANON_TEST_ROUNDS");
    const long asked = text ? strtol(text, NULL, 10) : 1000;
    return asked > 0 && asked < 1000 ? (int)(normal * asked / 1000) + 1 : normal;
}

/* Where hardly any round is wanted, as under the thread sanitizer, what is large is left out: it
 * takes half a minute there, and one thread. */
static void skip_where_very_slow(void) {
    if (n_rounds(100) == 1)
        skip();
}

static void csv_refuses_endless_lines(void **state) {
    skip_where_very_slow();
    size_t size = 100 << 20;
    char *text = malloc(size);
    kan_table *table = NULL;
    memset(text, 'x', size);
    assert_int_equal(read_bytes(*state, text, size, 0, (kan_csv_tuning){0, 0}, &table),
                     KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "t.csv:1: a record of more than 64 MiB"));
    memcpy(text, "a\n1\n", 4);
    assert_int_equal(read_bytes(*state, text, size, 0, (kan_csv_tuning){0, 0}, &table),
                     KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "t.csv:3: a record of more than 64 MiB"));
    memcpy(text, "a\n1\n\"", 5);
    text[size - 1] = '"';
    assert_int_equal(read_bytes(*state, text, size, 0, (kan_csv_tuning){0, 0}, &table),
                     KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), "t.csv:3: a record of more than 64 MiB"));
    memset(text, ',', size);
    text[0] = 'a';
    assert_int_equal(read_bytes(*state, text, 1 << 20, 0, (kan_csv_tuning){0, 0}, &table),
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
        kan_status status = read_bytes(*state, text, size, 0, (kan_csv_tuning){0, 0}, &table);
        assert_int_equal(status, over ? KAN_BAD_INPUT : KAN_OK);
        if (!over)
            assert_int_equal(kan_column_value(&table->columns[0], 1).size, record);
        kan_table_destroy(table);
        free(text);
    }
}

/* ---- against a naive reader ----------------------------------------------------------------- */

typedef struct {
    size_t n_rows;
    size_t first_fault_line; /* 0: none */
    char *cells[4096];       /* values, row by row */
    size_t n_cells;
} naive_table;

static size_t line_at(const char *text, size_t at) {
    size_t line = 1;
    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    return line;
}

static void naive_add(naive_table *table, const char *value, size_t size) {
    char *copy = malloc(size + 1);
    memcpy(copy, value, size);
    copy[size] = '\0';
    table->cells[table->n_cells++] = copy;
}

static void naive_free(naive_table *table) {
    for (size_t i = 0; i < table->n_cells; i++)
        free(table->cells[i]);
    table->n_cells = 0;
}

static bool naive_ends_line(const char *text, size_t size, size_t at) {
    return at == size || text[at] == '\n' ||
           (text[at] == '\r' && at + 1 < size && text[at + 1] == '\n');
}

/* One record; returns where the next begins, or 0 after a fault of quoting. */
static size_t naive_record(naive_table *table, const char *text, size_t size, size_t at,
                           size_t n_columns) {
    size_t record = at, n_fields = 0, first_cell = table->n_cells, lone = SIZE_MAX;
    char value[4096];
    for (;;) {
        size_t n = 0, opened = at;
        if (at < size && text[at] == '"') {
            for (at++;; at++) {
                if (at == size) {
                    table->first_fault_line = line_at(text, opened);
                    return 0;
                }
                if (text[at] == '"' && (at + 1 == size || text[at + 1] != '"'))
                    break;
                at += text[at] == '"';
                value[n++] = text[at];
            }
            at++;
            while (!naive_ends_line(text, size, at) && text[at] == '\r') {
                lone = lone < at ? lone : at;
                at++;
            }
            if (!naive_ends_line(text, size, at) && text[at] != ',') {
                table->first_fault_line = line_at(text, at);
                return 0;
            }
        } else {
            for (; !naive_ends_line(text, size, at) && text[at] != ','; at++) {
                if (text[at] == '"') {
                    table->first_fault_line = line_at(text, at);
                    return 0;
                }
                if (text[at] == '\r')
                    lone = lone < at ? lone : at;
                value[n++] = text[at];
            }
        }
        naive_add(table, value, n);
        n_fields++;
        if (naive_ends_line(text, size, at))
            break;
        at++;
    }
    if (lone != SIZE_MAX)
        table->first_fault_line = line_at(text, lone);
    else if (n_fields != n_columns)
        table->first_fault_line = line_at(text, record);
    table->n_rows++;
    (void)first_cell;
    return at == size ? size : at + 1 + (text[at] == '\r');
}

/* Reads the rows behind a header line that is plain. */
static void naive_read(naive_table *table, const char *text, size_t size, size_t n_columns) {
    size_t at = (size_t)(strchr(text, '\n') - text) + 1, header = at;
    *table = (naive_table){0};
    while (n_columns > 1 && size > header && text[size - 1] == '\n') {
        size--;
        size -= size > header && text[size - 1] == '\r';
    }
    while (at < size && table->first_fault_line == 0) {
        at = naive_record(table, text, size, at, n_columns);
        if (at == 0)
            break;
    }
}

static kan_status read_from_file(kan_run *run, const char *text, size_t size, char separator,
                                 kan_csv_tuning tuning, kan_table **out) {
    kan_csv_source *source;
    write_file("t.csv", text, size);
    KAN_TRY(kan_csv_open(run, "t.csv", separator, &source));
    kan_status status = kan_csv_read_tuned(source, all, tuning, out);
    kan_csv_close(source);
    return status;
}

/* With blocks of one size from a file, which is read in windows. */
static void assert_same_as_naive(kan_run *run, const char *text, size_t size, size_t n_columns,
                                 const naive_table *naive, kan_csv_tuning tuning, char *error) {
    kan_table *table = NULL;
    const bool from_file = tuning.block_bytes == 7 && tuning.is_portable;
    kan_status status =
        (from_file ? read_from_file : read_bytes)(run, text, size, ',', tuning, &table);
    bool is_fine = naive->first_fault_line == 0 && naive->n_rows > 0;
    if ((status == KAN_OK) != is_fine)
        fail_msg("block %zu: %s for:\n%s", tuning.block_bytes, kan_run_error(run), text);
    if (!is_fine) {
        assert_int_equal(status, KAN_BAD_INPUT);
        if (naive->first_fault_line) {
            char place[32];
            snprintf(place, sizeof place, "t.csv:%zu: ", naive->first_fault_line);
            if (strncmp(kan_run_error(run), place, strlen(place)) != 0)
                fail_msg("'%s' instead of %s for:\n%s", kan_run_error(run), place, text);
        }
        if (!*error)
            strcpy(error, kan_run_error(run));
        assert_string_equal(error, kan_run_error(run));
        return;
    }
    assert_int_equal(table->n_rows, naive->n_rows);
    for (size_t i = 0; i < naive->n_cells; i++)
        assert_cell(table, i / n_columns, i % n_columns, naive->cells[i]);
    kan_table_destroy(table);
}

/* The same bytes with 1, 2 and 3 threads, blocks from 1 byte on, and both scanners. */
static void compare_all_ways(kan_run *run, const char *text, size_t size, size_t n_columns) {
    static const size_t blocks[] = {1, 7, 16, 33, 64, 100, 0};
    static naive_table naive;
    char error[8192] = "";
    naive_read(&naive, text, size, n_columns);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        kan_run_set_threads(run, 1 + (unsigned)i % 3);
        assert_same_as_naive(run, text, size, n_columns, &naive,
                             (kan_csv_tuning){blocks[i], i % 2 == 0}, error);
        assert_same_as_naive(run, text, size, n_columns, &naive,
                             (kan_csv_tuning){blocks[i], i % 2 != 0}, error);
    }
    naive_free(&naive);
}

static void csv_reads_random_bytes_as_a_naive_reader_does(void **state) {
    uint64_t random = 3;
    for (int round = 0; round < n_rounds(2000); round++) {
        char text[600];
        size_t n_columns = 1 + kan_random_below(&random, 3);
        size_t size = (size_t)sprintf(text, "%s",
                                      &"a\n\0a,b\n\0a,b,c\n"[n_columns == 1   ? 0
                                                             : n_columns == 2 ? 3
                                                                              : 8]);
        /* Few quotes and carriage returns in some rounds, many in others. */
        uint64_t odd = kan_random_below(&random, 8);
        size_t end = size + kan_random_below(&random, 500);
        for (; size < end; size++)
            text[size] = kan_random_below(&random, 8) < odd
                             ? "\",\n\"\r\n"[kan_random_below(&random, 6)]
                             : "xyz,,\n"[kan_random_below(&random, 6)];
        text[size] = '\0';
        compare_all_ways(*state, text, size, n_columns);
    }
}

/* Appends a value, quoted when it must be and at times when it need not. */
static size_t render_value(uint64_t *random, char *out, const char *value, bool is_alone) {
    bool must = strpbrk(value, ",\"\r\n") || (is_alone && !*value);
    if (!must && kan_random_below(random, 3))
        return (size_t)sprintf(out, "%s", value);
    char *at = out;
    *at++ = '"';
    for (; *value; value++) {
        *at++ = *value;
        if (*value == '"')
            *at++ = '"';
    }
    *at++ = '"';
    *at = '\0';
    return (size_t)(at - out);
}

static void csv_reads_random_tables_in_any_rendering(void **state) {
    uint64_t random = 17;
    for (int round = 0; round < n_rounds(1500); round++) {
        static char text[20000];
        size_t n_columns = 1 + kan_random_below(&random, 5), n_rows = kan_random_below(&random, 40);
        bool is_crlf = kan_random_below(&random, 2);
        size_t size = 0;
        for (size_t i = 0; i < n_columns; i++)
            size += (size_t)sprintf(text + size, "c%zu%s", i, i + 1 < n_columns ? "," : "\n");
        for (size_t row = 0; row < n_rows; row++) {
            for (size_t i = 0; i < n_columns; i++) {
                char value[40] = "";
                size_t n = kan_random_below(&random, kan_random_below(&random, 3) ? 6 : 39);
                for (size_t c = 0; c < n; c++)
                    value[c] = "abcdefgh 0123,\"\r\n"[kan_random_below(
                        &random, kan_random_below(&random, 4) ? 13 : 17)];
                size += render_value(&random, text + size, value, n_columns == 1);
                if (i + 1 < n_columns)
                    text[size++] = ',';
            }
            if (row + 1 < n_rows || kan_random_below(&random, 2)) {
                if (is_crlf)
                    text[size++] = '\r';
                text[size++] = '\n';
            }
        }
        text[size] = '\0';
        naive_table naive;
        naive_read(&naive, text, size, n_columns);
        assert_int_equal(naive.first_fault_line, 0); /* the test's own renderer and reader agree */
        assert_int_equal(naive.n_rows, n_rows);
        naive_free(&naive);
        compare_all_ways(*state, text, size, n_columns);
    }
}

/* More than a batch of rows and more than a block, ragged lines in between. */
static void csv_names_ragged_lines_among_many_rows(void **state) {
    uint64_t random = 23;
    for (int round = 0; round < n_rounds(20); round++) {
        size_t size = 0, room = 400000, line = 1;
        char *text = malloc(room), expected[64] = "";
        kan_table *table = NULL;
        size += (size_t)sprintf(text, "a,b,c\n");
        while (size + 100 < room) {
            line++;
            bool is_ragged = kan_random_below(&random, 3000) == 0;
            size += (size_t)sprintf(text + size, is_ragged ? "%u,x\n" : "%u,x,y%u\n",
                                    (unsigned)kan_random_below(&random, 5000), (unsigned)line);
            if (is_ragged && !*expected)
                sprintf(expected, "t.csv:%zu: 2 fields", line);
        }
        char first[8192] = "";
        for (unsigned threads = 1; threads <= 3; threads++) {
            kan_run_set_threads(*state, threads);
            kan_status status =
                read_bytes(*state, text, size, 0, (kan_csv_tuning){threads * 10000, false}, &table);
            assert_int_equal(status, *expected ? KAN_BAD_INPUT : KAN_OK);
            if (*expected) {
                assert_non_null(strstr(kan_run_error(*state), expected));
                if (!*first)
                    strcpy(first, kan_run_error(*state));
                assert_string_equal(kan_run_error(*state), first);
            } else {
                assert_int_equal(table->n_rows, line - 1);
                kan_table_destroy(table);
            }
        }
        free(text);
    }
}

static void codes_do_not_depend_on_threads(void **state) {
    uint64_t random = 29;
    size_t size = 0, room = 1000000;
    char *text = malloc(room);
    kan_table *tables[3];
    size += (size_t)sprintf(text, "a,b,c\n");
    while (size + 100 < room)
        size += (size_t)sprintf(
            text + size, "%u,v%u,\"%u\"\n", (unsigned)kan_random_below(&random, 200),
            (unsigned)kan_random_below(&random, 5000), (unsigned)kan_random_below(&random, 100000));
    for (unsigned i = 0; i < 3; i++) {
        kan_run_set_threads(*state, i + 1);
        assert_int_equal(
            read_bytes(*state, text, size, 0, (kan_csv_tuning){30000, i == 1}, &tables[i]), KAN_OK);
    }
    for (unsigned i = 1; i < 3; i++)
        for (size_t c = 0; c < 3; c++) {
            const kan_column *a = &tables[0]->columns[c], *b = &tables[i]->columns[c];
            assert_int_equal(a->width, b->width);
            assert_int_equal(a->dictionary.n, b->dictionary.n);
            assert_int_equal(a->dictionary.type, b->dictionary.type);
            assert_memory_equal(a->dictionary.start, b->dictionary.start,
                                (a->dictionary.n + 1) * sizeof(uint64_t));
            assert_memory_equal(a->dictionary.bytes, b->dictionary.bytes,
                                a->dictionary.start[a->dictionary.n]);
            assert_memory_equal(a->codes, b->codes, tables[0]->n_rows * a->width);
        }
    for (unsigned i = 0; i < 3; i++)
        kan_table_destroy(tables[i]);
    free(text);
}

/* ---- files ---------------------------------------------------------------------------------- */

static kan_status read_file(kan_run *run, const char *path, kan_table **out) {
    kan_csv_source *source;
    KAN_TRY(kan_csv_open(run, path, 0, &source));
    kan_status status = kan_csv_read(source, all, out);
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
    write_file(path, text, size);
    assert_int_equal(read_file(*state, path, &table), KAN_OK);
    assert_int_equal(table->n_rows, size / 4 - 1);
    assert_cell(table, table->n_rows - 1, 1, "27");
    kan_table_destroy(table);
    (void)close(file);
    (void)unlink(path);
    free(text);
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
        write_file("t.csv", text, 4 * ROWS + 4);
        assert_int_equal(kan_csv_open(*state, "t.csv", 0, &source), KAN_OK);
        assert_int_equal(truncate("t.csv", left), 0);
        assert_int_equal(kan_csv_read(source, all, &table), KAN_FAILED);
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
    write_file("t.csv", text.bytes, text.size);
    assert_int_equal(kan_csv_open(*state, "t.csv", 0, &source), KAN_OK);
    assert_int_equal(kan_csv_n_columns(source), COLUMNS);
    none[COLUMNS - 1] = true;
    assert_int_equal(kan_csv_read(source, none, &table), KAN_OK);
    assert_int_equal(table->n_rows, 1);
    assert_cell(table, 0, COLUMNS - 1, "89999");
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
    return read_bytes(run, bytes, size, 0, (kan_csv_tuning){0, false}, out);
}

static void gzip_files_of_several_members_are_read(void **state) {
    char packed[4096];
    kan_table *table = NULL;
    size_t first = gzip("a,b\n1,", 6, packed, sizeof packed);
    size_t size = first + gzip("2\n3,4\n", 6, packed + first, sizeof packed - first);
    assert_int_equal(read_packed(*state, packed, size, &table), KAN_OK);
    assert_int_equal(table->n_rows, 2);
    assert_cell(table, 0, 1, "2");
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
    assert_int_equal(kan_csv_read(source, all, &table), KAN_CANCELLED);
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
            read_bytes(*state, text, size, 0, (kan_csv_tuning){20000, false}, &table);
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
    write_file(path, text, sizeof text - 1);
    kan_problems_begin(*state);
    assert_int_equal(kan_csv_records(*state, path, ';', note_record, out), KAN_OK);
    assert_string_equal(out, "1:[1][a\nb]3:[]4:[2][x\"y][p\"q]7:[5]");
    assert_int_equal(kan_problems_count(*state), 2);
    assert_int_equal(kan_problems_end(*state), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(*state), ":5: a quote inside"));
    assert_non_null(strstr(kan_run_error(*state), ":6: a carriage return"));
    write_file(path, "1;2;3;4;5;6;7;8;9\nx\n", 20);
    out[0] = '\0';
    assert_int_equal(kan_csv_records(*state, path, ';', note_record, out), KAN_UNSATISFIED);
    assert_string_equal(out, "1:[1][2][3][4][5][6][7][8][9]");
    (void)close(file);
    (void)unlink(path);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

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
        CLAIM(csv_reads_random_bytes_as_a_naive_reader_does),
        CLAIM(csv_reads_random_tables_in_any_rendering),
        CLAIM(csv_names_ragged_lines_among_many_rows),
        CLAIM(codes_do_not_depend_on_threads),
        CLAIM(files_of_whole_pages_can_be_read_to_their_end),
        CLAIM(a_file_that_is_cut_short_while_it_is_read_is_an_error),
        CLAIM(long_headers_and_long_ends_of_files_are_read),
        CLAIM(missing_files_and_folders_are_named),
        CLAIM(gzip_files_of_several_members_are_read),
        CLAIM(zstd_files_of_several_frames_are_read),
        CLAIM(a_cancelled_run_stops_reading),
        CLAIM(a_small_budget_is_an_error_and_not_a_crash),
        CLAIM(records_come_one_by_one_with_their_lines),
    };
    return cmocka_run_group_tests(tests, make_home, remove_home);
}
