/* engine/sql/dialect.h and engine/sql/sql.h: the statements as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "engine/sql/sql.h"

static kan_run *run;
static kan_text sql;

static int begin(void **state) {
    (void)state;
    run = kan_run_create();
    return run ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    kan_run_destroy(run);
    return 0;
}

static void assert_sql(const char *want) {
    assert_int_equal(kan_text_status(&sql), KAN_OK);
    assert_string_equal(sql.bytes, want);
    kan_text_destroy(&sql);
}

static void names_and_texts_are_quoted_as_each_dialect_has_it(void **state) {
    static const struct {
        const kan_dialect *dialect;
        const char *name, *text;
    } rows[] = {
        {&kan_dialect_postgres, "\"a\"\"`'\\b\"", "'a\"`''\\b'"},
        {&kan_dialect_duckdb, "\"a\"\"`'\\b\"", "'a\"`''\\b'"},
        {&kan_dialect_sqlite, "\"a\"\"`'\\b\"", "'a\"`''\\b'"},
        {&kan_dialect_mariadb, "`a\"``'\\b`", "'a\"`''\\\\b'"},
        {&kan_dialect_clickhouse, "`a\"\\`'\\\\b`", "'a\"`\\'\\\\b'"},
        {&kan_dialect_ansi, "\"a\"\"`'\\b\"", "'a\"`''\\b'"},
        {&kan_dialect_snowflake, "\"a\"\"`'\\b\"", "'a\"`''\\\\b'"},
        {&kan_dialect_bigquery, "`a\"\\`'\\\\b`", "'a\"`\\'\\\\b'"},
        {&kan_dialect_databricks, "`a\"``'\\b`", "'a\"`\\'\\\\b'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kan_text_init(&sql, run);
        kan_sql_name(&sql, rows[i].dialect, "a\"`'\\b");
        assert_sql(rows[i].name);
        kan_text_init(&sql, run);
        kan_sql_text(&sql, rows[i].dialect, kan_slice_of("a\"`'\\b"));
        assert_sql(rows[i].text);
    }
}

/* What a client would put something else for, or take for the end, before the statement is read. */
static void texts_have_no_sign_that_their_clients_would_read(void **state) {
    static const struct {
        const kan_dialect *dialect;
        const char *text;
    } rows[] = {
        {&kan_dialect_bigquery, "'a\\nb\\r${c}'"},
        {&kan_dialect_clickhouse, "'a\\nb\\r${c}'"},
        {&kan_dialect_databricks, "'a\nb\r$\\{c}'"},
        {&kan_dialect_snowflake, "'a\nb\r${c}'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kan_text_init(&sql, run);
        kan_sql_text(&sql, rows[i].dialect, kan_slice_of("a\nb\r${c}"));
        assert_sql(rows[i].text);
    }
}

static kan_sql_column column(const kan_dialect *dialect, const char *name, const char *type) {
    return (kan_sql_column){name, type, kan_dialect_form(dialect, type), true};
}

static void a_fold_groups_by_the_column_where_its_text_follows_from_it(void **state) {
    const kan_sql_column columns[] = {column(&kan_dialect_postgres, "age", "integer"),
                                      column(&kan_dialect_postgres, "secret", "bytea"),
                                      column(&kan_dialect_postgres, "town", "text")};
    const bool encode[] = {true, false, true};
    const kan_sql_table table = {&kan_dialect_postgres, "\"s\".\"people\"", 3, columns, "kx_"};
    (void)state;
    kan_text_init(&sql, run);
    kan_sql_fold(&sql, &table, encode);
    assert_sql("SELECT CAST(kx_0 AS text), kx_2, CAST(kx_n AS text) FROM (SELECT \"age\" AS kx_0, "
               "CAST(\"town\" AS text) COLLATE \"C\" AS kx_2, count(*) AS kx_n FROM "
               "\"s\".\"people\" GROUP BY \"age\", CAST(\"town\" AS text) COLLATE \"C\") AS kx_g");
}

/* A collation that is not deterministic takes texts for one whose bytes differ. */
static void texts_that_are_compared_by_bytes_are_grouped_as_they_are(void **state) {
    static const struct {
        const char *type;
        bool is_raw;
    } cases[] = {{"text by bytes", true},
                 {"character varying(30) by bytes", true},
                 {"character varying by bytes", true},
                 {"text", false},
                 {"character varying(30)", false},
                 {"character(3)", false},
                 {"citext", false},
                 {"bpchar", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(kan_dialect_form(&kan_dialect_postgres, cases[i].type)->groups_raw,
                         cases[i].is_raw);
    assert_true(kan_dialect_label_form(&kan_dialect_postgres)->groups_raw);
}

/* '' is the missing value as NULL is: who sees the values themselves would tell them apart. */
static void an_enum_with_an_empty_text_is_released_as_text(void **state) {
    static const struct {
        const kan_dialect *dialect;
        const char *type;
        bool is_lossy;
    } rows[] = {
        {&kan_dialect_postgres, "enum", false},
        {&kan_dialect_postgres, "enum with an empty text", true},
        {&kan_dialect_duckdb, "ENUM('a', 'b')", false},
        {&kan_dialect_duckdb, "ENUM('a', '', 'b')", true},
        {&kan_dialect_clickhouse, "Nullable(Enum8('a' = 1))", false},
        {&kan_dialect_clickhouse, "Nullable(Enum8('a' = 1, '' = 2))", true},
        {&kan_dialect_mariadb, "enum('a','b')", false},
        {&kan_dialect_mariadb, "enum('a','')", true},
        {&kan_dialect_mariadb, "set('','a')", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(kan_dialect_form(rows[i].dialect, rows[i].type)->is_lossy,
                         rows[i].is_lossy);
}

static void a_fold_of_no_column_counts_rows(void **state) {
    const kan_sql_column columns[] = {column(&kan_dialect_clickhouse, "age", "UInt8")};
    const bool encode[] = {false};
    const kan_sql_table table = {&kan_dialect_clickhouse, "`d`.`t`", 1, columns, "kx_"};
    (void)state;
    kan_text_init(&sql, run);
    kan_sql_fold(&sql, &table, encode);
    assert_sql("SELECT toString(kx_n) FROM (SELECT count(*) AS kx_n FROM `d`.`t`) AS kx_g");
}

static void own_names_begin_as_no_column_does(void **state) {
    const kan_sql_column columns[] = {column(&kan_dialect_postgres, "KX_0", "integer"),
                                      column(&kan_dialect_postgres, "kx1_", "integer"),
                                      column(&kan_dialect_postgres, "kx0_", "integer")};
    kan_arena arena;
    const char *prefix;
    (void)state;
    kan_arena_init(&arena, run);
    assert_int_equal(kan_sql_prefix(&arena, 3, columns, &prefix), KAN_OK);
    assert_string_equal(prefix, "kx2_");
    assert_int_equal(kan_sql_prefix(&arena, 0, columns, &prefix), KAN_OK);
    assert_string_equal(prefix, "kx_");
    kan_arena_destroy(&arena);
}

static void types_find_their_form(void **state) {
    const kan_dialect *const pg = &kan_dialect_postgres, *const ch = &kan_dialect_clickhouse;
    (void)state;
    assert_true(kan_dialect_form(pg, "numeric(9,2)")->groups_raw);
    assert_false(kan_dialect_form(pg, "numeric")->groups_raw);
    assert_true(kan_dialect_form(pg, "double precision")->is_real);
    assert_null(kan_dialect_form(pg, "integer[]")->text);
    assert_null(kan_dialect_form(pg, "jsonb")->text);
    assert_int_equal(kan_dialect_form(pg, "timestamp(3) with time zone")->field,
                     KAN_FIELD_TIMESTAMP);
    assert_int_equal(kan_dialect_form(ch, "Nullable(Date)")->field, KAN_FIELD_DATE);
    assert_true(kan_dialect_form(ch, "LowCardinality(Nullable(String))")->is_text);
    assert_null(kan_dialect_form(ch, "Array(String)")->text);
    assert_null(kan_dialect_form(ch, "Nullable(")->text);
    assert_null(kan_dialect_form(&kan_dialect_duckdb, "INTEGER[3]")->text);
    assert_null(kan_dialect_form(&kan_dialect_duckdb, "STRUCT(a INTEGER)")->text);
    assert_int_equal(kan_dialect_form(&kan_dialect_mariadb, "INT(11) unsigned")->field,
                     KAN_FIELD_NUMBER);
    assert_true(kan_dialect_form(&kan_dialect_mariadb, "float")->is_lossy);
}

static void tables_are_renamed_in_their_schema(void **state) {
    (void)state;
    kan_text_init(&sql, run);
    kan_sql_rename(&sql, &kan_dialect_postgres, "\"s\".\"a\"", "s", "b");
    assert_sql("ALTER TABLE \"s\".\"a\" RENAME TO \"b\"");
    kan_text_init(&sql, run);
    kan_sql_rename(&sql, &kan_dialect_clickhouse, "`s`.`a`", "s", "b");
    assert_sql("RENAME TABLE `s`.`a` TO `s`.`b`");
    kan_text_init(&sql, run);
    kan_sql_drop(&sql, &kan_dialect_duckdb, "\"a\"");
    assert_sql("DROP TABLE IF EXISTS \"a\"");
}

static void names_that_an_engine_would_cut_are_refused(void **state) {
    char name[65];
    (void)state;
    memset(name, 'x', 64);
    name[64] = '\0';
    assert_int_equal(kan_sql_check_name(run, &kan_dialect_postgres, name), KAN_BAD_INPUT);
    assert_int_equal(kan_sql_check_name(run, &kan_dialect_postgres, name + 1), KAN_OK);
    assert_int_equal(kan_sql_check_name(run, &kan_dialect_duckdb, name), KAN_OK);
    assert_int_equal(kan_sql_check_name(run, &kan_dialect_duckdb, ""), KAN_BAD_INPUT);
    assert_int_equal(kan_sql_check_name(run, &kan_dialect_duckdb, "a\xff"), KAN_BAD_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_texts_are_quoted_as_each_dialect_has_it),
        cmocka_unit_test(texts_have_no_sign_that_their_clients_would_read),
        cmocka_unit_test(a_fold_groups_by_the_column_where_its_text_follows_from_it),
        cmocka_unit_test(a_fold_of_no_column_counts_rows),
        cmocka_unit_test(texts_that_are_compared_by_bytes_are_grouped_as_they_are),
        cmocka_unit_test(an_enum_with_an_empty_text_is_released_as_text),
        cmocka_unit_test(own_names_begin_as_no_column_does),
        cmocka_unit_test(types_find_their_form),
        cmocka_unit_test(tables_are_renamed_in_their_schema),
        cmocka_unit_test(names_that_an_engine_would_cut_are_refused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
