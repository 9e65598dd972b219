/* A server of ClickHouse that answers nonsense, or is none: whatever it says, a statement ends with words that help, and
 * an answer that is not whole or not understood never counts as a small one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/fake_clickhouse.h"

static kan_status query(click_visit *v, size_t n_columns, size_t *n_rows) {
    const kan_statement look = {.sql = "SELECT name FROM people", .what = "look"};
    *n_rows = 0;
    return click_engine->query(v->connection, 0, &look, n_columns,
                               &(kan_row_taker){click_count_row, n_rows});
}

/* ---- who is no ClickHouse ------------------------------------------------------------------- */

static void what_is_no_clickhouse_is_told(void **state) {
    (void)state;
    static const struct {
        click_answer answer;
        const char *part;
    } cases[] = {
        {{.asks = CLICK_SETTINGS, .status = "404 Not Found", .body = "<html>Not here</html>"},
         "is this ClickHouse's HTTP interface?"},
        {{.asks = CLICK_SETTINGS, .status = "404 Not Found", .body = ""}, "says: nothing"},
        {{.asks = CLICK_SETTINGS, .body = "<html><body>Welcome</body></html>"}, "is cut off"},
        {{.asks = CLICK_SETTINGS, .body = "220 mail.example ready\r\n", .is_bare = true},
         "the connection to 127.0.0.1"},
        {{.asks = CLICK_SETTINGS, .body = "", .is_bare = true}, "the connection to 127.0.0.1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        click_refuses(&cases[i].answer, 1, KAN_FAILED, cases[i].part);
}

static void options_and_names_that_make_no_sense_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *option, *value, *host, *port, *part;
    } cases[] = {
        {"timeout", "0", NULL, NULL, "'timeout' is not an option, or has no such value"},
        {"timeout", "soon", NULL, NULL, "timeout=SECONDS"},
        {"secure", "yes", NULL, NULL, "secure=1 (https)"},
        {"scratch", "", NULL, NULL, "scratch=DATABASE"},
        {NULL, NULL, "a b", NULL, "the name of the host is invalid"},
        {NULL, NULL, "", NULL, "the name of the host is invalid"},
        {NULL, NULL, "localhost", "0", "a number up to 65535"},
        {NULL, NULL, "localhost", "65536", "a number up to 65535"},
        {NULL, NULL, "localhost", "8123x", "often 8123"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kan_run *run = kan_run_create();
        struct kan_address_option option = {cases[i].option, cases[i].value};
        const kan_address address = {.text = "A",
                                     .host = cases[i].host ? cases[i].host : "127.0.0.1",
                                     .port = cases[i].port ? cases[i].port : "1",
                                     .table = "people",
                                     .n_options = cases[i].option ? 1 : 0,
                                     .options = &option};
        void *connection = NULL;
        assert_int_equal(click_engine->connect(run, &address, NULL, &connection), KAN_BAD_INPUT);
        assert_non_null(strstr(kan_run_error(run), cases[i].part));
        assert_null(connection);
        kan_run_destroy(run);
    }
}

/* It would end its header, and begin another. */
static void a_line_break_in_a_password_is_refused_and_not_shown(void **state) {
    (void)state;
    const kan_address address = {.text = "A", .host = "127.0.0.1", .port = "1", .table = "people"};
    kan_run *run = kan_run_create();
    void *connection = NULL;
    assert_int_equal(setenv("CLICKHOUSE_PASSWORD", "hush\r\nX-ClickHouse-User: root", 1), 0);
    assert_int_equal(click_engine->connect(run, &address, NULL, &connection), KAN_BAD_INPUT);
    assert_int_equal(unsetenv("CLICKHOUSE_PASSWORD"), 0);
    assert_non_null(strstr(kan_run_error(run), "line break"));
    assert_null(strstr(kan_run_error(run), "hush"));
    kan_run_destroy(run);
}

static void secrets_go_in_headers_and_every_setting_that_is_known_is_forced(void **state) {
    (void)state;
    static const char *const known[] = {"final",
                                        "0",
                                        "group_by_overflow_mode",
                                        "any",
                                        "additional_table_filters",
                                        "{'people': 'age > 9'}",
                                        NULL};
    const click_answer answers[] = {{.asks = CLICK_SETTINGS, .texts = known}};
    size_t n_rows;
    assert_int_equal(setenv("CLICKHOUSE_PASSWORD", "hush", 1), 0);
    assert_int_equal(setenv("CLICKHOUSE_USER", "me", 1), 0);
    click_visit *v = click_connected(answers, 1);
    assert_int_equal(unsetenv("CLICKHOUSE_PASSWORD"), 0);
    assert_int_equal(unsetenv("CLICKHOUSE_USER"), 0);
    assert_int_equal(query(v, 1, &n_rows), KAN_FAILED); /* no columns are described */
    const char *first = strstr(v->scene.heard, "\r\n");
    assert_non_null(first);
    assert_null(memmem(v->scene.heard, (size_t)(first - v->scene.heard), "hush", 4));
    assert_non_null(strstr(first, "X-ClickHouse-User: me\r\n"));
    assert_non_null(strstr(first, "X-ClickHouse-Key: hush\r\n"));
    assert_non_null(strstr(v->scene.heard, "&final=1"));
    assert_non_null(strstr(v->scene.heard, "&group_by_overflow_mode=throw"));
    assert_non_null(strstr(v->scene.heard, "&additional_table_filters=%7B%7D"));
    assert_null(strstr(v->scene.heard, "&limit=")); /* this server does not know it */
    click_end(v);
}

/* ---- answers that are not whole, or not understood ------------------------------------------ */

#define DESCRIBE "DESCRIBE TABLE"
#define ROWS     "SELECT name FROM people FORMAT RowBinary"

static void an_answer_that_ends_early_is_no_answer(void **state) {
    (void)state;
    static const char *const rows[] = {"one", "two", NULL};
    const click_answer described = {.asks = DESCRIBE, .body = "name\tString\n"};
    /* The connection ends between two rows, where the head promised more; */
    const click_answer promised[] = {described, {.asks = ROWS, .texts = rows, .n_missing = 4}};
    size_t n_rows;
    click_visit *v = click_connected(promised, 2);
    assert_int_equal(query(v, 1, &n_rows), KAN_FAILED);
    click_assert_says(v, "look: the connection to 127.0.0.1");
    /* and whoever broke once is not asked again, but for what takes things back. */
    assert_int_equal(query(v, 1, &n_rows), KAN_FAILED);
    click_assert_says(v, "was lost before");
    const kan_statement drop = {.sql = "DROP TABLE x", .what = "clean up", .cleans_up = true};
    assert_int_equal(click_engine->execute(v->connection, 0, &drop), KAN_OK);
    assert_non_null(strstr(v->scene.heard, "DROP TABLE x"));
    click_end(v);
    /* Or within a row that the server takes for whole. */
    const click_answer cut[] = {described, {.asks = ROWS, .body = "\3one\11two"}};
    v = click_connected(cut, 2);
    assert_int_equal(query(v, 1, &n_rows), KAN_FAILED);
    click_assert_says(v, "the last row that came from 127.0.0.1");
    click_end(v);
}

static void columns_that_are_not_what_was_asked_for_are_refused(void **state) {
    (void)state;
    static const char *const described[] = {
        "",                                /* none */
        "name\tArray(String)\n",           /* no text */
        "name\tString\nage\tString\n",     /* one too many */
        "name\n",                          /* no type */
        "name\tString",                    /* no end of the line */
        "<html>\tString\n</html>\tInt8\n", /* something else */
    };
    for (size_t i = 0; i < sizeof described / sizeof *described; i++) {
        const click_answer answers[] = {{.asks = DESCRIBE, .body = described[i]}};
        size_t n_rows;
        click_visit *v = click_connected(answers, 1);
        assert_int_equal(query(v, 1, &n_rows), KAN_FAILED);
        click_assert_says(v, "answer are not text");
        assert_int_equal(n_rows, 0);
        click_end(v);
    }
}

static kan_status give_three(void *context, kan_slice *values, bool *is_row) {
    size_t *n = context;
    *is_row = (*n)++ < 3;
    values[0] = kan_slice_of("value");
    return KAN_OK;
}

/* An INSERT that lost rows on its way would map fewer values, and nobody would know. */
static void rows_that_were_sent_are_counted_there(void **state) {
    (void)state;
    static const struct {
        const char *count, *part;
    } cases[] = {{"0\n", "has 0 rows of the 3 that were sent"},
                 {"many\n", "did not answer with a number"},
                 {"-1\n", "did not answer with a number"},
                 {"", "did not answer with a number"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const click_answer answers[] = {{.asks = DESCRIBE, .body = "value\tString\n"},
                                        {.asks = "SELECT count()", .body = cases[i].count}};
        size_t n = 0;
        click_visit *v = click_connected(answers, 2);
        assert_int_equal(
            click_engine->load(v->connection, 0, "map", 1, &(kan_row_giver){give_three, &n}),
            KAN_FAILED);
        click_assert_says(v, cases[i].part);
        click_end(v);
    }
}

static kan_status give_none(void *context, kan_slice *values, bool *is_row) {
    (void)values;
    (void)is_row;
    return kan_fail(context, KAN_BAD_INPUT, "there are no values");
}

/* Its own words are told, not those of the connection that ends with it. */
static void whoever_gives_rows_may_fail(void **state) {
    (void)state;
    const click_answer answers[] = {{.asks = DESCRIBE, .body = "value\tString\n"},
                                    {.asks = "SELECT count()", .body = "0\n"}};
    click_visit *v = click_connected(answers, 2);
    assert_int_equal(
        click_engine->load(v->connection, 0, "map", 1, &(kan_row_giver){give_none, v->run}),
        KAN_BAD_INPUT);
    assert_string_equal(kan_run_error(v->run), "there are no values");
    click_end(v);
}

static void an_answer_without_end_is_not_kept(void **state) {
    enum { SIZE = 17 << 20 };
    (void)state;
    char *body = malloc(SIZE + 1);
    assert_non_null(body);
    memset(body, '1', SIZE);
    body[SIZE] = '\0';
    const click_answer answers[] = {{.asks = DESCRIBE, .body = body}};
    size_t n_rows;
    click_visit *v = click_connected(answers, 1);
    assert_int_equal(query(v, 1, &n_rows), KAN_FAILED);
    click_assert_says(v, "look: the answer is too long");
    click_end(v);
    free(body);
}

static void a_table_that_is_not_there_is_told(void **state) {
    (void)state;
    size_t n = 0;
    click_visit *v = click_connected(NULL, 0);
    assert_int_equal(click_engine->columns(v->connection, &(kan_row_taker){click_count_row, &n}),
                     KAN_BAD_INPUT);
    click_assert_says(v, "has no table default.people that the user default may see");
    click_end(v);
}

/* ---- errors --------------------------------------------------------------------------------- */

static void errors_have_their_remedy_and_show_no_value(void **state) {
    (void)state;
    static const struct {
        const char *body, *part;
        kan_status status;
    } cases[] = {
        {"Code: 60, e.displayText() = DB::Exception: Table a.b doesn't exist., e.what() = x",
         "says: Table a.b doesn't exist; is its name right", KAN_BAD_INPUT},
        {"Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED) (version 24.8)",
         "max_memory_usage", KAN_FAILED},
        {"Code: 243. DB::NetException: Cannot reserve. (version 24.8)", "disk is full", KAN_FAILED},
        {"Code: 497. DB::Exception: me: Not enough privileges. (version 24.8)", "needs SELECT",
         KAN_BAD_INPUT},
        {"Code: 62. DB::Exception: Syntax error: failed at 'hush'. (version 24.8)",
         "does not understand the statement (code 62)", KAN_FAILED},
        {"Code: 6. DB::Exception: Cannot parse 'hush' as UInt8. (version 24.8)",
         "a value does not fit (code 6)", KAN_FAILED},
        {"Code: 99999. DB::Exception: Something\x1b[31m new: While executing hush",
         "says: Something", KAN_FAILED},
        {"Code: ", "says: Code:", KAN_FAILED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const click_answer answers[] = {
            {.asks = "ALTER", .status = "500 Oops", .body = cases[i].body}};
        const kan_statement alter = {.sql = "ALTER TABLE x", .what = "change it"};
        click_visit *v = click_connected(answers, 1);
        assert_int_equal(click_engine->execute(v->connection, 0, &alter), cases[i].status);
        click_assert_says(v, "change it: 127.0.0.1");
        click_assert_says(v, cases[i].part);
        assert_null(strstr(kan_run_error(v->run), "hush"));
        assert_null(strchr(kan_run_error(v->run), '\x1b'));
        click_end(v);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_clickhouse_is_told),
        cmocka_unit_test(options_and_names_that_make_no_sense_are_refused),
        cmocka_unit_test(a_line_break_in_a_password_is_refused_and_not_shown),
        cmocka_unit_test(secrets_go_in_headers_and_every_setting_that_is_known_is_forced),
        cmocka_unit_test(an_answer_that_ends_early_is_no_answer),
        cmocka_unit_test(columns_that_are_not_what_was_asked_for_are_refused),
        cmocka_unit_test(rows_that_were_sent_are_counted_there),
        cmocka_unit_test(whoever_gives_rows_may_fail),
        cmocka_unit_test(an_answer_without_end_is_not_kept),
        cmocka_unit_test(a_table_that_is_not_there_is_told),
        cmocka_unit_test(errors_have_their_remedy_and_show_no_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
