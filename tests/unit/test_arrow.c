/* Tables of other programs in memory: what each type is read as and handed out as, and all that a
 * producer may do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/arrow/arrow_inside.h"
#include "support/arrow_maker.h"
#include "support/plain.h"

/* ---- reading -------------------------------------------------------------------------------- */

static kan_table *table_of(kan_run *run, const maker *from) {
    struct ArrowArrayStream stream;
    kan_table *table;
    maker_stream(from, &stream);
    EXPECT_OK(run, kan_table_from_arrow(run, &stream, &table));
    assert_null(stream.release);
    return table;
}

/* The error text of a stream that is not taken, or of its columns that are not read. */
static const char *error_of(kan_run *run, const maker *from) {
    struct ArrowArrayStream stream;
    kan_table *table, *read = NULL;
    bool encode[8];
    memset(encode, true, sizeof encode);
    maker_stream(from, &stream);
    if (kan_table_from_arrow(run, &stream, &table) == KAN_OK) {
        assert_int_equal(kan_arrow_read(table->arrow, encode, &read), KAN_BAD_INPUT);
        kan_table_destroy(table);
    }
    assert_null(stream.release);
    assert_int_equal(*from->n_live, 0);
    return kan_run_error(run);
}

/* Each value is what it was, missing ones are "". */
static void expect_same(const maker *from) {
    kan_run *run = kan_run_create();
    kan_table *table = table_of(run, from), *read;
    bool encode[8];
    memset(encode, true, sizeof encode);
    assert_int_equal(kan_table_n_rows(table), from->n_rows);
    EXPECT_OK(run, kan_arrow_read(table->arrow, encode, &read));
    for (size_t row = 0; row < from->n_rows; row++)
        for (size_t i = 0; i < from->n_columns; i++) {
            const char *cell = from->cells[row * from->n_columns + i];
            const kan_slice value = kan_column_value(&read->columns[i], row);
            if (!kan_slice_is(value, cell ? cell : ""))
                fail_msg("row %zu, %s: '%.*s' for '%s'", row, from->columns[i].name,
                         (int)value.size, value.bytes, cell ? cell : "(null)");
        }
    for (size_t i = 0; i < from->n_columns; i++) /* no value that nobody has */
        assert_true(read->columns[i].dictionary.n <= from->n_rows);
    kan_table_destroy(read);
    kan_table_destroy(table);
    kan_run_destroy(run);
    assert_int_equal(*from->n_live, 0);
}

static const struct {
    const char *format;
    const char *cells[6];
} of_types[] = {
    {"n", {NULL, NULL, NULL, NULL, NULL, NULL}},
    {"b", {"true", "false", NULL, "true", "true", "false"}},
    {"c", {"-128", "127", "0", NULL, "5", "-1"}},
    {"C", {"0", "255", NULL, "7", "7", "200"}},
    {"s", {"-32768", "32767", "1", "2", NULL, "0"}},
    {"S", {"65535", "0", "1", NULL, "1", "2"}},
    {"i", {"-2147483648", "2147483647", NULL, "0", "1", "2"}},
    {"I", {"4294967295", "0", NULL, "0", "1", "2"}},
    {"l", {"-9223372036854775808", "9223372036854775807", "0", NULL, "1", "1"}},
    {"L", {"18446744073709551615", "0", "1", NULL, "1", "1"}},
    {"f", {"0.1", "-2.5", NULL, "1e+20", "0", "3"}},
    {"g", {"0.1", "-2.5", NULL, "1e+300", "0", "3"}},
    {"d:9,2", {"12.25", "-0.5", NULL, "1000", "0", "0.01"}},
    {"d:9,2,32", {"12.25", "-0.5", NULL, "1000", "0", "0.01"}},
    {"d:18,3,64", {"12.25", "-0.5", NULL, "1000", "0", "0.001"}},
    {"d:38,0", {"99999999999999999999999999999999999999", "-1", NULL, "0", "1", "2"}},
    {"tdD", {"1970-01-01", "2024-02-29", NULL, "1900-01-01", "1969-12-31", "9999-12-31"}},
    {"tdm", {"1970-01-01", "2024-02-29", NULL, "1900-01-01", "1969-12-31", "9999-12-31"}},
    {"tts", {"00:00:00", "23:59:59", NULL, "12:00:00", "12:00:00", "01:02:03"}},
    {"ttm", {"00:00:00", "23:59:59.999", NULL, "12:00:00", "12:00:00", "01:02:03"}},
    {"ttu", {"00:00:00", "23:59:59.999999", NULL, "12:00:00", "12:00:00", "01:02:03"}},
    {"ttn", {"00:00:00", "23:59:59.000000001", NULL, "12:00:00", "12:00:00", "01:02:03"}},
    {"tss:",
     {"1970-01-01 00:00:00", "2024-02-29 12:00:00", NULL, "1900-01-01 00:00:01",
      "1969-12-31 23:59:59", "1970-01-01 00:00:00"}},
    {"tsm:",
     {"1970-01-01 00:00:00.5", "2024-02-29 12:00:00", NULL, "1900-01-01 00:00:01",
      "1969-12-31 23:59:59.999", "1970-01-01 00:00:00"}},
    {"tsu:Europe/Berlin",
     {"1970-01-01 00:00:00+00", "2024-02-29 12:00:00.000001+00", NULL, "1900-01-01 00:00:01+00",
      "1969-12-31 23:59:59+00", "1970-01-01 00:00:00+00"}},
    {"tsn:",
     {"1970-01-01 00:00:00", "2024-02-29 12:00:00.000000001", NULL, "1900-01-01 00:00:01",
      "1969-12-31 23:59:59", "1970-01-01 00:00:00"}},
    {"u",
     {"Bonn", "", NULL, "a text of more than twelve bytes, and of twenty-four", "Ulm", "Bonn"}},
    {"U",
     {"Bonn", "", NULL, "a text of more than twelve bytes, and of twenty-four", "Ulm", "Bonn"}},
    {"vu",
     {"Bonn", "", NULL, "a text of more than twelve bytes, and of twenty-four", "twelve bytes",
      "thirteen byte"}},
};
enum { N_TYPES = sizeof of_types / sizeof *of_types };

/* Whatever the offsets, batches and indices are. */
static void every_type_is_read_as_it_is_written(void **state) {
    static const char *const indices[] = {NULL, "c", "C", "s", "S", "i", "I", "l", "L"};
    (void)state;
    for (size_t t = 0; t < N_TYPES; t++)
        for (unsigned form = 0; form < 9 * 8; form++) {
            long n_live = 0;
            const maker_column column = {"x", of_types[t].format, indices[form % 9]};
            const unsigned bits = form / 9;
            const maker from = {.columns = &column,
                                .n_columns = 1,
                                .cells = of_types[t].cells,
                                .n_rows = 6,
                                .batch_rows = bits & 1 ? 2 : 0,
                                .offset = bits & 2 ? 3 : 0,
                                .row_offset = bits & 4 ? 9 : 0,
                                .has_empty = form % 2,
                                .shares_dictionary = form % 3 == 1,
                                .n_live = &n_live};
            expect_same(&from);
        }
}

static void tables_of_many_units_are_read(void **state) {
    enum { N = 200000 };
    static const maker_column columns[] = {
        {"number", "i", NULL}, {"text", "u", NULL}, {"named", "vu", "s"}, {"day", "tdD", "i"}};
    const char **cells = malloc(N * 4 * sizeof *cells);
    char(*texts)[12] = malloc(1000 * sizeof *texts);
    long n_live = 0;
    (void)state;
    for (unsigned i = 0; i < 1000; i++)
        snprintf(texts[i], sizeof texts[i], "%u", i * 7919);
    for (size_t i = 0; i < N; i++) {
        cells[i * 4] = i % 7 == 0 ? NULL : texts[i * i % 1000];
        cells[i * 4 + 1] = i % 11 == 0 ? NULL : texts[i % 997];
        cells[i * 4 + 2] = i % 5 == 0 ? NULL : texts[i % 301];
        cells[i * 4 + 3] = i % 2 ? "2020-02-29" : "1999-12-31";
    }
    const maker from = {.columns = columns,
                        .n_columns = 4,
                        .cells = cells,
                        .n_rows = N,
                        .batch_rows = 70001,
                        .offset = 5,
                        .n_live = &n_live};
    expect_same(&from);
    free(cells);
    free(texts);
}

/* Whether rows have the same number in columns that are not encoded, such as those of names. */
static void hashes_tell_values_apart_as_texts_do(void **state) {
    static const char *const indices[] = {NULL, "c", "C", "s", "S", "i", "I", "l", "L"};
    (void)state;
    for (size_t t = 0; t < N_TYPES; t++)
        for (unsigned form = 0; form < 9 * 2; form++) {
            long n_live = 0;
            const maker_column column = {"x", of_types[t].format, indices[form % 9]};
            const maker from = {.columns = &column,
                                .n_columns = 1,
                                .cells = of_types[t].cells,
                                .n_rows = 6,
                                .batch_rows = form >= 9 ? 2 : 0,
                                .offset = form >= 9 ? 3 : 0,
                                .n_live = &n_live};
            kan_run *run = kan_run_create();
            kan_table *table = table_of(run, &from);
            uint64_t numbers[6], *out = numbers;
            EXPECT_OK(run, kan_arrow_hash(table->arrow, &(size_t){0}, 1, &out));
            for (size_t row = 0; row < 6; row++)
                for (size_t other = 0; other < row; other++) {
                    const char *cell = of_types[t].cells[row] ? of_types[t].cells[row] : "";
                    const char *apart = of_types[t].cells[other] ? of_types[t].cells[other] : "";
                    assert_int_equal(numbers[row] == numbers[other], strcmp(cell, apart) == 0);
                }
            kan_table_destroy(table);
            kan_run_destroy(run);
        }
}

/* Any words as numbers: those of one text have one hash, and no others. */
static void hashes_of_words_are_those_of_their_texts(void **state) {
    static const char *const formats[] = {"c", "C", "s", "S", "i", "I", "l", "L", "f", "g"};
    static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    enum { N = 200 };
    static const char *cells[N];
    uint64_t seed = 7;
    (void)state;
    for (size_t i = 0; i < N; i++)
        cells[i] = i % 9 ? "1" : NULL;
    for (size_t f = 0; f < 10; f++) {
        const maker_column column = {"x", formats[f], NULL};
        long n_live = 0;
        const maker from = {
            .columns = &column, .n_columns = 1, .cells = cells, .n_rows = N, .n_live = &n_live};
        kan_run *run = kan_run_create();
        kan_table *table = table_of(run, &from);
        struct ArrowArray *array = table->arrow->batches[0].children[0];
        uint64_t numbers[N], *out = numbers;
        char rooms[N][KAN_SCALAR_ROOM];
        kan_slice texts[N];
        for (size_t i = 0; i < N; i++) {
            const double reals[] = {0.0, -0.0, NAN, -NAN, INFINITY, -INFINITY, 0.1, 1e300};
            const float singles[] = {0.0f, -0.0f, NAN, -NAN, INFINITY, -INFINITY, 0.1f, 1e30f};
            char *to = (char *)(uintptr_t)array->buffers[1] + i * sizes[f];
            uint64_t word = (seed = seed * 6364136223846793005u + 1442695040888963407u) >> 7;
            if (i % 3 == 0)
                word %= 5; /* some of them twice */
            memcpy(to, &word, sizes[f]);
            if (f == 8 && i % 2)
                memcpy(to, &singles[i / 2 % 8], sizes[f]);
            if (f == 9 && i % 2)
                memcpy(to, &reals[i / 2 % 8], sizes[f]);
        }
        EXPECT_OK(run, kan_arrow_hash(table->arrow, &(size_t){0}, 1, &out));
        const kan_arrow_values values = kan_arrow_column(table->arrow, 0, 0);
        for (size_t i = 0; i < N; i++)
            EXPECT_OK(run, kan_arrow_show(table->arrow, &values, i, rooms[i], &texts[i]));
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < i; j++)
                assert_int_equal(numbers[i] == numbers[j], kan_slice_equal(texts[i], texts[j]));
        kan_table_destroy(table);
        kan_run_destroy(run);
    }
}

/* As words lie there; what is missing has no bit. */
static bool is_apart(const char *format, const char *index, const void *words, size_t size,
                     uint8_t validity) {
    static const char *const cells[] = {"", NULL, NULL};
    long n_live = 0;
    const maker_column column = {"x", format, index};
    const maker from = {
        .columns = &column, .n_columns = 1, .cells = cells, .n_rows = 3, .n_live = &n_live};
    kan_run *run = kan_run_create();
    kan_table *table = table_of(run, &from);
    struct ArrowArray *array = table->arrow->batches[0].children[0];
    bool is_found = false;
    if (words) {
        assert_non_null(array->buffers[0]);
        memcpy((void *)(uintptr_t)array->buffers[1], words, 3 * size);
        *(uint8_t *)(uintptr_t)array->buffers[0] = validity;
    }
    EXPECT_OK(run, kan_arrow_find_apart(table->arrow, &(bool){true}, &is_found));
    kan_table_destroy(table);
    kan_run_destroy(run);
    assert_int_equal(n_live, 0);
    return is_found;
}

static void values_of_one_text_are_told_apart(void **state) {
    static const char *const texts[] = {"u", "U", "vu"};
    const double zeros[] = {0.0, -0.0, 1}, numbers[] = {0.0, 0.0, 1}, none[] = {NAN, 1, 2};
    const float small_zeros[] = {0.0f, -0.0f, 1};
    const int64_t days[] = {0, 5, 86400000}, whole[] = {0, 0, 86400000};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_true(is_apart(texts[i], NULL, NULL, 0, 0)); /* "" and two nulls */
        assert_true(is_apart(texts[i], "c", NULL, 0, 0));
    }
    assert_true(is_apart("g", NULL, zeros, 8, 7));
    assert_false(is_apart("g", NULL, zeros, 8, 5)); /* one of them is missing */
    assert_false(is_apart("g", NULL, numbers, 8, 7));
    assert_true(is_apart("g", NULL, none, 8, 3));
    assert_false(is_apart("g", NULL, none, 8, 7));
    assert_true(is_apart("f", NULL, small_zeros, 4, 7));
    assert_true(is_apart("tdm", NULL, days, 8, 7));
    assert_false(is_apart("tdm", NULL, whole, 8, 3));
    assert_false(is_apart("l", NULL, days, 8, 3));
}

/* In one batch, and in several with a dictionary each or one for all. */
static void values_that_a_dictionary_has_twice_are_told_apart(void **state) {
    static const char *const cells[] = {"1", "2", "2", "1", NULL, "2"};
    static const char *const formats[] = {"u", "U", "vu", "l", "g"};
    (void)state;
    for (size_t i = 0; i < 5 * 8; i++) {
        const bool repeats = i & 1, shares = i & 2;
        long n_live = 0;
        const maker_column column = {"x", formats[i / 8], "i"};
        const maker from = {.columns = &column,
                            .n_columns = 1,
                            .cells = cells,
                            .n_rows = 6,
                            .batch_rows = i & 4 ? 4 : 0,
                            .repeats_values = repeats,
                            .shares_dictionary = shares,
                            .n_live = &n_live};
        kan_run *run = kan_run_create();
        kan_table *table = table_of(run, &from);
        bool is_found = false;
        EXPECT_OK(run, kan_arrow_find_apart(table->arrow, &(bool){true}, &is_found));
        assert_int_equal(is_found, repeats);
        kan_table_destroy(table);
        kan_run_destroy(run);
        assert_int_equal(n_live, 0);
    }
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void columns_that_cannot_be_read_are_named(void **state) {
    static const struct {
        const char *format, *name;
    } refused[] = {{"+l", "a list"},
                   {"+s", "a struct"},
                   {"+m", "a map"},
                   {"z", "binary"},
                   {"w:16", "fixed-size binary"},
                   {"tDs", "a duration"},
                   {"e", "float16"},
                   {"+r", "run-end encoded"},
                   {"d:76,2,256", "a decimal"},
                   {"tin", "an interval"},
                   {"?", "?"}};
    static const char *const cells[] = {"a", "b"};
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        long n_live = 0;
        const maker_column column = {"odd one", refused[i].format, NULL};
        const maker from = {
            .columns = &column, .n_columns = 1, .cells = cells, .n_rows = 2, .n_live = &n_live};
        kan_run *run = kan_run_create();
        const char *error = error_of(run, &from);
        assert_non_null(strstr(error, "column 'odd one' cannot be read, its type is "));
        assert_non_null(strstr(error, refused[i].name));
        kan_run_destroy(run);
    }
}

static void producers_that_fail_are_quoted(void **state) {
    static const maker_column columns[] = {{"a", "u", NULL}, {"b", "i", "c"}};
    static const char *const cells[] = {"x", "1", "y", "2", "z", NULL};
    (void)state;
    for (int at = 1; at <= 3; at++) {
        long n_live = 0;
        const maker from = {.columns = columns,
                            .n_columns = 2,
                            .cells = cells,
                            .n_rows = 3,
                            .batch_rows = 1,
                            .fails_at = at,
                            .n_live = &n_live};
        kan_run *run = kan_run_create();
        assert_string_equal(error_of(run, &from),
                            "the table: the producer of its rows failed: the cable was pulled");
        kan_run_destroy(run);
    }
}

static void names_must_differ_and_rows_be_there(void **state) {
    static const maker_column twice[] = {{"a", "u", NULL}, {"a", "i", NULL}};
    static const maker_column nameless[] = {{"a", "u", NULL}, {"", "i", NULL}};
    static const char *const cells[] = {"x", "1"};
    long n_live = 0;
    kan_run *run = kan_run_create();
    maker from = {.columns = twice, .n_columns = 2, .cells = cells, .n_rows = 1, .n_live = &n_live};
    (void)state;
    assert_non_null(strstr(error_of(run, &from), "'a'"));
    from.columns = nameless;
    assert_non_null(strstr(error_of(run, &from), "column 2 has no name"));
    from = (maker){.columns = twice, .n_columns = 1, .cells = cells, .n_live = &n_live};
    assert_non_null(strstr(error_of(run, &from), "no row"));
    from.fails_at = -1;
    from.batch_rows = 1;
    assert_non_null(strstr(error_of(run, &from), "no row"));
    kan_run_destroy(run);
}

static void values_that_cannot_be_read_have_no_hashes(void **state) {
    static const maker_column column = {"name", "z", NULL};
    static const char *const cells[] = {"a", "b"};
    long n_live = 0;
    const maker from = {
        .columns = &column, .n_columns = 1, .cells = cells, .n_rows = 2, .n_live = &n_live};
    kan_run *run = kan_run_create();
    kan_table *table = table_of(run, &from);
    uint64_t numbers[2], *out = numbers;
    (void)state;
    assert_int_equal(kan_arrow_hash(table->arrow, &(size_t){0}, 1, &out), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(run), "column 'name' cannot be told apart, its type is "
                                               "binary; drop it"));
    kan_table_destroy(table);
    kan_run_destroy(run);
}

/* Arrays that lie: no byte outside is touched as far as lengths tell. */
static void broken_arrays_are_refused(void **state) {
    static const char *const cells[] = {"x", "y", "z"};
    (void)state;
    for (unsigned fault = 0; fault < 4; fault++) {
        long n_live = 0;
        const maker_column column = {"a", fault == 1 ? "vu" : "u", fault == 0 ? "c" : NULL};
        const maker from = {
            .columns = &column, .n_columns = 1, .cells = cells, .n_rows = 3, .n_live = &n_live};
        kan_run *run = kan_run_create();
        struct ArrowArrayStream stream;
        kan_arrow *arrow;
        kan_table *table;
        const bool encode = true;
        maker_stream(&from, &stream);
        EXPECT_OK(run, kan_arrow_import(run, &stream, &arrow));
        struct ArrowArray *array = arrow->batches[0].children[0];
        char *data = (char *)(uintptr_t)array->buffers[1];
        if (fault == 0)
            data[1] = 99; /* an index of nothing */
        if (fault == 1)
            memcpy(data, (int32_t[]){20, 0, 7, 0}, 16);
        if (fault == 2)
            ((int32_t *)(void *)data)[1] = -1;
        if (fault == 3)
            ((int32_t *)(void *)data)[1] = 9; /* ends before it begins, the next one */
        assert_int_equal(kan_arrow_read(arrow, &encode, &table), KAN_BAD_INPUT);
        assert_non_null(strstr(kan_run_error(run), "are broken"));
        assert_int_equal(kan_arrow_hash(arrow, &(size_t){0}, 1, &(uint64_t *){(uint64_t[3]){0}}),
                         KAN_BAD_INPUT);
        kan_arrow_destroy(arrow);
        kan_run_destroy(run);
        assert_int_equal(n_live, 0);
    }
}

/* What was made last for the tests below, to be broken before it is taken. */
static int (*sound_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
static int (*sound_next)(struct ArrowArrayStream *, struct ArrowArray *);
static unsigned fault_at;

static int broken_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    const int error = sound_schema(stream, out);
    if (fault_at == 0)
        out->children[0]->format = NULL;
    if (fault_at == 1)
        out->children[0]->dictionary->format = NULL;
    return error;
}

static int broken_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    const int error = sound_next(stream, out);
    if (!out->release)
        return error;
    struct ArrowArray *column = out->children[0];
    if (fault_at == 2)
        column->offset = INT64_MAX - 1;
    if (fault_at == 3)
        column->length = INT64_MAX, column->offset = INT64_MAX / 2;
    if (fault_at == 4)
        out->offset = INT64_MAX;
    if (fault_at == 5)
        column->dictionary->length = INT64_MAX;
    if (fault_at == 6)
        column->dictionary->offset = -1;
    return error;
}

static void lengths_and_types_that_lie_are_refused(void **state) {
    static const maker_column column = {"a", "u", "c"};
    static const char *const cells[] = {"x", "y", "z"};
    (void)state;
    for (fault_at = 0; fault_at < 7; fault_at++) {
        long n_live = 0;
        const maker from = {
            .columns = &column, .n_columns = 1, .cells = cells, .n_rows = 3, .n_live = &n_live};
        kan_run *run = kan_run_create();
        struct ArrowArrayStream stream;
        kan_table *table;
        maker_stream(&from, &stream);
        sound_schema = stream.get_schema;
        sound_next = stream.get_next;
        stream.get_schema = broken_schema;
        stream.get_next = broken_next;
        if (kan_table_from_arrow(run, &stream, &table) != KAN_BAD_INPUT)
            fail_msg("fault %u was taken", fault_at);
        assert_non_null(strstr(kan_run_error(run), "are broken"));
        kan_run_destroy(run);
        assert_int_equal(n_live, 0);
    }
}

static void streams_are_taken_once(void **state) {
    static const maker_column column = {"a", "u", NULL};
    static const char *const cells[] = {"x"};
    long n_live = 0;
    const maker from = {
        .columns = &column, .n_columns = 1, .cells = cells, .n_rows = 1, .n_live = &n_live};
    kan_run *run = kan_run_create();
    struct ArrowArrayStream stream;
    kan_table *table, *again;
    (void)state;
    maker_stream(&from, &stream);
    EXPECT_OK(run, kan_table_from_arrow(run, &stream, &table));
    assert_int_equal(kan_table_from_arrow(run, &stream, &again), KAN_BAD_INPUT);
    assert_int_equal(kan_table_from_arrow(run, NULL, &again), KAN_BAD_INPUT);
    assert_int_equal(n_live, 4); /* a schema with a column, a batch with one; the stream is gone */
    kan_table_destroy(table);
    assert_int_equal(n_live, 0);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_read_as_it_is_written),
        cmocka_unit_test(tables_of_many_units_are_read),
        cmocka_unit_test(hashes_tell_values_apart_as_texts_do),
        cmocka_unit_test(hashes_of_words_are_those_of_their_texts),
        cmocka_unit_test(values_of_one_text_are_told_apart),
        cmocka_unit_test(values_that_a_dictionary_has_twice_are_told_apart),
        cmocka_unit_test(values_that_cannot_be_read_have_no_hashes),
        cmocka_unit_test(columns_that_cannot_be_read_are_named),
        cmocka_unit_test(producers_that_fail_are_quoted),
        cmocka_unit_test(names_must_differ_and_rows_be_there),
        cmocka_unit_test(broken_arrays_are_refused),
        cmocka_unit_test(lengths_and_types_that_lie_are_refused),
        cmocka_unit_test(streams_are_taken_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
