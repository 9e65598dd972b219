/* engine/odbc: statements, rows that come, rows that go, and how they end. On a file of SQLite, where its
 * driver is installed; KANON_TEST_ODBC has the connection string of another database for the same claims
 * (tests/engine/mariadb.sh). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/hash.h"
#include "engine/odbc/odbc.h"

typedef struct {
    kan_run *run;
    char folder[64], string[512];
    bool is_sqlite;
    kan_address address;
    void *connection;
} fixture;

static const kan_transport *const odbc = &kan_transport_odbc;

static bool find_driver(char *room, size_t size) {
    glob_t found;
    const bool is_there = glob("/usr/lib/*/odbc/libsqlite3odbc.so", 0, NULL, &found) == 0;
    if (is_there)
        snprintf(room, size, "%s", found.gl_pathv[0]);
    globfree(&found);
    return is_there;
}

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    f->run = kan_run_create();
    strcpy(f->folder, "/tmp/kanon-odbc-XXXXXX");
    if (!f->run || !mkdtemp(f->folder))
        return 1;
    const char *given = getenv("KANON_TEST_ODBC");
    char driver[256];
    if (given) {
        snprintf(f->string, sizeof f->string, "%s", given);
    } else if (find_driver(driver, sizeof driver)) {
        f->is_sqlite = true;
        snprintf(f->string, sizeof f->string, "Driver=%s;Database=%s/a.db", driver, f->folder);
        char path[128];
        snprintf(path, sizeof path, "%s/a.db", f->folder);
        const int file = open(path, O_CREAT | O_WRONLY, 0600);
        if (file < 0 || close(file) != 0)
            return 1;
    } else {
        return 0; /* every test skips itself */
    }
    f->address =
        (kan_address){.text = "odbc:..", .scheme = "odbc", .database = f->string, .table = "t"};
    const kan_status status = odbc->connect(f->run, &f->address, NULL, &f->connection);
    if (status != KAN_OK)
        fprintf(stderr, "%s\n", kan_run_error(f->run));
    return status != KAN_OK;
}

static int tear_down(void **state) {
    fixture *f = *state;
    odbc->disconnect(f->connection);
    kan_run_destroy(f->run);
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
    const int failed = system(command);
    free(f);
    return failed;
}

static fixture *of(void **state) {
    fixture *f = *state;
    if (!f->connection) {
        print_message("skipped: no libsqliteodbc, and no KANON_TEST_ODBC\n");
        skip();
    }
    return f;
}

static void must(fixture *f, kan_status status) {
    if (status != KAN_OK)
        fail_msg("%s", kan_run_error(f->run));
}

static kan_status execute(fixture *f, const char *sql) {
    const kan_statement statement = {.sql = sql, .what = "try"};
    return odbc->execute(f->connection, 0, &statement);
}

/* What came, each value behind its length; NULL is "-". */
typedef struct {
    kan_text text;
    size_t n_columns, n_rows, stop_at;
    kan_run *run;
} taken;

static kan_status take(void *context, const kan_slice *values) {
    taken *t = context;
    if (t->stop_at && t->n_rows == t->stop_at)
        return kan_fail(t->run, KAN_UNSATISFIED, "enough");
    t->n_rows++;
    for (size_t i = 0; i < t->n_columns; i++) {
        if (!values[i].bytes) {
            kan_text_print(&t->text, "-;");
            continue;
        }
        /* readable behind its end */
        volatile char sum = 0;
        for (size_t j = 0; j < 8; j++)
            sum = (char)(sum + values[i].bytes[values[i].size + j]);
        kan_text_print(&t->text, "%zu:", values[i].size);
        kan_text_add(&t->text, values[i].bytes, values[i].size);
        kan_text_add(&t->text, ";", 1);
    }
    return KAN_OK;
}

static kan_status ask(fixture *f, const char *sql, size_t n_columns, taken *out) {
    memset(out, 0, sizeof *out);
    kan_text_init(&out->text, f->run);
    out->n_columns = n_columns;
    out->run = f->run;
    const kan_statement statement = {.sql = sql, .what = "try"};
    const kan_row_taker taker = {take, out};
    return odbc->query(f->connection, 0, &statement, n_columns, &taker);
}

static void gives(fixture *f, const char *sql, size_t n_columns, const char *expected) {
    taken got;
    must(f, ask(f, sql, n_columns, &got));
    if (strcmp(got.text.bytes ? got.text.bytes : "", expected) != 0)
        fail_msg("%s: %s", sql, got.text.bytes);
    kan_text_destroy(&got.text);
}

static const char *text_type(const fixture *f) {
    return f->is_sqlite ? "TEXT" : "LONGBLOB";
}

static void make(fixture *f, const char *name, size_t n_columns) {
    char sql[512];
    int at = snprintf(sql, sizeof sql, "CREATE TEMPORARY TABLE %s (", name);
    for (size_t i = 0; i < n_columns; i++)
        at += snprintf(sql + at, sizeof sql - (size_t)at, "%sc%zu %s", i ? ", " : "", i,
                       text_type(f));
    snprintf(sql + at, sizeof sql - (size_t)at, ")");
    must(f, execute(f, sql));
}

/* ---- rows that come -------------------------------------------------------------------------- */

static void texts_come_as_they_are(void **state) {
    fixture *f = of(state);
    gives(f, "SELECT 'a', NULL, '', ' b ', 'it''s ? {fn x} \"q\" ;'", 5,
          "1:a;-;0:;3: b ;19:it's ? {fn x} \"q\" ;;");
    gives(f, "SELECT '\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80'", 1,
          "9:\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80;");
    gives(f, "SELECT 'x' UNION ALL SELECT NULL UNION ALL SELECT 'y'", 1, "1:x;-;1:y;");
    gives(f, "SELECT 'x' WHERE 1 = 0", 1, "");
}

static void no_value_is_cut(void **state) {
    fixture *f = of(state);
    static const size_t sizes[] = {254, 255, 256, 257, 511, 512, 513, 65535, 65536, 1000003};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        /* letters of three bytes, so that pieces end within one */
        char sql[256];
        snprintf(sql, sizeof sql,
                 f->is_sqlite
                     ? "SELECT replace(printf('%%.*c', %zu, 'a'), 'a', '\xe2\x82\xac'), 'z'"
                     : "SELECT REPEAT('\xe2\x82\xac', %zu), 'z'",
                 sizes[i]);
        taken got;
        must(f, ask(f, sql, 2, &got));
        char head[32];
        const int head_size = snprintf(head, sizeof head, "%zu:", 3 * sizes[i]);
        assert_int_equal(got.text.size, (size_t)head_size + 3 * sizes[i] + 1 + 4);
        assert_memory_equal(got.text.bytes, head, (size_t)head_size);
        for (size_t j = 0; j < sizes[i]; j++)
            assert_memory_equal(got.text.bytes + head_size + 3 * j, "\xe2\x82\xac", 3);
        assert_memory_equal(got.text.bytes + got.text.size - 5, ";1:z;", 5);
        kan_text_destroy(&got.text);
    }
}

static void many_rows_come_in_order(void **state) {
    fixture *f = of(state);
    if (!f->is_sqlite)
        must(f, execute(f, "SET SESSION max_recursive_iterations = 1000000"));
    const uint64_t before = odbc->n_received(f->connection);
    taken got;
    must(f, ask(f,
                f->is_sqlite
                    ? "SELECT CAST(n AS TEXT) FROM (WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL "
                      "SELECT n + 1 FROM r WHERE n < 50000) SELECT n FROM r)"
                    : "SELECT CAST(seq AS CHAR) FROM seq_1_to_50000",
                1, &got));
    assert_int_equal(got.n_rows, 50000);
    size_t bytes = 0;
    const char *at = got.text.bytes;
    for (unsigned i = 1; i <= 50000; i++) {
        char expected[32];
        char number[16];
        const int size = snprintf(number, sizeof number, "%u", i);
        bytes += (size_t)size;
        const int all = snprintf(expected, sizeof expected, "%d:%s;", size, number);
        assert_memory_equal(at, expected, (size_t)all);
        at += all;
    }
    assert_int_equal(odbc->n_received(f->connection) - before, bytes);
    kan_text_destroy(&got.text);
}

static void a_taker_ends_the_statement(void **state) {
    fixture *f = of(state);
    taken got = {.n_columns = 1, .stop_at = 2, .run = f->run};
    kan_text_init(&got.text, f->run);
    const kan_statement statement = {.sql = "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3",
                                     .what = "try"};
    const kan_row_taker taker = {take, &got};
    assert_int_equal(odbc->query(f->connection, 0, &statement, 1, &taker), KAN_UNSATISFIED);
    assert_int_equal(got.n_rows, 2);
    kan_text_destroy(&got.text);
    gives(f, "SELECT 'next'", 1, "4:next;"); /* the connection is free */
}

/* ---- rows that go ---------------------------------------------------------------------------- */

typedef struct {
    const fixture *f;
    uint64_t seed, row, n_rows;
    char room[3][3000];
} given;

static uint64_t random_of(uint64_t *seed) {
    return kan_random(seed);
}

static kan_status give(void *context, kan_slice *values, bool *is_row) {
    static const char *const pieces[] = {
        "'", "\"", "\\", ";", "?", "{", "--", "\n", " ", "\xc3\xa4", "\xf0\x9f\x98\x80",
        "%", "a",  "0",  "`"};
    given *g = context;
    *is_row = g->row < g->n_rows;
    if (!*is_row)
        return KAN_OK;
    g->row++;
    for (size_t i = 0; i < 3; i++) {
        size_t size = 0;
        const uint64_t kind = random_of(&g->seed) % 8;
        const uint64_t n = kind == 0 ? 700 : random_of(&g->seed) % 6;
        if (kind == 1) {
            values[i] = (kan_slice){NULL, 0};
            continue;
        }
        for (uint64_t j = 0; j < n; j++) {
            const char *piece = pieces[random_of(&g->seed) % (sizeof pieces / sizeof *pieces)];
            memcpy(g->room[i] + size, piece, strlen(piece));
            size += strlen(piece);
        }
        values[i] = (kan_slice){g->room[i], size};
    }
    return KAN_OK;
}

static void what_goes_comes_back(void **state) {
    fixture *f = of(state);
    make(f, "went", 3);
    static const uint64_t sizes[] = {0, 1, 499, 500, 501, 1500, 3};
    uint64_t seed = 1;
    taken expected = {.n_columns = 3, .run = f->run};
    kan_text_init(&expected.text, f->run);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        given g = {.f = f, .seed = seed, .n_rows = sizes[i]};
        const kan_row_giver giver = {give, &g};
        must(f, odbc->load(f->connection, 0, "went", 3, &giver));
        given again = {.f = f, .seed = seed, .n_rows = sizes[i]};
        kan_slice values[3];
        for (bool is_row = true; is_row;) {
            must(f, give(&again, values, &is_row));
            for (size_t j = 0; is_row && j < 3; j++)
                if (values[j].bytes) { /* `take` reads behind a value */
                    kan_text_print(&expected.text, "%zu:", values[j].size);
                    kan_text_add(&expected.text, values[j].bytes, values[j].size);
                    kan_text_add(&expected.text, ";", 1);
                } else {
                    kan_text_print(&expected.text, "-;");
                }
        }
        seed = g.seed;
    }
    taken got;
    must(f, ask(f, "SELECT c0, c1, c2 FROM went", 3, &got));
    assert_int_equal(got.n_rows, 3004);
    assert_int_equal(got.text.size, expected.text.size);
    assert_memory_equal(got.text.bytes, expected.text.bytes, expected.text.size);
    kan_text_destroy(&got.text);
    kan_text_destroy(&expected.text);
}

static kan_status give_and_fail(void *context, kan_slice *values, bool *is_row) {
    given *g = context;
    if (g->row == 700)
        return kan_fail(g->f->run, KAN_UNSATISFIED, "no more");
    return give(context, values, is_row);
}

static void a_giver_ends_the_load(void **state) {
    fixture *f = of(state);
    make(f, "half", 3);
    given g = {.f = f, .seed = 5, .n_rows = 1000};
    const kan_row_giver giver = {give_and_fail, &g};
    assert_int_equal(odbc->load(f->connection, 0, "half", 3, &giver), KAN_UNSATISFIED);
}

static void a_load_into_nothing_fails(void **state) {
    fixture *f = of(state);
    given g = {.f = f, .seed = 5, .n_rows = 10};
    const kan_row_giver giver = {give, &g};
    assert_int_not_equal(odbc->load(f->connection, 0, "nowhere", 3, &giver), KAN_OK);
}

/* ---- columns and errors ---------------------------------------------------------------------- */

static void columns_have_their_names_and_types(void **state) {
    fixture *f = of(state);
    const char *quote = f->is_sqlite ? "\"" : "`";
    char sql[512];
    must(f, execute(f, "DROP TABLE IF EXISTS odd"));
    snprintf(sql, sizeof sql,
             "CREATE TABLE odd (%sSELECT%s INTEGER NOT NULL, %sit's; \xc3\xa4%s VARCHAR(7), "
             "%scount(*)%s DECIMAL(9,2))",
             quote, quote, quote, quote, quote, quote);
    must(f, execute(f, sql));
    const char *before = f->address.table;
    f->address.table = "odd";
    taken got = {.n_columns = 3, .run = f->run};
    kan_text_init(&got.text, f->run);
    const kan_row_taker taker = {take, &got};
    must(f, odbc->columns(f->connection, &taker));
    assert_string_equal(got.text.bytes,
                        f->is_sqlite ? "6:SELECT;7:INTEGER;1:0;8:it's; \xc3\xa4;10:VARCHAR(7);1:1;"
                                       "8:count(*);12:DECIMAL(9,2);1:1;"
                                     : "6:SELECT;7:int(11);1:0;8:it's; \xc3\xa4;10:varchar(7);1:1;"
                                       "8:count(*);12:decimal(9,2);1:1;");
    kan_text_destroy(&got.text);
    static const char *const none[] = {"no such", "o%",  "odd ",    "od_",
                                       "it's",    "a\\", "\"odd\"", "odd' OR '1'='1"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        f->address.table = none[i];
        assert_int_equal(odbc->columns(f->connection, &taker), KAN_BAD_INPUT);
    }
    f->address.table = before;
    must(f, execute(f, "DROP TABLE odd"));
}

static void mistakes_have_a_text(void **state) {
    fixture *f = of(state);
    taken got;
    assert_int_equal(execute(f, "SELEC 1"), KAN_FAILED);
    assert_non_null(strstr(kan_run_error(f->run), "could not try: "));
    assert_int_not_equal(execute(f, "DROP TABLE not_there"), KAN_OK);
    assert_int_equal(ask(f, "SELECT 1, 2", 3, &got), KAN_FAILED);
    kan_text_destroy(&got.text);
    gives(f, "SELECT 'still here'", 1, "10:still here;");
}

static kan_status try_to_connect(fixture *f, const char *string) {
    kan_address address = f->address;
    address.database = string;
    void *connection = NULL;
    const kan_status status = odbc->connect(f->run, &address, NULL, &connection);
    odbc->disconnect(connection);
    return status;
}

static void a_wrong_source_is_the_users(void **state) {
    fixture *f = of(state);
    assert_int_equal(try_to_connect(f, "DSN=no such source"), KAN_BAD_INPUT);
    assert_non_null(strstr(kan_run_error(f->run), "odbcinst"));
    assert_int_equal(try_to_connect(f, "Driver=/no/such/driver.so"), KAN_BAD_INPUT);
    if (!f->is_sqlite)
        return;
    char string[1024];
    snprintf(string, sizeof string, "%s.not-there", f->string);
    assert_int_not_equal(try_to_connect(f, string), KAN_OK);
    assert_int_not_equal(access(strchr(strchr(string, '=') + 1, '=') + 1, F_OK), 0); /* nor made */
}

/* ---- cancel ---------------------------------------------------------------------------------- */

static void *cancel_soon(void *context) {
    usleep(300000);
    kan_run_cancel(context);
    return NULL;
}

static void a_cancelled_run_ends_the_statement(void **state) {
    fixture *f = of(state);
    must(f, execute(f, "CREATE TEMPORARY TABLE left_over (a INTEGER)"));
    pthread_t thread;
    taken got;
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, f->run), 0);
    const kan_status status =
        ask(f,
            f->is_sqlite ? "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT "
                           "CAST(count(*) AS TEXT) FROM r"
                         : "SELECT CAST(SUM(a.seq * b.seq) AS CHAR) FROM seq_1_to_10000000 a, "
                           "seq_1_to_10000000 b",
            1, &got);
    pthread_join(thread, NULL);
    assert_int_equal(status, KAN_CANCELLED);
    kan_text_destroy(&got.text);
    /* Nothing begins any more but cleaning up. */
    assert_int_equal(execute(f, "SELECT 1"), KAN_CANCELLED);
    const kan_statement clean = {
        .sql = "DROP TABLE left_over", .what = "clean up", .cleans_up = true};
    must(f, odbc->execute(f->connection, 0, &clean));
}

int main(void) {
#define CLAIM(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CLAIM(texts_come_as_they_are),
        CLAIM(no_value_is_cut),
        CLAIM(many_rows_come_in_order),
        CLAIM(a_taker_ends_the_statement),
        CLAIM(what_goes_comes_back),
        CLAIM(a_giver_ends_the_load),
        CLAIM(a_load_into_nothing_fails),
        CLAIM(columns_have_their_names_and_types),
        CLAIM(mistakes_have_a_text),
        CLAIM(a_wrong_source_is_the_users),
        CLAIM(a_cancelled_run_ends_the_statement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
