/* Reading CSV against a naive reader: neither blocks nor threads nor the scanner show in the
 * result. */
#include <stdio.h>
#include <stdlib.h>

#include "core/hash.h"
#include "unit/csv_reading.h"

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
    csv_write_file("t.csv", text, size);
    KAN_TRY(kan_csv_open(run, "t.csv", separator, &source));
    kan_status status = kan_csv_read_tuned(source, csv_all, tuning, out);
    kan_csv_close(source);
    return status;
}

/* With blocks of one size from a file, which is read in windows. */
static void assert_same_as_naive(kan_run *run, const char *text, size_t size, size_t n_columns,
                                 const naive_table *naive, kan_csv_tuning tuning, char *error) {
    kan_table *table = NULL;
    const bool from_file = tuning.block_bytes == 7 && tuning.is_portable;
    kan_status status =
        (from_file ? read_from_file : csv_read_bytes)(run, text, size, ',', tuning, &table);
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
        csv_assert_cell(table, i / n_columns, i % n_columns, naive->cells[i]);
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
    for (int round = 0; round < csv_rounds(2000); round++) {
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
    for (int round = 0; round < csv_rounds(1500); round++) {
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
    for (int round = 0; round < csv_rounds(20); round++) {
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
            kan_status status = csv_read_bytes(*state, text, size, 0,
                                               (kan_csv_tuning){threads * 10000, false}, &table);
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
            csv_read_bytes(*state, text, size, 0, (kan_csv_tuning){30000, i == 1}, &tables[i]),
            KAN_OK);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        CLAIM(csv_reads_random_bytes_as_a_naive_reader_does),
        CLAIM(csv_reads_random_tables_in_any_rendering),
        CLAIM(csv_names_ragged_lines_among_many_rows),
        CLAIM(codes_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, csv_make_home, csv_remove_home);
}
