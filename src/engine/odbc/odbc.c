/* The transport of ODBC: databases behind a driver of unixODBC, which is loaded at run time.
 *
 * The address has a connection string as drivers know it, and passwords stand in odbc.ini, with the data
 * source. Which database answers is known once one is connected: its row of products.c says the
 * rest, and one without a row is refused. All calls are those of bytes, not of wide characters: texts are
 * UTF-8 on both sides, and a connection on which a few letters do not come back as they were sent is
 * refused, too. */
#include "engine/odbc/odbc.h"

#include <stdio.h>
#include <strings.h>

#include "engine/engine.h"
#include "engine/library.h"
#include "engine/sql/sql.h"

static const kan_odbc_product *const products[] = {&kan_odbc_sqlite, &kan_odbc_mariadb};
enum { N_PRODUCTS = sizeof products / sizeof *products };

/* ---- messages -------------------------------------------------------------------------------- */

/* What the user can mend, by SQLSTATE or, where drivers have none, by the product's number. */
static bool user_can_mend(const kan_odbc *odbc, const char *state, SQLINTEGER number) {
    static const char *const states[] = {"IM002", "IM003", "01000" /* no such library */,
                                         "28000", "42S02", "42S01",
                                         "3D000", "42501"};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strcmp(state, states[i]) == 0)
            return true;
    enum { SQLITE_READ_ONLY = 8 };
    if (odbc->product == &kan_odbc_sqlite)
        return number == SQLITE_READ_ONLY;
    /* MariaDB: no right to a database, table, column or command; no such database. */
    return number == 1044 || number == 1045 || number == 1049 || number == 1142 || number == 1143 ||
           number == 1146 || number == 1227;
}

static bool is_broken(const char *state, SQLINTEGER number) {
    /* MariaDB: the server has gone away, lost connection. */
    return strncmp(state, "08", 2) == 0 || number == 2006 || number == 2013 || number == 2055;
}

/* The driver's words without the names of who says it, which stand before them in brackets. */
static const char *own_words(char *message) {
    char *line = strpbrk(message, "\r\n");
    if (line)
        *line = '\0';
    const char *at = message;
    while (*at == '[') {
        const char *end = strchr(at, ']');
        if (!end || !end[1])
            break;
        at = end + 1 + strspn(end + 1, " ");
    }
    return at;
}

/* How much of the words may be shown: of errors about values what stands before the value. */
static int size_to_show(const char *words, const char *state, SQLINTEGER number) {
    const bool is_about_values = strncmp(state, "22", 2) == 0 || strncmp(state, "23", 2) == 0 ||
                                 number == 1292 || number == 1366 || number == 1411;
    return (int)(is_about_values ? strcspn(words, "'\":") : strlen(words));
}

kan_status kan_odbc_fail(kan_odbc *odbc, SQLSMALLINT type, SQLHANDLE handle, const char *what) {
    KAN_TRY(kan_check_cancel(odbc->run)); /* that is why, then */
    SQLCHAR state[6] = "", message[1024] = "";
    SQLINTEGER number = 0;
    SQLSMALLINT size = 0;
    if (!SQL_SUCCEEDED(odbc->calls.SQLGetDiagRec(type, handle, 1, state, &number, message,
                                                 sizeof message, &size)))
        return kan_fail(odbc->run, KAN_FAILED, "ODBC: could not %s; the driver does not say why",
                        what);
    state[5] = '\0';
    message[sizeof message - 1] = '\0';
    const char *words = own_words((char *)message);
    if (is_broken((const char *)state, number))
        odbc->is_broken = true;
    if (strcmp((const char *)state, "IM002") == 0)
        return kan_fail(odbc->run, KAN_BAD_INPUT,
                        "ODBC: could not %s: no such data source or driver; `odbcinst -q -s` and "
                        "`odbcinst -q -d` list them",
                        what);
    return kan_fail(
        odbc->run, user_can_mend(odbc, (const char *)state, number) ? KAN_BAD_INPUT : KAN_FAILED,
        "ODBC: could not %s: %.*s", what, size_to_show(words, (const char *)state, number), words);
}

/* ---- connecting ------------------------------------------------------------------------------ */

static kan_status load_library(kan_odbc *odbc) {
    static const char *const names[] = {
#define KAN_ODBC_NAME(name) #name,
        KAN_ODBC_CALLS(KAN_ODBC_NAME)
#undef KAN_ODBC_NAME
    };
    const kan_library_plan plan = {"a table behind ODBC",
                                   {"libodbc.so.2", "libodbc.so.1", "libodbc.so"},
                                   "libodbc2",
                                   names,
                                   sizeof names / sizeof *names,
                                   &odbc->calls};
    return kan_library_load(odbc->run, &plan);
}

/* Whether a connection string says something for a key. */
static bool has_key(const char *string, kan_slice key) {
    for (const char *at = string; at && *at; at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL) {
        at += strspn(at, " ");
        if (strncasecmp(at, key.bytes, key.size) == 0 && at[key.size] == '=')
            return true;
    }
    return false;
}

/* The string of the address, and of the product's keys those that it does not have. */
static kan_status make_login(kan_odbc *odbc, const kan_odbc_product *product) {
    const char *given = odbc->address->database;
    odbc->login.size = 0;
    kan_text_add(&odbc->login, given, strlen(given));
    for (const char *at = product ? product->keys : ""; *at;) {
        const size_t size = strcspn(at, ";");
        if (!has_key(given, (kan_slice){at, strcspn(at, "=")})) {
            if (odbc->login.size > 0 && odbc->login.bytes[odbc->login.size - 1] != ';')
                kan_text_add(&odbc->login, ";", 1);
            kan_text_add(&odbc->login, at, size);
        }
        at += size + (at[size] == ';');
    }
    return kan_text_status(&odbc->login);
}

/* Before one is connected only names of drivers tell, and they are no more than likely. */
static const kan_odbc_product *guess(const char *login) {
    for (size_t i = 0; i < N_PRODUCTS; i++)
        if (strcasestr(login, products[i]->dbms))
            return products[i];
    return NULL;
}

static SQLRETURN connect_once(const kan_odbc_calls *calls, SQLHENV environment, const char *login,
                              SQLHDBC *session) {
    enum { LIMIT_SECONDS = 15 };
    SQLRETURN result = calls->SQLAllocHandle(SQL_HANDLE_DBC, environment, session);
    if (!SQL_SUCCEEDED(result))
        return result;
    (void)calls->SQLSetConnectAttr(*session, SQL_ATTR_LOGIN_TIMEOUT,
                                   (SQLPOINTER)(uintptr_t)LIMIT_SECONDS, SQL_IS_UINTEGER);
    return calls->SQLDriverConnect(*session, NULL, (SQLCHAR *)(uintptr_t)login, SQL_NTS, NULL, 0,
                                   NULL, SQL_DRIVER_NOPROMPT);
}

static void hang_up(kan_odbc *odbc) {
    if (odbc->is_connected)
        (void)odbc->calls.SQLDisconnect(odbc->session);
    if (odbc->session)
        (void)odbc->calls.SQLFreeHandle(SQL_HANDLE_DBC, odbc->session);
    odbc->session = NULL;
    odbc->is_connected = false;
}

static kan_status dial(kan_odbc *odbc, const kan_odbc_product *product) {
    KAN_TRY(make_login(odbc, product));
    const SQLRETURN result =
        connect_once(&odbc->calls, odbc->environment, odbc->login.bytes, &odbc->session);
    if (!SQL_SUCCEEDED(result))
        return kan_odbc_fail(odbc, SQL_HANDLE_DBC, odbc->session, "connect");
    odbc->is_connected = true;
    return KAN_OK;
}

bool kan_odbc_kill(const kan_odbc *odbc) {
    const kan_odbc_calls *calls = &odbc->calls;
    SQLHDBC session = NULL;
    SQLHSTMT statement = NULL;
    bool is_done = false;
    const bool is_there =
        SQL_SUCCEEDED(connect_once(calls, odbc->environment, odbc->login.bytes, &session));
    if (is_there && SQL_SUCCEEDED(calls->SQLAllocHandle(SQL_HANDLE_STMT, session, &statement)))
        is_done = SQL_SUCCEEDED(
            calls->SQLExecDirect(statement, (SQLCHAR *)(uintptr_t)odbc->watch.kill, SQL_NTS));
    if (statement)
        (void)calls->SQLFreeHandle(SQL_HANDLE_STMT, statement);
    if (is_there)
        (void)calls->SQLDisconnect(session);
    if (session)
        (void)calls->SQLFreeHandle(SQL_HANDLE_DBC, session);
    return is_done;
}

/* ---- who answers ----------------------------------------------------------------------------- */

static kan_status find_product(kan_odbc *odbc) {
    char name[128] = "";
    SQLSMALLINT size = 0;
    if (!SQL_SUCCEEDED(
            odbc->calls.SQLGetInfo(odbc->session, SQL_DBMS_NAME, name, sizeof name, &size)))
        return kan_odbc_fail(odbc, SQL_HANDLE_DBC, odbc->session, "ask for the kind of database");
    name[sizeof name - 1] = '\0';
    for (size_t i = 0; i < N_PRODUCTS; i++)
        if (strcasecmp(name, products[i]->dbms) == 0) {
            odbc->product = products[i];
            return KAN_OK;
        }
    static const char *const own[][2] = {{"PostgreSQL", "postgres://"},
                                         {"ClickHouse", "clickhouse://"}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcasecmp(name, own[i][0]) == 0)
            return kan_fail(odbc->run, KAN_BAD_INPUT,
                            "ODBC: this is %s; use an address that begins with %s", own[i][0],
                            own[i][1]);
    odbc->product = &kan_odbc_other;
    (void)snprintf(odbc->name, sizeof odbc->name, "%s", name);
    return KAN_OK;
}

typedef struct one_value {
    char bytes[128];
    size_t size, n_rows;
} one_value;

static kan_status take_one(void *context, const kan_slice *values) {
    one_value *one = context;
    one->size = values[0].size < sizeof one->bytes - 1 ? values[0].size : sizeof one->bytes - 1;
    if (one->size)
        memcpy(one->bytes, values[0].bytes, one->size);
    one->bytes[one->size] = '\0';
    one->n_rows++;
    return KAN_OK;
}

static kan_status ask_one(kan_odbc *odbc, const char *sql, const char *what, one_value *out) {
    *out = (one_value){.size = 0};
    const kan_statement statement = {.sql = sql, .what = what};
    const kan_row_taker taker = {take_one, out};
    return kan_odbc_query(odbc, 0, &statement, 1, &taker);
}

/* Letters of two, three and four bytes. */
static kan_status check_letters(kan_odbc *odbc) {
    static const char letters[] = "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";
    char sql[64];
    one_value one;
    (void)snprintf(sql, sizeof sql, "SELECT '%s'", letters);
    KAN_TRY(ask_one(odbc, sql, "test the characters of the connection", &one));
    if (one.n_rows == 1 && strcmp(one.bytes, letters) == 0)
        return KAN_OK;
    return kan_fail(odbc->run, KAN_BAD_INPUT,
                    "ODBC: the connection does not keep characters beyond ASCII; set its character "
                    "set to UTF-8 in odbc.ini or in the address");
}

/* Names stand in double quotes in what is written for databases that are not known. */
static kan_status check_quotes(kan_odbc *odbc) {
    char quote[8] = "", room[256];
    SQLSMALLINT size = 0;
    if (!SQL_SUCCEEDED(odbc->calls.SQLGetInfo(odbc->session, SQL_IDENTIFIER_QUOTE_CHAR, quote,
                                              sizeof quote, &size)))
        return kan_odbc_fail(odbc, SQL_HANDLE_DBC, odbc->session, "ask how names are quoted");
    if (strcmp(quote, "\"") == 0)
        return KAN_OK;
    return kan_fail(
        odbc->run, KAN_BAD_INPUT,
        "ODBC: %s does not quote names in \"..\", which is all that is known here; write "
        "the release as statements for it (--emit)",
        kan_quote(kan_slice_of(odbc->name), room));
}

/* What is compared how, where nobody knows. */
static kan_status probe(kan_odbc *odbc) {
    const kan_dialect *const dialect = odbc->product->dialect;
    char room[256];
    one_value one;
    kan_text sql;
    KAN_TRY(check_quotes(odbc));
    kan_text_init(&sql, odbc->run);
    kan_sql_probe(&sql, dialect, kan_dialect_form(dialect, KAN_SQL_ANY_TYPE), "kx_");
    kan_status status = kan_text_status(&sql);
    if (status == KAN_OK)
        status = ask_one(odbc, sql.bytes, "ask how it compares texts", &one);
    kan_text_destroy(&sql);
    KAN_TRY(status);
    if (one.n_rows == 0)
        return KAN_OK;
    return kan_fail(odbc->run, KAN_BAD_INPUT,
                    "ODBC: %s does not compare texts by their bytes (%s), and a release depends on "
                    "it; copy the table to a database that does, or to a file",
                    kan_quote(kan_slice_of(odbc->name), room), one.bytes);
}

static kan_status prepare_watch(kan_odbc *odbc) {
    if (odbc->product->kills_by_number) {
        one_value one;
        uint64_t number = 0;
        KAN_TRY(ask_one(odbc, "SELECT CAST(CONNECTION_ID() AS CHAR)", "ask for its number", &one));
        if (!kan_parse_count(one.bytes, &number))
            return kan_fail(odbc->run, KAN_FAILED, "ODBC: the connection has no number");
        (void)snprintf(odbc->watch.kill, sizeof odbc->watch.kill, "KILL QUERY %llu",
                       (unsigned long long)number);
    } else if (!SQL_SUCCEEDED(odbc->calls.SQLAllocHandle(SQL_HANDLE_STMT, odbc->session,
                                                         &odbc->watch.spare))) {
        return kan_odbc_fail(odbc, SQL_HANDLE_DBC, odbc->session, "make a statement");
    }
    return kan_odbc_watch_start(odbc);
}

/* ---- the transport --------------------------------------------------------------------------- */

static void disconnect(void *connection) {
    kan_odbc *odbc = connection;
    if (!odbc)
        return;
    kan_odbc_watch_stop(odbc);
    if (odbc->watch.spare)
        (void)odbc->calls.SQLFreeHandle(SQL_HANDLE_STMT, odbc->watch.spare);
    hang_up(odbc);
    if (odbc->environment)
        (void)odbc->calls.SQLFreeHandle(SQL_HANDLE_ENV, odbc->environment);
    kan_text_destroy(&odbc->login);
    kan_free(odbc->run, odbc);
}

static kan_status open_session(kan_odbc *odbc) {
    const kan_odbc_product *likely = guess(odbc->address->database);
    KAN_TRY(load_library(odbc));
    if (!SQL_SUCCEEDED(odbc->calls.SQLAllocHandle(SQL_HANDLE_ENV, NULL, &odbc->environment)))
        return kan_fail(odbc->run, KAN_FAILED, "ODBC: the driver manager could not be started");
    (void)odbc->calls.SQLSetEnvAttr(odbc->environment, SQL_ATTR_ODBC_VERSION,
                                    (SQLPOINTER)(uintptr_t)SQL_OV_ODBC3, 0);
    KAN_TRY(dial(odbc, likely));
    KAN_TRY(find_product(odbc));
    if (odbc->product != likely) {
        hang_up(odbc);
        KAN_TRY(dial(odbc, odbc->product));
    }
    for (const char *const *sql = odbc->product->prepare; *sql; sql++) {
        const kan_statement statement = {.sql = *sql, .what = "prepare the connection"};
        KAN_TRY(kan_odbc_execute(odbc, 0, &statement));
    }
    KAN_TRY(check_letters(odbc));
    if (!odbc->product->add_columns)
        KAN_TRY(probe(odbc));
    return prepare_watch(odbc);
}

static kan_status connect(kan_run *run, const kan_address *address, const kan_options *given,
                          void **out) {
    (void)given;
    kan_odbc *odbc = NULL;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *odbc, &odbc));
    odbc->run = run;
    odbc->address = address;
    kan_text_init(&odbc->login, run);
    const kan_status status = open_session(odbc);
    if (status == KAN_OK)
        *out = odbc;
    else
        disconnect(odbc);
    return status;
}

typedef struct counted_taker {
    const kan_row_taker *taker;
    size_t n_rows;
} counted_taker;

static kan_status take_column(void *context, const kan_slice *values) {
    counted_taker *counted = context;
    counted->n_rows++;
    return counted->taker->take(counted->taker->context, values);
}

/* As the driver tells them of a statement that gives no row. */
static kan_status describe_columns(kan_odbc *odbc, const kan_row_taker *taker) {
    kan_text sql;
    kan_text_init(&sql, odbc->run);
    kan_text_print(&sql, "SELECT * FROM ");
    kan_sql_place(&sql, odbc->product->dialect, odbc->address->schema, odbc->address->table);
    kan_text_print(&sql, " WHERE 1 = 0");
    kan_status status = kan_text_status(&sql);
    const kan_statement statement = {.sql = sql.bytes, .what = "list the columns"};
    if (status == KAN_OK)
        status = kan_odbc_describe(odbc, &statement, taker);
    kan_text_destroy(&sql);
    return status;
}

static kan_status columns(void *connection, const kan_row_taker *taker) {
    kan_odbc *odbc = connection;
    if (!odbc->product->add_columns)
        return describe_columns(odbc, taker);
    counted_taker counted = {taker, 0};
    const kan_row_taker mine = {take_column, &counted};
    kan_text sql;
    kan_text_init(&sql, odbc->run);
    kan_status status;
    KAN_TRY_DONE(odbc->product->add_columns(&sql, odbc->address));
    const kan_statement statement = {.sql = sql.bytes, .what = "list the columns"};
    KAN_TRY_DONE(kan_odbc_query(odbc, 0, &statement, 3, &mine));
    if (counted.n_rows == 0) {
        char room[256];
        status = kan_fail(odbc->run, KAN_BAD_INPUT, "ODBC: there is no table %s",
                          kan_quote(kan_slice_of(odbc->address->table), room));
    }
done:
    kan_text_destroy(&sql);
    return status;
}

static const struct kan_dialect *dialect(const void *connection) {
    return ((const kan_odbc *)connection)->product->dialect;
}

static uint64_t n_received(const void *connection) {
    return ((const kan_odbc *)connection)->n_received;
}

const kan_transport kan_transport_odbc = {
    .connect = connect,
    .disconnect = disconnect,
    .dialect = dialect,
    .columns = columns,
    .execute = kan_odbc_execute,
    .query = kan_odbc_query,
    .load = kan_odbc_load,
    .n_received = n_received,
};

static const kan_engine_kind engine = {.name = "odbc", .transport = &kan_transport_odbc};

static bool takes(const char *path) {
    return strncasecmp(path, "odbc:", 5) == 0;
}

static kan_status open(kan_run *run, const char *path, const kan_source_options *options,
                       void **out) {
    return kan_engine_open(run, &engine, path, options, out);
}

const kan_source_kind kan_source_odbc = {
    .kind = {.name = "odbc",
             .summary = "a table of SQLite or MariaDB, through ODBC; of others, to read",
             .is_everyday = true},
    .title = "a database, by ODBC",
    .takes = takes,
    .open = open,
    .close = kan_engine_close,
    .name = kan_engine_name,
    .n_columns = kan_engine_n_columns,
    .column_name = kan_engine_column_name,
    .field = kan_engine_field,
    .count = kan_engine_fold,
    .count_some = kan_engine_fold_some,
    .sum_up = kan_engine_sum_up,
    .compare = kan_engine_hold,
    .choose = kan_engine_choose,
    .find_apart = kan_engine_find_apart,
    .apart = KAN_ENGINE_APART,
};
