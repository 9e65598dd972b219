/* io/duckdb: values of all types as text and back; Parquet and JSON as people have them. What needs
 * the library is skipped where KANON_DUCKDB does not name it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/hash.h"
#include "io/duckdb/duck.h"
#include "io/duckdb/duck_json.h"
#include "io/duckdb/duck_type.h"
#include "io/duckdb/duckdb.h"

typedef struct {
    kan_run *run;
    char folder[64], path[96];
} fixture;

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    f->run = kan_run_create();
    strcpy(f->folder, "/tmp/kanon-duck-XXXXXX");
    if (!f->run || !mkdtemp(f->folder))
        return 1;
    snprintf(f->path, sizeof f->path, "%s/a*[b]?.parquet", f->folder);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    char command[128];
    kan_run_destroy(f->run);
    snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
    const int failed = system(command);
    free(f);
    return failed;
}

/* ---- values --------------------------------------------------------------------------------- */

static void value_is(const char *sql, const void *value, const char *text) {
    const kan_scalar_type type = kan_duck_type_find(sql);
    char room[KAN_SCALAR_ROOM], again[KAN_SCALAR_MOST_SIZE] = {0};
    const size_t size = kan_scalar_text(&type, value, room);
    if (size != strlen(text) || memcmp(room, text, size) != 0)
        fail_msg("%s: '%.*s' instead of '%s'", sql, (int)size, room, text);
    if (size > 0) {
        assert_true(kan_scalar_value(&type, kan_slice_of(text), again));
        assert_memory_equal(again, value, type.size);
    }
}

static void whole_is(const char *sql, int64_t value, const char *text) {
    value_is(sql, &value, text);
}

static void values_are_texts_that_read_back(void **state) {
    (void)state;
    whole_is("BOOLEAN", 1, "true");
    whole_is("TINYINT", -128, "-128");
    whole_is("UTINYINT", 255, "255");
    whole_is("BIGINT", INT64_MIN, "-9223372036854775808");
    whole_is("BIGINT", 9007199254740993, "9007199254740993");
    whole_is("UBIGINT", -1, "18446744073709551615");
    whole_is("DECIMAL(9,2)", 150, "1.5");
    whole_is("DECIMAL(9,2)", -5, "-0.05");
    whole_is("DECIMAL(9,2)", 0, "0");
    whole_is("DECIMAL(4,0)", 1200, "1200");
    whole_is("DECIMAL(18,9)", 1, "1e-09");
    whole_is("DECIMAL(18,18)", 123456789012345678, "0.123456789012345678");
    whole_is("DATE", 0, "1970-01-01");
    whole_is("DATE", -1, "1969-12-31");
    whole_is("DATE", 11016, "2000-02-29");
    whole_is("DATE", 2932896, "9999-12-31");
    whole_is("DATE", 2932897, "10000-01-01");
    whole_is("DATE", -719162, "0001-01-01");
    whole_is("DATE", INT32_MAX, "infinity");
    whole_is("TIME", 49500000000, "13:45:00");
    whole_is("TIME", 1, "00:00:00.000001");
    whole_is("TIMESTAMP", -1, "1969-12-31 23:59:59.999999");
    whole_is("TIMESTAMP", 100000, "1970-01-01 00:00:00.1");
    whole_is("TIMESTAMP_S", 3600, "1970-01-01 01:00:00");
    whole_is("TIMESTAMP_MS", 1, "1970-01-01 00:00:00.001");
    whole_is("TIMESTAMP_NS", 1, "1970-01-01 00:00:00.000000001");
    whole_is("TIMESTAMP WITH TIME ZONE", 0, "1970-01-01 00:00:00+00");
    value_is("DOUBLE", &(double){0.1}, "0.1");
    value_is("DOUBLE", &(double){1e300}, "1e+300");
    value_is("DOUBLE", &(double){-(double)__builtin_inf()}, "-inf");
    value_is("DOUBLE", &(double){__builtin_nan("")}, "");
    value_is("FLOAT", &(float){0.1f}, "0.1");
    value_is("FLOAT", &(float){16777216.0f}, "16777216");
    value_is("FLOAT", &(float){1e-45f}, "1.4013e-45");
}

static void what_a_type_does_not_have_is_refused(void **state) {
    static const char *const bad[][2] = {
        {"TINYINT", "128"},
        {"TINYINT", "1.5"},
        {"TINYINT", "007"},
        {"TINYINT", ""},
        {"TINYINT", "-"},
        {"UTINYINT", "-1"},
        {"BIGINT", "1e5"},
        {"DECIMAL(4,2)", "100"},
        {"DECIMAL(4,2)", "0.001"},
        {"DECIMAL(4,2)", "1.50"},
        {"DOUBLE", "1.50"},
        {"DOUBLE", "nan"},
        {"FLOAT", "16777217"},
        {"DATE", "2001-02-29"},
        {"DATE", "2001-13-01"},
        {"DATE", "1-2"},
        {"DATE", "14.03.1980"},
        {"TIME", "24:00:01"},
        {"TIME", "1:00:00"},
        {"TIME", "00:00:00.10"},
        {"TIMESTAMP", "1980-03-14"},
        {"BOOLEAN", "yes"},
        {"TIMESTAMP", "1980-03-14 00:00:00+00"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const kan_scalar_type type = kan_duck_type_find(bad[i][0]);
        char value[KAN_SCALAR_MOST_SIZE];
        if (kan_scalar_value(&type, kan_slice_of(bad[i][1]), value) &&
            strcmp(bad[i][1], "24:00:01") != 0)
            fail_msg("%s is a %s", bad[i][1], bad[i][0]);
    }
}

static void random_values_read_back(void **state) {
    static const char *const types[] = {"TINYINT",      "SMALLINT",     "INTEGER",      "BIGINT",
                                        "UTINYINT",     "UBIGINT",      "FLOAT",        "DOUBLE",
                                        "DATE",         "DECIMAL(4,1)", "DECIMAL(9,9)", "TIMESTAMP",
                                        "TIMESTAMP_MS", "TIMESTAMP_NS"};
    uint64_t random = 7;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        const kan_scalar_type type = kan_duck_type_find(types[i % 14]);
        uint64_t value = kan_random(&random) >> kan_random(&random) % 64, again = 0;
        char room[KAN_SCALAR_ROOM];
        if (type.form == KAN_SCALAR_DECIMAL)
            value %= type.width == 4 ? 10000 : 1000000000;
        if (type.form == KAN_SCALAR_DATE)
            value %= 2000000;
        const kan_slice text = {room, kan_scalar_text(&type, &value, room)};
        if (text.size == 0 || kan_slice_is(text, "0"))
            continue;
        if (!kan_scalar_value(&type, text, &again) || memcmp(&value, &again, type.size) != 0)
            fail_msg("%s: '%.*s'", types[i % 14], (int)text.size, text.bytes);
    }
}

static void json_is_text_and_back(void **state) {
    static const char *const cases[][2] = {
        {"\"abc\"", "abc"},   {"\"\\u00e9\\n\\\"\"", "\xc3\xa9\n\""},
        {"null", ""},         {"\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80"},
        {"1.50", "1.5"},      {"-0", "0"},
        {"1E3", "1000"},      {"12345678901234567890123", "12345678901234567890123"},
        {"true", "true"},     {"\"\"", ""},
        {"\"a\\/b\"", "a/b"}, {"\"\\u20ac\"", "\xe2\x82\xac"}};
    fixture *f = *state;
    kan_encoder encoder;
    assert_int_equal(kan_encoder_init(&encoder, f->run), KAN_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char room[64] = {0};
        bool is_nested = false;
        uint32_t code;
        strcpy(room, cases[i][0]);
        assert_int_equal(
            kan_duck_json_add(&encoder, (kan_slice){room, strlen(room)}, &code, &is_nested),
            KAN_OK);
        const kan_slice value = kan_encoder_value(&encoder, code);
        if (!kan_slice_is(value, cases[i][1]))
            fail_msg("%s is '%.*s'", cases[i][0], (int)value.size, value.bytes);
    }
    kan_encoder_destroy(&encoder);
    assert_true(kan_duck_json_is_number(kan_slice_of("-1.5e+300")));
    static const char *const others[] = {"", "-", "01", "1.", ".5", "1e", "+1", "inf", "1x"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(kan_duck_json_is_number(kan_slice_of(others[i])));
}

/* ---- the library ---------------------------------------------------------------------------- */

static kan_status open_with(fixture *f, const kan_source_kind *kind, const char *library,
                            kan_source **out) {
    kan_options given;
    kan_options_init(&given, kan_run_arena(f->run));
    if (library)
        assert_int_equal(kan_options_add(&given, "duckdb", library), KAN_OK);
    const kan_source_options options = {.given = &given};
    const kan_status status = kan_source_open(f->run, kind, f->path, &options, out);
    kan_options_destroy(&given);
    return status;
}

static void assert_told(const fixture *f, const char *part) {
    if (!strstr(kan_run_error(f->run), part))
        fail_msg("'%s' has no '%s'", kan_run_error(f->run), part);
}

static void put(const fixture *f, const char *bytes, size_t size) {
    FILE *file = fopen(f->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void a_missing_or_wrong_library_is_told(void **state) {
    fixture *f = *state;
    kan_source *source;
    put(f, "PAR1 and so on PAR1", 19);
    assert_int_equal(open_with(f, &kan_source_parquet, "/nowhere/libduckdb.so", &source),
                     KAN_BAD_INPUT);
    assert_told(f, "/nowhere/libduckdb.so");
    assert_told(f, "KANON_DUCKDB");
    assert_told(f, "CSV");
    char library[96];
    snprintf(library, sizeof library, "%s/libother.so", f->folder);
    assert_int_equal(symlink("/lib/ld-linux.so", library), 0);
    assert_int_equal(open_with(f, &kan_source_parquet, library, &source), KAN_BAD_INPUT);
    assert_told(f, "libother.so");
}

static void what_is_no_parquet_is_told_without_the_library(void **state) {
    fixture *f = *state;
    kan_source *source;
    assert_int_equal(open_with(f, &kan_source_parquet, NULL, &source), KAN_BAD_INPUT);
    assert_told(f, "check the path");
    put(f, "", 0);
    assert_int_equal(open_with(f, &kan_source_parquet, NULL, &source), KAN_BAD_INPUT);
    assert_told(f, "empty");
    put(f, "<html>", 6);
    assert_int_equal(open_with(f, &kan_source_parquet, NULL, &source), KAN_BAD_INPUT);
    assert_told(f, "not a Parquet file");
    put(f, "PAR1 and no more", 16);
    assert_int_equal(open_with(f, &kan_source_parquet, NULL, &source), KAN_BAD_INPUT);
    assert_told(f, "end of this Parquet file is missing");
    put(f, "PARE and so on PARE", 19);
    assert_int_equal(open_with(f, &kan_source_parquet, NULL, &source), KAN_BAD_INPUT);
    assert_told(f, "encrypted");
}

/* ---- with the library ----------------------------------------------------------------------- */

static void need_library(void) {
    if (!getenv("KANON_DUCKDB")) {
        print_message("skipped: KANON_DUCKDB names no libduckdb.so\n");
        skip();
    }
}

/* Writes what SQL selects with DuckDB itself. */
static void copy_sql(const fixture *f, const char *select, const char *options) {
    const kan_duck_plan plan = {
        .name = "a test", .what = "a test", .path = f->path, .n_threads = 1};
    kan_duck *duck;
    kan_duck_result result;
    kan_text sql;
    if (kan_duck_open(f->run, &plan, &duck) != KAN_OK)
        fail_msg("%s", kan_run_error(f->run));
    kan_text_init(&sql, f->run);
    kan_text_print(&sql, "COPY (%s) TO ", select);
    kan_duck_quote(&sql, f->path, '\'');
    kan_text_print(&sql, " (%s)", options);
    const kan_duck_query query = {
        .sql = sql.bytes, .status = KAN_FAILED, .what = "fails", .remedy = ""};
    if (kan_duck_run(duck, duck->connection, &query, &result) != KAN_OK)
        fail_msg("%s", kan_run_error(f->run));
    duck->api.destroy_result(&result);
    kan_text_destroy(&sql);
    kan_duck_close(duck);
}

static const bool all[64] = {true, true, true, true, true, true, true, true, true, true,
                             true, true, true, true, true, true, true, true, true, true};

/* All of a table as text, a row per line. */
static char *read_all(fixture *f, const kan_source_kind *kind) {
    kan_source *source = NULL;
    kan_table *table = NULL;
    kan_text text;
    if (open_with(f, kind, NULL, &source) != KAN_OK ||
        kan_source_read(source, all, NULL, &table) != KAN_OK)
        fail_msg("%s", kan_run_error(f->run));
    kan_text_init(&text, f->run);
    for (uint64_t row = 0; row < table->n_rows; row++)
        for (size_t i = 0; i < table->n_columns; i++) {
            const kan_slice value = kan_column_value(&table->columns[i], row);
            kan_text_add(&text, value.bytes, value.size);
            kan_text_add(&text, i + 1 < table->n_columns ? "|" : "\n", 1);
        }
    char *out = strdup(text.bytes);
    kan_text_destroy(&text);
    kan_table_destroy(table);
    kan_source_close(source);
    return out;
}

static void assert_reads(fixture *f, const kan_source_kind *kind, const char *expected) {
    char *text = read_all(f, kind);
    assert_string_equal(text, expected);
    free(text);
}

static void parquet_of_all_types_is_read(void **state) {
    fixture *f = *state;
    need_library();
    copy_sql(f,
             "SELECT true b, 1::TINYINT, -2::SMALLINT, 3::INTEGER, 4::BIGINT, 0.1::FLOAT, "
             "0.1::DOUBLE, 1.50::DECIMAL(9,2), 12345678901234567890.5::DECIMAL(38,3), "
             "DATE '1980-03-14', TIME '13:45:00', TIMESTAMP '1980-03-14 13:45:00.5', "
             "TIMESTAMPTZ '1980-03-14 13:45:00+02', 'x''y\"z', "
             "'6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b'::UUID UNION ALL SELECT " /* and none of it */
             "NULL, NULL, NULL, NULL, NULL, NULL, 'nan'::DOUBLE, NULL, NULL, NULL, NULL, NULL, "
             "NULL, '', "
             "NULL",
             "FORMAT parquet");
    assert_reads(f, &kan_source_parquet,
                 "true|1|-2|3|4|0.1|0.1|1.5|12345678901234567890.5|1980-03-14|13:45:00|"
                 "1980-03-14 13:45:00.5|1980-03-14 11:45:00+00|x'y\"z|"
                 "6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b\n||||||||||||||\n");
}

static void nested_columns_are_refused_only_when_they_are_read(void **state) {
    fixture *f = *state;
    static const bool first[4] = {true, false, false, false};
    kan_source *source;
    kan_table *table;
    need_library();
    copy_sql(f, "SELECT 1 a, [1, 2] l, {'x': 1} s, 'q'::BLOB b", "FORMAT parquet");
    assert_int_equal(open_with(f, &kan_source_parquet, NULL, &source), KAN_OK);
    assert_int_equal(kan_source_read(source, all, NULL, &table), KAN_BAD_INPUT);
    assert_told(f, "'l'");
    assert_told(f, "'s'");
    assert_told(f, "'b'");
    assert_told(f, "drop it");
    assert_int_equal(kan_source_read(source, first, NULL, &table), KAN_OK);
    kan_table_destroy(table);
    kan_source_close(source);
}

static void names_may_hold_anything(void **state) {
    fixture *f = *state;
    need_library();
    copy_sql(f, "SELECT 1 AS \"a\"\"b'c;--\", 2 AS \"file_row_number\", 3 AS \"select\"",
             "FORMAT parquet");
    assert_reads(f, &kan_source_parquet, "1|2|3\n");
}

static void many_row_groups_are_the_same_on_any_number_of_threads(void **state) {
    fixture *f = *state;
    char *before = NULL;
    need_library();
    copy_sql(f,
             "SELECT i, i % 97 AS m, 'text ' || (i % 1009) AS t, "
             "CASE WHEN i % 5 > 0 THEN i / 7.0 END AS d FROM range(300000) r(i)",
             "FORMAT parquet, ROW_GROUP_SIZE 10000");
    for (unsigned threads = 1; threads <= 5; threads += 2) {
        kan_run_set_threads(f->run, threads);
        char *text = read_all(f, &kan_source_parquet);
        if (before)
            assert_string_equal(text, before);
        assert_memory_equal(text, "0|0|text 0|\n1|1|text 1|0.14", 27);
        free(before);
        before = text;
    }
    free(before);
}

static void no_row_is_told(void **state) {
    fixture *f = *state;
    kan_source *source;
    kan_table *table;
    need_library();
    copy_sql(f, "SELECT 1 a WHERE false", "FORMAT parquet");
    assert_int_equal(open_with(f, &kan_source_parquet, NULL, &source), KAN_OK);
    assert_int_equal(kan_source_read(source, all, NULL, &table), KAN_BAD_INPUT);
    assert_told(f, "no row");
    kan_source_close(source);
}

/* Reads whatever comes; what fails must say something, and not take the program along. */
static void try_reading(fixture *f, const kan_source_kind *kind) {
    kan_source *source;
    kan_table *table;
    kan_status status = open_with(f, kind, NULL, &source);
    if (status == KAN_OK) {
        status = kan_source_read(source, all, NULL, &table);
        if (status == KAN_OK)
            kan_table_destroy(table);
        kan_source_close(source);
    }
    if (status != KAN_OK) {
        assert_true(status == KAN_BAD_INPUT || status == KAN_FAILED);
        assert_told(f, ";");
    }
}

static void damaged_parquet_is_told(void **state) {
    fixture *f = *state;
    static char bytes[1 << 20], damaged[1 << 20];
    uint64_t random = 24;
    need_library();
    copy_sql(f,
             "SELECT i, i % 97 AS m, 'text ' || (i % 109) AS t, i / 7.0 AS d, "
             "DATE '2000-01-01' + i::INTEGER AS b FROM range(5000) r(i)",
             "FORMAT parquet, ROW_GROUP_SIZE 2048");
    FILE *file = fopen(f->path, "rb");
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t cut = 1; cut < size; cut += 1 + size / 20) {
        put(f, bytes, cut);
        try_reading(f, &kan_source_parquet);
    }
    for (int i = 0; i < 60; i++) {
        memcpy(damaged, bytes, size);
        for (uint64_t n = 1 + kan_random_below(&random, 4); n > 0; n--) {
            const size_t tail = size > 2000 && n % 2 ? size - 2000 : 0; /* what describes it */
            damaged[tail + kan_random_below(&random, size - tail)] ^=
                (char)(1 << kan_random_below(&random, 8));
        }
        put(f, damaged, size);
        try_reading(f, &kan_source_parquet);
    }
}

static void json_lines_are_read(void **state) {
    fixture *f = *state;
    static const char lines[] =
        "{\"a\":1,\"b\":\"x\\u00e9\\n\\\"q\",\"c\":null,\"d\":1.50,\"e\":true}\n"
        "{\"a\":20,\"b\":\"1/2/2020\",\"d\":2,\"it's\":12345678901234567890123}\n\n"
        "{\"b\":\"2020-01-02\",\"e\":false}";
    static const char list[] = "[{\"a\":1},\n{\"a\":\"\"},{}]";
    need_library();
    put(f, lines, sizeof lines - 1);
    assert_reads(f, &kan_source_json,
                 "1|x\xc3\xa9\n\"q||1.5|true|\n20|1/2/2020||2||12345678901234567890123\n"
                 "|2020-01-02|||false|\n");
    put(f, list, sizeof list - 1);
    assert_reads(f, &kan_source_json, "1\n\n\n");
}

static void damaged_json_is_told(void **state) {
    fixture *f = *state;
    static const char *const bad[] = {"{\"a\":1}\n{\"a\":", "5\n6\n",     "[1,2]",
                                      "{\"a\":\"\xff\"}",   "no JSON",    "{\"a\":1,\"A\":2}",
                                      "{\"a\":[1]}",        "{\"a\":1}{", "\n",
                                      "{\"a\":\"\\ud83d\"}"};
    kan_source *source;
    kan_table *table;
    need_library();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put(f, bad[i], strlen(bad[i]));
        kan_status status = open_with(f, &kan_source_json, NULL, &source);
        if (status == KAN_OK) {
            status = kan_source_read(source, all, NULL, &table);
            kan_source_close(source);
        }
        if (status != KAN_BAD_INPUT)
            fail_msg("%s: %s", bad[i], kan_run_error(f->run));
        assert_told(f, f->path);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_texts_that_read_back),
        cmocka_unit_test(what_a_type_does_not_have_is_refused),
        cmocka_unit_test(random_values_read_back),
        cmocka_unit_test_setup_teardown(json_is_text_and_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_missing_or_wrong_library_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_parquet_is_told_without_the_library, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(parquet_of_all_types_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nested_columns_are_refused_only_when_they_are_read, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(names_may_hold_anything, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_row_groups_are_the_same_on_any_number_of_threads,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_row_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_parquet_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(json_lines_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_json_is_told, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
