#include "engine/clickhouse/clickhouse.h"

#include <inttypes.h>
#include <stdlib.h>

#include "engine/clickhouse/connection.h"
#include "engine/sql/sql.h"

enum { SILENCE_S = 300 };

/* ---- small questions ------------------------------------------------------------------------ */

void kan_click_add_text(kan_text *sql, const char *text) {
    kan_sql_text(sql, &kan_dialect_clickhouse, kan_slice_of(text));
}

void kan_click_add_name(kan_text *sql, const char *name) {
    kan_sql_name(sql, &kan_dialect_clickhouse, name);
}

kan_status kan_click_texts(kan_click_server *server, const char *sql, const char *what,
                           size_t n_columns, const kan_row_taker *taker) {
    kan_text whole;
    kan_click_type *types = NULL;
    kan_status status;
    kan_text_init(&whole, server->run);
    kan_text_print(&whole, "%s FORMAT RowBinary", sql);
    KAN_TRY_DONE(kan_text_status(&whole));
    KAN_TRY_DONE(kan_alloc_zero(server->run, n_columns, sizeof *types, &types));
    status =
        kan_click_ask(server, &(kan_click_request){.statement = {.sql = whole.bytes, .what = what},
                                                   .n_columns = n_columns,
                                                   .types = types,
                                                   .taker = taker});
done:
    kan_free(server->run, types);
    kan_text_destroy(&whole);
    return status;
}

kan_status kan_click_number(kan_click_server *server, const char *sql, const char *what,
                            uint64_t *out) {
    kan_text answer;
    kan_text_init(&answer, server->run);
    kan_status status = kan_click_ask(
        server, &(kan_click_request){.statement = {.sql = sql, .what = what}, .text = &answer});
    if (status == KAN_OK && answer.size > 0 && answer.bytes[answer.size - 1] == '\n')
        answer.bytes[--answer.size] = '\0';
    if (status == KAN_OK && (answer.size == 0 || !kan_parse_count(answer.bytes, out)))
        status = kan_fail(server->run, KAN_FAILED, "%s: %s did not answer with a number", what,
                          server->name);
    kan_text_destroy(&answer);
    return status;
}

/* ---- connecting ----------------------------------------------------------------------------- */

static kan_status read_options(kan_click *click) {
    const kan_address *address = click->address;
    for (size_t i = 0; i < address->n_options; i++) {
        const char *name = address->options[i].name, *value = address->options[i].value;
        if (strcmp(name, "secure") == 0 && (strcmp(value, "0") == 0 || strcmp(value, "1") == 0))
            click->login.is_secure = *value == '1';
        else if (strcmp(name, "timeout") == 0 && kan_parse_count(value, &click->login.silence_s) &&
                 click->login.silence_s > 0 && click->login.silence_s <= 86400)
            continue;
        else if (strcmp(name, "shards") != 0 && (strcmp(name, "scratch") != 0 || !*value))
            return kan_fail(click->run, KAN_BAD_INPUT,
                            "the address of a table in clickhouse: '%s' is not an option, or has "
                            "no such value; there are secure=1 (https), timeout=SECONDS, "
                            "shards=HOST:PORT,HOST:PORT and scratch=DATABASE",
                            name);
    }
    return KAN_OK;
}

/* CLICKHOUSE_USER and CLICKHOUSE_PASSWORD, as the server's own client has them; a user in the
 * address comes first. */
static kan_status find_login(kan_click *click) {
    const char *user = click->address->user ? click->address->user : getenv("CLICKHOUSE_USER");
    const char *password = getenv("CLICKHOUSE_PASSWORD");
    click->login.user = user && *user ? user : "default";
    if (!password)
        password = "";
    if (strpbrk(click->login.user, "\r\n") || strpbrk(password, "\r\n"))
        return kan_fail(click->run, KAN_BAD_INPUT,
                        "connect: the user's name or the password has a "
                        "line break in it, which ClickHouse's HTTP interface cannot take");
    /* A copy: whoever changes the environment must not change it under a connection. */
    const size_t size = strlen(password) + 1;
    KAN_TRY(kan_alloc(click->run, size, 1, &click->password));
    memcpy(click->password, password, size);
    click->login.password = click->password;
    return KAN_OK;
}

static void disconnect(void *connection) {
    kan_click *click = connection;
    if (!click)
        return;
    for (size_t i = 0; i < click->n_open; i++)
        kan_click_close(&click->shards[i]);
    kan_click_close(&click->server);
    if (click->has_curl)
        click->curl.global_cleanup();
    if (click->password) {
        explicit_bzero(click->password, strlen(click->password));
        kan_free(click->run, click->password);
    }
    kan_arena_destroy(&click->arena);
    kan_free(click->run, click);
}

static kan_status open_address(kan_click *click) {
    const kan_address *address = click->address;
    KAN_TRY(read_options(click));
    KAN_TRY(find_login(click));
    KAN_TRY(kan_curl_load(click->run, &click->curl));
    click->has_curl = true;
    KAN_TRY(kan_click_open(click->run, &click->arena, &click->curl, &click->login,
                           address->host ? address->host : "127.0.0.1",
                           address->port            ? address->port
                           : click->login.is_secure ? "8443"
                                                    : "8123",
                           &click->server));
    KAN_TRY(kan_click_set_up(click, &click->server));
    KAN_TRY(kan_click_find_kind(click));
    return kan_click_find_cluster(click);
}

static kan_status connect_to(kan_run *run, const kan_address *address, const kan_options *given,
                             void **out) {
    (void)given;
    kan_click *click;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *click, &click));
    click->run = run;
    click->address = address;
    click->database = address->database ? address->database : "default";
    click->login.silence_s = SILENCE_S;
    kan_arena_init(&click->arena, run);
    const kan_status status = open_address(click);
    if (status != KAN_OK) {
        disconnect(click);
        return status;
    }
    *out = click;
    return KAN_OK;
}

/* ---- columns -------------------------------------------------------------------------------- */

typedef struct column_list {
    const kan_row_taker *taker;
    size_t n;
} column_list;

static kan_status take_column(void *context, const kan_slice *values) {
    column_list *list = context;
    list->n++;
    return list->taker->take(list->taker->context, values);
}

static kan_status columns(void *connection, const kan_row_taker *taker) {
    kan_click *click = connection;
    column_list list = {.taker = taker};
    kan_text sql;
    kan_status status;
    kan_text_init(&sql, click->run);
    kan_text_print(&sql, "SELECT name, type, if(type LIKE 'Nullable(%%' OR type LIKE "
                         "'LowCardinality(Nullable(%%', '1', '0') FROM system.columns WHERE "
                         "database = ");
    kan_click_add_text(&sql, click->database);
    kan_text_print(&sql, " AND table = ");
    kan_click_add_text(&sql, click->address->table);
    kan_text_print(&sql, " AND default_kind != 'EPHEMERAL'");
    KAN_TRY_DONE(kan_text_status(&sql));
    KAN_TRY_DONE(kan_click_texts(&click->server, sql.bytes, "read the columns", 3,
                                 &(kan_row_taker){take_column, &list}));
    if (list.n == 0)
        status =
            kan_fail(click->run, KAN_BAD_INPUT,
                     "%s has no table %s.%s that the user %s may see; are the names right?",
                     click->server.name, click->database, click->address->table, click->login.user);
done:
    kan_text_destroy(&sql);
    return status;
}

static void place(const void *connection, kan_text *sql) {
    const kan_click *click = connection;
    kan_sql_place(sql, &kan_dialect_clickhouse, click->database, click->address->table);
    if (click->is_final)
        kan_text_print(sql, " FINAL");
}

/* ---- statements ----------------------------------------------------------------------------- */

static kan_status execute(void *connection, size_t node, const kan_statement *statement) {
    kan_click_server *server;
    KAN_TRY(kan_click_node(connection, node, &server));
    kan_text answer; /* of some statements there is one */
    kan_text_init(&answer, server->run);
    const kan_status status =
        kan_click_ask(server, &(kan_click_request){.statement = *statement, .text = &answer});
    kan_text_destroy(&answer);
    return status;
}

/* The types that a statement's columns, or those of a table, have: from DESCRIBE, the second field of
 * each line. */
static kan_status describe(kan_click_server *server, const char *what, const char *of,
                           size_t n_columns, kan_click_type *types) {
    kan_text sql, answer;
    kan_status status;
    kan_text_init(&sql, server->run);
    kan_text_init(&answer, server->run);
    kan_text_print(&sql, "DESCRIBE TABLE %s FORMAT TabSeparated", of);
    KAN_TRY_DONE(kan_text_status(&sql));
    KAN_TRY_DONE(
        kan_click_ask(server, &(kan_click_request){.statement = {.sql = sql.bytes, .what = what},
                                                   .text = &answer}));
    size_t n = 0;
    bool is_known = true;
    for (const char *line = answer.bytes, *end; line && *line; line = end + 1, n++) {
        end = strchr(line, '\n');
        if (!end)
            break;
        const char *from = memchr(line, '\t', (size_t)(end - line));
        if (!from || n >= n_columns) {
            is_known = false;
            continue;
        }
        from++;
        const char *to = memchr(from, '\t', (size_t)(end - from));
        is_known &=
            kan_click_type_read((kan_slice){from, (size_t)((to ? to : end) - from)}, &types[n]);
    }
    status = is_known && n == n_columns
                 ? KAN_OK
                 : kan_fail(server->run, KAN_FAILED, "%s: the columns of %s's answer are not text",
                            what, server->name);
done:
    kan_text_destroy(&sql);
    kan_text_destroy(&answer);
    return status;
}

static kan_status query(void *connection, size_t node, const kan_statement *statement,
                        size_t n_columns, const kan_row_taker *taker) {
    kan_click_server *server;
    KAN_TRY(kan_click_node(connection, node, &server));
    kan_text sql;
    kan_click_type *types = NULL;
    kan_status status;
    kan_text_init(&sql, server->run);
    kan_text_print(&sql, "(%s)", statement->sql);
    KAN_TRY_DONE(kan_text_status(&sql));
    KAN_TRY_DONE(kan_alloc_zero(server->run, n_columns, sizeof *types, &types));
    KAN_TRY_DONE(describe(server, statement->what, sql.bytes, n_columns, types));
    sql.size = 0;
    kan_text_print(&sql, "%s FORMAT RowBinary", statement->sql);
    KAN_TRY_DONE(kan_text_status(&sql));
    status =
        kan_click_ask(server, &(kan_click_request){.statement = {.sql = sql.bytes,
                                                                 .what = statement->what,
                                                                 .cleans_up = statement->cleans_up},
                                                   .n_columns = n_columns,
                                                   .types = types,
                                                   .taker = taker});
done:
    kan_free(server->run, types);
    kan_text_destroy(&sql);
    return status;
}

/* The table must have as many rows more as were sent: an INSERT over HTTP that is cut off may else
 * count as a short one. */
static kan_status load(void *connection, size_t node, const char *table, size_t n_columns,
                       const kan_row_giver *giver) {
    static const char what[] = "send the table that maps values";
    kan_click_server *server;
    KAN_TRY(kan_click_node(connection, node, &server));
    kan_text count, insert;
    kan_click_type *types = NULL;
    uint64_t n_before, n_after, n_given = 0;
    kan_status status;
    kan_text_init(&count, server->run);
    kan_text_init(&insert, server->run);
    kan_text_print(&count, "SELECT count() FROM %s", table);
    kan_text_print(&insert, "INSERT INTO %s FORMAT RowBinary", table);
    KAN_TRY_DONE(kan_text_status(&count));
    KAN_TRY_DONE(kan_text_status(&insert));
    KAN_TRY_DONE(kan_alloc_zero(server->run, n_columns, sizeof *types, &types));
    KAN_TRY_DONE(describe(server, what, table, n_columns, types));
    KAN_TRY_DONE(kan_click_number(server, count.bytes, what, &n_before));
    KAN_TRY_DONE(
        kan_click_ask(server, &(kan_click_request){.statement = {.sql = insert.bytes, .what = what},
                                                   .n_columns = n_columns,
                                                   .types = types,
                                                   .giver = giver,
                                                   .n_given = &n_given}));
    KAN_TRY_DONE(kan_click_number(server, count.bytes, what, &n_after));
    if (n_after - n_before != n_given)
        status = kan_fail(server->run, KAN_FAILED,
                          "%s: %s has %" PRIu64 " rows of the %" PRIu64 " that were sent", what,
                          server->name, n_after - n_before, n_given);
done:
    kan_free(server->run, types);
    kan_text_destroy(&count);
    kan_text_destroy(&insert);
    return status;
}

static uint64_t n_received(const void *connection) {
    const kan_click *click = connection;
    uint64_t n = click->server.n_received;
    for (size_t i = 0; i < click->n_open; i++)
        n += click->shards[i].n_received;
    return n;
}

static const kan_transport transport = {
    .connect = connect_to,
    .disconnect = disconnect,
    .columns = columns,
    .place = place,
    .check_rows = kan_click_check_rows,
    .n_parts = kan_click_n_parts,
    .part = kan_click_part,
    .part_schema = kan_click_part_schema,
    .execute_parts = kan_click_execute_parts,
    .check_parts = kan_click_check_parts,
    .gather = kan_click_gather,
    .execute = execute,
    .query = query,
    .load = load,
    .n_received = n_received,
};

const kan_engine_kind kan_engine_clickhouse = {
    .name = "clickhouse",
    .dialect = &kan_dialect_clickhouse,
    .transport = &transport,
};
