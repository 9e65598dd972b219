/* engine/address.h: what users write, taken apart; passwords are refused and never repeated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "engine/address.h"

static kan_run *run;
static kan_arena arena;

static int begin(void **state) {
    (void)state;
    run = kan_run_create();
    kan_arena_init(&arena, run);
    return run ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    kan_arena_destroy(&arena);
    kan_run_destroy(run);
    return 0;
}

static kan_address parse(const char *text) {
    kan_address address;
    if (kan_address_parse(run, &arena, text, &address) != KAN_OK)
        fail_msg("%s: %s", text, kan_run_error(run));
    return address;
}

static void assert_part(const char *part, const char *want) {
    if (!part || !want)
        assert_true(part == want);
    else
        assert_string_equal(part, want);
}

static void an_address_is_taken_apart(void **state) {
    static const struct {
        const char *text, *scheme, *user, *host, *port, *database, *schema, *table;
    } rows[] = {
        {"postgres://h/db?table=people", "postgres", NULL, "h", NULL, "db", NULL, "people"},
        {"postgresql://u@h:5433/db?table=s.people", "postgres", "u", "h", "5433", "db", "s",
         "people"},
        {"POSTGRES:///db?table=x", "postgres", NULL, NULL, NULL, "db", NULL, "x"},
        {"postgres://[::1]:99/?table=x", "postgres", NULL, "::1", "99", NULL, NULL, "x"},
        {"postgres://u%40x@h/a%2Fb?table=%22a.%22%22b%22.c", "postgres", "u@x", "h", NULL, "a/b",
         "a.\"b", "c"},
        {"clickhouse://h:8123/db/people", "clickhouse", NULL, "h", "8123", "db", "db", "people"},
        {"clickhouse://u@h/d%2F/a.b?secure=1", "clickhouse", "u", "h", NULL, "d/", "d/", "a.b"},
        {"odbc:DSN=w;table=people", "odbc", NULL, NULL, NULL, "DSN=w", NULL, "people"},
        {"odbc:table=s.x;Driver={a;b}};};UID=me", "odbc", NULL, NULL, NULL,
         "Driver={a;b}};};UID=me", "s", "x"},
        {"odbc:DSN=w;TABLE={\"a;}}b\".c}", "odbc", NULL, NULL, NULL, "DSN=w", "a;}b", "c"},
        {"duckdb:/tmp/a?b.db?table=people", "duckdb", NULL, NULL, NULL, "/tmp/a?b.db", NULL,
         "people"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const kan_address a = parse(rows[i].text);
        assert_true(kan_address_is_one(rows[i].text));
        assert_string_equal(a.text, rows[i].text);
        assert_string_equal(a.scheme, rows[i].scheme);
        assert_part(a.user, rows[i].user);
        assert_part(a.host, rows[i].host);
        assert_part(a.port, rows[i].port);
        assert_part(a.database, rows[i].database);
        assert_part(a.schema, rows[i].schema);
        assert_part(a.table, rows[i].table);
    }
}

static void options_are_found_by_name(void **state) {
    const kan_address a = parse("postgres://h/db?sslmode=verify-full&table=x&a%3D=%26");
    (void)state;
    assert_int_equal(a.n_options, 2);
    assert_string_equal(kan_address_option(&a, "sslmode"), "verify-full");
    assert_string_equal(kan_address_option(&a, "a="), "&");
    assert_null(kan_address_option(&a, "table"));
}

static void what_is_wrong_is_bad_input_and_says_how_it_is_written(void **state) {
    static const char *const texts[] = {
        "postgres://h/db",
        "postgres://h/db?table=",
        "postgres://h/db?table=a.b.c",
        "postgres://h/db?table=%22a",
        "postgres://h/db?table=a&table=b",
        "postgres://h/db?table=a&x=1&x=2",
        "postgres://h/db?table",
        "postgres://h/db/x?table=a",
        "postgres://h:0/db?table=a",
        "postgres://h:70000/db?table=a",
        "postgres://h:/db?table=a",
        "postgres://h/db?table=%4",
        "postgres://h/db?table=%zz",
        "postgres://h/db?table=a%00b",
        "postgres://h/db?table=a#b",
        "clickhouse://h/db",
        "clickhouse://h/db/",
        "clickhouse://h//x",
        "clickhouse:///db/x",
        "clickhouse://h/db/x/y",
        "clickhouse://h/db/x?table=y",
        "odbc:DSN=w",
        "odbc:table=x",
        "odbc:DSN",
        "odbc:DSN={a;table=x",
        "odbc:DSN={a}b;table=x",
        "duckdb:a.db",
        "duckdb:?table=x",
        "postgres://h/db?schema=s",
        "duckdb:a.db?schema=s",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        kan_address address;
        assert_int_equal(kan_address_parse(run, &arena, texts[i], &address), KAN_BAD_INPUT);
        assert_non_null(strstr(kan_run_error(run), "; write "));
    }
}

static void a_schema_is_taken_where_one_is_wanted(void **state) {
    static const char *const texts[] = {
        "postgres://u@h/db?schema=a.%22b&sslmode=require",
        "postgresql://u@h/db?sslmode=require&schema=a.%22b",
        "duckdb:db?schema=a.%22b",
    };
    static const char *const wrong[] = {
        "postgres://h/db?schema=",
        "postgres://h/db?schema=a&schema=a",
        "postgres://h/db?schema=a&table=b",
        "postgres://h/db?table=a.b&schema=a",
        "postgres://h/db",
        "duckdb:a.db",
        "clickhouse://h/db",
        "clickhouse://h/db?schema=a",
        "odbc:DSN=w;schema=a",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        kan_address a;
        assert_int_equal(kan_address_parse_any(run, &arena, texts[i], &a), KAN_OK);
        assert_string_equal(a.schema, "a.\"b");
        assert_string_equal(a.database, "db");
        assert_null(a.table);
        assert_null(kan_address_option(&a, "schema"));
        assert_int_equal(kan_address_parse(run, &arena, texts[i], &a), KAN_BAD_INPUT);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        kan_address a;
        assert_int_equal(kan_address_parse_any(run, &arena, wrong[i], &a), KAN_BAD_INPUT);
        assert_non_null(strstr(kan_run_error(run), "; write "));
    }
    kan_address a;
    assert_int_equal(
        kan_address_parse_any(run, &arena, "postgres://h/db?schema=s&password=hunter2", &a),
        KAN_BAD_INPUT);
    assert_null(strstr(kan_run_error(run), "hunter2"));
    assert_int_equal(kan_address_parse_any(run, &arena, "clickhouse://h/db/x?schema=a", &a),
                     KAN_OK);
    assert_string_equal(kan_address_option(&a, "schema"), "a"); /* one of its settings */
}

static void a_password_is_refused_and_not_repeated(void **state) {
    static const char *const texts[] = {
        "postgres://u:hunter2@h/db?table=x",         "postgres://u@h/db?table=x&password=hunter2",
        "postgres://u@h/db?PassWord=hunter2",        "clickhouse://u:hunter2@h/db/x",
        "clickhouse://h/db/x?password=hunter2",      "odbc:DSN=w;PWD=hunter2;table=x",
        "odbc:DSN=w;Password={hunter2};table=x",     "postgres://:hunter2@h/db?table=x",
        "postgres://h/db?table=x&p%61ss=hunter2",    "odbc:DSN=w; PWD=hunter2;table=x",
        "odbc:DSN=w;Pass =hunter2;table=x",          "odbc:DSN=w;AuthToken=hunter2;table=x",
        "odbc:DSN=w;SSLKeyPassword=hunter2;table=x", "postgres://u%3Ahunter2@h/db?table=x",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        kan_address address;
        assert_int_equal(kan_address_parse(run, &arena, texts[i], &address), KAN_BAD_INPUT);
        assert_non_null(strstr(kan_run_error(run), "password"));
        assert_null(strstr(kan_run_error(run), "hunter2"));
    }
}

static void a_path_is_no_address(void **state) {
    static const char *const paths[] = {"people.csv", "/tmp/a:b", "./odbc:x", "a/b://c",
                                        "",           "-",        "://",      "1://x"};
    kan_address address;
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        assert_false(kan_address_is_one(paths[i]));
    assert_true(kan_address_is_one("postgre://h/db"));
    assert_int_equal(kan_address_parse(run, &arena, "postgre://u:hunter2@h/db", &address),
                     KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(run), "postgres://"));
    assert_null(strstr(kan_run_error(run), "hunter2"));
}

static void a_mistyped_address_is_no_path_and_not_repeated(void **state) {
    static const char *const texts[] = {
        "postgres:u:hunter2@h/db",
        "postgres//u:hunter2@h/db?table=x",
        "postgresql:/u:hunter2@h/db",
        "jdbc:postgresql://u:hunter2@h/db",
        "JDBC:clickhouse:hunter2",
        "clickhouse:u:hunter2@h/db/x",
        "ClickHouse//u:hunter2@h/db/x",
        "mysql:u:hunter2@h/db",
        "DSN=w;PWD=hunter2;table=x",
        "driver={x};pwd=hunter2",
        "u:hunter2@h/db?table=x",
        "u:hunter2@h/db?schema=x",
        "odbc//DSN=w;PWD=hunter2",
        "postgres:///u:hunter2@h/db/x",
        "duckdb//hunter2",
    };
    static const char *const paths[] = {"./postgres:x", "postgres/x", "postgres.csv", "odbc",
                                        "a@b.csv",      "driver=x",   "pgdata//x",    "x?table=y"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        kan_address address;
        assert_true(kan_address_is_one(texts[i]));
        assert_int_equal(kan_address_parse(run, &arena, texts[i], &address), KAN_BAD_INPUT);
        assert_non_null(strstr(kan_run_error(run), "write "));
        assert_null(strstr(kan_run_error(run), "hunter2"));
    }
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        assert_false(kan_address_is_one(paths[i]));
}

static bool is_near(const char *a, const char *b) {
    const kan_address first = parse(a), second = parse(b);
    return kan_address_is_near(&first, &second);
}

static void addresses_of_one_connection_are_near(void **state) {
    (void)state;
    assert_true(is_near("postgres://h/db?table=a", "postgresql://h:5432/db?table=s.b"));
    assert_true(is_near("postgres://u@h/db?table=a", "postgres://h/db?table=b"));
    assert_true(is_near("clickhouse://h/db/a", "clickhouse://h:8123/other/b"));
    assert_false(is_near("postgres://u@h/db?table=a", "postgres://v@h/db?table=b"));
    assert_false(is_near("postgres://h/db?table=a", "postgres://g/db?table=b"));
    assert_false(is_near("postgres://h/db?table=a", "postgres://h/other?table=b"));
    assert_false(is_near("postgres://h/db?table=a", "postgres://h:5433/db?table=b"));
    assert_false(is_near("postgres://h/db?table=a", "postgres://h/db?table=b&sslmode=disable"));
    assert_false(is_near("postgres://h/db?table=a", "clickhouse://h/db/a"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_taken_apart),
        cmocka_unit_test(options_are_found_by_name),
        cmocka_unit_test(what_is_wrong_is_bad_input_and_says_how_it_is_written),
        cmocka_unit_test(a_schema_is_taken_where_one_is_wanted),
        cmocka_unit_test(a_password_is_refused_and_not_repeated),
        cmocka_unit_test(a_path_is_no_address),
        cmocka_unit_test(a_mistyped_address_is_no_path_and_not_repeated),
        cmocka_unit_test(addresses_of_one_connection_are_near),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
