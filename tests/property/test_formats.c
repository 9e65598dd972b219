/* Every format of the registry that releases can be written in: a table that is written and read
 * again is the same, and rows that are left out leave no trace in the file.
 *
 * A format that cannot hold a table may refuse it, with a text; it must hold the plain ones. One
 * whose library is missing says so, and is skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/encoder.h"
#include "io/sink.h"
#include "job/registry/registry.h"
#include "support/random_problem.h"

enum { MOST_COLUMNS = 6, MOST_ROWS = 40, TABLES = 120, TEXT = 400 };

typedef struct {
    size_t n_rows, n_columns;
    char cells[MOST_ROWS][MOST_COLUMNS][TEXT];
    kan_field fields[MOST_COLUMNS];
    bool is_typed, as_is[MOST_COLUMNS];
} scene;

static const char *const names[MOST_COLUMNS] = {"AGE", "BORN", "C3", "D4", "E5", "F6"};

static uint64_t below(uint64_t *random, uint64_t n) {
    return between(random, 0, n - 1);
}

/* ---- values --------------------------------------------------------------------------------- */

static const char *const nasty[] = {"",
                                    "0",
                                    "-0",
                                    "007",
                                    "1e5",
                                    "1.50",
                                    "=1+1",
                                    "+49 30 1",
                                    "-5x",
                                    "@sum",
                                    "12345678901234567890",
                                    "0.1",
                                    "NA",
                                    "nan",
                                    "inf",
                                    "true",
                                    "2001-02-29",
                                    "1980-03-14",
                                    "1-2",
                                    "a,b;c|d",
                                    "say \"hi\"",
                                    "it's",
                                    "Zoë Müller",
                                    "日本",
                                    "two  blanks",
                                    "_x000D_",
                                    "http://x.org/?a=1",
                                    "*",
                                    ".a",
                                    "C:\\x"};

static void plain_value(uint64_t *random, kan_field_type type, char *out) {
    const uint32_t x = (uint32_t)below(random, 100000);
    switch (type) {
    case KAN_FIELD_NUMBER: {
        static const double units[] = {1, 10, 0.001, 1e9, 1e-9};
        const double number = ((double)x - 50000) * units[x % 5];
        out[kan_number_text(number, out)] = '\0';
        return;
    }
    case KAN_FIELD_DATE:
        snprintf(out, TEXT, "%04u-%02u-%02u", 1600 + x % 700, 1 + x % 12, 1 + x % 28);
        return;
    case KAN_FIELD_TIMESTAMP:
        snprintf(out, TEXT, "%04u-%02u-%02u %02u:%02u:%02u", 1700 + x % 400, 1 + x % 12, 1 + x % 28,
                 x % 24, x % 60, x % 59);
        return;
    case KAN_FIELD_TIME:
        snprintf(out, TEXT, "%02u:%02u:%02u", x % 24, x % 60, x % 59);
        return;
    case KAN_FIELD_BOOLEAN:
        snprintf(out, TEXT, "%s", x % 2 ? "true" : "false");
        return;
    case KAN_FIELD_TEXT:
        snprintf(out, TEXT, "value %u", x % 30);
        return;
    }
}

static void random_long(uint64_t *random, char *out) {
    const size_t size = 200 + below(random, TEXT - 201);
    for (size_t i = 0; i < size; i++)
        out[i] = (char)('a' + below(random, 26));
    out[size] = '\0';
}

/* A table without a schema, as of CSV. */
static void make_untyped(uint64_t *random, scene *s) {
    static const kan_field_type types[] = {KAN_FIELD_NUMBER, KAN_FIELD_DATE, KAN_FIELD_TEXT};
    for (size_t c = 0; c < s->n_columns; c++) {
        const kan_field_type type = types[below(random, 3)];
        const bool is_nasty = below(random, 2) == 0;
        for (size_t r = 0; r < s->n_rows; r++) {
            const uint64_t dice = below(random, 12);
            if (is_nasty && dice < 8)
                snprintf(s->cells[r][c], TEXT, "%s",
                         nasty[below(random, sizeof nasty / sizeof *nasty)]);
            else if (is_nasty && dice == 8)
                random_long(random, s->cells[r][c]);
            else if (dice == 11)
                s->cells[r][c][0] = '\0';
            else
                plain_value(random, type, s->cells[r][c]);
        }
    }
}

/* A table with one, as of a data base. */
static void make_typed(uint64_t *random, scene *s) {
    for (size_t c = 0; c < s->n_columns; c++) {
        s->fields[c] = (kan_field){.name = names[c],
                                   .type = (kan_field_type)below(random, 6),
                                   .label = c % 2 ? "What it is: für Menschen" : NULL};
        s->as_is[c] = below(random, 2) == 0;
        for (size_t r = 0; r < s->n_rows; r++) {
            s->cells[r][c][0] = '\0';
            if (below(random, 8) > 0)
                plain_value(random, s->fields[c].type, s->cells[r][c]);
        }
    }
}

static void make_scene(uint64_t *random, scene *s) {
    memset(s, 0, sizeof *s);
    s->n_rows = 1 + below(random, MOST_ROWS);
    s->n_columns = 1 + below(random, MOST_COLUMNS);
    s->is_typed = below(random, 2) == 0;
    if (s->is_typed)
        make_typed(random, s);
    else
        make_untyped(random, s);
}

/* ---- releases ------------------------------------------------------------------------------- */

typedef struct {
    kan_table *table;
    kan_release release;
    kan_release_column columns[MOST_COLUMNS];
    kan_slice *labels[MOST_COLUMNS];
} made;

static void make_release(kan_run *run, const scene *s, const uint8_t *is_suppressed, made *out) {
    memset(out, 0, sizeof *out);
    assert_int_equal(kan_table_create(run, s->n_columns, names, &out->table), KAN_OK);
    for (size_t r = 0; r < s->n_rows; r++) {
        const char *row[MOST_COLUMNS];
        for (size_t c = 0; c < s->n_columns; c++)
            row[c] = s->cells[r][c];
        assert_int_equal(kan_table_add_row(out->table, row), KAN_OK);
    }
    assert_int_equal(kan_table_seal(out->table), KAN_OK);
    for (size_t c = 0; c < s->n_columns; c++) {
        const kan_column *column = &out->table->columns[c];
        out->labels[c] = calloc(column->dictionary.n + 1, sizeof *out->labels[c]);
        for (uint32_t code = 0; code < column->dictionary.n; code++)
            out->labels[c][code] = kan_dictionary_value(&column->dictionary, code);
        out->columns[c] = (kan_release_column){.name = names[c],
                                               .source_column = c,
                                               .width = column->width,
                                               .codes = column->codes,
                                               .labels = out->labels[c],
                                               .n_labels = column->dictionary.n,
                                               .field = s->is_typed ? &s->fields[c] : NULL,
                                               .shows_values = true,
                                               .is_as_is = s->as_is[c]};
    }
    out->release = (kan_release){.n_rows = s->n_rows,
                                 .n_released = s->n_rows,
                                 .n_columns = s->n_columns,
                                 .columns = out->columns,
                                 .is_suppressed = is_suppressed};
    for (size_t r = 0; is_suppressed && r < s->n_rows; r++)
        out->release.n_released -= is_suppressed[r];
}

static void made_free(made *m) {
    for (size_t c = 0; c < m->release.n_columns; c++)
        free(m->labels[c]);
    kan_table_destroy(m->table);
}

/* ---- writing and reading -------------------------------------------------------------------- */

static kan_status write_given(kan_run *run, const kan_sink_kind *kind, const made *m,
                              const kan_options *given, kan_sink **out) {
    const kan_sink_order order = {
        .kind = kind, .release = &m->release, .target = "-", .given = given};
    return kan_sink_write(run, &order, out);
}

static kan_status write_release(kan_run *run, const kan_sink_kind *kind, const made *m,
                                kan_sink **out) {
    return write_given(run, kind, m, NULL, out);
}

static void assert_same(kan_run *run, const kan_sink_kind *kind, const scene *s, kan_sink *sink) {
    kan_source *source = NULL;
    kan_table *table = NULL;
    static const bool all[MOST_COLUMNS] = {true, true, true, true, true, true};
    const kan_source_options options = kan_sink_options(sink);
    if (kan_source_open(run, kan_sink_reader(sink), kan_sink_path(sink), &options, &source) !=
            KAN_OK ||
        kan_source_read(source, all, s->as_is, &table) != KAN_OK)
        fail_msg("%s: %s", kind->kind.name, kan_run_error(run));
    assert_int_equal(table->n_rows, s->n_rows);
    assert_int_equal(table->n_columns, s->n_columns);
    for (size_t c = 0; c < s->n_columns; c++) {
        assert_string_equal(kan_source_column_name(source, c), names[c]);
        for (size_t r = 0; r < s->n_rows; r++) {
            const kan_slice value = kan_column_value(&table->columns[c], r);
            if (!kan_slice_is(value, s->cells[r][c]))
                fail_msg("%s: '%.*s' was '%s' (row %zu, column %zu, %s)", kind->kind.name,
                         (int)value.size, value.bytes, s->cells[r][c], r, c,
                         s->is_typed ? "typed" : "not typed");
        }
    }
    kan_table_destroy(table);
    kan_source_close(source);
}

static const kan_sink_kind *kind_at(size_t index) {
    return (const kan_sink_kind *)kan_registry_at(KAN_FAMILY_SINK, index);
}

/* Whether the format can be written here at all. */
static bool is_there(kan_run *run, const kan_sink_kind *kind) {
    static scene s;
    made m;
    kan_sink *sink;
    memset(&s, 0, sizeof s);
    s.n_rows = s.n_columns = 1;
    strcpy(s.cells[0][0], "x");
    make_release(run, &s, NULL, &m);
    const kan_status status = write_release(run, kind, &m, &sink);
    if (status == KAN_OK)
        kan_sink_close(sink);
    else if (strstr(kan_run_error(run), "libduckdb"))
        print_message("skipped: %s\n", kan_run_error(run));
    else
        fail_msg("%s: %s", kind->kind.name, kan_run_error(run));
    made_free(&m);
    return status == KAN_OK;
}

static void what_is_written_is_read_again(void **state) {
    static scene s;
    (void)state;
    for (size_t k = 0; k < kan_registry_count(KAN_FAMILY_SINK); k++) {
        uint64_t random = 24 + k;
        kan_run *run = kan_run_create();
        size_t n_written = 0;
        if (is_there(run, kind_at(k))) {
            for (int i = 0; i < TABLES; i++) {
                made m;
                kan_sink *sink;
                make_scene(&random, &s);
                make_release(run, &s, NULL, &m);
                const kan_status status = write_release(run, kind_at(k), &m, &sink);
                if (status == KAN_OK) {
                    assert_same(run, kind_at(k), &s, sink);
                    kan_sink_close(sink);
                    n_written++;
                } else if (status != KAN_BAD_INPUT) {
                    fail_msg("%s: %s", kind_at(k)->kind.name, kan_run_error(run));
                }
                made_free(&m);
            }
            print_message("%s: %zu of %d tables\n", kind_at(k)->kind.name, n_written, TABLES);
            assert_true(n_written > TABLES / 2);
        }
        kan_run_destroy(run);
    }
}

/* ---- what is left out ----------------------------------------------------------------------- */

static char *bytes_of(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    enum { ROOM = 1 << 22 };
    char *bytes = malloc(ROOM);
    assert_non_null(file);
    *size = fread(bytes, 1, ROOM, file);
    assert_true(*size < ROOM);
    fclose(file);
    return bytes;
}

/* Changes a row in every column to something that no other row has: of another type, too. */
static void change_row(uint64_t *random, scene *s, size_t row) {
    for (size_t c = 0; c < s->n_columns; c++)
        if (s->is_typed)
            plain_value(random, s->fields[c].type, s->cells[row][c]);
        else
            snprintf(s->cells[row][c], TEXT, "secret %llu, and longer than any other: %0200d",
                     (unsigned long long)below(random, 1000), 7);
}

static void rows_that_are_left_out_leave_no_trace(void **state) {
    static scene s;
    (void)state;
    for (size_t k = 0; k < kan_registry_count(KAN_FAMILY_SINK); k++) {
        uint64_t random = 99 + k;
        kan_run *run = kan_run_create();
        for (int i = 0; i < TABLES / 4 && is_there(run, kind_at(k)); i++) {
            uint8_t is_suppressed[MOST_ROWS] = {0};
            char *before = NULL;
            size_t n_before = 0;
            make_scene(&random, &s);
            const size_t row = below(&random, s.n_rows);
            is_suppressed[row] = s.n_rows > 1;
            for (int pass = 0; pass < 3 && s.n_rows > 1; pass++) {
                made m;
                kan_sink *sink;
                make_release(run, &s, is_suppressed, &m);
                if (write_release(run, kind_at(k), &m, &sink) == KAN_OK) {
                    size_t n;
                    char *bytes = bytes_of(kan_sink_path(sink), &n);
                    if (before && (n != n_before || memcmp(bytes, before, n) != 0))
                        fail_msg("%s: the file of table %d tells of a row that it does not have",
                                 kind_at(k)->kind.name, i);
                    free(before);
                    before = bytes;
                    n_before = n;
                    kan_sink_close(sink);
                }
                made_free(&m);
                change_row(&random, &s, row);
            }
            free(before);
        }
        kan_run_destroy(run);
    }
}

/* ---- code books ----------------------------------------------------------------------------- */

enum { MOST_CODES = 8, VENDORS = 3, PAIRS = 60 };

/* Two tables with the same released rows. Rows that are left out have codes from FIRST_SECRET on in the
 * second one, whose code book, types and widths are made for them. */
typedef struct {
    scene tables[2];
    kan_value_label labels[2][MOST_COLUMNS][MOST_CODES];
    kan_missing_range missing[2][MOST_COLUMNS][2];
    char texts[MOST_COLUMNS][MOST_CODES][2][TEXT]; /* the value and the label of a code */
    uint8_t is_suppressed[MOST_ROWS];
    bool keeps_suppressed;
} book_pair;

enum { FIRST_SECRET = 5 };

typedef enum { OF_NUMBERS, OF_TEXTS, OF_DATES, OF_WORDS, N_SORTS } sort_of_column;

static void make_codes(book_pair *p, size_t c, sort_of_column sort) {
    static const char *const words[MOST_CODES] = {"10", "9", "100", "-9", "2", "x", "1e99", ""};
    for (size_t i = 0; i < MOST_CODES; i++) {
        char *value = p->texts[c][i][0];
        const bool is_secret = i >= FIRST_SECRET;
        if (sort == OF_NUMBERS) /* the last but one and the first are missing codes */
            snprintf(
                value, TEXT, "%s",
                (const char *const[]){"-9", "1", "2", "3", "4", "40000", "-8", "123456.75"}[i]);
        else if (sort == OF_TEXTS)
            snprintf(value, TEXT, "%c%0*d", (char)('h' - (int)i), is_secret ? 250 : 1, 7);
        else if (sort == OF_DATES)
            snprintf(value, TEXT, "%d-03-1%zu", is_secret ? 2850 : 1980, i);
        else
            snprintf(value, TEXT, "%s", words[i]);
        snprintf(p->texts[c][i][1], TEXT, "%s %zu", is_secret ? "secret" : "label", i);
    }
}

/* What a program says of a column whose values it has seen. */
static kan_field make_field(book_pair *p, int table, size_t c, sort_of_column sort, size_t vendor) {
    static const char *const families[2][VENDORS] = {{"spss", "stata:byte", "sas"},
                                                     {"spss", "stata:long", "sas"}};
    static const char *const numbers[2][VENDORS] = {{"F2.0", "%4.0g", "BEST4"},
                                                    {"F12.2", "%12.0g", "BEST12"}};
    static const char *const dates[2][VENDORS] = {{"DATE9", "%td", "DATE7"},
                                                  {"DATE11", "%td", "DATE9"}};
    const size_t n = table ? MOST_CODES : FIRST_SECRET;
    kan_field field = {.name = names[c],
                       .label = "What it is",
                       .family = families[table][vendor],
                       .width = table ? 12 : 4,
                       .decimals = table ? 2 : 0,
                       .measure = table ? 3 : 1,
                       .alignment = table ? 2 : 1,
                       .labels = p->labels[table][c],
                       .label_set = "book"};
    field.type = sort == OF_NUMBERS ? KAN_FIELD_NUMBER
                 : sort == OF_DATES ? KAN_FIELD_DATE
                                    : KAN_FIELD_TEXT;
    if (sort != OF_TEXTS)
        field.format = (sort == OF_DATES ? dates : numbers)[table][vendor];
    for (size_t i = 0; i < n; i++)
        p->labels[table][c][field.n_labels++] =
            (kan_value_label){kan_slice_of(p->texts[c][i][0]), kan_slice_of(p->texts[c][i][1])};
    if (sort == OF_NUMBERS && vendor == 0) {
        field.missing = p->missing[table][c];
        p->missing[table][c][field.n_missing++] = (kan_missing_range){table ? -99 : -9, -9};
        if (table)
            p->missing[table][c][field.n_missing++] = (kan_missing_range){-8, -8};
    }
    return field;
}

static void make_pair(uint64_t *random, book_pair *p) {
    sort_of_column sorts[MOST_COLUMNS];
    const size_t vendor = below(random, VENDORS);
    memset(p, 0, sizeof *p);
    p->keeps_suppressed = below(random, 2) == 0;
    scene *first = &p->tables[0];
    first->n_rows = 8 + below(random, MOST_ROWS - 7);
    first->n_columns = MOST_COLUMNS;
    first->is_typed = below(random, 4) > 0;
    for (size_t r = 1; r < first->n_rows; r++)
        p->is_suppressed[r - 1] = below(random, 4) == 0; /* the last row is shown */
    for (size_t c = 0; c < MOST_COLUMNS; c++) {
        sorts[c] = (sort_of_column)below(random, first->is_typed ? OF_WORDS : N_SORTS);
        first->as_is[c] = below(random, 2) == 0;
        make_codes(p, c, sorts[c]);
    }
    p->tables[1] = *first;
    for (int table = 0; table < 2; table++)
        for (size_t c = 0; c < MOST_COLUMNS; c++)
            p->tables[table].fields[c] = make_field(p, table, c, sorts[c], vendor);
    for (size_t c = 0; c < MOST_COLUMNS; c++) {
        const bool shows = first->is_typed && !first->as_is[c] && below(random, 2) == 0;
        p->tables[0].fields[c].shows_labels = p->tables[1].fields[c].shows_labels = shows;
        for (size_t r = 0; r < first->n_rows; r++) {
            const size_t code = below(random, FIRST_SECRET);
            const size_t other = FIRST_SECRET + below(random, MOST_CODES - FIRST_SECRET);
            strcpy(p->tables[0].cells[r][c], p->texts[c][code][shows]);
            strcpy(p->tables[1].cells[r][c],
                   p->texts[c][p->is_suppressed[r] ? other : code][shows]);
        }
    }
}

/* The bytes of a table as a format writes them; NULL where it refuses. */
static char *write_pair(kan_run *run, const kan_sink_kind *kind, book_pair *p, int table,
                        const kan_options *given, size_t *size) {
    made m;
    kan_sink *sink;
    char *bytes = NULL;
    make_release(run, &p->tables[table], p->is_suppressed, &m);
    m.release.keeps_suppressed = p->keeps_suppressed;
    if (p->keeps_suppressed)
        m.release.n_released = m.release.n_rows;
    if (write_given(run, kind, &m, given, &sink) == KAN_OK) {
        bytes = bytes_of(kan_sink_path(sink), size);
        kan_sink_close(sink);
    }
    made_free(&m);
    return bytes;
}

static void types_and_code_books_follow_from_released_values(void **state) {
    static book_pair p;
    size_t n_all_told = 0;
    (void)state;
    for (size_t k = 0; k < kan_registry_count(KAN_FAMILY_SINK); k++) {
        uint64_t random = 7 + k;
        kan_run *run = kan_run_create();
        size_t n_written = 0, n_told = 0;
        for (int i = 0; i < PAIRS && is_there(run, kind_at(k)); i++) {
            size_t sizes[2] = {0, 0};
            make_pair(&random, &p);
            char *first = write_pair(run, kind_at(k), &p, 0, NULL, &sizes[0]);
            char *second = write_pair(run, kind_at(k), &p, 1, NULL, &sizes[1]);
            n_told += !first != !second || sizes[0] != sizes[1] ||
                      (first && memcmp(first, second, sizes[0]) != 0);
            n_written += first != NULL;
            free(first);
            free(second);
        }
        print_message("%s: %zu of %d pairs, %zu files tell what rows have that are left out\n",
                      kind_at(k)->kind.name, n_written, PAIRS, n_told);
        n_all_told += n_told;
        kan_run_destroy(run);
    }
    assert_int_equal(n_all_told, 0);
}

/* So that the test above compares something. */
static void a_public_code_book_is_written_whole(void **state) {
    static book_pair p;
    kan_run *run = kan_run_create();
    kan_options given;
    uint64_t random = 3;
    (void)state;
    kan_options_init(&given, kan_run_arena(run));
    assert_int_equal(kan_options_add(&given, "codebook", "public"), KAN_OK);
    for (size_t k = 0; k < kan_registry_count(KAN_FAMILY_SINK); k++) {
        size_t n_different = 0;
        if (!kan_kind_has_option(&kind_at(k)->kind, "codebook"))
            continue;
        for (int i = 0; i < PAIRS; i++) {
            size_t sizes[2] = {0, 0};
            make_pair(&random, &p);
            char *first = write_pair(run, kind_at(k), &p, 0, &given, &sizes[0]);
            char *second = write_pair(run, kind_at(k), &p, 1, &given, &sizes[1]);
            n_different +=
                first && second && (sizes[0] != sizes[1] || memcmp(first, second, sizes[0]) != 0);
            free(first);
            free(second);
        }
        assert_true(n_different > 0);
    }
    kan_options_destroy(&given);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(rows_that_are_left_out_leave_no_trace),
        cmocka_unit_test(types_and_code_books_follow_from_released_values),
        cmocka_unit_test(a_public_code_book_is_written_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
