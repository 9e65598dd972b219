/* A server of PostgreSQL that answers nonsense, or is none: whatever it says, a statement ends with words that help, and
 * rows that are not whole or not understood never count as fewer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/run.h"
#include "engine/postgres/postgres.h"
#include "engine/transport.h"
#include "support/fake_server.h"

/* What the server says: messages, each a letter, its size and its bytes. */
typedef struct speech {
    size_t size;
    char bytes[4096];
} speech;

static void say(speech *to, char letter, const void *bytes, size_t size) {
    const uint32_t length = htonl((uint32_t)size + 4);
    assert_true(to->size + 5 + size <= sizeof to->bytes);
    to->bytes[to->size] = letter;
    memcpy(to->bytes + to->size + 1, &length, 4);
    if (size > 0)
        memcpy(to->bytes + to->size + 5, bytes, size);
    to->size += 5 + size;
}

#define SAY(to, letter, literal) say(to, letter, literal, sizeof(literal) - 1)
#define READY(to)                SAY(to, 'Z', "T")
#define COPY_OUT(to)             SAY(to, 'H', "\0\0\1\0\0")
#define COPY_IN(to)              SAY(to, 'G', "\0\0\1\0\0")
#define DONE(to, tag)            SAY(to, 'C', tag "\0")

/* An error: its fields are a letter and a text each, and a zero behind the last. */
#define ERROR(to, fields) SAY(to, 'E', fields "\0\0")

enum { MOST_ANSWERS = 3 };

typedef struct scene {
    const char *version;  /* NULL: "15.4" */
    const char *greeting; /* in place of all that follows */
    struct {
        const char *asks; /* a part of the statement */
        speech speech;
        bool ends; /* the connection is closed behind it */
    } answers[MOST_ANSWERS];
} scene;

/* ---- the server ----------------------------------------------------------------------------- */

static bool read_size(int connection, uint32_t *size) {
    if (!fake_read(connection, size, sizeof *size))
        return false;
    *size = ntohl(*size) - 4;
    return *size < 1 << 20;
}

/* False: there is none any more. */
static bool read_message(int connection, char *letter, char **text) {
    uint32_t size;
    if ((letter && !fake_read(connection, letter, 1)) || !read_size(connection, &size))
        return false;
    *text = calloc(size + 4, 1);
    if (*text && fake_read(connection, *text, size))
        return true;
    free(*text);
    return false;
}

static void greet(int connection, const char *version) {
    speech hello = {0};
    char parameter[64];
    const int n = snprintf(parameter, sizeof parameter, "server_version%c%s", '\0', version);
    SAY(&hello, 'R', "\0\0\0\0");
    say(&hello, 'S', parameter, (size_t)n + 1);
    SAY(&hello, 'K', "\0\0\0\1\0\0\0\2");
    SAY(&hello, 'Z', "I");
    fake_write(connection, hello.bytes, hello.size);
}

/* True: the connection ends here. */
static bool answer(int connection, const scene *at, const char *sql) {
    speech ready = {0};
    for (size_t i = 0; i < MOST_ANSWERS; i++)
        if (at->answers[i].asks && strstr(sql, at->answers[i].asks)) {
            fake_write(connection, at->answers[i].speech.bytes, at->answers[i].speech.size);
            return at->answers[i].ends;
        }
    DONE(&ready, "OK");
    READY(&ready);
    fake_write(connection, ready.bytes, ready.size);
    return false;
}

static void serve(int connection, void *context) {
    const scene *at = context;
    char *text, letter;
    if (!read_message(connection, NULL, &text))
        return;
    const bool cancels = memcmp(text, "\x04\xd2\x16\x2e", 4) == 0; /* a statement elsewhere */
    free(text);
    if (cancels)
        return;
    if (at->greeting) {
        fake_write(connection, at->greeting, strlen(at->greeting));
        return;
    }
    greet(connection, at->version ? at->version : "15.4");
    while (read_message(connection, &letter, &text)) {
        const bool ends = letter == 'X' || (letter == 'Q' && answer(connection, at, text));
        free(text);
        if (ends)
            return;
    }
}

/* ---- what a test does ----------------------------------------------------------------------- */

static const kan_transport *pg;

typedef struct visit {
    kan_run *run;
    scene scene;
    fake_server server;
    kan_address address;
    struct kan_address_option options[3];
    void *connection;
} visit;

static visit *new_visit(void) {
    visit *v = calloc(1, sizeof *v);
    assert_non_null(v);
    v->run = kan_run_create();
    return v;
}

static kan_status begin(visit *v) {
    v->server = (fake_server){.serve = serve, .context = &v->scene};
    fake_server_begin(&v->server);
    v->options[0] = (struct kan_address_option){"sslmode", "disable"};
    v->options[1] = (struct kan_address_option){"gssencmode", "disable"};
    v->address = (kan_address){.text = "postgres://127.0.0.1/base?table=people",
                               .scheme = "postgres",
                               .host = "127.0.0.1",
                               .port = v->server.port,
                               .user = "me",
                               .database = "base",
                               .table = "people",
                               .n_options = 2,
                               .options = v->options};
    return pg->connect(v->run, &v->address, NULL, &v->connection);
}

static void end(visit *v) {
    pg->disconnect(v->connection);
    fake_server_end(&v->server);
    kan_run_destroy(v->run);
    free(v);
}

static void connect_to(visit *v) {
    if (begin(v) != KAN_OK)
        fail_msg("%s", kan_run_error(v->run));
}

static void assert_says(const visit *v, const char *part) {
    if (!strstr(kan_run_error(v->run), part))
        fail_msg("'%s' is not in: %s", part, kan_run_error(v->run));
}

static kan_status count_row(void *context, const kan_slice *values) {
    (void)values;
    ++*(size_t *)context;
    return KAN_OK;
}

static kan_status query(visit *v, size_t n_columns, size_t *n_rows) {
    const kan_statement look = {.sql = "SELECT name, age FROM people", .what = "look"};
    *n_rows = 0;
    return pg->query(v->connection, 0, &look, n_columns, &(kan_row_taker){count_row, n_rows});
}

static kan_status execute(visit *v, const char *sql) {
    return pg->execute(v->connection, 0, &(kan_statement){.sql = sql, .what = "do this"});
}

static kan_status commit(visit *v) {
    return pg->execute(v->connection, 0,
                       &(kan_statement){.sql = "COMMIT", .what = "do this", .is_final = true});
}

/* ---- who is no PostgreSQL of ours ----------------------------------------------------------- */

static void an_old_server_is_refused(void **state) {
    (void)state;
    visit *v = new_visit();
    v->scene.version = "9.6.24";
    assert_int_equal(begin(v), KAN_BAD_INPUT);
    assert_says(v, "the server is PostgreSQL 9; kanon needs 12 or later");
    assert_null(v->connection);
    end(v);
}

static void what_is_no_postgres_is_told(void **state) {
    (void)state;
    static const char *const greetings[] = {"", "HTTP/1.1 400 Bad Request\r\n\r\n",
                                            "220 mail.example ready\r\n"};
    for (size_t i = 0; i < sizeof greetings / sizeof *greetings; i++) {
        visit *v = new_visit();
        v->scene.greeting = greetings[i];
        assert_int_equal(begin(v), KAN_FAILED);
        assert_says(v, "could not connect: ");
        assert_says(v, "check host and port, and whether the server runs");
        assert_null(v->connection);
        end(v);
    }
}

static void an_option_that_is_given_twice_is_refused(void **state) {
    (void)state;
    visit *v = new_visit();
    void *other = NULL;
    connect_to(v);
    v->options[2] = (struct kan_address_option){"port", "1"};
    v->address.n_options = 3;
    assert_int_equal(pg->connect(v->run, &v->address, NULL, &other), KAN_BAD_INPUT);
    assert_says(v, "'port' is given twice");
    v->address.table = NULL;
    size_t n = 0;
    assert_int_equal(pg->columns(v->connection, &(kan_row_taker){count_row, &n}), KAN_BAD_INPUT);
    assert_says(v, "no table is named; add ?table=NAME");
    end(v);
}

/* ---- rows that make no sense ---------------------------------------------------------------- */

static void rows_of_other_columns_are_refused(void **state) {
    (void)state;
    static const char *const lines[] = {"one\n", "one\t2\t3\n", "\n", "\\N\n", "one\\\t2\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        visit *v = new_visit();
        speech *to = &v->scene.answers[0].speech;
        size_t n_rows;
        v->scene.answers[0].asks = "COPY";
        COPY_OUT(to);
        SAY(to, 'd', "ok\t1\n");
        say(to, 'd', lines[i], strlen(lines[i]));
        SAY(to, 'c', "");
        DONE(to, "COPY 2");
        READY(to);
        connect_to(v);
        assert_int_equal(query(v, 2, &n_rows), KAN_FAILED);
        assert_says(v, "could not look: a row has not 2 columns");
        assert_int_equal(n_rows, 1);
        assert_int_equal(execute(v, "SELECT 1"), KAN_OK); /* what was left of it is gone */
        end(v);
    }
}

/* Nothing of it is an empty table. */
static void an_answer_that_is_no_copy_is_refused(void **state) {
    (void)state;
    enum { TUPLES, COMMAND, WRONG_WAY, EMPTY, N_KINDS };
    for (int kind = 0; kind < N_KINDS; kind++) {
        visit *v = new_visit();
        speech *to = &v->scene.answers[0].speech;
        size_t n_rows;
        v->scene.answers[0].asks = "COPY";
        if (kind == TUPLES)
            SAY(to, 'T', "\0\0");
        if (kind == WRONG_WAY)
            COPY_IN(to);
        if (kind == EMPTY)
            SAY(to, 'I', "");
        else if (kind != WRONG_WAY)
            DONE(to, "SELECT 0");
        READY(to);
        connect_to(v);
        assert_int_equal(query(v, 2, &n_rows), KAN_FAILED);
        assert_says(v, "could not look");
        assert_int_equal(n_rows, 0);
        end(v);
    }
}

static void a_connection_that_ends_within_rows_is_told(void **state) {
    (void)state;
    for (int n_sent = 0; n_sent < 3; n_sent++) {
        visit *v = new_visit();
        speech *to = &v->scene.answers[0].speech;
        size_t n_rows;
        v->scene.answers[0].asks = "COPY";
        v->scene.answers[0].ends = true;
        if (n_sent > 0)
            COPY_OUT(to);
        if (n_sent > 1)
            SAY(to, 'd', "one\t1\n");
        connect_to(v);
        assert_int_equal(query(v, 2, &n_rows), KAN_FAILED);
        assert_says(v, "could not look");
        assert_int_equal(query(v, 2, &n_rows), KAN_FAILED);
        end(v);
    }
}

static void an_error_behind_rows_fails(void **state) {
    (void)state;
    visit *v = new_visit();
    speech *to = &v->scene.answers[0].speech;
    size_t n_rows;
    v->scene.answers[0].asks = "COPY";
    COPY_OUT(to);
    SAY(to, 'd', "one\t1\n");
    ERROR(to, "SERROR\0VERROR\0C53200\0Mout of memory\0DFailed on row hush.");
    READY(to);
    connect_to(v);
    assert_int_equal(query(v, 2, &n_rows), KAN_FAILED);
    assert_says(v, "could not look: out of memory; the server is short of a resource");
    assert_null(strstr(kan_run_error(v->run), "hush"));
    end(v);
}

/* ---- errors --------------------------------------------------------------------------------- */

/* Of words about a value, those before it are shown. */
static void errors_have_their_remedy_and_show_no_value(void **state) {
    (void)state;
#define FIELDS(text) text, sizeof(text)
    static const struct {
        const char *fields;
        size_t size;
        kan_status status;
        const char *part;
    } cases[] = {
        {FIELDS("SERROR\0C22P02\0Minvalid input syntax for type integer: \"hush\"\0"), KAN_FAILED,
         "could not do this: invalid input syntax for type integer"},
        {FIELDS("SERROR\0C22001\0Mvalue \"hush\" is too long\0"), KAN_FAILED, "do this: value"},
        {FIELDS("SERROR\0C23505\0Mduplicate key hush\0npg_type_typname_nsp_index\0"), KAN_BAD_INPUT,
         "somebody else has just made a table of that name"},
        {FIELDS("SERROR\0C42501\0Mno right\0Rcheck_enable_rls\0"), KAN_BAD_INPUT,
         "row-level security"},
        {FIELDS("SERROR\0C42501\0Mno right\0Raclcheck_error\0"), KAN_BAD_INPUT, "needs USAGE"},
        {FIELDS("SERROR\0C99999\0Msomething new\nhush\0"), KAN_FAILED, "do this: something new"},
        {FIELDS("SFATAL\0VFATAL\0C57P01\0Mgoing down\0"), KAN_FAILED, "administrator ended"},
        {FIELDS(""), KAN_FAILED, "could not do this"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        visit *v = new_visit();
        speech *to = &v->scene.answers[0].speech;
        v->scene.answers[0].asks = "ALTER";
        say(to, 'E', cases[i].fields, cases[i].size);
        READY(to);
        connect_to(v);
        assert_int_equal(execute(v, "ALTER TABLE x"), cases[i].status);
        assert_says(v, cases[i].part);
        assert_null(strstr(kan_run_error(v->run), "hush"));
        end(v);
    }
}

/* Whoever asks for it must not believe that there is a release, nor that there is none. */
static void a_commit_without_an_answer_is_not_known(void **state) {
    (void)state;
    visit *v = new_visit();
    v->scene.answers[0].asks = "COMMIT";
    v->scene.answers[0].ends = true;
    connect_to(v);
    assert_int_equal(commit(v), KAN_FAILED);
    assert_says(v, "whether the release is there is not known");
    assert_int_equal(execute(v, "SELECT 1"), KAN_FAILED);
    assert_says(v, "the connection to the server is lost");
    end(v);
}

static void a_commit_that_did_something_else_is_none(void **state) {
    (void)state;
    visit *v = new_visit();
    v->scene.answers[0].asks = "COMMIT";
    DONE(&v->scene.answers[0].speech, "ROLLBACK");
    READY(&v->scene.answers[0].speech);
    connect_to(v);
    assert_int_equal(commit(v), KAN_FAILED);
    assert_says(v, "the server rolled everything back");
    end(v);
}

/* ---- rows that go --------------------------------------------------------------------------- */

static kan_status give_three(void *context, kan_slice *values, bool *is_row) {
    size_t *n = context;
    *is_row = (*n)++ < 3;
    values[0] = kan_slice_of("value");
    return KAN_OK;
}

static void a_load_that_is_not_taken_fails(void **state) {
    (void)state;
    enum { REFUSED, WRONG_WAY, GONE, N_KINDS };
    for (int kind = 0; kind < N_KINDS; kind++) {
        visit *v = new_visit();
        speech *to = &v->scene.answers[0].speech;
        size_t n = 0;
        v->scene.answers[0].asks = "FROM STDIN";
        v->scene.answers[0].ends = kind == GONE;
        if (kind == REFUSED)
            ERROR(to, "SERROR\0VERROR\0C53100\0Mno space left");
        if (kind == WRONG_WAY) {
            COPY_OUT(to);
            SAY(to, 'c', "");
            DONE(to, "COPY 0");
        }
        if (kind == GONE)
            COPY_IN(to);
        else
            READY(to);
        connect_to(v);
        assert_int_equal(pg->load(v->connection, 0, "map", 1, &(kan_row_giver){give_three, &n}),
                         KAN_FAILED);
        assert_says(v, "could not load rows into a table");
        end(v);
    }
}

int main(void) {
    pg = kan_engine_postgres.transport;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_old_server_is_refused),
        cmocka_unit_test(what_is_no_postgres_is_told),
        cmocka_unit_test(an_option_that_is_given_twice_is_refused),
        cmocka_unit_test(rows_of_other_columns_are_refused),
        cmocka_unit_test(an_answer_that_is_no_copy_is_refused),
        cmocka_unit_test(a_connection_that_ends_within_rows_is_told),
        cmocka_unit_test(an_error_behind_rows_fails),
        cmocka_unit_test(errors_have_their_remedy_and_show_no_value),
        cmocka_unit_test(a_commit_without_an_answer_is_not_known),
        cmocka_unit_test(a_commit_that_did_something_else_is_none),
        cmocka_unit_test(a_load_that_is_not_taken_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
