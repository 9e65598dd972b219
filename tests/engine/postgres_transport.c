/* The transport of PostgreSQL with SQL written by hand: postgres_transport.sh starts the server, and
 * says where in PGHOST, PGPORT, PGUSER and PGDATABASE. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/postgres/postgres.h"
#include "engine/sql/dialect.h"
#include "engine/transport.h"

static const kan_transport *pg;

static const kan_address people = {
    .text = "postgres:///postgres?table=people", .scheme = "postgres", .table = "people"};

/* What came, as lines: fields between |, NULL as ~. */
typedef struct lines {
    kan_text text;
    size_t n_columns;
    uint64_t n_rows;
} lines;

static kan_status take(void *context, const kan_slice *values) {
    lines *got = context;
    for (size_t i = 0; i < got->n_columns; i++) {
        if (values[i].bytes)
            kan_text_add(&got->text, values[i].bytes, values[i].size);
        else
            kan_text_add(&got->text, "~", 1);
        kan_text_add(&got->text, i + 1 < got->n_columns ? "|" : "\n", 1);
    }
    got->n_rows++;
    return kan_text_status(&got->text);
}

static kan_status query(kan_run *run, void *connection, const char *sql, size_t n_columns,
                        lines *out) {
    *out = (lines){.n_columns = n_columns};
    kan_text_init(&out->text, run);
    return pg->query(connection, 0, &(kan_statement){.sql = sql, .what = "look"}, n_columns,
                     &(kan_row_taker){take, out});
}

static void assert_gives(kan_run *run, void *connection, const char *sql, size_t n_columns,
                         const char *want) {
    lines got;
    if (query(run, connection, sql, n_columns, &got) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    assert_string_equal(got.text.bytes ? got.text.bytes : "", want);
    kan_text_destroy(&got.text);
}

static kan_status execute(void *connection, const char *sql) {
    return pg->execute(connection, 0, &(kan_statement){.sql = sql, .what = "do this"});
}

static kan_status commit(void *connection) {
    return pg->execute(connection, 0,
                       &(kan_statement){.sql = "COMMIT", .what = "do this", .is_final = true});
}

static void *connect_to(kan_run *run, const kan_address *address) {
    void *connection = NULL;
    if (pg->connect(run, address, NULL, &connection) != KAN_OK ||
        execute(connection, kan_dialect_postgres.begin) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    return connection;
}

static void assert_says(const kan_run *run, const char *part) {
    if (!strstr(kan_run_error(run), part))
        fail_msg("'%s' is not in: %s", part, kan_run_error(run));
}

/* Does it in a session of its own, and commits. */
static void do_beside(const char *sql) {
    kan_run *run = kan_run_create();
    void *connection = connect_to(run, &people);
    if (execute(connection, sql) != KAN_OK || commit(connection) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    pg->disconnect(connection);
    kan_run_destroy(run);
}

static void fields_come_as_they_are(void **state) {
    kan_run *run = *state;
    void *connection = connect_to(run, &people);
    assert_gives(run, connection,
                 "SELECT E'a\\tb\\\\N', E'\\n\\r\\b\\f\\x0b', NULL, '', E'\\\\.' UNION ALL SELECT "
                 "'\\N', 'N', 'x', NULL, '\\' -- a comment",
                 5, "a\tb\\N|\n\r\b\f\v|~||\\.\n\\N|N|x|~|\\\n");
    pg->disconnect(connection);
}

static void bytes_received_are_those_of_the_rows(void **state) {
    kan_run *run = *state;
    void *connection = connect_to(run, &people);
    assert_int_equal(pg->n_received(connection), 0);
    assert_gives(run, connection, "SELECT 'abc', 'de' UNION ALL SELECT NULL, ''", 2,
                 "abc|de\n~|\n");
    /* A message of five bytes and a line each. */
    assert_int_equal(pg->n_received(connection), 5 + 7 + 5 + 4);
    pg->disconnect(connection);
}

typedef struct pairs {
    size_t next, n;
    const char *(*values)[2];
} pairs;

static kan_status give(void *context, kan_slice *values, bool *is_row) {
    pairs *given = context;
    *is_row = given->next < given->n;
    for (size_t i = 0; *is_row && i < 2; i++) {
        const char *value = given->values[given->next][i];
        values[i] = value ? kan_slice_of(value) : (kan_slice){NULL, 0};
    }
    given->next += *is_row;
    return KAN_OK;
}

static void what_is_loaded_comes_back(void **state) {
    kan_run *run = *state;
    void *connection = connect_to(run, &people);
    const char *values[][2] = {{"a\tb\\N", "\n\r\\.\b"}, {NULL, ""}, {"\\N", "\\"}, {"ü'\"", "--"}};
    pairs given = {.n = 4, .values = values};
    assert_int_equal(execute(connection, "CREATE TEMP TABLE \"a ''\"\"b\" (x text, y text)"),
                     KAN_OK);
    assert_int_equal(pg->load(connection, 0, "\"a ''\"\"b\"", 2, &(kan_row_giver){give, &given}),
                     KAN_OK);
    assert_gives(run, connection, "SELECT x, y FROM \"a ''\"\"b\"", 2,
                 "a\tb\\N|\n\r\\.\b\n~|\n\\N|\\\nü'\"|--\n");
    pg->disconnect(connection);
}

static kan_status give_many(void *context, kan_slice *values, bool *is_row) {
    static const char text[1000] = {'x'};
    size_t *left = context;
    *is_row = *left > 0;
    *left -= *is_row;
    values[0] = (kan_slice){text, 1};
    values[1] = kan_slice_of("some words that take a little room on their way to the server");
    return KAN_OK;
}

static void a_load_larger_than_all_buffers_arrives(void **state) {
    kan_run *run = *state;
    void *connection = connect_to(run, &people);
    size_t n = 200000;
    assert_int_equal(execute(connection, "CREATE TEMP TABLE many (x text, y text)"), KAN_OK);
    assert_int_equal(pg->load(connection, 0, "many", 2, &(kan_row_giver){give_many, &n}), KAN_OK);
    assert_gives(run, connection, "SELECT CAST(count(*) AS text) FROM many", 1, "200000\n");
    pg->disconnect(connection);
}

static void a_load_that_is_refused_says_so(void **state) {
    kan_run *run = *state;
    void *connection = connect_to(run, &people);
    size_t n = 200000;
    assert_int_equal(execute(connection, "CREATE TEMP TABLE few (x integer, y text)"), KAN_OK);
    assert_int_equal(pg->load(connection, 0, "few", 2, &(kan_row_giver){give_many, &n}),
                     KAN_FAILED);
    assert_says(run, "invalid input syntax for type integer");
    assert_null(strstr(kan_run_error(run), "\"x\""));
    /* It is in order otherwise. */
    assert_int_equal(execute(connection, "ROLLBACK"), KAN_OK);
    assert_gives(run, connection, "SELECT 'x'", 1, "x\n");
    pg->disconnect(connection);
}

static void columns_have_the_types_behind_their_names(void **state) {
    kan_run *run = *state;
    do_beside("CREATE DOMAIN short AS varchar(5); CREATE DOMAIN shorter AS short CHECK (VALUE <> "
              "''); CREATE TYPE \"Mood\" AS ENUM ('sad', 'happy'); CREATE SCHEMA \"My Schema\"; "
              "CREATE TABLE \"My Schema\".\"it's \"\"one\"\"\" (a integer NOT NULL, gone text, "
              "\"B\"\"b\" shorter, c \"Mood\", d numeric(8,2), e timestamptz, f text[], g "
              "character(3), h bpchar, PRIMARY KEY (a)); ALTER TABLE \"My "
              "Schema\".\"it's \"\"one\"\"\" DROP COLUMN gone; CREATE VIEW people AS SELECT * FROM "
              "\"My Schema\".\"it's \"\"one\"\"\"; CREATE TABLE divided (a integer NOT NULL) "
              "PARTITION BY RANGE (a)");
    static const char want[] = "integer|%d\nB\"b|character varying(5) by "
                               "bytes|1\nc|enum|1\nd|numeric(8,2)|1\ne|timestamp with "
                               "time zone|1\nf|text[]|1\ng|character(3)|1\nh|bpchar|1\n";
    const kan_address table = {
        .text = "postgres:///postgres?table=x", .schema = "My Schema", .table = "it's \"one\""};
    const kan_address *const both[] = {&table, &people};
    for (int i = 0; i < 2; i++) {
        char wanted[512] = "a|";
        (void)snprintf(wanted + 2, sizeof wanted - 2, want, i);
        void *connection = connect_to(run, both[i]);
        lines got = {.n_columns = 3};
        kan_text_init(&got.text, run);
        assert_int_equal(pg->columns(connection, &(kan_row_taker){take, &got}), KAN_OK);
        assert_string_equal(got.text.bytes, wanted);
        kan_text_destroy(&got.text);
        pg->disconnect(connection);
    }
    /* What holds for a table need not hold for all the tables below it. */
    const kan_address divided = {.text = "postgres:///postgres?table=x", .table = "divided"};
    void *connection = connect_to(run, &divided);
    lines got = {.n_columns = 3};
    kan_text_init(&got.text, run);
    assert_int_equal(pg->columns(connection, &(kan_row_taker){take, &got}), KAN_OK);
    assert_string_equal(got.text.bytes, "a|integer|1\n");
    kan_text_destroy(&got.text);
    pg->disconnect(connection);
    do_beside("DROP VIEW people; DROP TABLE divided; DROP SCHEMA \"My Schema\" CASCADE; DROP "
              "DOMAIN shorter, short; DROP TYPE \"Mood\"");
}

static void a_table_that_is_not_there_is_told(void **state) {
    kan_run *run = *state;
    do_beside("CREATE TABLE peoples (a integer); CREATE INDEX by_a ON peoples (a)");
    static const struct {
        const char *schema, *table, *part;
    } cases[] = {{NULL, "people", "did you mean 'peoples'?"},
                 {"nowhere", "people", "there is no table 'people'"},
                 {NULL, "by_a", "neither a table nor a view"},
                 {NULL, "PEOPLES", "there is no table 'PEOPLES'"},
                 {NULL, "a234567890b234567890c234567890d234567890e234567890f2345678901234",
                  "more than 63 bytes"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const kan_address address = {.text = "postgres:///postgres?table=x",
                                     .schema = cases[i].schema,
                                     .table = cases[i].table};
        void *connection = connect_to(run, &address);
        lines got = {.n_columns = 3};
        kan_text_init(&got.text, run);
        assert_int_equal(pg->columns(connection, &(kan_row_taker){take, &got}), KAN_BAD_INPUT);
        assert_says(run, cases[i].part);
        assert_int_equal(got.n_rows, 0);
        kan_text_destroy(&got.text);
        pg->disconnect(connection);
    }
    do_beside("DROP TABLE peoples");
}

static void texts_do_not_depend_on_the_session(void **state) {
    kan_run *run = *state;
    assert_int_equal(setenv("PGOPTIONS",
                            "-c TimeZone=Asia/Tokyo -c DateStyle=German -c extra_float_digits=-5 "
                            "-c standard_conforming_strings=off",
                            1),
                     0);
    assert_int_equal(setenv("PGCLIENTENCODING", "LATIN1", 1), 0);
    void *connection = connect_to(run, &people);
    assert_int_equal(unsetenv("PGOPTIONS"), 0);
    assert_int_equal(unsetenv("PGCLIENTENCODING"), 0);
    assert_gives(
        run, connection,
        "SELECT CAST(timestamptz '2020-01-01 00:30:00+09' AS text), CAST(date '2020-02-01' "
        "AS text), CAST(CAST(0.1 AS float8) + 0.2 AS text), 'a\\b', 'ü'",
        5, "2019-12-31 15:30:00+00|2020-02-01|0.30000000000000004|a\\b|ü\n");
    pg->disconnect(connection);
}

static void one_snapshot_is_seen(void **state) {
    kan_run *run = *state;
    do_beside("CREATE TABLE people (a integer); INSERT INTO people VALUES (1)");
    void *connection = connect_to(run, &people);
    assert_gives(run, connection, "SELECT CAST(count(*) AS text) FROM people", 1, "1\n");
    do_beside("INSERT INTO people VALUES (2)");
    assert_gives(run, connection, "SELECT CAST(count(*) AS text) FROM people", 1, "1\n");
    pg->disconnect(connection);
    do_beside("DROP TABLE people");
}

static void what_is_not_committed_is_not_there(void **state) {
    kan_run *run = *state;
    void *connection = connect_to(run, &people);
    assert_int_equal(execute(connection, "CREATE TABLE people (a integer)"), KAN_OK);
    pg->disconnect(connection);
    connection = connect_to(run, &people);
    assert_gives(run, connection, "SELECT relname FROM pg_class WHERE relname = 'people'", 1, "");
    pg->disconnect(connection);
}

static void a_commit_after_a_failure_is_none(void **state) {
    kan_run *run = *state;
    void *connection = connect_to(run, &people);
    assert_int_equal(execute(connection, "CREATE TABLE people (a integer)"), KAN_OK);
    assert_int_equal(execute(connection, "SELECT 1 / 0"), KAN_FAILED);
    assert_int_equal(commit(connection), KAN_FAILED);
    assert_says(run, "rolled everything back");
    pg->disconnect(connection);
}

static void *cancel_later(void *context) {
    (void)usleep(300 * 1000);
    kan_run_cancel(context);
    return NULL;
}

/* The server is not in the middle of `mark` any more. */
static void assert_not_running(const char *mark) {
    kan_run *run = kan_run_create();
    void *connection = connect_to(run, &people);
    char sql[256];
    (void)snprintf(sql, sizeof sql,
                   "SELECT query FROM pg_stat_activity WHERE state = 'active' AND pid <> "
                   "pg_backend_pid() AND position('%s' in query) > 0",
                   mark);
    assert_gives(run, connection, sql, 1, "");
    pg->disconnect(connection);
    kan_run_destroy(run);
}

static void a_cancelled_run_ends_the_statement_on_the_server(void **state) {
    static const char *const statements[] = {
        "SELECT CAST(pg_sleep(100) AS text)",
        "SELECT 'x' FROM generate_series(1, 100000) a, generate_series(1, 100000) b"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        kan_run *run = kan_run_create();
        void *connection = connect_to(run, &people);
        pthread_t thread;
        lines got;
        assert_int_equal(pthread_create(&thread, NULL, cancel_later, run), 0);
        if (i < 2) {
            assert_int_equal(query(run, connection, statements[i], 1, &got), KAN_CANCELLED);
            kan_text_destroy(&got.text);
        } else {
            assert_int_equal(execute(connection, statements[0]), KAN_CANCELLED);
        }
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_not_running("pg_sleep(100)");
        assert_not_running("generate_series");
        /* Nothing more is done, but for what takes things back. */
        assert_int_equal(execute(connection, "SELECT 1"), KAN_CANCELLED);
        assert_int_equal(
            pg->execute(
                connection, 0,
                &(kan_statement){.sql = "ROLLBACK; CREATE TEMP TABLE t (a int); DROP TABLE t",
                                 .what = "take it back",
                                 .cleans_up = true}),
            KAN_OK);
        pg->disconnect(connection);
        kan_run_destroy(run);
    }
}

static kan_status take_none(void *context, const kan_slice *values) {
    (void)values;
    return kan_fail(context, KAN_BAD_INPUT, "enough");
}

static void a_taker_that_fails_ends_the_statement(void **state) {
    kan_run *run = *state;
    void *connection = connect_to(run, &people);
    const kan_statement endless = {
        .sql = "SELECT 'x' FROM generate_series(1, 100000) a, generate_series(1, 100000) b",
        .what = "look"};
    assert_int_equal(pg->query(connection, 0, &endless, 1, &(kan_row_taker){take_none, run}),
                     KAN_BAD_INPUT);
    assert_string_equal(kan_run_error(run), "enough");
    assert_not_running("generate_series");
    pg->disconnect(connection);
}

static void a_limit_of_time_is_the_users_and_is_told(void **state) {
    kan_run *run = *state;
    lines got;
    assert_int_equal(setenv("PGOPTIONS", "-c statement_timeout=200", 1), 0);
    void *connection = connect_to(run, &people);
    assert_int_equal(unsetenv("PGOPTIONS"), 0);
    assert_int_equal(query(run, connection, "SELECT CAST(pg_sleep(100) AS text)", 1, &got),
                     KAN_FAILED);
    assert_says(run, "statement timeout");
    assert_says(run, "PGOPTIONS");
    kan_text_destroy(&got.text);
    pg->disconnect(connection);
}

static void a_lost_connection_stays_lost(void **state) {
    kan_run *run = *state;
    char sql[128];
    lines got, last;
    for (int is_busy = 0; is_busy < 2; is_busy++) {
        void *connection = connect_to(run, &people);
        assert_int_equal(query(run, connection, "SELECT CAST(pg_backend_pid() AS text)", 1, &got),
                         KAN_OK);
        if (is_busy) {
            assert_int_equal(query(run, connection,
                                   "SELECT CAST(pg_terminate_backend(pg_backend_pid()) AS text)", 1,
                                   &last),
                             KAN_FAILED);
            assert_says(run, "administrator");
            kan_text_destroy(&last.text);
        } else {
            (void)snprintf(sql, sizeof sql, "SELECT pg_terminate_backend(%d, 5000)",
                           atoi(got.text.bytes));
            do_beside(sql);
            assert_int_equal(execute(connection, "SELECT 1"), KAN_FAILED);
            assert_says(run, "administrator");
        }
        kan_text_destroy(&got.text);
        size_t n = 1;
        assert_int_equal(execute(connection, "SELECT 1"), KAN_FAILED);
        assert_says(run, "is lost");
        assert_int_equal(query(run, connection, "SELECT '1'", 1, &got), KAN_FAILED);
        assert_int_equal(pg->load(connection, 0, "many", 2, &(kan_row_giver){give_many, &n}),
                         KAN_FAILED);
        kan_text_destroy(&got.text);
        pg->disconnect(connection);
    }
}

static void a_search_longer_than_the_server_waits_is_told(void **state) {
    kan_run *run = *state;
    assert_int_equal(setenv("PGOPTIONS", "-c idle_in_transaction_session_timeout=100", 1), 0);
    void *connection = connect_to(run, &people);
    assert_int_equal(unsetenv("PGOPTIONS"), 0);
    for (int i = 0; i < 100 && execute(connection, "SELECT 1") == KAN_OK; i++)
        (void)usleep(200 * 1000);
    assert_says(run, "idle_in_transaction_session_timeout=0");
    pg->disconnect(connection);
}

static void no_connection_is_told(void **state) {
    kan_run *run = *state;
    do_beside("CREATE ROLE closed LOGIN CONNECTION LIMIT 0");
    static const struct {
        kan_address address;
        kan_status status;
        const char *part;
    } cases[] = {
        {{.text = "A", .database = "nope"}, KAN_BAD_INPUT, "database \"nope\" does not exist"},
        {{.text = "A", .user = "nobody here"}, KAN_BAD_INPUT, "\"nobody here\" does not exist"},
        {{.text = "A", .user = "closed"}, KAN_FAILED, "too many connections"},
        {{.text = "A", .port = "1"}, KAN_FAILED, "check host and port"},
        {{.text = "A", .host = "no.such.host.invalid"}, KAN_FAILED, "check host and port"},
        {{.text = "A", .database = "dbname=x password=secret"}, KAN_BAD_INPUT, "does not exist"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        void *connection = NULL;
        assert_int_equal(pg->connect(run, &cases[i].address, NULL, &connection), cases[i].status);
        assert_says(run, cases[i].part);
        assert_null(connection);
    }
    do_beside("DROP ROLE closed");
}

static void options_beside_the_list_are_refused(void **state) {
    kan_run *run = *state;
    static const char *const refused[] = {
        "password", "options", "sslpassword", "client_encoding", "replication", "slmode", "dbname"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct kan_address_option option = {refused[i], "hush"};
        const kan_address address = {.text = "A", .n_options = 1, .options = &option};
        void *connection = NULL;
        assert_int_equal(pg->connect(run, &address, NULL, &connection), KAN_BAD_INPUT);
        assert_says(run, refused[i]);
        assert_null(strstr(kan_run_error(run), "hush"));
    }
    struct kan_address_option options[] = {{"sslmode", "require"}, {"connect_timeout", "7"}};
    const kan_address address = {.text = "A", .n_options = 2, .options = options};
    void *connection = NULL;
    assert_int_equal(pg->connect(run, &address, NULL, &connection), KAN_FAILED);
    assert_says(run, "SSL");
}

static int setup(void **state) {
    *state = kan_run_create();
    return *state ? 0 : -1;
}

static int teardown(void **state) {
    kan_run_destroy(*state);
    return 0;
}

int main(void) {
    pg = kan_engine_postgres.transport;
    if (!getenv("PGPORT")) {
        (void)puts("skipped: no server is named in PGHOST, PGPORT, PGUSER and PGDATABASE");
        return 77;
    }
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(fields_come_as_they_are),
        TEST(bytes_received_are_those_of_the_rows),
        TEST(what_is_loaded_comes_back),
        TEST(a_load_larger_than_all_buffers_arrives),
        TEST(a_load_that_is_refused_says_so),
        TEST(columns_have_the_types_behind_their_names),
        TEST(a_table_that_is_not_there_is_told),
        TEST(texts_do_not_depend_on_the_session),
        TEST(one_snapshot_is_seen),
        TEST(what_is_not_committed_is_not_there),
        TEST(a_commit_after_a_failure_is_none),
        TEST(a_cancelled_run_ends_the_statement_on_the_server),
        TEST(a_taker_that_fails_ends_the_statement),
        TEST(a_limit_of_time_is_the_users_and_is_told),
        TEST(a_lost_connection_stays_lost),
        TEST(a_search_longer_than_the_server_waits_is_told),
        TEST(no_connection_is_told),
        TEST(options_beside_the_list_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
